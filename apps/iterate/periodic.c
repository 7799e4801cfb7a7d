/* kind: periodic: the Fourier coefficients of the command, so that the equations of motion of the interface hold at
 * each harmonic with what was measured: docs/theory/iterate.md, eq. (1). Coefficients: x(t) = Re sum X_h exp(j h w t),
 * h = 1 to H, and the mean value (h = 0) where it is asked for. */
#include "iterate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI  6.283185307179586
#define GENTLE  4.0   /* periods in which a run reaches its amplitude */
#define SAME    1e-6  /* of its largest value: a load that repeats */
#define PROBE   0.05  /* of the first harmonic: excitation of those that the load does not have */
#define LONGEST 100.0 /* s: a common period */
enum { FEWEST = 64, LARGEST = 400 };

struct work {
    struct runs *r;
    const struct settings *s;
    struct outcome *out;
    size_t n, q;         /* degrees of freedom of the structure; of the specimens */
    size_t first, count; /* harmonics: 0 or 1, and H + 1 */
    size_t unknowns;
    double *M, *C, *K, *T; /* n x n by rows; n x q: a force of the specimens on the structure */
    double *load;          /* coefficients by harmonic: n complex ones */
    double *Z, *P;         /* by harmonic: condensed to the specimens, q x q and q complex ones; at w */
    double w;              /* they are those of this frequency */
    double size;           /* |P| */
    double *u, *x, *F;     /* of a run */
    double *X, *Fh, *last; /* coefficients of the last run */
    size_t samples, made;
    double tracking;
};

/* ---- the computed structure ---- */

static void add_part(struct work *w, const struct yk_matrix *map, const struct yk_matrix *A, double *to)
{
    const size_t m = map->cols;

    for (size_t a = 0; a < w->n; a++)
        for (size_t i = 0; i < m; i++) {
            const double left = yk_matrix_get(map, a, i);

            for (size_t j = 0; left != 0 && j < m; j++) {
                const double entry = yk_matrix_get(A, i, j);

                for (size_t b = 0; entry != 0 && b < w->n; b++)
                    to[a * w->n + b] += left * entry * yk_matrix_get(map, b, j);
            }
        }
}

/* Everything but the force of the specimens. */
static enum yk_status assemble(struct work *w, struct yk_err *err)
{
    const struct yk_parts *parts = w->r->parts;
    const struct yk_assembly *whole = yk_parts_assembly(parts);
    size_t at = 0;

    if (!whole->system || whole->system->n > LARGEST)
        return yk_fail_at(
            err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
            "kind: periodic takes structures of at most %d degrees of freedom; reduce it (`yoke reduce`), or "
            "use kind: record",
            LARGEST);
    w->n = whole->system->n;
    w->q = w->r->dofs;
    const size_t nn = w->n * w->n;
    if (!(w->M = calloc(3 * nn + w->n * w->q + 1, sizeof *w->M)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    w->C = w->M + nn;
    w->K = w->C + nn;
    w->T = w->K + nn;
    for (size_t p = 0; p < yk_parts_count(parts); p++) {
        const struct yk_system *system = yk_part(parts, p)->system;
        const struct yk_matrix *map = &whole->map[p];

        if (!yk_part_is_specimen(parts, p) && (!system->linear || system->mass_divided_out))
            return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
                              "kind: periodic needs a linear computed structure, but %s is nonlinear; use kind: record",
                              yk_part(parts, p)->name);
        add_part(w, map, &system->M, w->M);
        if (!yk_part_is_specimen(parts, p)) {
            add_part(w, map, &system->C, w->C);
            add_part(w, map, &system->K, w->K);
            continue;
        }
        for (size_t i = 0; i < system->n; i++)
            for (size_t a = 0; a < w->n; a++)
                w->T[a * w->q + at + i] = yk_matrix_get(map, a, i);
        at += system->n;
    }
    return YK_OK;
}

/* The loads on the structure at t. */
static void loads_at(const struct work *w, double t, double *f, double *room)
{
    const struct yk_parts *parts = w->r->parts;
    const struct yk_assembly *whole = yk_parts_assembly(parts);

    memset(f, 0, w->n * sizeof *f);
    for (size_t p = 0; p < yk_parts_count(parts); p++) {
        memset(room, 0, yk_part(parts, p)->system->n * sizeof *room);
        yk_parts_load_at(parts, p, t, room);
        yk_matrix_add_product(&whole->map[p], 1, room, f);
    }
}

/* The frequency that the loads have: that of the file, or of the first sine where a curve is asked for. */
static double base_frequency(const struct work *w)
{
    const struct yk_node *loads = yk_node_get(yk_parts_tree(w->r->parts), "loads");
    double lowest = INFINITY, f;

    if (!(w->s->to > 0))
        return w->s->from;
    for (size_t i = 0; loads && i < loads->count; i++) {
        const struct yk_node *node = yk_node_get(loads->items[i], "frequency");

        if (node && node->text && !yk_si(node->text, "frequency", &f, NULL))
            lowest = fmin(lowest, f);
    }
    return isfinite(lowest) ? lowest : w->s->from;
}

/* Why the loads do not repeat with the base frequency: the frequencies of sines. */
static enum yk_status no_period(const struct work *w, double f0, struct yk_err *err)
{
    const struct yk_node *loads = yk_node_get(yk_parts_tree(w->r->parts), "loads"),
                         *at = yk_node_get(yk_node_get(yk_parts_tree(w->r->parts), "iterate"), "frequency");
    double first = 0, f;

