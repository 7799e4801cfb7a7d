/* Reduced against full: frequencies, MAC and a time response. docs/theory/reduction.md, eq. (11)-(13).
 *
 *   e_k = f_r,k / f_k - 1,   MAC_jk = (a_j^T b_k)^2 / ((a_j^T a_j) (b_k^T b_k)),   NMSE = mean (x - x_r)^2 / mean x^2
 *
 * a_j = T x_j: mode j of the reduced model in the full one; b_k: mode k of the full model. Rigid modes are left out. */
#include <yoke/fidelity.h>
#include <yoke/signal.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RIGID_MOST = 6, NOISE_LINES = 200 };
#define CLOSE   1e-3 /* an error that counts as none: 0.1 % */
#define CLUSTER 1e-2 /* modes of the full model this near in frequency may mix: they are compared as a space */

struct yk_fidelity_settings yk_fidelity_defaults(void)
{
    return (struct yk_fidelity_settings){.modes = 20, .noise_Hz = 200, .dt = 1e-3, .end = 1};
}

void yk_fidelity_free(struct yk_fidelity *f)
{
    free(f->full_Hz);
    free(f->reduced_Hz);
    free(f->mac);
    free(f->full_u);
    free(f->reduced_u);
    *f = (struct yk_fidelity){0};
}

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory: the fidelity could not be computed");
}

/* ---- frequencies and shapes ----------------------------------------------------------------------------------------
 */

/* The `count` lowest modes, or all there are. */
static enum yk_status lowest_modes(struct yk_modes *modes, const struct yk_matrix *K, const struct yk_matrix *M,
                                   size_t count, struct yk_err *err)
{
    *modes = (struct yk_modes){.n = K->rows, .count = count < K->rows ? count : K->rows};
    modes->w2 = calloc(modes->count + 1, sizeof *modes->w2);
    modes->phi = calloc(modes->n * modes->count + 1, sizeof *modes->phi);
    if (!modes->w2 || !modes->phi)
        return no_memory(err);
    return yk_eigen_symmetric(K, M, modes->count, modes->w2, modes->phi, err);
}

/* Rigid motions of the full model. The reduced one has them too; there they have lost more digits. */
static enum yk_status count_rigid(const struct yk_modes *full, const struct yk_matrix *K, size_t *rigid,
                                  struct yk_err *err)
{
    struct yk_matrix sparse = {0};
    const enum yk_status st = yk_matrix_to_sparse(&sparse, K, err);

