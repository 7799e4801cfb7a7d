/* Shared by all integrators. Units: N, m, s. */
#include "integrator/step.h"

#include <string.h>

void yk_step_layout(struct yk_span *span, struct yk_arena *mem, size_t n, size_t count, double **const *to)
{
    double *state = yk_arena_array(mem, to[0], count * n);

    for (size_t i = 1; i < count; i++) {
        *to[i] = state ? state + i * n : NULL;
        yk_arena_pointer(mem, to[i]);
    }
    *span = (struct yk_span){state, count * n};
    yk_arena_pointer(mem, &span->x);
}

enum yk_status yk_step_init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_step *s = self;

    s->system = system;
    yk_arena_pointer(mem, &s->system);
    s->h = dt;
    return yk_factor_create(&s->M, &system->M, mem, err);
}

enum yk_status yk_step_init_tangent(void *self, struct yk_system *system, double dt, const double mck[3], bool refresh,
                                    struct yk_arena *mem, struct yk_err *err)
{
    struct yk_step *s = self;
    enum yk_status st;

    if ((st = yk_system_factor(&s->D, system, mck[0], mck[1], mck[2], mem, err)) ||
        (refresh && yk_tangent_varies(system) && (st = yk_tangent_init(&s->tangent, system, s->D, NULL, mem, err))))
        return st;
    return yk_step_init(self, system, dt, mem, err);
}

void yk_step_fini(void *self)
{
    struct yk_step *s = self;

    yk_tangent_fini(&s->tangent);
    yk_factor_destroy(s->D);
    yk_factor_destroy(s->M);
}

YK_RT void yk_step_resume(void *self, const double *p)
{
    struct yk_step *s = self;
    const size_t bytes = s->system->n * sizeof *p;

    if (s->p)
        memcpy(s->p, p, bytes);
    memcpy(s->a, p, bytes);
    yk_factor_solve(s->M, s->a);
}

YK_RT void yk_step_start(void *self, const double *u, const double *v, const double *p)
{
    struct yk_step *s = self;
    const size_t bytes = s->system->n * sizeof *p;

    memmove(s->u, u, bytes);
    memmove(s->v, v, bytes);
    yk_step_resume(self, p);
}

YK_RT void yk_step_now(void *self, struct yk_kinematics *reached)
{
    const struct yk_step *s = self;

    *reached = (struct yk_kinematics){.c = 1, .u = s->u, .v = s->v, .a = s->a};
}

struct yk_span yk_step_state(void *self)
{
    return ((struct yk_step *)self)->state;
}
