/* Spectra of the Rosenbrock couplings: eigenvalues of one cycle, stability limits and maps, multiplicities of the unit
 * root. Expected values: independent prototype (numpy, unit states through the cycle). */
#include "support/check.h"
#include "support/torn_systems.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/analyze.h"

enum { MOST = 32 };

static size_t spectrum(const struct torn_case *which, const struct coupled_method *method, double dt, double complex *z)
{
    struct bench b;
    double re[MOST], im[MOST];
    size_t n;

    bench_open(&b, which, method, dt, NULL);
    n = yk_coupled_size(&b.c);
    assert_true(n <= MOST);
    assert_ok(yk_coupled_spectrum(&b.c, re, im, &err));
    for (size_t i = 0; i < n; i++)
        z[i] = re[i] + I * im[i];
    bench_close(&b);
    return n;
}

static double within(double x, double y, double tolerance, const char *label)
{
    if (!(fabs(x - y) <= tolerance)) {
        print_error("%s: got %.10g, wanted %.10g within %.2g\n", label, x, y, tolerance);
        fail();
    }
    return x;
}

/* ---- moduli at one step ------------------------------------------------------------------------------------------ */

struct moduli {
    struct coupled_method method;
    double b, dt, tolerance;
    double z[14]; /* sorted; what is not listed is 0 */
};

static const struct moduli moduli[] = {
    {COUPLING("apnr1", 1, 1), 10, 1, 1e-6, {1, 0.909148, 0.909148, 0.099988}},
    {COUPLING("apnr1", 1, 1), 10, 10, 1e-6, {1, 0.287622, 0.287622, 0.001098}},
    {COUPLING("apnr2", 1, G_MINUS), 10, 1, 1e-7, {1, 0.958840082, 0.905816833, 0.905816833}},
    {COUPLING("apnr2", 1, G_MINUS), 10, 10, 1e-6, {1, 0.767576, 0.767576, 0.030597}},
    {COUPLING("apnr2", 1, G_PLUS), 10, 1, 1e-7, {1, 0.923861595, 0.923861595, 0.072557022}},
    {COUPLING("apnr2", 1, G_PLUS), 10, 10, 1e-6, {1, 0.243644, 0.243644, 0.000754}},
    {COUPLING("assr1", 1, 1), 2, 1, 1e-7, {1, 0.717585867, 0.717585867, 0.431558557}},
    {COUPLING("assr1", 10, 1), 10, 0.1, 1e-7, {1, 0.998183037, 0.995422565, 0.995422565}},
    {COUPLING("assr1", 10, 1), 10, 1, 1e-7, {1, 0.828186982, 0.650543036, 0.650543036}},
    {COUPLING("assr2", 10, G_MINUS), 0.1, 1, 1e-7, {1, 0.961670383, 0.904723075, 0.904723075}},
    {COUPLING("assr2", 10, G_MINUS), 10, 1, 1e-7, {1.000212082, 1.000212082, 1, 0.999930556}},
    {COUPLING("assr2", 10, G_PLUS), 10, 1, 1e-7, {1, 0.911875953, 0.771751564, 0.771751564}},
    {COUPLING("assr2", 10, 0.5), 10, 1, 1e-7, {1, 0.998426382, 0.993488604, 0.993488604}},
    {COUPLING("assr2", 10, 0.25), 10, 1, 1e-7, {1.001053485, 1.001053485, 1, 1}},
    {COUPLING("plsrt2", 10, G_MINUS),
     0.1,
     0.5,
     1e-7,
     {1, 0.9314872, 0.92439526, 0.92439526, 0.89189116, 0.89189116, 0.8918565, 0.8918565, 0.89180682, 0.89180682}},
    {COUPLING("plsrt2", 10, G_MINUS),
     1,
     0.5,
     1e-7,
     {1.00082212, 1.00082212, 1, 0.99845098, 0.99157177, 0.99157177, 0.98985648, 0.98985648, 0.98747552, 0.98747552}},
    {COUPLING("plsrt2", 10, G_PLUS),
     10,
     0.5,
     1e-7,
     {1, 0.96288167, 0.96288167, 0.96089302, 0.96089302, 0.95810075, 0.95810075, 0.95796556, 0.95796556, 0.93528477}},
    {COUPLING("plsrt2", 10, G_MINUS),
     0.1,
     0.125,
     1e-6,
     {1, 0.999229, 0.996443, 0.996443, 0.996048, 0.996048, 0.996044, 0.996044, 0.996044, 0.996044}},
    {COUPLING("vpnr1", 1, 1), 2, 1, 1e-7, {1, 0.7395921951, 0.7395921951, 0.4062588618}},
    {COUPLING("vpnr1", 1, 0.5), 10, 0.3, 1e-7, {1, 1, 1, 1}},
    {COUPLING("vpnr1", 1, 0.5), 10, 1, 1e-7, {1, 1, 1, 1}},
    {COUPLING("vpnr1", 1, 0.5), 10, 30, 1e-7, {1, 1, 1, 1}},
    {COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 2, 1, 1e-7, {1, 0.9895687877, 0.9895687877, 0.0490460089}},
    {COUPLING_SET("vpnr2", 1, G_PLUS, "variant", 1), 10, 1, 1e-7, {1, 0.9370300648, 0.9370300648, 0.0163498741}},
    {COUPLING("vpnr2", 1, G_MINUS), 2, 1, 1e-7, {1, 0.9946833139, 0.9946833139, 0.4936846121}},
    {COUPLING("vpnr2", 1, G_MINUS), 10, 0.1, 1e-7, {1, 0.9999932965, 0.9999932965, 0.4999705261}},
    {COUPLING("vpnr2", 1, G_PLUS), 10, 1, 1e-7, {1, 0.9317969042, 0.9317969042, 0.0356632368}},
};

