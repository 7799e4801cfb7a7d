/* yoke identify --joint: sweeps actuators that act on each other, one after the other, fits a matrix of transfer
 * functions, proposes a compensator for all of them. */
#include "sweep.h"
#include <yoke/identify_joint.h>

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586

enum { MOST = YK_JOINT_ACTUATORS, POINTS = YK_JOINT_POINTS, POWERS = YK_MATRIX_POWERS, DIGITS = 12, COLUMNS = 12 };
enum { SPARSE = 4 }; /* one of so many measured points is drawn, so that the line of the model is seen */

struct joint {
    const struct sweep_ask *ask;
    size_t n;
    const char *names[MOST];
    struct yk_joint_responses measured;
    struct yk_joint_model found;
    struct yk_joint_proposal proposal;
    struct yk_pace pace;
};

/* ---- roots ---- */

/* A real root, or a pair: its frequency and its damping, 1 where it is real, negative on the right. */
struct root {
    double frequency_Hz, damping;
};

static size_t describe(const double complex *s, size_t count, struct root *to)
{
    size_t n = 0;

    for (size_t k = 0; k < count; k++) {
        if (cimag(s[k]) < 0)
            continue;
        to[n].frequency_Hz = cabs(s[k]) / TWO_PI;
        to[n].damping = cimag(s[k]) > 0 ? -creal(s[k]) / cabs(s[k]) : creal(s[k]) < 0 ? 1 : -1;
        for (size_t i = n; i > 0 && to[i].frequency_Hz < to[i - 1].frequency_Hz; i--) {
            const struct root swap = to[i];

            to[i] = to[i - 1];
            to[i - 1] = swap;
        }
        n++;
    }
    return n;
}

static size_t roots_of(const struct joint *j, const double *polynomial, struct root *to)
{
    double complex s[YK_MATRIX_ZEROS];

    return describe(s, yk_polynomial_roots(polynomial, POWERS, TWO_PI * j->measured.frequency_Hz[POINTS - 1], s), to);
}

static void print_roots(const char *name, size_t count, const struct root *r)
{
    printf("%s", name);
    for (size_t k = 0; k < count; k++) {
        printf("%s%.4g Hz", k ? ", " : " ", r[k].frequency_Hz);
        if (fabs(r[k].damping) < 1)
            printf(" (damping %.3g)", r[k].damping);
        else if (r[k].damping < 0)
            printf(" (on the right)");
    }
    if (!count)
        printf(" none");
}

static json_t *roots_json(size_t count, const struct root *r)
{
    json_t *list = json_array();

    for (size_t k = 0; k < count; k++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "frequency_Hz", yk_json_number(r[k].frequency_Hz),
                                              "damping", yk_json_number(r[k].damping)));
    return list;
}

/* ---- sections ---- */

static void write_names(const struct joint *j, FILE *out)
{
    for (size_t i = 0; i < j->n; i++)
        fprintf(out, "%s%s", i ? ", " : "", j->names[i]);
}

static void write_compensator(const struct joint *j, bool inverse, const char *comment, FILE *out)
{
    const struct yk_joint_proposal *p = &j->proposal;

    fprintf(out, "%s      compensator: { kind: %s, ", comment, inverse ? "joint-inverse" : "joint-feed-forward");
    if (inverse)
        yk_transfer_write(&j->found.matrix, out, DIGITS);
    else {
        if (p->ahead_s > 0)
            fprintf(out, "ahead: %.6g s, ", p->ahead_s);
        fprintf(out, "adapt: rls, ");
        yk_write_rows(out, "coefficients", p->A, p->terms * j->n, j->n, DIGITS);
    }
    fprintf(out, " }\n");
}

/* The section `transfer`; the other compensator that may be used as comments. */
static void write_transfer(const struct joint *j, FILE *out)
{
    const struct yk_joint_proposal *p = &j->proposal;

    if (j->pace.stages != 1)
        fprintf(out, "# A method with one target a step is needed for what follows; this one has %d.\n",
                j->pace.stages);
    fprintf(out, "transfer:\n");
    for (size_t i = 0; i < j->n; i++)
        fprintf(out, "  %s: { compensator: { kind: none } }\n", j->names[i]);
    if (!p->inverts && !p->terms)
        return;
    fprintf(out, "  joint:\n    - actuators: [");
    write_names(j, out);
    fprintf(out, "]\n");
    write_compensator(j, p->inverts, "", out);
    if (p->inverts && p->terms) {
        fprintf(out, "      # or, if the actuators change during a test:\n");
        write_compensator(j, false, "#", out);
    } else if (p->invertible && !p->inverts) {
        fprintf(out, "      # or:\n");
        write_compensator(j, true, "#", out);
    }
}

