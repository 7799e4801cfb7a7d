/* A peer in plain C: a chain of 1,000 masses of 1 t on Bouc-Wen springs under a sine, Newmark's method with full Newton
 * iterations and elimination in the tridiagonal matrix. The springs go by backward Euler, which has a closed form for
 * exponent 1 and beta = gamma. The model is that of src/bench/large.c. usage: chain_step */
#include "model.h"

enum { N = 1000, STEPS = 500, MOST_ROUNDS = 30 };

static const double h = 1e-3, mass = 1000, kh = 1e6, k0 = 1e8, q = 1000; /* q = beta + gamma */

static double u[N], v[N], a[N], z[N], z0[N], tangent[N], u0[N];
static double p[N], diagonal[N], beside[N]; /* beside[i]: between i - 1 and i */

/* z = z0 + d (k0 - |z| q) while loading, z0 + d k0 while unloading */
static void spring(int i, double d)
{
    const double elastic = z0[i] + k0 * d, w = 1 + q * fabs(d);

    if (elastic * d > 0) {
        z[i] = elastic / w;
        tangent[i] = (k0 - z[i] * copysign(q, d)) / w;
    } else {
        z[i] = elastic;
        tangent[i] = k0;
    }
}

static void solve(double *x)
{
    for (int i = 1; i < N; i++) {
        const double factor = beside[i] / diagonal[i - 1];

        diagonal[i] -= factor * beside[i];
        x[i] -= factor * x[i - 1];
    }
    x[N - 1] /= diagonal[N - 1];
    for (int i = N - 2; i >= 0; i--)
        x[i] = (x[i] - beside[i + 1] * x[i + 1]) / diagonal[i];
}

/* The residual and the matrix M + h^2/4 K at the trial displacements; returns the largest residual. */
static double form(double t)
{
    double most = 0;

    for (int i = 0; i < N; i++) {
        spring(i, u[i] - u0[i] - (i ? u[i - 1] - u0[i - 1] : 0));
        p[i] = 2e4 * sin(60 * t) - mass * a[i];
        diagonal[i] = mass;
    }
    for (int i = 0; i < N; i++) {
        const double r = kh * (u[i] - (i ? u[i - 1] : 0)) + z[i], k = h * h / 4 * (kh + tangent[i]);

        p[i] -= r;
        diagonal[i] += k;
        beside[i] = -k;
        if (i) {
            p[i - 1] += r;
            diagonal[i - 1] += k;
        }
    }
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs(p[i]));
    return most;
}

static void step(double t)
{
    double first = 0;

    memcpy(u0, u, sizeof u);
    memcpy(z0, z, sizeof z);
    for (int i = 0; i < N; i++) {
        u[i] += h * v[i] + h * h / 2 * a[i]; /* with the last acceleration kept */
        v[i] += h * a[i];
    }
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const double residual = form(t);

        first = round ? first : residual;
        if (residual <= 1e-10 * fmax(first, 2e4))
            return;
        solve(p);
        for (int i = 0; i < N; i++) {
            a[i] += p[i];
            v[i] += h / 2 * p[i];
            u[i] += h * h / 4 * p[i];
        }
    }
    give_up("did not converge", "chain_step");
}

int main(void)
{
    struct clock clock;

    start_clock(&clock, STEPS);
    for (long k = 1; k <= STEPS; k++) {
        step((double)k * h);
        count_step(&clock, N, u);
    }
    print_result(&clock, "plain C, Newmark, full Newton, tridiagonal");
    return 0;
}
