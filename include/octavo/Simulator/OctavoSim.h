/*===- OctavoSim.h - What the simulator adds to HIP ------------*- C -*-===*\
|*
|* Octavo's libamdhip64.so exports these functions besides HIP. AMD's library
|* has none of them: look them up with dlsym. All are safe to call from any
|* thread.
|*
\*===-------------------------------------------------------------------===*/

#ifndef OCTAVO_SIMULATOR_OCTAVOSIM_H
#define OCTAVO_SIMULATOR_OCTAVOSIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** When launches get a predicted time. */
enum octavoSimTiming {
  /** Never; hipEventElapsedTime is then hipErrorNotSupported. */
  OCTAVO_SIM_TIMING_OFF = 0,
  /** On streams in which an event that keeps time was recorded (default). */
  OCTAVO_SIM_TIMING_AUTO = 1,
  /** Always. */
  OCTAVO_SIM_TIMING_ON = 2,
  /** Always, and launches run no more than the workgroups that a prediction
   *  needs, without matrix arithmetic where nothing but data depends on it:
   *  what they leave in memory is not the kernel's result. */
  OCTAVO_SIM_TIMING_ONLY = 3
};

/** Returns the version of Octavo, for example "0.1.0". */
const char *octavoSimVersion(void);

/** Forgets all counted launches and a launch failure, if there was one. */
void octavoSimReset(void);

/** Chooses one of octavoSimTiming. Returns 0, or 1 if `mode` is none of them.
 */
int octavoSimSetTiming(int mode);

/** Writes the report of all launches since the last reset as JSON.
 *
 * Returns the bytes that the whole text needs, with its final zero. Writes it
 * if `size` is at least that and `buffer` is not null, and nothing otherwise.
 *
 *   {"version", "target", "timing",
 *    "launches": [{"kernel", "grid": [x,y,z], "block": [x,y,z],
 *                  "dynamic_lds_bytes", "wave_instructions", "bytes_loaded",
 *                  "bytes_stored", "host_us", "predicted_us"}],
 *    "dropped": launches beyond the newest 16384,
 *    "predictions": [{"kernel", "predicted_us", "cycles", "clock_mhz", "bound",
 *                     "roofs_us": {...}, "issue_cycles",
 *                     "stall_cycles": {CAUSE: n}, "lds_conflict_share",
 *                     "l2_bytes", "mall_bytes", "hbm_read_bytes",
 *                     "hbm_write_bytes", "workgroups", "resident_workgroups",
 *                     "waves_per_simd", "traced_workgroups",
 *                     "replayed_workgroups", "matrix_arithmetic"}] one for each
 *                    distinct launch,
 *    "kernels": {NAME: {"launches", "workgroups", "waves",
 *                "wave_instructions", "bytes_loaded", "bytes_stored",
 *                "lds_bytes_read", "lds_bytes_written", "host_us",
 *                "processor_us", "predicted_us", "classes": {...},
 *                "instructions": {...}, "matrix_models": [...]}}}
 *
 * Grids count workgroups; `predicted_us` is null for launches without a
 * prediction. */
size_t octavoSimReportJson(char *buffer, size_t size);

/** The last error of this thread in full: what was asked, the kernel, the
 * instruction. An empty string if there was none. Valid until this thread's
 * next call into the library. */
const char *octavoSimLastError(void);

#ifdef __cplusplus
}
#endif

#endif /* OCTAVO_SIMULATOR_OCTAVOSIM_H */
