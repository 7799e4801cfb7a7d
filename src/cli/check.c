/* yoke check: reads an experiment file, explains what would run, and predicts stability. */
#include "cli/check_compensators.h"
#include "cli/check_loads.h"
#include "cli/loop.h"
#include "cli/model.h"
#include "plan/plan.h"

#include "analyze/analyze.h"
#include "base/clock.h"
#include "engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_NS = 500000000 };  /* at most, of a trial that tells the cost of a step */
#define LIMIT_MARGIN 1.5        /* from the peaks of a rehearsal to proposed limits */
enum { MOST_FREQUENCIES = 10 }; /* enough to tell the rigid-body modes of a part, too */

struct findings {
    struct yk_stability stability;
    size_t frequency_count;
    double frequency_Hz[MOST_FREQUENCIES];
    double step_cost_s, duration_s;
    struct yk_solving solving[YK_SIDES]; /* of the one domain, or of the sides of a coupling */
    bool hybrid;
    struct yk_margin margin;
    struct yk_inspection *parts; /* of each substructure */
    double budget_s;             /* of CPU time, for the loop and for the rehearsal */
    double reference_s;          /* that the reference solution will take */
    char missing[512];           /* limits that a rig outside this process needs */
    struct yk_rehearsal rehearsal;
    char *proposal; /* for them; NULL: none, for a reason */
    char no_proposal[256];
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
static enum yk_status find_cost(const struct yk_plan *plan, struct findings *f, struct yk_err *err)
{
    struct yk_timing timing = {0};
    struct yk_motion m;
    enum yk_status st = yk_plan_motion(plan, &m, err);

    if (st)
        return st;
    yk_motion_start(&m);
    for (int64_t first = yk_clock_now_ns(), begin = first; timing.count < 1000 && begin - first < TRIAL_NS;) {
        begin = yk_clock_now_ns();
        if (yk_motion_step(&m))
            break;
        yk_timing_add(&timing, yk_clock_now_ns() - begin);
    }
    f->step_cost_s = yk_timing_percentile(&timing, 0.5);
    for (int s = 0; s < YK_SIDES; s++)
        f->solving[s] = m.problem ? m.problem->side[s].system->solving
                        : s == 0  ? m.domain->integrator.system->solving
                                  : (struct yk_solving){0};
    yk_motion_close(&m);
    return YK_OK;
}

/* A proposal for limits that are missing, from a rehearsal. */
static enum yk_status find_limits(const struct yk_plan *plan, struct findings *f, struct yk_err *err)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    struct yk_err reason = {0};
    size_t size;
    FILE *out;