    if (!st)
        *rigid = yk_modes_rigid(full, &sparse);
    yk_matrix_fini(&sparse);
    return st;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static double mac(size_t n, const double *a, const double *b)
{
    const double both = yk_dot(n, a, b);

    return both * both / (yk_dot(n, a, a) * yk_dot(n, b, b));
}

static void compare_frequencies(struct yk_fidelity *f)
{
    double difference = 0, size = 0;

    f->exact_below_Hz = INFINITY;
    for (size_t k = 0; k < f->modes; k++) {
        const double error = fabs(f->reduced_Hz[k] / f->full_Hz[k] - 1);

        f->worst_error = fmax(f->worst_error, error);
        if (error > CLOSE && f->full_Hz[k] < f->exact_below_Hz)
            f->exact_below_Hz = f->full_Hz[k];
        difference += (f->reduced_Hz[k] - f->full_Hz[k]) * (f->reduced_Hz[k] - f->full_Hz[k]);
        size += f->full_Hz[k] * f->full_Hz[k];
    }
    f->frequency_nmse = f->modes ? difference / size : 0;
}

/* Share of `a` in the space of the full modes near mode j in frequency, eq. (12a): their shapes in b are made
 * orthonormal in `space` one after the other. */
static double share_in_cluster(const struct yk_fidelity *f, size_t n, size_t j, const double *a, const double *b,
                               double *space)
{
    double share = 0;
    size_t count = 0;

    for (size_t k = 0; k < f->modes; k++) {
        double *e = space + count * n, size, part;

        if (fabs(f->full_Hz[k] / f->full_Hz[j] - 1) > CLUSTER)
            continue;
        memcpy(e, b + k * n, n * sizeof *e);
        for (size_t c = 0; c < count; c++) {
            part = yk_dot(n, space + c * n, e);
            for (size_t i = 0; i < n; i++)
                e[i] -= part * space[c * n + i];
        }
        size = sqrt(yk_dot(n, e, e));
        for (size_t i = 0; i < n; i++)
            e[i] /= size;
        part = yk_dot(n, e, a);
        share += part * part;
        count++;
    }
    return share / yk_dot(n, a, a);
}

/* `a` has room for one shape, and behind it for as many as there are modes. */
static void compare_shapes(struct yk_fidelity *f, const struct yk_reduced *r, const double *x, const double *b,
                           double *a)
{
    f->least_diagonal = f->least_in_cluster = 1;
    for (size_t j = 0; j < f->modes; j++) {
        yk_reduced_recover(r, x + j * r->n, a);
        for (size_t k = 0; k < f->modes; k++) {
            const double value = mac(r->full, a, b + k * r->full);

            f->mac[j + k * f->modes] = value;
            if (j == k)
                f->least_diagonal = fmin(f->least_diagonal, value);
            else
                f->largest_off_diagonal = fmax(f->largest_off_diagonal, value);
        }
        f->least_in_cluster = fmin(f->least_in_cluster, share_in_cluster(f, r->full, j, a, b, a + r->full));
    }
}

/* Elastic modes of the full model up to the limit of the reduced one, of `most`. Above it that has coordinates left,
 * one for each interface displacement, but nothing to describe a mode with. */
static size_t count_comparable(const struct yk_fidelity *f, const double *w2, size_t most)
{
    size_t count = 0;

    if (!isfinite(f->limit_Hz))
        return most;
    while (count < most && sqrt(fmax(w2[count], 0)) / (2 * M_PI) <= f->limit_Hz * (1 + CLOSE))
        count++;
    return count;
}

static enum yk_status compare_modes(struct yk_fidelity *f, const struct yk_linear_model *model,
                                    const struct yk_reduced *r, const struct yk_fidelity_settings *s,
                                    struct yk_err *err)
{
    struct yk_modes full = {0}, few = {0};
    double *recovered = calloc(r->full * (s->modes + 1) + 1, sizeof *recovered);
    size_t rigid, most;
    enum yk_status st;

    if (!recovered) {
        st = no_memory(err);
        goto end;
    }
    if ((st = lowest_modes(&full, model->K, model->M, s->modes + RIGID_MOST, err)) ||
        (st = lowest_modes(&few, &r->K, &r->M, s->modes + RIGID_MOST, err)) ||
        (st = count_rigid(&full, model->K, &f->rigid, err)))
        goto end;
    rigid = least(f->rigid, r->n);
    f->limit_Hz = r->limit_w2 > 0 && r->n < r->full ? sqrt(r->limit_w2) / (2 * M_PI) : INFINITY;
    most = least(s->modes, least(full.count - f->rigid, few.count - rigid));
    f->modes = count_comparable(f, full.w2 + f->rigid, most);
    f->left_out = most - f->modes;
    f->full_Hz = calloc(f->modes + 1, sizeof *f->full_Hz);
    f->reduced_Hz = calloc(f->modes + 1, sizeof *f->reduced_Hz);
    f->mac = calloc(f->modes * f->modes + 1, sizeof *f->mac);
    if (!f->full_Hz || !f->reduced_Hz || !f->mac) {
        st = no_memory(err);
        goto end;
    }
    for (size_t k = 0; k < f->modes; k++) {
        f->full_Hz[k] = sqrt(full.w2[f->rigid + k]) / (2 * M_PI);
        f->reduced_Hz[k] = sqrt(few.w2[rigid + k]) / (2 * M_PI);
    }
    compare_frequencies(f);
    compare_shapes(f, r, few.phi + rigid * r->n, full.phi + f->rigid * r->full, recovered);
end:
    free(recovered);
    yk_modes_free(&full);
    yk_modes_free(&few);
    return st;
}

/* ---- response ------------------------------------------------------------------------------------------------------
 */

/* Noise on every interface degree of freedom, seeds 1, 2, ... */
struct noises {
    const struct yk_signal_ops *ops;
    size_t count;
    void **settings;
};

static void noise_force(void *self, double t, double *f)
{
    const struct noises *s = self;

    for (size_t k = 0; k < s->count; k++)
        f[k] = s->ops->value(s->settings[k], t);
}

static void noises_free(struct noises *s)
{
    for (size_t k = 0; s->settings && k < s->count; k++)
        yk_signal_free(s->ops, s->settings[k]);
    free(s->settings);
}

static enum yk_status noises_create(struct noises *s, size_t count, const struct yk_fidelity_settings *set,
                                    struct yk_err *err)
{
    enum yk_status st = YK_OK;

