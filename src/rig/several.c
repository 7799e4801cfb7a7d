/* Several rigs as one: it distributes commands, collects readings and returns the worst answer. The rigs are served one
 * after the other, so the longest wait is the sum of theirs. */
#include "rig/several.h"

#include "rig/remote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- preparation ---- */

static void free_plan(struct yk_rig_plan *plan)
{
    free((void *)plan->names);
    free((void *)plan->kinds);
    free((void *)plan->others);
    free((void *)plan->x0);
    free((void *)plan->sensors);
    free((void *)plan->lines);
    *plan = (struct yk_rig_plan){0};
}

/* Has one of its actuators a second control mode? */
static bool has_modes(const struct yk_rig_member *m, const struct yk_rig_plan *all)
{
    for (size_t i = 0; all->others && all->kinds && i < m->count; i++)
        if (all->others[m->actuators[i]] != all->kinds[m->actuators[i]])
            return true;
    return false;
}

/* Plan of a member: its part of the plan of all. */
static enum yk_status divide(struct yk_rig_member *m, const struct yk_rig_plan *all, struct yk_err *err)
{
    const char **names = calloc(m->count + 1, sizeof *names);
    enum yk_command_kind *kinds = calloc(m->count + 1, sizeof *kinds);
    enum yk_command_kind *others = has_modes(m, all) ? calloc(m->count + 1, sizeof *others) : NULL;
    double *x0 = calloc(2 * m->count + 1, sizeof *x0), *rates = x0 ? x0 + m->count : NULL;
    struct yk_rig_sensor *sensors = calloc(m->sensor_count + 1, sizeof *sensors);
    struct yk_rig_line *lines = calloc(m->line_count + 1, sizeof *lines);

    m->plan = (struct yk_rig_plan){.count = m->count,
                                   .names = names,
                                   .kinds = kinds,
                                   .others = others,
                                   .tick = all->tick,
                                   .x0 = x0,
                                   .mem = all->mem,
                                   .sensor_count = m->sensor_count,
                                   .sensors = sensors,
                                   .line_count = m->line_count,
                                   .lines = lines,
                                   .feeds_forward = all->feeds_forward,
                                   .playout = m->playout,
                                   .silence = all->silence,
                                   .rates = rates};
    if (!names || !kinds || (has_modes(m, all) && !others) || !x0 || !sensors || !lines)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rigs");
    for (size_t i = 0; i < m->count; i++) {
        names[i] = all->names[m->actuators[i]];
        kinds[i] = all->kinds ? all->kinds[m->actuators[i]] : YK_BY_DISPLACEMENT;
        x0[i] = all->x0[m->actuators[i]];
        rates[i] = all->rates ? all->rates[m->actuators[i]] : 0;
        if (others)
            others[i] = all->others[m->actuators[i]];
    }
    for (size_t k = 0; k < m->sensor_count; k++)
        sensors[k] = all->sensors[m->sensors[k]];
    for (size_t k = 0; k < m->line_count; k++)
        lines[k] = all->lines[m->lines[k]];
    return YK_OK;
}

static enum yk_status open_member(struct yk_rig_member *m, const struct yk_rig_plan *all, struct yk_err *err)
{
    enum yk_status st = divide(m, all, err);
    void *self = yk_arena_take(all->mem, m->rig->size);

    yk_arena_array(all->mem, &m->command, 2 * m->count + m->sensor_count + 1);
    yk_arena_array(all->mem, &m->ahead, m->count + 1);
    yk_arena_array(all->mem, &m->in.readings, m->count + 1);
    if (st)
        return st;
    if (!self || !m->command || !m->ahead || !m->in.readings)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rigs");
    m->others = m->command + m->count;
    m->in.sensors = m->others + m->count;
    yk_arena_pointers(all->mem, &m->others, &m->in.sensors, &m->self);
    memcpy(self, m->self, m->rig->size); /* what changes in it belongs to the state */
    free(m->self);
    m->self = self;
    m->placed = true;
    if ((st = m->rig->open(m->self, &m->plan, err)))
        yk_fail_within(err, YK_NOWHERE, "rig %s: ", m->name);
    return st;
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_several_rigs *s = self;
    struct yk_rig_member *members = yk_arena_take(plan->mem, s->count * sizeof *members);
    enum yk_status st = YK_OK;

