/* Output of `yoke identify --csv`: text and JSON. */
#include "identify.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define FAR_ABOVE 2.0 /* held-out NRMS over its floor: the model leaves something */

static bool is_lag(const struct yk_rational *m)
{
    return m->poles == 1 && m->zeros == 0;
}

static void print_held(const struct job *j)
{
    const struct yk_actuator_found *f = &j->found;

    printf("held out: NRMS %.2f %%", 100 * f->held_nrms);
    if (isfinite(j->held_floor))
        printf(", %.2f times the noise at rest (%.2f %%)", f->held_nrms / j->held_floor, 100 * j->held_floor);
    if (f->by_third)
        printf(", last third of the record\n  the motion in it is %.2f of that of the record: NRMS %.2f %% of its own, "
               "noise %.2f %%\n",
               f->held_share, 100 * f->held_nrms / f->held_share, 100 * j->held_floor / f->held_share);
    else
        for (size_t i = j->fitted; i < j->files; i++)
            printf(", %s%s", j->file[i].name, i + 1 < j->files ? "" : "\n");
    printf("training: NRMS %.2f %%, VAF %.5f", 100 * f->nrms, 1 - f->nrms * f->nrms);
    if (isfinite(j->fitted_floor))
        printf(", %.2f times the noise at rest (%.2f %%)", f->nrms / j->fitted_floor, 100 * j->fitted_floor);
    printf("\n");
}

static void print_number(const char *name, double value, double spread, const char *unit)
{
    if (isfinite(spread))
        printf("  %-14s %10.4f +- %.2g%s\n", name, value, spread, unit);
    else
        printf("  %-14s %10.4f%s\n", name, value, unit);
}

static void print_model(const struct job *j)
{
    const struct yk_rational *m = &j->found.model, *s = &j->found.spread;

    printf("model: %s, from %.3g to %.3g Hz\n", is_lag(m) ? "a lag with dead time" : "rational with dead time",
           j->found.from_Hz, j->found.to_Hz);
    print_number("gain", m->gain, s->gain, "");
    if (is_lag(m))
        print_number("time constant", 1e3 * m->a[1], 1e3 * s->a[1], " ms");
    print_number("dead time", 1e3 * m->dead_time_s, 1e3 * s->dead_time_s, " ms");
    if (is_lag(m) && m->lead != 0)
        print_number("lead", m->lead, s->lead, "");
    for (int k = 1; k <= m->poles && !is_lag(m); k++)
        printf("  denominator s^%d %.6g s^%d\n", k, m->a[k], k);
    for (int k = 1; k <= m->zeros; k++)
        printf("  numerator s^%d   %.6g s^%d\n", k, m->b[k], k);
    printf("  +-: spread when one of eight bands of the sweep is left out%s\n",
           j->fitted_records > 1 ? ", or between the records" : "");
    if (is_lag(m) && m->lead != 0)
        printf("  %.0f %% faster when extending: NRMS %.2f %% against %.2f %% of the linear lag (held out %.2f %% "
               "against %.2f "
               "%%)\n",
               200 * m->lead, 100 * j->found.nrms, 100 * j->found.without_lead, 100 * j->found.held_nrms,
               100 * j->found.held_without_lead);
}

static void print_candidates(const struct job *j)
{
    printf("\npoles zeros   NRMS [%%]  held out [%%]\n");
    for (size_t k = 0; k < j->found.candidates; k++) {
        const struct yk_candidate *c = &j->found.candidate[k];

        printf("%5d %5d %10.3f %13.3f  %s%s\n", c->model.poles, c->model.zeros, 100 * c->nrms, 100 * c->held_nrms,
               k == j->found.chosen ? "chosen: the lowest order within 5 % of the best"
               : *c->struck         ? "struck out: "
                                    : "",
               c->struck);
    }
}

