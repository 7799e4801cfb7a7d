/* The loop of the benchmark problem. docs/benchmarks.md.
 *
 *     (M - M_e) x'' + (C - C_e) x' + (K - K_e) x = -M 1 a_g - [f_e, 0, 0]^T
 *
 * M = m I; C: the same damping ratio in every mode; f_e: the force measured a sample before, held during the step. The
 * frame is linear, so its Runge-Kutta step is a product: with z = [x; x'],
 *
 *     z <- Phi z + g_0 a_g(t) + g_h a_g(t + h/2) + g_1 a_g(t + h) + g_f f
 *
 * whose columns are what the four stages make of unit vectors. Units: N, m, s. */
#include "rths.h"
#include "problem.h"

#include "indices.h"
#include <yoke/linalg.h>
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = YK_RTHS_FLOORS, STATES = 2 * N, INPUTS = 4, MOST_LAG = 49 };
enum { BEGIN, MIDDLE, END, FORCE }; /* inputs of a step: the ground at three instants, the measured force */
#define QUIET      5.0              /* s before the ground moves */
#define DIVERGED   1.0              /* m */
#define CONVERTER  0x1p-18          /* step of the converters [m] */
#define SATURATION 3.8              /* of the converters [m] */
#define FORCE_MOST 8900.0           /* of the actuator [N] */

static const double stiffness[N][N] = {
    {26054883.879603837, -23133938.877108198, 5937035.463339146},
    {-23133938.877108198, 32560774.186380334, -14419970.777236985},
    {5937035.463339146, -14419970.777236981, 9267275.506224312},
};
static const struct {
    double mass, damping; /* kg on a floor; ratio of every mode */
} cases[YK_RTHS_CASES] = {{1000, 0.05}, {1100, 0.04}, {1300, 0.03}, {1000, 0.03}};
static const struct {
    double mass, damping, stiffness;
} specimen = {29.13, 114.22, 1.19e6};
/* Parameters of the plant that differ from test to test: mean and standard deviation. */
static const double leakage[] = {3.3, 1.3}, beta1[] = {425, 3.3}, beta2[] = {9.9976e4, 3.3e3}, spring[] = {1.19e6, 5e4};
/* Noise of the sensors per sample: displacement [m], force [N]. */
#define NOISE_M 1.6e-5
#define NOISE_N 2.18

struct frame {
    double M[N], C[N][N], K[N][N], load[N]; /* load: mass that the ground accelerates */
};
struct recurrence {
    double Phi[STATES][STATES], g[INPUTS][STATES]; /* Phi by columns */
};

struct yk_rths {
    struct yk_model *model;
    bool noise;
    size_t samples;
    struct frame frame; /* without the specimen */
    struct recurrence step;
    double *ground; /* at every half sample */
    double *reference[N];
};

/* ---- the frame ---- */

/* C = sum 2 zeta w (M phi)(M phi)^T, phi of unit modal mass */
static enum yk_status make_frame(struct frame *f, int number, struct yk_err *err)
{
    const double m = cases[number - 1].mass, zeta = cases[number - 1].damping;
    double K[N * N], w2[N], phi[N * N];
    enum yk_status st;

    for (int i = 0; i < N; i++) {
        f->M[i] = f->load[i] = m;
        for (int j = 0; j < N; j++)
            K[i + j * N] = f->K[i][j] = 0.5 * (stiffness[i][j] + stiffness[j][i]);
    }
    const struct yk_matrix of_mass = {.form = YK_DIAGONAL, .rows = N, .cols = N, .x = f->M},
                           of_stiffness = {.form = YK_DENSE, .rows = N, .cols = N, .x = K};
    if ((st = yk_eigen_symmetric(&of_stiffness, &of_mass, N, w2, phi, err)))
        return st;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            f->C[i][j] = 0;
            for (int k = 0; k < N; k++)
                f->C[i][j] += 2 * zeta * sqrt(w2[k]) * m * phi[i + k * N] * m * phi[j + k * N];
        }
    return YK_OK;
}