    for (size_t i = 0; loads && i < loads->count; i++) {
        const struct yk_node *node = yk_node_get(loads->items[i], "frequency");

        if (!node || !node->text || yk_si(node->text, "frequency", &f, NULL) || fabs(f / f0 - round(f / f0)) < 1e-9)
            continue;
        first = f;
        for (double T = 1; T * (1 / f0) <= LONGEST; T++)
            if (fabs(f * T / f0 - round(f * T / f0)) < 1e-6)
                return yk_fail_at(
                    err, YK_E_INPUT, at->where,
                    "iterate.frequency: the load has %g and %g Hz; their common period is that of %.6g Hz: "
                    "set this frequency, and harmonics to %.0f at least",
                    f0, f, f0 / T, fmax(f, f0) * T / f0);
    }
    if (first > 0)
        return yk_fail_at(err, YK_E_INPUT, at->where,
                          "iterate.frequency: the load has %g and %g Hz, which have no common period below %g s", f0,
                          first, LONGEST);
    return yk_fail_at(
        err, YK_E_INPUT, at->where,
        "iterate.frequency: the loads do not repeat with %g Hz; for loads of any kind there is kind: record", f0);
}

/* Coefficients of the loads, over the last whole period of the file. */
static enum yk_status read_loads(struct work *w, struct yk_err *err)
{
    const double f0 = base_frequency(w), T = 1 / f0, end = yk_parts_end(w->r->parts),
                 t0 = fmax(floor(end / T + 1e-9) - 1, 0) * T;
    const size_t N = 8 * w->count > FEWEST ? 8 * w->count : FEWEST;
    size_t most = 1;
    double largest = 0, off = 0, *f;

