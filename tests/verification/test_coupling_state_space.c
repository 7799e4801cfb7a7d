/* The state-space coupling against an independent prototype on the split mass: coefficients, spectra, the alternating
 * root of the multiplier and how it dies out, accuracy, and the two links as printed. */
#include "coupling/first_order.h"
#include "support/check.h"
#include "support/coupled.h"

#include <math.h>

enum { RAMP, PRINTED_COARSE, PRINTED_FINE };

static void sine_load(void *self, double t, double *f)
{
    f[0] = sin(2 * t);
}

/* A started split mass. */
struct bench {
    struct torn torn;
    struct yk_coupling c;
};
static void bench_open(struct bench *b, double b1, double dt, int ss, double rho, int link)
{
    torn_split_mass(&b->torn, b1, 1, 1, dt, ss);
    torn_open(&b->c, &b->torn, "state-space", (const char *[]){"rho", "link"}, (double[]){rho, link}, 2, 1);
}
static void bench_close(struct bench *b)
{
    yk_coupling_destroy(&b->c);
    torn_free(&b->torn);
}

#include <stdlib.h>

static size_t spans_of(struct yk_coupling *c, struct yk_span *spans, size_t *total)
{
    const size_t count = c->ops->state(c->self, spans, 8);

    *total = 0;
    for (size_t i = 0; i < count; i++)
        *total += spans[i].n;
    return count;
}

static size_t yk_coupled_size(struct yk_coupling *c)
{
    struct yk_span spans[8];
    size_t total;

    spans_of(c, spans, &total);
    return total;
}

static enum yk_status yk_coupled_spectrum(struct yk_coupling *c, double *re, double *im, struct yk_err *err)
{
    struct yk_span spans[8];
    size_t n, count = spans_of(c, spans, &n);
    double *A = calloc(n * n, sizeof *A), *column = A;
    enum yk_status st = YK_OK;

    for (size_t j = 0; j < n && !st; j++, column += n) {
        for (size_t i = 0, at = 0; i < count; at += spans[i++].n) {
            memset(spans[i].x, 0, spans[i].n * sizeof(double));
            if (j >= at && j < at + spans[i].n)
                spans[i].x[j - at] = 1;
        }
        c->problem->step = c->ops->start_steps;
        if (!(st = c->ops->resume(c->self)))
            st = yk_coupling_step(c);
        for (size_t i = 0, at = 0; i < count; at += spans[i++].n)
            memcpy(column + at, spans[i].x, spans[i].n * sizeof(double));
    }
    st = st ? st : yk_eigen_general(n, A, re, im, err);
    free(A);
    return st;
}

static double radius(double b1, double dt, int ss, double rho, int link)
{
    struct bench b;
    double re[16], im[16];

    bench_open(&b, b1, dt, ss, rho, link);
    assert_true(yk_coupled_size(&b.c) <= 16);
    assert_ok(yk_coupled_spectrum(&b.c, re, im, &err));
    bench_close(&b);
    return hypot(re[0], im[0]);
}
static void spectra(void **state)
{
    for (int link = 0; link < 3; link++)
        for (int r = 0; r < 5; r++)
            for (int k = 0; k < 3; k++) {
                const double rho = (double[]){1, 0.9, 0.8, 0.5, 0}[r], b1 = (double[]){0.1, 1, 10}[k];
                double most = 0, from = 0;
                for (int i = 0; i <= 80; i++) {
                    const double x = radius(b1, pow(10, -2 + i / 20.0), 10, rho, link);
                    most = fmax(most, x);
                    if (from == 0 && x > 1 + 1e-6)
                        from = pow(10, -2 + i / 20.0);
                }
                printf("link %d rho %g b1 %g: %.8f (from %g)\n", link, rho, b1, most, from);
            }
    for (int ss = 1; ss <= 10; ss += 9)
        for (int r = 0; r < 5; r++) {
            struct bench b;
            double re[16], im[16];
            const double rho = (double[]){1, 0.9, 0.8, 0.5, 0}[r];
            bench_open(&b, 2, 0.1, ss, rho, RAMP);
            assert_ok(yk_coupled_spectrum(&b.c, re, im, &err));
            printf("ss %d rho %g:", ss, rho);
            for (size_t i = 0; i < yk_coupled_size(&b.c); i++)
                printf(" %.6f%+.6fi", re[i], im[i]);
            printf("\n");
            bench_close(&b);
            for (int which = 0; which < 2; which++) {
                bench_open(&b, 2, 0.1, ss, rho, RAMP);
                struct yk_span spans[8];
                b.c.ops->state(b.c.self, spans, 8);
                spans[0].x[3] += 1;
                if (which)
                    spans[0].x[5] += 1;
                double l[3] = {0};
                for (int k = 0; k <= 190; k++) {
                    l[0] = l[1];
                    l[1] = l[2];
                    l[2] = b.c.ops->lambda(b.c.self)[0];
                    if (k == 100 || k == 101 || k == 190)
                        printf("  %d: d2/4 %.3e  lam %.4f %.4f %.4f", k, fabs(l[0] - 2 * l[1] + l[2]) / 4, l[0], l[1], l[2]);
                    assert_int_equal(yk_coupling_step(&b.c), YK_OK);
                }
                printf("\n");
                bench_close(&b);
            }
        }
    (void)sine_load;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spectra)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