static void moduli_of_the_split_mass(void **state)
{
    for (size_t r = 0; r < sizeof moduli / sizeof *moduli; r++) {
        const struct moduli *row = &moduli[r];
        const struct torn_case which = {.kind = SPLIT_MASS, .b = row->b};
        double complex z[MOST];
        const size_t n = spectrum(&which, &row->method, row->dt, z);

        for (size_t i = 0; i < n; i++) /* defective zeros come out as roots of the rounding unit */
            within(cabs(z[i]), row->z[i], row->z[i] > 0 ? row->tolerance : 1e-6,
                   bench_label(&which, &row->method, row->dt));
    }
}

/* The sizes are those of the independent variables. */
static void states_are_minimal(void **state)
{
    static const struct {
        struct coupled_method method;
        size_t split, two_dof; /* nA = nB = 1; nA = 1, nB = 2 */
    } rows[] = {{COUPLING("apnr1", 1, 1), 4, 6},         {COUPLING("apnr2", 1, G_MINUS), 4, 6},
                {COUPLING("assr1", 1, 1), 4, 6},         {COUPLING("assr2", 2, G_MINUS), 4, 6},
                {COUPLING("apsr1", 1, 1), 6, 8},         {COUPLING("plsrt2", 1, G_MINUS), 14, 20},
                {COUPLING("iplsrt2", 1, G_MINUS), 6, 8}, {COUPLING("vpnr1", 1, 1), 5, 7},
                {COUPLING("vpnr2", 1, G_MINUS), 5, 7}};
    static const struct torn_case split = {.kind = SPLIT_MASS, .b = 1}, two = {.kind = TWO_DOF_1, .b = 1};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double complex z[MOST];

        assert_int_equal(spectrum(&split, &rows[r].method, 0.1, z), rows[r].split);
        assert_int_equal(spectrum(&two, &rows[r].method, 0.1, z), rows[r].two_dof);
    }
}

/* Damping ratio -ln|z|/arg z and frequency error arg z/Omega - 1 of the physical pair. */
static void damping_and_frequency_of_the_physical_pair(void **state)
{
    static const struct {
        struct coupled_method method;
        double dt, xi, error;
    } rows[] = {{COUPLING("apnr2", 1, G_MINUS), 0.5, 0.000445, -0.009909},
                {COUPLING("apnr2", 1, G_MINUS), 1, 0.003253, -0.037453},
                {COUPLING("assr2", 10, G_MINUS), 1, 0.000621, -0.020130},
                {COUPLING("apnr2", 1, G_PLUS), 0.5, 0.183082, 0.068292}};
    static const struct torn_case which = {.kind = SPLIT_MASS, .b = 1};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double complex z[MOST], pair = 0;
        const size_t n = spectrum(&which, &rows[r].method, rows[r].dt, z);

        for (size_t i = 0; i < n; i++)
            if (cimag(z[i]) > 1e-9)
                pair = z[i];
        within(-log(cabs(pair)) / carg(pair), rows[r].xi, 2e-6, bench_label(&which, &rows[r].method, rows[r].dt));
        within(carg(pair) / rows[r].dt - 1, rows[r].error, 2e-6, bench_label(&which, &rows[r].method, rows[r].dt));
    }
}

/* ---- radii without the unit roots -------------------------------------------------------------------------------- */

/* C = A B, n x n column-major */
static void product(size_t n, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            C[i + j * n] = 0;
            for (size_t k = 0; k < n; k++)
                C[i + j * n] += A[i + k * n] * B[k + j * n];
        }
}

/* Gram-Schmidt with the largest remaining column first, in place; stops after `most` columns or where the rest is below
 * `nothing` of the first; returns how many. */
static size_t orthonormal(size_t n, double *A, size_t most, double nothing)
{
    double first = 0;

    for (size_t k = 0; k < most; k++) {
        size_t best = k;
        double size;

        for (size_t j = k; j < n; j++) {
            for (int twice = 0; twice < 2; twice++)
                for (size_t i = 0; i < k; i++) {
                    const double along = yk_dot(n, A + i * n, A + j * n);

                    for (size_t r = 0; r < n; r++)
                        A[r + j * n] -= along * A[r + i * n];
                }
            if (yk_dot(n, A + j * n, A + j * n) > yk_dot(n, A + best * n, A + best * n))
                best = j;
        }
        for (size_t r = 0; r < n && best != k; r++) {
            const double swap = A[r + k * n];

            A[r + k * n] = A[r + best * n];
            A[r + best * n] = swap;
        }
        size = sqrt(yk_dot(n, A + k * n, A + k * n));
        first = k ? first : size;
        if (size <= nothing * first)
            return k;
        for (size_t r = 0; r < n; r++)
            A[r + k * n] /= size;
    }
    return most;
}

