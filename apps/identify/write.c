/* Files of `yoke identify --csv`: sections of an experiment, points of the response, residual. */
#include "identify.h"

#include <yoke/file.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 400 };

/* ---- sections ---- */

static void write_head(const struct job *j, FILE *out)
{
    const struct recording *f = &j->file[0];

    fprintf(out, "# yoke identify --csv %s (sha256 %.16s...), %zu rows at %.6g Hz, %.3g .. %.3g Hz\n", f->name,
            f->log.sha256, f->log.rows, 1 / f->log.step_s, j->found.from_Hz, j->found.to_Hz);
    for (size_t i = 1; i < j->files; i++)
        fprintf(out, "# %s %s (sha256 %.16s...)\n", i < j->fitted ? "and" : "held out:", j->file[i].name,
                j->file[i].log.sha256);
    fprintf(out, "# NRMS held out %.2f %%%s (noise at rest %.2f %%), training %.2f %% (noise at rest %.2f %%)\n",
            100 * j->found.held_nrms, j->found.by_third ? ", last third" : "", 100 * j->held_floor, 100 * j->found.nrms,
            100 * j->fitted_floor);
}

/* x' = A x + B u in the companion form, in a unit of time that keeps the numbers small. */
static void write_state_space(const struct yk_rational *m, FILE *out)
{
    const int n = m->poles;
    const double unit = pow(m->a[n], 1.0 / n), last = m->a[n] / pow(unit, n);
    const double D = m->zeros == n ? m->gain * m->b[n] / m->a[n] : 0;

    fprintf(out, "plant:\n  kind: state-space\n  dead_time: %.9g s\n  A: [", m->dead_time_s);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            fprintf(out, "%s%.12g", i + k ? ", " : "",
                    i + 1 < n ? (k == i + 1 ? 1 / unit : 0) : -m->a[k] / pow(unit, k) / last / unit);
    fprintf(out, "]\n  B: [");
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%.12g", i ? ", " : "", i + 1 < n ? 0 : 1 / last / unit);
    fprintf(out, "]\n  C: [");
    for (int k = 0; k < n; k++)
        fprintf(out, "%s%.12g", k ? ", " : "",
                (k <= m->zeros ? m->gain * m->b[k] / pow(unit, k) : 0) - D * m->a[k] / pow(unit, k));
    fprintf(out, "]\n");
}

static void write_lag(const struct yk_rational *m, const char *actuator, FILE *out)
{
    fprintf(out, "plant: { kind: first-order, gain: %.5f, time_constant: %.4f ms, dead_time: %.4f ms%s", m->gain,
            1e3 * m->a[1], 1e3 * m->dead_time_s, m->lead != 0 ? "" : " }\n");
    if (m->lead != 0)
        fprintf(out, ", lead: %.4f }\n", m->lead);
    fprintf(out,
            "transfer:\n  %s: { compensator: { kind: model-inverse, model: first, gain: %.5f, time_constant: %.4f ms, "
            "delay: %.4f ms } } "
            "# delay: time constant + dead time\n",
            actuator, m->gain, 1e3 * m->a[1], 1e3 * (m->a[1] + m->dead_time_s));
}

static void write_pair(const struct yk_rational *m, const char *actuator, FILE *out)
{
    const double w = 1 / sqrt(m->a[2]), damping = 0.5 * m->a[1] * w;

    fprintf(out, "plant: { kind: servo, gain: %.6g, frequency: %.6g Hz, damping: %.6g, dead_time: %.4f ms }\n", m->gain,
            w / (2 * M_PI), damping, 1e3 * m->dead_time_s);
    fprintf(out,
            "transfer:\n  %s: { compensator: { kind: model-inverse, model: second, gain: %.5f, frequency: %.6g Hz, "
            "damping: %.6g, delay: %.4f ms } }\n",
            actuator, m->gain, w / (2 * M_PI), damping, 1e3 * (m->a[1] + m->dead_time_s));
}