    *s = (struct noises){.ops = yk_signal_find("noise"), .count = count, .settings = calloc(count, sizeof(void *))};
    for (size_t k = 0; k < count && !st; k++) {
        if (!s->settings)
            return no_memory(err);
        if (!(st = yk_param_settings(s->ops->params, s->ops->settings_size, &s->settings[k], err)) &&
            !(st = yk_param_set(s->ops->params, s->settings[k], "rms", 1, err)) &&
            !(st = yk_param_set(s->ops->params, s->settings[k], "high", set->noise_Hz, err)) &&
            !(st = yk_param_set(s->ops->params, s->settings[k], "lines", NOISE_LINES, err)) &&
            !(st = yk_param_set(s->ops->params, s->settings[k], "seed", (double)k + 1, err)))
            st = s->ops->prepare(s->settings[k], set->end, err);
    }
    return st;
}

static void compare_motions(struct yk_fidelity *f, size_t count)
{
    double difference = 0, size = 0;

    const size_t samples = (f->steps + 1) * count;

    for (size_t i = 0; i < samples; i++) {
        difference += (f->full_u[i] - f->reduced_u[i]) * (f->full_u[i] - f->reduced_u[i]);
        size += f->full_u[i] * f->full_u[i];
    }
    f->mse = difference / (double)samples;
    f->rms = sqrt(size / (double)samples);
    f->nmse = size > 0 ? difference / size : 0;
}

static enum yk_status compare_responses(struct yk_fidelity *f, const struct yk_linear_model *model,
                                        const struct yk_reduced *r, const struct yk_fidelity_settings *s,
                                        struct yk_err *err)
{
    const size_t count = r->interface_count;
    const struct yk_linear_model few = {.M = &r->M, .C = &r->C, .K = &r->K};
    size_t *last = calloc(count, sizeof *last);
    struct noises noises = {0};
    struct yk_forced response = {.dofs = r->interface_dofs,
                                 .count = count,
                                 .force = noise_force,
                                 .self = &noises,
                                 .dt = s->dt,
                                 .end = s->end,
                                 .progress = s->progress};
    enum yk_status st;

    f->dt = s->dt;
    f->steps = (size_t)lround(s->end / s->dt);
    f->full_u = calloc((f->steps + 1) * count, sizeof *f->full_u);
    f->reduced_u = calloc((f->steps + 1) * count, sizeof *f->reduced_u);
    if (!last || !f->full_u || !f->reduced_u) {
        st = no_memory(err);
        goto end;
    }
    if ((st = noises_create(&noises, count, s, err)) || (st = yk_forced_run(model, &response, f->full_u, err)))
        goto end;
    for (size_t k = 0; k < count; k++)
        last[k] = r->modes + k;
    response.dofs = last;
    response.progress = (struct yk_progress){0};
    if (!(st = yk_forced_run(&few, &response, f->reduced_u, err)))
        compare_motions(f, count);
end:
    noises_free(&noises);
    free(last);
    return st;
}

enum yk_status yk_fidelity(struct yk_fidelity *out, const struct yk_linear_model *model,
                           const struct yk_reduced *reduced, const struct yk_fidelity_settings *settings,
                           struct yk_err *err)
{
    enum yk_status st;

    *out = (struct yk_fidelity){0};
    yk_progress_tell(&settings->progress, "modes of the full model", 0);
    st = compare_modes(out, model, reduced, settings, err);
    if (!st && settings->end > 0)
        st = compare_responses(out, model, reduced, settings, err);
    if (st)
        yk_fidelity_free(out);
    return st;
}
