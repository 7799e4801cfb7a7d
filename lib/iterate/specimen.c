/* Models of specimens, and their refit to a run: docs/theory/iterate.md, eq. (6). */
#include <yoke/iterate.h>

#include <math.h>
#include <string.h>

enum { EVERY = 4, EVALUATIONS = 60, PARAMETERS = 3 };
#define SMALLEST_STEP 1e-3
#define BETTER        1e-9 /* of the rms: less is rounding */

static double velocity(size_t samples, size_t n, double step, const double *x, size_t k, size_t i)
{
    const size_t from = k ? k - 1 : 0, to = k + 1 < samples ? k + 1 : k;

    return to > from ? (x[to * n + i] - x[from * n + i]) / ((double)(to - from) * step) : 0;
}

static void linear(const struct yk_specimen_model *m, size_t samples, double step, const double *x, double *F)
{
    const size_t n = m->n;

    for (size_t k = 0; k < samples; k++)
        for (size_t i = 0; i < n; i++) {
            F[k * n + i] = 0;
            for (size_t j = 0; j < n; j++)
                F[k * n + i] += m->K[i * n + j] * x[k * n + j] +
                                (m->C[i * n + j] != 0 ? m->C[i * n + j] * velocity(samples, n, step, x, k, j) : 0);
        }
}

/* Every `every`-th sample: the path between is a straight line, on which a slider only moves one way. */
static void bilinear(double k, double yield, double b, size_t samples, size_t every, const double *x, double *F)
{
    double z = 0, last = 0;

    for (size_t i = 0; i < samples; i += every) {
        z = fmax(-yield, fmin(yield, z + k * (x[i] - last)));
        last = x[i];
        F[i / every] = b * k * x[i] + (1 - b) * z;
    }
}

void yk_specimen_force(const struct yk_specimen_model *m, size_t samples, double step, const double *x, double *F)
{
    if (m->kind == YK_SPECIMEN_LINEAR)
        linear(m, samples, step, x, F);
    else
        bilinear(m->stiffness, m->yield, m->hardening, samples, 1, x, F);
}

/* ---- refit ---- */

/* Matrices of a passive specimen: symmetric; without damping where some of it is negative. */
static void tame(struct yk_specimen_model *m)
{
    const size_t n = m->n;
    bool negative = false;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            m->K[i * n + j] = m->K[j * n + i] = 0.5 * (m->K[i * n + j] + m->K[j * n + i]);
            m->C[i * n + j] = m->C[j * n + i] = 0.5 * (m->C[i * n + j] + m->C[j * n + i]);
        }
    for (size_t i = 0; i < n; i++)
        negative |= m->C[i * n + i] < 0;
    for (size_t i = 0; i < n * n && negative; i++)
        m->C[i] = 0;
}

/* Rows of normal equations of [x, x'] against F. */
static bool fit_linear(struct yk_specimen_model *m, size_t samples, double step, const double *x, const double *F)
{
    enum { MOST = 2 * YK_SPECIMEN_DOFS };
    const size_t n = m->n, p = 2 * n;
    double A[MOST * MOST] = {0}, b[MOST * YK_SPECIMEN_DOFS] = {0}, size[MOST] = {0};

    for (int pass = 0; pass < 2; pass++) /* columns of unit size: stiffness and damping differ by orders */
        for (size_t k = 0; k < samples; k++) {
            double row[MOST];

            for (size_t i = 0; i < n; i++) {
                row[i] = x[k * n + i];
                row[n + i] = velocity(samples, n, step, x, k, i);
            }
            for (size_t i = 0; i < p && !pass; i++)
                size[i] += row[i] * row[i];
            for (size_t i = 0; i < p && pass; i++) {
                for (size_t j = 0; j < p; j++)
                    A[i * p + j] += row[i] * row[j] / sqrt(size[i] * size[j]);
                for (size_t j = 0; j < n; j++)
                    b[i * n + j] += row[i] * F[k * n + j] / sqrt(size[i]);
            }
        }
    for (size_t i = 0; i < p; i++)
        if (!(size[i] > 0))
            return false;
    if (!yk_solve_real(p, A, n, b))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            m->K[i * n + j] = b[j * n + i] / sqrt(size[j]);
            m->C[i * n + j] = b[(n + j) * n + i] / sqrt(size[n + j]);
        }
    tame(m);
    return true;
}

static double rms(size_t n, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return n ? sqrt(sum / (double)n) : 0;
}

/* Rms of the force that the model misses. */
static double missed(const struct yk_specimen_model *m, size_t samples, double step, const double *x, const double *F)
{
    const size_t n = m->n;
    double sum = 0, z = 0, last = 0;

    if (m->kind == YK_SPECIMEN_BILINEAR) {
        size_t count = 0;

        for (size_t k = 0; k < samples; k += EVERY, count++) {
            z = fmax(-m->yield, fmin(m->yield, z + m->stiffness * (x[k] - last)));
            last = x[k];
            const double d = m->hardening * m->stiffness * x[k] + (1 - m->hardening) * z - F[k];
            sum += d * d;
        }
        return count ? sqrt(sum / (double)count) : 0;
    }
    for (size_t k = 0; k < samples; k++)
        for (size_t i = 0; i < n; i++) {
            double d = -F[k * n + i];

            for (size_t j = 0; j < n; j++)
                d += m->K[i * n + j] * x[k * n + j] + m->C[i * n + j] * velocity(samples, n, step, x, k, j);
            sum += d * d;
        }
    return sqrt(sum / (double)(samples * n));
}

/* One parameter moved by `by`: stiffness and yield by their logarithms. */
static struct yk_specimen_model moved(const struct yk_specimen_model *m, int parameter, double by)
{
    struct yk_specimen_model out = *m;

    if (parameter == 0)
        out.stiffness *= exp(by);
    else if (parameter == 1)
        out.yield *= exp(by);
    else
        out.hardening = fmin(fmax(out.hardening + by, 0), 0.99);
    return out;
}

static void fit_bilinear(struct yk_specimen_model *m, size_t samples, double step, const double *x, const double *F)
{
    double by[PARAMETERS] = {0.2, 0.2, 0.05}, best = missed(m, samples, step, x, F);
    int evaluations = 1;

    while (evaluations < EVALUATIONS && by[0] > SMALLEST_STEP) {
        bool better = false;

        for (int p = 0; p < PARAMETERS; p++)
            for (int side = 1; side >= -1 && evaluations < EVALUATIONS; side -= 2) {
                const struct yk_specimen_model tried = moved(m, p, side * by[p]);
                const double now = missed(&tried, samples, step, x, F);

                evaluations++;
                if (now < best * (1 - BETTER)) {
                    *m = tried;
                    best = now;
                    better = true;
                    break;
                }
            }
        for (int p = 0; p < PARAMETERS && !better; p++)
            by[p] /= 2;
    }
}

double yk_specimen_refit(struct yk_specimen_model *m, size_t samples, double step, const double *x, const double *F)
{
    const double before = missed(m, samples, step, x, F), size = rms(samples * m->n, F);
    struct yk_specimen_model now = *m;

    if (m->kind == YK_SPECIMEN_BILINEAR)
        fit_bilinear(&now, samples, step, x, F);
    else if (!fit_linear(&now, samples, step, x, F))
        now = *m;
    const double after = missed(&now, samples, step, x, F);

    if (after < before)
        *m = now;
    return size > 0 ? fmin(after, before) / size : 0;
}
