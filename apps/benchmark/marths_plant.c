/* Plant and chains of the multi-axial benchmark. docs/benchmarks.md.
 *
 *     H_11, H_21 = g N_1/D_1,   N_1 = (s + 120 w)(s + 90 w),   D_1 = (s + 2.65 w)(s + 40 w) F
 *     H_12, H_22 = g (s + z)/D_2,  z = 3 w, 5 w,               D_2 = (s + 3.5 w)(s + 18.5 w) F
 *     F = (s + w (50 + 63 j)) (s + w (50 - 63 j)),   w = 2 pi
 *
 * Perturbed plants keep their gains at rest. Units: s, and one length for commands and strokes. */
#include "marths_plant.h"

#include <yoke/random.h>

#include <math.h>
#include <string.h>

#define W 6.283185307179586

/* ---- plants ---- */

struct yk_marths_plant yk_marths_draw(int number)
{
    static const struct yk_marths_plant fixed[] = {
        {{0}, 123},
        {{0.54, -1.83, 0.86, 0.32, -0.43, 0.34, 1.10, -0.75, 0.22}, 123},
        {{-1, -1, -2, -2, -1.5, 1, -2, -2, 1}, 123},
        {{1, 1, 2, 2, 1.5, -1, 2, 2, -1}, 123},
    };
    struct yk_marths_plant p = {.seed = 123 + number};
    uint64_t state = ((uint64_t)number + 1) * 0x9e3779b97f4a7c15u;

    if (number < (int)(sizeof fixed / sizeof *fixed))
        return fixed[number];
    for (int i = 0; i < YK_MARTHS_DEVIATES; i++)
        p.n[i] = yk_draw_normal(&state);
    return p;
}

/* p (count numbers, falling powers) times (s + root), with room for one more. */
static void times(double *p, int count, double root)
{
    p[count] = 0;
    for (int k = count; k > 0; k--)
        p[k] += root * p[k - 1];
}

/* (s + first)(s + second) F, F of the pair that is `frame` times its nominal place */
static void denominator(double first, double second, double frame, double *D)
{
    const double b = 2 * 50 * W * frame, c = (50.0 * 50 + 63 * 63) * W * W * frame * frame;
    double p[YK_MARTHS_ORDER + 1] = {1};

    times(p, 1, first);
    times(p, 2, second);
    memset(D, 0, sizeof p);
    for (int k = 0; k < 3; k++) {
        D[k] += p[k];
        D[k + 1] += b * p[k];
        D[k + 2] += c * p[k];
    }
}

struct yk_marths_model yk_marths_model(const struct yk_marths_plant *plant)
{
    static const double zeros[2][2] = {{120, 90}, {3, 5}}, poles[2][2] = {{2.65, 40}, {3.5, 18.5}},
                        gains[2][2] = {{2165.2, 4.5394e6}, {349.95, 1.9238e7}};
    const double *n = plant->n;
    const double z1[] = {120 * W * (1 + 0.055 * n[0]), 90 * W * (1 + 0.055 * n[1])},
                 p1[] = {2.65 * W * (1 + 0.06 * n[2]), 40 * W * (1 + 0.06 * n[3])}, frame = 1 + 0.05 * n[4],
                 z2[] = {3 * W * (1 + 0.03 * n[5]), 5 * W * (1 + 0.03 * n[8])},
                 p2[] = {3.5 * W * (1 + 0.03 * n[6]), 18.5 * W * (1 + 0.03 * n[7])};
    struct yk_marths_model m = {0};

    denominator(p1[0], p1[1], frame, m.D[0]);
    denominator(p2[0], p2[1], frame, m.D[1]);
    for (int i = 0; i < 2; i++) {
        /* what the gain must be multiplied by so that the ratio at rest stays */
        const double one = p1[0] * p1[1] * frame * frame / (poles[0][0] * poles[0][1] * W * W) *
                           (zeros[0][0] * zeros[0][1] * W * W) / (z1[0] * z1[1]),
                     two = p2[0] * p2[1] * frame * frame / (poles[1][0] * poles[1][1] * W * W) * (zeros[1][i] * W) /
                           z2[i];

        m.N[i][0][0] = gains[i][0] * one;
        m.N[i][0][1] = gains[i][0] * one * (z1[0] + z1[1]);
        m.N[i][0][2] = gains[i][0] * one * z1[0] * z1[1];
        m.N[i][1][1] = gains[i][1] * two;
        m.N[i][1][2] = gains[i][1] * two * z2[i];
    }
    return m;
}