/* The amplification matrix in units in which its entries are of one size: u, v dt, L dt^2 / kg. */
static size_t amplification(const struct torn_case *which, const struct coupled_method *method, double dt, double *R)
{
    struct bench b;
    size_t n, at = 0;
    double scale[MOST];
    struct yk_span span[MOST];

    bench_open(&b, which, method, dt, NULL);
    n = yk_coupled_size(&b.c);
    assert_true(n <= MOST);
    assert_ok(yk_coupled_amplification(&b.c, R, &err));
    for (size_t s = 0, count = b.c.ops->state(b.c.self, span, MOST); s < count; s++)
        for (size_t i = 0; i < span[s].n; i++)
            scale[at++] = s == YK_SIDES ? dt * dt / b.torn.problem->Hinv[0] : i < span[s].n / 2 ? 1 : dt;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            R[i + j * n] *= scale[i] / scale[j];
    bench_close(&b);
    return n;
}

/* (R - I)^power */
static void shifted_power(size_t n, const double *R, int power, double *B)
{
    double D[MOST * MOST], old[MOST * MOST];

    memcpy(D, R, n * n * sizeof *D);
    for (size_t i = 0; i < n; i++)
        D[i + i * n] -= 1;
    memcpy(B, D, n * n * sizeof *B);
    for (; power > 1; power--) {
        memcpy(old, B, n * n * sizeof *B);
        product(n, old, D, B);
    }
}

/* Spectral radius on the range of (R - I)^power, which is what remains when unit roots with blocks of that size are
 * taken away. The eigenvalues of a defective root itself are wrong by the square root of the rounding unit and more. */
static double deflated_radius(const struct torn_case *which, const struct coupled_method *method, double dt,
                              size_t unit_roots, int power)
{
    double R[MOST * MOST], Q[MOST * MOST], RQ[MOST * MOST], S[MOST * MOST], re[MOST], im[MOST];
    const size_t n = amplification(which, method, dt, R), m = n - unit_roots;

    shifted_power(n, R, power, Q);
    assert_int_equal(orthonormal(n, Q, m, 0), m);
    product(n, R, Q, RQ);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            S[i + j * m] = yk_dot(n, Q + i * n, RQ + j * n);
    assert_ok(yk_eigen_general(m, S, re, im, &err));
    return hypot(re[0], im[0]);
}

/* Spectral radius without the root nearest to 1. */
static double radius(const struct torn_case *which, const struct coupled_method *method, double dt)
{
    double complex z[MOST];
    const size_t n = spectrum(which, method, dt, z);
    size_t unit = 0;
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        if (cabs(z[i] - 1) < cabs(z[unit] - 1))
            unit = i;
    for (size_t i = 0; i < n; i++)
        largest = i != unit ? fmax(largest, cabs(z[i])) : largest;
    return largest;
}

/* The first Omega where the radius without the unit root passes 1 + margin; a grid, then bisection. */
static double limit(const struct torn_case *which, const struct coupled_method *method, double from, double to,
                    double margin)
{
    double stable = from, next = from;

    for (; next <= to; stable = next, next *= 1.01)
        if (radius(which, method, next / 4) > 1 + margin)
            break;
    if (next > to)
        return INFINITY;
    for (int k = 0; k < 20; k++) {
        const double middle = 0.5 * (stable + next);

        *(radius(which, method, middle / 4) > 1 + margin ? &next : &stable) = middle;
    }
    return stable;
}

