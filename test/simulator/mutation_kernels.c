// Right kernels that test_mutations.py breaks: bounds, barriers, waits and wait states of many kinds.

#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define LDS static __attribute__((address_space(3), loader_uninitialized))
typedef float float4 __attribute__((ext_vector_type(4)));

static int group(void) { return __builtin_amdgcn_workgroup_id_x(); }
static int item(void) { return __builtin_amdgcn_workitem_id_x(); }

static void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

KERNEL guarded_add(GLOBAL const float *x, GLOBAL const float *y, GLOBAL float *z, int n) {
  int i = group() * 128 + item();
  if (i < n)
    z[i] = x[i] + y[i];
}

KERNEL strided(GLOBAL const float *x, GLOBAL float *y, int n) {
  for (int i = group() * 128 + item(); i < n; i += 256)
    y[i] = __builtin_elementwise_sqrt(x[i] * x[i] + 1.0f) / (x[i] + 3.0f);
}

LDS float sums[128];

// Neighbours in the tree belong to different waves until the last step.
static int place(int i) { return (i * 37) & 127; }

KERNEL tree_sum(GLOBAL const float *x, GLOBAL float *out) {
  int at = place(item());
  sums[item()] = x[group() * 128 + item()];
  barrier();
  for (int half = 64; half > 0; half /= 2) {
    if (at < half)
      sums[at] += sums[at + half];
    barrier();
  }
  if (item() == 77)
    out[group()] = sums[0];
}

LDS float tile[32][33];

KERNEL transpose(GLOBAL const float *x, GLOBAL float *y) {
  int column = item() % 32, row = item() / 32;
  for (int i = 0; i < 32; i += 4)
    tile[row + i][column] = x[(row + i) * 32 + column];
  barrier();
  for (int i = 0; i < 32; i += 4)
    y[(row + i) * 32 + column] = tile[column][row + i];
}

LDS float partial[2][2];

static float waveReduce(float value, int isMaximum) {
  for (int distance = 1; distance < 64; distance *= 2) {
    int other = __builtin_amdgcn_ds_bpermute((item() ^ distance) << 2, __builtin_bit_cast(int, value));
    float there = __builtin_bit_cast(float, other);
    value = isMaximum ? __builtin_fmaxf(value, there) : value + there;
  }
  return value;
}

static float groupReduce(float value, int isMaximum) {
  value = waveReduce(value, isMaximum);
  if (item() % 64 == 0)
    partial[isMaximum][item() / 64] = value;
  barrier();
  float a = partial[isMaximum][0], b = partial[isMaximum][1];
  return isMaximum ? __builtin_fmaxf(a, b) : a + b;
}

KERNEL softmax(GLOBAL const float *x, GLOBAL float *y, int columns) {
  int at = group() * columns + item();
  float value = -__builtin_inff();
  if (item() < columns)
    value = x[at];
  float most = groupReduce(value, 1);
  float power = __builtin_amdgcn_exp2f((value - most) * 1.44269504f);
  float sum = groupReduce(power, 0);
  if (item() < columns)
    y[at] = power / sum;
}

LDS long stageA[2][128], stageB[2][128];

KERNEL product(GLOBAL const long *a, GLOBAL const long *b, GLOBAL float4 *c) {
  float4 sum = 0, second = 0;
  int lane = item() % 64, wave = item() / 64;
  for (int step = 0; step < 4; ++step) {
    stageA[step & 1][item()] = a[step * 128 + item()];
    stageB[step & 1][item()] = b[step * 128 + item()];
    barrier();
    long left = stageA[step & 1][lane + 64 * (wave ^ 1)], right = stageB[step & 1][lane];
    sum = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(left, right, sum, 0, 0, 0);
    second = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(right, left, second, 0, 0, 0);
  }
  c[group() * 128 + item()] = sum * 0.5f + second;
}

LDS unsigned bins[64];

KERNEL histogram(GLOBAL const unsigned *x, GLOBAL unsigned *out) {
  if (item() < 64)
    bins[item()] = 0;
  barrier();
  __scoped_atomic_fetch_add(&bins[x[group() * 128 + item()] & 63], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  barrier();
  if (item() < 64)
    __scoped_atomic_fetch_add(&out[item()], bins[item()], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

KERNEL lanes(GLOBAL const int *x, GLOBAL int *y) {
  int value = x[group() * 128 + item()];
  value += __builtin_amdgcn_update_dpp(0, value, 0x111, 0xf, 0xf, 1); // row_shr:1
  value ^= __builtin_amdgcn_update_dpp(0, value, 0x112, 0xf, 0xf, 1);
  int first = __builtin_amdgcn_readfirstlane(value);
  int other = __builtin_amdgcn_readlane(value * 3, first & 63);
  y[group() * 128 + item()] = value + other;
}
