/* Preparation of equivalent force control: checks and constant matrices. docs/theory/efc.md, eq. (3)-(5), (14). */
#include "coupling/efc_parts.h"

#include <math.h>

const struct yk_param yk_efc_params[] = {
    YK_REAL(struct yk_efc_settings, alpha, YK_NUMBER, 0, -1.0 / 3, 0,
            "dissipation of the HHT method: 0 none, -1/3 most"),
    YK_REAL(struct yk_efc_settings, Kp, YK_NUMBER, 2, 0, 1e6, "proportional gain of the force loop"),
    YK_REAL(struct yk_efc_settings, Ki, YK_NUMBER, 200, 0, 1e9, "integral gain of the force loop, 1/s"),
    YK_CHOICE(struct yk_efc_settings, law, "step|interpolation-1|interpolation-2", YK_EFC_INTERPOLATION_2,
              "how the force command changes within a step"),
    YK_CHOICE(struct yk_efc_settings, correction, "none|peek|displacement|acceleration", YK_EFC_ACCELERATION,
              "correction of the displacement that is accepted at the end of a step"),
    YK_COUNT(struct yk_efc_settings, sweeps, 1, 1, 100,
             "sweeps of the correction over a nonlinear numerical side; more sweeps follow its curvature"),
    YK_CHOICE(struct yk_efc_settings, tangent, "estimate|secant", YK_EFC_ESTIMATE,
              "stiffness of the specimen in the correction: its estimate, or the estimate scaled to the last readings"),
    YK_REAL(struct yk_efc_settings, least_travel, YK_LENGTH, 0, 0, 1e3,
            YK_WHEN("tangent=secant", "secant, required: smallest travel between the compared readings; at least ten "
                                      "times the noise of the displacement")),
    YK_CHOICE(struct yk_efc_settings, feedforward, "none|type-3|type-4", YK_EFC_NO_FEEDFORWARD,
              "the command and its rate (type-4: and second derivative) through the inverse of the model below"),
    YK_CHOICE(struct yk_efc_settings, actuator, "lags|servo", YK_EFC_LAGS,
              YK_WHEN("feedforward", "model of the actuators for the feedforward: two lags T1, T2, or a servo")),
    YK_REAL(struct yk_efc_settings, gain, YK_NUMBER, 1, 1e-6, 1e6, YK_WHEN("feedforward", "static gain of the model")),
    YK_REAL(struct yk_efc_settings, T1, YK_TIME, 0, 0, 1e6,
            YK_WHEN("feedforward,actuator=lags", "lags: time constant of one")),
    YK_REAL(struct yk_efc_settings, T2, YK_TIME, 0, 0, 1e6,
            YK_WHEN("feedforward,actuator=lags", "lags: time constant of the other")),
    YK_REAL(struct yk_efc_settings, frequency, YK_FREQUENCY, 0, 0, 1e9,
            YK_WHEN("feedforward,actuator=servo", "servo: natural frequency")),
    YK_REAL(struct yk_efc_settings, damping, YK_NUMBER, 1, 0, 1000,
            YK_WHEN("feedforward,actuator=servo", "servo: damping ratio")),
    YK_REAL(struct yk_efc_settings, dead_time, YK_TIME, 0, 0, 100, YK_WHEN("feedforward", "dead time of the model")),
    YK_PARAM_END,
};

struct yk_efc_settings yk_efc_defaults(bool specimen_has_mass)
{
    struct yk_efc_settings settings = {0};

    yk_param_defaults(yk_efc_params, &settings);
    if (specimen_has_mass) {
        settings.Kp = 0;
        settings.Ki = 5;
    }
    return settings;
}

/* ---- checks ---------------------------------------------------------------------------------------------------- */

static enum yk_status check_numbers(const struct yk_efc_settings *set, struct yk_err *err)
{
    const double ratio = set->dt_s / set->sample_s;

