/* The loop of the multi-axial benchmark. docs/benchmarks.md.
 *
 * At sample k: strokes y_k are read; the node pose and from it the force r_k of the specimen follow; a Newmark step
 * (average acceleration) of the numerical part with r_k as a given load makes u_k; its strokes are the targets that the
 * actuators are commanded to. No load cell is read. Variant A takes out of the frame a specimen of three degrees of
 * freedom and answers with another of five; in B both are the same. x, theta of the node: degrees of freedom 27 and -21
 * of the frame. Units: N, m, s, rad. */
#include "marths.h"
#include "indices.h"
#include "marths_frame.h"
#include "marths_plant.h"
#include "problem.h"
#include <yoke/linalg.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = YK_MARTHS_DOFS, PARTS = 5, MOST_LAG = 1024 };
enum { DOF_X = 26, DOF_THETA = 20, DOF_OTHER = 28 }; /* from 0: x of floor 1; rotations of its two inner joints */
static const int upper[4] = {25, 21, 12, 2};         /* x2, theta2, x3, theta3 */
#define H        (1 / YK_MARTHS_RATE)
#define DIVERGED 1.0    /* m */
#define VOLTS    3.8    /* limit of the device */
#define NOISE    1.5e-7 /* power of the noise of a stroke [mm2/Hz] */

struct matrices {
    double M[N][N], C[N][N], K[N][N];
};

/* u <- E (p + M (4/h2 u + 4/h v + a) + C (2/h u + v)), E the inverse of K + 4/h2 M + 2/h C; kept as E, E M and E C. */
struct newmark {
    double E[N][N], EM[N][N], EC[N][N]; /* by columns */
};

/* The specimen that answers: q = G [x; theta], r = K q + C q' + M q'' (backward differences), first `given` rows. */
struct specimen {
    int n, given;
    double G[PARTS][2], M[PARTS], C[PARTS][PARTS], K[PARTS][PARTS];
};

struct yk_marths {
    struct yk_model *model;
    bool noise, perfect;
    size_t samples;
    double *ground;
    struct newmark numerical;
    double load[N]; /* mass that the ground accelerates */
    struct specimen specimen;
    double *reference[6]; /* node x, theta, upper storeys */
};

/* ---- the parts ---- */

/* Rayleigh damping of the problem. */
static void make_frame(struct matrices *m)
{
    double mass[N], K[N][N];

    yk_marths_frame(mass, K);
    memset(m, 0, sizeof *m);
    for (int i = 0; i < N; i++) {
        m->M[i][i] = mass[i];
        for (int j = 0; j < N; j++) {
            m->K[i][j] = K[i][j];
            m->C[i][j] = 1.2473723952793 * m->M[i][j] + 5.5985399007939e-4 * K[i][j];
        }
    }
}

/* Variant A: what is taken out, on the degrees of freedom (27, 29, 21). */
static void take_out_ideal(struct matrices *m)
{
    static const int at[3] = {DOF_X, DOF_OTHER, DOF_THETA};
    static const double K[3][3] = {{4915814.4, -1560771.072, -1560771.072},
                                   {-1560771.072, 1259050.901248, -133980.635264},
                                   {-1560771.072, -133980.635264, 1259050.901248}},
                        M[3] = {902.52738204, 17.8650616, 17.8650616};

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            m->K[at[i]][at[j]] -= K[i][j];
            m->C[at[i]][at[j]] -= 3.2918325932e-4 * K[i][j] + (i == j ? 2.2559111449 * M[i] : 0);
        }
    m->M[DOF_X][DOF_X] -= M[0];
}