    for (size_t p = 0; p < yk_parts_count(w->r->parts); p++)
        most = yk_part(w->r->parts, p)->system->n > most ? yk_part(w->r->parts, p)->system->n : most;
    w->load = calloc(2 * w->n * w->count, sizeof *w->load);
    if (!w->load || !(f = calloc(2 * w->n + most, sizeof *f)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < N; k++) {
        const double t = t0 + T * (double)k / (double)N;

        loads_at(w, t, f, f + 2 * w->n);
        loads_at(w, t - (t0 >= T ? T : 0), f + w->n, f + 2 * w->n);
        for (size_t i = 0; i < w->n; i++) {
            largest = fmax(largest, fabs(f[i]));
            off = fmax(off, fabs(f[i] - f[w->n + i]));
        }
        for (size_t h = 0; h < w->count; h++)
            for (size_t i = 0; i < w->n; i++) {
                const double a = TWO_PI * (double)(h * k % N) / (double)N, scale = (h ? 2.0 : 1.0) / (double)N;

                w->load[2 * (h * w->n + i)] += scale * f[i] * cos(a);
                w->load[2 * (h * w->n + i) + 1] -= scale * f[i] * sin(a);
            }
    }
    free(f);
    if (!(largest > 0))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(yk_parts_path(w->r->parts)), "no load acts: nothing to iterate");
    return off > SAME * largest ? no_period(w, f0, err) : YK_OK;
}

/* Z_N and P at the specimens for harmonic h: x = T^T Y (P - T F), Y = (K + jhwC - h^2w^2 M)^-1. */
static bool condense(struct work *w, size_t h)
{
    const size_t n = w->n, q = w->q, columns = q + 1;
    const double om = (double)h * w->w;
    double *A = calloc(2 * (n * n + n * columns + q * q + q * columns), sizeof *A), *B = A + 2 * n * n,
           *G = B + 2 * n * columns, *R = G + 2 * q * q;
    double *Z = w->Z + 2 * h * q * q, *P = w->P + 2 * h * q;
    bool good = A != NULL;

    for (size_t i = 0; good && i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            A[2 * (i * n + j)] = w->K[i * n + j] - om * om * w->M[i * n + j];
            A[2 * (i * n + j) + 1] = om * w->C[i * n + j];
        }
        for (size_t j = 0; j < q; j++)
            B[2 * (i * columns + j)] = w->T[i * q + j];
        memcpy(B + 2 * (i * columns + q), w->load + 2 * (h * n + i), 2 * sizeof *B);
    }
    good = good && yk_solve_complex(n, A, columns, B);
    /* G = T^T Y T; then Z = G^-1, P = G^-1 T^T Y P */
    for (size_t a = 0; good && a < q; a++) {
        for (size_t j = 0; j < columns; j++)
            for (size_t i = 0; i < n; i++)
                for (int c = 0; c < 2; c++)
                    *(j < q ? &G[2 * (a * q + j) + (size_t)c] : &R[2 * (a * columns + q) + (size_t)c]) +=
                        w->T[i * q + a] * B[2 * (i * columns + j) + (size_t)c];
        R[2 * (a * columns + a)] = 1;
    }
    good = good && yk_solve_complex(q, G, columns, R);
    for (size_t a = 0; good && a < q; a++) {
        for (size_t b = 0; b < q; b++)
            memcpy(Z + 2 * (a * q + b), R + 2 * (a * columns + b), 2 * sizeof *Z);
        memcpy(P + 2 * a, R + 2 * (a * columns + q), 2 * sizeof *P);
    }
    free(A);
    return good;
}

static enum yk_status go_to(struct work *w, double frequency, struct yk_err *err)
{
    double sum = 0;

    w->w = TWO_PI * frequency;
    for (size_t h = w->first; h < w->count; h++)
        if (!condense(w, h))
            return yk_fail(
                err, YK_E_RANGE,
                "the computed structure alone has no response at %g Hz: it is free to move there, or resonates "
                "without damping%s",
                (double)h * frequency, h ? "" : " (iterate.mean)");
    for (size_t i = 2 * w->first * w->q; i < 2 * w->count * w->q; i++)
        sum += w->P[i] * w->P[i];
    w->size = sqrt(sum);
    return w->size > 0 ? YK_OK
                       : yk_fail(err, YK_E_INPUT, "the loads have no part at the harmonics of %g Hz", frequency);
}

/* ---- runs ---- */

/* The place of an unknown: real parts and imaginary ones of each harmonic; the mean is real. */
static void spread(const struct work *w, const double *y, double *U)
{
    size_t at = 0;

    memset(U, 0, 2 * w->count * w->q * sizeof *U);
    for (size_t h = w->first; h < w->count; h++)
        for (size_t i = 0; i < w->q; i++)
            for (size_t c = 0; c < (h ? 2 : 1); c++)
                U[2 * (h * w->q + i) + c] = y[at++];
}

static void gather(const struct work *w, const double *U, double *y)
{
    size_t at = 0;

    for (size_t h = w->first; h < w->count; h++)
        for (size_t i = 0; i < w->q; i++)
            for (size_t c = 0; c < (h ? 2 : 1); c++)
                y[at++] = U[2 * (h * w->q + i) + c];
}