static void limits_of_the_interfield_methods(void **state)
{
    static const struct {
        struct coupled_method method;
        double b, to, limit, margin; /* Omega = 4 omega dt */
    } rows[] = {
        {COUPLING("plsrt2", 2, G_MINUS), 0.1, 8, INFINITY, 1e-7},
        {COUPLING("plsrt2", 2, G_MINUS), 0.5, 8, INFINITY, 1e-7},
        {COUPLING("plsrt2", 2, G_MINUS), 1, 8, 1.1488, 1e-7},
        {COUPLING("plsrt2", 2, G_MINUS), 2, 8, 0.1213, 1e-7},
        {COUPLING("plsrt2", 2, G_MINUS), 10, 8, 0.1837, 1e-7},
        {COUPLING("plsrt2", 2, G_PLUS), 0.1, 8, INFINITY, 1e-7},
        {COUPLING("plsrt2", 2, G_PLUS), 0.5, 8, INFINITY, 1e-7},
        {COUPLING("plsrt2", 2, G_PLUS), 1, 8, INFINITY, 1e-7},
        {COUPLING("plsrt2", 2, G_PLUS), 2, 8, INFINITY, 1e-7},
        {COUPLING("plsrt2", 2, G_PLUS), 10, 8, INFINITY, 1e-7},
        {COUPLING("iplsrt2", 2, G_MINUS), 0.1, 6, 1.4942, 1e-7},
        {COUPLING("iplsrt2", 2, G_MINUS), 0.5, 6, 1.2386, 1e-7},
        {COUPLING("iplsrt2", 2, G_MINUS), 1, 6, 0.8685, 1e-7},
        {COUPLING("iplsrt2", 2, G_MINUS), 2, 6, 0.6540, 1e-7},
        {COUPLING("iplsrt2", 2, G_MINUS), 0.1, 6, 1.5224, 7e-5},
        {COUPLING("iplsrt2", 2, G_MINUS), 2, 6, 0.6784, 7e-5},
        {COUPLING("iplsrt2", 1, G_MINUS), 0.1, 6, 1.5241, 1e-7},
        {COUPLING("iplsrt2", 10, G_MINUS), 0.1, 6, 1.4858, 1e-7},
        {COUPLING("iplsrt2", 100, G_MINUS), 0.1, 6, 1.4854, 1e-7},
        {COUPLING("iplsrt2", 1, G_MINUS), 2, 6, 0.6525, 1e-7},
        {COUPLING("iplsrt2", 10, G_MINUS), 2, 6, 0.6546, 1e-7},
        {COUPLING("iplsrt2", 100, G_MINUS), 2, 6, 0.6546, 1e-7},
        {COUPLING("iplsrt2", 2, G_PLUS), 0.1, 40, 16.27, 1e-7},
        {COUPLING("iplsrt2", 2, G_PLUS), 0.5, 40, INFINITY, 1e-7},
        {COUPLING("iplsrt2", 2, G_PLUS), 1, 40, INFINITY, 1e-7},
        {COUPLING("iplsrt2", 2, G_PLUS), 2, 40, INFINITY, 1e-7},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 1), 0.1, 6, 0.1114, 1e-7},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 1), 2, 6, 0.0642, 1e-7},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "jacobian", 1), 0.1, 6, INFINITY, 1e-7},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "jacobian", 1), 2, 6, 0.6700, 1e-7},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 2), 0.1, 6, 0.1504, 1e-7},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 2), 2, 6, 0.0779, 1e-7},
        {{"iplsrt2", 2, G_MINUS, G_MINUS, {{"projection", 2}, {"jacobian", 1}}}, 0.1, 6, INFINITY, 1e-7},
        {{"iplsrt2", 2, G_MINUS, G_MINUS, {{"projection", 2}, {"jacobian", 1}}}, 2, 6, 0.0795, 1e-7},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = {.kind = SPLIT_MASS, .b = rows[r].b};
        const double found = limit(&which, &rows[r].method, 0.03, rows[r].to, rows[r].margin);
        const char *label = bench_label(&which, &rows[r].method, 0);

        if (isinf(rows[r].limit))
            assert_true(isinf(found));
        else /* 16.27 is given with two decimals */
            within(found, rows[r].limit, rows[r].limit > 10 ? 5e-3 : 1e-3, label);
    }
}

/* omega = 2 pi, dt = 10 ms, Omega = 0.2513: PLSRT2 grows, IPLSRT2 decays. */
static void plsrt2_grows_where_iplsrt2_decays(void **state)
{
    static const struct torn_case which = {.kind = SPLIT_MASS, .b = 2};
    static const struct coupled_method plsrt2 = COUPLING("plsrt2", 2, G_MINUS),
                                       iplsrt2 = COUPLING("iplsrt2", 2, G_MINUS);
    const double dt = 0.2513 / 4;

    within(radius(&which, &plsrt2, dt), 1.0000018, 5e-8, "plsrt2");
    within(radius(&which, &iplsrt2, dt), 0.9998945, 5e-7, "iplsrt2"); /* Omega is given with four digits */
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* Radii over a logarithmic grid of Omega = omega dt, forty points in a decade. */
struct map {
    struct torn_case which;
    struct coupled_method method;
    double low, high;   /* of Omega */
    double first, peak; /* the first Omega with a radius above 1 + 1e-6, and the largest radius; 0, 1: stable */
};

/* Unit roots of the map of a structure. */
struct unit_root {
    double omega; /* of the highest mode */
    size_t roots; /* how many; 0: one, and only that one is left out */
    int largest_block;
};

static void check_map(const struct map *m, const struct unit_root *unit)
{
    const int points = 1 + (int)lround(40 * log10(m->high / m->low));
    const char *label;
    double first = 0, peak = 1;

    for (int i = 0; i < points; i++) {
        const double Omega = m->low * pow(m->high / m->low, i / (points - 1.0)), dt = Omega / unit->omega;
        const double r = unit->roots ? deflated_radius(&m->which, &m->method, dt, unit->roots, unit->largest_block)
                                     : radius(&m->which, &m->method, dt);

        peak = fmax(peak, r);
        if (first == 0 && r > 1 + 1e-6)
            first = Omega;
    }
    label = bench_label(&m->which, &m->method, 0);
    /* the grid of the reference is not ours: a few points in Omega, a tenth of the excess at a sharp peak */
    within(first, m->first, 0.2 * m->first, label);
    within(peak, m->peak, m->peak > 1 ? 0.1 * (m->peak - 1) + 1e-3 : 1e-6, label);
}

static void check_maps(const struct map *maps, size_t count, const struct unit_root *unit)
{
    for (size_t i = 0; i < count; i++)
        check_map(&maps[i], unit);
}

static const double ratios[] = {0.1, 0.5, 1, 2, 10};
enum { RATIOS = sizeof ratios / sizeof *ratios };
static const struct unit_root one = {1, 0, 1};

/* Methods that are stable on the split mass for every mass ratio and step. */
static void stable_methods_on_the_split_mass(void **state)
{
    static const struct coupled_method methods[] = {
        COUPLING("apnr1", 1, 1),
        COUPLING("apnr1", 1, 0.5),
        COUPLING("assr1", 1, 1),
        COUPLING("assr1", 2, 1),
        COUPLING("assr1", 10, 1),
        COUPLING("apnr2", 1, G_MINUS),
        COUPLING("apnr2", 1, G_PLUS),
        COUPLING("apnr2", 1, 0.25),
        COUPLING("apnr2", 1, 0.5),
        COUPLING_MIXED("apnr2", 1, G_MINUS, G_PLUS),
        COUPLING_MIXED("apnr2", 1, G_PLUS, G_MINUS),
        COUPLING("assr2", 2, G_PLUS),
        COUPLING_MIXED("assr2", 2, G_MINUS, G_PLUS),
        COUPLING_MIXED("assr2", 2, G_PLUS, G_MINUS),
        COUPLING("assr2", 10, G_PLUS),
        COUPLING_MIXED("assr2", 10, G_MINUS, G_PLUS),
        COUPLING("vpnr1", 1, 1),
        COUPLING("vpnr1", 1, 0.5),
        COUPLING("vpnr2", 1, G_MINUS),
        COUPLING("vpnr2", 1, G_PLUS),
        COUPLING("vpnr2", 1, 0.25),
        COUPLING("vpnr2", 1, 0.5),
        COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1),
        COUPLING_SET("vpnr2", 1, G_PLUS, "variant", 1),
        COUPLING_SET("vpnr2", 1, 0.25, "variant", 1),
        COUPLING_SET("vpnr2", 1, 0.5, "variant", 1),
        {"vpnr2", 1, G_MINUS, G_PLUS, {{"variant", 1}, {NULL, 0}}},
    };

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (size_t k = 0; k < RATIOS; k++)
            check_map(&(struct map){{.kind = SPLIT_MASS, .b = ratios[k]}, methods[i], 1e-3, 1e3, 0, 1}, &one);
    check_map(&(struct map){{.kind = SPLIT_MASS, .b = 100}, COUPLING("vpnr1", 1, 1), 1e-3, 1e3, 0, 1}, &one);
    check_map(&(struct map){{.kind = SPLIT_MASS, .b = 100}, COUPLING("vpnr1", 1, 0.5), 1e-3, 1e3, 0, 1}, &one);
}

