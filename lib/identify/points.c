/* Frequency response of a record with its coherence. docs/theory/control.md, eq. (77)-(78). */
#include <yoke/measured.h>

#include <math.h>
#include <string.h>

#define FAINT 1e-4 /* of the largest power of the command: less is noise */

enum { ROWS_MOST = 20000000 }; /* beyond, the search would take minutes */

/* Sums over the bins around a frequency. */
struct sums {
    double uu, yy, bins; /* bins: number of independent ones */
    double complex uy;
};

static void add_band(const struct yk_spectra *s, const struct yk_actuator_record *r, double from, double to,
                     struct sums *sums)
{
    const size_t first = yk_spectra_bin(s, from), last = yk_spectra_bin(s, to + 1e-6 * s->df_Hz);

    for (size_t k = first; k < last; k++) {
        sums->uu += s->uu[k] * s->df_Hz;
        sums->yy += s->yy[k] * s->df_Hz;
        sums->uy += s->uy[k] * s->df_Hz;
    }
    if (last > first)
        sums->bins += fmax(1, (to - from) * (double)r->n * r->step_s);
}

static void set_point(struct yk_frequency_point *p, const struct sums *s, double least)
{
    if (!(s->uu > least) || !(s->yy > 0)) {
        p->H = NAN;
        p->coherence = p->deviation = NAN;
        p->power = 0;
        return;
    }
    p->H = s->uy / s->uu;
    p->power = s->uu;
    p->coherence = pow(cabs(s->uy), 2) / (s->uu * s->yy);
    p->deviation = sqrt(fmax(0, 1 - p->coherence) / (2 * s->bins * p->coherence));
}

/* Phase continued from the lowest frequency, and the delays that follow from it. */
static void continue_phase(struct yk_frequency_point *p, size_t count)
{
    const struct yk_frequency_point *before = NULL;

    for (size_t i = 0; i < count; i++) {
        p[i].phase_rad = p[i].delay_s = p[i].group_s = NAN;
        if (!(p[i].power > 0))
            continue;
        p[i].phase_rad = carg(p[i].H);
        if (before)
            p[i].phase_rad += 2 * M_PI * round((before->phase_rad - p[i].phase_rad) / (2 * M_PI));
        p[i].delay_s = -p[i].phase_rad / (2 * M_PI * p[i].frequency_Hz);
        before = &p[i];
    }
    for (size_t i = 1; i + 1 < count; i++)
        if (p[i - 1].power > 0 && p[i + 1].power > 0)
            p[i].group_s = -(p[i + 1].phase_rad - p[i - 1].phase_rad) /
                           (2 * M_PI * (p[i + 1].frequency_Hz - p[i - 1].frequency_Hz));
}

static enum yk_status check(const struct yk_actuator_record *r, struct yk_err *err)
{
    double least = r->n ? r->command[0] : 0, most = least;

    if (r->n < 16 || !(r->step_s > 0))
        return yk_fail(err, YK_E_INPUT, "%s: %zu rows are too few", r->name, r->n);
    if (r->n > ROWS_MOST)
        return yk_fail(err, YK_E_RANGE, "%s: %zu rows in a record; %d at most: cut out the sweep", r->name, r->n,
                       ROWS_MOST);
    for (size_t k = 0; k < r->n; k++) {
        least = fmin(least, r->command[k]);
        most = fmax(most, r->command[k]);
        if (!isfinite(r->command[k]) || !isfinite(r->motion[k]))
            return yk_fail(err, YK_E_INPUT, "%s: row %zu is not finite", r->name, k + 1);
    }
    return most > least
               ? YK_OK
               : yk_fail(err, YK_E_INPUT, "%s: no excitation: the command is %g m all the time", r->name, most);
}

enum yk_status yk_frequency_points_of(const struct yk_actuator_record *records, size_t count, double half_width_Hz,
                                      const double *frequency_Hz, size_t points, struct yk_frequency_point *out,
                                      struct yk_err *err)
{
    double most = 0;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < points; i++)
        out[i] = (struct yk_frequency_point){.frequency_Hz = frequency_Hz[i]};
    for (size_t r = 0; r < count && !st; r++) {
        struct yk_spectra s = {0};

        if ((st = check(&records[r], err)) || (st = yk_spectra_make(&s, &records[r], err)))
            return st;
        for (size_t i = 0; i < points; i++) {
            struct sums sums = {0};

            add_band(&s, &records[r], frequency_Hz[i] - half_width_Hz, frequency_Hz[i] + half_width_Hz, &sums);
            /* collected in the fields of the point until all records are in */
            out[i].power += sums.uu;
            out[i].coherence += sums.yy;
            out[i].deviation += sums.bins;
            out[i].H += sums.uy;
        }
        yk_spectra_free(&s);
    }
    for (size_t i = 0; i < points; i++)
        most = fmax(most, out[i].power);
    for (size_t i = 0; i < points; i++)
        set_point(&out[i], &(struct sums){out[i].power, out[i].coherence, out[i].deviation, out[i].H}, FAINT * most);
    continue_phase(out, points);
    return YK_OK;
}