static void make_command(struct work *w, const double *U)
{
    const double T = TWO_PI / w->w;

    w->samples = (size_t)ceil((double)w->s->settle * T / w->r->h);
    for (size_t k = 0; k < w->samples; k++) {
        const double t = (double)(k + 1) * w->r->h, x = fmin(t / (GENTLE * T), 1),
                     rise = x * x * x * (10 + x * (6 * x - 15));

        for (size_t i = 0; i < w->q; i++) {
            double sum = U[2 * i];

            for (size_t h = 1; h < w->count; h++)
                sum += U[2 * (h * w->q + i)] * cos((double)h * w->w * t) -
                       U[2 * (h * w->q + i) + 1] * sin((double)h * w->w * t);
            w->u[k * w->q + i] = rise * sum;
        }
    }
}

/* Coefficients of y (samples x q) over the `average` periods before sample `made`, by least squares. */
static bool coefficients(const struct work *w, const double *y, size_t made, double *Y)
{
    const size_t p = 2 * w->count - 1;
    const double span = (double)w->s->average * TWO_PI / w->w;
    const size_t back = (size_t)lround(span / w->r->h), from = made > back ? made - back : 0;
    double A[(2 * MOST_HARMONICS + 1) * (2 * MOST_HARMONICS + 1)] = {0}, row[2 * MOST_HARMONICS + 1],
                                                              *b = calloc(p * w->q, sizeof *b);

    for (size_t k = from; b && k < made; k++) {
        row[0] = 1;
        for (size_t h = 1; h < w->count; h++) {
            row[2 * h - 1] = cos((double)h * w->w * (double)(k + 1) * w->r->h);
            row[2 * h] = -sin((double)h * w->w * (double)(k + 1) * w->r->h);
        }
        for (size_t i = 0; i < p; i++) {
            for (size_t j = 0; j < p; j++)
                A[i * p + j] += row[i] * row[j];
            for (size_t j = 0; j < w->q; j++)
                b[i * w->q + j] += row[i] * y[k * w->q + j];
        }
    }
    const bool good = b && yk_solve_real(p, A, w->q, b);

    memset(Y, 0, 2 * w->count * w->q * sizeof *Y);
    for (size_t j = 0; good && j < w->q; j++) {
        Y[2 * j] = b[j];
        for (size_t h = 1; h < w->count; h++) {
            Y[2 * (h * w->q + j)] = b[(2 * h - 1) * w->q + j];
            Y[2 * (h * w->q + j) + 1] = b[2 * h * w->q + j];
        }
    }
    free(b);
    return good;
}

static double apart(size_t n, const double *a, const double *b)
{
    double miss = 0, size = 0;

    for (size_t i = 0; i < n; i++) {
        miss += (a[i] - b[i]) * (a[i] - b[i]);
        size += a[i] * a[i];
    }
    return size > 0 ? sqrt(miss / size) : 0;
}

/* Two averages one after the other are the same. */
static bool enough(void *self, size_t made, const double *x, const double *F)
{
    struct work *w = self;
    const size_t count = 2 * w->count * w->q;

    if (!coefficients(w, x, made, w->X) || !coefficients(w, F, made, w->Fh))
        return false;
    const bool steady = (double)made * w->r->h > (GENTLE + 2 * w->s->average) * TWO_PI / w->w &&
                        apart(count, w->X, w->last) < w->s->steady &&
                        apart(count, w->Fh, w->last + count) < w->s->steady;

    memcpy(w->last, w->X, count * sizeof *w->X);
    memcpy(w->last + count, w->Fh, count * sizeof *w->Fh);
    return steady;
}

/* eq. (1) with what was measured */
static void residual(const struct work *w, double *R)
{
    const size_t q = w->q;
    double *all = calloc(2 * w->count * q + 1, sizeof *all);

    for (size_t h = w->first; all && h < w->count; h++)
        for (size_t a = 0; a < q; a++) {
            double *r = all + 2 * (h * q + a);

            r[0] = w->Fh[2 * (h * q + a)] - w->P[2 * (h * q + a)];
            r[1] = w->Fh[2 * (h * q + a) + 1] - w->P[2 * (h * q + a) + 1];
            for (size_t b = 0; b < q; b++) {
                const double *z = w->Z + 2 * (h * q * q + a * q + b), *x = w->X + 2 * (h * q + b);

                r[0] += z[0] * x[0] - z[1] * x[1];
                r[1] += z[0] * x[1] + z[1] * x[0];
            }
        }
    if (all)
        gather(w, all, R);
    free(all);
}