/* With their default settings the methods that claim no limit have none; ten substeps where there are any. */
static void defaults_are_stable(void **state)
{
    static const char *const names[] = {"apnr1", "apnr2", "assr1", "vpnr1", "vpnr2"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < RATIOS; k++)
            for (double dt = 1e-2; dt < 1e3; dt *= 1.3) {
                const int substeps = yk_coupling_find(names[i])->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : 10;
                struct torn t;
                struct yk_coupling c;
                double re[MOST], im[MOST];

                torn_split_mass(&t, ratios[k], 1, 1, dt, substeps);
                torn_open(&c, &t, names[i], NULL, NULL, 0, 1);
                assert_ok(yk_coupled_spectrum(&c, re, im, &err));
                within(fmax(1, hypot(re[0], im[0])), 1, 1e-7, names[i]);
                yk_coupling_destroy(&c);
                torn_free(&t);
            }
}

#define SPLIT(ratio)                                                                                                   \
    {                                                                                                                  \
        .kind = SPLIT_MASS, .b = (ratio)                                                                               \
    }

static void subcycled_maps_on_the_split_mass(void **state)
{
    static const struct map maps[] = {
        {SPLIT(0.1), COUPLING("assr2", 2, G_MINUS), 1e-3, 1e3, 0, 1},
        {SPLIT(0.5), COUPLING("assr2", 2, G_MINUS), 1e-3, 1e3, 0, 1},
        {SPLIT(1), COUPLING("assr2", 2, G_MINUS), 1e-3, 17, 0, 1}, /* then to 1.18 */
        {SPLIT(2), COUPLING("assr2", 2, G_MINUS), 1e-3, 1e3, 4.04, 1.31},
        {SPLIT(10), COUPLING("assr2", 2, G_MINUS), 1e-3, 1e3, 0, 1},
        {SPLIT(0.1), COUPLING("assr2", 10, G_MINUS), 1e-3, 1e3, 21, 1.06},
        {SPLIT(0.5), COUPLING("assr2", 10, G_MINUS), 1e-3, 1e3, 10, 1.43},
        {SPLIT(1), COUPLING("assr2", 10, G_MINUS), 1e-3, 1e3, 3.6, 1.67},
        {SPLIT(2), COUPLING("assr2", 10, G_MINUS), 1e-3, 1e3, 0.18, 1.73},
        {SPLIT(10), COUPLING("assr2", 10, G_MINUS), 1e-3, 1e3, 0.26, 1.08},
        {SPLIT(0.1), COUPLING_MIXED("assr2", 10, G_PLUS, G_MINUS), 1e-3, 1e3, 21, 1.007},
        {SPLIT(0.5), COUPLING_MIXED("assr2", 10, G_PLUS, G_MINUS), 1e-3, 1e3, 0, 1},
        {SPLIT(1), COUPLING_MIXED("assr2", 10, G_PLUS, G_MINUS), 1e-3, 1e3, 0, 1},
        {SPLIT(2), COUPLING_MIXED("assr2", 10, G_PLUS, G_MINUS), 1e-3, 1e3, 7.9, 1.068},
        {SPLIT(10), COUPLING_MIXED("assr2", 10, G_PLUS, G_MINUS), 1e-3, 1e3, 0, 1},
        {SPLIT(0.1), COUPLING("assr2", 10, 0.5), 1e-3, 1e3, 25, 1.016},
        {SPLIT(0.5), COUPLING("assr2", 10, 0.5), 1e-3, 1e3, 4.2, 1.17},
        {SPLIT(1), COUPLING("assr2", 10, 0.5), 1e-3, 2, 0.42, 1.0013},
        {SPLIT(1), COUPLING("assr2", 10, 0.5), 1e-3, 1e3, 0.42, 1.27},
        {SPLIT(2), COUPLING("assr2", 10, 0.5), 1e-3, 1e3, 3.5, 1.29},
        {SPLIT(10), COUPLING("assr2", 10, 0.5), 1e-3, 1e3, 0, 1},
        {SPLIT(0.1), COUPLING("apsr1", 10, 1), 1e-3, 1e2, 12.5, 1.007},
        {SPLIT(1), COUPLING("apsr1", 10, 1), 1e-3, 1e2, 0, 1},
        {SPLIT(10), COUPLING("apsr1", 10, 1), 1e-3, 1e2, 0, 1},
        {SPLIT(0.1), COUPLING("plsrt2", 10, G_PLUS), 1e-2, 2, 0, 1},
        {SPLIT(0.5), COUPLING("plsrt2", 10, G_PLUS), 1e-2, 2, 0, 1},
        {SPLIT(1), COUPLING("plsrt2", 10, G_PLUS), 1e-2, 2, 0, 1},
        {SPLIT(10), COUPLING("plsrt2", 10, G_PLUS), 1e-2, 1e2, 0, 1},
        {SPLIT(0.1), COUPLING("plsrt2", 10, G_MINUS), 1e-2, 2, 0, 1},
        {SPLIT(0.5), COUPLING("plsrt2", 10, G_MINUS), 1e-2, 2, 0, 1},
        {SPLIT(1), COUPLING("plsrt2", 10, G_MINUS), 1e-2, 2, 0.29, 1.067},
        {SPLIT(10), COUPLING("plsrt2", 10, G_MINUS), 1e-2, 2, 0.06, 1.343},
    };
    static const struct coupled_method minus = COUPLING("assr2", 10, G_MINUS), two = COUPLING("assr2", 2, G_MINUS);
    static const struct torn_case b2 = SPLIT(2), b10 = SPLIT(10);

    check_maps(maps, sizeof maps / sizeof *maps, &one);
    /* never quite stable: |z| - 1 goes like Omega^4, 2.1e-4 of it at Omega = 1 */
    within(radius(&b10, &minus, 1) - 1, 2.1e-4, 5e-6, "growth at Omega = 1");
    within(log2((radius(&b10, &minus, 0.2) - 1) / (radius(&b10, &minus, 0.1) - 1)), 4, 0.05, "power of the growth");
    /* two bands, the first one narrow */
    within(radius(&b2, &two, 4.1), 1.007, 5e-4, "at Omega = 4.1");
    within(radius(&b2, &two, 1e3), 1.31, 5e-3, "at Omega = 1000");
}