static struct yk_transfer_matrix matrix_of(const struct yk_marths_model *m)
{
    struct yk_transfer_matrix to = {.n = 2};

    for (int j = 0; j < 2; j++) {
        for (int k = 0; k <= YK_MARTHS_ORDER; k++)
            to.D[j][k] = m->D[j][YK_MARTHS_ORDER - k];
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++)
                to.N[i][j][k] = m->N[i][j][2 - k];
    }
    return to;
}

struct yk_realisation yk_marths_realise(const struct yk_marths_model *m)
{
    const struct yk_transfer_matrix matrix = matrix_of(m);
    struct yk_realisation r;

    yk_transfer_realise(&matrix, 1 / 512.0, &r);
    return r;
}

/* ---- chains ---- */

static struct yk_marths_model nominal(void)
{
    return yk_marths_model(&(struct yk_marths_plant){{0}, 0});
}

#define ALONE "a1: { compensator: { kind: none } }, a2: { compensator: { kind: none } }"

static void write_inverse(FILE *out, bool joint)
{
    struct yk_marths_model m = nominal();
    struct yk_transfer_matrix matrix;

    if (!joint) {
        memset(m.N[0][1], 0, sizeof m.N[0][1]);
        memset(m.N[1][0], 0, sizeof m.N[1][0]);
    }
    fprintf(out, "{ " ALONE ", joint: [ { actuators: [a1, a2], compensator: { kind: joint-inverse, ");
    matrix = matrix_of(&m);
    yk_transfer_write(&matrix, out, 17);
    fprintf(out, " } } ] }");
}

/* A, B of a Runge-Kutta step with the command held, as published: the sums of (A h)^k/k! up to 4, and of 5 terms of B.
 */
static void over_a_tick(struct yk_realisation *r)
{
    enum { S = YK_MARTHS_STATES, ALL = S + 2 };
    const double h = 1 / YK_MARTHS_RATE;
    double F[S][ALL] = {0}, term[S][ALL] = {0};

    for (int i = 0; i < S; i++)
        F[i][i] = term[i][i] = 1;
    for (int k = 1; k <= 4; k++) { /* term <- [A B] h/k [term; 0], of the system whose inputs stay */
        double next[S][ALL] = {0};

        for (int i = 0; i < S; i++)
            for (int j = 0; j < ALL; j++) {
                for (int m = 0; m < S; m++)
                    next[i][j] += r->A[i * S + m] * term[m][j] * h / k;
                if (k == 1 && j >= S)
                    next[i][j] += r->B[2 * i + j - S] * h;
            }
        memcpy(term, next, sizeof term);
        for (int i = 0; i < S; i++)
            for (int j = 0; j < ALL; j++)
                F[i][j] += term[i][j];
    }
    for (int i = 0; i < S; i++) {
        memcpy(r->A + S * i, F[i], S * sizeof *r->A);
        memcpy(r->B + 2 * i, F[i] + S, 2 * sizeof *r->B);
    }
}

static void write_lqi(FILE *out)
{
    const struct yk_marths_model m = nominal();
    struct yk_realisation r = yk_marths_realise(&m);

    over_a_tick(&r);
    fprintf(out, "{ " ALONE ", joint: [ { actuators: [a1, a2], controller: { kind: lqg, time: discrete, ");
    yk_realisation_write(&r, out, 17);
    fprintf(out, ", integral: 1e6, effort: 0.02, command_noise: 1e-7, reading_noise: 1.536e-10 } } ] }");
}

/* The published start of the adaptive filters: taps, and their covariance in mm. */
static const double taps[2][4] = {
    {5.414703531415922, 1.962806653915435, -1.5048252596678648, -4.957763803987514},
    {6.058172628218169, 2.1998157465448687, -1.6745976342164963, -5.538499858188244},
};
static const double spread[2][10] = {
    {83906.42815747605, -45046.00810957712, -27999.32600478411, -10761.293403738875, 106712.78321277935,
     -33590.12199030656, -27999.85520077352, 106712.89471242572, -45046.64880621686, 83907.59945955544},
    {64773.00944011183, -51448.243763745406, -21629.930497948848, 8337.191457832922, 104560.93549403193,
     -31474.353558888834, -21630.104009299863, 104561.22622571289, -51448.70807688673, 64773.647579071796},
};

