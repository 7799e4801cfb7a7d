/* Findings of analyses, as JSON. */
#include "door/answers.h"

#include "analyze/first_mode.h"

#include "base/json.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>

static const char *const axes[YK_AXES] = {"x", "y", "z"};

json_t *yk_json_numbers(int count, const double *x)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, yk_json_number(x[i]));
    return list;
}

/* ---- spectrum ---- */

enum yk_status yk_spectrum_at(const struct yk_model *model, double dt, struct yk_first_mode *mode,
                              struct yk_spectrum_point *p, struct yk_err *err)
{
    struct yk_cycle cycle;
    enum yk_status st;

    if ((st = yk_first_mode_approach(model, dt, mode, err)) || (st = yk_model_cycle(model, dt, &cycle, err)))
        return st;
    p->step = dt;
    p->n = cycle.n;
    p->re = malloc(2 * p->n * sizeof *p->re);
    p->im = p->re ? p->re + p->n : NULL;
    st = p->re ? yk_eigen_general(cycle.n, cycle.A, p->re, p->im, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st)
        st = yk_classify_roots(model, dt * cycle.steps, p->n, p->re, p->im, &p->report, err);
    if (!st && mode->omega > 0) {
        yk_first_mode_follow(p->n, p->re, p->im, dt * cycle.steps, mode);
        p->report.damping = mode->damping;
        p->report.frequency_error = 1 / (1 + mode->period_error) - 1;
    }
    free(cycle.A);
    return st;
}

json_t *yk_spectrum_json(const struct yk_spectrum_point *p, bool scanned)
{
    json_t *values = json_array(), *point;

    for (size_t i = 0; i < p->n; i++)
        json_array_append_new(values, json_pack("[f, f]", p->re[i], p->im[i]));
    point = json_pack("{s:f, s:f, s:o, s:{s:i, s:i, s:i, s:i}, s:{s:o, s:o}}", "step", p->step, "radius",
                      hypot(p->re[0], p->im[0]), "eigenvalues", values, "counts", "principal", p->report.principal,
                      "spurious", p->report.spurious, "unit", p->report.unit, "zero", p->report.zero, "principal",
                      "damping", yk_json_number(p->report.damping), "frequency_error",
                      yk_json_number(p->report.frequency_error));
    if (scanned)
        json_object_set_new(point, "value", json_real(p->value));
    return point;
}

/* ---- order, energy, drift ---- */

json_t *yk_order_json(const struct yk_order *o)
{
    return json_pack("{s:o, s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}, s:s}", "steps", yk_json_numbers(o->count, o->step),
                     "errors", "u", yk_json_numbers(o->count, o->error_u), "v", yk_json_numbers(o->count, o->error_v),
                     "lambda", o->coupled ? yk_json_numbers(o->count, o->error_lambda) : json_null(), "order", "u",
                     yk_json_number(o->order_u), "v", yk_json_number(o->order_v), "lambda",
                     o->coupled ? yk_json_number(o->order_lambda) : json_null(), "reference", o->reference);
}

void yk_energy_extremes(size_t count, const struct yk_energy_sample *s, double *largest, double *error)
{
    *largest = *error = 0;
    for (size_t i = 0; i < count; i++) {
        *largest = fmax(*largest, fmax(s[i].kinetic + s[i].stored, fabs(s[i].work)));
        *error = fmax(*error, fabs(s[i].error));
    }
}

json_t *yk_energy_json(size_t count, const struct yk_energy_sample *s)
{
    json_t *list = json_array();
    double largest, error;

    yk_energy_extremes(count, s, &largest, &error);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "time", s[i].t, "kinetic", s[i].kinetic,
                                              "stored", s[i].stored, "dissipated", s[i].dissipated, "work", s[i].work,
                                              "error", s[i].error));
    return json_pack("{s:o, s:f, s:f, s:o}", "samples", list, "largest_J", largest, "error_max_J", error, "ratio_final",
                     yk_json_number((s[count - 1].kinetic + s[count - 1].stored) / (s[0].kinetic + s[0].stored)));
}

struct yk_drift_sample yk_drift_largest(size_t count, const struct yk_drift_sample *s)
{
    struct yk_drift_sample largest = {0};

    for (size_t i = 0; i < count; i++) {
        largest.u = fmax(largest.u, s[i].u);
        largest.v = fmax(largest.v, s[i].v);
        largest.a = fmax(largest.a, s[i].a);
    }
    return largest;
}

json_t *yk_drift_json(size_t count, const struct yk_drift_sample *s)
{
    const struct yk_drift_sample largest = yk_drift_largest(count, s);
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:f, s:o, s:o, s:o, s:o}", "time", s[i].t, "u", yk_json_number(s[i].u),
                                              "v", yk_json_number(s[i].v), "a", yk_json_number(s[i].a),
                                              "interface_work", yk_json_number(s[i].interface_work)));
    return json_pack("{s:o, s:{s:o, s:o, s:o}}", "samples", list, "largest", "u", yk_json_number(largest.u), "v",
                     yk_json_number(largest.v), "a", yk_json_number(largest.a));
}

/* ---- the loop with specimens ---- */

static json_t *margin_json(const struct yk_margin *m)
{
    return m->verdict == YK_LOOP_UNSTABLE ? json_real(0) : yk_json_number(m->margin_s);
}

