/* Values that pass between work items, for kernel.h: on the GPU by
   instructions, on the host by repetition. The host runs every item once per
   pass; what an exchange gives in a pass is what the items put into it in the
   pass before, so after as many passes as there are exchanges in a row all
   values are right. `id` names the exchange; it is executed at most once by a
   work item. Waves have 64 items, workgroups 128. */
#ifndef OCTAVO_TEST_SIMULATOR_EXCHANGE_H
#define OCTAVO_TEST_SIMULATOR_EXCHANGE_H

enum { GROUP_ITEMS = 128, EXCHANGES = 24, EXCHANGE_ITEMS = 256, CELLS = 64 };
enum { ADD, AND, OR, XOR, MIN, MAX, UMIN, UMAX };

#ifdef __AMDGCN__

static SHARED u64 sharedPool[2 * GROUP_ITEMS];
#define WAVE_LANE ((u32)LANE & 63)
#define CLANG_VECTOR(T, N) T __attribute__((ext_vector_type(N)))

static inline u32 shuffle(int id, u32 x, u32 from) {
  return __builtin_amdgcn_ds_bpermute(from << 2, x);
}
static inline u32 push(int id, u32 x, u32 to) {
  return __builtin_amdgcn_ds_permute(to << 2, x);
}
#define readLane(ID, X, FROM) ((u32)__builtin_amdgcn_readlane(X, FROM))
static inline u32 readFirst(int id, u32 x) {
  return __builtin_amdgcn_readfirstlane(x);
}
static inline u64 ballot(int id, u32 x) {
  return __builtin_amdgcn_ballot_w64(x != 0);
}
static inline u32 countBelow(u64 mask) {
  return __builtin_amdgcn_mbcnt_hi(mask >> 32,
                                   __builtin_amdgcn_mbcnt_lo((u32)mask, 0));
}
#define dpp(ID, OLD, X, CONTROL, ROWS, BANKS, ZERO)                            \
  ((u32)__builtin_amdgcn_update_dpp(OLD, X, CONTROL, ROWS, BANKS, ZERO))
#define swizzle(ID, X, PATTERN) ((u32)__builtin_amdgcn_ds_swizzle(X, PATTERN))

/* Upper rows of a change places with lower rows of b; one of both results. */
#if defined(__gfx950__)
#define SWAP_ROWS(NAME, BUILTIN, SIZE)                                         \
  static inline u32 NAME(int id, u32 a, u32 b, int which) {                    \
    CLANG_VECTOR(u32, 2) both = BUILTIN(a, b, 0, 0);                           \
    return which ? both.y : both.x;                                            \
  }
#else
#define SWAP_ROWS(NAME, BUILTIN, SIZE)                                         \
  static inline u32 NAME(int id, u32 a, u32 b, int which) {                    \
    u32 fromB = __builtin_amdgcn_ds_bpermute((WAVE_LANE ^ SIZE) << 2, b);      \
    u32 fromA = __builtin_amdgcn_ds_bpermute((WAVE_LANE ^ SIZE) << 2, a);      \
    return which ? (WAVE_LANE & SIZE ? b : fromA)                              \
                 : (WAVE_LANE & SIZE ? fromB : a);                             \
  }
#endif
SWAP_ROWS(swapRows16, __builtin_amdgcn_permlane16_swap, 16)
SWAP_ROWS(swapRows32, __builtin_amdgcn_permlane32_swap, 32)

/* Each item fills the slot of its own and reads any. */
#define THROUGH_LDS(NAME, TYPE)                                                \
  static inline u64 NAME(int id, u64 x, u32 slot, u32 from) {                  \
    barrier();                                                                 \
    ((SHARED TYPE *)sharedPool)[slot & 127] = (TYPE)x;                         \
    barrier();                                                                 \
    return (u64)((SHARED TYPE *)sharedPool)[from & 127];                       \
  }
