/* yoke analyze spectrum --methods: spectral radius, damping ratio and period error of several methods over h/T, the
 * step over the lowest period of the structure, in one picture. */
#include "request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 161, NARROW = 30 };
#define WIDEST_LOW  0.01 /* h/T: of the radius */
#define WIDEST_HIGH 100
#define NARROWEST   0.01 /* of the first mode */
#define UNSTABLE    (1 + 1e-6)

/* At one step; `mode` may be NULL. */
static enum yk_status look(const struct yk_parts *parts, double dt, double *radius, struct yk_first_mode *mode,
                           struct yk_err *err)
{
    struct yk_cycle cycle;
    enum yk_status st = yk_parts_cycle(parts, dt, &cycle, err);

    if (st)
        return st;
    const size_t n = cycle.n;
    double *A = malloc((n * n + 2 * n) * sizeof *A);

    if (!A) {
        free(cycle.A);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    memcpy(A, cycle.A, n * n * sizeof *A);
    if (radius)
        st = yk_cycle_radius(&cycle, radius, err);
    if (!st && mode && !(st = yk_eigen_general(n, A, A + n * n, A + n * n + n, err)))
        yk_first_mode_follow(n, A + n * n, A + n * n + n, dt * cycle.steps, mode);
    free(cycle.A);
    free(A);
    return st;
}

/* All of one method. */
struct spectrum {
    double radius[WIDE], damping[NARROW], period_error[NARROW]; /* in % but the radius */
    double limit;                                               /* h/T; INFINITY: none was found */
};

struct abscissae {
    double period, wide[WIDE], narrow[NARROW];
};

/* Between two steps, the first of them stable. */
static enum yk_status close_in(const struct yk_parts *parts, double period, double stable, double unstable,
                               double *limit, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    while (unstable - stable > 1e-4 * unstable && !st) {
        const double middle = 0.5 * (stable + unstable);
        double radius;

        if (!(st = look(parts, middle * period, &radius, NULL, err)))
            *(radius > UNSTABLE ? &unstable : &stable) = middle;
    }
    *limit = stable;
    return st;
}

static enum yk_status find_spectrum(const struct yk_parts *parts, const struct abscissae *x, struct spectrum *out,
                                    struct yk_err *err)
{
    struct yk_first_mode mode = {.omega = 2 * M_PI / x->period};
    enum yk_status st = YK_OK;