static void print_points(const struct job *j)
{
    printf("\n%8s %8s %12s %12s %12s %10s %15s\n", "[Hz]", "gain", "phase [deg]", "delay [ms]", "group [ms]",
           "coherence", "model [ms]");
    for (size_t i = 0; i < j->points; i++) {
        const struct yk_frequency_point *p = &j->point[i];

        if (p->power > 0)
            printf("%8.3g %8.4f %12.2f %12.2f %12.2f %10.4f %15.2f\n", p->frequency_Hz, cabs(p->H),
                   p->phase_rad * 180 / M_PI, 1e3 * p->delay_s, 1e3 * p->group_s, p->coherence,
                   1e3 * identify_delay(j, p->frequency_Hz));
    }
    if (is_lag(&j->found.model))
        printf("a slow structure feels %.1f ms (time constant + dead time); delay and gain alone fit %s best at %.1f "
               "ms, which is "
               "not its delay at any one frequency\n",
               1e3 * (j->found.model.a[1] + j->found.model.dead_time_s), j->file[0].name, 1e3 * j->file[0].least_delay);
    for (size_t i = 0; i < j->structures; i++)
        printf("structure, %.4g Hz: delay %.2f ms, gain %.4f\n", j->structure_Hz[i],
               1e3 * identify_delay(j, j->structure_Hz[i]), cabs(yk_rational_at(&j->found.model, j->structure_Hz[i])));
}

static void print_column(const char *name, const struct yk_log_quality *q, double scale, const char *unit)
{
    printf("  %-13s %10.4g .. %-10.4g %s, step %.3g, noise at rest %.3g", name, scale * q->min, scale * q->max, unit,
           scale * q->quantum, scale * q->noise);
    if (q->line_Hz > 0)
        printf(", line at %.3g Hz", q->line_Hz);
    printf("\n");
}

static void print_file(const struct recording *f, bool held)
{
    const double together = yk_log_correlation(&f->log, COMMAND, MOTION);

    printf("\n%s%s: %zu rows, %.6g s each, %zu record%s\n", f->name, held ? " (held out)" : "", f->log.rows,
           f->log.step_s, f->count, f->count == 1 ? "" : "s");
    print_column("command", &f->command, 1e3, "mm");
    print_column("displacement", &f->motion, 1e3, "mm");
    if (f->log.column[FORCE].x)
        print_column("force", &f->force, 1, "N");
    if (fabs(together) > 0.5)
        printf("  noise of command and displacement is common to both: correlation %.2f at rest\n", together);
    printf("  model: NRMS %.2f %%, VAF %.5f, offset %.1f um; VAF by band", 100 * f->nrms, f->vaf, 1e6 * f->offset);
    for (int b = 0; b < BANDS; b++)
        if (isfinite(f->bands[b]))
            printf(", %g-%g Hz %.4f", identify_bands[b], identify_bands[b + 1], f->bands[b]);
    printf("\n");
    for (const char *line = f->log.notes ? f->log.notes : ""; *line; line += strcspn(line, "\n"), line += *line == '\n')
        printf("  note: %.*s\n", (int)strcspn(line, "\n"), line);
}

void identify_print(const struct job *j)
{
    print_held(j);
    print_model(j);
    print_candidates(j);
    print_points(j);
    for (size_t i = 0; i < j->files; i++)
        print_file(&j->file[i], i >= j->fitted);
}

/* ---- JSON ---- */

static json_t *numbers(const double *x, int n)
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_array_append_new(list, yk_json_number(x[i]));
    return list;
}

static json_t *model_json(const struct yk_rational *m)
{
    return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "poles", m->poles, "zeros", m->zeros, "gain",
                     yk_json_number(m->gain), "dead_time_s", yk_json_number(m->dead_time_s), "time_constant_s",
                     yk_json_number(m->poles == 1 ? m->a[1] : NAN), "lead", yk_json_number(m->lead), "denominator",
                     numbers(m->a, m->poles + 1), "numerator", numbers(m->b, m->zeros + 1));
}

static json_t *side_json(const struct job *j, size_t from, size_t to, double nrms, double floor, double share)
{
    json_t *files = json_array();

    for (size_t i = from; i < to; i++)
        json_array_append_new(files, yk_json_any(j->file[i].path));
    return json_pack("{s:o, s:o, s:o, s:o}", "files", files, "nrms", yk_json_number(nrms), "floor",
                     yk_json_number(floor), "share", yk_json_number(share));
}

