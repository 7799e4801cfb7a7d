/* Spectra of a record: one transform of the whole where it begins and ends at rest, else Welch's mean over blocks of
 * 4 s. docs/theory/control.md, eq. (77). */
#include <yoke/measured.h>

#include <yoke/fourier.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REST    0.02 /* of the largest motion: less is rest */
#define PADDING 2.0  /* [s] of zeros behind a record */
#define BLOCK   4.0  /* [s] of Welch's blocks */

enum { LARGEST = 1 << 22 }; /* longest transform; longer records are taken in blocks */

static size_t rows_in(const struct yk_actuator_record *r, double seconds)
{
    const double rows = floor(seconds / r->step_s + 0.5);

    return rows < 1 ? 1 : rows > (double)r->n ? r->n : (size_t)rows;
}

static double mean(const double *x, size_t n)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += x[k];
    return sum / (double)n;
}

/* Farthest from `zero`. */
static double farthest(const double *x, size_t n, double zero)
{
    double most = 0;

    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(x[k] - zero));
    return most;
}

/* In the mean of squares, since the peaks of noise are no motion. */
static bool is_still(const double *x, size_t n, double zero, double reach)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += (x[k] - zero) * (x[k] - zero);
    return sqrt(sum / (double)n) < REST * reach;
}

double yk_record_rest(const struct yk_actuator_record *record, const double *x)
{
    const size_t second = rows_in(record, 1), half = rows_in(record, 0.5);
    const double zero = mean(x, half), reach = farthest(x, record->n, zero);

    if (is_still(x, second, mean(x, second), reach))
        return mean(x, second);
    return is_still(x, half, zero, reach) ? zero : x[0];
}

static bool rests(const struct yk_actuator_record *r)
{
    const size_t half = rows_in(r, 0.5);
    const double zero = yk_record_rest(r, r->command), reach = farthest(r->command, r->n, zero);

    return is_still(r->command, half, zero, reach) && is_still(r->command + r->n - half, half, zero, reach);
}

static size_t power_of_two(size_t n)
{
    size_t power = 64;

    while (power < n)
        power *= 2;
    return power;
}

/* Adds the spectra of two real columns, transformed as one complex one. */
static void add(struct yk_spectra *s, size_t n, double complex *z, double scale)
{
    yk_fourier(n, z);
    for (size_t k = 0; k < s->bins; k++) {
        const double complex here = z[k], there = conj(z[(n - k) % n]);
        const double complex U = 0.5 * (here + there), Y = -0.5 * I * (here - there);

        s->uu[k] += scale * (creal(U) * creal(U) + cimag(U) * cimag(U));
        s->yy[k] += scale * (creal(Y) * creal(Y) + cimag(Y) * cimag(Y));
        s->uy[k] += scale * conj(U) * Y;
    }
}

static enum yk_status make_room(struct yk_spectra *s, size_t n, double step_s, double complex **z, struct yk_err *err)
{
    *s = (struct yk_spectra){.bins = n / 2, .df_Hz = 1 / ((double)n * step_s)};
    s->uu = calloc(s->bins, sizeof *s->uu);
    s->yy = calloc(s->bins, sizeof *s->yy);
    s->uy = calloc(s->bins, sizeof *s->uy);
    *z = calloc(n, sizeof **z);
    return s->uu && s->yy && s->uy && *z ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a spectrum");
}

static void whole(struct yk_spectra *s, const struct yk_actuator_record *r, size_t n, double complex *z)
{
    const double u0 = yk_record_rest(r, r->command), y0 = yk_record_rest(r, r->motion);

    for (size_t k = 0; k < r->n; k++)
        z[k] = r->command[k] - u0 + I * (r->motion[k] - y0);
    add(s, n, z, r->step_s * r->step_s);
}

/* The slope of the straight line through a block; *level is its value in the middle. */
static double trend(const double *x, size_t n, double *level)
{
    double sum = 0, square = 0;

    *level = mean(x, n);
    for (size_t k = 0; k < n; k++) {
        const double at = (double)k - 0.5 * (double)(n - 1);

        sum += at * x[k];
        square += at * at;
    }
    return square > 0 ? sum / square : 0;
}

static void welch(struct yk_spectra *s, const struct yk_actuator_record *r, size_t n, size_t block, double complex *z)
{
    for (size_t first = 0; first + block <= r->n; first += block / 2) {
        double u0, y0;
        const double du = trend(r->command + first, block, &u0), dy = trend(r->motion + first, block, &y0);

        memset(z, 0, n * sizeof *z);
        for (size_t k = 0; k < block; k++) {
            const double at = (double)k - 0.5 * (double)(block - 1),
                         w = 0.5 - 0.5 * cos(2 * M_PI * ((double)k + 0.5) / (double)block);

            z[k] = w * (r->command[first + k] - u0 - du * at + I * (r->motion[first + k] - y0 - dy * at));
        }
        add(s, n, z, r->step_s * r->step_s / 0.75); /* half overlap, and the window keeps 3/8 of the energy */
    }
}

enum yk_status yk_spectra_make(struct yk_spectra *s, const struct yk_actuator_record *record, struct yk_err *err)
{
    const size_t padding = (size_t)(PADDING / record->step_s), block = rows_in(record, BLOCK);
    const bool one = record->n + padding <= LARGEST && rests(record);
    const size_t n = power_of_two(one ? record->n + padding : block);
    double complex *z = NULL;
    enum yk_status st;

    if (n > LARGEST)
        return yk_fail(err, YK_E_RANGE, "%s: a step of %g s is too short for a spectrum", record->name, record->step_s);
    if (!(st = make_room(s, n, record->step_s, &z, err))) {
        if (one)
            whole(s, record, n, z);
        else
            welch(s, record, n, block, z);
    }
    free(z);
    if (st)
        yk_spectra_free(s);
    return st;
}

void yk_spectra_free(struct yk_spectra *s)
{
    free(s->uu);
    free(s->yy);
    free(s->uy);
    *s = (struct yk_spectra){0};
}

size_t yk_spectra_bin(const struct yk_spectra *s, double frequency_Hz)
{
    const double bin = ceil(frequency_Hz / s->df_Hz - 1e-9);

    return bin < 1 ? 1 : bin > (double)s->bins ? s->bins : (size_t)bin;
}