/* Five degrees of freedom: x, rotations of both joints and of the pins below. */
static enum yk_status make_real(struct specimen *s, struct yk_err *err)
{
    static const double w[PARTS] = {357.18, 927.13, 1102.67, 1629.83, 2061.44}; /* rounded, as published */
    const double inch4 = 4.162314256e-7, E = 200e9, Lc = 0.64135, Lb = 0.762, c = E * 0.7 * 2.52 * inch4 / Lc,
                 b = E * 4.21372e-7 / Lb, side = 6 * c / Lc, mb = 7850 * 7.56e-4 * Lb,
                 mc = 7850 * 1.67 * 6.4516e-4 * Lc;
    const double K[PARTS][PARTS] = {{24 * c / (Lc * Lc), side, side, side, side},
                                    {side, 4 * c + 4 * b, 2 * b, 0, 2 * c},
                                    {side, 2 * b, 4 * c + 4 * b, 2 * c, 0},
                                    {side, 0, 2 * c, 4 * c, 0},
                                    {side, 2 * c, 0, 0, 4 * c}},
                 turns = 1.1 * (mb * Lb * Lb + mc * Lc * Lc) / 6, pins = 1.1 * mc * Lc * Lc / 6,
                 M[PARTS] = {1.1 * (mb + 2 * mc) / 2, turns, turns, pins, pins};
    double dense[PARTS * PARTS], w2[PARTS], phi[PARTS * PARTS];
    enum yk_status st;

    *s = (struct specimen){.n = PARTS, .given = 3};
    memcpy(s->K, K, sizeof K);
    memcpy(s->M, M, sizeof M);
    for (int i = 0; i < PARTS; i++)
        for (int j = 0; j < PARTS; j++)
            dense[i + j * PARTS] = K[i][j];
    const struct yk_matrix of_mass = {.form = YK_DIAGONAL, .rows = PARTS, .cols = PARTS, .x = s->M},
                           of_stiffness = {.form = YK_DENSE, .rows = PARTS, .cols = PARTS, .x = dense};
    if ((st = yk_eigen_symmetric(&of_stiffness, &of_mass, PARTS, w2, phi, err)))
        return st;
    for (int i = 0; i < PARTS; i++)
        for (int j = 0; j < PARTS; j++)
            for (int k = 0; k < PARTS; k++)
                s->C[i][j] += 0.1 * w[k] * M[i] * phi[i + k * PARTS] * M[j] * phi[j + k * PARTS];
    return YK_OK;
}

/* x and theta are driven; the others follow statically: G = [1; -K_oo^-1 K_ot]. */
static enum yk_status follow(struct specimen *s, struct yk_err *err)
{
    enum { FREE = PARTS - 2 };
    struct yk_arena mem = {0};
    struct yk_lu K = {0};
    enum yk_status st;

    yk_lu_layout(&K, FREE, &mem);
    if ((st = yk_arena_check(&mem, err)))
        return st;
    for (int i = 0; i < FREE; i++)
        for (int j = 0; j < FREE; j++)
            K.a[i + j * FREE] = s->K[2 + i][2 + j];
    if (yk_lu_factor(&K))
        st = yk_fail(err, YK_E_SINGULAR, "the specimen can move freely");
    for (int j = 0; j < 2 && !st; j++) {
        double x[FREE];

        for (int i = 0; i < FREE; i++)
            x[i] = -s->K[2 + i][j];
        yk_lu_solve(&K, x);
        for (int i = 0; i < FREE; i++)
            s->G[2 + i][j] = x[i];
        s->G[j][j] = 1;
    }
    yk_arena_free(&mem);
    return st;
}

/* Variant B: the same with two degrees of freedom, taken out of the frame; theta is -1 times its rotation 21. */
static void make_same(struct specimen *s, struct matrices *m)
{
    static const double K[2][2] = {{2324116.6704983506, 861232.4883936555}, {861232.4883936555, 1085953.9533662773}};
    static const int at[2] = {DOF_X, DOF_THETA};

    *s = (struct specimen){.n = 2, .given = 2, .M = {8.4539889957, 0}, .G = {{1, 0}, {0, 1}}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double sign = i == j ? 1 : -1;

            s->K[i][j] = K[i][j];
            s->C[i][j] = 2.8e-4 * K[i][j];
            m->K[at[i]][at[j]] -= sign * s->K[i][j];
            m->C[at[i]][at[j]] -= sign * s->C[i][j];
        }
    m->M[DOF_X][DOF_X] -= s->M[0];
}

/* ---- Newmark ---- */

static enum yk_status prepare(struct newmark *w, const struct matrices *m, struct yk_err *err)
{
    struct yk_arena mem = {0};
    struct yk_lu lu = {0};
    enum yk_status st;

