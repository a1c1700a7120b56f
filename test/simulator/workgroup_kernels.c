/* Kernels in which lanes, waves and workgroups depend on each other. test_workgroups.py says what they compute. */

KERNEL blockSum(GLOBAL const u32 *in, GLOBAL u32 *out) {
  static SHARED u32 partial[256];
  int lane = LANE;
  partial[lane] = in[GROUP * 256 + lane];
  for (int half = 128; half > 0; half >>= 1) {
    barrier();
    if (lane < half)
      partial[lane] += partial[lane + half];
  }
  if (lane == 0)
    out[GROUP] = partial[0];
}

KERNEL bitonicSort(GLOBAL const u32 *in, GLOBAL u32 *out) {
  static SHARED u32 keys[512];
  int lane = LANE;
  keys[lane] = in[GROUP * 512 + lane];
  keys[lane + 256] = in[GROUP * 512 + lane + 256];
  for (int size = 2; size <= 512; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      barrier();
      int low = 2 * lane - (lane & (stride - 1)), high = low + stride;
      u32 a = keys[low], b = keys[high];
      if ((a > b) == ((low & size) == 0)) {
        keys[low] = b;
        keys[high] = a;
      }
    }
  barrier();
  out[GROUP * 512 + lane] = keys[lane];
  out[GROUP * 512 + lane + 256] = keys[lane + 256];
}

/* Counts in LDS, then in memory. */
KERNEL histogram(GLOBAL const u32 *in, GLOBAL u32 *out) {
  static SHARED u32 bins[64];
  if (LANE < 64)
    bins[LANE] = 0;
  barrier();
  __scoped_atomic_fetch_add(&bins[in[workItem()] & 63], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  barrier();
  if (LANE < 64)
    __scoped_atomic_fetch_add(&out[LANE], bins[LANE], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* Every kind of integer atomic on one word each. */
KERNEL atomics(GLOBAL const u32 *in, GLOBAL u32 *out) {
  u32 x = in[workItem()];
  __scoped_atomic_fetch_add(&out[0], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_and(&out[1], x | 0xff, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_or(&out[2], x & 0xf0f0f0f0u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_xor(&out[3], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_max(&out[4], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_min(&out[5], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_max((GLOBAL i32 *)&out[6], (i32)x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_min((GLOBAL i32 *)&out[7], (i32)x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_add((GLOBAL u64 *)&out[8], (u64)x << 20, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_add((GLOBAL f32 *)&out[10], (f32)(x & 15), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_add((GLOBAL f64 *)&out[12], (f64)(x & 15), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  u32 old = __scoped_atomic_load_n(&out[14], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  while (!__scoped_atomic_compare_exchange_n(&out[14], &old, old * 3u, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __MEMORY_SCOPE_DEVICE))
    ;
}

/* Inclusive sums within a wave by DPP, ds_bpermute and ballots. */
KERNEL waveScan(GLOBAL const u32 *in, GLOBAL u32 *out) {
  u32 x = in[workItem()] & 0xffff, sum = x;
  int lane = LANE & 63;
  for (int step = 1; step < 64; step *= 2) {
    u32 below = (u32)__builtin_amdgcn_ds_bpermute((lane - step) * 4, (int)sum);
    sum += lane >= step ? below : 0;
  }
  u64 odd = __builtin_amdgcn_ballot_w64(x & 1);
  u32 before = __builtin_amdgcn_mbcnt_hi((u32)(odd >> 32), __builtin_amdgcn_mbcnt_lo((u32)odd, 0));
  u32 dpp = (u32)__builtin_amdgcn_update_dpp(7, (int)x, 0x111, 0xf, 0xf, 0);
  GLOBAL u32 *o = out + workItem() * 4;
  o[0] = sum;
  o[1] = before;
  o[2] = dpp;
  o[3] = (u32)__builtin_amdgcn_readlane((int)x, 63) + (u32)__builtin_amdgcn_readfirstlane((int)x);
}

/* A lock that each workgroup takes, and a counter that only the lock protects. */
KERNEL locked(GLOBAL u32 *lock, GLOBAL u32 *counter) {
  if (LANE == 0)
    while (__scoped_atomic_exchange_n(lock, 1u, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE))
      ;
  barrier();
  counter[LANE] = counter[LANE] * 2 + 1;
  barrier();
  if (LANE == 0)
    __scoped_atomic_store_n(lock, 0u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}

/* All workgroups wait for each other, then each reads what its neighbour wrote. */
KERNEL gridBarrier(GLOBAL u32 *arrived, GLOBAL u32 *data, GLOBAL u32 *out, u32 groups) {
  data[workItem()] = (u32)workItem() * 7;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  barrier();
  if (LANE == 0) {
    __scoped_atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
    while (__scoped_atomic_load_n(arrived, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) < groups)
      __builtin_amdgcn_s_sleep(1);
  }
  barrier();
  u32 neighbour = (u32)(GROUP + 1) % groups;
  out[workItem()] = data[neighbour * (u32)GROUP_SIZE + (u32)LANE];
}

/* Each workgroup waits for the one before it: a chain. */
KERNEL chain(GLOBAL u32 *flags, GLOBAL u32 *out) {
  if (LANE == 0) {
    u32 before = 1;
    if (GROUP > 0)
      while ((before = __scoped_atomic_load_n(&flags[GROUP - 1], __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)) == 0)
        ;
    out[GROUP] = before * 3;
    __scoped_atomic_store_n(&flags[GROUP], before * 3, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
  }
}

KERNEL endless(GLOBAL u32 *out) {
  while (__scoped_atomic_load_n(out, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) == 0)
    ;
}

KERNEL ldsOutside(GLOBAL u32 *out, int index) {
  static SHARED volatile u32 small[16];
  small[index] = 1;
  out[0] = small[0];
}
