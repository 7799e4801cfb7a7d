/* yoke check: reads an experiment file, explains what would run, and predicts stability. */
#include "cli/model.h"

#include <yoke/analyze.h>
#include <yoke/clock.h>
#include <yoke/engine.h>

#include <math.h>
#include <stdlib.h>

enum { MOST_FREQUENCIES = 10 }; /* enough to tell the rigid-body modes of a part, too */

struct findings {
    struct yk_stability stability;
    size_t frequency_count;
    double frequency_Hz[MOST_FREQUENCIES];
    double step_cost_s, duration_s;
    bool hybrid;
    struct yk_margin margin;
    struct yk_inspection *parts; /* of each substructure */
};

/* Natural frequencies of the (linearised) structure; none where its stiffness is not symmetric. */
static void find_frequencies(const struct yk_experiment *e, struct findings *f)
{
    const struct yk_system *s = e->assembly.system;
    double w2[MOST_FREQUENCIES];
    size_t i, j, count = s && s->n < MOST_FREQUENCIES ? s->n : MOST_FREQUENCIES;

    if (e->assembly.borrowed) { /* one substructure by itself: its modes are known */
        f->frequency_count = f->parts[0].modes;
        for (i = 0; i < f->frequency_count; i++)
            f->frequency_Hz[i] = isfinite(f->parts[0].frequency_Hz[i]) ? f->parts[0].frequency_Hz[i] : 0;
        return;
    }
    if (!s || yk_matrix_asymmetry(&s->K, &i, &j) > 1e-6 || yk_eigen_symmetric(&s->K, &s->M, count, w2, NULL, NULL))
        return;
    for (i = 0; i < count; i++)
        f->frequency_Hz[i] = sqrt(fmax(w2[i], 0)) / (2 * M_PI);
    f->frequency_count = count;
}