/* The plant of the virtual rig. */
static void write_rig(const struct joint *j, const char *comment, FILE *out)
{
    const double size = TWO_PI * j->measured.frequency_Hz[POINTS - 1];
    struct yk_realisation r;

    yk_transfer_realise(&j->found.matrix, exp2(-round(log2(size))), &r);
    fprintf(out, "%srig:\n%s  joint:\n%s    - actuators: [", comment, comment, comment);
    write_names(j, out);
    fprintf(out, "]\n%s      plant: { kind: state-space, dead_time: %.6g s, ", comment, j->found.matrix.dead_time);
    yk_realisation_write(&r, out, DIGITS);
    fprintf(out, " }\n");
}

static bool write_file(const void *self, FILE *out)
{
    const struct joint *j = self;

    fprintf(out, " of each of ");
    write_names(j, out);
    fprintf(out, ".\n");
    write_transfer(j, out);
    fprintf(out, "# The actuators on the virtual rig, for the section `rig`:\n");
    write_rig(j, "# ", out);
    return !ferror(out);
}

/* ---- text ---- */

/* 1, 2, 5 and their decades within the sweep; the points of the fit nearest to them. */
static size_t round_frequencies(const struct joint *j, int *at)
{
    static const double steps[] = {1, 2, 5};
    const double *f = j->measured.frequency_Hz;
    size_t count = 0;

    for (double decade = pow(10, floor(log10(f[0]))); decade <= f[POINTS - 1]; decade *= 10)
        for (int s = 0; s < 3 && count < COLUMNS; s++) {
            const double wanted = decade * steps[s];

            if (!(wanted > 0.99 * f[0] && wanted < 1.01 * f[POINTS - 1]))
                continue;
            at[count] = 0;
            for (int k = 1; k < POINTS; k++)
                if (fabs(log(f[k] / wanted)) < fabs(log(f[at[count]] / wanted)))
                    at[count] = k;
            count++;
        }
    return count;
}

static void print_table(const struct joint *j)
{
    int at[COLUMNS];
    const size_t count = round_frequencies(j, at);
    const struct yk_joint_proposal *p = &j->proposal;

    printf("  %-26s", "frequency [Hz]");
    for (size_t c = 0; c < count; c++)
        printf(" %8.3g", j->measured.frequency_Hz[at[c]]);
    for (size_t i = 0; i < j->n; i++) {
        struct yk_response r = {0};

        printf("\n  delay of %-12s [ms]", j->names[i]);
        for (int k = 0, c = 0; k < POINTS && (size_t)c < count; k++) {
            r = yk_response_of(j->measured.frequency_Hz[k], j->measured.H[i][i][k], k ? &r : NULL);
            if (k == at[c]) {
                printf(" %8.3f", 1e3 * r.delay_s);
                c++;
            }
        }
    }
    printf("\nerror that a compensator leaves, predicted from the measured responses [%%]\n");
    if (p->invertible) {
        printf("  %-26s", "joint-inverse");
        for (size_t c = 0; c < count; c++)
            printf(" %8.3g", 100 * p->inverse_error[at[c]]);
        printf("\n");
    } else {
        printf("  joint-inverse cannot be used: zeros of the determinant are on the right, so it would diverge\n");
    }
    if (p->terms) {
        printf("  %-26s", "joint-feed-forward");
        for (size_t c = 0; c < count; c++)
            printf(" %8.3g", 100 * p->forward_error[at[c]]);
        printf("\n");
    }
}

