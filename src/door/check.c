/* A check before a run: what the file describes, and whether it is stable, with which margin and at which cost. */
#include "door/answers.h"

#include "substructure/fmu.h"
#include "substructure/member/placed.h"

#include "analyze/budget.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/progress.h"
#include "state/state.h"
#include "transfer/physical.h"

#include <math.h>
#include <stdlib.h>

enum { TRIAL_NS = 500000000 }; /* at most, of a trial that tells the cost of a step */
#define SOFT               0.5 /* of its stiffness: less is told of a member */
#define LIMIT_MARGIN       1.5 /* from the peaks of a rehearsal to proposed limits */
#define LONG_STEP          0.2 /* of the period of the first mode: a step that is longer is questioned */
#define ROBUSTNESS_PART    0.4 /* of the CPU time of the check so far, for margins with another rig */
#define LEAST_ROBUSTNESS_S 0.1

void yk_findings_frequencies(const struct yk_model *e, struct yk_findings *f)
{
    const struct yk_system *s = e->assembly->system;
    double w2[YK_FOUND_FREQUENCIES];
    size_t i, j, count = s && s->n < YK_FOUND_FREQUENCIES ? s->n : YK_FOUND_FREQUENCIES;

    if (e->assembly->borrowed) { /* one substructure by itself: its modes are known */
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

/* Inspects the matrices of each substructure. */
static enum yk_status inspect_parts(const struct yk_model *e, struct yk_findings *f, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if (!(f->parts = calloc(e->substructure_count, sizeof *f->parts)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < e->substructure_count && !st; k++)
        st = yk_inspect(&f->parts[k], &e->substructures[k], YK_FOUND_FREQUENCIES, err);
    return st;
}

void yk_findings_free(const struct yk_model *model, struct yk_findings *f)
{
    for (size_t k = 0; f->parts && k < model->substructure_count; k++)
        yk_inspection_free(&f->parts[k]);
    free(f->parts);
    free(f->method);
    free(f->proposal);
    yk_notes_free(f->doubts);
    yk_rehearsal_free(&f->rehearsal);
}

/* Median cost of a step on this machine, from a short trial. */
static enum yk_status find_cost(const struct yk_model *model, struct yk_findings *f, struct yk_err *err)
{
    struct yk_timing timing = {0};
    struct yk_tally before;
    struct yk_state m;
    enum yk_status st = yk_model_state(model, &m, err);

    if (st)
        return st;
    yk_state_start(&m);
    yk_members_tally(&m, &before);
    for (int64_t first = yk_clock_now_ns(), begin = first; timing.count < 1000 && begin - first < TRIAL_NS;) {
        begin = yk_clock_now_ns();
        if (yk_state_step(&m))
            break;
        yk_timing_add(&timing, yk_clock_now_ns() - begin);
    }
    f->step_cost_s = yk_timing_percentile(&timing, 0.5);
    yk_members_tally(&m, &f->tally);
    f->evaluations = timing.count ? (double)(f->tally.evaluations - before.evaluations) / (double)timing.count : 0;
    for (int s = 0; s < YK_SIDES; s++)
        f->solving[s] = m.problem ? m.problem->side[s].system->solving
                        : s == 0  ? m.domain->integrator.system->solving
                                  : (struct yk_solving){0};
    yk_state_close(&m);
    return YK_OK;
}

/* Would the run be wrong? Where delay changes the damping by more than a fifth, the response is off by as much; unless
 * there is so little of it that an amplitude changes by less than 2 % until the end. */
static bool loop_is_wrong(const struct yk_findings *f)
{
    const double change = fabs(f->margin.decay - f->margin.decay_model);

    return f->hybrid && (f->margin.verdict == YK_LOOP_UNSTABLE ||
                         (change > 0.2 * fabs(f->margin.decay_model) && change * f->duration_s > 0.02));
}

/* A step that is refused shows nothing more. An unstable loop does: why it is. */
static bool can_rehearse(const struct yk_findings *f)
{
    return f->stability.stable && !f->quasi_static;
}

/* Why a rehearsal says nothing about the limits of the test; "" where it does. */
static void rehearsal_fault(const struct yk_model *e, const struct yk_rehearsal *r, const struct yk_judged *j,
                            char *why, size_t size)
{
    char text[200];

    *why = 0;
    if (*r->trip)
        snprintf(why, size, "the rehearsal tripped at %.4g s: %.180s", r->made_s, r->trip);
    else if (r->diverged)
        snprintf(why, size, "the rehearsal diverged at %.4g s", r->made_s);
    else if (j->verdict.level != YK_LEVEL_GOOD) {
        yk_reason_text(&j->verdict.reasons[0], yk_station_names(e->station), text, sizeof text);
        snprintf(why, size, "the rehearsal is %s: %s", yk_level_word(j->verdict.level), text);
    }
}

/* A proposal for limits that are missing, from a rehearsal that was good. */
static enum yk_status find_limits(const struct yk_model *model, struct yk_findings *f, struct yk_err *err)
{
    struct yk_err reason = {0};
    size_t size;
    FILE *out;

    yk_limits_missing(model, f->missing, sizeof f->missing);
    if (!*f->missing)
        return YK_OK;
    if (f->margin.verdict == YK_LOOP_UNSTABLE)
        snprintf(f->no_proposal, sizeof f->no_proposal,
                 "the loop is unstable, so its motion says nothing about a stable test");
    else if (loop_is_wrong(f))
        snprintf(f->no_proposal, sizeof f->no_proposal,
                 "the loop has the wrong damping, so its peaks are not those of the test");
    else if (yk_rehearse(model, f->budget_s, true, &f->rehearsal, &reason))
        snprintf(f->no_proposal, sizeof f->no_proposal, "%.250s", yk_err_line(&reason).text);
    else
        rehearsal_fault(model, &f->rehearsal, &f->judged, f->no_proposal, sizeof f->no_proposal);
    if (*f->no_proposal)
        return YK_OK;
    if (!(out = open_memstream(&f->proposal, &size)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_limits_propose(model, f->rehearsal.peaks, LIMIT_MARGIN, out);
    fclose(out);
    return YK_OK;
}

/* Margins with another rig than the one of the file, in a part of the time that the check has taken so far. */
static enum yk_status find_robustness(const struct yk_model *model, const struct yk_budget *spent,
                                      struct yk_findings *f, struct yk_err *err)
{
    struct yk_judging how = {.periods = YK_MARGIN_CHECK, .modes = f->margin.modes};

    if (!f->hybrid || f->margin.verdict != YK_LOOP_STABLE)
        return YK_OK;
    f->robustness_s = fmin(fmax(ROBUSTNESS_PART * yk_budget_used_s(spent), LEAST_ROBUSTNESS_S), f->budget_s);
    how.budget_s = f->robustness_s;
    return yk_hybrid_robustness(model, &how, &f->robustness, err);
}

/* ---- settings that are seldom meant ---- */

/* A step that is long against the period of the first mode shows nothing of its motion, however stable it is. */
static void doubt_step(const struct yk_model *e, struct yk_findings *f)
{
    size_t i = 0;

    while (i < f->frequency_count && !(f->frequency_Hz[i] > 1e-6 * f->frequency_Hz[f->frequency_count - 1]))
        i++;
    if (i < f->frequency_count && e->time.step * f->frequency_Hz[i] > LONG_STEP)
        yk_note(f->doubts, e->step_where, "a step of %s is %.3g periods of the first mode (%.3g Hz): is it meant so?",
                yk_quantity_format(e->time.step, YK_TIME, 3).text, e->time.step * f->frequency_Hz[i],
                f->frequency_Hz[i]);
}

/* Is substructure k joined to a specimen? */
static bool stands_on_specimen(const struct yk_model *e, size_t k)
{
    for (size_t r = 0; r < e->row_count; r++) {
        const struct yk_row *row = &e->rows[r];
        bool part = false, specimen = false;

        for (size_t i = 0; i < row->count; i++) {
            part |= row->substructure[i] == k;
            specimen |= row->substructure[i] != k && yk_is_physical(e->substructures[row->substructure[i]].system);
        }
        if (part && specimen)
            return true;
    }
    return false;
}

/* Mass-proportional damping of a part that only its specimen holds is a dashpot from every mass to the ground. */
static enum yk_status doubt_damping(const struct yk_model *e, size_t k, struct yk_findings *f, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(yk_node_get(e->tree, "substructures"), e->substructures[k].name),
                         *rayleigh = yk_node_get(map, "rayleigh");
    const struct yk_inspection *x = &f->parts[k];
    const struct yk_system *s = e->substructures[k].system;
    double most = 0;

    if (!rayleigh || !x->rigid || !stands_on_specimen(e, k))
        return YK_OK;
    for (size_t i = 0; i < x->rigid; i++) {
        const double *shape = x->shape + i * s->n;
        double *Cx = calloc(s->n, sizeof *Cx);

        if (!Cx)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        yk_matrix_add_product(&s->C, 1, shape, Cx);
        most = fmax(most, yk_dot(s->n, shape, Cx));
        free(Cx);
    }
    if (most > 1e-9)
        yk_note(f->doubts, rayleigh->where,
                "rayleigh of %s: only its specimen holds this part, and the mass-proportional damping acts between the "
                "part and the ground (%.3g 1/s): use `stiffness` alone, or modal_damping",
                e->substructures[k].name, most);
    return YK_OK;
}

static enum yk_status find_doubts(const struct yk_model *e, struct yk_findings *f, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    doubt_step(e, f);
    for (size_t k = 0; k < e->substructure_count && !st; k++)
        st = doubt_damping(e, k, f, err);
    return st;
}

/* Free degrees of freedom of the untorn structure; all of them where it cannot be put together. */
static size_t free_dofs(const struct yk_model *e)
{
    size_t n = 0;

    for (size_t k = 0; k < e->substructure_count; k++)
        n += e->substructures[k].system->n;
    return e->assembly->system ? e->assembly->system->n : n - e->row_count;
}

static bool is_linear(const struct yk_model *e)
{
    for (size_t k = 0; k < e->substructure_count; k++)
        if (!e->substructures[k].system->linear)
            return false;
    return true;
}

static void print_loop(const struct yk_model *e, const struct yk_findings *f, FILE *out)
{
    const struct yk_margin *m = &f->margin;
    char text[512];

    if (!f->hybrid)
        return;
    yk_loop_words(m, f->budget_s, text, sizeof text);
    fprintf(out, "  hybrid loop   %s\n", text);
    if (m->verdict == YK_LOOP_UNSTABLE) {
        yk_loop_advice(e, m, text, sizeof text);
        fprintf(out, "%s%s%s", *text ? "                " : "", text, *text ? "\n" : "");
        return;
    }
    fprintf(out,
            "                `yoke check FILE --compensators` rehearses the test with several and recommends one\n");
    if (m->verdict == YK_LOOP_STABLE)
        yk_robustness_print(&f->robustness, f->robustness_s, "`yoke analyze margin` takes longer", out);
    if (m->modes)
        fprintf(out,
                "                judged with %zu shapes of each linear part; a push is answered as by the full "
                "structure to "
                "%.2g %%\n",
                m->modes, 100 * m->unlike);
    if (m->brief)
        fprintf(out, "                estimated from a short free vibration; `yoke analyze margin` is more accurate\n");
    if (loop_is_wrong(f)) {
        const double growth = (m->decay_model - m->decay) * f->duration_s, factor = exp(fabs(growth));

        fprintf(out,
                "                WRONG damping: free vibration decays at %.2g 1/s, but at %.2g 1/s without the rig; "
                "within %g s the amplitudes become %.*f times too %s\n",
                m->decay, m->decay_model, f->duration_s, factor < 10 ? 1 : 0, fmin(factor, 1e6),
                growth > 0 ? "large" : "small");
    }
}

static bool is_idle(const struct yk_model *e, size_t i)
{
    return yk_station_compensated(yk_model_first(e)->station, i).idle; /* its actuators are set up for the method */
}

static void print_idle(const struct yk_model *e, FILE *out)
{
    for (size_t i = 0; i < yk_station_count(e->station); i++)
        if (is_idle(e, i))
            fprintf(out,
                    "  note          the compensator of %s has no delay to compensate, neither given nor estimated: it "
                    "commands the target itself\n",
                    yk_station_name(e->station, i));
}

static json_t *idle_json(const struct yk_model *e)
{
    json_t *names = json_array();

    for (size_t i = 0; i < yk_station_count(e->station); i++)
        if (is_idle(e, i))
            json_array_append_new(names, json_string(yk_station_name(e->station, i)));
    return names;
}

/* Filters of readings, and how late they make them. */
static void print_readings(const struct yk_model *e, FILE *out)
{
    const struct yk_corrections *c = e->station ? yk_station_corrections(yk_model_first(e)->station) : NULL;
    const char *title = "readings";

    for (size_t k = 0; c && c->of && k < YK_COMMAND_KINDS * c->actuators + c->sensors; k++) {
        const struct yk_correction *r = &c->of[k];

        if (!r->used)
            continue;
        fprintf(out, "  %-13s %s: ", title, r->label.name);
        if (r->from_count)
            fprintf(out, "from %zu sensor%s", r->from_count, r->from_count == 1 ? "" : "s");
        if (!r->from_count)
            fprintf(out, "scale %g, offset %g %s", r->scale.scale, r->scale.offset, r->label.unit);
        if (r->low < r->high)
            fprintf(out, "; range %g .. %g %s", r->low, r->high, r->label.unit);
        if (r->filter.sections)
            fprintf(out, "; filter delay %.3g ms", 1e3 * r->filter.delay_s);
        fputc('\n', out);
        title = "";
    }
}

static json_t *readings_json(const struct yk_model *e)
{
    const struct yk_corrections *c = e->station ? yk_station_corrections(yk_model_first(e)->station) : NULL;
    json_t *all = json_object();

    for (size_t k = 0; c && c->of && k < YK_COMMAND_KINDS * c->actuators + c->sensors; k++)
        if (c->of[k].used)
            json_object_set_new(all, c->of[k].label.name,
                                json_pack("{s:f, s:f, s:f}", "scale", c->of[k].scale.scale, "offset",
                                          c->of[k].scale.offset, "filter_delay_s", c->of[k].filter.delay_s));
    return all;
}

static json_t *loop_json(const struct yk_findings *f)
{
    static const char *const verdicts[] = {
        [YK_LOOP_UNDECIDED] = "undecided", [YK_LOOP_STABLE] = "stable", [YK_LOOP_UNSTABLE] = "unstable"};
    const struct yk_margin *m = &f->margin;

    if (!f->hybrid)
        return json_null();
    return json_pack(
        "{s:b, s:b, s:o, s:o, s:o, s:s, s:b, s:o, s:f, s:o}", "stable", m->stable, "wrong", loop_is_wrong(f),
        "margin_s", m->verdict == YK_LOOP_UNSTABLE ? json_real(0) : yk_json_number(m->margin_s), "decay_per_s",
        yk_json_number(m->decay), "decay_model_per_s", yk_json_number(m->decay_model), "verdict", verdicts[m->verdict],
        "margin_complete", m->complete, "growth_s", yk_json_number(m->growth_s), "spent_s", m->spent_s, "variations",
        m->verdict == YK_LOOP_STABLE ? yk_robustness_json(&f->robustness) : json_object());
}

/* Limits that a rig outside this process would need; null: none is missing. */
static json_t *limits_json(const struct yk_findings *f)
{
    if (!*f->missing)
        return json_null();
    return json_pack("{s:s, s:s?, s:s?, s:f, s:b}", "missing", f->missing, "proposal", f->proposal, "no_proposal",
                     f->proposal ? NULL : f->no_proposal, "rehearsed_s", f->rehearsal.made_s, "complete",
                     f->rehearsal.complete);
}

static const char *const path_names[YK_SOLVE_PATHS] = {[YK_SOLVE_DENSE] = "dense",
                                                       [YK_SOLVE_BANDED] = "banded",
                                                       [YK_SOLVE_SPARSE] = "sparse",
                                                       [YK_SOLVE_LOW_RANK] = "low-rank",
                                                       [YK_SOLVE_MODAL] = "modal"};

/* How the equations of every side are solved; a side that solves none, or only diagonal ones, is left out. */
static json_t *solving_json(const struct yk_findings *f)
{
    json_t *sides = json_array();

    for (int s = 0; s < YK_SIDES; s++) {
        const struct yk_solving *x = &f->solving[s];
        json_t *costs = json_object();

        for (int k = 1; k < YK_SOLVE_PATHS && x->current; k++)
            json_object_set_new(costs, path_names[k], yk_json_number(x->cost_s[k]));
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

json_t *yk_findings_json(const struct yk_model *model, const struct yk_findings *f)
{
    json_t *frequencies = json_array(), *parts = json_array(), *notes = yk_json_notes(model->notes),
           *doubts = yk_json_notes(f->doubts);

    json_array_extend(notes, doubts);
    json_decref(doubts);
    for (size_t i = 0; i < f->frequency_count; i++)
        json_array_append_new(frequencies, yk_json_number(f->frequency_Hz[i]));
    for (size_t k = 0; k < model->substructure_count; k++)
        json_array_append_new(parts, yk_inspection_json(&model->substructures[k], &f->parts[k]));
    return json_pack(
        "{s:s, s:s, s:I, s:f, s:I, s:b, s:o, s:o, s:{s:b, s:o, s:o}, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o}",
        "title", model->title, "method", f->method, "steps", (json_int_t)model->steps, "step_s", model->time.step,
        "dofs", (json_int_t)free_dofs(model), "linear", is_linear(model), "substructures", parts, "frequencies_Hz",
        frequencies, "stability", "stable", f->stability.stable, "radius", yk_json_number(f->stability.radius),
        "limit_s", yk_json_number(f->stability.limit_s), "step_cost_s", yk_json_number(f->step_cost_s), "hybrid_loop",
        loop_json(f), "idle_compensators", idle_json(model), "loads", yk_loads_json(model), "reference_s",
        model->reference ? yk_json_number(f->reference_s) : json_null(), "limits", limits_json(f), "solving",
        solving_json(f), "readings", readings_json(model), "members", yk_members_json(f), "elements",
        yk_elements_json(model), "verdict", can_rehearse(f) ? yk_judged_json(model, &f->judged) : json_null(), "demand",
        can_rehearse(f) ? yk_demand_json(model, &f->judged.course) : json_null(), "notes", notes);
}

/* ", 36 t" or ", x 3.562 t, y 2.616 t", and what moves without stiffness. */
static void print_part(const struct yk_inspection *x, FILE *out)
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
        fprintf(out, ", %s", yk_quantity_format(all, YK_MASS, 4).text);
    for (int a = 0; a < YK_AXES && !same; a++)
        if (isfinite(mass[a]))
            fprintf(out, ", %c %s", "xyz"[a], yk_quantity_format(mass[a], YK_MASS, 4).text);
    if (x->rigid)
        fprintf(out, ", %zu rigid-body mode%s", x->rigid, x->rigid == 1 ? "" : "s");
    if (x->negative)
        fprintf(out, ", NEGATIVE stiffness");
}

static void print_substructures(const struct yk_model *e, const struct yk_findings *f, FILE *out)
{
    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_system *s = e->substructures[k].system;
        char words[160] = "";

        fprintf(out, "  %-13s %s: %zu DoF%s, %s%s", k ? "" : "substructures", e->substructures[k].name, s->n,
                s->n == 1 ? "" : "s",
                yk_is_physical(s) ? "physical specimen"
                : s->linear       ? "linear"
                                  : "nonlinear",
                !e->coupling               ? ""
                : e->substructures[k].fine ? ", fine side"
                                           : ", coarse side");
        print_part(&f->parts[k], out);
        if (s->ops->describe)
            s->ops->describe(s->self, words, sizeof words);
        fprintf(out, "%s%s\n", *words ? "; " : "", words);
    }
}

/* Members that permanent loads have brought beyond their elastic state. */
static void print_softened(const struct yk_model *e, FILE *out)
{
    for (size_t k = 0; k < e->substructure_count; k++) {
        double part;
        const char *member = yk_structure_softest(e->substructures[k].system, &part);

        if (member && part < SOFT)
            fprintf(out,
                    "  note          at the start member %s of %s has %.0f %% of its stiffness: it yields, cracks or "
                    "buckles "
                    "under the permanent loads\n",
                    member, e->substructures[k].name, 100 * fmax(part, 0));
    }
}

static void print_step(const struct yk_model *e, const struct yk_findings *f, FILE *out)
{
    const struct yk_stability *s = &f->stability;
    const bool rigid =
        f->frequency_count == 0 || !(f->frequency_Hz[0] > 1e-6 * f->frequency_Hz[f->frequency_count - 1]);

    fprintf(out, "  time step     ");
    if (s->growth_by)
        fprintf(out, "UNSTABLE structure: %s; its free motion grows at %.3g 1/s with any step\n", s->growth_by,
                s->growth);
    else if (s->undecided)
        fprintf(out, "UNKNOWN: the coupling is too large to predict its stability\n");
    else if (isnan(s->radius))
        fprintf(out, "%s is judged with its specimen: see the hybrid loop\n", yk_model_method(e));
    else if (s->stable)
        fprintf(out, "stable (spectral radius %.4f%s)\n", s->radius,
                s->radius > 1 - 1e-9 && !e->coupling && !rigid ? ", no numerical damping" : "");
    else if (isnan(s->limit_s))
        fprintf(out, "UNSTABLE (spectral radius %.6g); finding the longest stable step would take too long\n",
                s->radius);
    else if (s->limit_s > 0)
        fprintf(out, "UNSTABLE (spectral radius %.6g); the longest stable step is %.6g s\n", s->radius, s->limit_s);
    else
        fprintf(out, "UNSTABLE (spectral radius %.6g); no step is short enough\n", s->radius);
}

/* Limits that a rig outside this process would need, and a section to paste. */
static void print_limits(const struct yk_findings *f, FILE *out)
{
    if (!*f->missing)
        return;
    fprintf(out, "  limits        missing for a rig outside this process: %s\n", f->missing);
    if (!f->proposal) {
        fprintf(out, "                no proposal: %s\n", f->no_proposal);
        return;
    }
    fprintf(out, "                proposal: %g times the peaks of a rehearsal on the virtual rig", LIMIT_MARGIN);
    if (!f->rehearsal.complete)
        fprintf(out, " of the FIRST %.3g s only (--budget allows more)", f->rehearsal.made_s);
    fprintf(out, ", rounded up;\n                replace the section `limits` with:\n\n%s", f->proposal);
}

static void print_kind(const struct yk_solving *x, FILE *out)
{
    switch (x->path) {
    case YK_SOLVE_BANDED:
        fprintf(out, "banded, %zu entr%s on either side of the diagonal", x->half_band,
                x->half_band == 1 ? "y" : "ies");
        break;
    case YK_SOLVE_SPARSE:
        fprintf(out, "sparse, %s", x->symmetric ? "symmetric: L D L^T in supernodes" : "not symmetric: KLU");
        if (x->numbers)
            fprintf(out, ", %zu numbers", x->numbers);
        break;
    case YK_SOLVE_LOW_RANK:
        fprintf(out, "low-rank: the initial factor, corrected in %zu rows and columns", x->rank);
        break;
    case YK_SOLVE_MODAL:
        fprintf(out, "modal: one equation for each mode");
        if (x->rank)
            fprintf(out, ", corrected in %zu column%s", x->rank, x->rank == 1 ? "" : "s");
        break;
    default:
        fprintf(out, "dense");
    }
}

/* Cost of a step and its recording in the other coordinates, modal or given, relative to the chosen ones. */
static void print_modal(const struct yk_solving *x, FILE *out)
{
    const bool modal = x->path == YK_SOLVE_MODAL;
    const double ratio = modal ? x->modal.given_s / x->modal.modal_s : x->modal.modal_s / x->modal.given_s;

    if (x->modal.modal_s > 0)
        fprintf(out, ", %s%.*f times as long with what is recorded", modal ? "without modes " : "modal ", ratio < 10,
                ratio);
    if (x->modal.reason && !modal)
        fprintf(out, " (%snot taken: %s)", x->modal.modal_s > 0 ? "" : "modal ", x->modal.reason);
}

/* The solve path, and the cost of every path as its reason. */
static void print_solving(const struct yk_model *e, const struct yk_findings *f, FILE *out)
{
    for (int s = 0; s < YK_SIDES; s++) {
        const struct yk_solving *x = &f->solving[s];

        if (x->path == YK_SOLVE_AUTO)
            continue;
        fprintf(out, "  %-13s ", s && f->solving[0].path != YK_SOLVE_AUTO ? "" : "equations");
        if (e->coupling)
            fprintf(out, "%s side: ", s == YK_FINE ? "fine" : "coarse");
        print_kind(x, out);
        if (x->path != YK_SOLVE_MODAL)
            fprintf(out, "; factored %s", x->current ? "in every step" : "once");
        if (e->solve_path && (e->solve_path != YK_SOLVE_MODAL || x->path == YK_SOLVE_MODAL))
            fprintf(out, "; method.path chose");
        for (int k = 1; k < YK_SOLVE_PATHS && x->current && x->path != YK_SOLVE_MODAL; k++)
            if (k != (int)x->path && isfinite(x->cost_s[k]))
                fprintf(out, ", %s %.*f times as long", path_names[k], x->cost_s[k] < 10 * x->cost_s[x->path],
                        x->cost_s[k] / x->cost_s[x->path]);
        print_modal(x, out);
        fputc('\n', out);
    }
}

void yk_findings_print(const struct yk_model *model, const struct yk_findings *f, FILE *out)
{
    const size_t dofs = free_dofs(model);

    fprintf(out, "%s\n", model->title);
    if (!f->quasi_static)
        fprintf(out, "  method        %s\n", f->method);
    fprintf(out, "  time          %ld steps of %g s to %g s", model->steps, model->time.step, model->time.end);
    if (model->coupling)
        fprintf(out, ", %d fine step%s in each", model->time.substeps, model->time.substeps == 1 ? "" : "s");
    fputc('\n', out);
    print_substructures(model, f, out);
    if (f->quasi_static) {
        fprintf(out, "  analysis      static: specimens follow `statics` within their limits; nothing is integrated\n");
        yk_check_channels(model, out);
        print_readings(model, out);
        return;
    }
    fprintf(out, "  structure     %zu free DoF%s, %zu interface row%s\n", dofs, dofs == 1 ? "" : "s", model->row_count,
            model->row_count == 1 ? "" : "s");
    yk_loads_print(model, out);
    print_softened(model, out);
    if (f->frequency_count) {
        fprintf(out, "  frequencies  ");
        for (size_t i = 0; i < f->frequency_count; i++)
            fprintf(out, " %.4g", f->frequency_Hz[i]);
        fprintf(out, " Hz%s\n", is_linear(model) ? "" : " (initial tangent)");
    }
    for (size_t i = 0; i < f->doubts->count; i++)
        fprintf(out, "  note          %s\n", f->doubts->items[i]);
    print_step(model, f, out);
    yk_elements_print(model, out);
    print_loop(model, f, out);
    print_idle(model, out);
    yk_check_channels(model, out);
    print_readings(model, out);
    const double cost_us = 1e6 * f->step_cost_s;

    fprintf(out, cost_us < 10 ? "  cost          %.2g us" : "  cost          %.0f us", cost_us);
    fprintf(out, " per step on this machine, %.2g %% of the available time\n",
            100 * f->step_cost_s / (model->time.step * model->time.scale));
    yk_members_print(model, f, out);
    print_solving(model, f, out);
    if (model->reference)
        fprintf(out, "  reference     about %.2g s for the whole test on this machine\n", f->reference_s);
    if (can_rehearse(f)) {
        yk_demand_print(model, &f->judged.course, out);
        yk_judged_print(model, &f->judged, out);
    }
    print_limits(f, out);
}

/* Are there channels for what `record` says? */
static enum yk_status check_channels(const struct yk_model *model, struct yk_err *err)
{
    struct yk_run_channels channels;
    const enum yk_status st = yk_run_channels(model, &channels, err);

    yk_run_channels_free(&channels);
    return st;
}

bool yk_findings_good(const struct yk_findings *f)
{
    return f->stability.stable && !loop_is_wrong(f) && f->judged.verdict.level != YK_LEVEL_UNUSABLE;
}

static enum yk_status find_all(const struct yk_model *model, struct yk_findings *f, struct yk_err *err)
{
    const struct yk_judging how = {.periods = YK_MARGIN_CHECK, .margin = true, .budget_s = f->budget_s};
    struct yk_budget spent = {0};
    enum yk_status st;

    yk_budget_begin(&spent, 0);
    f->hybrid = yk_model_is_hybrid(model);
    f->duration_s = model->time.end;
    if (!(f->method = yk_method_text(model)) || !(f->doubts = calloc(1, sizeof *f->doubts)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");

    if ((st = yk_model_check_backends(model, err)) || (st = check_channels(model, err)) ||
        (st = inspect_parts(model, f, err)))
        return st;
    if (model->static_path) { /* no method and no loop: limits were compared with the path when it was read */
        f->hybrid = false;
        f->stability.stable = f->quasi_static = true;
        return YK_OK;
    }
    if ((st = yk_check_stability(model, &f->stability, err)) || (st = find_cost(model, f, err)) ||
        (st = yk_reference_cost(model, &f->reference_s, err)) ||
        (f->hybrid && (st = yk_hybrid_judge(model, &how, &f->margin, err))) ||
        (st = find_robustness(model, &spent, f, err)))
        return st;
    yk_findings_frequencies(model, f);
    if ((st = find_doubts(model, f, err)))
        return st;
    if (can_rehearse(f) && (st = yk_judge_rehearsal(model, f->budget_s, &f->judged, err)))
        return st;
    return model->station ? find_limits(model, f, err) : YK_OK;
}

enum yk_status yk_findings_make(const struct yk_model *model, struct yk_findings *f, struct yk_err *err)
{
    const char *stage = yk_progress("timing a step of the experiment");
    const enum yk_status st = find_all(model, f, err);

    yk_progress(stage);
    return st;
}