    if (!(set->alpha >= -1.0 / 3 && set->alpha <= 0))
        return yk_fail(err, YK_E_RANGE, "efc: alpha = %g is outside [-1/3, 0]", set->alpha);
    if (!(set->Kp >= 0 && set->Ki >= 0 && set->Kp + set->Ki > 0 && set->Kp + set->Ki < INFINITY))
        return yk_fail(err, YK_E_RANGE, "efc: gains Kp = %g, Ki = %g 1/s: none may be negative, one must be positive",
                       set->Kp, set->Ki);
    if (set->law < YK_EFC_STEP || set->law > YK_EFC_INTERPOLATION_2)
        return yk_fail(err, YK_E_RANGE, "efc: command law %d is unknown", set->law);
    if (set->correction < YK_EFC_NONE || set->correction > YK_EFC_ACCELERATION)
        return yk_fail(err, YK_E_RANGE, "efc: correction %d is unknown", set->correction);
    if (set->sweeps < 1 || set->sweeps > 100)
        return yk_fail(err, YK_E_RANGE, "efc: %d sweeps of the correction are outside [1, 100]", set->sweeps);
    if (set->sweeps > 1 && set->correction == YK_EFC_NONE)
        return yk_fail(err, YK_E_INPUT,
                       "efc: %d sweeps need a correction, but there is none; choose a correction, or sweeps: 1",
                       set->sweeps);
    if (!(set->dt_s > 0 && set->sample_s > 0 && set->dt_s < INFINITY))
        return yk_fail(err, YK_E_RANGE, "efc: step %g s and sample %g s must be positive", set->dt_s, set->sample_s);
    if (!(ratio >= 0.5 && ratio < 1e9 && fabs(ratio - round(ratio)) <= 1e-9 * ratio))
        return yk_fail(err, YK_E_RANGE, "efc: the step of %g s is not a whole number of samples of %g s", set->dt_s,
                       set->sample_s);
    return YK_OK;
}

static enum yk_status check_matrix(const struct yk_matrix *A, size_t order, const char *name, struct yk_err *err)
{
    if (!A)
        return YK_OK;
    if (A->rows != order || A->cols != order)
        return yk_fail(err, YK_E_INPUT, "efc: %s is %zu x %zu, expected %zu x %zu", name, A->rows, A->cols, order,
                       order);
    if (!yk_matrix_is_finite(A))
        return yk_fail(err, YK_E_INPUT, "efc: %s has an entry that is not a number", name);
    return YK_OK;
}

static enum yk_status check_interface(const struct yk_efc_settings *set, size_t n, struct yk_err *err)
{
    const size_t m = set->interface_count;

    if (m < 1 || m > n)
        return yk_fail(err, YK_E_RANGE, "efc: %zu interface degrees of freedom of %zu: expected 1 to %zu", m, n, n);
    for (size_t b = 0; set->interface_dof && b < m; b++) {
        if (set->interface_dof[b] >= n)
            return yk_fail(err, YK_E_RANGE, "efc: interface degree of freedom %zu is not below %zu",
                           set->interface_dof[b], n);
        for (size_t c = 0; c < b; c++)
            if (set->interface_dof[c] == set->interface_dof[b])
                return yk_fail(err, YK_E_INPUT, "efc: interface degree of freedom %zu is listed twice",
                               set->interface_dof[b]);
    }
    return YK_OK;
}

static enum yk_status check(const struct yk_efc_settings *set, struct yk_err *err)
{
    const size_t n = set->MN ? set->MN->rows : 0, m = set->interface_count;
    enum yk_status st;

    if (n == 0)
        return yk_fail(err, YK_E_INPUT, "efc: the numerical substructure has no mass matrix");
    if ((st = check_numbers(set, err)) || (st = check_interface(set, n, err)) ||
        (st = check_matrix(set->MN, n, "MN", err)) || (st = check_matrix(set->CN, n, "CN", err)) ||
        (st = check_matrix(set->KN, n, "KN", err)) || (st = check_matrix(set->KE, m, "KE", err)) ||
        (st = check_matrix(set->ME, m, "ME", err)) || (st = check_matrix(set->CE, m, "CE", err)) ||
        (st = yk_efc_lead_check(set, err)))
        return st;
    return yk_efc_secant_check(set, err);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static double *part(const struct yk_efc *s, size_t index)
{
    return s->state.x ? s->state.x + index * s->n : NULL;
}

static void layout(struct yk_efc *s, struct yk_arena *mem)
{
    const size_t n = s->n, m = s->m;
    double **const vectors[] = {&s->F1,       &s->c1,    &s->c2, &s->x,    &s->rN, &s->command,
                                &s->feedback, &s->error, &s->d1, &s->work, &s->rhs};
    double **const views[] = {&s->d, &s->v, &s->a, &s->F0, &s->Fm, &s->R0};

    s->state = (struct yk_span){yk_arena_array(mem, &s->state.x, 5 * n + m), 5 * n + m};
    s->d = part(s, 0);
    s->v = part(s, 1);
    s->a = part(s, 2);
    s->F0 = part(s, 3);
    s->Fm = part(s, 4);
    s->R0 = part(s, 5);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        yk_arena_pointer(mem, views[i]);
    yk_arena_each(mem, n, sizeof vectors / sizeof *vectors, vectors);
    yk_arena_array(mem, &s->sum, m);
    yk_arena_array(mem, &s->edge, 2 * m);
    yk_arena_array(mem, &s->bent, 3 * n);
    yk_efc_lead_layout(s, mem);
    yk_efc_secant_layout(s, mem);
    yk_arena_array(mem, &s->dof, m);
    yk_arena_array(mem, &s->inner, n - m);
}

static enum yk_status allocate(struct yk_efc *s, const struct yk_efc_settings *set, struct yk_arena *mem,
                               struct yk_err *err)
{
    size_t inner = 0;
    enum yk_status st;

