/* The energy account of a structure: work by the trapezium between accounts. Units: J, N, m, s. */
#include "substructure/structure.h"

#include <string.h>

/* Adds the work of the elements from the last account to (u, v), and what they store. */
YK_RT static void account_elements(struct yk_structure *s, const double *u, const double *v, struct yk_energy *energy)
{
    const double h = yk_structure_elapsed(s), *committed = yk_structure_committed(s)->x;
    double *trial = s->memory[s->trial].x;
    size_t at = 0;

    s->fresh = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = yk_element_extension(e, u);
        const double now = e->law->force(e->settings, committed + at, d, yk_element_rate(e, u, v), h, trial + at);

        if (e->law->stored)
            energy->stored += e->law->stored(e->settings, d);
        else if (energy->started)
            energy->dissipated += 0.5 * (now + s->element_force[i]) * (d - s->element_extension[i]);
        if (energy->started)
            energy->work += 0.5 * (now + s->element_force[i]) * (e->shift - s->element_shift[i]);
        s->element_force[i] = now;
        s->element_extension[i] = d;
        s->element_shift[i] = e->shift;
        at += e->law->count;
    }
}

/* Adds 1/2 (force + the last one) du to *work and keeps the force. */
YK_RT static void add_work(const struct yk_structure *s, const double *u, const double *force, double *last,
                           bool started, double *work)
{
    for (size_t i = 0; i < s->system.n; i++) {
        if (started)
            *work += 0.5 * (force[i] + last[i]) * (u[i] - s->u[i]);
        last[i] = force[i];
    }
}

/* Adds the work of the members: all of it counts as dissipated, as that of laws that remember. So does that of damping
 * by committed stiffness, with the stiffness of the beginning of the step. */
YK_RT static void account_members(struct yk_structure *s, const double *u, const double *v, struct yk_energy *energy)
{
    const size_t n = s->system.n;
    const struct yk_memory *committed = yk_structure_committed(s);

    memset(s->work, 0, n * sizeof *s->work);
    yk_members_look(s, u, 1, s->work);
    add_work(s, u, s->work, s->members.force, energy->started, &energy->dissipated);
    if (s->members.damping == 0)
        return;
    memcpy(s->work, committed->damping, n * sizeof *s->work);
    if (!energy->started) {
        memset(s->work, 0, n * sizeof *s->work);
        yk_members_add_product(s, committed, s->members.damping, v, s->work);
    }
    add_work(s, u, s->work, s->members.force + n, energy->started, &energy->dissipated);
}

YK_RT void yk_structure_account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct yk_structure *s = self;
    const size_t n = s->system.n;

    if (!energy->started)
        energy->dissipated = energy->work = 0;
    memset(s->work, 0, n * sizeof *s->work);
    yk_matrix_add_product(&s->system.M, 0.5, v, s->work);
    energy->kinetic = yk_dot(n, v, s->work);
    memset(s->work, 0, n * sizeof *s->work);
    yk_matrix_add_product(&s->K, 0.5, u, s->work);
    energy->stored = yk_dot(n, u, s->work);
    account_elements(s, u, v, energy);
    if (s->members.count)
        account_members(s, u, v, energy);
    if (energy->started) {
        for (size_t i = 0; i < n; i++)
            energy->work += 0.5 * (f[i] + s->f[i]) * (u[i] - s->u[i]);
        for (size_t i = 0; i < n; i++) /* the rate of damping, averaged over the step */
            s->v[i] = 0.5 * (s->v[i] + v[i]);
        memset(s->work, 0, n * sizeof *s->work);
        yk_matrix_add_product(&s->C, 1, s->v, s->work);
        for (size_t i = 0; i < n; i++)
            energy->dissipated += s->work[i] * (u[i] - s->u[i]);
    }
    memcpy(s->f, f, n * sizeof *f);
    memcpy(s->u, u, n * sizeof *u);
    memcpy(s->v, v, n * sizeof *v);
    energy->started = true;
}