    yk_limits_missing(e, f->missing, sizeof f->missing);
    if (!*f->missing)
        return YK_OK;
    if (f->margin.verdict == YK_LOOP_UNSTABLE)
        snprintf(f->no_proposal, sizeof f->no_proposal,
                 "the loop is unstable, so its motion says nothing about a stable test");
    else if (yk_rehearse(plan, f->budget_s, &f->rehearsal, &reason))
        snprintf(f->no_proposal, sizeof f->no_proposal, "%.250s", yk_err_line(&reason).text);
    else if (f->rehearsal.diverged)
        snprintf(f->no_proposal, sizeof f->no_proposal, "the rehearsal diverged at %g s", f->rehearsal.made_s);
    else if (!(out = open_memstream(&f->proposal, &size)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    else {
        yk_limits_propose(e, f->rehearsal.peaks, LIMIT_MARGIN, out);
        fclose(out);
    }
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

    return f->hybrid && (f->margin.verdict == YK_LOOP_UNSTABLE ||
                         (change > 0.2 * fabs(f->margin.decay_model) && change * f->duration_s > 0.02));
}

static void print_loop(const struct yk_experiment *e, const struct findings *f)
{
    const struct yk_margin *m = &f->margin;
    char text[512];

    if (!f->hybrid)
        return;
    loop_words(m, f->budget_s, text, sizeof text);
    printf("  hybrid loop   %s\n", text);
    if (m->verdict == YK_LOOP_UNSTABLE) {
        loop_advice(e, m, text, sizeof text);
        printf("%s%s%s", *text ? "                " : "", text, *text ? "\n" : "");
        return;
    }
    printf("                `yoke check FILE --compensators` rehearses the test with several and recommends one\n");
    if (m->brief)
        printf("                estimated from a short free vibration; `yoke analyze margin` is more accurate\n");
    if (loop_is_wrong(f))
        printf(
            "                WRONG damping: free vibration decays at %.2g 1/s, but at %.2g 1/s without the rig; within "
            "%g s the amplitudes become %.2g times too large\n",
            m->decay, m->decay_model, f->duration_s, exp((m->decay_model - m->decay) * f->duration_s));
}

static bool is_idle(const struct yk_experiment *e, size_t i)
{
    return yk_station_compensated(e->station, i).idle;
}

static void print_idle(const struct yk_experiment *e)
{
    for (size_t i = 0; i < yk_station_count(e->station); i++)
        if (is_idle(e, i))
            printf("  note          the compensator of %s has no delay to compensate, neither given nor estimated: it "
                   "commands the target itself\n",
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

/* Filters of readings, and how late they make them. */
static void print_readings(const struct yk_experiment *e)
{
    const struct yk_corrections *c = e->station ? yk_station_corrections(e->station) : NULL;
    const char *title = "readings";

    for (size_t k = 0; c && c->of && k < YK_COMMAND_KINDS * c->actuators + c->sensors; k++) {
        const struct yk_correction *r = &c->of[k];

        if (!r->used)
            continue;
        printf("  %-13s %s: ", title, r->label.name);
        if (r->from_count)
            printf("from %zu sensor%s; ", r->from_count, r->from_count == 1 ? "" : "s");
        printf("gain %g, offset %g %s", r->gain, r->offset, r->label.unit);
        if (r->low < r->high)
            printf("; range %g .. %g %s", r->low, r->high, r->label.unit);
        if (r->filter.sections)
            printf("; filter delay %.3g ms", 1e3 * r->filter.delay_s);
        putchar('\n');
        title = "";
    }
}

static json_t *readings_json(const struct yk_experiment *e)
{
    const struct yk_corrections *c = e->station ? yk_station_corrections(e->station) : NULL;
    json_t *all = json_object();

    for (size_t k = 0; c && c->of && k < YK_COMMAND_KINDS * c->actuators + c->sensors; k++)
        if (c->of[k].used)
            json_object_set_new(all, c->of[k].label.name,
                                json_pack("{s:f, s:f, s:f}", "gain", c->of[k].gain, "offset", c->of[k].offset,
                                          "filter_delay_s", c->of[k].filter.delay_s));
    return all;
}

static json_t *loop_json(const struct findings *f)
{
    static const char *const verdicts[] = {
        [YK_LOOP_UNDECIDED] = "undecided", [YK_LOOP_STABLE] = "stable", [YK_LOOP_UNSTABLE] = "unstable"};
    const struct yk_margin *m = &f->margin;

    if (!f->hybrid)
        return json_null();
    return json_pack("{s:b, s:b, s:o, s:o, s:o, s:s, s:b, s:o, s:f}", "stable", m->stable, "wrong", loop_is_wrong(f),
                     "margin_s", m->verdict == YK_LOOP_UNSTABLE ? json_real(0) : json_number(m->margin_s),
                     "decay_per_s", json_number(m->decay), "decay_model_per_s", json_number(m->decay_model), "verdict",
                     verdicts[m->verdict], "margin_complete", m->complete, "growth_s", json_number(m->growth_s),
                     "spent_s", m->spent_s);
}

/* What a rig outside this process would need; null where nothing is missing. */
static json_t *limits_json(const struct findings *f)
{
    if (!*f->missing)
        return json_null();
    return json_pack("{s:s, s:s?, s:f, s:b}", "missing", f->missing, "proposal", f->proposal, "rehearsed_s",
                     f->rehearsal.made_s, "complete", f->rehearsal.complete);
}

static const char *const path_names[YK_SOLVE_PATHS] = {[YK_SOLVE_DENSE] = "dense",
                                                       [YK_SOLVE_BANDED] = "banded",
                                                       [YK_SOLVE_SPARSE] = "sparse",
                                                       [YK_SOLVE_LOW_RANK] = "low-rank",
                                                       [YK_SOLVE_MODAL] = "modal"};

/* How the equations of every side are solved; a side that solves none, or only diagonal ones, is left out. */
static json_t *solving_json(const struct findings *f)
{
    json_t *sides = json_array();

    for (int s = 0; s < YK_SIDES; s++) {
        const struct yk_solving *x = &f->solving[s];
        json_t *costs = json_object();

        for (int k = 1; k < YK_SOLVE_PATHS && x->current; k++)
            json_object_set_new(costs, path_names[k], json_number(x->cost_s[k]));
        if (x->path != YK_SOLVE_AUTO)
            json_array_append_new(sides,
                                  json_pack("{s:s, s:b, s:b, s:O, s:o, s:o}", "path", path_names[x->path], "current",
                                            x->current, "symmetric", x->symmetric, "cost_s", costs, "given_s",
                                            x->modal.modal_s > 0 ? json_real(x->modal.given_s) : json_null(), "modal_s",
                                            x->modal.modal_s > 0 ? json_real(x->modal.modal_s) : json_null()));
        json_decref(costs);
    }
    return sides;
}

static json_t *to_json(const struct yk_experiment *e, const struct findings *f, const char *method)
{
    json_t *frequencies = json_array(), *parts = json_array();

    for (size_t i = 0; i < f->frequency_count; i++)
        json_array_append_new(frequencies, json_number(f->frequency_Hz[i]));
    for (size_t k = 0; k < e->substructure_count; k++)
        json_array_append_new(parts, inspection_json(&e->substructures[k], &f->parts[k]));
    return json_pack("{s:s, s:s, s:I, s:f, s:I, s:b, s:o, s:o, s:{s:b, s:o, s:o}, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o}",
                     "title", e->title, "method", method, "steps", (json_int_t)e->steps, "step_s", e->time.step, "dofs",
                     (json_int_t)free_dofs(e), "linear", is_linear(e), "substructures", parts, "frequencies_Hz",
                     frequencies, "stability", "stable", f->stability.stable, "radius",
                     json_number(f->stability.radius), "limit_s", json_number(f->stability.limit_s), "step_cost_s",
                     json_number(f->step_cost_s), "hybrid_loop", loop_json(f), "idle_compensators", idle_json(e),
                     "loads", loads_json(e), "reference_s", e->reference ? json_number(f->reference_s) : json_null(),
                     "limits", limits_json(f), "solving", solving_json(f), "readings", readings_json(e));
}

/* ", 36 t" or ", x 3.562 t, y 2.616 t", and what moves without stiffness. */
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
        printf(", %s", yk_quantity_format(all, YK_MASS, 4).text);
    for (int a = 0; a < YK_AXES && !same; a++)
        if (isfinite(mass[a]))
            printf(", %c %s", "xyz"[a], yk_quantity_format(mass[a], YK_MASS, 4).text);
    if (x->rigid)
        printf(", %zu rigid-body mode%s", x->rigid, x->rigid == 1 ? "" : "s");
    if (x->negative)
        printf(", NEGATIVE stiffness");
}

static void print_substructures(const struct yk_experiment *e, const struct findings *f)
{
    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_system *s = e->substructures[k].system;

        printf("  %-13s %s: %zu DoF%s, %s%s", k ? "" : "substructures", e->substructures[k].name, s->n,
               s->n == 1 ? "" : "s",
               yk_is_physical(s) ? "physical specimen"
               : s->linear       ? "linear"
                                 : "nonlinear",
               !e->coupling ? ""
               : e->fine[k] ? ", fine side"
                            : ", coarse side");
        print_part(&f->parts[k]);
        putchar('\n');
    }
}

static void print_step(const struct yk_experiment *e, const struct findings *f)
{
    const struct yk_stability *s = &f->stability;
    const bool rigid =
        f->frequency_count == 0 || !(f->frequency_Hz[0] > 1e-6 * f->frequency_Hz[f->frequency_count - 1]);

    printf("  time step     ");
    if (s->undecided)
        printf("UNKNOWN: the coupling is too large to predict its stability\n");
    else if (isnan(s->radius))
        printf("%s is judged with its specimen: see the hybrid loop\n", yk_experiment_method(e));
    else if (s->stable)
        printf("stable (spectral radius %.4f%s)\n", s->radius,
               s->radius > 1 - 1e-9 && !e->coupling && !rigid ? ", no numerical damping" : "");
    else if (isnan(s->limit_s))
        printf("UNSTABLE (spectral radius %.6g); finding the longest stable step would take too long\n", s->radius);
    else if (s->limit_s > 0)
        printf("UNSTABLE (spectral radius %.6g); the longest stable step is %.6g s\n", s->radius, s->limit_s);
    else
        printf("UNSTABLE (spectral radius %.6g); no step is short enough\n", s->radius);
}

/* Limits that a rig outside this process would need, and a section to paste. */
static void print_limits(const struct findings *f)
{
    if (!*f->missing)
        return;
    printf("  limits        missing for a rig outside this process: %s\n", f->missing);
    if (!f->proposal) {
        printf("                no proposal: %s\n", f->no_proposal);
        return;
    }
    printf("                proposal: %g times the peaks of a rehearsal on the virtual rig", LIMIT_MARGIN);
    if (!f->rehearsal.complete)
        printf(" of the FIRST %.3g s only (--budget allows more)", f->rehearsal.made_s);
    printf(", rounded up;\n                replace the section `limits` with:\n\n%s", f->proposal);
}

static void print_kind(const struct yk_solving *x)
{
    switch (x->path) {
    case YK_SOLVE_BANDED:
        printf("banded, %zu entr%s on either side of the diagonal", x->half_band, x->half_band == 1 ? "y" : "ies");
        break;
    case YK_SOLVE_SPARSE:
        printf("sparse, %s", x->symmetric ? "symmetric: L D L^T in supernodes" : "not symmetric: KLU");
        if (x->numbers)
            printf(", %zu numbers", x->numbers);
        break;
    case YK_SOLVE_LOW_RANK:
        printf("low-rank: the initial factor, corrected in %zu rows and columns", x->rank);
        break;
    case YK_SOLVE_MODAL:
        printf("modal: one equation for each mode");
        break;
    default:
        printf("dense");
    }
}

/* What a step and what is recorded of it would take in the other coordinates. */
static void print_modal(const struct yk_solving *x)
{
    const bool modal = x->path == YK_SOLVE_MODAL;
    const double ratio = modal ? x->modal.given_s / x->modal.modal_s : x->modal.modal_s / x->modal.given_s;

    if (x->modal.modal_s > 0)
        printf(", %s%.*f times as long with what is recorded", modal ? "without modes " : "modal ", ratio < 10, ratio);
    if (x->modal.reason && !modal)
        printf(" (not taken: %s)", x->modal.reason);
}

/* Which path, and why: what every path would cost. */
static void print_solving(const struct yk_experiment *e, const struct findings *f)
{
    for (int s = 0; s < YK_SIDES; s++) {
        const struct yk_solving *x = &f->solving[s];

        if (x->path == YK_SOLVE_AUTO)
            continue;
        printf("  %-13s ", s && f->solving[0].path != YK_SOLVE_AUTO ? "" : "equations");
        if (e->coupling)
            printf("%s side: ", s == YK_FINE ? "fine" : "coarse");
        print_kind(x);
        if (x->path != YK_SOLVE_MODAL)
            printf("; factored %s", x->current ? "in every step" : "once");
        if (e->solve_path)
            printf("; method.path chose");
        for (int k = 1; k < YK_SOLVE_PATHS && x->current; k++)
            if (k != (int)x->path && isfinite(x->cost_s[k]))
                printf(", %s %.*f times as long", path_names[k], x->cost_s[k] < 10 * x->cost_s[x->path],
                       x->cost_s[k] / x->cost_s[x->path]);
        print_modal(x);
        putchar('\n');
    }
}

static void print_findings(const struct yk_experiment *e, const struct findings *f, const char *method)
{
    const size_t dofs = free_dofs(e);

    printf("%s\n", e->title);
    printf("  method        %s\n", method);
    printf("  time          %ld steps of %g s to %g s", e->steps, e->time.step, e->time.end);
    if (e->coupling)
        printf(", %d fine step%s in each", e->time.substeps, e->time.substeps == 1 ? "" : "s");
    putchar('\n');
    print_substructures(e, f);
    printf("  structure     %zu free DoF%s, %zu interface row%s\n", dofs, dofs == 1 ? "" : "s", e->row_count,
           e->row_count == 1 ? "" : "s");
    print_loads(e);
    if (f->frequency_count) {
        printf("  frequencies  ");
        for (size_t i = 0; i < f->frequency_count; i++)
            printf(" %.4g", f->frequency_Hz[i]);
        printf(" Hz%s\n", is_linear(e) ? "" : " (initial tangent)");
    }
    print_step(e, f);
    print_loop(e, f);
    print_idle(e);
    print_readings(e);
    printf("  cost          %.2g us per step on this machine, %.2g %% of the available time\n", 1e6 * f->step_cost_s,
           100 * f->step_cost_s / (e->time.step * e->time.scale));
    print_solving(e, f);
    if (e->reference)
        printf("  reference     about %.2g s for the whole test on this machine\n", f->reference_s);
    print_limits(f);
}

/* Are there channels for what `record` says? */
static enum yk_status check_channels(const struct yk_plan *plan, struct yk_err *err)
{
    struct yk_run_channels channels;
    const enum yk_status st = yk_run_channels(plan, &channels, err);

    yk_run_channels_free(&channels);
    return st;
}

/* Everything; a status where it cannot be found out. */
static enum yk_status find_all(const struct yk_plan *plan, struct findings *f, struct yk_err *err)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    const struct yk_judging how = {.periods = YK_MARGIN_CHECK, .margin = true, .budget_s = f->budget_s};
    enum yk_status st;

    if ((st = check_channels(plan, err)) || (st = inspect_parts(e, f, err)) ||
        (st = yk_check_stability(e, plan, &f->stability, err)) || (st = find_cost(plan, f, err)) ||
        (st = yk_reference_cost(plan, &f->reference_s, err)) ||
        (f->hybrid && (st = judge_loop(plan, how, &f->margin, err))))
        return st;
    find_frequencies(e, f);
    return e->station ? find_limits(plan, f, err) : YK_OK;
}

/* ---- --channels ---- */

/* Prints one channel, or adds it to a list. */
static void show_channel(const struct yk_channel *c, const char *stream, bool recorded, json_t *list)
{
    if (list)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "name", c->name, "unit", c->unit,
                                              "kind", c->kind, "owner", c->owner, "long_name", c->long_name, "stream",
                                              stream, "recorded", recorded));
    else
        printf("  %c %-36s %-7s %s\n", recorded ? 'x' : ' ', c->name, c->unit, c->long_name);
}

