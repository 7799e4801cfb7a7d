/* A hybrid loop as a linear process with a port for each uncertain factor. docs/theory/certificates.md, section 4.
 * Units: N, m, s.
 *
 * A factor acts through ports if it scales a matrix of a specimen all of whose degrees of freedom are moved by
 * actuators (the push is a force behind the specimen), or the gain of a sensor (a push behind the reading). One set of
 * pushes, at each tick of a cycle, gives the answers for all of them. */
#include "analyze/analyze.h"
#include "analyze/loop_answers.h"

#include "linalg/blas.h"
#include "rig/virtual/rig.h"
#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORCE_PUSH   1.0  /* N, where a specimen has no stiffness */
#define MOTION_PUSH  1e-5 /* m */
#define SLOWEST_PART 0.1  /* of the test: the period that counts where nothing has a frequency */
enum { MOST_DOFS = 100 };

/* An answer of a tick: a row of dK, dC, dM over the moved degrees of freedom of a specimen, or a part of a reading. */
struct answer {
    size_t parameter, place; /* place: for its push */
    size_t first, count;     /* numbers of the specimen it is made of; count 0: of the reading `first` */
    double *row;             /* 3 count; of a reading 1 */
};

struct plan {
    struct yk_rig_places rig; /* first: the callbacks find the plan by it */
    struct answer *answer;
    size_t room;
    size_t *place;
    double *amount, *rows;
};

static struct yk_virtual_rig *rig_of(struct yk_station *station)
{
    void *self;
    const struct yk_rig_ops *ops = station ? yk_station_rig(station, &self) : NULL;

    return ops ? yk_rig_simulation(ops, self) : NULL;
}

static void make_answers(const struct yk_rig_places *rig, const double *numbers, double *answers)
{
    const struct plan *p = (const struct plan *)rig;

    for (size_t a = 0; a < rig->answers; a++) {
        const struct answer *one = &p->answer[a];

        answers[a] = one->count ? 0 : one->row[0] * numbers[one->first];
        for (size_t i = 0; i < 3 * one->count; i++)
            answers[a] += one->row[i] * numbers[one->first + i];
    }
}

static void attach(const struct yk_rig_places *rig, struct yk_state *m, struct yk_rig_probe *probe)
{
    yk_virtual_rig_probe(rig_of(m->station), probe);
}

/* The index among the places that are pushed; a new one where it is not there yet. */
static size_t find_place(struct plan *p, size_t place, double amount)
{
    for (size_t i = 0; i < p->rig.places; i++)
        if (p->place[i] == place)
            return i;
    p->place[p->rig.places] = place;
    p->amount[p->rig.places] = amount;
    return p->rig.places++;
}

/* ---- what differs between two rigs ---- */

static bool add_rows(struct plan *p, size_t parameter, const struct yk_virtual_specimen *s,
                     const struct yk_virtual_specimen *t, size_t first)
{
    const struct yk_matrix *from[] = {&s->model->K, &s->model->C, &s->model->M},
                           *to[] = {&t->model->K, &t->model->C, &t->model->M};
    bool any = false;

    for (size_t i = 0; i < s->moved_count; i++) {
        const size_t n = s->moved_count;
        double *row = p->rows, most = 0;

        for (size_t j = 0; j < n; j++)
            for (int q = 0; q < 3; q++) {
                row[3 * j + (size_t)q] =
                    yk_matrix_get(to[q], s->moved[i], s->moved[j]) - yk_matrix_get(from[q], s->moved[i], s->moved[j]);
                most = fmax(most, fabs(row[3 * j + (size_t)q]));
            }
        if (most == 0)
            continue;
        if (p->rig.answers == p->room)
            return false;
        const double k = fabs(yk_matrix_get(from[0], s->moved[i], s->moved[i]));

        p->answer[p->rig.answers++] = (struct answer){
            parameter, find_place(p, first + i, k > 0 ? k * MOTION_PUSH : FORCE_PUSH), 3 * first, n, row};
        p->rows += 3 * n;
        any = true;
    }
    return any;
}

static bool add_gain(struct plan *p, size_t parameter, double from, double to, size_t place, size_t number,
                     double amount)
{
    if (from == to || from == 0 || p->rig.answers == p->room)
        return false;
    p->rows[0] = to / from - 1;
    p->answer[p->rig.answers++] = (struct answer){parameter, find_place(p, place, amount), number, 0, p->rows};
    p->rows++;
    return true;
}

/* Adds the ports of a parameter; false: it acts in no way that is known here. */
static bool compare_rigs(struct plan *p, size_t parameter, const struct yk_virtual_rig *rig,
                         const struct yk_virtual_rig *other)
{
    const size_t moved = yk_virtual_rig_moved(rig), n = rig->count;
    size_t first = 0;
    bool any = false;

    if (rig->count != other->count || rig->specimen_count != other->specimen_count)
        return false;
    for (size_t k = 0; k < rig->specimen_count; k++) {
        const struct yk_virtual_specimen *s = &rig->specimens[k], *t = &other->specimens[k];

        if (s->model->linear && t->model->linear && s->model->n == s->moved_count && t->model->n == s->model->n)
            any |= add_rows(p, parameter, s, t, first);
        first += s->moved_count;
    }
    for (size_t i = 0; i < n; i++) {
        const struct yk_virtual_actuator *a = &rig->actuators[i], *b = &other->actuators[i];

        any |= add_gain(p, parameter, a->force.gain, b->force.gain, moved + i, 3 * moved + i, FORCE_PUSH);
        any |= add_gain(p, parameter, a->displacement.gain, b->displacement.gain, moved + n + i, 3 * moved + n + i,
                        MOTION_PUSH);
    }
    return any;
}