/* From which Omega on: the unstable side of maps whose peak the reference does not give. */
static void unstable_settings_of_plsrt2(void **state)
{
    static const struct {
        double b, gamma;
        int substeps;
        double first;
    } rows[] = {{0.1, G_PLUS, 10, 10.2}, {0.5, G_PLUS, 10, 5.6},   {1, G_PLUS, 10, 4.6},    {0.1, G_MINUS, 2, 4.18},
                {0.1, G_MINUS, 5, 4.18}, {0.1, G_MINUS, 10, 4.18}, {0.1, G_MINUS, 50, 4.18}};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = SPLIT(rows[r].b);
        const struct coupled_method method = COUPLING("plsrt2", rows[r].substeps, rows[r].gamma);

        assert_true(radius(&which, &method, 0.85 * rows[r].first) < 1 + 1e-9);
        assert_true(radius(&which, &method, 1.05 * rows[r].first) > 1 + 1e-4);
    }
    for (size_t k = 1; k < RATIOS; k++) { /* without dissipation */
        const struct torn_case which = SPLIT(ratios[k]);
        const struct coupled_method quarter = COUPLING("plsrt2", 10, 0.25), half = COUPLING("plsrt2", 10, 0.5);

        assert_true(limit(&which, &quarter, 0.1, 8, 1e-3) < 8);
        assert_true(limit(&which, &half, 0.1, 8, 1e-3) < 8);
    }
}