/* All channels there are; those that are recorded come in the same order. */
static int show_channels(const struct yk_plan *plan, bool json)
{
    struct yk_run_channels all = {0}, recorded = {0};
    json_t *list = json ? json_array() : NULL;
    struct yk_err err = {0};

    if (yk_run_channels_known(plan, &all, &err) || yk_run_channels(plan, &recorded, &err)) {
        yk_run_channels_free(&all);
        json_decref(list);
        return report_failure(&err);
    }
    for (int k = 0; k < YK_STREAMS; k++) {
        const struct yk_stream *s = &all.streams[k], *chosen = &recorded.streams[k];
        size_t next = 0;

        if (s->count && !json)
            printf("%s: %zu of %zu channels are recorded (x)\n", s->name, chosen->count, s->count);
        for (size_t i = 0; i < s->count; i++) {
            const bool is_next = next < chosen->count && strcmp(chosen->channels[next].name, s->channels[i].name) == 0;

            show_channel(&s->channels[i], s->name, is_next, list);
            next += is_next;
        }
    }
    yk_run_channels_free(&all);
    yk_run_channels_free(&recorded);
    if (json)
        print_json(list);
    return 0;
}

static int run(int argc, char **argv)
{
    struct text_list set = {0};
    bool json = false, channels = false, compensators = false;
    const char *budget = NULL;
    const struct option_spec specs[] = {
        {"--set", OPTION_LIST, &set},           {"--budget", OPTION_TEXT, &budget},
        {"--channels", OPTION_FLAG, &channels}, {"--compensators", OPTION_FLAG, &compensators},
        {"--json", OPTION_FLAG, &json},         {0}};
    struct findings f = {.budget_s = CHECK_BUDGET_S};
    struct yk_experiment *loaded;
    struct yk_plan *plan;
    struct yk_err err = {0};
    struct words words;
    char *method;
    int code;

    if (!take_options(&command_check, argc, argv, specs, &words) ||
        !parse_quantity(&command_check, "--budget", budget, YK_TIME, 1e-9, 1e6, &f.budget_s))
        return 2;
    if (json)
        report_failures_in_json();
    if (!(loaded = rehearse_experiment(&command_check, &words, &set, &code)) ||
        !(plan = plan_experiment(loaded, true, &code)))
        return code;
    if (channels) {
        code = show_channels(plan, json);
        yk_plan_close(plan);
        return code;
    }
    if (compensators) {
        if (!yk_plan_experiment(plan)->assembly.borrowed)
            find_frequencies(yk_plan_experiment(plan), &f);
        code = check_compensators(plan, f.frequency_count && f.frequency_Hz[0] > 0 ? f.frequency_Hz[0] : 1, f.budget_s,
                                  json);
        yk_plan_close(plan);
        return code;
    }
    const struct yk_experiment *e = yk_plan_first(plan)->experiment; /* its actuators are set up for the method */

    f.hybrid = yk_experiment_is_hybrid(e);
    f.duration_s = e->time.end;
    method = yk_method_text(e);
    if (!method || find_all(plan, &f, &err)) {
        code = report_failure(&err);
    } else {
        code = f.stability.stable && !loop_is_wrong(&f) ? 0 : 4;
        if (json)
            print_json(to_json(e, &f, method));
        else
            print_findings(e, &f, method);
    }
    free(method);
    free_parts(e, &f);
    free(f.proposal);
    yk_rehearsal_free(&f.rehearsal);
    yk_plan_close(plan);
    return code;
}