    if (!members)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rigs");
    memcpy(members, s->members, s->count * sizeof *members);
    free(s->members);
    s->members = members;
    yk_arena_pointer(plan->mem, &s->members);
    s->placed = true;
    for (size_t k = 0; k < s->count && !st; k++)
        st = open_member(&s->members[k], plan, err);
    return st;
}

static void close(void *self)
{
    struct yk_several_rigs *s = self;

    for (size_t k = 0; s->members && k < s->count; k++) {
        struct yk_rig_member *m = &s->members[k];

        if (m->self)
            m->rig->close(m->self);
        if (!m->placed)
            free(m->self);
        free_plan(&m->plan);
        free(m->name);
        free(m->actuators);
        free(m->sensors);
        free(m->lines);
    }
    if (!s->placed)
        free(s->members);
    *s = (struct yk_several_rigs){0};
}

static double worst_wait_s(const void *self)
{
    const struct yk_several_rigs *s = self;
    double sum = 0;

    for (size_t k = 0; k < s->count; k++)
        if (s->members[k].rig->worst_wait_s)
            sum += s->members[k].rig->worst_wait_s(s->members[k].self);
    return sum;
}

/* ---- what is handed out and collected ---- */

YK_RT static struct yk_rig_out share(struct yk_rig_member *m, const struct yk_rig_out *all)
{
    struct yk_rig_out out = {.command = m->command};

    for (size_t i = 0; i < m->count; i++) {
        m->command[i] = all->command[m->actuators[i]];
        if (all->homing && all->homing->actuator == m->actuators[i]) {
            m->homing = (struct yk_homing){i, all->homing->fastest};
            out.homing = &m->homing;
        }
        if (all->ahead)
            m->ahead[i] = all->ahead[m->actuators[i]];
    }
    if (all->ahead)
        out.ahead = m->ahead;
    for (size_t i = 0; m->plan.others && all->others && i < m->count; i++) {
        m->others[i] = all->others[m->actuators[i]];
        out.modes |= (all->modes >> m->actuators[i] & 1) << i;
        out.others = m->others;
    }
    for (size_t k = 0; k < m->line_count; k++)
        out.lines |= (all->lines >> m->lines[k] & 1) << k;
    return out;
}

YK_RT static void collect(const struct yk_rig_member *m, struct yk_rig_in *all)
{
    for (size_t i = 0; i < m->count; i++)
        all->readings[m->actuators[i]] = m->in.readings[i];
    for (size_t i = 0; m->plan.others && i < m->count; i++)
        all->modes = (all->modes & ~(UINT64_C(1) << m->actuators[i])) | (m->in.modes >> i & 1) << m->actuators[i];
    for (size_t k = 0; k < m->sensor_count; k++)
        all->sensors[m->sensors[k]] = m->in.sensors[k];
    for (size_t k = 0; k < m->line_count; k++)
        all->lines = (all->lines & ~(UINT32_C(1) << m->lines[k])) | (m->in.lines >> k & 1) << m->lines[k];
}

YK_RT static double position(const void *self, size_t i)
{
    const struct yk_several_rigs *s = self;

    for (size_t k = 0; k < s->count; k++)
        for (size_t j = 0; s->members[k].rig->position && j < s->members[k].count; j++)
            if (s->members[k].actuators[j] == i)
                return s->members[k].rig->position(s->members[k].self, j);
    return NAN;
}

YK_RT static bool use(const void *self, size_t i, struct yk_actuator_use *use)
{
    const struct yk_several_rigs *s = self;

    for (size_t k = 0; k < s->count; k++)
        for (size_t j = 0; s->members[k].rig->use && j < s->members[k].count; j++)
            if (s->members[k].actuators[j] == i)
                return s->members[k].rig->use(s->members[k].self, j, use);
    return false;
}

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_several_rigs *s = self;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < s->count && !st; k++) {
        struct yk_rig_member *m = &s->members[k];

        for (size_t i = 0; i < m->count; i++)
            m->command[i] = x[m->actuators[i]];
        if ((st = m->rig->rest(m->self, m->command, &m->in, err)))
            yk_fail_within(err, YK_NOWHERE, "rig %s: ", m->name);
        collect(m, in);
    }
    return st;
}

/* All or none. */
static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    struct yk_several_rigs *s = self;
    enum yk_status st = YK_OK;
    size_t k = 0;

    for (; k < s->count && !st; k++) {
        struct yk_rig_member *m = &s->members[k];
        const struct yk_rig_out own = share(m, out);

        if (m->rig->enable && (st = m->rig->enable(m->self, on, &own, err)))
            yk_fail_within(err, YK_NOWHERE, "rig %s: ", m->name);
    }
    for (size_t i = 0; st && on && i + 1 < k; i++) {
        struct yk_rig_member *m = &s->members[i];
        const struct yk_rig_out own = share(m, out);

        if (m->rig->enable)
            (void)m->rig->enable(m->self, false, &own, NULL);
    }
    return st;
}