/* What the matrices of each substructure say. */
static enum yk_status inspect_parts(const struct yk_experiment *e, struct findings *f, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if (!(f->parts = calloc(e->substructure_count, sizeof *f->parts)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < e->substructure_count && !st; k++)
        st = yk_inspect(&f->parts[k], &e->substructures[k], MOST_FREQUENCIES, err);
    return st;
}

static void free_parts(const struct yk_experiment *e, struct findings *f)
{
    for (size_t k = 0; f->parts && k < e->substructure_count; k++)
        yk_inspection_free(&f->parts[k]);
    free(f->parts);
}

/* Median cost of a step on this machine, from a short trial. */
static enum yk_status find_cost(const struct yk_experiment *e, struct findings *f, struct yk_err *err)
{
    struct yk_timing timing = {0};
    struct yk_motion m;
    enum yk_status st = yk_motion_open(&m, e, 0, 1, err);

    if (st)
        return st;
    yk_motion_start(&m);
    for (int i = 0; i < 1000; i++) {
        const int64_t begin = yk_clock_now_ns();

        if (yk_motion_step(&m))
            break;
        yk_timing_add(&timing, yk_clock_now_ns() - begin);
    }
    f->step_cost_s = yk_timing_percentile(&timing, 0.5);
    yk_motion_close(&m);
    return YK_OK;
}

/* Free degrees of freedom of the untorn structure; all of them where it cannot be put together. */
static size_t free_dofs(const struct yk_experiment *e)
{
    size_t n = 0;

    for (size_t k = 0; k < e->substructure_count; k++)
        n += e->substructures[k].system->n;
    return e->assembly.system ? e->assembly.system->n : n - e->row_count;
}

static bool is_linear(const struct yk_experiment *e)
{
    for (size_t k = 0; k < e->substructure_count; k++)
        if (!e->substructures[k].system->linear)
            return false;
    return true;
}

/* Would the run be wrong? Where delay changes the damping by more than a fifth, the response is off by as much; unless
 * there is so little of it that an amplitude changes by less than 2 % until the end. */
static bool loop_is_wrong(const struct findings *f)
{
    const double change = fabs(f->margin.decay - f->margin.decay_model);

    return f->hybrid &&
           (!f->margin.stable || (change > 0.2 * fabs(f->margin.decay_model) && change * f->duration_s > 0.02));
}

static void print_loop(const struct findings *f)
{
    if (!f->hybrid)
        return;
    if (!f->margin.stable)
        printf("  hybrid loop   UNSTABLE: free vibration grows; compensate more of the delay\n");
    else if (isfinite(f->margin.margin_s))
        printf("  hybrid loop   stable; it tolerates %s%.3g ms more delay\n", f->margin.brief ? "about " : "",
               1e3 * f->margin.margin_s);
    else
        printf("  hybrid loop   stable; it tolerates more than %g ms of delay\n", 1e3 * f->margin.longest_s);
    if (f->margin.brief)
        printf("                from a short free vibration; `yoke analyze margin` takes its time\n");
    if (loop_is_wrong(f))
        printf("                WRONG: its motions decay with %.3g 1/s instead of %.3g 1/s; the response will be off "
               "by far\n",
               f->margin.decay, f->margin.decay_model);
}

static bool is_idle(const struct yk_experiment *e, size_t i)
{
    return yk_station_compensated(e->station, i).idle;
}

static void print_idle(const struct yk_experiment *e)
{
    for (size_t i = 0; i < yk_station_count(e->station); i++)
        if (is_idle(e, i))
            printf("  note          the compensator of %s has no delay to compensate, given or estimated: it commands "
                   "what is wanted\n",
                   yk_station_name(e->station, i));
}

static json_t *idle_json(const struct yk_experiment *e)
{
    json_t *names = json_array();

    for (size_t i = 0; i < yk_station_count(e->station); i++)
        if (is_idle(e, i))
            json_array_append_new(names, json_string(yk_station_name(e->station, i)));
    return names;
}

static json_t *loop_json(const struct findings *f)
{
    if (!f->hybrid)
        return json_null();
    return json_pack("{s:b, s:b, s:o, s:o, s:o}", "stable", f->margin.stable, "wrong", loop_is_wrong(f), "margin_s",
                     f->margin.stable ? json_number(f->margin.margin_s) : json_real(0), "decay_per_s",
                     json_number(f->margin.decay), "decay_model_per_s", json_number(f->margin.decay_model));
}

static json_t *to_json(const struct yk_experiment *e, const struct findings *f, const char *method)
{
    json_t *frequencies = json_array(), *parts = json_array();

    for (size_t i = 0; i < f->frequency_count; i++)
        json_array_append_new(frequencies, json_number(f->frequency_Hz[i]));
    for (size_t k = 0; k < e->substructure_count; k++)
        json_array_append_new(parts, inspection_json(&e->substructures[k], &f->parts[k]));
    return json_pack("{s:s, s:s, s:I, s:f, s:I, s:b, s:o, s:o, s:{s:b, s:o, s:o}, s:o, s:o, s:o}", "title", e->title,
                     "method", method, "steps", (json_int_t)e->steps, "step_s", e->time.step, "dofs",
                     (json_int_t)free_dofs(e), "linear", is_linear(e), "substructures", parts, "frequencies_Hz",
                     frequencies, "stability", "stable", f->stability.stable, "radius",
                     json_number(f->stability.radius), "limit_s", json_number(f->stability.limit_s), "step_cost_s",
                     json_number(f->step_cost_s), "hybrid_loop", loop_json(f), "idle_compensators", idle_json(e));
}

/* ", 3562 kg" or ", x 3562 kg, y 2616 kg", and what moves without stiffness. */
static void print_part(const struct yk_inspection *x)
{
    const double *mass = x->mass_kg;
    double all = NAN;
    bool same = true;

    for (int a = 0; a < YK_AXES; a++)
        if (isfinite(mass[a])) {
            same &= !isfinite(all) || fabs(mass[a] - all) <= 1e-9 * fabs(all);
            all = mass[a];
        }
    if (same && all > 0)
        printf(", %.4g kg", all);
    for (int a = 0; a < YK_AXES && !same; a++)
        if (isfinite(mass[a]))
            printf(", %c %.4g kg", "xyz"[a], mass[a]);
    if (x->rigid)
        printf(", %zu rigid-body mode%s", x->rigid, x->rigid == 1 ? "" : "s");
    if (x->negative)
        printf(", NEGATIVE stiffness");
}

static void print_findings(const struct yk_experiment *e, const struct findings *f, const char *method)
{
    printf("%s\n", e->title);
    printf("  method        %s\n", method);
    printf("  time          %ld steps of %g s to %g s", e->steps, e->time.step, e->time.end);
    if (e->coupling)
        printf(", %d fine step%s in each", e->time.substeps, e->time.substeps == 1 ? "" : "s");
    putchar('\n');
    for (size_t k = 0; k < e->substructure_count; k++) {
        printf("  %s %s: %zu degree%s of freedom, %s%s", k ? "             " : "substructures",
               e->substructures[k].name, e->substructures[k].system->n, e->substructures[k].system->n == 1 ? "" : "s",
               yk_is_physical(e->substructures[k].system) ? "a specimen"
               : e->substructures[k].system->linear       ? "linear"
                                                          : "nonlinear",
               !e->coupling ? ""
               : e->fine[k] ? ", fine"
                            : ", coarse");
        print_part(&f->parts[k]);
        putchar('\n');
    }
    printf("  structure     %zu free degree%s of freedom, %zu interface row%s, %zu load%s\n", free_dofs(e),
           free_dofs(e) == 1 ? "" : "s", e->row_count, e->row_count == 1 ? "" : "s", e->load_count,
           e->load_count == 1 ? "" : "s");
    if (f->frequency_count) {
        printf("  frequencies  ");
        for (size_t i = 0; i < f->frequency_count; i++)
            printf(" %.4g", f->frequency_Hz[i]);
        printf(" Hz%s\n", is_linear(e) ? "" : " (initial tangent)");
    }
    if (f->stability.undecided)
        printf("  stability     NOT KNOWN: the coupling is too large to predict it\n");
    else if (isnan(f->stability.radius))
        printf("  stability     %s is judged with its specimen: see the hybrid loop\n", yk_experiment_method(e));
    else if (f->stability.stable)
        printf("  stability     the step is stable (spectral radius %.9g)\n", f->stability.radius);
    else if (isnan(f->stability.limit_s))
        printf("  stability     UNSTABLE: spectral radius %.6g; its limit would take too long to find\n",
               f->stability.radius);
    else if (f->stability.limit_s > 0)
        printf("  stability     UNSTABLE: spectral radius %.6g; the limit is a step of %.6g s\n", f->stability.radius,
               f->stability.limit_s);
    else
        printf("  stability     UNSTABLE: spectral radius %.6g, and no step is short enough\n", f->stability.radius);
    print_loop(f);
    print_idle(e);
    printf("  cost          %.3g us per step here, %.3g %% of %s\n", 1e6 * f->step_cost_s,
           100 * f->step_cost_s / (e->time.step * e->time.scale),
           e->time.scale == 1 ? "real time" : "its time in a paced run");
}

static int run(int argc, char **argv)
{
    struct text_list set = {0};
    bool json = false;
    const struct option_spec specs[] = {{"--set", OPTION_LIST, &set}, {"--json", OPTION_FLAG, &json}, {0}};
    struct findings f = {0};
    struct yk_experiment *e;
    struct yk_err err = {0};
    struct words words;
    char *method;
    int code;

    if (!take_options(&command_check, argc, argv, specs, &words))
        return 2;
    if (!(e = rehearse_experiment(&command_check, &words, &set, &code)))
        return code;
    f.hybrid = yk_experiment_is_hybrid(e);
    f.duration_s = e->time.end;
    method = yk_method_text(e);
    if (!method || inspect_parts(e, &f, &err) || yk_check_stability(e, &f.stability, &err) || find_cost(e, &f, &err) ||
        (f.hybrid && yk_hybrid_margin(e, YK_MARGIN_CHECK, &f.margin, &err))) {
        code = report_failure(&err);
    } else {
        find_frequencies(e, &f);
        code = f.stability.stable && !loop_is_wrong(&f) ? 0 : 4;
        if (json)
            print_json(to_json(e, &f, method));
        else
            print_findings(e, &f, method);
    }
    free(method);
    free_parts(e, &f);
    yk_experiment_destroy(e);
    return code;
}

const struct command command_check = {
    .name = "check",
    .summary = "read an experiment file, explain it, predict stability and cost",
    .options = "--set --json",
    .help =
        "usage: yoke check FILE [--set KEY=VALUE]... [--json]\n\n"
        "Reads and checks everything without running the experiment: the structure, its natural frequencies, "
        "whether the\n"
        "step is stable for the method (found by driving its real step), and what a step costs on this machine.\n"
        "Exit code 4 when the step, or the loop with a specimen, is unstable or wrong.\n\n"
        "--json: {title, method, steps, step_s, dofs, linear, substructures (as of `yoke model info`), "
        "frequencies_Hz,\n"
        "         stability: {stable, radius, limit_s}, step_cost_s,\n"
        "         hybrid_loop: {stable, wrong, margin_s, decay_per_s, decay_model_per_s} or null, idle_compensators:\n"
        "         of actuators, told of no delay}; limit_s is null when there is none.\n\n"
        "examples:\n"
        "  yoke check examples/oscillator/oscillator.yaml\n"
        "  yoke check frame.yaml --set method.integrator=newmark --set method.beta=0 --json\n",
    .run = run,
};
