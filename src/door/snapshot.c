/* The state of a session as bytes: what its state and that of the reference have changed since the model was made, and
 * what the loop keeps besides (peaks, energies, counters). The bytes hold in other processes. Rows are not among them.
 *
 *     head | numbers of the state | numbers of the reference | the rest, item by item */
#include "door/session.h"
#include "door/state_key.h"

#include "state/state.h"

#include <stdlib.h>
#include <string.h>

#define MARK 0x33304b59454b4f59u /* "YOKEYK03" */

struct head {
    uint64_t mark, model; /* model: a number made of its experiment and the build */
    uint64_t step, state, reference, rest;
    uint64_t rows[YK_STREAMS], reference_step;
    uint64_t flags; /* 1: pushes, 2: has ended, 4: goes on, 8: paused */
    uint64_t sum;   /* of all bytes, with 0 here: a state that is damaged or forged is a wrong motion, or worse */
};

/* FNV-1a. */
static uint64_t mix(uint64_t number, const char *text)
{
    for (; text && *text; text++)
        number = (number ^ (unsigned char)*text) * 0x100000001b3u;
    return number;
}

static uint64_t sum_of(const struct head *head, const unsigned char *bytes, size_t size)
{
    struct head bare = *head;

    bare.sum = 0;
    return yk_state_sum(yk_state_sum(0, &bare, sizeof bare), bytes, size);
}

static uint64_t number_of(const struct yk_model *model)
{
    return mix(mix(mix(mix(0xcbf29ce484222325u, model->text), "\n"), model->overrides), yk_build_id()) +
           yk_state_size(model);
}

/* ---- what is not in the state of the model ---- */

typedef void visit(void *self, void *item, size_t size);

static void each(struct yk_session *s, visit *item, void *self)
{
    struct yk_loop *r = &s->loop;
    struct yk_samples *m = &r->samples;
    struct yk_run_result *result = &s->result;
    const size_t systems = r->model->substructure_count;

    item(self, m->made, sizeof m->made);
    item(self, &m->ticks, sizeof m->ticks);
    item(self, &m->balance.sum, sizeof m->balance.sum);
    item(self, &m->balance.error, sizeof m->balance.error);
    item(self, &m->balance.start, sizeof m->balance.start);
    item(self, m->balance.of, (systems + YK_SIDES) * sizeof *m->balance.of);
    for (int k = 0; k < YK_STREAMS; k++) {
        item(self, m->row[k], m->channels.sets[k].count * sizeof *m->row[k]);
        if (m->view[k].elements)
            item(self, m->view[k].elements, m->channels.element_count * sizeof *m->view[k].elements);
    }
    item(self, result->peaks, m->channels.sets[YK_STREAM_SYSTEM].count * sizeof *result->peaks);
    item(self, &result->status, sizeof result->status);
    item(self, result->reason, sizeof result->reason);
    item(self, &result->energy, sizeof result->energy);
    item(self, &result->energy_scale, sizeof result->energy_scale);
    item(self, &result->energy_error, sizeof result->energy_error);
    item(self, &result->drift_u, sizeof result->drift_u);
    item(self, &result->drift_v, sizeof result->drift_v);
    item(self, &result->largest_u, sizeof result->largest_u);
    item(self, &result->course, sizeof result->course);
    item(self, &r->fine_step, sizeof r->fine_step);
    item(self, &r->own, sizeof r->own);
    item(self, s->pushed, m->channels.dof_count * sizeof *s->pushed);
    if (r->reference.own) {
        item(self, &r->reference.of_u, sizeof r->reference.of_u);
        item(self, &r->reference.of_v, sizeof r->reference.of_v);
        item(self, r->reference.states, 2 * r->reference.dofs * sizeof *r->reference.states);
    }
}

static void count(void *self, void *item, size_t size)
{
    *(size_t *)self += size;
}

static void take(void *self, void *item, size_t size)
{
    unsigned char **to = self;

    if (size)
        memcpy(*to, item, size);
    *to += size;
}

static void give(void *self, void *item, size_t size)
{
    const unsigned char **from = self;

    if (size)
        memcpy(item, *from, size);
    *from += size;
}

/* ---- save ---- */

static enum yk_status write_all(struct yk_session *s, void **bytes, size_t *size, struct yk_err *err)
{
    struct yk_loop *r = &s->loop;
    uint64_t *state = NULL, *reference = NULL;
    size_t state_count, reference_count = 0, rest = 0;
    enum yk_status st = yk_state_changes(&r->state, &state, &state_count, err);