static double norm(size_t n, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static enum yk_status make_run(struct work *w, const double *y, double *R, struct yk_err *err)
{
    const struct told about = {.rung = 1, .frequency = w->w / TWO_PI, .error = NAN, .fit = NAN, .blend = 1};
    const struct early early = {
        .every = (size_t)lround((double)w->s->average * TWO_PI / w->w / w->r->h), .enough = enough, .self = w};
    double *U = calloc(2 * w->count * w->q + 1, sizeof *U);
    enum yk_status st;

    if (!U)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    spread(w, y, U);
    make_command(w, U);
    memset(w->last, 0, 4 * w->count * w->q * sizeof *w->last);
    st = runs_make(w->r, &about, w->samples, w->u, w->x, w->F, &early, &w->made, err);
    if (!st && (!coefficients(w, w->x, w->made, w->X) || !coefficients(w, w->F, w->made, w->Fh)))
        st = yk_fail(err, YK_E_DIVERGED, "run %zu gave no harmonics", w->r->count);
    if (!st) {
        if (w->made == w->samples && w->r->count == 1)
            runs_remark(w->r, "run 1 was not steady to iterate.steady within iterate.settle periods");
        residual(w, R);
        w->tracking = apart(2 * w->count * w->q, U, w->X);
        const double error = norm(w->unknowns, R) / w->size;

        st = runs_tell(w->r, error, NAN, 1, norm(2 * w->count * w->q, w->X), err);
    }
    free(U);
    return st;
}

static enum yk_status run_here(void *self, const double *y, double *R, struct yk_err *err)
{
    return make_run(self, y, R, err);
}

static enum yk_status run_at(void *self, double omega, const double *y, double *R, struct yk_err *err)
{
    struct work *w = self;
    const enum yk_status st = go_to(w, omega / TWO_PI, err);

    return st ? st : make_run(w, y, R, err);
}

static bool add_point(void *self, double omega, const double *y, double error, int runs)
{
    struct work *w = self;
    struct curve_point *more = realloc(w->out->curve, (w->out->curve_count + 1) * sizeof *more);
    double most = 0;

    if (!more)
        return false;
    for (size_t i = 0; i < w->q; i++) /* of what was measured: its first harmonic */
        most = fmax(most, hypot(w->X[2 * (w->q + i)], w->X[2 * (w->q + i) + 1]));
    w->out->curve = more;
    more[w->out->curve_count++] = (struct curve_point){omega / TWO_PI, most};
    w->out->error = fmax(isnan(w->out->error) ? 0 : w->out->error, error);
    return !stop_asked;
}

/* ---- the first guess: estimate and virtual rig ---- */

/* J = (Z_N + S) H by harmonic, and the command that would solve it. S: the estimate; H: the virtual rig (q complex). */
static enum yk_status guess(struct work *w, const double *H, double *y, double *J, struct yk_err *err)
{
    const size_t q = w->q, m = w->unknowns;
    size_t at = 0, dof = 0;
    double *rhs = calloc(m + m * m, sizeof *rhs);

    if (!rhs)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memset(J, 0, m * m * sizeof *J);
    for (size_t h = w->first; h < w->count; h++, at += (h == 1 ? 1 : 2) * q)
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++) {
                const double *z = w->Z + 2 * (h * q * q + a * q + b), *g = H + 2 * (h * q + b);
                double s[2] = {z[0], z[1]};

                dof = 0;
                for (size_t p = 0; p < yk_parts_count(w->r->parts); p++) {
                    const struct yk_system *system = yk_part(w->r->parts, p)->system;

                    if (!yk_part_is_specimen(w->r->parts, p))
                        continue;
                    if (a >= dof && b >= dof && a < dof + system->n && b < dof + system->n) {
                        s[0] += yk_matrix_get(&system->K, a - dof, b - dof);
                        s[1] += (double)h * w->w * yk_matrix_get(&system->C, a - dof, b - dof);
                    }
                    dof += system->n;
                }
                const double re = s[0] * g[0] - s[1] * g[1], im = s[0] * g[1] + s[1] * g[0];

                if (h == 0) {
                    J[(at + a) * m + at + b] = re;
                    continue;
                }
                J[(at + 2 * a) * m + at + 2 * b] = J[(at + 2 * a + 1) * m + at + 2 * b + 1] = re;
                J[(at + 2 * a) * m + at + 2 * b + 1] = -im;
                J[(at + 2 * a + 1) * m + at + 2 * b] = im;
            }
    memcpy(rhs + m, J, m * m * sizeof *J);
    gather(w, w->P, rhs);
    const bool good = yk_solve_real(m, rhs + m, 1, rhs);

    memcpy(y, rhs, m * sizeof *y);
    free(rhs);
    return good ? YK_OK
                : yk_fail(err, YK_E_RANGE,
                          "the estimate of the specimen and the structure resonate without "
                          "damping at this frequency: there is no first guess");
}

