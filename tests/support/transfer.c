#include "support/transfer.h"

#include "support/check.h"

#include <stdlib.h>

static void *settings_of(const struct yk_param *params, size_t size, const struct setting *set)
{
    void *settings = calloc(1, size);

    assert_non_null(settings);
    yk_param_defaults(params, settings);
    for (; set && set->name; set++)
        assert_ok(yk_param_set(params, settings, set->name, set->value, &err));
    return settings;
}

struct compensator compensator_open(const char *name, const struct setting *set, double dt, int stages)
{
    struct compensator c = {.ops = yk_compensator_find(name), .stages = stages};

    assert_non_null(c.ops);
    c.self = settings_of(c.ops->params, c.ops->size, set);
    assert_ok(c.ops->init(c.self, dt, stages, &c.mem, &err));
    c.ops->reset(c.self, 0);
    return c;
}

void compensator_close(struct compensator *c)
{
    if (c->ops->fini)
        c->ops->fini(c->self);
    yk_param_free(c->ops->params, c->self);
    free(c->self);
    yk_arena_free(&c->mem);
}

double compensator_predict(struct compensator *c, int stage, double x, double v, double delay)
{
    const struct yk_target target = {.x = x, .v = v, .stage = stage, .stages = c->stages};

    return c->ops->predict(c->self, &target, delay);
}

void compensator_learn(struct compensator *c, double measured)
{
    if (c->ops->learn)
        c->ops->learn(c->self, measured);
}

void compensator_reached(struct compensator *c, int stage, double x, double v, double a)
{
    const struct yk_target state = {.x = x, .v = v, .a = a, .stage = stage, .stages = c->stages};

    if (c->ops->reached)
        c->ops->reached(c->self, &state);
}

struct estimator estimator_open(const char *name, const struct setting *set, double dt, double nominal)
{
    struct estimator e = {.ops = yk_estimator_find(name)};

    assert_non_null(e.ops);
    e.self = settings_of(e.ops->params, e.ops->size, set);
    assert_ok(e.ops->init(e.self, dt, &e.mem, &err));
    e.ops->reset(e.self, nominal);
    return e;
}

void estimator_close(struct estimator *e)
{
    if (e->ops->fini)
        e->ops->fini(e->self);
    free(e->self);
    yk_arena_free(&e->mem);
}

double estimator_update(struct estimator *e, double desired, double command, double measured)
{
    const struct yk_tracking sample = {.target = desired, .command = command, .measured = measured};

    return e->ops->update(e->self, &sample);
}

void specimen_force(struct yk_system *s, struct yk_station *station, double t, const double *f, const double *u,
                    const double *v, double *p)
{
    s->ops->set_target(s->self, t, u, v);
    yk_station_move(station, t);
    s->ops->force(s->self, t, f, u, v, p);
}