static void write_sensors(const struct recording *f, FILE *out)
{
    const char *comma = "";

    if (!isfinite(f->motion.noise) && f->motion.quantum == 0)
        return;
    fprintf(out, "sensors: {");
    if (isfinite(f->motion.noise))
        fprintf(out, " displacement_noise: %.4g um", 1e6 * f->motion.noise), comma = ",";
    if (f->motion.quantum > 0)
        fprintf(out, "%s displacement_quantum: %.4g um", comma, 1e6 * f->motion.quantum), comma = ",";
    if (f->log.column[FORCE].x && isfinite(f->force.noise))
        fprintf(out, "%s force_noise: %.4g N", comma, f->force.noise), comma = ",";
    if (f->log.column[FORCE].x && f->force.quantum > 0)
        fprintf(out, "%s force_quantum: %.4g N", comma, f->force.quantum);
    fprintf(out, " }\n");
}

static bool write_sections(FILE *out, const void *self)
{
    const struct job *j = self;
    const struct yk_rational *m = &j->found.model;
    const char *actuator = j->words->actuator;

    write_head(j, out);
    if (m->poles == 1 && m->zeros == 0)
        write_lag(m, actuator, out);
    else if (m->poles == 2 && m->zeros == 0)
        write_pair(m, actuator, out);
    else
        write_state_space(m, out);
    if (m->zeros > 0 || m->poles > 2)
        fprintf(out,
                "transfer:\n  %s: { compensator: { kind: lagrange, order: 3, delay: %.4f ms } } # at low frequency\n",
                actuator, 1e3 * identify_delay(j, j->found.from_Hz));
    write_sensors(&j->file[0], out);
    return !ferror(out);
}

/* ---- tables ---- */

static bool write_response(FILE *out, const void *self)
{
    const struct job *j = self;
    const double half = 0.5 * (j->found.to_Hz - j->found.from_Hz) / FINE;
    struct yk_frequency_point *p = calloc(FINE, sizeof *p);
    double f[FINE];

    for (size_t i = 0; i < FINE; i++)
        f[i] = j->found.from_Hz + half * (double)(2 * i + 1);
    if (!p || yk_frequency_points_of(j->record, j->file[0].count, fmax(half, 0.05), f, FINE, p, NULL)) {
        free(p);
        return false;
    }
    fprintf(out, "frequency [Hz],real,imaginary,weight,coherence\n");
    for (size_t i = 0; i < FINE; i++)
        if (p[i].power > 0)
            fprintf(out, "%.9g,%.9g,%.9g,%.6g,%.6g\n", f[i], creal(p[i].H), cimag(p[i].H), p[i].power, p[i].coherence);
    free(p);
    return !ferror(out);
}

static bool write_residual(FILE *out, const void *self)
{
    const struct job *j = self;
    const struct yk_actuator_record *r = j->record;
    double *e = malloc(r->n * sizeof *e);
    struct yk_fit_quality q;

    if (!e || yk_model_quality(&j->found.model, r, &q, e, NULL)) {
        free(e);
        return false;
    }
    fprintf(out, "time [s],residual [m],displacement [m]\n");
    for (size_t k = 0; k < r->n; k++)
        fprintf(out, "%.9g,%.6g,%.9g\n", (double)k * r->step_s, e[k], r->motion[k]);
    free(e);
    return !ferror(out);
}

static int write_one(const struct job *j, const char *path, const char *what,
                     bool (*write)(FILE *out, const void *self))
{
    if (!path)
        return 0;
    if (!yk_file_replace(path, write, j)) {
        fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
        return 1;
    }
    if (!j->words->json)
        printf("%s: %s\n", what, path);
    return 0;
}

int identify_write(const struct job *j)
{
    const struct measured_words *w = j->words;

    if (!w->json && (w->out || w->of.frf || w->of.residual))
        printf("\n");
    if (write_one(j, w->out, "sections plant, sensors and transfer", write_sections) ||
        write_one(j, w->of.frf, "frequency response", write_response))
        return 1;
    return write_one(j, w->of.residual, "residual", write_residual);
}
