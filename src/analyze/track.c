/* How a measured displacement follows its target, from the samples of a recording. docs/theory/transfer.md, eq. (12) to
 * (14).
 *
 * Frequency domain (Guo et al. 2014): the ratio of the spectra, weighted with the power of the target, is a complex
 * number whose modulus is an amplitude and whose angle is a delay at the mean frequency of the target.
 * Synchronisation subspace (Wallace et al. 2005): measured over target is a straight line when the two are synchronous
 * and an ellipse when they are not; its axes tell the amplitude and the phase, its area what the error feeds in. */
#include "analyze/analyze.h"

#include <yoke/fourier.h>

#include "record/record.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { BLOCK_ROWS = 4096 };

/* ---- frequency domain ---- */

static double mean(size_t n, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

/* Both signals without their means, under a window that fades in and out, as one complex signal. */
static void join(size_t n, const double *x, const double *y, double complex *z)
{
    const double x0 = mean(n, x), y0 = mean(n, y);

    for (size_t i = 0; i < n; i++) {
        const double window = 0.5 - 0.5 * cos(2 * M_PI * ((double)i + 0.5) / (double)n);

        z[i] = window * (x[i] - x0 + I * (y[i] - y0));
    }
}

/* eq. (12) */
static enum yk_status compare_spectra(size_t n, double dt, const double *target, const double *measured,
                                      struct yk_track *out, struct yk_err *err)
{
    double power = 0, moment = 0;
    double complex index = 0, *z;
    size_t size = 1;

    while (size < n)
        size *= 2;
    if (!(z = calloc(size, sizeof *z)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the spectrum of %zu samples", n);
    join(n, target, measured, z);
    yk_fourier(size, z);
    for (size_t k = 1; k < size / 2; k++) {
        const double complex x = 0.5 * (z[k] + conj(z[size - k])), y = -0.5 * I * (z[k] - conj(z[size - k]));
        const double weight = creal(x * conj(x));

        power += weight;
        moment += weight * (double)k / ((double)size * dt);
        index += y * conj(x); /* (y/x) |x|^2 */
    }
    free(z);
    out->frequency_Hz = moment / power;
    out->amplitude = cabs(index) / power;
    out->delay_s = -carg(index) / (2 * M_PI * out->frequency_Hz);
    return YK_OK;
}

/* ---- synchronisation subspace ---- */

/* eq. (13), (14) */
static void synchronise(size_t n, const double *target, const double *measured, struct yk_track *out)
{
    const double x0 = mean(n, target), y0 = mean(n, measured);
    double xx = 0, yy = 0, xy = 0, area = 0;

    for (size_t i = 0; i < n; i++) {
        const double x = target[i] - x0, y = measured[i] - y0;

        xx += x * x;
        yy += y * y;
        xy += x * y;
        if (i + 1 < n)
            area += 0.5 * (x * (measured[i + 1] - y0) - y * (target[i + 1] - x0));
    }
    out->sync_amplitude = sqrt(yy / xx);
    out->sync_phase_rad = xx * yy > 0 ? copysign(acos(fmax(fmin(xy / sqrt(xx * yy), 1), -1)), area) : NAN;
    out->sync_area_m2 = area;
}

enum yk_status yk_track_signals(size_t n, double dt, const double *target, const double *measured, struct yk_track *out,
                                struct yk_err *err)
{
    enum yk_status st;

    if (n < 8 || !(dt > 0))
        return yk_fail(err, YK_E_RANGE, "tracking: %zu samples every %g s are too few", n, dt);
    if ((st = compare_spectra(n, dt, target, measured, out, err)))
        return st;
    synchronise(n, target, measured, out);
    return YK_OK;
}

/* ---- recordings ---- */

enum yk_status yk_take_channel(struct yk_recording *r, int stream, const char *actuator, const char *what,
                               double **values, struct yk_err *err)
{
    const uint64_t rows = yk_recording_rows(r, stream);
    const size_t width = yk_recording_channels(r, stream);
    char name[YK_CHANNEL_NAME];
    double *block = malloc(BLOCK_ROWS * width * sizeof *block);
    enum yk_status st = YK_OK;
    int at = -1;

    snprintf(name, sizeof name, "%s%s", actuator, what);
    if (!block || !(*values = malloc((rows + 1) * sizeof **values)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for %llu samples", (unsigned long long)rows);
    else if ((at = yk_recording_find(r, stream, name)) < 0)
        st = yk_fail(err, YK_E_INPUT, "the recording has no channel %s", name);
    for (uint64_t first = 0; first < rows && !st; first += BLOCK_ROWS) {
        const uint64_t count = rows - first < BLOCK_ROWS ? rows - first : BLOCK_ROWS;

        st = yk_recording_read(r, stream, first, count, block, err);
        for (uint64_t i = 0; i < count && !st; i++)
            (*values)[first + i] = block[i * width + (size_t)at];
    }
    free(block);
    return st;
}

const char *yk_tracked_channel(const struct yk_recording *r, int stream, const char *actuator)
{
    char name[YK_CHANNEL_NAME];

    snprintf(name, sizeof name, "%s.tracked", actuator);
    if (yk_recording_find(r, stream, name) >= 0)
        return ".tracked";
    snprintf(name, sizeof name, "%s.target", actuator);
    const int at = yk_recording_find(r, stream, name);

    return at >= 0 && *yk_recording_channel(r, stream, (size_t)at)->unit == 'N' ? ".force" : ".displacement";
}

enum yk_status yk_track_recording(struct yk_recording *recording, const char *actuator, struct yk_track *out,
                                  struct yk_err *err)
{
    const int stream = yk_recording_stream(recording, "system");
    double *time = NULL, *target = NULL, *measured = NULL;
    enum yk_status st;

    if (stream < 0)
        return yk_fail(err, YK_E_INPUT, "the recording has no system steps: no method led this run");
    const uint64_t rows = yk_recording_rows(recording, stream);

    if (!(st = yk_take_channel(recording, stream, "", "time", &time, err)) &&
        !(st = yk_take_channel(recording, stream, actuator, ".target", &target, err)) &&
        !(st = yk_take_channel(recording, stream, actuator, yk_tracked_channel(recording, stream, actuator), &measured,
                               err)))
        st = yk_track_signals(rows, rows > 1 ? (time[rows - 1] - time[0]) / (double)(rows - 1) : 0, target, measured,
                              out, err);
    free(time);
    free(target);
    free(measured);
    return st;
}