/* "west: words" */
YK_RT static void note(char *to, const struct yk_rig_member *m, const char *words)
{
    const char *parts[] = {m->name, ": ", words};
    size_t used = 0;

    for (size_t i = 0; i < 3; i++)
        for (const char *c = parts[i]; *c && used + 1 < YK_SEVERAL_WORDS; c++)
            to[used++] = *c;
    to[used] = 0;
}

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_several_rigs *s = self;
    enum yk_rig_answer worst = YK_RIG_FRESH;

    for (size_t k = 0; k < s->count; k++) {
        struct yk_rig_member *m = &s->members[k];
        const struct yk_rig_out own = share(m, out);

        m->in.homing = YK_HOMING_UNKNOWN;
        const enum yk_rig_answer answer = m->rig->exchange(m->self, &own, &m->in);

        collect(m, in);
        if (own.homing)
            in->homing = m->in.homing;
        if ((answer > worst && answer >= YK_RIG_REFUSED) || (own.homing && in->homing == YK_HOMING_REFUSED))
            note(s->words, m, yk_rig_reason(m->rig, m->self));
        worst = answer > worst ? answer : worst;
    }
    return worst;
}

YK_RT static const char *reason(const void *self)
{
    return ((const struct yk_several_rigs *)self)->words;
}

static enum yk_status record(void *self, const char *folder, struct yk_err *err)
{
    struct yk_several_rigs *s = self;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < s->count && !st; k++)
        if (s->members[k].rig->record)
            st = s->members[k].rig->record(s->members[k].self, folder, err);
    return st;
}

YK_RT static const char *notice(void *self)
{
    struct yk_several_rigs *s = self;

    for (size_t k = 0; k < s->count; k++) {
        const struct yk_rig_member *m = &s->members[k];
        const char *words = m->rig->notice ? m->rig->notice(m->self) : NULL;

        if (words) {
            note(s->noticed, m, words);
            return s->noticed;
        }
    }
    return NULL;
}

YK_RT static void cut(void *self, uint32_t lines)
{
    struct yk_several_rigs *s = self;

    for (size_t k = 0; k < s->count; k++) {
        struct yk_rig_member *m = &s->members[k];
        uint32_t own = 0;

        for (size_t i = 0; i < m->line_count; i++)
            own |= (lines >> m->lines[i] & 1) << i;
        if (m->rig->cut)
            m->rig->cut(m->self, own);
    }
}

/* The first with a clock leads; two that follow different clocks cannot both be followed. */
YK_RT static int64_t pace(void *self, int64_t due_ns)
{
    struct yk_several_rigs *s = self;

    for (size_t k = 0; k < s->count; k++)
        if (s->members[k].rig->pace)
            return s->members[k].rig->pace(s->members[k].self, due_ns);
    return due_ns;
}

/* A real member makes the whole real; a member with a clock paces all. */
static enum yk_rig_world world(const void *self)
{
    const struct yk_several_rigs *s = self;
    enum yk_rig_world all = YK_RIG_COMPUTED;

    for (size_t k = 0; k < s->count && all != YK_RIG_REAL; k++) {
        const enum yk_rig_world one = yk_rig_world(s->members[k].rig, s->members[k].self);

        all = one == YK_RIG_COMPUTED ? all : one;
    }
    return all;
}

/* ---- one of them alone ---- */

static enum yk_status open_part(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_rig_part *p = self;
    enum yk_status st = divide(&p->member, p->all, err);

    p->command = calloc(2 * p->all->count + p->all->sensor_count + 1, sizeof *p->command);
    p->ahead = calloc(p->all->count + 1, sizeof *p->ahead);
    p->in.readings = calloc(p->all->count + 1, sizeof *p->in.readings);
    if (st)
        return st;
    if (!p->command || !p->ahead || !p->in.readings)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    p->others = p->command + p->all->count;
    p->in.sensors = p->others + p->all->count;
    memcpy(p->command, p->all->x0, p->all->count * sizeof *p->command);
    return YK_OK;
}

