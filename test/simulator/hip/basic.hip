// A HIP C++ program: launches, shared memory, variables of the device, structs by value, half precision, atomics,
// hidden arguments, cooperative launch. Prints one line for each part and returns the number of parts that failed.
#include "octavo_hip.h"

#include <cmath>
#include <cstdio>
#include <vector>

static int failures = 0;

static void expect(bool good, const char *what) {
  std::printf("%s: %s\n", what, good ? "ok" : "WRONG");
  failures += !good;
}

template <typename T> struct Buffer {
  T *data;
  size_t count;
  explicit Buffer(size_t n) : count(n) { hipMalloc((void **)&data, n * sizeof(T)); }
  explicit Buffer(const std::vector<T> &from) : Buffer(from.size()) {
    hipMemcpy(data, from.data(), count * sizeof(T), hipMemcpyHostToDevice);
  }
  ~Buffer() { hipFree(data); }
  std::vector<T> get() const {
    std::vector<T> to(count);
    hipMemcpy(to.data(), data, count * sizeof(T), hipMemcpyDeviceToHost);
    return to;
  }
};

__global__ void axpy(float a, const float *x, float *y, int n) {
  int i = laneOfGrid();
  if (i < n)
    y[i] = a * x[i] + y[i];
}

static void testAxpy() {
  int n = 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i)
    x[i] = i, y[i] = 2 * i + 1;
  Buffer<float> dx(x), dy(y);
  axpy<<<dim3(4), dim3(256)>>>(3.0f, dx.data, dy.data, n);
  std::vector<float> r = dy.get();
  bool good = hipGetLastError() == hipSuccess;
  for (int i = 0; i < n; ++i)
    good &= r[i] == 5.0f * i + 1;
  expect(good, "axpy");
}

__global__ __launch_bounds__(256) void sumBlocks(const float *x, float *sums) {
  __shared__ float part[256];
  unsigned t = __builtin_amdgcn_workitem_id_x();
  part[t] = x[laneOfGrid()];
  barrier();
  for (unsigned step = 128; step; step /= 2) {
    if (t < step)
      part[t] += part[t + step];
    barrier();
  }
  if (t == 0)
    sums[__builtin_amdgcn_workgroup_id_x()] = part[0];
}

static void testSharedMemory() {
  std::vector<float> x(1024);
  for (int i = 0; i < 1024; ++i)
    x[i] = i;
  Buffer<float> dx(x), ds(4);
  sumBlocks<<<dim3(4), dim3(256)>>>(dx.data, ds.data);
  std::vector<float> s = ds.get();
  bool good = true;
  for (int b = 0; b < 4; ++b)
    good &= s[b] == 256.0f * (256 * b) + 255 * 128;
  expect(good, "shared memory and barriers");
}

__global__ void reverse(int *x) {
  extern __shared__ int all[];
  unsigned t = __builtin_amdgcn_workitem_id_x(), n = __builtin_amdgcn_workgroup_size_x();
  all[t] = x[t];
  barrier();
  x[t] = all[n - 1 - t];
}

static void testDynamicSharedMemory() {
  std::vector<int> x(192);
  for (int i = 0; i < 192; ++i)
    x[i] = i;
  Buffer<int> dx(x);
  reverse<<<dim3(1), dim3(192), 192 * sizeof(int)>>>(dx.data);
  std::vector<int> r = dx.get();
  bool good = true;
  for (int i = 0; i < 192; ++i)
    good &= r[i] == 191 - i;
  expect(good, "dynamic shared memory");
}

__device__ int table[4];
__constant__ float factor;
__managed__ int counter = 5;

__global__ void useVariables(float *out) {
  unsigned t = __builtin_amdgcn_workitem_id_x();
  out[t] = table[t] * factor;
  if (t == 0)
    counter += 37;
}

static void testVariables() {
  int values[4] = {1, 2, 3, 4};
  float two = 2.5f;
  hipMemcpyToSymbol(table, values, sizeof values, 0, hipMemcpyHostToDevice);
  hipMemcpyToSymbol(&factor, &two, sizeof two, 0, hipMemcpyHostToDevice);
  Buffer<float> out(4);
  useVariables<<<dim3(1), dim3(4)>>>(out.data);
  std::vector<float> r = out.get();
  int back[2];
  hipMemcpyFromSymbol(back, table, sizeof back, 8, hipMemcpyDeviceToHost);
  expect(r[0] == 2.5f && r[3] == 10.0f && back[0] == 3 && back[1] == 4 && counter == 42, "variables of the device");
}

