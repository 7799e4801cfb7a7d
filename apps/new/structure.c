/* Structure from the answers: stiffness of the storeys, first mode, sizes of the specimen.
 *
 * Storeys by their period T: k_i = w^2 sum over j >= i of j m_j, w = 2 pi/T, so that the first mode is a straight line
 * with that period. Storeys by their stiffness, and matrices: inverse iteration with K^-1 M. Units: N, m, s, kg. */
#include "new.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/linalg.h>
#include <yoke/parts.h>

#define GRAVITY        9.80665
#define ADDED_DAMPING  0.05  /* of the first mode, by a damper */
#define LEAST_STROKE   0.35  /* of a damper in the mode, over the largest motion */
#define BRACE_YIELD    0.15  /* of the weight, times the part of the storey */
#define BEARING_YIELD  0.05  /* of the weight */
#define BEARING_SLIP   0.008 /* m at yield */
#define BEARING_PERIOD 2.5   /* s, after yield; at least three times that of the building */

/* ---- the first mode ---- */

struct mode {
    double omega, mass, stroke; /* mass: phi^T M phi; stroke: phi where the specimen is */
};

/* Storeys: x := K^-1 b, the drift of a storey is the load above it over its stiffness. */
static void solve_storeys(const struct new_test *t, const double *b, double *x)
{
    double shear = 0;

    for (size_t i = 0; i < t->storeys; i++)
        shear += b[i];
    for (size_t i = 0; i < t->storeys; i++) {
        x[i] = (i ? x[i - 1] : 0) + shear / t->stiffness[i];
        shear -= b[i];
    }
}

static struct mode mode_of_storeys(const struct new_test *t)
{
    double x[NEW_STOREYS], b[NEW_STOREYS];
    struct mode mode = {0};

    for (size_t i = 0; i < t->storeys; i++)
        x[i] = (double)(i + 1);
    for (int k = 0; k < 200; k++) {
        double kinetic = 0, work = 0, largest = 0;

        for (size_t i = 0; i < t->storeys; i++)
            b[i] = t->mass[i] * x[i];
        solve_storeys(t, b, x);
        for (size_t i = 0; i < t->storeys; i++) {
            kinetic += t->mass[i] * x[i] * x[i];
            work += b[i] * x[i];
            largest = fmax(largest, fabs(x[i]));
        }
        mode = (struct mode){sqrt(work / kinetic), kinetic / (largest * largest), x[0] / largest};
        for (size_t i = 0; i < t->storeys; i++)
            x[i] /= largest;
    }
    return mode;
}

/* ---- storeys ---- */

static void stiffen_by_period(struct new_test *t)
{
    double above = 0;

    for (size_t i = t->storeys; i-- > 0;) {
        above += (double)(i + 1) * t->mass[i];
        t->stiffness[i] = above * pow(2 * M_PI / t->period, 2);
    }
}

static double weight_of(const struct new_test *t)
{
    double mass = t->kind == NEW_ISOLATOR ? t->mass[0] : 0; /* of the slab on the bearings */

    for (size_t i = 0; i < t->storeys; i++)
        mass += t->mass[i];
    return GRAVITY * mass;
}

/* Bearings that carry a part `share` are tested; all of them have the period BEARING_PERIOD after yield. */
static void size_bearings(struct new_test *t)
{
    const double period = fmax(BEARING_PERIOD, 3 / t->first_Hz), all = t->weight / GRAVITY * pow(2 * M_PI / period, 2);

    if (isnan(t->k))
        t->k = t->share * all;
    else
        t->share = fmin(0.9, t->k / all);
    if (isnan(t->yield))
        t->yield = t->share * BEARING_YIELD * t->weight;
    t->rest_k = t->k * (1 - t->share) / t->share;
    t->rest_yield = t->yield * (1 - t->share) / t->share;
}

/* A damper that adds ADDED_DAMPING to the mode: c stroke^2 = 2 zeta w m; less where its stroke is small. */
static void size_damper(struct new_test *t, const struct mode *mode)
{
    if (isnan(t->c))
        t->c = 2 * ADDED_DAMPING * mode->omega * mode->mass / pow(fmax(mode->stroke, LEAST_STROKE), 2);
}

static enum yk_status complete_storeys(struct new_test *t, struct yk_err *err)
{
    if (!(t->stiffness[0] > 0)) {
        if (isnan(t->period))
            t->period = fmax(0.5, 0.15 * (double)t->storeys);
        stiffen_by_period(t);
    }
    const struct mode mode = mode_of_storeys(t);

    t->first_Hz = mode.omega / (2 * M_PI);
    t->weight = weight_of(t);
    if (t->kind == NEW_ISOLATOR) {
        size_bearings(t);
        return YK_OK;
    }
    size_damper(t, &mode);
    if (isnan(t->k))
        t->k = t->share * t->stiffness[0];
    if (t->k > 0.95 * t->stiffness[0])
        return yk_fail(
            err, YK_E_RANGE,
            "--specimen-stiffness: %s of %s in the first storey; at most 95 %%, the specimen is a part of it",
            yk_quantity_format(t->k, YK_PLAIN_STIFFNESS, 4).text,
            yk_quantity_format(t->stiffness[0], YK_PLAIN_STIFFNESS, 4).text);
    if (isnan(t->yield))
        t->yield = t->k / t->stiffness[0] * BRACE_YIELD * t->weight;
    return YK_OK;
}

/* ---- matrices ---- */

static enum yk_status find_dof(const struct yk_substructure *frame, struct new_test *t, size_t *dof, struct yk_err *err)
{
    char *end;
    const long number = strtol(t->at, &end, 10);