static void take_out_specimen(struct frame *f)
{
    f->M[0] -= specimen.mass;
    f->C[0][0] -= specimen.damping;
    f->K[0][0] -= specimen.stiffness;
}

/* Acceleration of floor i. */
static double acceleration(const struct frame *f, int i, const double *z, double ground, double force)
{
    double p = -f->load[i] * ground - (i == 0 ? force : 0);

    for (int j = 0; j < N; j++)
        p -= f->K[i][j] * z[j] + f->C[i][j] * z[N + j];
    return p / f->M[i];
}

static void rate(const struct frame *f, const double *z, double ground, double force, double *dz)
{
    for (int i = 0; i < N; i++) {
        dz[i] = z[N + i];
        dz[N + i] = acceleration(f, i, z, ground, force);
    }
}

/* The four stages, from z with the inputs u. */
static void runge_kutta(const struct frame *f, const double *u, double *z)
{
    const double h = 1 / YK_RTHS_RATE, share[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    const int ground[] = {BEGIN, MIDDLE, MIDDLE, END};
    double dz[STATES] = {0}, at[STATES], sum[STATES] = {0};

    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < STATES; i++)
            at[i] = z[i] + share[s] * h * dz[i];
        rate(f, at, u[ground[s]], u[FORCE], dz);
        for (int i = 0; i < STATES; i++)
            sum[i] += weight[s] / 6 * h * dz[i];
    }
    for (int i = 0; i < STATES; i++)
        z[i] += sum[i];
}

static void make_recurrence(struct recurrence *r, const struct frame *f)
{
    for (int k = 0; k < STATES + INPUTS; k++) {
        double u[INPUTS] = {0}, *z = k < STATES ? r->Phi[k] : r->g[k - STATES];

        memset(z, 0, STATES * sizeof *z);
        if (k < STATES)
            z[k] = 1;
        else
            u[k - STATES] = 1;
        runge_kutta(f, u, z);
    }
}

/* One step of z, in place. */
static void advance(const struct recurrence *r, const double *u, double *z)
{
    double next[STATES] = {0};

    for (int k = 0; k < INPUTS; k++)
        for (int i = 0; i < STATES; i++)
            next[i] += r->g[k][i] * u[k];
    for (int k = 0; k < STATES; k++)
        for (int i = 0; i < STATES; i++)
            next[i] += r->Phi[k][i] * z[k];
    memcpy(z, next, sizeof next);
}

/* ---- the experiment ---- */

static void write_rows(FILE *out, const char *name, double A[N][N])
{
    fprintf(out, "    %s:\n", name);
    for (int i = 0; i < N; i++)
        fprintf(out, "      - [%.17g, %.17g, %.17g]\n", A[i][0], A[i][1], A[i][2]);
}

static void write_signal(FILE *out, const struct yk_rths_problem *p, double scale)
{
    if (p->record)
        fprintf(out, "kind: record, file: '%s', scale: %.17g%s%s", p->record, scale, p->unit ? ", unit: " : "",
                p->unit ? p->unit : "");
    else
        fprintf(out, "kind: earthquake, peak: %.17g m/s2, seed: 7", 3.1 * scale);
}