    yk_lu_layout(&lu, N, &mem);
    if ((st = yk_arena_check(&mem, err)))
        return st;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            lu.a[i + j * N] = m->K[i][j] + 4 / (H * H) * m->M[i][j] + 2 / H * m->C[i][j];
    if (yk_lu_factor(&lu))
        st = yk_fail(err, YK_E_SINGULAR, "the frame can move freely");
    for (int j = 0; j < N && !st; j++) {
        memset(w->E[j], 0, sizeof w->E[j]);
        w->E[j][j] = 1;
        for (int i = 0; i < N; i++) {
            w->EM[j][i] = m->M[i][j];
            w->EC[j][i] = m->C[i][j];
        }
        yk_lu_solve(&lu, w->E[j]);
        yk_lu_solve(&lu, w->EM[j]);
        yk_lu_solve(&lu, w->EC[j]);
    }
    yk_arena_free(&mem);
    return st;
}

struct motion {
    double u[N], v[N], a[N];
};

static void add(double A[N][N], const double *x, double *y)
{
    for (int j = 0; j < N; j++)
        if (x[j] != 0)
            for (int i = 0; i < N; i++)
                y[i] += A[j][i] * x[j];
}

static void advance(struct newmark *w, const double *load, struct motion *m)
{
    double next[N] = {0}, of_mass[N], of_damping[N];

    for (int i = 0; i < N; i++) {
        of_mass[i] = 4 / (H * H) * m->u[i] + 4 / H * m->v[i] + m->a[i];
        of_damping[i] = 2 / H * m->u[i] + m->v[i];
    }
    add(w->E, load, next);
    add(w->EM, of_mass, next);
    add(w->EC, of_damping, next);
    for (int i = 0; i < N; i++) {
        const double a = 4 / (H * H) * (next[i] - m->u[i]) - 4 / H * m->v[i] - m->a[i];

        m->v[i] += 0.5 * H * (m->a[i] + a);
        m->u[i] = next[i];
        m->a[i] = a;
    }
}

/* ---- coupler ---- */

#define ALONG  0.26670
#define ACROSS 0.127

static void strokes_of(double x, double theta, double *s)
{
    const double c = ALONG * (cos(theta) - 1), w = ACROSS * sin(theta);

    s[0] = x + c + w;
    s[1] = x + c - w;
}

/* As published: the sine, not the angle, stands in the last term; an error of third order. */
static void pose_of(const double *s, double *pose)
{
    const double sine = (s[0] - s[1]) / (2 * ACROSS);

    pose[1] = asin(fmax(-1, fmin(sine, 1)));
    pose[0] = s[0] - (ALONG * (cos(sine) - 1) + ACROSS * sin(sine));
}

/* ---- the experiment ---- */

static void write_experiment(const struct yk_marths_problem *p, const struct yk_marths_plant *plant, FILE *out)
{
    const struct yk_marths_model model = yk_marths_model(plant);
    const struct yk_realisation r = yk_marths_realise(&model);
    const bool perfect = yk_marths_is_perfect(p->chain);

    fprintf(out,
            "title: maRTHS benchmark\n"
            "time: { step: %.17g s, end: %.17g s, control_rate: %g Hz }\n"
            "method: { integrator: chang }\n"
            "substructures:\n"
            "  frame: { dofs: [s1, s2], mass: [1000, 1000], stiffness: [1e6, 1e6] }\n"
            "  coupler: { role: physical, dofs: [s1, s2], actuators: { s1: a1, s2: a2 },\n"
            "             estimate: { stiffness: [1, 1] } }\n"
            "interfaces: [ { join: [frame.s1, coupler.s1] }, { join: [frame.s2, coupler.s2] } ]\n"
            "loads: [ { ground: frame, ",
            H, fmax(1, floor(p->end_s * YK_MARTHS_RATE)) * H, YK_MARTHS_RATE);
    if (p->record)
        fprintf(out, "kind: record, file: '%s', scale: %.17g%s%s", p->record, p->scale, p->unit ? ", unit: " : "",
                p->unit ? p->unit : "");
    else
        fprintf(out, "kind: earthquake, peak: %.17g m/s2, seed: 7", 3.1 * p->scale);
    fprintf(out, " } ]\ntransfer: ");
    if (!yk_marths_write_chain(p->chain, out))
        fprintf(out, "'%s'", p->chain);
    fprintf(out, "\nrig:\n  backend: virtual\n");
    if (perfect) {
        fprintf(out, "  actuators: { a1: { plant: { kind: ideal } }, a2: { plant: { kind: ideal } } }\n");
    } else {
        fprintf(out, "  actuators: { a1: {}, a2: {} }\n"
                     "  joint: [ { actuators: [a1, a2], plant: { kind: state-space, ");
        yk_realisation_write(&r, out, 17);
        fprintf(out, " } } ]\n");
    }
    fprintf(out, "  specimen: { dofs: [s1, s2], mass: [0, 0], stiffness: [1, 1] }\n");
}

