/* Recordings of real tests in arrays, answers as JSON: for programs in other languages, such as the Python module. In
 * libyoke-identify.a. */
#ifndef YOKE_ARRAYS_H
#define YOKE_ARRAYS_H

#include <stddef.h>
#include <yoke/status.h>

/* An actuator from a recorded command and the motion that followed (docs/measured.md): {nrms, held_nrms, band_Hz,
 * model: {poles, zeros, gain, dead_time_s, time_constant_s, lead, denominator, numerator}, spread, points:
 * [{frequency_Hz, gain, phase_rad, delay_s, coherence}]}, malloc'd. yoke/measured.h has the parts. band_Hz: two
 * numbers, or NULL: found. */
enum yk_status yk_identify_arrays(size_t n, double step, const double *command, const double *motion,
                                  const double *band_Hz, char **json, struct yk_err *err);
/* Settings of a law from measured loops: runs of rows[i] samples of displacement and force, the first `fitted` of them
 * fitted, the others predicted. what: {"law": "bouc-wen", "settings": {"n": 1}, "fit": {"k0": {"start": 1e6}, "beta":
 * {"at": [0, 1], "start": [1, 2], "least": 0.1, "most": 10, "log": true}}, "cycles": 5, "starts": 8, "level": false};
 * numbers in SI; `at` are values of over[i]. {held_nrms, mean_nrms, values: {name: [..]}, spread, bounded, runs:
 * [{nrms, offset_N, level, held_out}]}, malloc'd. yoke/calibrate.h has the parts. */
enum yk_status yk_calibrate_arrays(const char *what, size_t runs, size_t fitted, const size_t *rows, const double *step,
                                   const double *over, const double *const *displacement, const double *const *force,
                                   char **json, struct yk_err *err);
#endif
