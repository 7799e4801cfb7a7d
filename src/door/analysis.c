/* Analyses for programs, as numbers. */
#include "analyze/analyze.h"
#include "door/answers.h"
#include "door/parts.h"

/* ---- of the parts ---- */

const struct yk_system *yk_parts_structure(const struct yk_parts *parts)
{
    return parts->model->assembly->system;
}

enum yk_status yk_parts_cycle(const struct yk_parts *parts, double dt, struct yk_cycle *out, struct yk_err *err)
{
    return yk_model_cycle(parts->model, dt, out, err);
}

enum yk_status yk_parts_frequencies(const struct yk_parts *parts, double **omega, size_t *count, struct yk_err *err)
{
    return yk_natural_frequencies(parts->model, omega, count, err);
}

enum yk_status yk_parts_roots(const struct yk_parts *parts, double cycle_s, size_t n, const double *re,
                              const double *im, struct yk_root_report *out, struct yk_err *err)
{
    return yk_classify_roots(parts->model, cycle_s, n, re, im, out, err);
}

enum yk_status yk_parts_order(const struct yk_parts *parts, int halvings, struct yk_order *out, struct yk_err *err)
{
    if (halvings < 0 || halvings > YK_HALVINGS_MAX)
        return yk_fail(err, YK_E_RANGE, "halvings = %d; 0 .. %d are allowed", halvings, YK_HALVINGS_MAX);
    if (parts->model->station && !yk_station_simulates(parts->model->station))
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(parts->model->path),
                          "its runs would move a rig outside this process: read the experiment to rehearse it");
    return yk_observed_order(parts->model, halvings, out, err);
}

enum yk_status yk_parts_spectrum(const struct yk_parts *parts, double dt, struct yk_first_mode *mode,
                                 struct yk_spectrum_point *point, struct yk_err *err)
{
    return yk_spectrum_at(parts->model, dt, mode, point, err);
}

enum yk_status yk_parts_responses(const struct yk_parts *parts, size_t actuator, double amplitude_m, size_t count,
                                  const double *frequency_Hz, struct yk_response_point *points, struct yk_err *err)
{
    struct yk_state moved;
    enum yk_status st;

    if (actuator >= yk_station_count(parts->model->station))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(parts->model->path), "there is no actuator %zu", actuator);
    if (!yk_station_simulates(parts->model->station))
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(parts->model->path),
                          "this would move a rig outside this process: read the experiment to rehearse it");
    if ((st = yk_state_bodies(&moved, parts->model, err)))
        return st;
    st = yk_frequency_points(moved.station, actuator, amplitude_m, count, frequency_Hz, points, err);
    yk_state_close(&moved);
    return st;
}

/* ---- the loop with a specimen ---- */

bool yk_parts_are_hybrid(const struct yk_parts *parts)
{
    return yk_model_is_hybrid(parts->model);
}

void yk_parts_loop_advice(const struct yk_parts *parts, const struct yk_margin *margin, char *text, size_t size)
{
    yk_loop_advice(parts->model, margin, text, size);
}

/* A model without a specimen has no loop to judge. */
static enum yk_status check_hybrid(const struct yk_model *model, struct yk_err *err)
{
    return yk_model_is_hybrid(model) ? YK_OK
                                     : yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                                                  "no substructure is physical, so there is no hybrid loop");
}

enum yk_status yk_model_margin(const struct yk_model *model, int periods, struct yk_margin *out, struct yk_err *err)
{
    const enum yk_status st = check_hybrid(model, err);

    return st ? st : yk_hybrid_margin(model, periods, out, err);
}

enum yk_status yk_model_loop_ports(const struct yk_model *model, const struct yk_model *const *varied, size_t count,
                                   bool known_linear, struct yk_loop_ported *out, struct yk_err *err)
{
    const enum yk_status st = check_hybrid(model, err);

    return st ? st : yk_loop_ports(model, varied, count, known_linear, out, err);
}

enum yk_status yk_model_decay(const struct yk_model *model, double *decay, struct yk_err *err)
{
    const enum yk_status st = check_hybrid(model, err);

    return st ? st : yk_hybrid_decay(model, decay, err);
}