json_t *yk_robustness_json(const struct yk_robustness *r)
{
    static const char *const names[] = {[YK_SOFTER] = "specimen_softer_s",
                                        [YK_STIFFER] = "specimen_stiffer_s",
                                        [YK_SLOWER] = "actuators_slower_s",
                                        [YK_FASTER] = "actuators_faster_s"};
    json_t *all = json_object();

    for (int k = 0; k < YK_VARIATIONS; k++)
        if (r->of[k].verdict == YK_LOOP_UNSTABLE || (r->of[k].verdict == YK_LOOP_STABLE && r->of[k].complete))
            json_object_set_new(all, names[k], margin_json(&r->of[k]));
    if (r->gain_complete)
        json_object_set_new(all, "gain", yk_json_number(r->gain_growth < INFINITY ? r->gain : (double)INFINITY));
    return all;
}

json_t *yk_margin_json(const struct yk_margin *m, const struct yk_margin *simulated, const struct yk_robustness *r)
{
    static const char *const verdicts[] = {
        [YK_LOOP_UNDECIDED] = "undecided", [YK_LOOP_STABLE] = "stable", [YK_LOOP_UNSTABLE] = "unstable"};

    return json_pack("{s:b, s:o, s:o, s:b, s:o, s:o, s:s, s:b, s:o, s:o, s:I}", "stable", m->stable, "decay_per_s",
                     yk_json_number(m->decay), "decay_model_per_s", yk_json_number(m->decay_model), "by_matrix",
                     m->by_matrix, "margin_s", margin_json(m), "margin_simulated_s", margin_json(simulated), "verdict",
                     verdicts[m->verdict], "margin_complete", m->complete, "growth_s", yk_json_number(m->growth_s),
                     "variations", yk_robustness_json(r), "condensed_modes", (json_int_t)m->modes);
}

json_t *yk_track_json(const struct yk_track *t)
{
    return json_pack("{s:o, s:o, s:o}", "amplitude", yk_json_number(t->amplitude), "delay_s",
                     yk_json_number(t->delay_s), "frequency_Hz", yk_json_number(t->frequency_Hz));
}

static json_t *delay_json(const struct yk_delay_report *r)
{
    const struct yk_track *t = &r->track;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:{s:o, s:o, s:o}}", "command_delay_s",
                     yk_json_number(r->command.delay_s), "command_gain", yk_json_number(r->command.gain),
                     "command_residual", yk_json_number(r->command.residual), "target_delay_s",
                     yk_json_number(r->target.delay_s), "target_gain", yk_json_number(r->target.gain),
                     "target_residual", yk_json_number(r->target.residual), "amplitude", yk_json_number(r->amplitude),
                     "nrms", yk_json_number(r->nrms), r->turns ? "peak_rad" : "peak_m", r->peak, "frequency_domain",
                     yk_track_json(t), "synchronisation", "amplitude", yk_json_number(t->sync_amplitude), "phase_rad",
                     yk_json_number(t->sync_phase_rad), r->turns ? "area_rad2" : "area_m2",
                     yk_json_number(t->sync_area_m2));
}

json_t *yk_delays_json(size_t count, const struct yk_delay_report *r)
{
    json_t *all = json_object();

    for (size_t i = 0; i < count; i++)
        json_object_set_new(all, r[i].actuator, delay_json(&r[i]));
    return json_pack("{s:o}", "actuators", all);
}

json_t *yk_frf_json(const char *name, double amplitude, size_t n, const struct yk_response_point *p)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++) {
        const struct yk_response *r = &p[i].response;

        json_array_append_new(
            list, *p[i].missing ? json_pack("{s:f, s:f, s:s}", "frequency_Hz", r->frequency_Hz, "amplitude_m",
                                            p[i].amplitude_m, "missing", p[i].missing)
                                : json_pack("{s:f, s:f, s:o, s:o, s:o, s:o}", "frequency_Hz", r->frequency_Hz,
                                            "amplitude_m", p[i].amplitude_m, "magnitude", yk_json_number(r->magnitude),
                                            "phase_rad", yk_json_number(r->phase_rad), "delay_s",
                                            yk_json_number(r->delay_s), "other", yk_json_number(p[i].other)));
    }
    return json_pack("{s:s, s:f, s:o}", "actuator", name, "amplitude_m", amplitude, "points", list);
}

/* Is there a point at all? Otherwise the reason of the first is the failure. */
bool yk_frf_any(size_t n, const struct yk_response_point *p, struct yk_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!*p[i].missing)
            return true;
    yk_fail(err, YK_E_RANGE, "%s", p->missing);
    return false;
}

/* ---- models ---- */

json_t *yk_inspection_json(const struct yk_substructure *s, const struct yk_inspection *x)
{
    json_t *mass = json_object(), *modes = json_array();

    for (int a = 0; a < YK_AXES; a++)
        json_object_set_new(mass, axes[a], yk_json_number(x->mass_kg[a]));
    for (size_t k = 0; k < x->modes; k++)
        json_array_append_new(modes, json_pack("{s:o, s:b, s:s}", "frequency_Hz", yk_json_number(x->frequency_Hz[k]),
                                               "rigid", k < x->rigid, "largest", s->dofs[x->largest[k]]));
    return json_pack("{s:s, s:I, s:I, s:b, s:o, s:f, s:f, s:b, s:o, s:o, s:o}", "name", s->name, "dofs",
                     (json_int_t)x->n, "nodes", (json_int_t)x->nodes, "linear", s->system->linear, "mass_kg", mass,
                     "asymmetry_mass", x->asymmetry_mass, "asymmetry_stiffness", x->asymmetry_stiffness,
                     "mass_definite", x->mass_definite, "rigid_modes",
                     x->modes ? json_integer((json_int_t)x->rigid) : json_null(), "negative_modes",
                     x->modes ? json_integer((json_int_t)x->negative) : json_null(), "modes", modes);
}