static void write_experiment(const struct yk_rths_problem *p, const struct frame *torn, FILE *out)
{
    struct frame f = *torn;

    fprintf(out,
            "title: RTHS benchmark, case %d\n"
            "time: { step: %.17g s, end: %.17g s, control_rate: %g Hz }\n"
            "method: { integrator: chang }\n"
            "substructures:\n"
            "  frame:\n"
            "    dofs: [x1, x2, x3]\n"
            "    mass: [%.17g, %.17g, %.17g]\n",
            p->number, 1 / YK_RTHS_RATE, floor(p->end_s * YK_RTHS_RATE) / YK_RTHS_RATE, YK_RTHS_RATE, f.M[0], f.M[1],
            f.M[2]);
    write_rows(out, "damping", f.C);
    write_rows(out, "stiffness", f.K);
    fprintf(out,
            "  brace:\n"
            "    role: physical\n"
            "    dofs: [x]\n"
            "    actuators: { x: a1 }\n"
            "    estimate: { stiffness: [%g], damping: [%g], mass: [%g] }\n"
            "interfaces: [ { join: [frame.x1, brace.x] } ]\n"
            "loads:\n"
            "  - { ground: frame, ",
            specimen.stiffness, specimen.damping, specimen.mass);
    write_signal(out, p, p->scale);
    fprintf(out, *p->chain == '{' ? " }\ntransfer:\n  a1: %s\n" : " }\ntransfer: '%s'\n", p->chain);
    fprintf(
        out,
        "rig:\n"
        "  backend: virtual\n"
        "  actuators:\n"
        "    a1:\n"
        "      plant: { kind: rths-hydraulic, specimen: inside, leakage: %g, beta1: %g, beta2: %g, stiffness: %g }\n",
        leakage[0], beta1[0], beta2[0], spring[0]);
    if (p->noise)
        fprintf(out,
                "      sensors: { displacement_noise: %g, force_noise: %g, displacement_quantum: %.17g, seed: 123 }\n",
                NOISE_M, NOISE_N, CONVERTER);
    fprintf(out, "  specimen: { dofs: [x], mass: [%g], damping: [%g], stiffness: [%g] }\n", specimen.mass,
            specimen.damping, spring[0]);
}

enum yk_status yk_rths_write(const struct yk_rths_problem *problem, FILE *out, struct yk_err *err)
{
    struct frame f;
    enum yk_status st = make_frame(&f, problem->number, err);

    if (st)
        return st;
    take_out_specimen(&f);
    write_experiment(problem, &f, out);
    return YK_OK;
}

static enum yk_status read_experiment(struct yk_rths *r, const struct yk_rths_problem *p, struct yk_err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    enum yk_status st;

    if (!out)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = yk_rths_write(p, out, err);
    if (fclose(out) && !st)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st)
        return yk_problem_read(&r->model, p->chain, "rths.yaml", text, size, err);
    free(text);
    return st;
}

/* ---- a case ---- */

static enum yk_status make_reference(struct yk_rths *r, const struct frame *whole, struct yk_err *err)
{
    struct recurrence step;
    double z[STATES] = {0};

    make_recurrence(&step, whole);
    for (int i = 0; i < N; i++)
        if (!(r->reference[i] = malloc(r->samples * sizeof **r->reference)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < r->samples; k++) {
        for (int i = 0; i < N; i++)
            r->reference[i][k] = z[i];
        advance(&step, (double[]){r->ground[2 * k], r->ground[2 * k + 1], r->ground[2 * k + 2], 0}, z);
    }
    return YK_OK;
}

static enum yk_status open_case(struct yk_rths *r, const struct yk_rths_problem *p, struct yk_err *err)
{
    struct frame whole;
    enum yk_status st;

    if ((st = make_frame(&whole, p->number, err)) || (st = read_experiment(r, p, err)) ||
        (st = yk_problem_ground(r->model, -QUIET, 0.5 / YK_RTHS_RATE, 2 * r->samples + 1, &r->ground, err)) ||
        (st = make_reference(r, &whole, err)))
        return st;
    r->frame = whole;
    take_out_specimen(&r->frame);
    make_recurrence(&r->step, &r->frame);
    return YK_OK;
}

enum yk_status yk_rths_open(struct yk_rths **rths, const struct yk_rths_problem *p, struct yk_err *err)
{
    struct yk_rths *r = calloc(1, sizeof *r);
    enum yk_status st;

