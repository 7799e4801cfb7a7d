/* Generalized-alpha for first-order systems on one side of a coupling. docs/theory/couplings-newmark.md, eq. (30)-(34).
 * Order 2 for linear problems, spectral radius rho at infinity. Units: N, m, s; h = step of the side. */
#include "coupling/first_order.h"

#include "integrator/tangent.h"

#include <string.h>

void yk_rates_layout(struct yk_rates *r, size_t n, struct yk_arena *mem)
{
    double *Y = yk_arena_array(mem, &r->Y, 6 * n);

    r->dY = Y ? Y + 2 * n : NULL;
    r->V = Y ? Y + 4 * n : NULL;
    yk_arena_pointer(mem, &r->dY);
    yk_arena_pointer(mem, &r->V);
}

enum yk_status yk_first_order_init(struct yk_first_order *s, struct yk_side *side, size_t rows, double h, double rho,
                                   struct yk_arena *mem, struct yk_err *err)
{
    double bh;

    s->side = side;
    if (mem)
        yk_arena_pointer(mem, &s->side);
    s->n = side->n;
    s->rows = rows;
    s->h = h;
    s->am = (3 * rho - 1) / (2 * (rho + 1));
    s->af = rho / (rho + 1);
    s->g = 0.5 - s->am + s->af;
    s->be = s->g * (1 - s->af) / (1 - s->am);
    s->of_rate = s->af / (1 - s->am);
    s->of_V = s->am / (1 - s->am);
    s->share = (1 - s->af) / (1 - s->am);
    bh = s->be * h;
    return yk_system_factor(&s->E, side->system, 1, bh, bh * bh, mem, err);
}

void yk_first_order_fini(struct yk_first_order *s)
{
    yk_factor_destroy(s->E);
}

YK_RT void yk_first_order_predict(const struct yk_first_order *s, struct yk_rates *x)
{
    const double of_rate = s->of_rate, of_V = s->of_V;
    const double old = s->h * (1 - s->g), new = s->h * s->g;
    double *restrict Y = x->Y, *restrict V = x->V;
    const double *restrict dY = x->dY;

    for (size_t i = 0; i < 2 * s->n; i++) {
        const double q = of_rate * dY[i] - of_V * V[i];

        Y[i] += old * V[i] + new *q;
        V[i] = q;
    }
}

/* eq. (34): with w the predicted velocity, E v' = p + G^T known - be h K w ... */
YK_RT void yk_first_order_absorb(const struct yk_first_order *s, struct yk_rates *x)
{
    double *dv = x->dY + s->n;

    yk_matrix_add_product(&s->side->system->K, -s->be * s->h, x->Y + s->n, dv);
    yk_factor_solve(s->E, dv);
}

/* ... and u' = w + be h v' */
YK_RT void yk_first_order_correct(const struct yk_first_order *s, struct yk_rates *x)
{
    const double bh = s->be * s->h, share = s->share;
    const size_t n = s->n;
    double *restrict Y = x->Y, *restrict V = x->V, *restrict dY = x->dY; /* they lie apart */

    for (size_t i = 0; i < n; i++)
        dY[i] = Y[n + i] + bh * dY[n + i];
    for (size_t i = 0; i < 2 * n; i++) {
        Y[i] += bh * dY[i];
        V[i] += share * dY[i];
    }
}

void yk_first_order_respond(const struct yk_first_order *s, const double *known, struct yk_rates *x)
{
    double *dv = x->dY + s->n;

    yk_first_order_predict(s, x);
    memset(dv, 0, s->n * sizeof *dv);
    yk_matrix_add_product(&s->side->system->K, -1, x->Y, dv);
    yk_matrix_add_product(&s->side->system->C, -1, x->Y + s->n, dv);
    yk_side_push(s->side, s->rows, 1, known, dv);
    yk_first_order_absorb(s, x);
    yk_first_order_correct(s, x);
}