    layout(s, mem);
    if ((st = yk_arena_check(mem, err)))
        return st;
    for (size_t b = 0; b < s->m; b++)
        s->dof[b] = set->interface_dof ? set->interface_dof[b] : b;
    for (size_t i = 0; i < s->n; i++) {
        bool edge = false;

        for (size_t b = 0; b < s->m; b++)
            edge = edge || s->dof[b] == i;
        if (!edge)
            s->inner[inner++] = i;
    }
    return YK_OK;
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

/* out = sum of factor[k] A[k] over those that are there; the first always is */
static enum yk_status sum(struct yk_matrix *out, size_t count, const double *factor, const struct yk_matrix *const *A,
                          struct yk_err *err)
{
    const struct yk_matrix *present[3];
    double of[3];
    size_t k = 0;

    for (size_t i = 0; i < count; i++)
        if (A[i]) {
            present[k] = A[i];
            of[k++] = factor[i];
        }
    return yk_matrix_combine(out, k, of, present, err);
}

/* An m*m matrix of the interface among the n degrees of freedom. */
static enum yk_status spread(struct yk_matrix *out, const struct yk_efc *s, const struct yk_matrix *A,
                             struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(out, YK_DENSE, s->n, s->n, err);

    for (size_t c = 0; !st && A && c < s->m; c++)
        for (size_t b = 0; b < s->m; b++)
            out->x[s->dof[b] + s->dof[c] * s->n] = yk_matrix_get(A, b, c);
    return st ? st : yk_matrix_compact(out, err);
}

/* eq. (4) and (5), of the NS */
static enum yk_status form_pseudo(struct yk_efc *s, const struct yk_efc_settings *set, struct yk_err *err)
{
    const double al1 = 1 + s->alpha, be = s->beta, ga = s->gamma, dt = s->dt;
    const struct yk_matrix *const MC[] = {set->MN, set->CN}, *const PK[] = {&s->KPD, set->KN};
    const double kpd[] = {1 / (be * dt * dt), al1 * ga / (be * dt)}, cpd[] = {1 / (be * dt), al1 * ga / be - 1};
    const double mpd[] = {(0.5 - be) / be, al1 * (ga / (2 * be) - 1) * dt};
    enum yk_status st;

    if ((st = sum(&s->KPD, 2, kpd, MC, err)) || (st = sum(&s->CPD, 2, cpd, MC, err)) ||
        (st = sum(&s->MPD, 2, mpd, MC, err)) || (st = sum(&s->KH, 2, (double[]){1, al1}, PK, err)))
        return st;
    return set->KN ? yk_matrix_copy(&s->KN, set->KN, err) : yk_matrix_init(&s->KN, YK_DIAGONAL, s->n, s->n, err);
}

/* eq. (5), with the estimate of the specimen, and the factors that the correction needs, eq. (17)-(19) */
static enum yk_status form_correction(struct yk_efc *s, const struct yk_efc_settings *set, struct yk_arena *mem,
                                      struct yk_err *err)
{
    const double al1 = 1 + s->alpha;
    const bool mass = s->correction == YK_EFC_ACCELERATION && set->ME;
    struct yk_matrix E = {0}, I = {0}, A = {0};
    enum yk_status st;

    if ((st = spread(&E, s, set->KE, err)) || (st = spread(&I, s, mass ? set->ME : NULL, err)))
        goto done;
    st = sum(&s->KT, 2, (double[]){1, al1}, (const struct yk_matrix *[]){&s->KH, &E}, err);
    if (st || s->correction == YK_EFC_NONE)
        goto done;
    if (s->correction != YK_EFC_ACCELERATION && (st = yk_factor_create(&s->held, &s->KH, mem, err)))
        goto done;
    if (s->correction == YK_EFC_PEEK)
        goto done;
    if (!(st = sum(&A, 2, (double[]){1, al1 / (s->beta * s->dt * s->dt)}, (const struct yk_matrix *[]){&s->KT, &I},
                   err)))
        st = yk_factor_create(&s->moving, &A, mem, err);
done:
    yk_matrix_fini(&E);
    yk_matrix_fini(&I);
    yk_matrix_fini(&A);
    return st;
}

/* The block of D (n*n) in the given rows and columns. */
static enum yk_status block(struct yk_matrix *out, const struct yk_matrix *D, const size_t *row, size_t rows,
                            const size_t *col, size_t cols, struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(out, YK_DENSE, rows, cols, err);

    for (size_t j = 0; !st && j < cols; j++)
        for (size_t i = 0; i < rows; i++)
            out->x[i + j * rows] = D->x[row[i] + col[j] * D->rows];
    return st;
}

/* eq. (14): S = KTbb - KTbi KTii^-1 KTib from the blocks of the dense KT in D; keeps the factor of KTii */
static enum yk_status condense(struct yk_efc *s, const struct yk_matrix *D, struct yk_arena *mem, struct yk_err *err)
{
    const size_t m = s->m, inner = s->n - s->m;
    struct yk_matrix bi = {0}, ib = {0}, ii = {0};
    enum yk_status st;