/* ---- the process ---- */

void yk_loop_ported_free(struct yk_loop_ported *l)
{
    free(l->A);
    free(l->parameter);
    free(l->acts);
    *l = (struct yk_loop_ported){0};
}

/* Real numbers from the scaled ones of the answers. */
static double of_output(const struct yk_loop_answers *l, size_t output, const double *shape)
{
    double sum = 0;

    for (size_t i = 0; i < l->shapes; i++)
        sum += l->U[output + i * l->outputs] * shape[i];
    return sum * l->size[output];
}

static enum yk_status keep(struct yk_loop_ported *out, const struct yk_loop_answers *l, const struct plan *p,
                           struct yk_err *err)
{
    const size_t n = l->states, m = l->ticks * p->rig.answers;

    out->states = n;
    out->ports = m;
    out->cycle_s = l->cycle_s;
    out->A = yk_doubles(n * n + 2 * n * m + m * m + 1);
    out->parameter = calloc(m + 1, sizeof *out->parameter);
    if (!out->A || !out->parameter)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    out->B = out->A + n * n;
    out->C = out->B + n * m;
    out->D = out->C + n * m;
    memcpy(out->A, l->A, n * n * sizeof *out->A);
    for (size_t j = 0; j < m; j++) {
        const struct answer *a = &p->answer[j % p->rig.answers];
        const size_t input = l->ports + j / p->rig.answers * p->rig.places + a->place;

        out->parameter[j] = a->parameter;
        for (size_t i = 0; i < n; i++)
            out->B[i + j * n] = l->B[i + input * n] * l->weight[input];
        for (size_t i = 0; i < m; i++)
            out->D[i + j * m] = of_output(l, l->ports + i, l->D + input * l->shapes) * l->weight[input];
        for (size_t i = 0; i < n; i++)
            out->C[j + i * m] = of_output(l, l->ports + j, l->C + i * l->shapes);
    }
    return YK_OK;
}

/* As yk_model_margin, of the structure with the estimates. */
static double lowest_frequency(const struct yk_model *e)
{
    bool rigid;
    const double w = yk_lowest_elastic(e->assembly->system, &rigid);

    return w > 0 ? w : fmin(2 * M_PI / (SLOWEST_PART * e->time.end), M_PI / (7 * e->time.step));
}

static enum yk_status plan_open(struct plan *p, struct yk_loop_ported *out, const struct yk_model *model,
                                const struct yk_model *const *varied, size_t count, struct yk_err *err)
{
    const struct yk_virtual_rig *rig = rig_of(model->station);
    const size_t moved = yk_virtual_rig_moved(rig), most = count * (moved + 2 * rig->count);

    *p = (struct plan){.rig = {.pushes = moved + 2 * rig->count,
                               .numbers = 3 * moved + 2 * rig->count,
                               .answer = make_answers,
                               .attach = attach},
                       .room = most};
    p->answer = calloc(most + 1, sizeof *p->answer);
    p->place = calloc(moved + 2 * rig->count + 1, sizeof *p->place);
    p->amount = yk_doubles(moved + 2 * rig->count + 1 + most * (3 * moved + 1));
    out->acts = calloc(count + 1, sizeof *out->acts);
    if (!p->answer || !p->place || !p->amount || !out->acts)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    p->rows = p->amount + moved + 2 * rig->count + 1;
    for (size_t i = 0; i < count; i++)
        out->acts[i] = varied[i] && compare_rigs(p, i, rig, rig_of(varied[i]->station));
    p->rig.place = p->place;
    p->rig.amount = p->amount;
    return YK_OK;
}

static enum yk_status take(struct yk_loop_ported *out, const struct plan *p, const struct yk_model *model,
                           struct yk_err *err)
{
    struct yk_watched how = {.omega = lowest_frequency(model)};
    struct yk_loop_answers answers;
    struct yk_state m;
    bool told = false;
    enum yk_status st = yk_loop_motion(model, NULL, 0, &m, err);

    if (st)
        return st;
    if (!out->linear)
        st = yk_decay_by_matrix(&m, &how, &out->linear, &out->decay, err);
    if (!st && out->linear) {
        st = yk_loop_answers_take_with(&answers, &m, &how, &p->rig, &told, err);
        if (!st && told && !(st = keep(out, &answers, p, err)))
            out->told = true;
        yk_loop_answers_free(&answers);
    }
    yk_state_close(&m);
    return st ? yk_fail_within(err, YK_NOWHERE, "hybrid loop: ") : st;
}

enum yk_status yk_loop_ports(const struct yk_model *model, const struct yk_model *const *varied, size_t count,
                             bool known_linear, struct yk_loop_ported *out, struct yk_err *err)
{
    struct plan p;
    enum yk_status st;

    *out = (struct yk_loop_ported){.linear = known_linear, .decay = NAN};
    if (!rig_of(model->station))
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(model->path),
                          "this would move a rig outside this process: read the experiment to rehearse it");
    if (model->assembly->system->n > MOST_DOFS)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(model->path),
                          "the structure has %zu degrees of freedom; its loop is realised up to %d",
                          model->assembly->system->n, MOST_DOFS);
    if (!(st = plan_open(&p, out, model, varied, count, err)))
        st = take(out, &p, model, err);
    free(p.answer);
    free(p.place);
    free(p.amount);
    if (st)
        yk_loop_ported_free(out);
    return st;
}