THROUGH_LDS(through8, u8)
THROUGH_LDS(through16, u16)
THROUGH_LDS(through32, u32)
THROUGH_LDS(through64, u64)
static inline u64 through128(int id, u64 x, u32 slot, u32 from) {
  typedef CLANG_VECTOR(u64, 2) Pair;
  barrier();
  ((SHARED Pair *)sharedPool)[slot & 127] = (Pair){x, x * 3};
  barrier();
  Pair pair = ((SHARED Pair *)sharedPool)[from & 127];
  return pair.x ^ pair.y;
}
/* Two neighbours at once. */
static inline u64 throughTwo(int id, u64 x, u32 slot, u32 from) {
  SHARED u32 *pool = (SHARED u32 *)sharedPool;
  barrier();
  pool[slot & 127] = (u32)x;
  pool[(slot & 127) + 128] = (u32)(x >> 32);
  barrier();
  return pool[from & 127] | (u64)pool[(from & 127) + 128] << 32;
}

#define RELAXED __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE
#define FOLD(SPACE, NAME, TYPE, SIGNED)                                        \
  static inline void NAME(SPACE TYPE *at, int op, TYPE x) {                    \
    SPACE SIGNED *number = (SPACE SIGNED *)at;                                 \
    switch (op) {                                                              \
    case ADD:                                                                  \
      __scoped_atomic_fetch_add(at, x, RELAXED);                               \
      break;                                                                   \
    case AND:                                                                  \
      __scoped_atomic_fetch_and(at, x, RELAXED);                               \
      break;                                                                   \
    case OR:                                                                   \
      __scoped_atomic_fetch_or(at, x, RELAXED);                                \
      break;                                                                   \
    case XOR:                                                                  \
      __scoped_atomic_fetch_xor(at, x, RELAXED);                               \
      break;                                                                   \
    case MIN:                                                                  \
      __scoped_atomic_fetch_min(number, (SIGNED)x, RELAXED);                   \
      break;                                                                   \
    case MAX:                                                                  \
      __scoped_atomic_fetch_max(number, (SIGNED)x, RELAXED);                   \
      break;                                                                   \
    case UMIN:                                                                 \
      __scoped_atomic_fetch_min(at, x, RELAXED);                               \
      break;                                                                   \
    default:                                                                   \
      __scoped_atomic_fetch_max(at, x, RELAXED);                               \
    }                                                                          \
  }
FOLD(SHARED, foldShared32, u32, i32)
FOLD(SHARED, foldShared64, u64, i64)
FOLD(GLOBAL, foldGlobal32, u32, i32)
FOLD(GLOBAL, foldGlobal64, u64, i64)
#define FOLD_LDS(NAME, TYPE, FOLDER)                                           \
  static inline u64 NAME(int id, int op, u64 x, u32 slot, u32 from,            \
                         int take) {                                           \
    SHARED TYPE *pool = (SHARED TYPE *)sharedPool;                             \
    barrier();                                                                 \
    pool[LANE & 127] = (TYPE)(LANE * 77);                                      \
    barrier();                                                                 \
    if (take)                                                                  \
      FOLDER(&pool[slot & 127], op, (TYPE)x);                                  \
    barrier();                                                                 \
    return pool[from & 127];                                                   \
  }
FOLD_LDS(fold32, u32, foldShared32)
FOLD_LDS(fold64, u64, foldShared64)
static inline f32 sumInLds(int id, f32 x, u32 slot, u32 from) {
  SHARED f32 *pool = (SHARED f32 *)sharedPool;
  barrier();
  pool[LANE & 127] = 0.5f;
  barrier();
  __scoped_atomic_fetch_add(&pool[slot & 127], x, RELAXED);
  barrier();
  return pool[from & 127];
}

#else

static struct {
  u64 x;
  u32 key, present;
} putNow[EXCHANGES][EXCHANGE_ITEMS], putBefore[EXCHANGES][EXCHANGE_ITEMS];

void nextPass(void) {
  __builtin_memcpy(putBefore, putNow, sizeof(putNow));
  __builtin_memset(putNow, 0, sizeof(putNow));
}
static void put(int id, u64 x, u32 key) {
  putNow[id][currentItem].x = x;
  putNow[id][currentItem].key = key;
  putNow[id][currentItem].present = 1;
}
#define WAVE_LANE ((u32)currentItem & 63)
#define WAVE_START (currentItem & ~63)
#define GROUP_START (currentItem & ~(GROUP_ITEMS - 1))
#define LANE (currentItem & (GROUP_ITEMS - 1))