static json_t *candidates_json(const struct job *j)
{
    json_t *list = json_array();

    for (size_t k = 0; k < j->found.candidates; k++) {
        const struct yk_candidate *c = &j->found.candidate[k];

        json_array_append_new(list, json_pack("{s:i, s:i, s:o, s:o, s:s}", "poles", c->model.poles, "zeros",
                                              c->model.zeros, "nrms", yk_json_number(c->nrms), "held_nrms",
                                              yk_json_number(c->held_nrms), "struck", c->struck));
    }
    return list;
}

static json_t *files_json(const struct job *j)
{
    json_t *list = json_array();

    for (size_t i = 0; i < j->files; i++) {
        const struct recording *f = &j->file[i];

        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file", yk_json_any(f->path), "nrms",
                                        yk_json_number(f->nrms), "vaf", yk_json_number(f->vaf), "floor",
                                        yk_json_number(f->floor), "offset_m", yk_json_number(f->offset), "correlation",
                                        yk_json_number(yk_log_correlation(&f->log, COMMAND, MOTION)), "bands",
                                        numbers(f->bands, BANDS)));
    }
    return list;
}

static json_t *points_json(const struct job *j)
{
    json_t *list = json_array();

    for (size_t i = 0; i < j->points; i++) {
        const struct yk_frequency_point *p = &j->point[i];

        if (p->power > 0)
            json_array_append_new(
                list, json_pack("{s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "frequency_Hz", p->frequency_Hz, "gain",
                                yk_json_number(cabs(p->H)), "phase_rad", yk_json_number(p->phase_rad), "delay_s",
                                yk_json_number(p->delay_s), "group_delay_s", yk_json_number(p->group_s), "coherence",
                                yk_json_number(p->coherence), "deviation", yk_json_number(p->deviation),
                                "model_delay_s", yk_json_number(identify_delay(j, p->frequency_Hz))));
    }
    return list;
}

static json_t *structure_json(const struct job *j)
{
    json_t *list = json_array();

    for (size_t i = 0; i < j->structures; i++)
        json_array_append_new(list, json_pack("{s:f, s:f}", "frequency_Hz", j->structure_Hz[i], "delay_s",
                                              identify_delay(j, j->structure_Hz[i])));
    return list;
}

static json_t *sensors_json(const struct recording *f)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "displacement_noise", yk_json_number(f->motion.noise),
                     "displacement_quantum", yk_json_number(f->motion.quantum), "force_noise",
                     yk_json_number(f->log.column[FORCE].x ? f->force.noise : NAN), "force_quantum",
                     yk_json_number(f->log.column[FORCE].x ? f->force.quantum : NAN));
}

struct json_t *identify_json(const struct job *j)
{
    const struct yk_actuator_found *f = &j->found;
    const struct recording *r = &j->file[0];
    json_t *all =
        json_pack("{s:o, s:o, s:o, s:o}", "held_out",
                  side_json(j, j->fitted, j->files, f->held_nrms, j->held_floor, f->held_share), "training",
                  side_json(j, 0, j->fitted, f->nrms, j->fitted_floor, 1), "model", model_json(&f->model), "spread",
                  json_pack("{s:o, s:o, s:o, s:o}", "gain", yk_json_number(f->spread.gain), "time_constant_s",
                            yk_json_number(f->spread.a[1]), "dead_time_s", yk_json_number(f->spread.dead_time_s),
                            "lead", yk_json_number(f->spread.lead)));
    json_object_update_new(all, json_pack("{s:o, s:s, s:I, s:f, s:[f, f]}", "file", yk_json_any(r->path), "sha256",
                                          r->log.sha256, "rows", (json_int_t)r->log.rows, "step_s", r->log.step_s,
                                          "band_Hz", f->from_Hz, f->to_Hz));
    json_object_update_new(
        all, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "candidates", candidates_json(j), "files", files_json(j),
                       "points", points_json(j), "structure", structure_json(j), "sensors", sensors_json(r),
                       "slow_delay_s", yk_json_number(is_lag(&f->model) ? f->model.a[1] + f->model.dead_time_s : NAN),
                       "notes", yk_json_any(r->log.notes)));
    return all;
}