    if (!st && r->reference.own)
        st = yk_state_changes(&r->reference.state, &reference, &reference_count, err);
    each(s, count, &rest);
    *size = sizeof(struct head) + (state_count + reference_count) * sizeof *state + rest;
    if (!st && !(*bytes = malloc(*size)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a state of %zu bytes", *size);
    if (!st) {
        struct head head = {.mark = MARK,
                            .model = number_of(s->model),
                            .step = (uint64_t)r->state.step,
                            .state = state_count,
                            .reference = reference_count,
                            .rest = rest,
                            .reference_step = (uint64_t)r->reference.state.step,
                            .flags = (s->pushes ? 1u : 0) | (s->ended ? 2u : 0) | (r->goes_on ? 4u : 0) |
                                     (atomic_load(&s->paused) ? 8u : 0)};
        unsigned char *at = *bytes;

        for (int k = 0; k < YK_STREAMS; k++)
            head.rows[k] = s->rows[k].count;
        at += sizeof head;
        take(&at, state, state_count * sizeof *state);
        take(&at, reference, reference_count * sizeof *reference);
        each(s, take, &at);
        head.sum = sum_of(&head, (const unsigned char *)*bytes + sizeof head, *size - sizeof head);
        memcpy(*bytes, &head, sizeof head);
    }
    free(state);
    free(reference);
    return st;
}

enum yk_status yk_session_save(const struct yk_session *session, void **bytes, size_t *size, struct yk_err *err)
{
    struct yk_session *s = (struct yk_session *)session; /* is the same afterwards */
    enum yk_status st;

    *bytes = NULL;
    *size = 0;
    if (s->settings.threads > 1 || s->settings.realtime || s->follower.along)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "a run on two threads, paced in real time or along given displacements cannot be saved");
    void *self;
    if (s->loop.state.station && !(yk_station_rig(s->loop.state.station, &self)->can & YK_RIG_SIMULATES))
        return yk_fail(err, YK_E_UNSUPPORTED, "a rig outside this process cannot go back, so its run cannot be saved");
    yk_session_detach(s);
    st = write_all(s, bytes, size, err);
    yk_session_attach(s);
    return st;
}

/* ---- restore ---- */

static enum yk_status read_head(const struct yk_session *s, const void *bytes, size_t size, struct head *head,
                                struct yk_err *err)
{
    size_t rest = 0;

    if (size < sizeof *head)
        return yk_fail(err, YK_E_INPUT, "the saved state is incomplete");
    memcpy(head, bytes, sizeof *head);
    if (head->mark != MARK || head->model != number_of(s->model))
        return yk_fail(err, YK_E_INPUT, "the saved state is not one of this experiment and this build of the library");
    each((struct yk_session *)s, count, &rest);
    if (head->rest != rest || head->state > size || head->reference > size ||
        sizeof *head + (head->state + head->reference) * sizeof(uint64_t) + rest != size)
        return yk_fail(err, YK_E_INPUT, "the saved state is incomplete");
    if (head->sum != sum_of(head, (const unsigned char *)bytes + sizeof *head, size - sizeof *head))
        return yk_fail(err, YK_E_INPUT,
                       "the saved state is damaged, or was made by another user: its check sum is wrong");
    return YK_OK;
}

enum yk_status yk_session_restore(struct yk_session *s, const void *bytes, size_t size, struct yk_err *err)
{
    struct yk_loop *r = &s->loop;
    const unsigned char *at = bytes;
    struct head head;
    enum yk_status st = read_head(s, bytes, size, &head, err);
    uint64_t *numbers = NULL;

    if (st)
        return st;
    if (s->ended)
        return yk_fail(err, YK_E_INPUT, "this run has ended; start another one to continue from the saved state");
    const size_t words = head.state + head.reference;
    if (!(numbers = malloc((words + 1) * sizeof *numbers))) /* the bytes need not be aligned */
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(numbers, at + sizeof head, words * sizeof *numbers);
    at += sizeof head + words * sizeof *numbers;
    if (head.flags & 1 && !s->pushes && (st = yk_session_begin_pushing(s, err))) {
        free(numbers);
        return st;
    }
    yk_session_detach(s);
    st = yk_state_apply(&r->state, numbers, head.state, err);
    if (!st && r->reference.own)
        st = yk_state_apply(&r->reference.state, numbers + head.state, head.reference, err);
    yk_session_attach(s);
    free(numbers);
    if (st)
        return st;
    each(s, give, &at);
    r->state.step = (long)head.step;
    if (r->reference.own) {
        r->reference.state.step = (long)head.reference_step;
        r->reference.made = r->state.step;
    }
    r->goes_on = head.flags & 4;
    r->gave_up = false;
    atomic_store(&s->paused, (head.flags & 8) != 0);
    for (int k = 0; k < YK_STREAMS; k++)
        if (s->rows[k].count > head.rows[k])
            s->rows[k].count = head.rows[k];
    if (s->pushes)
        yk_session_distribute(s);
    yk_session_see_motion(s);
    return YK_OK;
}

/* ---- copy ---- */

enum yk_status yk_session_copy(struct yk_session **created, const struct yk_session *s, struct yk_err *err)
{
    const struct yk_session_settings settings = {.threads = 1, .checked = true};
    struct yk_session *c;
    void *bytes;
    size_t size;
    enum yk_status st;

    *created = NULL;
    if ((st = yk_session_save(s, &bytes, &size, err)))
        return st;
    if (!(st = yk_session_begin(&c, s->model, &settings, err))) {
        for (int k = 0; k < YK_STREAMS && s->loop.rows && !st; k++)
            st = yk_rows_copy(&c->rows[k], &s->rows[k], err);
        c->loop.rows = s->loop.rows ? c->rows : NULL;
        if (!st)
            st = yk_session_restore(c, bytes, size, err);
        if (st)
            yk_session_close(c);
        else
            *created = c;
    }
    free(bytes);
    return st;
}