    if ((st = block(&s->S, D, s->dof, m, s->dof, m, err)) || inner == 0)
        return st;
    if ((st = block(&bi, D, s->dof, m, s->inner, inner, err)) ||
        (st = block(&ib, D, s->inner, inner, s->dof, m, err)) ||
        (st = block(&ii, D, s->inner, inner, s->inner, inner, err)) || (st = yk_matrix_compact(&ii, err)) ||
        (st = yk_factor_create(&s->inside, &ii, mem, err)))
        goto done;
    for (size_t c = 0; c < m; c++) {
        yk_factor_solve(s->inside, ib.x + c * inner);
        yk_matrix_add_product(&bi, -1, ib.x + c * inner, s->S.x + c * m);
    }
done:
    yk_matrix_fini(&bi);
    yk_matrix_fini(&ib);
    yk_matrix_fini(&ii);
    return st;
}

static enum yk_status form_converter(struct yk_efc *s, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_matrix D = {0};
    enum yk_status st;

    if ((st = yk_matrix_init(&D, YK_DENSE, s->n, s->n, err)))
        return st;
    yk_matrix_to_dense(&s->KT, D.x);
    if (!(st = condense(s, &D, mem, err)))
        st = yk_factor_create(&s->converter, &s->S, mem, err);
    yk_matrix_fini(&D);
    return st;
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* eq. (3) */
static void take_numbers(struct yk_efc *s, const struct yk_efc_settings *set)
{
    const double al = set->alpha;

    *s = (struct yk_efc){.n = set->MN->rows,
                         .m = set->interface_count,
                         .alpha = al,
                         .beta = (1 - al) * (1 - al) / 4,
                         .gamma = 0.5 - al,
                         .dt = set->dt_s,
                         .h = set->sample_s,
                         .Kp = set->Kp,
                         .Ki = set->Ki,
                         .law = (enum yk_efc_law)set->law,
                         .correction = (enum yk_efc_correction)set->correction,
                         .samples = lround(set->dt_s / set->sample_s),
                         .sweeps = set->sweeps,
                         .lead.type = (enum yk_efc_feedforward)set->feedforward,
                         .secant = {.kind = (enum yk_efc_tangent)set->tangent, .least = set->least_travel, .share = 1},
                         .restoring = set->restoring,
                         .has_mass = set->ME != NULL,
                         .first = true};
}

enum yk_status yk_efc_create(struct yk_efc *s, const struct yk_efc_settings *settings, struct yk_arena *mem,
                             struct yk_err *err)
{
    enum yk_status st = check(settings, err);

    if (st)
        return st;
    take_numbers(s, settings);
    mem = mem ? mem : &s->own;
    if (!(st = allocate(s, settings, mem, err)) && !(st = form_pseudo(s, settings, err)) &&
        !(st = form_correction(s, settings, mem, err)) && !(st = form_converter(s, mem, err)) &&
        !(st = yk_efc_secant_form(s, settings, err))) {
        yk_efc_lead_form(s, settings);
        if (s->has_mass)
            st = yk_matrix_copy(&s->ME, settings->ME, err);
    }
    if (st) {
        yk_efc_destroy(s);
        yk_fail_within(err, YK_NOWHERE, "efc: ");
    }
    return st;
}

void yk_efc_destroy(struct yk_efc *s)
{
    struct yk_matrix *const matrices[] = {&s->KPD, &s->CPD, &s->MPD, &s->KN,       &s->KH,
                                          &s->KT,  &s->ME,  &s->S,   &s->secant.KE};

    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        yk_matrix_fini(matrices[i]);
    yk_factor_destroy(s->converter);
    yk_factor_destroy(s->inside);
    yk_factor_destroy(s->held);
    yk_factor_destroy(s->moving);
    yk_arena_free(&s->own);
    *s = (struct yk_efc){0};
}