const struct command command_check = {
    .name = "check",
    .summary = "read an experiment file, explain it, predict stability and cost",
    .options = "--set --budget --channels --compensators --json",
    .help =
        "usage: yoke check FILE [--set KEY=VALUE]... [--budget T] [--channels | --compensators] [--json]\n\n"
        "Reads and checks the experiment without running it. Reports the structure, its natural frequencies, the "
        "loads,\n"
        "whether the time step is stable for the method (found by driving its real step), and the cost of a step on "
        "this\n"
        "machine. With specimens it also reports whether the loop is stable, its delay margin, and the safety limits "
        "that\n"
        "a rig outside this process needs, found in a rehearsal on the virtual rig.\n"
        "Exit code 4 if the time step or the loop with specimens is unstable, or if the loop damps wrongly.\n\n"
        "  --budget T   CPU time for judging the loop, and again for the rehearsal; default 20s. If it does not "
        "suffice,\n"
        "               the result is reported as undecided\n"
        "  --channels   only lists the channels of the run with their units; x marks those that are recorded (see "
        "`record`\n"
        "               in the file); with --json: [{name, unit, kind, owner, long_name, stream, recorded}]\n"
        "  --compensators  only rehearses the test with several compensators for each actuator and recommends one;\n"
        "               with --json: [{actuator, frequency_Hz, gain, delay_s, delay_high_s,\n"
        "               candidates: [{compensator, own, finished, tracking_nrms, best}]}]\n\n"
        "--json: {title, method, steps, step_s, dofs, linear, substructures (as in `yoke model info`), "
        "frequencies_Hz,\n"
        "         stability: {stable, radius, limit_s}, step_cost_s, solving: [{path, current, symmetric, cost_s, "
        "given_s, modal_s}],\n"
        "         hybrid_loop: {stable, wrong, margin_s, decay_per_s, decay_model_per_s, verdict, margin_complete, "
        "growth_s,\n"
        "         spent_s} or null, idle_compensators: [actuators whose compensator has no delay to compensate],\n"
        "         readings: {name: {gain, offset, filter_delay_s}} of those that are corrected,\n"
        "         loads: [{kind, ground, source, file, peak, unit, peak_time_s, from_s, until_s, record_s}], "
        "reference_s,\n"
        "         limits: {missing, proposal, rehearsed_s, complete} or null}; limit_s is null if there is no limit.\n"
        "         If the file is refused: {error: {status, file, line, column, message}}; null if unknown.\n\n"
        "examples:\n"
        "  yoke check examples/oscillator/oscillator.yaml\n"
        "  yoke check frame.yaml --set method.integrator=newmark --set method.beta=0 --json\n",
    .run = run,
};