    *rths = NULL;
    if (!r)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    r->noise = p->noise;
    r->samples = (size_t)floor(p->end_s * YK_RTHS_RATE);
    if ((st = open_case(r, p, err))) {
        yk_rths_close(r);
        return st;
    }
    *rths = r;
    return YK_OK;
}

void yk_rths_close(struct yk_rths *r)
{
    if (!r)
        return;
    yk_model_close(r->model);
    free(r->ground);
    for (int i = 0; i < N; i++)
        free(r->reference[i]);
    free(r);
}

size_t yk_rths_samples(const struct yk_rths *r)
{
    return r->samples;
}

/* ---- plants ---- */

struct yk_rths_plant yk_rths_draw(int number)
{
    struct yk_rths_plant p = {.seed = 123 + number};
    uint64_t state = ((uint64_t)number + 1) * 0x9e3779b97f4a7c15u;

    if (number == 0)
        return p;
    do
        p.leakage = yk_draw_normal(&state);
    while (!(leakage[0] + p.leakage * leakage[1] > 0)); /* a leakage feeds no force */
    p.beta1 = yk_draw_normal(&state);
    p.beta2 = yk_draw_normal(&state);
    p.stiffness = yk_draw_normal(&state);
    return p;
}

/* The actuator with this plant. */
static enum yk_status with_plant(const struct yk_rths *r, const struct yk_rths_plant *p, struct yk_problem_run *run,
                                 struct yk_err *err)
{
    char text[6][80];
    const char *set[6];
    const double k = spring[0] + p->stiffness * spring[1];
    size_t count = 0;

    snprintf(text[0], sizeof *text, "rig.actuators.a1.plant.leakage=%.17g", leakage[0] + p->leakage * leakage[1]);
    snprintf(text[1], sizeof *text, "rig.actuators.a1.plant.beta1=%.17g", beta1[0] + p->beta1 * beta1[1]);
    snprintf(text[2], sizeof *text, "rig.actuators.a1.plant.beta2=%.17g", beta2[0] + p->beta2 * beta2[1]);
    snprintf(text[3], sizeof *text, "rig.actuators.a1.plant.stiffness=%.17g", k);
    snprintf(text[4], sizeof *text, "rig.specimen.stiffness=[%.17g]", k);
    snprintf(text[5], sizeof *text, "rig.actuators.a1.sensors.seed=%d", p->seed);
    for (; count < (r->noise ? 6 : 5); count++)
        set[count] = text[count];
    return yk_problem_start(run, r->model, set, count, err);
}

/* ---- a run ---- */

struct loop {
    const struct yk_rths *r;
    struct yk_station *station;
    double *target, *measured, *floor[N];
    double *command, *force; /* may be NULL */
    double z[STATES], late;  /* force of the sample before */
};

static double converted(const struct yk_rths *r, double x)
{
    return r->noise ? CONVERTER * round(fmax(-SATURATION, fmin(x, SATURATION)) / CONVERTER) : x;
}

/* Sample k: reads, commands, steps. False: it diverged. */
static bool step(struct loop *l, size_t k, struct yk_rths_result *result)
{
    const struct yk_rths *r = l->r;
    const struct yk_reading now = yk_station_reading(l->station, 0);
    const double *ground = r->ground + 2 * k, u[] = {ground[0], ground[1], ground[2], l->late};

    l->target[k] = l->z[0];
    l->measured[k] = now.displacement;
    for (int i = 1; i < N; i++)
        l->floor[i][k] = l->z[i];
    result->peak_force = fmax(result->peak_force, fabs(now.force));
    yk_station_set_target(l->station, 0, converted(r, l->z[0]), l->z[N]);
    yk_station_move(l->station, (double)(k + 1) / YK_RTHS_RATE);
    if (yk_station_wants_acceleration(l->station))
        yk_station_reached(l->station, 0, l->z[0], l->z[N], acceleration(&r->frame, 0, l->z, ground[0], now.force));
    if (l->command)
        l->command[k] = yk_station_state(l->station, 0).command;
    if (l->force)
        l->force[k] = now.force;
    advance(&r->step, u, l->z);
    l->late = now.force;
    return fabs(l->z[0]) < DIVERGED;
}

static void judge(const struct loop *l, struct yk_rths_result *result)
{
    const struct yk_rths *r = l->r;
    const size_t n = r->samples;
    double *J = result->J;

    J[0] = 1000 / YK_RTHS_RATE * yk_index_lag(l->target, l->measured, n, MOST_LAG);
    J[1] = yk_index_rms(l->target, l->measured, n);
    J[2] = yk_index_peak(l->target, l->measured, n);
    J[3] = yk_index_rms(r->reference[0], l->measured, n);
    J[4] = yk_index_peak(r->reference[0], l->measured, n);
    J[5] = yk_index_rms(r->reference[1], l->floor[1], n);
    J[6] = yk_index_rms(r->reference[2], l->floor[2], n);
    J[7] = yk_index_peak(r->reference[1], l->floor[1], n);
    J[8] = yk_index_peak(r->reference[2], l->floor[2], n);
}

static enum yk_status run(struct loop *l, struct yk_rths_result *result, struct yk_err *err)
{
    const size_t n = l->r->samples;
    enum yk_status st = yk_station_rest(l->station, (double[]){0}, err);

