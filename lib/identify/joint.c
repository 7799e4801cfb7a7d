/* A matrix of transfer functions from the responses of several actuators to sweeps of each. docs/theory/control.md, eq.
 * (64)-(71); Sanathanan and Koerner 1963. The fit is done command by command, in s over the highest frequency. */
#include <yoke/identify_joint.h>
#include <yoke/linalg.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI        6.283185307179586
#define FINE          1e-3 /* relative error that is small enough: a better fit is not worth another parameter */
#define COUPLED       1e-3 /* a displacement below this share of the largest one is not moved by the command */
#define LEAST_WEIGHED 0.05 /* smaller displacements count as if they were this share of the largest */
#define LEAST_PERCENT 20.0
#define GOLDEN        0.6180339887498949
#define SLOWEST_DECAY 1e-6 /* of poles, relative to the highest frequency */
#define LEAST_DAMPING 0.3  /* of poles beyond the sweep */

enum {
    MOST = YK_JOINT_ACTUATORS,
    POINTS = YK_JOINT_POINTS,
    POWERS = YK_MATRIX_POWERS,
    CHOSEN_ORDER = 6, /* highest that is tried by itself */
    ROUNDS = 10,      /* of the iteration for a denominator */
    DEADS = 8,        /* dead times on the grid, and steps of the search between them */
};

/* ---- measuring ---- */

enum yk_status yk_joint_measure(struct yk_joint_responses *to, const struct yk_swept *swept, double tick_s,
                                const struct yk_sweep *sweep, struct yk_err *err)
{
    struct yk_sweep_record records[MOST];
    struct yk_swept one = *swept;
    enum yk_status st = YK_OK;

    if (swept->watched < 2 || swept->watched > MOST)
        return yk_fail(err, YK_E_RANGE, "identify: %zu actuators together; there must be 2 to %d", swept->watched,
                       MOST);
    to->n = swept->watched;
    yk_sweep_frequencies(sweep, POINTS, to->frequency_Hz);
    for (size_t j = 0; j < to->n; j++) {
        one.actuator = swept->watch[j];
        if ((st = yk_sweep_run(records, &one, tick_s, sweep, err)))
            return st;
        for (size_t i = 0; i < to->n; i++) {
            for (int k = 0; k < POINTS; k++)
                to->H[i][j][k] = yk_sweep_transfer(&records[i], to->frequency_Hz[k]);
            yk_sweep_free(&records[i]);
        }
    }
    return YK_OK;
}

/* ---- one command ---- */

/* Data of the fit: the displacements that the command j moves, each over its size. */
struct column {
    size_t moved, which[MOST]; /* they are */
    double high;               /* 1/s: frequencies are relative to it */
    double x[POINTS];          /* they are */
    double complex H[MOST][POINTS];
    double size[MOST];
    double *A, *b; /* working memory */
};

/* A model of it, coefficients by rising powers of s/high; D_0 = 1. */
struct model {
    size_t poles, zeros; /* zeros: highest power of the numerators */
    double D[POWERS], N[MOST][POWERS], dead_time;
    double error; /* mean square, relative */
    double score; /* the lower, the better: Schwarz 1978 */
};

static double rms(const double complex *H)
{
    double sum = 0;

    for (int k = 0; k < POINTS; k++)
        sum += pow(cabs(H[k]), 2);
    return sqrt(sum / POINTS);
}

static void open_column(const struct yk_joint_responses *r, size_t j, struct column *c)
{
    double largest = 0;

    c->moved = 0;
    c->high = TWO_PI * r->frequency_Hz[POINTS - 1];
    for (int k = 0; k < POINTS; k++)
        c->x[k] = TWO_PI * r->frequency_Hz[k] / c->high;
    for (size_t i = 0; i < r->n; i++)
        largest = fmax(largest, rms(r->H[i][j]));
    for (size_t i = 0; i < r->n; i++) {
        const double size = rms(r->H[i][j]);

        if (!(size > COUPLED * largest))
            continue;
        c->which[c->moved] = i;
        c->size[c->moved] = fmax(size, LEAST_WEIGHED * largest);
        memcpy(c->H[c->moved++], r->H[i][j], sizeof c->H[0]);
    }
}

