/* The energy account of a structure: work by the trapezium between accounts. Units: J, N, m, s. */
#include "substructure/structure.h"

#include <string.h>

/* Adds the work of the elements from the last account to (u, v), and what they store. */
YK_RT static void account_elements(struct yk_structure *s, const double *u, const double *v, struct yk_energy *energy)
{
    const double h = yk_structure_elapsed(s);
    size_t at = 0;

    s->fresh = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = yk_element_extension(e, u);
        const double now = e->law->force(e->settings, s->committed + at, d, yk_element_rate(e, u, v), h, s->trial + at);

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