    for (*dof = 0; *dof < frame->system->n; ++*dof)
        if (strcmp(frame->dofs[*dof], t->at) == 0)
            return YK_OK;
    if (*end || end == t->at || number < 1 || (size_t)number > frame->system->n)
        return yk_fail(err, YK_E_INPUT, "--at: '%.40s' is no degree of freedom of the matrices; %s ... %s, or 1 .. %zu",
                       t->at, frame->dofs[0], frame->dofs[frame->system->n - 1], frame->system->n);
    *dof = (size_t)number - 1;
    snprintf(t->at, sizeof t->at, "%s", frame->dofs[*dof]);
    return YK_OK;
}

/* Inverse iteration. *flexibility: displacement at the specimen for a unit force there. */
static enum yk_status mode_of_matrices(const struct yk_system *system, size_t dof, struct mode *mode,
                                       double *flexibility, struct yk_err *err)
{
    const size_t n = system->n;
    double *x = calloc(2 * n, sizeof *x), *b = x + n, one = 1;
    const struct yk_matrix *K = &system->K;
    struct yk_factor *factor = NULL;
    enum yk_status st = x ? yk_factor_sum(&factor, 1, &one, &K, NULL, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (st) {
        free(x);
        return yk_fail_within(err, YK_NOWHERE, "--stiffness-matrix: the structure must stand without the specimen: ");
    }
    b[dof] = 1;
    yk_factor_solve_to(factor, b, x);
    *flexibility = x[dof];
    for (int k = 0; k < 100; k++) {
        double kinetic = 0, work = 0, largest = 0;

        memset(b, 0, n * sizeof *b);
        yk_matrix_add_product(&system->M, 1, x, b);
        for (size_t i = 0; i < n; i++)
            work += b[i] * x[i];
        kinetic = work; /* x^T M x of the last vector, which b belongs to */
        for (size_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(x[i]));
        mode->mass = kinetic / (largest * largest);
        mode->stroke = fabs(x[dof]) / largest;
        yk_factor_solve(factor, b); /* b := K^-1 M x; work/x^T M b is the square of the frequency */
        double next = 0;

        memcpy(x, b, n * sizeof *x);
        memset(b, 0, n * sizeof *b);
        yk_matrix_add_product(&system->M, 1, x, b);
        for (size_t i = 0; i < n; i++)
            next += b[i] * x[i];
        mode->omega = pow(kinetic / next, 0.25);
        for (size_t i = 0; i < n; i++)
            x[i] /= sqrt(next);
    }
    yk_factor_destroy(factor);
    free(x);
    return YK_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static enum yk_status complete_matrices(struct new_test *t, const char *folder, struct yk_err *err)
{
    char text[3 * NEW_TEXT], path[2048];
    struct yk_parts *parts;
    struct mode mode = {0};
    double flexibility = 0;
    size_t dof;

    snprintf(text, sizeof text,
             "title: structure\ntime: { step: 1 ms, end: 1 s }\nmethod: { integrator: chang }\n"
             "substructures: { frame: { kind: linear, mass: '%s', stiffness: '%s' } }\n",
             base_name(t->matrix_file[0]), base_name(t->matrix_file[1]));
    snprintf(path, sizeof path, "%s/structure.yaml", folder);
    const struct yk_model_source source = {.path = path, .text = text, .size = strlen(text), .rehearse = true};
    enum yk_status st = yk_parts_open(&parts, &source, err);

    if (st)
        return st;
    const struct yk_substructure *frame = yk_part(parts, 0);

    if (!(st = find_dof(frame, t, &dof, err)) &&
        !(st = mode_of_matrices(frame->system, dof, &mode, &flexibility, err))) {
        t->first_Hz = mode.omega / (2 * M_PI);
        t->weight = GRAVITY * mode.mass;
        if (isnan(t->k))
            t->k = t->share / (1 - t->share) / flexibility;
        if (mode.stroke < 1e-3)
            st = yk_fail(err, YK_E_INPUT, "--at: '%s' hardly moves in the first mode (%.2g of the largest motion)",
                         t->at, mode.stroke);
        else
            size_damper(t, &mode);
        if (isnan(t->yield))
            t->yield = 0.5 * t->share * BRACE_YIELD * t->weight;
    }
    yk_parts_close(parts);
    return st;
}

/* ---- both ---- */

/* Whole ticks, about a hundred in a period of the first mode, at most 5 ms. */
static enum yk_status choose_step(struct new_test *t, struct yk_err *err)
{
    const double period = 1 / t->first_Hz, ticks = floor(fmin(0.005, period / 100) * t->rate);

    if (period * t->rate < 20)
        return yk_fail(err, YK_E_RANGE, "--rate: %s gives %.3g ticks in the first period of %.3g s; at least %s",
                       yk_quantity_format(t->rate, YK_FREQUENCY, 4).text, period * t->rate, period,
                       yk_quantity_format(ceil(20 / period), YK_FREQUENCY, 4).text);
    t->step = fmax(1, ticks) / t->rate;
    t->end = t->motion.n ? (double)(t->motion.n - 1) * t->motion.step_s : 15;
    t->end = t->step * ceil((t->end + fmin(5, 5 * period)) / t->step);
    return YK_OK;
}

enum yk_status new_complete(struct new_test *t, const char *folder, struct yk_err *err)
{
    enum yk_status st = t->storeys ? complete_storeys(t, err) : complete_matrices(t, folder, err);

    return st ? st : choose_step(t, err);
}