/* Real and imaginary part of an equation, in a matrix with its rows one below the other. */
static void put(double *column, size_t row, double complex value)
{
    column[row] = creal(value);
    column[row + 1] = cimag(value);
}

/* The response of displacement i without the dead time. */
static double complex ahead(const struct column *c, size_t i, int k, double dead_time)
{
    return c->H[i][k] * cexp(I * c->x[k] * c->high * dead_time);
}

/* eq. (66): the denominator, weighed by that of the round before. */
static enum yk_status find_denominator(const struct column *c, struct model *m, struct yk_err *err)
{
    const size_t rows = 2 * POINTS * c->moved, own = m->zeros + 1, cols = m->poles + c->moved * own;
    double *b = c->b;
    enum yk_status st;

    memset(c->A, 0, rows * cols * sizeof *c->A);
    for (size_t i = 0; i < c->moved; i++)
        for (int k = 0; k < POINTS; k++) {
            const size_t row = 2 * (i * POINTS + (size_t)k);
            const double complex s = I * c->x[k], H = ahead(c, i, k, m->dead_time),
                                 weight = 1 / (c->size[i] * yk_polynomial_at(m->D, POWERS, s));
            double complex power = weight;

            put(b, row, weight * H);
            for (size_t p = 0; p <= m->poles; p++) {
                if (p > 0)
                    put(c->A + (p - 1) * rows, row, -power * H);
                if (p < own)
                    put(c->A + (m->poles + i * own + p) * rows, row, power);
                power *= s;
            }
        }
    if (!(st = yk_least_squares(rows, cols, c->A, b, err)))
        memcpy(m->D + 1, b, m->poles * sizeof *b);
    return st;
}

/* Poles on the right go to the left; beyond the sweep, where it tells nothing about resonances, they are damped. */
static bool stabilise(struct model *m)
{
    double complex root[YK_MATRIX_ZEROS], product[POWERS] = {1};
    const size_t count = yk_polynomial_roots(m->D, m->poles + 1, 1, root);

    if (count != m->poles)
        return false;
    for (size_t r = 0; r < count; r++) { /* product of 1 - s/root */
        const double size = cabs(root[r]), least = size > 1 ? LEAST_DAMPING * size : SLOWEST_DECAY;
        const double complex pole = -fmax(fabs(creal(root[r])), least) + I * cimag(root[r]);

        for (size_t k = r + 1; k > 0; k--)
            product[k] -= product[k - 1] / pole;
    }
    for (size_t k = 0; k <= count; k++)
        m->D[k] = creal(product[k]);
    return yk_all_finite(POWERS, m->D);
}

/* eq. (67): the numerators, for a given denominator. */
static enum yk_status find_numerators(const struct column *c, struct model *m, struct yk_err *err)
{
    const size_t rows = 2 * POINTS;
    enum yk_status st = YK_OK;

    m->error = 0;
    for (size_t i = 0; i < c->moved && !st; i++) {
        for (int k = 0; k < POINTS; k++) {
            const double complex s = I * c->x[k];
            double complex power = 1 / (c->size[i] * yk_polynomial_at(m->D, POWERS, s));

            put(c->b, 2 * (size_t)k, ahead(c, i, k, m->dead_time) / c->size[i]);
            for (size_t p = 0; p <= m->zeros; p++, power *= s)
                put(c->A + p * rows, 2 * (size_t)k, power);
        }
        if ((st = yk_least_squares(rows, m->zeros + 1, c->A, c->b, err)))
            break;
        memcpy(m->N[i], c->b, (m->zeros + 1) * sizeof *c->b);
        for (int k = 0; k < POINTS; k++) {
            const double complex s = I * c->x[k],
                                 M = yk_polynomial_at(m->N[i], POWERS, s) / yk_polynomial_at(m->D, POWERS, s);

            m->error += pow(cabs(ahead(c, i, k, m->dead_time) - M) / c->size[i], 2) / (double)(POINTS * c->moved);
        }
    }
    return st;
}

