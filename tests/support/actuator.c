#include "support/actuator.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586

void *part_settings(const struct yk_param *params, size_t size, const struct part *part)
{
    void *self = calloc(1, size);

    assert_non_null(self);
    yk_param_defaults(params, self);
    for (int i = 0; i < ACTUATOR_SETTINGS && part->set[i].key; i++)
        assert_ok(yk_param_set(params, self, part->set[i].key, part->set[i].value, &err));
    assert_ok(yk_param_check(params, self, &err));
    return self;
}

void plant_open(struct plant *p, const struct part *part, double h)
{
    *p = (struct plant){.ops = yk_plant_find(part->name)};
    assert_non_null(p->ops);
    p->self = part_settings(p->ops->params, p->ops->size, part);
    assert_ok(p->ops->init(p->self, h, &p->mem, &err));
    p->ops->reset(p->self, 0);
}

void plant_close(struct plant *p)
{
    if (p->ops->fini)
        p->ops->fini(p->self);
    free(p->self);
    yk_arena_free(&p->mem);
}

double plant_step(struct plant *p, double u)
{
    struct yk_plant_output out;

    p->ops->step(p->self, u, 0, &out);
    return out.x;
}

void controller_open(struct controller *c, const struct part *part, double h)
{
    *c = (struct controller){.ops = yk_controller_find(part->name)};
    assert_non_null(c->ops);
    c->self = part_settings(c->ops->params, c->ops->size, part);
    assert_ok(c->ops->init(c->self, h, &c->mem, &err));
    c->ops->reset(c->self, 0);
}

void controller_close(struct controller *c)
{
    if (c->ops->fini)
        c->ops->fini(c->self);
    free(c->self);
    yk_arena_free(&c->mem);
}

void loop_open(struct loop *l, const struct part *plant, const struct part *controller, double h)
{
    plant_open(&l->plant, plant, h);
    controller_open(&l->controller, controller, h);
    l->x = l->u = 0;
}

void loop_close(struct loop *l)
{
    plant_close(&l->plant);
    controller_close(&l->controller);
}

double loop_step(struct loop *l, double command, double disturbance)
{
    const double y = l->x + disturbance;

    l->u = l->controller.ops->step(l->controller.self, command, y);
    l->x = plant_step(&l->plant, l->u);
    return y;
}

struct response loop_response(struct loop *l, double frequency, double h, double settle)
{
    const long first = lround(ceil(settle * frequency) / (frequency * h)), period = lround(1 / (frequency * h));
    double in_phase = 0, quadrature = 0;

    for (long k = 0; k < first + period; k++) {
        const double phase = TWO_PI * frequency * h * (double)k;
        const double y = loop_step(l, 1e-3 * sin(phase), 0);

        if (k >= first) {
            in_phase += y * sin(phase);
            quadrature += y * cos(phase);
        }
    }
    const double lag = atan2(-quadrature, in_phase);
    return (struct response){hypot(in_phase, quadrature) / (0.5e-3 * (double)period),
                             (lag < 0 ? lag + TWO_PI : lag) / (TWO_PI * frequency)};
}