static enum yk_status read_experiment(const struct yk_marths_problem *p, struct yk_model **model, struct yk_err *err)
{
    const struct yk_marths_plant nominal = {{0}, 0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    write_experiment(p, &nominal, out);
    if (fclose(out)) {
        free(text);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    return yk_problem_read(model, p->chain, "marths.yaml", text, size, err);
}

/* The same with another plant. */
static enum yk_status with_plant(const struct yk_marths *r, const struct yk_marths_plant *p, struct yk_problem_run *run,
                                 struct yk_err *err)
{
    const struct yk_marths_model model = yk_marths_model(p);
    const struct yk_realisation real = yk_marths_realise(&model);
    char *text = NULL;
    size_t size = 0;
    FILE *out = r->perfect ? NULL : open_memstream(&text, &size);
    enum yk_status st = YK_OK;

    if (!r->perfect && !out)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (out) {
        fprintf(out, "rig.joint.0.plant={ kind: state-space, ");
        yk_realisation_write(&real, out, 17);
        fprintf(out, " }");
        if (fclose(out))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (!st)
        st = yk_problem_start(run, r->model, (const char *const *)&text, text ? 1 : 0, err);
    free(text);
    return st;
}

/* ---- a problem ---- */

static void keep(const struct motion *m, size_t k, double *const *to)
{
    to[0][k] = m->u[DOF_X];
    to[1][k] = -m->u[DOF_THETA];
    for (int i = 0; i < 4; i++)
        to[2 + i][k] = m->u[upper[i]];
}

/* -M iota a_g on the floors */
static void shake(const double *mass, double ground, double *load)
{
    memset(load, 0, N * sizeof *load);
    load[DOF_X] = -mass[DOF_X] * ground;
    load[upper[0]] = -mass[upper[0]] * ground;
    load[upper[2]] = -mass[upper[2]] * ground;
}

static enum yk_status make_reference(struct yk_marths *r, const struct matrices *whole, struct yk_err *err)
{
    struct newmark *w = malloc(sizeof *w);
    struct motion m = {0};
    double mass[N], load[N];
    enum yk_status st = w ? prepare(w, whole, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (int i = 0; i < 6 && !st; i++)
        if (!(r->reference[i] = malloc(r->samples * sizeof **r->reference)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (int i = 0; i < N; i++)
        mass[i] = whole->M[i][i];
    for (size_t k = 0; k < r->samples && !st; k++) {
        shake(mass, r->ground[k], load);
        advance(w, load, &m);
        keep(&m, k, r->reference);
    }
    free(w);
    return st;
}

static enum yk_status open_parts(struct yk_marths *r, const struct yk_marths_problem *p, struct yk_err *err)
{
    struct matrices *m = malloc(2 * sizeof *m), *part = m + 1;
    enum yk_status st;

    if (!m)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    make_frame(m);
    *part = *m;
    if (p->variant == YK_MARTHS_A) {
        take_out_ideal(part);
        if (!(st = make_real(&r->specimen, err)))
            st = follow(&r->specimen, err);
    } else {
        make_same(&r->specimen, part);
        st = YK_OK;
    }
    for (int i = 0; i < N; i++) /* A: the ground moves the mass that is left */
        r->load[i] = p->variant == YK_MARTHS_A ? part->M[i][i] : m->M[i][i];
    if (!st && !(st = prepare(&r->numerical, part, err)) &&
        !(st = yk_problem_ground(r->model, 0, H, r->samples, &r->ground, err)))
        st = make_reference(r, m, err);
    free(m);
    return st;
}

enum yk_status yk_marths_open(struct yk_marths **marths, const struct yk_marths_problem *p, struct yk_err *err)
{
    struct yk_marths *r = calloc(1, sizeof *r);
    enum yk_status st;

    *marths = NULL;
    if (!r)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    r->noise = p->noise;
    r->perfect = yk_marths_is_perfect(p->chain);
    r->samples = (size_t)floor(p->end_s * YK_MARTHS_RATE) + 1;
    if ((st = read_experiment(p, &r->model, err)) || (st = open_parts(r, p, err))) {
        yk_marths_close(r);
        return st;
    }
    *marths = r;
    return YK_OK;
}

void yk_marths_close(struct yk_marths *r)
{
    if (!r)
        return;
    yk_model_close(r->model);
    free(r->ground);
    for (int i = 0; i < 6; i++)
        free(r->reference[i]);
    free(r);
}

/* ---- a layer between station and rig: noise, with the generator of the problem, and what was sent ---- */

struct noisy {
    const struct yk_rig_ops *ops;
    void *self;
    double deviation; /* 0: none */
    uint64_t state;
    double most[YK_MARTHS_ACTUATORS][2]; /* smallest and largest command */
};

/* Park and Miller 1988, and the polar method (Marsaglia 1964) of which the second deviate is thrown away. */
static double disturbance(struct noisy *n)
{
    double a, b, r;

    if (n->deviation == 0)
        return 0;
    do {
        n->state = n->state * 16807 % 2147483647;
        a = 2 * ((double)n->state * 4.6566128752457969e-10) - 1;
        n->state = n->state * 16807 % 2147483647;
        b = 2 * ((double)n->state * 4.6566128752457969e-10) - 1;
        r = a * a + b * b;
    } while (!(r > 0 && r <= 1));
    return n->deviation * sqrt(-2 * log(r) / r) * a;
}

/* The same noise on both strokes. */
YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct noisy *n = self;
    const enum yk_rig_answer answer = n->ops->exchange(n->self, out, in);
    const double d = disturbance(n);

    for (int i = 0; i < YK_MARTHS_ACTUATORS; i++) {
        in->readings[i].displacement += d;
        n->most[i][0] = fmin(n->most[i][0], 1e3 * out->command[i]);
        n->most[i][1] = fmax(n->most[i][1], 1e3 * out->command[i]);
    }
    return answer;
}

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct noisy *n = self;
    const enum yk_status st = n->ops->rest(n->self, x, in, err);
    const double d = disturbance(n);

    for (int i = 0; i < YK_MARTHS_ACTUATORS; i++)
        in->readings[i].displacement += d;
    return st;
}

static const struct yk_rig_ops layer = {
    .name = "noise", .can = YK_RIG_EVERYTHING | YK_RIG_SIMULATES, .rest = rest, .exchange = exchange};

/* ---- a run ---- */

/* Time histories that are kept of a run: index of the first of each kind. */
enum { TARGET, MEASURED = 2, NODE = 4, STOREYS = 6, ESTIMATED = 10, KEPT = 12 };

struct loop {
    const struct yk_marths *r;
    struct yk_station *station;
    struct newmark numerical; /* a copy: close to the rest */
    struct motion m;
    double q[PARTS], v[PARTS]; /* of the specimen at the sample before */
    double *kept[KEPT];
    struct noisy rig;
};

/* Force of the specimen in a pose; `given` of its rows. */
static void answer(struct loop *l, bool first, const double *pose, double *force)
{
    const struct specimen *s = &l->r->specimen;
    double q[PARTS] = {0}, v[PARTS] = {0}, a[PARTS] = {0};

    for (int i = 0; i < s->n; i++) {
        q[i] = s->G[i][0] * pose[0] + s->G[i][1] * pose[1];
        v[i] = first ? 0 : (q[i] - l->q[i]) / H;
        a[i] = first ? 0 : (v[i] - l->v[i]) / H;
    }
    for (int i = 0; i < s->given; i++) {
        force[i] = s->M[i] * a[i];
        for (int j = 0; j < s->n; j++)
            force[i] += s->K[i][j] * q[j] + s->C[i][j] * v[j];
    }
    memcpy(l->q, q, sizeof q);
    memcpy(l->v, v, sizeof v);
}

/* Sample k. False: it diverged. */
static bool step(struct loop *l, size_t k)
{
    const struct yk_marths *r = l->r;
    double strokes[YK_MARTHS_ACTUATORS], pose[2], force[3] = {0}, load[N], node[6];
    double *const numerical[6] = {&node[0], &node[1], &node[2], &node[3], &node[4], &node[5]};

    yk_station_estimate(l->station, strokes);
    pose_of(strokes, pose);
    answer(l, k == 0, pose, force);
    shake(r->load, r->ground[k], load);
    load[DOF_X] -= force[0];
    load[DOF_THETA] += force[1];
    load[DOF_OTHER] += force[2];
    advance(&l->numerical, load, &l->m);
    keep(&l->m, 0, numerical);
    strokes_of(node[0], node[1], strokes);
    for (int i = 0; i < YK_MARTHS_ACTUATORS; i++) {
        l->kept[TARGET + i][k] = strokes[i];
        l->kept[MEASURED + i][k] = yk_station_reading(l->station, (size_t)i).displacement;
        l->kept[ESTIMATED + i][k] = pose[i];
        l->kept[NODE + i][k] = node[i];
        yk_station_set_target(l->station, (size_t)i, strokes[i], 0);
    }
    for (int i = 0; i < 4; i++)
        l->kept[STOREYS + i][k] = node[2 + i];
    yk_station_move(l->station, (double)(k + 1) * H);
    return fabs(node[0]) < DIVERGED;
}

/* Delay, rms and peak of one against another; any may be NULL. */
static void compare(const double *x, const double *y, size_t n, double *delay, double *rms, double *peak)
{
    if (delay)
        *delay = 1000 * H * yk_index_lag_both(x, y, n, MOST_LAG);
    *rms = yk_index_rms(x, y, n);
    *peak = yk_index_peak(x, y, n);
}

static void judge(const struct loop *l, struct yk_marths_result *j)
{
    const struct yk_marths *r = l->r;
    const size_t n = r->samples;
    static const double gain[] = {1.053, 1.055}, offset[] = {-0.0092, 0.0059}, scale[] = {7.4921, 7.3907};

    j->realizable = true;
    for (int i = 0; i < 2; i++) {
        compare(l->kept[TARGET + i], l->kept[MEASURED + i], n, &j->J1[i], &j->J2[i], &j->J3[i]);
        compare(l->kept[NODE + i], l->kept[ESTIMATED + i], n, &j->J4[i], &j->J5[i], &j->J6[i]);
        compare(r->reference[i], l->kept[ESTIMATED + i], n, NULL, &j->J7[i], &j->J9[i]);
        j->volts[i] =
            fmax(fabs(l->rig.most[i][0] / gain[i] + offset[i]), fabs(l->rig.most[i][1] / gain[i] + offset[i])) /
            scale[i];
        j->realizable &= j->volts[i] <= VOLTS;
    }
    for (int i = 0; i < 4; i++)
        compare(r->reference[2 + i], l->kept[STOREYS + i], n, NULL, &j->J8[i], &j->J10[i]);
}

static enum yk_status make_run(struct loop *l, const struct yk_marths_plant *plant, struct yk_marths_result *result,
                               struct yk_err *err)
{
    enum yk_status st;

    l->rig.deviation = l->r->noise ? 1e-3 * sqrt(NOISE * YK_MARTHS_RATE) : 0;
    l->rig.state = 65536 * (uint64_t)plant->seed;
    l->rig.ops = yk_station_rig(l->station, &l->rig.self);
    yk_station_interpose(l->station, (struct yk_between){&layer, &l->rig});
    if ((st = yk_station_rest(l->station, (double[]){0, 0}, err)))
        return st;
    for (size_t k = 0; k < l->r->samples && !result->diverged; k++)
        result->diverged = !step(l, k);
    if (!result->diverged)
        judge(l, result);
    return YK_OK;
}

/* A run, with everything that is kept of it in `room`: KEPT times as many numbers as there are samples. */
static enum yk_status run_in(const struct yk_marths *r, const struct yk_marths_plant *plant, double *room,
                             struct yk_marths_result *result, struct yk_err *err)
{
    struct loop *l = calloc(1, sizeof *l);
    struct yk_problem_run plays;
    enum yk_status st = l && room ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu samples", r->samples);

    *result = (struct yk_marths_result){0};
    if (!st && !(st = with_plant(r, plant, &plays, err))) {
        l->r = r;
        l->station = plays.station;
        l->numerical = r->numerical;
        for (int i = 0; i < KEPT; i++)
            l->kept[i] = room + (size_t)i * r->samples;
        st = make_run(l, plant, result, err);
        yk_station_interpose(plays.station, (struct yk_between){0});
        yk_problem_end(&plays);
    }
    free(l);
    return st;
}

enum yk_status yk_marths_run(const struct yk_marths *r, const struct yk_marths_plant *plant,
                             struct yk_marths_result *result, struct yk_err *err)
{
    double *room = malloc(KEPT * r->samples * sizeof *room);
    const enum yk_status st = run_in(r, plant, room, result, err);

    free(room);
    return st;
}

enum yk_status yk_marths_histories(const struct yk_marths *r, const struct yk_marths_plant *plant,
                                   struct yk_histories *h, struct yk_err *err)
{
    static const struct {
        const char *title;
        int expected, got; /* what is kept; beyond KEPT: of the reference */
        double factor;
    } shown[] = {{"stroke 1 [mm]", TARGET, MEASURED, 1e3},     {"stroke 2 [mm]", TARGET + 1, MEASURED + 1, 1e3},
                 {"node, x [mm]", KEPT, ESTIMATED, 1e3},       {"node, theta [mrad]", KEPT + 1, ESTIMATED + 1, 1e3},
                 {"storey 2, x [mm]", KEPT + 2, STOREYS, 1e3}, {"storey 3, x [mm]", KEPT + 4, STOREYS + 2, 1e3}};
    enum { SHOWN = sizeof shown / sizeof *shown };
    double *room = calloc(KEPT * r->samples, sizeof *room);
    struct yk_marths_result result;
    enum yk_status st = run_in(r, plant, room, &result, err);

    if (!st && !(st = yk_histories_make(h, SHOWN, r->samples, H, err)))
        for (int i = 0; i < SHOWN; i++) {
            const bool tracking = shown[i].expected < KEPT;
            struct yk_history *one = &h->all[i];

            one->title = shown[i].title;
            one->expected = tracking ? "target" : "untorn frame";
            one->got = tracking ? "measured" : "hybrid test";
            one->factor = shown[i].factor;
            memcpy(one->x,
                   tracking ? room + (size_t)shown[i].expected * r->samples : r->reference[shown[i].expected - KEPT],
                   r->samples * sizeof *room);
            memcpy(one->y, room + (size_t)shown[i].got * r->samples, r->samples * sizeof *room);
        }
    free(room);
    return st;
}

/* ---- indices by name ---- */

const char *yk_marths_index(const struct yk_marths_result *j, int i, double *value)
{
    static const struct {
        const char *name;
        size_t at;
    } all[YK_MARTHS_INDICES] = {
#define PAIR(J, a, b)                                                                                                  \
    {#J "_" #a, offsetof(struct yk_marths_result, J)}, {#J "_" #b, offsetof(struct yk_marths_result, J[1])}
#define FOUR(J)                                                                                                        \
    {#J "_x2", offsetof(struct yk_marths_result, J)}, {#J "_theta2", offsetof(struct yk_marths_result, J[1])},         \
        {#J "_x3", offsetof(struct yk_marths_result, J[2])},                                                           \
    {                                                                                                                  \
#J "_theta3", offsetof(struct yk_marths_result, J[3])                                                          \
    }
        PAIR(J1, 1, 2),     PAIR(J2, 1, 2),     PAIR(J3, 1, 2), PAIR(J4, x, theta), PAIR(J5, x, theta),
        PAIR(J6, x, theta), PAIR(J7, x, theta), FOUR(J8),       PAIR(J9, x, theta), FOUR(J10),
#undef FOUR
#undef PAIR
    };

    *value = j->diverged ? NAN : *(const double *)((const char *)j + all[i].at);
    return all[i].name;
}