/* eq. (68) */
static double score(const struct column *c, const struct model *m)
{
    const double samples = 2.0 * POINTS * (double)c->moved,
                 parameters = (double)(m->poles + c->moved * (m->zeros + 1) + (m->dead_time > 0));

    return samples * log(m->error + FINE * FINE) + parameters * log(samples);
}

/* The best of the rounds with a given number of poles and zeros and dead time. */
static enum yk_status fit(const struct column *c, size_t poles, size_t zeros, double dead_time, struct model *best,
                          struct yk_err *err)
{
    struct model m = {.poles = poles, .zeros = zeros, .dead_time = dead_time, .D = {1}};
    enum yk_status st = YK_OK;
    double before = INFINITY;

    *best = m;
    best->error = best->score = INFINITY;
    for (int round = 0; round < ROUNDS && !st; round++) {
        if ((st = find_denominator(c, &m, err)) || !stabilise(&m) || (st = find_numerators(c, &m, err)))
            break;
        if (m.error < best->error)
            *best = m;
        if (!(fabs(before - m.error) > 1e-4 * m.error) || m.error < 1e-6 * FINE * FINE)
            break;
        before = m.error;
    }
    best->score = score(c, best);
    return st;
}

/* With the best dead time up to `longest`, from a grid and the golden section. */
static enum yk_status fit_dead_time(const struct column *c, size_t poles, size_t zeros, double longest,
                                    struct model *best, struct yk_err *err)
{
    enum yk_status st = fit(c, poles, zeros, 0, best, err);
    const double apart = longest / DEADS;
    struct model m, other;
    double low, high;

    if (st || best->error < FINE * FINE || !(longest > 0))
        return st;
    m = *best;
    for (int k = 1; k <= DEADS && !st; k++)
        if (!(st = fit(c, poles, zeros, k * apart, &other, err)) && other.error < m.error)
            m = other;
    low = fmax(m.dead_time - apart, 0);
    high = m.dead_time + apart;
    for (int k = 0; k < DEADS && !st; k++) {
        struct model left, right;

        if (!(st = fit(c, poles, zeros, high - GOLDEN * (high - low), &left, err)) &&
            !(st = fit(c, poles, zeros, low + GOLDEN * (high - low), &right, err))) {
            if (left.error < right.error)
                high = right.dead_time;
            else
                low = left.dead_time;
            m = left.error < m.error ? left : m;
            m = right.error < m.error ? right : m;
        }
    }
    if (!st && m.score < best->score)
        *best = m;
    return st;
}

/* Poles and zeros by their score, up to where two more poles bring nothing. longest > 0: and a dead time; else the one
 * that is given. */
static enum yk_status choose(const struct column *c, size_t order, double dead_time, double longest, struct model *best,
                             struct yk_err *err)
{
    const size_t first = order ? order : 1, last = order ? order : CHOSEN_ORDER;
    enum yk_status st = YK_OK;

    *best = (struct model){.score = INFINITY};
    for (size_t poles = first; poles <= last && poles <= (best->poles ? best->poles : first) + 2 && !st; poles++)
        for (size_t zeros = 0; zeros < poles && !st; zeros++) {
            struct model m;

            st = longest > 0 ? fit_dead_time(c, poles, zeros, longest, &m, err)
                             : fit(c, poles, zeros, dead_time, &m, err);
            if (!st && m.score < best->score)
                *best = m;
        }
    return st;
}

/* ---- all commands ---- */

/* Lags, dead time and nothing else are late by more than the dead time, at any frequency. */
static double longest_dead_time(const struct yk_joint_responses *r, size_t j)
{
    struct yk_response last = {0};

    for (int k = 0; k < POINTS; k++)
        last = yk_response_of(r->frequency_Hz[k], r->H[j][j][k], k ? &last : NULL);
    return fmax(last.delay_s, 0);
}

static void keep(const struct column *c, const struct model *m, size_t j, struct yk_transfer_matrix *to)
{
    double power = 1;

    for (size_t k = 0; k < POWERS; k++) {
        to->D[j][k] = m->D[k] * power;
        for (size_t i = 0; i < c->moved; i++)
            to->N[c->which[i]][j][k] = m->N[i][k] * power;
        power /= c->high;
    }
}