    out->limit = INFINITY;
    for (size_t i = 0; i < WIDE && !st; i++) {
        if ((st = look(parts, x->wide[i] * x->period, &out->radius[i], NULL, err)) || out->radius[i] <= UNSTABLE ||
            isfinite(out->limit))
            continue;
        if (i == 0)
            out->limit = 0;
        else
            st = close_in(parts, x->period, x->wide[i - 1], x->wide[i], &out->limit, err);
    }
    for (size_t i = 0; i < NARROW && !st; i++)
        if (!(st = look(parts, x->narrow[i] * x->period, NULL, &mode, err))) {
            out->damping[i] = 100 * mode.damping;
            out->period_error[i] = 100 * mode.period_error;
        }
    return st;
}

/* ---- what comes out ---- */

/* Damping ratio of the structure in its first mode [%]; NAN: not known. */
static double structural_damping(const struct yk_parts *parts)
{
    const struct yk_system *s = yk_parts_structure(parts);
    double w2 = 0, damping = NAN, *phi = s ? calloc(2 * s->n, sizeof *phi) : NULL;

    if (phi && !yk_eigen_symmetric(&s->K, &s->M, 1, &w2, phi, NULL) && w2 > 0) {
        yk_matrix_add_product(&s->C, 1, phi, phi + s->n);
        damping = 100 * yk_dot(s->n, phi, phi + s->n) / (2 * sqrt(w2));
    }
    free(phi);
    return damping;
}

/* A step without error: the damping of the structure, and no period error. */
static void fill_exact(const struct yk_parts *parts, const struct abscissae *x, struct spectrum *out)
{
    const double damping = structural_damping(parts);

    for (size_t i = 0; i < WIDE; i++)
        out->radius[i] = exp(-damping / 100 * 2 * M_PI * x->wide[i]);
    for (size_t i = 0; i < NARROW; i++) {
        out->damping[i] = damping;
        out->period_error[i] = 0;
    }
}

/* The curves of one panel, the exact one last; returns the panel. */
static struct yk_plot_panel panel_of(const char *label, const struct method_list *m, size_t n, const double *x,
                                     const double *const *y, struct yk_plot_series *series)
{
    for (size_t i = 0; i <= m->count; i++)
        series[i] = methods_curve(i < m->count ? m->name[i] : "exact", i < m->count ? YK_PLOT_LINE : YK_PLOT_REFERENCE,
                                  n, x, y[i]);
    return (struct yk_plot_panel){
        .x = {"step over the lowest period, h/T [-]", n == WIDE, true, n == WIDE ? x[0] : 0, x[n - 1]},
        .y = {label, false, false, 0, 0},
        .series = series,
        .count = m->count + 1};
}

/* `all` has room for the exact one behind those of the methods. */
static int draw(const struct request *q, const struct method_list *m, const struct abscissae *x, struct spectrum *all)
{
    struct yk_plot_series series[3][METHODS_MOST + 1];
    const double *curves[3][METHODS_MOST + 1];
    double top = 1.1;
    char *title = NULL;
    int code = 1;

    fill_exact(q->parts, x, &all[m->count]);
    for (size_t i = 0; i <= m->count; i++) {
        curves[0][i] = all[i].radius;
        curves[1][i] = all[i].damping;
        curves[2][i] = all[i].period_error;
        for (size_t k = 0; k < WIDE; k++)
            top = fmin(fmax(top, 1.05 * all[i].radius[k]), 1.5); /* beyond, the shape no longer matters */
    }
    struct yk_plot_panel panels[] = {
        panel_of("spectral radius [-]", m, WIDE, x->wide, curves[0], series[0]),
        panel_of("damping ratio [%]", m, NARROW, x->narrow, curves[1], series[1]),
        panel_of("period error [%]", m, NARROW, x->narrow, curves[2], series[2]),
    };

    panels[0].y.bounded = true;
    panels[0].y.max = top;
    if (asprintf(&title, "Methods for: %s", yk_parts_title(q->parts)) >= 0) {
        code = analyze_draw(q, &(struct yk_figure){.title = title, .panels = panels, .count = 3});
        free(title);
    }
    return code;
}

static const size_t shown[] = {4, 9, 19}; /* of the narrow steps: h/T of 0.05, 0.1, 0.2 */

static void print(const struct method_list *m, const struct abscissae *x, const struct spectrum *all)
{
    printf("lowest period %.6g s\n%-32s %12s %10s %27s %31s\n%-32s %12s %10s", x->period, "", "stable to", "radius at",
           "damping ratio [%] at h/T of", "period error [%] at h/T of", "method", "h/T of", "h/T of 100");
    for (int twice = 0; twice < 2; twice++)
        for (size_t k = 0; k < 3; k++)
            printf(" %9.2f", x->narrow[shown[k]]);
    putchar('\n');
    for (size_t i = 0; i < m->count; i++) {
        char limit[20];

        snprintf(limit, sizeof limit, isinf(all[i].limit) ? "any" : "%.4g", all[i].limit);
        printf("%-32s %12s ", m->name[i], limit);
        printf(all[i].radius[WIDE - 1] < 10 ? "%10.4f" : "%10.0e", all[i].radius[WIDE - 1]);
        for (size_t k = 0; k < 3; k++)
            printf(" %9.4f", all[i].damping[shown[k]]);
        for (size_t k = 0; k < 3; k++)
            printf(" %9.4f", all[i].period_error[shown[k]]);
        putchar('\n');
    }
}

static json_t *to_json(const struct method_list *m, const struct abscissae *x, const struct spectrum *all)
{
    json_t *list = json_array();

    for (size_t i = 0; i < m->count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:o, s:o, s:o}", "method", m->name[i], "stable_to_h_over_T",
                                        yk_json_number(all[i].limit), "radius", yk_json_numbers(WIDE, all[i].radius),
                                        "damping_percent", yk_json_numbers(NARROW, all[i].damping),
                                        "period_error_percent", yk_json_numbers(NARROW, all[i].period_error)));
    return json_pack("{s:f, s:{s:o, s:o}, s:o, s:O}", "period_s", x->period, "h_over_T", "radius",
                     yk_json_numbers(WIDE, x->wide), "first_mode", yk_json_numbers(NARROW, x->narrow), "methods", list,
                     "left_out", m->left_out);
}

static bool choose_steps(const struct yk_parts *parts, struct abscissae *x)
{
    bool rigid;
    const double omega = yk_parts_structure(parts) ? yk_lowest_elastic(yk_parts_structure(parts), &rigid) : 0;

    x->period = 2 * M_PI / omega;
    for (size_t i = 0; i < WIDE; i++)
        x->wide[i] = WIDEST_LOW * pow(WIDEST_HIGH / WIDEST_LOW, (double)i / (WIDE - 1));
    for (size_t i = 0; i < NARROW; i++)
        x->narrow[i] = NARROWEST * (double)(i + 1);
    return omega > 0;
}

int analyze_spectra(const struct request *q)
{
    struct spectrum *all = calloc(METHODS_MOST + 1, sizeof *all);
    struct method_list m;
    struct abscissae x;
    int code = 1;

    if (q->steps || q->scan) {
        free(all);
        return yk_misuse(&command_analyze, "--methods goes over h/T by itself: leave out --steps and --scan");
    }
    if (!all || !methods_open(&m, q, &code)) {
        free(all);
        return code;
    }
    code = choose_steps(q->parts, &x) ? 0 : 2;
    if (code)
        fputs("yoke: --methods: the structure has no period to compare the step with\n", stderr);
    for (size_t i = 0; i < m.count && !code;) {
        struct yk_err err = {0};

        if (find_spectrum(m.parts[i], &x, &all[i], &err))
            methods_leave_out(&m, i, q, &err);
        else
            i++;
    }
    if (!code)
        code = methods_check(&m);
    if (!code && !q->json)
        print(&m, &x, all);
    if (!code && q->plot)
        code = draw(q, &m, &x, all);
    if (!code && q->json)
        code = yk_print_json(to_json(&m, &x, all));
    methods_close(&m);
    free(all);
    return code;
}
