#include "device.h"

KERNEL vectorAdd(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *c, int n) {
  int i = workItem();
  if (i < n)
    c[i] = a[i] + b[i];
}