static void judge(const struct yk_joint_responses *r, struct yk_joint_model *found)
{
    double complex H[MOST * MOST], left[MOST][MOST][POINTS];

    for (int k = 0; k < POINTS; k++) {
        yk_transfer_response(&found->matrix, I * TWO_PI * r->frequency_Hz[k], H);
        for (size_t i = 0; i < r->n; i++)
            for (size_t j = 0; j < r->n; j++)
                left[i][j][k] = r->H[i][j][k] - H[i * r->n + j];
    }
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++)
            found->fit_percent[i][j] =
                found->matrix.N[i][j][0] != 0 ? 100 * (1 - rms(left[i][j]) / rms(r->H[i][j])) : NAN;
}

static enum yk_status check(const struct yk_joint_responses *r, size_t order, struct yk_err *err)
{
    if (r->n < 2 || r->n > MOST)
        return yk_fail(err, YK_E_RANGE, "identify: %zu actuators together; there must be 2 to %d", r->n, MOST);
    if (order > YK_MATRIX_ORDER)
        return yk_fail(err, YK_E_RANGE, "identify: order %zu is not 1 to %d", order, YK_MATRIX_ORDER);
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++)
            for (int k = 0; k < POINTS; k++)
                if (!isfinite(cabs(r->H[i][j][k])))
                    return yk_fail(err, YK_E_INPUT, "identify: the response at %g Hz is not finite",
                                   r->frequency_Hz[k]);
    return YK_OK;
}

static enum yk_status fit_all(const struct yk_joint_responses *r, struct column *c, size_t order,
                              struct yk_transfer_matrix *to, struct yk_err *err)
{
    struct model m;
    enum yk_status st = YK_OK;

    to->dead_time = INFINITY;
    for (size_t j = 0; j < r->n && !st; j++) { /* each command has a dead time of its own */
        open_column(r, j, c);
        if (!(st = choose(c, order, 0, longest_dead_time(r, j), &m, err)))
            to->dead_time = fmin(to->dead_time, m.dead_time);
    }
    for (size_t j = 0; j < r->n && !st; j++) { /* and all what they have in common */
        open_column(r, j, c);
        if (!(st = choose(c, order, to->dead_time, 0, &m, err)) && !isfinite(m.error))
            st = yk_fail(err, YK_E_DIVERGED, "identify: no model was found for command %zu", j + 1);
        if (!st)
            keep(c, &m, j, to);
    }
    return st;
}

enum yk_status yk_identify_joint(const struct yk_joint_responses *r, size_t order, struct yk_joint_model *found,
                                 struct yk_err *err)
{
    const size_t rows = 2 * POINTS * MOST, cols = YK_MATRIX_ORDER + MOST * POWERS;
    struct column *c = malloc(sizeof *c);
    double *memory = malloc(rows * (cols + 1) * sizeof *memory);
    enum yk_status st = check(r, order, err);

    *found = (struct yk_joint_model){.matrix.n = r->n};
    if (!st && (!c || !memory))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a fit");
    if (!st && c) {
        c->A = memory;
        c->b = memory + rows * cols;
        st = fit_all(r, c, order, &found->matrix, err);
    }
    free(c);
    free(memory);
    if (st)
        return st;
    judge(r, found);
    for (size_t j = 0; j < r->n; j++)
        if (!(found->fit_percent[j][j] >= LEAST_PERCENT))
            return yk_fail(err, YK_E_INPUT,
                           "identify: no model explains the sweep of actuator %zu of %zu (fit %.3g %%); does it follow "
                           "its command?",
                           j + 1, r->n, found->fit_percent[j][j]);
    return YK_OK;
}

/* ---- compensators ---- */