    if (st)
        return st;
    for (size_t k = 0; k < n && !result->diverged; k++)
        result->diverged = !step(l, k, result);
    result->saturated = result->peak_force >= FORCE_MOST;
    if (result->diverged)
        for (int i = 0; i < YK_RTHS_INDICES; i++)
            result->J[i] = NAN;
    else
        judge(l, result);
    return YK_OK;
}

enum yk_status yk_rths_run(const struct yk_rths *r, const struct yk_rths_plant *plant,
                           const struct yk_rths_traces *traces, struct yk_rths_result *result, struct yk_err *err)
{
    double *own = calloc((N + 1) * r->samples, sizeof *own);
    struct yk_problem_run plays;
    enum yk_status st;

    *result = (struct yk_rths_result){0};
    if (!own)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu samples", r->samples);
    if (!(st = with_plant(r, plant, &plays, err))) {
        struct loop l = {.r = r, .station = plays.station, .target = own, .measured = own + N * r->samples};

        for (int i = 1; i < N; i++)
            l.floor[i] = own + (size_t)i * r->samples;
        l.floor[0] = own;
        if (traces) {
            l.command = traces->command;
            l.force = traces->force;
        }
        st = run(&l, result, err);
        for (int i = 0; traces && i < N; i++) {
            if (traces->floor[i])
                memcpy(traces->floor[i], l.floor[i], r->samples * sizeof *own);
            if (traces->reference[i])
                memcpy(traces->reference[i], r->reference[i], r->samples * sizeof *own);
        }
        if (traces && traces->measured)
            memcpy(traces->measured, l.measured, r->samples * sizeof *own);
        yk_problem_end(&plays);
    }
    free(own);
    return st;
}

enum yk_status yk_rths_histories(const struct yk_rths *r, const struct yk_rths_plant *plant, struct yk_histories *h,
                                 struct yk_err *err)
{
    static const char *const titles[N] = {"floor 1 [mm]", "floor 2 [mm]", "floor 3 [mm]"};
    struct yk_rths_traces traces = {0};
    struct yk_rths_result result;
    enum yk_status st = yk_histories_make(h, N + 1, r->samples, 1 / YK_RTHS_RATE, err);

    if (st)
        return st;
    struct yk_history *tracking = &h->all[0];

    tracking->title = "stroke [mm]";
    tracking->expected = "target";
    tracking->got = "measured";
    tracking->factor = 1e3;
    traces.measured = tracking->y;
    for (int i = 0; i < N; i++) {
        struct yk_history *floor = &h->all[1 + i];

        floor->title = titles[i];
        floor->expected = "untorn frame";
        floor->got = "hybrid test";
        floor->factor = 1e3;
        traces.reference[i] = floor->x;
        traces.floor[i] = floor->y;
    }
    st = yk_rths_run(r, plant, &traces, &result, err);
    /* the first floor is the target; what is judged there is the measured displacement */
    memcpy(tracking->x, traces.floor[0], r->samples * sizeof *tracking->x);
    memcpy(traces.floor[0], tracking->y, r->samples * sizeof *tracking->x);
    return st;
}