static void write_fir(FILE *out, bool adapts)
{
    static const int place[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};

    for (int a = 0; a < 2; a++) {
        double P[16];

        for (int i = 0; i < 16; i++)
            P[i] = 1e6 * spread[a][place[i / 4][i % 4]]; /* 1/mm2 to 1/m2 */
        fprintf(out, "%s a%d: { compensator: { kind: fir, ", a ? "," : "{", a + 1);
        fprintf(out, "taps: [%.17g, %.17g, %.17g, %.17g]", taps[a][0], taps[a][1], taps[a][2], taps[a][3]);
        if (adapts) {
            fprintf(out, ", adapt: rls, ");
            yk_write_rows(out, "covariance", P, 4, 4, 17);
        }
        fprintf(out, " } }");
    }
    fprintf(out, " }");
}

/* W0 t(k) + W1 t(k-1): a polynomial of first order with the matrices W0 + W1 and -W1 h. */
static void write_matrix(FILE *out)
{
    static const double W0[] = {78.17011704240403, -15.626248019081851, -2.507745050207986, 22.865542867707845},
                        W1[] = {-77.13923408651674, 15.501417747758373, 2.309802024899083, -21.694965038932324};
    double A[8];

    for (int i = 0; i < 4; i++) {
        A[i] = W0[i] + W1[i];
        A[4 + i] = -W1[i] / YK_MARTHS_RATE;
    }
    fprintf(out, "{ " ALONE ", joint: [ { actuators: [a1, a2], compensator: { kind: joint-feed-forward, order: 1, ");
    yk_write_rows(out, "coefficients", A, 4, 2, 17);
    fprintf(out, " } } ] }");
}

/* The inverse of the nominal model expanded at s = 0 up to s^2. */
static void write_joint(FILE *out, const char *settings)
{
    const struct yk_marths_model m = nominal();
    const struct yk_transfer_matrix matrix = matrix_of(&m);
    struct yk_err ignored = {0};
    double A[3 * 2 * 2] = {0};

    yk_transfer_expand_inverse(&matrix, 0, 3, A, &ignored); /* the nominal model can be inverted */
    fprintf(out, "{ " ALONE ", joint: [ { actuators: [a1, a2], compensator: { kind: joint-feed-forward, %s", settings);
    yk_write_rows(out, "coefficients", A, 6, 2, 17);
    fprintf(out, " } } ] }");
}

static void write_joint_fixed(FILE *out)
{
    write_joint(out, "ahead: 0.5 ms, ");
}

static void write_joint_adaptive(FILE *out)
{
    write_joint(out, "ahead: 0.75 ms, adapt: rls, motion: 0.03 mm, ");
}

static void write_none(FILE *out)
{
    fprintf(out, "{ " ALONE " }");
}

static void write_fixed_fir(FILE *out)
{
    write_fir(out, false);
}

static void write_adaptive_fir(FILE *out)
{
    write_fir(out, true);
}

static void write_separate(FILE *out)
{
    write_inverse(out, false);
}

static void write_joint_inverse(FILE *out)
{
    write_inverse(out, true);
}

static const struct {
    struct yk_marths_entry shown;
    void (*write)(FILE *out);
    bool perfect;
} entries[] = {
    {{"perfect", "no plant: every stroke is the one commanded a sample before"}, write_none, true},
    {{"none", "the targets themselves are commanded"}, write_none, false},
    {{"fir", "a filter of four taps for each actuator, as published"}, write_fixed_fir, false},
    {{"rls", "the same filters, adapted by recursive least squares, as published"}, write_adaptive_fir, false},
    {{"matrix", "two targets of both actuators, weights fitted to the model"}, write_matrix, false},
    {{"separate", "inverse of the model of each actuator alone"}, write_separate, false},
    {{"inverse", "inverse of the model of both actuators"}, write_joint_inverse, false},
    {{"lqi", "state feedback with observer and integral action"}, write_lqi, false},
    {{"joint", "inverse of both actuators up to second order, fixed"}, write_joint_fixed, false},
    {{"joint-rls", "inverse of both actuators up to second order, adapted by recursive least squares"},
     write_joint_adaptive,
     false},
};

const struct yk_marths_entry *yk_marths_entry(size_t i)
{
    return i < sizeof entries / sizeof *entries ? &entries[i].shown : NULL;
}

static long find(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strcmp(entries[i].shown.name, name) == 0)
            return (long)i;
    return -1;
}

bool yk_marths_write_chain(const char *name, FILE *out)
{
    const long i = find(name);

    if (i >= 0)
        entries[i].write(out);
    return i >= 0;
}

bool yk_marths_is_perfect(const char *name)
{
    const long i = find(name);

    return i >= 0 && entries[i].perfect;
}