/* X := A^-1 X, n x n each, row by row; false: singular. By the elimination of Gauss; A is destroyed. */
static bool solve(size_t n, double complex *A, double complex *X)
{
    for (size_t c = 0; c < n; c++) {
        size_t best = c;

        for (size_t i = c + 1; i < n; i++)
            if (cabs(A[i * n + c]) > cabs(A[best * n + c]))
                best = i;
        if (A[best * n + c] == 0)
            return false;
        for (size_t k = 0; k < n; k++) {
            const double complex a = A[c * n + k], x = X[c * n + k];

            A[c * n + k] = A[best * n + k];
            X[c * n + k] = X[best * n + k];
            A[best * n + k] = a;
            X[best * n + k] = x;
        }
        for (size_t i = 0; i < n; i++) {
            const double complex factor = A[i * n + c] / A[c * n + c];

            for (size_t k = 0; k < n && i != c; k++) {
                A[i * n + k] -= factor * A[c * n + k];
                X[i * n + k] -= factor * X[c * n + k];
            }
        }
    }
    for (size_t i = 0; i < n * n; i++)
        X[i] /= A[i / n * n + i / n];
    return true;
}

/* docs/theory/delay.md, eq. (17i): commands over targets */
static bool inverse_at(const struct yk_transfer_matrix *m, double w, double dt, double complex *C)
{
    const double complex s = (1 - cexp(-I * w * dt)) / dt;
    double complex N[MOST * MOST];

    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++) {
            N[i * m->n + j] = yk_polynomial_at(m->N[i][j], POWERS, s);
            C[i * m->n + j] = i == j;
        }
    if (!solve(m->n, N, C))
        return false;
    for (size_t i = 0; i < m->n * m->n; i++)
        C[i] *= yk_polynomial_at(m->D[i / m->n], POWERS, s);
    return true;
}

/* docs/theory/delay.md, eq. (17j), with exact derivatives */
static void forward_at(const struct yk_joint_proposal *p, size_t n, double w, double complex *C)
{
    double complex power = cexp(I * w * p->ahead_s);

    memset(C, 0, n * n * sizeof *C);
    for (size_t k = 0; k < p->terms; k++, power *= I * w)
        for (size_t i = 0; i < n * n; i++)
            C[i] += power * p->A[k * n * n + i];
}

/* eq. (71) */
static double error_with(const struct yk_joint_responses *r, int k, double late, const double complex *C)
{
    const size_t n = r->n;
    const double complex turn = cexp(-I * TWO_PI * r->frequency_Hz[k] * late);
    double worst = 0;

    for (size_t j = 0; j < n; j++) {
        double sum = 0;

        for (size_t i = 0; i < n; i++) {
            double complex e = i == j ? -1 : 0;

            for (size_t l = 0; l < n; l++)
                e += turn * r->H[i][l][k] * C[l * n + j];
            sum += pow(cabs(e), 2);
        }
        worst = fmax(worst, sqrt(sum));
    }
    return worst;
}

void yk_joint_propose(const struct yk_joint_responses *r, const struct yk_transfer_matrix *m,
                      const struct yk_pace *pace, struct yk_joint_proposal *p)
{
    const double hold = -0.5 * pace->tick, late = m->dead_time + hold; /* commands are sent at the start of a tick */
    const size_t n = r->n, terms = YK_JOINT_TERMS / n;
    double complex C[MOST * MOST];
    double inverse = 0, forward = 0;

    *p = (struct yk_joint_proposal){.invertible = true, .ahead_s = fmax(late, 0), .terms = terms < 3 ? terms : 3};
    p->zeros = yk_transfer_zeros(m, TWO_PI * r->frequency_Hz[POINTS - 1], p->zero);
    for (size_t k = 0; k < p->zeros; k++)
        p->invertible &= creal(p->zero[k]) < 0;
    if (p->terms && yk_transfer_expand_inverse(m, fmin(late, 0), p->terms, p->A, NULL))
        p->terms = 0;
    for (int k = 0; k < POINTS; k++) {
        const double f = r->frequency_Hz[k], w = TWO_PI * f;

        p->inverse_error[k] = inverse_at(m, w, pace->dt, C) ? error_with(r, k, hold, C) : INFINITY;
        forward_at(p, n, w, C);
        p->forward_error[k] = p->terms ? error_with(r, k, hold, C) : INFINITY;
        if (f > 0.25 * r->frequency_Hz[POINTS - 1])
            continue;
        inverse += p->inverse_error[k];
        forward += p->forward_error[k];
    }
    p->inverts = p->invertible && isfinite(inverse) && inverse <= forward;
}