static void close_part(void *self)
{
    struct yk_rig_part *p = self;

    free_plan(&p->member.plan);
    free(p->member.name);
    free(p->member.actuators);
    free(p->member.sensors);
    free(p->member.lines);
    free(p->command);
    free(p->ahead);
    free(p->in.readings);
}

/* Readings, lines and modes of the part, from those of the whole rig. */
YK_RT static void pick(const struct yk_rig_part *p, struct yk_rig_in *in)
{
    const struct yk_rig_member *m = &p->member;

    in->lines = 0;
    in->modes = 0;
    for (size_t i = 0; i < m->count; i++) {
        in->readings[i] = p->in.readings[m->actuators[i]];
        if (m->plan.others)
            in->modes |= (p->in.modes >> m->actuators[i] & 1) << i;
    }
    for (size_t k = 0; k < m->sensor_count; k++)
        in->sensors[k] = p->in.sensors[m->sensors[k]];
    for (size_t k = 0; k < m->line_count; k++)
        in->lines |= (p->in.lines >> m->lines[k] & 1) << k;
}

static enum yk_status rest_part(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_rig_part *p = self;

    for (size_t i = 0; i < p->member.count; i++)
        p->command[p->member.actuators[i]] = x[i];
    enum yk_status st = p->rig->rest(p->self, p->command, &p->in, err);
    pick(p, in);
    return st;
}

YK_RT static enum yk_rig_answer exchange_part(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_rig_part *p = self;
    struct yk_rig_out all = {
        .command = p->command, .ahead = out->ahead ? p->ahead : NULL, .others = p->all->others ? p->others : NULL};

    for (size_t i = 0; i < p->member.count; i++) {
        if (out->others) {
            p->others[p->member.actuators[i]] = out->others[i];
            all.modes |= (out->modes >> i & 1) << p->member.actuators[i];
        }
        p->command[p->member.actuators[i]] = out->command[i];
        if (out->ahead)
            p->ahead[p->member.actuators[i]] = out->ahead[i];
    }
    for (size_t k = 0; k < p->member.line_count; k++)
        all.lines |= (out->lines >> k & 1) << p->member.lines[k];
    const enum yk_rig_answer answer = p->rig->exchange(p->self, &all, &p->in);
    pick(p, in);
    return answer;
}

YK_RT static double position_part(const void *self, size_t i)
{
    const struct yk_rig_part *p = self;

    return p->rig->position ? p->rig->position(p->self, p->member.actuators[i]) : NAN;
}

YK_RT static bool use_part(const void *self, size_t i, struct yk_actuator_use *use)
{
    const struct yk_rig_part *p = self;

    return p->rig->use && p->rig->use(p->self, p->member.actuators[i], use);
}

static enum yk_rig_world world_of_part(const void *self)
{
    const struct yk_rig_part *p = self;

    return yk_rig_world(p->rig, p->self);
}

static const struct yk_rig_ops *inner_of_part(const void *self, size_t k, void **inner, const char **name)
{
    const struct yk_rig_part *p = self;

    *inner = p->self;
    *name = "";
    return k == 0 ? p->rig : NULL;
}

const struct yk_rig_ops yk_rig_part = {
    .name = "part",
    .summary = "some of the actuators of a rig",
    .reference = "docs/backends.md",
    .size = sizeof(struct yk_rig_part),
    .can = YK_RIG_EVERYTHING | YK_RIG_SWITCHES,
    .open = open_part,
    .close = close_part,
    .rest = rest_part,
    .exchange = exchange_part,
    .world = world_of_part,
    .position = position_part,
    .use = use_part,
    .inner = inner_of_part,
};

static const struct yk_rig_ops *inner_of_several(const void *self, size_t k, void **inner, const char **name)
{
    const struct yk_several_rigs *several = self;

    if (k >= several->count)
        return NULL;
    *inner = several->members[k].self;
    *name = several->members[k].name;
    return several->members[k].rig;
}

const struct yk_rig_ops yk_rig_several = {
    .name = "several",
    .summary = "several rigs that serve one experiment",
    .reference = "docs/backends.md",
    .size = sizeof(struct yk_several_rigs),
    .can = YK_RIG_EVERYTHING | YK_RIG_SWITCHES,
    .open = open,
    .close = close,
    .worst_wait_s = worst_wait_s,
    .rest = rest,
    .enable = enable,
    .exchange = exchange,
    .reason = reason,
    .notice = notice,
    .record = record,
    .cut = cut,
    .pace = pace,
    .world = world,
    .position = position,
    .use = use,
    .inner = inner_of_several,
};