/* With a second multiplier for the velocities both spurious roots are 1. */
static void dual_multipliers(void **state)
{
    static const struct map maps[] = {
        {SPLIT(1), COUPLING_SET("assr2", 10, G_MINUS, "multipliers", 1), 1e-3, 1e3, 5.6, 1.71},
        {SPLIT(5), COUPLING_SET("assr2", 10, G_MINUS, "multipliers", 1), 1e-2, 1e3, 0.1, 10.2},
        {SPLIT(1), COUPLING_SET("assr2", 10, G_PLUS, "multipliers", 1), 1e-3, 1e3, 0, 1},
        {SPLIT(5), COUPLING_SET("assr2", 10, G_PLUS, "multipliers", 1), 1e-3, 1e3, 0, 1},
    };

    check_maps(maps, sizeof maps / sizeof *maps, &one);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        double complex z[MOST];
        const size_t n = spectrum(&maps[i].which, &maps[i].method, 1, z);
        size_t units = 0;

        for (size_t k = 0; k < n; k++)
            units += cabs(z[k] - 1) < 1e-6;
        assert_int_equal(units, 2);
    }
    /* the excess of b = 5 is above 1e-7 from Omega = 0.06 on */
    assert_true(radius(&maps[1].which, &maps[1].method, 0.055) < 1 + 1e-7);
    assert_true(radius(&maps[1].which, &maps[1].method, 0.065) > 1 + 1e-7);
}

/* Excess of the projection of even steps for 4 omega dt up to 2. */
static void even_projection_grows_a_little(void **state)
{
    static const struct map maps[] = {
        {SPLIT(0.1), COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 1), 1e-2, 0.5, 0.05, 1.0046},
        {SPLIT(2), COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 1), 1e-2, 0.5, 0.03, 1.092},
    };

    check_maps(maps, sizeof maps / sizeof *maps, &one);
}

/* ---- structures with several degrees of freedom ------------------------------------------------------------------ */

#define OMEGA_2 1.7320508075688772 /* rad/s, highest modes of the chains of two and four */
#define OMEGA_4 1.902113032590307
#define OMEGA_3 13.363511

static void maps_of_larger_structures(void **state)
{
    static const struct map two_dof[] = {
        {{.kind = TWO_DOF_1, .b = 0.1}, COUPLING("apnr2", 1, G_MINUS), 1e-2, 1e2, 0, 1},
        {{.kind = TWO_DOF_1, .b = 10}, COUPLING("apnr2", 1, G_MINUS), 1e-2, 1e2, 0, 1},
        {{.kind = TWO_DOF_1, .b = 0.1}, COUPLING("apnr2", 1, G_PLUS), 1e-2, 1e2, 0, 1},
        {{.kind = TWO_DOF_1, .b = 10}, COUPLING("apnr2", 1, G_PLUS), 1e-2, 1e2, 0, 1},
        {{.kind = TWO_DOF_1, .b = 0.1}, COUPLING("assr2", 10, G_MINUS), 1e-2, 17, 0, 1}, /* then a band, below */
        {{.kind = TWO_DOF_1, .b = 0.1}, COUPLING("assr2", 10, G_PLUS), 1e-2, 1e2, 0, 1},
        {{.kind = TWO_DOF_1, .b = 10}, COUPLING("assr2", 10, G_MINUS), 1e-2, 1e2, 0.21, 1.685},
        {{.kind = TWO_DOF_1, .b = 10}, COUPLING("assr2", 10, G_PLUS), 1e-2, 1e2, 0, 1},
        {{.kind = TWO_DOF_1, .b = 10}, COUPLING_MIXED("assr2", 10, G_MINUS, G_PLUS), 1e-2, 1e2, 0, 1},
    };
    static const struct map four_dof[] = {
        {{.kind = FOUR_DOF_1}, COUPLING("apnr2", 1, G_MINUS), 1e-2, 1e2, 0, 1},
        {{.kind = FOUR_DOF_1}, COUPLING("apnr2", 1, G_PLUS), 1e-2, 1e2, 0, 1},
        {{.kind = FOUR_DOF_1}, COUPLING("assr2", 10, G_PLUS), 1e-2, 1e2, 0, 1},
        {{.kind = FOUR_DOF_1}, COUPLING("assr2", 10, G_MINUS), 1e-2, 1e2, 2 * OMEGA_4, 1.35},
        {{.kind = FOUR_DOF_1}, COUPLING_MIXED("assr2", 10, G_MINUS, G_PLUS), 1e-2, 1e2, 0, 1},
    };
    static const struct map three_dof[] = {
        {{.kind = THREE_DOF, .b = 2}, COUPLING("apnr2", 1, G_MINUS), 1e-2, 1e2, 0, 1},
        {{.kind = THREE_DOF, .b = 2}, COUPLING("apnr2", 1, G_PLUS), 1e-2, 1e2, 0, 1},
        {{.kind = THREE_DOF, .b = 2}, COUPLING("assr2", 10, G_PLUS), 1e-2, 1e2, 0, 1},
        {{.kind = THREE_DOF, .b = 2}, COUPLING("assr2", 10, G_MINUS), 1e-2, 1e2, 0.21, 1.51},
        {{.kind = THREE_DOF, .b = 2}, COUPLING_MIXED("assr2", 10, G_MINUS, G_PLUS), 1e-2, 1e2, 0, 1},
    };
    static const struct map floating_two[] = {
        {{.kind = TWO_DOF_2, .b = 10}, COUPLING("apnr2", 1, G_MINUS), 1e-2, 1e2, 0, 1},
        {{.kind = TWO_DOF_2, .b = 10}, COUPLING("apnr2", 1, G_PLUS), 1e-2, 1e2, 0, 1},
    };

    check_maps(two_dof, sizeof two_dof / sizeof *two_dof, &(struct unit_root){OMEGA_2, 0, 1});
    check_maps(four_dof, sizeof four_dof / sizeof *four_dof, &(struct unit_root){OMEGA_4, 0, 1});
    check_maps(three_dof, sizeof three_dof / sizeof *three_dof, &(struct unit_root){OMEGA_3, 3, 2});
    check_maps(floating_two, sizeof floating_two / sizeof *floating_two, &(struct unit_root){OMEGA_2, 3, 2});
    /* a band narrower than a grid point of the reference: 1.053 at dt = 10.3 s */
    assert_true(radius(&two_dof[4].which, &two_dof[4].method, 10.3) > 1.05);
    assert_true(radius(&two_dof[4].which, &two_dof[4].method, 10) < 1 + 1e-9);
    assert_true(radius(&two_dof[4].which, &two_dof[4].method, 10.5) < 1 + 1e-9);
}