static void print_found(const struct joint *j)
{
    const struct yk_transfer_matrix *m = &j->found.matrix;
    struct root r[YK_MATRIX_ZEROS];

    write_names(j, stdout);
    printf(": sweeps of each");
    yk_sweep_print(&j->ask->sweep, j->ask->tick_s, j->ask->mounted, stdout);
    printf("  dead time of the commands %.4g ms\n", 1e3 * m->dead_time);
    for (size_t c = 0; c < j->n; c++) {
        printf("  command %s:", j->names[c]);
        print_roots(" poles", roots_of(j, m->D[c], r), r);
        printf("\n");
        for (size_t i = 0; i < j->n; i++) {
            if (isnan(j->found.fit_percent[i][c])) {
                printf("    moves %s by less than 0.1 %%\n", j->names[i]);
                continue;
            }
            printf("    moves %s: gain %.5g, fit %.3f %%,", j->names[i], m->N[i][c][0] / m->D[c][0],
                   j->found.fit_percent[i][c]);
            print_roots(" zeros", roots_of(j, m->N[i][c], r), r);
            printf("\n");
        }
    }
    print_roots("  zeros of the determinant:", describe(j->proposal.zero, j->proposal.zeros, r), r);
    printf("\n");
    print_table(j);
    printf("to paste: the compensator, and the actuators on the virtual rig\n");
    write_transfer(j, stdout);
    write_rig(j, "", stdout);
}

/* ---- JSON ---- */

static json_t *polynomial_json(const double *p)
{
    json_t *list = json_array();

    for (size_t k = yk_polynomial_degree(p, POWERS) + 1; k-- > 0;)
        json_array_append_new(list, yk_json_number(p[k]));
    return list;
}

static json_t *pair_json(const struct joint *j, size_t i, size_t c)
{
    json_t *points = json_array();
    struct root r[YK_MATRIX_ZEROS];

    for (int k = 0; k < POINTS; k++) {
        double complex H[MOST * MOST];

        yk_transfer_response(&j->found.matrix, I * TWO_PI * j->measured.frequency_Hz[k], H);
        const double complex both[] = {j->measured.H[i][c][k], H[i * j->n + c]};

        json_array_append_new(points,
                              json_pack("{s:f, s:[o, o], s:[o, o]}", "frequency_Hz", j->measured.frequency_Hz[k],
                                        "magnitude", yk_json_number(cabs(both[0])), yk_json_number(cabs(both[1])),
                                        "phase_rad", yk_json_number(carg(both[0])), yk_json_number(carg(both[1]))));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "command", j->names[c], "displacement", j->names[i],
                     "fit_percent", yk_json_number(j->found.fit_percent[i][c]), "numerator",
                     polynomial_json(j->found.matrix.N[i][c]), "zeros",
                     roots_json(roots_of(j, j->found.matrix.N[i][c], r), r), "bode", points);
}

static json_t *to_json(const struct joint *j)
{
    const struct yk_joint_proposal *p = &j->proposal;
    json_t *names = json_array(), *columns = json_array(), *pairs = json_array(), *errors = json_array();
    struct root r[YK_MATRIX_ZEROS];

    for (size_t c = 0; c < j->n; c++) {
        json_array_append_new(names, json_string(j->names[c]));
        json_array_append_new(columns, json_pack("{s:s, s:o, s:o}", "actuator", j->names[c], "denominator",
                                                 polynomial_json(j->found.matrix.D[c]), "poles",
                                                 roots_json(roots_of(j, j->found.matrix.D[c], r), r)));
        for (size_t i = 0; i < j->n; i++)
            json_array_append_new(pairs, pair_json(j, i, c));
    }
    for (int k = 0; k < POINTS; k++)
        json_array_append_new(errors, json_pack("{s:f, s:o, s:o}", "frequency_Hz", j->measured.frequency_Hz[k],
                                                "joint_inverse", yk_json_number(p->inverse_error[k]),
                                                "joint_feed_forward", yk_json_number(p->forward_error[k])));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:s, s:o}", "actuators", names, "dead_time_s",
                     yk_json_number(j->found.matrix.dead_time), "commands", columns, "pairs", pairs,
                     "zeros_of_determinant", roots_json(describe(p->zero, p->zeros, r), r), "invertible", p->invertible,
                     "compensator",
                     p->inverts ? "joint-inverse"
                     : p->terms ? "joint-feed-forward"
                                : "none",
                     "errors", errors);
}

/* ---- picture ---- */

struct curves {
    double f[POINTS], y[MOST][MOST][4][POINTS]; /* magnitude and phase, measured and fitted */
    struct yk_plot_series series[MOST][MOST][4];
    struct yk_plot_panel panels[2 * MOST * MOST];
    char titles[MOST][MOST][80];
};

