/* StandIn.c - A HIP library that launches nothing.
 *
 * It has the functions that Octavo's runtime calls; a launch is noted (the last
 * one in full) and returns at once. For tests of the executor and for measuring
 * the runtime's own cost per launch. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

unsigned long standInLaunches;
unsigned standInGrid[3], standInBlock[3];
unsigned char standInArguments[4096];
size_t standInArgumentBytes;
void *standInStream;
const char *standInFunction;
int standInFailure;

int hipGetDevice(int *device) { return *device = 0; }

int hipModuleLoadData(void **module, const void *image) {
  static int modules;
  if (memcmp(image, "\177ELF", 4) != 0)
    return 200;
  *module = (void *)(uintptr_t)++modules;
  return 0;
}

int hipModuleUnload(void *module) { return 0; }

int hipModuleGetFunction(void **function, void *module, const char *name) {
  if (strncmp(name, "missing", 7) == 0)
    return 500;
  *function = (void *)name;
  return 0;
}

int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                          unsigned bx, unsigned by, unsigned bz, unsigned lds,
                          void *stream, void **parameters, void **extra) {
  if (standInFailure)
    return standInFailure;
  size_t bytes = *(size_t *)extra[3];
  memcpy(standInArguments, extra[1], bytes);
  standInArgumentBytes = bytes;
  standInGrid[0] = gx, standInGrid[1] = gy, standInGrid[2] = gz;
  standInBlock[0] = bx, standInBlock[1] = by, standInBlock[2] = bz;
  standInFunction = (const char *)function;
  standInStream = stream;
  standInLaunches++;
  return 0;
}

int hipStreamSynchronize(void *stream) { return 0; }
int hipHostRegister(void *address, size_t bytes, unsigned flags) { return 0; }
int hipHostUnregister(void *address) { return 0; }
const char *hipGetErrorString(int code) { return "stand-in error"; }