static u32 shuffle(int id, u32 x, u32 from) {
  put(id, x, 0);
  return putBefore[id][WAVE_START + (from & 63)].x;
}
static u64 findKey(int id, u32 key, int start, int count) {
  for (int i = start; i < start + count; ++i)
    if (putBefore[id][i].present && putBefore[id][i].key == key)
      return putBefore[id][i].x;
  return 0;
}
static u32 push(int id, u32 x, u32 to) {
  put(id, x, to & 63);
  return findKey(id, WAVE_LANE, WAVE_START, 64);
}
static u32 readLane(int id, u32 x, u32 from) { return shuffle(id, x, from); }
static u32 readFirst(int id, u32 x) {
  put(id, x, 0);
  return findKey(id, 0, WAVE_START, 64);
}
static u64 ballot(int id, u32 x) {
  u64 mask = 0;
  put(id, x != 0, 0);
  for (int i = 0; i < 64; ++i)
    mask |= putBefore[id][WAVE_START + i].x << i;
  return mask;
}
static u32 countBelow(u64 mask) {
  return __builtin_popcountl(mask & ((1ul << WAVE_LANE) - 1));
}
/* The lane that DPP reads, or -1 (ISA documents, "Data Parallel Processing").
 */
static int dppSource(int control) {
  int lane = WAVE_LANE, row = lane & ~15, column = lane & 15,
      count = control & 15, at = -1;
  if (control < 0x100)
    return (lane & ~3) + (control >> 2 * (lane & 3) & 3);
  switch (control & 0x1f0) {
  case 0x100:
    at = column + count;
    return at < 16 ? row + at : -1;
  case 0x110:
    at = column - count;
    return at >= 0 ? row + at : -1;
  case 0x120:
    return row + ((column - count) & 15);
  case 0x130:
    return control == 0x130   ? (lane < 63 ? lane + 1 : -1)
           : control == 0x134 ? (lane + 1) & 63
           : control == 0x138 ? lane - 1
                              : (lane - 1) & 63;
  case 0x140:
    return control == 0x140   ? row + 15 - column
           : control == 0x141 ? (lane & ~7) + 7 - (lane & 7)
           : control == 0x142 ? (lane < 16 ? -1 : row - 1)
                              : (lane < 32 ? -1 : (lane & ~31) - 1);
  default: /* row_newbcast */
    return row + count;
  }
}
static u32 dpp(int id, u32 old, u32 x, int control, int rows, int banks,
               int zero) {
  int lane = WAVE_LANE, from = dppSource(control);
  put(id, x, 0);
  if (!(rows >> lane / 16 & 1) || !(banks >> lane / 4 % 4 & 1))
    return old;
  return from >= 0 ? (u32)putBefore[id][WAVE_START + from].x : zero ? 0 : old;
}
static u32 swizzle(int id, u32 x, int pattern) {
  int lane = WAVE_LANE;
  put(id, x, 0);
  if (pattern & 0x8000)
    lane = (lane & ~3) + (pattern >> 2 * (lane & 3) & 3);
  else
    lane =
        (lane & 32) | ((((lane & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^
                       (pattern >> 10 & 31));
  return putBefore[id][WAVE_START + lane].x;
}
static u32 swapRows(int id, u32 a, u32 b, int which, u32 size) {
  u64 other;
  put(id, a | (u64)b << 32, 0);
  other = putBefore[id][WAVE_START + (WAVE_LANE ^ size)].x;
  return which ? (WAVE_LANE & size ? b : (u32)other)
               : (WAVE_LANE & size ? (u32)(other >> 32) : a);
}
static u32 swapRows16(int id, u32 a, u32 b, int which) {
  return swapRows(id, a, b, which, 16);
}
static u32 swapRows32(int id, u32 a, u32 b, int which) {
  return swapRows(id, a, b, which, 32);
}

static u64 through(int id, u64 x, u32 slot, u32 from) {
  put(id, x, slot & 127);
  return findKey(id, from & 127, GROUP_START, GROUP_ITEMS);
}
#define through8(ID, X, SLOT, FROM) through(ID, (u8)(X), SLOT, FROM)
#define through16(ID, X, SLOT, FROM) through(ID, (u16)(X), SLOT, FROM)
#define through32(ID, X, SLOT, FROM) through(ID, (u32)(X), SLOT, FROM)
#define through64 through
#define throughTwo through
static u64 through128(int id, u64 x, u32 slot, u32 from) {
  u64 value = through(id, x, slot, from);
  return value ^ value * 3;
}

static u64 fold(int op, u64 a, u64 b, int bits) {
  i64 x = (i64)(a << (64 - bits)) >> (64 - bits),
      y = (i64)(b << (64 - bits)) >> (64 - bits);
  u64 mask = ~0ul >> (64 - bits);
  a &= mask, b &= mask;
  switch (op) {
  case ADD:
    return (a + b) & mask;
  case AND:
    return a & b;
  case OR:
    return a | b;
  case XOR:
    return a ^ b;
  case MIN:
    return (x < y ? x : y) & mask;
  case MAX:
    return (x > y ? x : y) & mask;
  case UMIN:
    return a < b ? a : b;
  default:
    return a > b ? a : b;
  }
}
static void foldGlobal32(u32 *at, int op, u32 x) { *at = fold(op, *at, x, 32); }
static void foldGlobal64(u64 *at, int op, u64 x) { *at = fold(op, *at, x, 64); }
static u64 foldLds(int id, int op, u64 x, u32 slot, u32 from, int take,
                   int bits) {
  u64 value = (u64)(i64)((from & 127) * 77);
  if (take)
    put(id, x, slot & 127);
  for (int i = GROUP_START; i < GROUP_START + GROUP_ITEMS; ++i)
    if (putBefore[id][i].present && putBefore[id][i].key == (from & 127))
      value = fold(op, value, putBefore[id][i].x, bits);
  return value;
}
static u64 fold32(int id, int op, u64 x, u32 slot, u32 from, int take) {
  return foldLds(id, op, x, slot, from, take, 32);
}
static u64 fold64(int id, int op, u64 x, u32 slot, u32 from, int take) {
  return foldLds(id, op, x, slot, from, take, 64);
}
static f32 sumInLds(int id, f32 x, u32 slot, u32 from) {
  f32 value = 0.5f;
  put(id, f32Bits(x), slot & 127);
  for (int i = GROUP_START; i < GROUP_START + GROUP_ITEMS; ++i)
    if (putBefore[id][i].present && putBefore[id][i].key == (from & 127))
      value += asF32(putBefore[id][i].x);
  return value;
}

#endif

/* Atomics on a cell that nobody else has: the old value is known. */
#ifdef __AMDGCN__
#define ORDER __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE
#else
#define ORDER __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM
#endif
#define OWN(NAME, TYPE, SIGNED)                                                \
  static inline TYPE NAME(GLOBAL TYPE *at, int op, TYPE x, TYPE y) {           \
    TYPE expected = y;                                                         \
    switch (op) {                                                              \
    case 0:                                                                    \
      return __scoped_atomic_fetch_add(at, x, ORDER);                          \
    case 1:                                                                    \
      return __scoped_atomic_fetch_sub(at, x, ORDER);                          \
    case 2:                                                                    \
      return __scoped_atomic_fetch_and(at, x, ORDER);                          \
    case 3:                                                                    \
      return __scoped_atomic_fetch_or(at, x, ORDER);                           \
    case 4:                                                                    \
      return __scoped_atomic_fetch_xor(at, x, ORDER);                          \
    case 5:                                                                    \
      return __scoped_atomic_fetch_min((GLOBAL SIGNED *)at, (SIGNED)x, ORDER); \
    case 6:                                                                    \
      return __scoped_atomic_fetch_max(at, x, ORDER);                          \
    case 7:                                                                    \
      return __scoped_atomic_exchange_n(at, x, ORDER);                         \
    default:                                                                   \
      __scoped_atomic_compare_exchange_n(at, &expected, x, 0,                  \
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED,   \
                                         __MEMORY_SCOPE_DEVICE);               \
      return expected;                                                         \
    }                                                                          \
  }
OWN(own32, u32, i32)
OWN(own64, u64, i64)

#endif