static void fill(const struct joint *j, struct curves *v)
{
    double complex H[MOST * MOST];
    struct yk_response before[MOST][MOST][2] = {0};

    for (int k = 0; k < POINTS; k++) {
        v->f[k] = j->measured.frequency_Hz[k];
        yk_transfer_response(&j->found.matrix, I * TWO_PI * v->f[k], H);
        for (size_t i = 0; i < j->n; i++)
            for (size_t c = 0; c < j->n; c++) {
                const double complex both[] = {j->measured.H[i][c][k], H[i * j->n + c]};

                for (int which = 0; which < 2; which++) {
                    struct yk_response *r = &before[i][c][which];

                    *r = yk_response_of(v->f[k], both[which], k ? r : NULL);

                    const bool drawn = r->magnitude > 0 && (which == 1 || (POINTS - 1 - k) % SPARSE == 0);

                    v->y[i][c][which][k] = drawn ? r->magnitude : NAN;
                    v->y[i][c][2 + which][k] = drawn ? r->phase_rad * 180 / M_PI : NAN;
                }
            }
    }
}

static int out_of_memory(void)
{
    struct yk_err err = {0};

    yk_fail(&err, YK_E_MEMORY, "out of memory");
    return yk_command_fail(&err);
}

static int draw(const struct joint *j)
{
    const struct yk_plot_axis x = {.label = "frequency [Hz]", .log = true};
    struct curves *v = malloc(sizeof *v);
    int code;

    if (!v)
        return out_of_memory();
    fill(j, v);
    for (size_t i = 0; i < j->n; i++)
        for (size_t c = 0; c < j->n; c++) {
            struct yk_plot_panel *panel = &v->panels[2 * i * j->n + c];
            struct yk_plot_series *s = v->series[i][c];

            for (int k = 0; k < 4; k++)
                s[k] = (struct yk_plot_series){.name = k % 2 ? "model" : "measured",
                                               .style = k % 2 ? YK_PLOT_LINE : YK_PLOT_POINTS,
                                               .n = POINTS,
                                               .x = v->f,
                                               .y = v->y[i][c][k],
                                               .origin = k % 2 ? YK_PLOT_COMPUTED : YK_PLOT_MEASURED};
            snprintf(v->titles[i][c], sizeof v->titles[i][c], "command %s to displacement %s", j->names[c],
                     j->names[i]);
            panel[0] = (struct yk_plot_panel){
                .title = v->titles[i][c], .x = x, .y = {.label = "magnitude", .log = true}, .series = s, .count = 2};
            panel[j->n] = (struct yk_plot_panel){.x = x, .y.label = "phase [deg]", .series = s + 2, .count = 2};
        }
    code = sweep_draw(j->ask, &(struct yk_figure){.title = "Actuators that act on each other: measured and fitted",
                                                  .panels = v->panels,
                                                  .count = 2 * j->n * j->n,
                                                  .columns = j->n});
    free(v);
    return code;
}

int sweep_joint(const struct sweep_ask *ask, size_t count, const size_t *actuators, size_t order)
{
    struct joint *j = calloc(1, sizeof *j);
    struct yk_swept swept = yk_parts_swept(ask->parts, ask->mounted);
    struct yk_err err = {0};
    int code = 0;

    if (!j)
        return out_of_memory();
    *j = (struct joint){.ask = ask, .n = count, .pace = yk_parts_pace(ask->parts)};
    swept.watched = count;
    swept.watch = actuators;
    for (size_t i = 0; i < count; i++)
        j->names[i] = yk_parts_actuator(ask->parts, actuators[i]);
    if (yk_joint_measure(&j->measured, &swept, ask->tick_s, &ask->sweep, &err) ||
        yk_identify_joint(&j->measured, order, &j->found, &err)) {
        code = yk_command_fail(&err);
    } else {
        yk_joint_propose(&j->measured, &j->found.matrix, &j->pace, &j->proposal);
        if (ask->json)
            code = yk_print_json(to_json(j));
        else
            print_found(j);
        if (!code && ask->out)
            code = sweep_write(ask, write_file, j);
        if (!code && ask->plot)
            code = draw(j);
    }
    free(j);
    return code;
}