/* H of the actuators: a run on the virtual rig with the command that would be right without them. */
static enum yk_status first_guess(struct work *w, double *y, double *J, struct yk_err *err)
{
    const size_t count = 2 * w->count * w->q;
    double *H = calloc(2 * count, sizeof *H), *U = H + count, largest = 0;
    enum yk_status st = H ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t i = 0; !st && i < count; i += 2)
        H[i] = 1;
    if (!st)
        st = guess(w, H, y, J, err);
    if (!st) {
        spread(w, y, U);
        for (size_t i = 0; i < count; i += 2)
            largest = fmax(largest, hypot(U[i], U[i + 1]));
        for (size_t i = 2 * w->q; i < count; i += 2) /* every harmonic is excited */
            if (hypot(U[i], U[i + 1]) < PROBE * largest)
                U[i] = PROBE * largest;
        make_command(w, U);
        st = runs_rehearse(w->r, w->samples, w->u, w->x, w->F, err);
        if (st)
            yk_fail_within(err, YK_NOWHERE, "the first guess on the virtual rig: ");
    }
    if (!st && coefficients(w, w->x, w->samples, w->X)) {
        for (size_t i = 2 * w->q; i < count; i += 2) {
            const double size = U[i] * U[i] + U[i + 1] * U[i + 1];

            H[i] = (w->X[i] * U[i] + w->X[i + 1] * U[i + 1]) / size;
            H[i + 1] = (w->X[i + 1] * U[i] - w->X[i] * U[i + 1]) / size;
        }
        const double top = hypot(H[count - 2], H[count - 1]);

        if (top < 0.3)
            st = yk_fail_at(err, YK_E_INPUT, yk_node_get(yk_parts_tree(w->r->parts), "iterate")->where,
                            "harmonics: %zu needs %.4g Hz, where the actuator only reaches %.0f %% of its command; use "
                            "fewer harmonics",
                            w->count - 1, (double)(w->count - 1) * w->w / TWO_PI, 100 * top);
        else
            st = guess(w, H, y, J, err);
    }
    free(H);
    return st;
}

/* ---- all ---- */

static enum yk_status one_frequency(struct work *w, double *y, double *J, struct yk_err *err)
{
    const struct settings *s = w->s;
    struct yk_broyden_settings set = yk_broyden_defaults();
    struct yk_broyden_result result;

    set.bad = s->update == 1;
    set.scale = w->size;
    set.tolerance = s->tolerance;
    set.step_limit = s->step_limit;
    set.most = s->most;
    const enum yk_status st = yk_broyden_solve(&set, w->unknowns, y, J, run_here, w, NULL, &result, err);

    w->out->end = result.end;
    w->out->error = result.best;
    return st;
}

static enum yk_status response_curve(struct work *w, double *y, double *J, struct yk_err *err)
{
    const struct settings *s = w->s;
    struct yk_response_settings set = yk_response_defaults();
    struct yk_response_result result;
    double largest = 0, f;
    enum yk_status st = YK_OK;