/* Velocity continuity leaves one unit root for each interface row and no block, floating or not. */
static void vpnr2_on_larger_structures(void **state)
{
    static const struct {
        struct torn_case which;
        struct unit_root unit;
    } rows[] = {{{.kind = TWO_DOF_1, .b = 10}, {OMEGA_2, 1, 1}},
                {{.kind = TWO_DOF_2, .b = 10}, {OMEGA_2, 2, 1}},
                {{.kind = THREE_DOF, .b = 2}, {OMEGA_3, 2, 1}},
                {{.kind = FOUR_DOF_3}, {OMEGA_4, 3, 1}}};
    static const double gammas[] = {G_MINUS, G_PLUS, 0.25, 0.5};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t g = 0; g < sizeof gammas / sizeof *gammas; g++)
            for (int variant = 0; variant < 2; variant++) {
                const struct coupled_method method = COUPLING_SET("vpnr2", 1, gammas[g], "variant", variant);

                check_map(&(struct map){rows[r].which, method, 1e-2, 1e2, 0, 1}, &rows[r].unit);
            }
}

/* The unit root: one for each interface row and one more for each floating mode, in blocks of two. */
static void multiplicity_of_the_unit_root(void **state)
{
    static const struct {
        struct torn_case which;
        double dt;
        size_t algebraic, geometric;
    } rows[] = {{{.kind = SPLIT_MASS, .b = 10}, 1, 1, 1}, {{.kind = SPLIT_FLOATING, .b = 10}, 1, 2, 1},
                {{.kind = TWO_DOF_2, .b = 10}, 1, 3, 2},  {{.kind = THREE_DOF, .b = 2}, 0.1, 3, 2},
                {{.kind = FOUR_DOF_2}, 1, 3, 2},          {{.kind = FOUR_DOF_3}, 1, 5, 3}};
    static const struct coupled_method methods[] = {COUPLING("apnr2", 1, G_MINUS), COUPLING("apnr2", 1, G_PLUS)};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t m = 0; m < 2; m++) {
            double R[MOST * MOST], B[MOST * MOST];
            const size_t n = amplification(&rows[r].which, &methods[m], rows[r].dt, R);

            shifted_power(n, R, 1, B);
            assert_int_equal(n - orthonormal(n, B, n, 1e-10), rows[r].geometric);
            shifted_power(n, R, 4, B);
            assert_int_equal(n - orthonormal(n, B, n, 1e-10), rows[r].algebraic);
        }
}

static void frequencies_of_the_three_dof_structure(void **state)
{
    static const double Hz[] = {0.327342, 1.134706, 2.126869};
    static const struct torn_case which = {.kind = THREE_DOF, .b = 2};
    struct torn t;
    double w2[3];

    torn_case_make(&t, &which, 0.01, 1);
    assert_ok(yk_eigen_symmetric(&t.untorn.system->K, &t.untorn.system->M, 3, w2, NULL, &err));
    for (int i = 0; i < 3; i++)
        assert_near(sqrt(w2[i]) / (2 * 3.14159265358979323846), Hz[i], 1e-5);
    torn_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moduli_of_the_split_mass),
        cmocka_unit_test(states_are_minimal),
        cmocka_unit_test(damping_and_frequency_of_the_physical_pair),
        cmocka_unit_test(limits_of_the_interfield_methods),
        cmocka_unit_test(plsrt2_grows_where_iplsrt2_decays),
        cmocka_unit_test(stable_methods_on_the_split_mass),
        cmocka_unit_test(defaults_are_stable),
        cmocka_unit_test(subcycled_maps_on_the_split_mass),
        cmocka_unit_test(unstable_settings_of_plsrt2),
        cmocka_unit_test(dual_multipliers),
        cmocka_unit_test(even_projection_grows_a_little),
        cmocka_unit_test(maps_of_larger_structures),
        cmocka_unit_test(vpnr2_on_larger_structures),
        cmocka_unit_test(multiplicity_of_the_unit_root),
        cmocka_unit_test(frequencies_of_the_three_dof_structure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
