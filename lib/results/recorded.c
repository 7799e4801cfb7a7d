/* Results of runs, from their recordings. Units: N, m, s. */
#include "results_parts.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/json.h>

#define G 9.80665

struct yk_recorded_results {
    struct yk_parts *parts;
    struct yk_results *results;
    struct yk_record *record;
    struct yk_kept_rows rows;
    bool settled; /* the parts are in equilibrium with the permanent loads */
    /* where the row has the values, by substructure; -1: it was not recorded */
    long **u, **a, **basic;
    /* values of a row */
    double **now, **accelerations, **forces;
    struct yk_result_state *states;
    const double **motions;
};

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the results of the recording");
}

/* ---- channels by name ------------------------------------------------------------------------------------------ */

struct named {
    const char *name;
    size_t length, column;
};

static int by_name(const void *x, const void *y)
{
    const struct named *a = x, *b = y;
    const int order = strncmp(a->name, b->name, a->length < b->length ? a->length : b->length);

    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

/* The names of all channels, sorted. */
static struct named *sort_names(const struct yk_kept_rows *rows)
{
    struct named *all = malloc((rows->channels + 1) * sizeof *all);
    const char *at = rows->names;

    for (size_t i = 0; all && i < rows->channels; i++) {
        all[i] = (struct named){at, strcspn(at, "\n"), i};
        at += all[i].length + (at[all[i].length] != 0);
    }
    if (all)
        qsort(all, rows->channels, sizeof *all, by_name);
    return all;
}

static long find(const struct named *all, size_t count, const char *name)
{
    const struct named key = {name, strlen(name), 0};
    const struct named *found = bsearch(&key, all, count, sizeof *all, by_name);

    return found ? (long)found->column : -1;
}

static void find_members(struct yk_recorded_results *r, const struct named *names, size_t part)
{
    static const char *const plane[YK_RESULT_BASIC] = {"N", "M1", "M2", NULL, NULL, NULL};
    static const char *const space[YK_RESULT_BASIC] = {"N", "Mz1", "Mz2", "My1", "My2", "T"};

    for (size_t i = 0; i < r->results->member_count; i++) {
        const struct member *m = &r->results->members[i];

        if (m->part != part || m->K)
            continue;
        for (size_t c = 0; c < YK_RESULT_BASIC; c++) {
            const char *last = (m->plane ? plane : space)[c];
            char name[400];

            snprintf(name, sizeof name, "%s.%s.%s", yk_part(r->parts, part)->name, m->name, last ? last : "");
            r->basic[part][m->basic * YK_RESULT_BASIC + c] = last ? find(names, r->rows.channels, name) : -1;
        }
    }
}

static enum yk_status find_part(struct yk_recorded_results *r, const struct named *names, size_t k, struct yk_err *err)
{
    const struct yk_substructure *s = yk_part(r->parts, k);
    const size_t n = s->system->n, m = YK_RESULT_BASIC * yk_results_members(r->results, k);

    r->u[k] = malloc((2 * n + m + 1) * sizeof **r->u);
    r->now[k] = calloc(2 * n + m + 1, sizeof **r->now);
    if (!r->u[k] || !r->now[k])
        return no_memory(err);
    r->a[k] = r->u[k] + n;
    r->basic[k] = r->a[k] + n;
    r->accelerations[k] = r->now[k] + n;
    r->forces[k] = r->accelerations[k] + n;
    r->states[k] = (struct yk_result_state){r->now[k], r->forces[k]};
    r->motions[k] = r->accelerations[k];
    for (size_t i = 0; i < n; i++) {
        char name[400];

        snprintf(name, sizeof name, "%s.%s.u", s->name, s->dofs[i]);
        r->u[k][i] = find(names, r->rows.channels, name);
        name[strlen(name) - 1] = 'a';
        r->a[k][i] = find(names, r->rows.channels, name);
    }
    for (size_t i = 0; i < m; i++)
        r->basic[k][i] = -1;
    find_members(r, names, k);
    return YK_OK;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

/* settled: in equilibrium with the permanent loads. That takes most of the time of opening; the first row of a
 * structure of one part shows where they have moved it. */
static enum yk_status open_parts(struct yk_recorded_results *r, const char *path, bool settled, struct yk_err *err)
{
    const char *text = yk_record_text(r->record, "experiment"), *from = yk_record_text(r->record, "experiment_path"),
               *settings = yk_record_text(r->record, "overrides");
    char *lines = strdup(settings ? settings : "");
    const char *words[64];
    size_t count = 0;
    enum yk_status st;

    if (!lines)
        return no_memory(err);
    if (!text || !from) {
        free(lines);
        return yk_fail(err, YK_E_INPUT, "%s holds no experiment", path);
    }
    char *save = NULL;
    for (char *line = strtok_r(lines, "\n", &save); line && count < 64; line = strtok_r(NULL, "\n", &save))
        words[count++] = line;
    st = yk_parts_open(&r->parts,
                       &(struct yk_model_source){.path = from,
                                                 .text = text,
                                                 .size = strlen(text),
                                                 .overrides = words,
                                                 .override_count = count,
                                                 .rehearse = true,
                                                 .statics = !settled},
                       err);
    free(lines);
    return st;
}

static bool has_displacements(const struct yk_recorded_results *r)
{
    const struct yk_assembly *a = yk_parts_assembly(r->parts);

    if (!a->borrowed || yk_parts_count(r->parts) != 1 || r->rows.count == 0)
        return false;
    for (size_t i = 0; i < yk_part(r->parts, 0)->system->n; i++)
        if (r->u[0][i] < 0)
            return false;
    return true;
}

static void free_columns(struct yk_recorded_results *r)
{
    for (size_t k = 0; r->parts && r->u && r->now && k < yk_parts_count(r->parts); k++) {
        free(r->u[k]);
        free(r->now[k]);
    }
    free(r->u);
    free(r->now);
    free(r->states);
    free(r->motions);
    yk_results_close(r->results);
    yk_parts_close(r->parts);
    r->u = NULL;
    r->now = NULL;
    r->states = NULL;
    r->motions = NULL;
    r->results = NULL;
    r->parts = NULL;
}

static enum yk_status find_columns(struct yk_recorded_results *r, const char *path, bool settled, struct yk_err *err)
{
    struct named *names = NULL;
    enum yk_status st;

    if ((st = open_parts(r, path, settled, err)) || (st = yk_results_open(&r->results, r->parts, err)))
        return st;
    const size_t parts = yk_parts_count(r->parts);

    r->rows = yk_record_rows(r->record, "system");
    r->u = calloc(3 * parts + 1, sizeof *r->u);
    r->now = calloc(3 * parts + 1, sizeof *r->now);
    r->states = calloc(parts + 1, sizeof *r->states);
    r->motions = calloc(parts + 1, sizeof *r->motions);
    names = sort_names(&r->rows);
    if (!r->u || !r->now || !r->states || !r->motions || !names) {
        st = no_memory(err);
    } else {
        r->a = r->u + parts;
        r->basic = r->u + 2 * parts;
        r->accelerations = r->now + parts;
        r->forces = r->now + 2 * parts;
        for (size_t k = 0; k < parts && !st; k++)
            st = find_part(r, names, k, err);
    }
    free(names);
    r->settled = settled;
    return st;
}

enum yk_status yk_recorded_results_open(struct yk_recorded_results **created, const char *path, struct yk_err *err)
{
    struct yk_recorded_results *r = calloc(1, sizeof *r);
    enum yk_status st;

    *created = NULL;
    if (!r)
        return no_memory(err);
    if (!(st = yk_record_read(&r->record, path, err)) && !(st = find_columns(r, path, false, err)) &&
        !has_displacements(r)) {
        free_columns(r);
        st = find_columns(r, path, true, err);
    }
    if (st)
        yk_recorded_results_close(r);
    else
        *created = r;
    return st;
}

void yk_recorded_results_close(struct yk_recorded_results *r)
{
    if (!r)
        return;
    free_columns(r);
    if (r->record)
        yk_record_close(r->record);
    free(r);
}

struct yk_results *yk_recorded_results_of(struct yk_recorded_results *r)
{
    return r->results;
}

size_t yk_recorded_results_rows(const struct yk_recorded_results *r)
{
    return r->rows.count;
}

/* ---- a row ----------------------------------------------------------------------------------------------------- */

/* Acceleration of the ground along a direction, from the loads of the file. */
static double ground(const struct yk_recorded_results *r, size_t part, char direction, double t)
{
    const struct yk_node *loads = yk_node_get(yk_parts_tree(r->parts), "loads");
    double sum = 0;

    for (size_t i = 0; i < yk_parts_loads(r->parts); i++) {
        const struct yk_load *load = yk_parts_load(r->parts, i);

        if (!load->ground || load->substructure != part)
            continue;
        const struct yk_node *influence = yk_node_get(loads->items[load->entry], "influence"),
                             *factor = influence ? yk_node_get(influence, (char[]){direction, 0}) : NULL;

        if (!influence || factor)
            sum += load->signal->value(load->settings, t) * (factor && factor->text ? strtod(factor->text, NULL) : 1);
    }
    return sum;
}

static double take(const double *row, long column)
{
    return column >= 0 ? row[column] : NAN;
}

void yk_recorded_results_row(struct yk_recorded_results *r, size_t at, double *time, double *values,
                             double *accelerations)
{
    const double *row = r->rows.rows + at * r->rows.channels;
    const struct yk_results *all = r->results;

    *time = row[0];
    for (size_t k = 0; k < yk_parts_count(r->parts); k++) {
        const size_t n = yk_part(r->parts, k)->system->n, m = YK_RESULT_BASIC * yk_results_members(r->results, k);

        for (size_t i = 0; i < n; i++) {
            r->now[k][i] = take(row, r->u[k][i]);
            r->accelerations[k][i] = take(row, r->a[k][i]);
        }
        for (size_t i = 0; i < m; i++)
            r->forces[k][i] = take(row, r->basic[k][i]);
    }
    yk_results_at(r->results, r->states, values);
    yk_results_floors_at(r->results, r->motions, accelerations);
    for (size_t i = 1; i < all->level_count; i++)
        for (size_t d = 0; d < all->horizontal; d++)
            accelerations[(i - 1) * all->horizontal + d] += ground(r, all->levels[i].nodes[0].part, "xyz"[d], row[0]);
}

/* ---- peaks ----------------------------------------------------------------------------------------------------- */

static void widen(struct yk_peak *p, double value, double t)
{
    if (!(value >= p->least)) { /* also the first one */
        p->least = isfinite(value) ? value : p->least;
        p->least_s = isfinite(value) ? t : p->least_s;
    }
    if (!(value <= p->most)) {
        p->most = isfinite(value) ? value : p->most;
        p->most_s = isfinite(value) ? t : p->most_s;
    }
}

/* A matrix in the pattern of the system, or dense. */
static enum yk_status make_room(const struct yk_system *s, struct yk_matrix *A)
{
    const struct yk_pattern *p = &s->pattern;
    double *zeros;
    enum yk_status st;

    if (!p->col)
        return yk_matrix_init(A, YK_DENSE, s->n, s->n, NULL);
    if (!(zeros = calloc(p->entries + 1, sizeof *zeros)))
        return YK_E_MEMORY;
    st = yk_matrix_copy(
        A, &(struct yk_matrix){.form = YK_SPARSE, .rows = s->n, .cols = s->n, .x = zeros, .col = p->col, .row = p->row},
        NULL);
    free(zeros);
    return st;
}

/* The stiffness of the structure where the first row shows it: members are led there in one step. */
static enum yk_status first_stiffness(const struct yk_recorded_results *r, struct yk_system *s, struct yk_matrix *K)
{
    double *u = calloc(3 * s->n + 1, sizeof *u), *zero = u ? u + s->n : NULL;
    struct yk_matrix C = {0};
    enum yk_status st = u ? YK_OK : YK_E_MEMORY;

    for (size_t i = 0; i < s->n && !st; i++)
        u[i] = r->rows.rows[r->u[0][i]];
    if (s->ops->carry && !st)
        s->ops->carry(s->self, u);
    else if (!st && s->ops->rest)
        s->ops->rest(s->self, u);
    if (!st && !(st = make_room(s, K)) && !(st = make_room(s, &C))) {
        yk_system_force(s, 0, zero, u, zero, zero + s->n);
        if (s->pattern.col)
            s->ops->sparse_tangent(s->self, u, zero, K->x, C.x);
        else
            s->ops->tangent(s->self, u, zero, K->x, C.x);
    }
    yk_matrix_fini(&C);
    free(u);
    return st;
}

/* First period at the start of the run; NaN: none. */
static double first_period(const struct yk_recorded_results *r)
{
    const struct yk_assembly *a = yk_parts_assembly(r->parts);
    struct yk_matrix K = {0};
    double w2 = 0;
    bool known = a->system;

    if (known && !r->settled && !a->system->linear)
        known = !first_stiffness(r, a->system, &K);
    known = known && !yk_eigen_symmetric(K.x ? &K : &a->system->K, &a->system->M, 1, &w2, NULL, NULL);
    yk_matrix_fini(&K);
    return known && w2 > 0 ? 2 * 3.14159265358979323846 / sqrt(w2) : NAN;
}

static double moving_weight(const struct yk_recorded_results *r)
{
    double sum = 0;

    for (size_t k = 0; k < yk_parts_count(r->parts); k++) {
        const struct yk_substructure *s = yk_part(r->parts, k);
        double *b = calloc(2 * s->system->n + 1, sizeof *b), *Mb = b + s->system->n;

        for (size_t i = 0; b && i < s->system->n; i++) {
            const char *dot = strrchr(s->dofs[i], '.');

            b[i] = strcmp(dot ? dot + 1 : s->dofs[i], "x") == 0;
        }
        if (b) {
            yk_matrix_add_product(&s->system->M, 1, b, Mb);
            sum += G * yk_dot(s->system->n, b, Mb);
        }
        free(b);
    }
    return sum;
}

enum yk_status yk_run_results_find(struct yk_run_results *f, struct yk_recorded_results *r, struct yk_err *err)
{
    const size_t results = yk_results_count(r->results), floors = yk_results_floors(r->results), all = results + floors;
    const size_t rows = r->rows.count;
    double *row = calloc(all + 1, sizeof *row), *low, *high;
    double t = 0, step = rows > 1 ? r->rows.rows[r->rows.channels] - r->rows.rows[0] : 1;

    *f = (struct yk_run_results){.results = results, .floors = floors};
    f->peak = malloc((all + 1) * sizeof *f->peak);
    f->residual = calloc(4 * all + 1, sizeof *f->residual);
    if (!row || !f->peak || !f->residual) {
        free(row);
        yk_run_results_free(f);
        return no_memory(err);
    }
    f->amplitude = f->residual + all;
    low = f->residual + 2 * all;
    high = f->residual + 3 * all;
    f->period_s = first_period(r);
    f->weight_N = moving_weight(r);
    for (size_t i = 0; i < all; i++) {
        f->peak[i] = (struct yk_peak){NAN, NAN, NAN, NAN};
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    const double period = isfinite(f->period_s) ? ceil(f->period_s / step - 1e-9) : 1;
    const size_t last = period >= 1 && period < (double)rows ? (size_t)period : rows;

    for (size_t k = 0; k < rows; k++) {
        yk_recorded_results_row(r, k, &t, row, row + results);
        for (size_t i = 0; i < all; i++) {
            widen(&f->peak[i], row[i], t);
            if (k + last < rows)
                continue;
            f->residual[i] += row[i] / (double)last;
            low[i] = fmin(low[i], row[i]);
            high[i] = fmax(high[i], row[i]);
        }
    }
    for (size_t i = 0; i < all; i++)
        f->amplitude[i] = 0.5 * (high[i] - low[i]);
    free(row);
    return YK_OK;
}

void yk_run_results_free(struct yk_run_results *f)
{
    free(f->peak);
    free(f->residual);
    *f = (struct yk_run_results){0};
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

/* The larger of both signs. */
static double size_of(const struct yk_peak *p, double *t)
{
    const bool most = !(fabs(p->least) > fabs(p->most));

    if (t)
        *t = most ? p->most_s : p->least_s;
    return most ? fabs(p->most) : fabs(p->least);
}

static json_t *peak_json(const struct yk_peak *p)
{
    double t;
    const double size = size_of(p, &t);

    return json_pack("{s:o, s:o, s:o, s:o}", "peak", yk_json_number(size), "time_s", yk_json_number(t), "least",
                     yk_json_number(p->least), "most", yk_json_number(p->most));
}

static json_t *storeys_json(const struct yk_run_results *f, const struct yk_results *r)
{
    json_t *all = json_array();

    for (size_t i = 1; i < r->level_count; i++)
        for (size_t d = 0; d < r->horizontal; d++) {
            const size_t at = (i - 1) * r->horizontal + d;
            json_t *one = peak_json(&f->peak[r->drift + at]);

            json_object_set_new(one, "name", json_string(r->results[r->drift + at].name));
            json_object_set_new(one, "floor", json_string(r->levels[i].name));
            json_object_set_new(one, "height_m", json_real(r->levels[i].height));
            json_object_set_new(one, "residual", yk_json_number(f->residual[r->drift + at]));
            json_object_set_new(one, "amplitude", yk_json_number(f->amplitude[r->drift + at]));
            json_object_set_new(one, "shear_N", yk_json_number(size_of(&f->peak[r->shear + at], NULL)));
            json_object_set_new(one, "displacement_m", yk_json_number(size_of(&f->peak[r->floor + at], NULL)));
            json_object_set_new(one, "acceleration_m_s2", yk_json_number(size_of(&f->peak[f->results + at], NULL)));
            json_array_append_new(all, one);
        }
    return all;
}

static json_t *drift_json(const struct yk_run_results *f, const struct yk_results *r)
{
    double most = -1, residual = 0, t = NAN;
    size_t storey = 0;
    bool moving = false;

    for (size_t i = 1; i < r->level_count; i++)
        for (size_t d = 0; d < r->horizontal; d++) {
            const size_t at = r->drift + (i - 1) * r->horizontal + d;
            double when;
            const double size = size_of(&f->peak[at], &when);

            if (size > most) {
                most = size;
                t = when;
                storey = i;
            }
            if (!(fabs(f->residual[at]) <= residual)) {
                residual = fabs(f->residual[at]);
                moving = f->amplitude[at] > residual;
            }
        }
    if (most < 0)
        return json_null();
    return json_pack("{s:o, s:I, s:o, s:o, s:b, s:o}", "peak", yk_json_number(most), "storey", (json_int_t)storey,
                     "time_s", yk_json_number(t), "residual", yk_json_number(residual), "still_moving", moving,
                     "period_s", yk_json_number(f->period_s));
}

static json_t *members_json(const struct yk_run_results *f, const struct yk_results *r)
{
    json_t *all = json_array();
    size_t at = r->ends;

    for (size_t i = 0; i < r->member_count; i++) {
        const struct member *m = &r->members[i];
        const size_t shown = m->plane ? SHOWN_PLANE : SHOWN_SPACE;
        json_t *one = json_object();
        char name[400];

        snprintf(name, sizeof name, "%s.%s", yk_part(r->parts, m->part)->name, m->name);
        json_object_set_new(one, "name", json_string(name));
        for (size_t k = 0; k < shown; k++)
            json_object_set_new(one, results_shown[m->plane ? 0 : 1][k],
                                yk_json_number(size_of(&f->peak[at + k], NULL)));
        at += shown;
        json_array_append_new(all, one);
    }
    return all;
}

json_t *yk_run_results_json(const struct yk_run_results *f, struct yk_recorded_results *recorded)
{
    const struct yk_results *r = recorded->results;
    json_t *base = json_object(), *reactions = json_object(), *turning = json_object();

    for (size_t i = r->base; i < r->overturning; i++) {
        json_t *one = peak_json(&f->peak[i]);

        if (r->results[i].unit[1] == 0)
            json_object_set_new(one, "over_weight", yk_json_number(size_of(&f->peak[i], NULL) / f->weight_N));
        json_object_set_new(base, r->results[i].name + strlen("base."), one);
    }
    for (size_t i = r->overturning; i < r->ends; i++)
        json_object_set_new(i < r->overturning + r->horizontal ? turning : reactions, r->results[i].name,
                            peak_json(&f->peak[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "drift", drift_json(f, r), "storeys",
                     storeys_json(f, r), "base", base, "overturning", turning, "reactions", reactions, "members",
                     members_json(f, r), "hinges", results_hinges(recorded->parts, &recorded->rows), "weight_N",
                     yk_json_number(f->weight_N), "note", r->why);
}