    for (int k = 0; k <= 200 && !st; k++) { /* the largest predicted motion scales the unknowns */
        double *H = calloc(2 * w->count * w->q, sizeof *H), *trial = calloc(w->unknowns, sizeof *trial),
               *other = calloc(w->unknowns * w->unknowns, sizeof *other);

        f = s->from + (s->to - s->from) * k / 200;
        for (size_t i = 0; H && i < w->count * w->q; i++)
            H[2 * i] = 1;
        if (H && trial && other && !(st = go_to(w, f, err)) && !guess(w, H, trial, other, NULL))
            largest = fmax(largest, norm(w->unknowns, trial));
        free(H);
        free(trial);
        free(other);
    }
    if (st || (st = go_to(w, s->from, err)))
        return st;
    set.corrector.scale = w->size;
    set.corrector.tolerance = s->tolerance;
    set.corrector.most = s->most;
    set.from = TWO_PI * s->from;
    set.to = TWO_PI * s->to;
    set.step = s->step;
    set.u_scale = largest > 0 ? largest / 1.5 : 1;
    set.w_scale = fabs(set.to - set.from) / 2;
    set.difference = 0.01;
    st = yk_response_trace(&set, w->unknowns, y, J, run_at, add_point, w, &result, err);
    w->out->end = result.complete ? YK_ITERATION_CONVERGED : YK_ITERATION_STUCK;
    w->out->fold_count = result.fold_count;
    memcpy(w->out->folds, result.folds, sizeof result.folds);
    return st;
}

static enum yk_status make_room(struct work *w, struct yk_err *err)
{
    const struct settings *s = w->s;
    const double lowest = s->to > 0 ? fmin(s->from, s->to) : s->from;
    const size_t most = (size_t)ceil(1.5 * s->settle / lowest / w->r->h) + 2, q = w->q, count = 2 * w->count * q;

    w->u = calloc(3 * most * q, sizeof *w->u);
    w->X = calloc(4 * count + 2 * w->count * (q * q + q), sizeof *w->X);
    if (!w->u || !w->X)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    w->x = w->u + most * q;
    w->F = w->x + most * q;
    w->Fh = w->X + count;
    w->last = w->Fh + count;
    w->Z = w->last + 2 * count;
    w->P = w->Z + 2 * w->count * q * q;
    if (1 / (lowest > s->to ? lowest : fmax(s->to, lowest)) / w->r->h < 4 * s->harmonics)
        return yk_fail(err, YK_E_INPUT, "harmonics: %d at %g Hz needs a step below %.4g s; time.step is %g s",
                       s->harmonics, fmax(s->to, s->from), 1 / fmax(s->to, s->from) / (4 * s->harmonics), w->r->h);
    return YK_OK;
}

static void keep_picture(struct work *w)
{
    struct outcome *out = w->out;
    const size_t periods = (size_t)lround(2 * TWO_PI / w->w / w->r->h), n = periods < w->made ? periods : w->made,
                 from = (w->made - n) * w->q;

    out->samples = n;
    out->x = calloc(n * w->q + 1, sizeof *out->x);
    out->F = calloc(n * w->q + 1, sizeof *out->F);
    if (out->x && out->F) {
        memcpy(out->x, w->x + from, n * w->q * sizeof *out->x);
        memcpy(out->F, w->F + from, n * w->q * sizeof *out->F);
    }
    out->tracking = w->tracking;
}

enum yk_status iterate_periodic(struct runs *r, struct outcome *out, struct yk_err *err)
{
    const struct settings *s = r->s;
    struct work w = {.r = r, .s = s, .out = out, .first = s->mean ? 0 : 1, .count = (size_t)s->harmonics + 1};
    double *y = NULL, *J = NULL;
    enum yk_status st = assemble(&w, err);

    out->error = out->refit = NAN;
    w.unknowns = (2 * (size_t)s->harmonics + (s->mean ? 1 : 0)) * w.q;
    if (!st && !(st = read_loads(&w, err)))
        st = make_room(&w, err);
    if (!st && (!(y = calloc(w.unknowns, sizeof *y)) || !(J = calloc(w.unknowns * w.unknowns, sizeof *J))))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st && !(st = go_to(&w, s->from, err)) && !(st = first_guess(&w, y, J, err)))
        st = s->to > 0 ? response_curve(&w, y, J, err) : one_frequency(&w, y, J, err);
    if (w.made)
        keep_picture(&w);
    free(y);
    free(J);
    free(w.M);
    free(w.load);
    free(w.u);
    free(w.X);
    return st;
}