struct Pair {
  double a;
  int b;
  char c;
};

__global__ void useStruct(Pair p, char q, double *out) { *out = p.a + p.b + p.c + q; }

static void testStruct() {
  Buffer<double> out(1);
  useStruct<<<dim3(1), dim3(1)>>>(Pair{0.5, 10, 3}, 4, out.data);
  expect(out.get()[0] == 17.5, "struct by value");
}

__global__ void halves(const _Float16 *x, _Float16 *y) {
  unsigned i = laneOfGrid();
  y[i] = x[i] * x[i] + (_Float16)1.0f;
}

static void testHalf() {
  std::vector<_Float16> x(64);
  for (int i = 0; i < 64; ++i)
    x[i] = (_Float16)(i * 0.125f);
  Buffer<_Float16> dx(x), dy(64);
  halves<<<dim3(1), dim3(64)>>>(dx.data, dy.data);
  std::vector<_Float16> y = dy.get();
  bool good = true;
  for (int i = 0; i < 64; ++i)
    good &= std::fabs((float)y[i] - (i * 0.125f * (i * 0.125f) + 1)) <= 0.0626f;
  expect(good, "half precision");
}

__global__ void count(unsigned *bins, const unsigned *x) {
  __hip_atomic_fetch_add(&bins[x[laneOfGrid()] % 8], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

static void testAtomics() {
  std::vector<unsigned> x(512), zero(8);
  for (unsigned i = 0; i < 512; ++i)
    x[i] = i * i;
  Buffer<unsigned> dx(x), bins(zero);
  count<<<dim3(2), dim3(256)>>>(bins.data, dx.data);
  std::vector<unsigned> expected(8), got = bins.get();
  for (unsigned v : x)
    ++expected[v % 8];
  expect(got == expected, "atomics");
}

__global__ void whereAmI(unsigned *out) {
  unsigned gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y();
  unsigned x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  unsigned sx = __builtin_amdgcn_workgroup_size_x(), sy = __builtin_amdgcn_workgroup_size_y();
  unsigned grid = __builtin_amdgcn_grid_size_x();
  unsigned group = gy * (grid / sx) + gx;
  out[group * 32 + (z * sy + y) * sx + x] = (gy << 16) | (gx << 12) | (z << 8) | (y << 4) | x;
}

static void testGeometry() {
  Buffer<unsigned> out(6 * 32);
  whereAmI<<<dim3(3, 2), dim3(4, 4, 2)>>>(out.data);
  std::vector<unsigned> r = out.get();
  bool good = true;
  for (unsigned g = 0; g < 6; ++g)
    for (unsigned i = 0; i < 32; ++i)
      good &= r[g * 32 + i] == ((g / 3) << 16 | (g % 3) << 12 | (i / 16) << 8 | (i / 4 % 4) << 4 | i % 4);
  expect(good, "geometry and hidden arguments");
}

__global__ void scratch(int *out, int n) {
  volatile int local[32];
  unsigned t = __builtin_amdgcn_workitem_id_x();
  for (int i = 0; i < 32; ++i)
    local[i] = i * (int)t;
  out[t] = local[(n + t) % 32];
}

static void testScratch() {
  Buffer<int> out(64);
  scratch<<<dim3(1), dim3(64)>>>(out.data, 7);
  std::vector<int> r = out.get();
  bool good = true;
  for (int t = 0; t < 64; ++t)
    good &= r[t] == (7 + t) % 32 * t;
  expect(good, "scratch memory");
}

static void testErrors() {
  Buffer<int> out(64);
  scratch<<<dim3(0), dim3(64)>>>(out.data, 7);
  bool good = hipGetLastError() != hipSuccess && hipGetLastError() == hipSuccess;
  int blocks = 0;
  good &= hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)axpy, 256, 0) == hipSuccess;
  good &= blocks >= 1 && blocks <= 8;
  good &= hipFree(&good) != hipSuccess;
  hipGetLastError();
  expect(good, "errors and occupancy");
}

int main() {
  testAxpy();
  testSharedMemory();
  testDynamicSharedMemory();
  testVariables();
  testStruct();
  testHalf();
  testAtomics();
  testGeometry();
  testScratch();
  testErrors();
  return failures;
}
