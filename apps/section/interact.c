/* yoke section --interaction: axial force and moment at limits of strain. */
#include "section.h"

#include <yoke/figure.h>
#include <yoke/file.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curves {
    const struct yk_cross_section *section;
    struct yk_cross_interaction *curve;
    double *angle;
    size_t count;
    bool steel;
};

static bool write_csv(FILE *out, const void *self)
{
    const struct curves *c = self;

    fprintf(out, "angle [rad],axial force [N],moment [Nm],other moment [Nm],axial strain,curvature [1/m]\n");
    for (size_t k = 0; k < c->count; k++)
        for (int i = 0; i < YK_CROSS_PAIRS; i++) {
            const struct yk_cross_pair *p = &c->curve[k].pair[i];

            fprintf(out, "%.10g,%.12g,%.12g,%.12g,%.12g,%.12g\n", c->angle[k], p->N, p->M, p->M_other, p->strain,
                    p->curvature);
        }
    return !ferror(out);
}

static int draw(const struct curves *c, const char *path)
{
    double *x = malloc((c->count + 1) * 2 * YK_CROSS_PAIRS * sizeof *x), *y = x + (c->count + 1) * YK_CROSS_PAIRS;
    struct yk_plot_series *series = calloc(c->count + 1, sizeof *series);
    char(*names)[32] = calloc(c->count + 1, sizeof *names), title[96];
    struct yk_err err = {0};
    size_t n = 0;
    int code = 1;

    for (size_t k = 0; x && series && names && k < c->count; k++, n++) {
        snprintf(names[n], sizeof names[n], c->count > 1 ? "%.4g deg" : "limits of strain", c->angle[k] * 180 / M_PI);
        for (size_t i = 0; i < YK_CROSS_PAIRS; i++) {
            x[n * YK_CROSS_PAIRS + i] = 1e-3 * c->curve[k].pair[i].M;
            y[n * YK_CROSS_PAIRS + i] = 1e-3 * c->curve[k].pair[i].N;
        }
    }
    if (n == 1 && c->steel) { /* the fully plastic curve beside it */
        for (size_t i = 0; i < YK_CROSS_PAIRS; i++) {
            const double N = c->curve[0].pair[i].N;
            double M;

            y[n * YK_CROSS_PAIRS + i] = 1e-3 * N;
            x[n * YK_CROSS_PAIRS + i] = yk_cross_plastic(c->section, N, &M, NULL) ? NAN : 1e-3 * M;
        }
        snprintf(names[n++], sizeof names[0], "fully plastic");
    }
    for (size_t k = 0; k < n; k++)
        series[k] = (struct yk_plot_series){.name = names[k],
                                            .style = YK_PLOT_LINE,
                                            .n = YK_CROSS_PAIRS,
                                            .x = x + k * YK_CROSS_PAIRS,
                                            .y = y + k * YK_CROSS_PAIRS};
    const struct yk_plot_panel panel = {.x = {.label = "moment [kN m]"},
                                        .y = {.label = "axial force [kN], tension positive"},
                                        .series = series,
                                        .count = n};
    snprintf(title, sizeof title, "Section %s", c->section->name);
    if (n)
        code = yk_figure_write(&(struct yk_figure){.title = title, .panels = &panel, .count = 1}, path, &err)
                   ? yk_command_fail(&err)
                   : 0;
    free(x);
    free(series);
    free(names);
    return code;
}

static json_t *curve_json(const struct curves *c, size_t k)
{
    json_t *N = json_array(), *M = json_array(), *other = json_array();

    for (int i = 0; i < YK_CROSS_PAIRS; i++) {
        json_array_append_new(N, yk_json_number(c->curve[k].pair[i].N));
        json_array_append_new(M, yk_json_number(c->curve[k].pair[i].M));
        json_array_append_new(other, yk_json_number(c->curve[k].pair[i].M_other));
    }
    return json_pack("{s:f, s:o, s:o, s:o, s:f, s:f}", "angle", c->angle[k], "N", N, "M", M, "M_other", other,
                     "balanced_N", c->curve[k].balanced_N, "balanced_M", c->curve[k].balanced_M);
}

static int print(const struct section_options *o, const struct curves *c, size_t count, const double *N,
                 const struct yk_cross_pair *at)
{
    json_t *curves = json_array(), *pairs = json_array();

    for (size_t k = 0; k < c->count && o->json; k++)
        json_array_append_new(curves, curve_json(c, k));
    for (size_t i = 0; i < count; i++) {
        double plastic = NAN;

        if (c->steel && yk_cross_plastic(c->section, N[i], &plastic, NULL))
            plastic = NAN;
        if (o->json)
            json_array_append_new(
                pairs, json_pack("{s:f, s:f, s:o}", "N", N[i], "M", at[i].M, "plastic", yk_json_number(plastic)));
        else
            printf("  N %16.9g N  M %16.9g N m%s%s\n", N[i], at[i].M, isfinite(plastic) ? "  fully plastic " : "",
                   isfinite(plastic) ? yk_quantity_format(plastic, YK_MOMENT, 9).text : "");
    }
    if (o->json)
        return yk_print_json(json_pack("{s:o, s:o}", "curves", curves, "at", pairs));
    json_decref(curves);
    json_decref(pairs);
    for (size_t k = 0; k < c->count && !count; k++) {
        printf("  angle %.5g deg\n  %16s %16s\n", c->angle[k] * 180 / M_PI, "N [N]", "M [N m]");
        for (int i = 0; i < YK_CROSS_PAIRS; i++)
            printf("  %16.9g %16.9g%s\n", c->curve[k].pair[i].N, c->curve[k].pair[i].M,
                   i == YK_CROSS_PAIRS / 2 ? "  balanced" : "");
    }
    return 0;
}

static int output(const struct section_options *o, const struct curves *c, size_t count, const double *N,
                  const struct yk_cross_pair *at)
{
    const size_t n = o->out ? strlen(o->out) : 0;
    int code = 0;

    if (n > 4 && strcmp(o->out + n - 4, ".csv") == 0) {
        if (!yk_file_replace(o->out, write_csv, c)) {
            fprintf(stderr, "yoke: cannot write %s: %s\n", o->out, strerror(errno));
            return 1;
        }
    } else if (o->out && (code = draw(c, o->out))) {
        return code;
    }
    if (!o->json)
        printf("section %s, N from %.9g to %.9g N, balanced at N %.9g N, M %.9g N m\n", c->section->name,
               c->curve[0].pair[0].N, c->curve[0].pair[YK_CROSS_PAIRS - 1].N, c->curve[0].balanced_N,
               c->curve[0].balanced_M);
    return print(o, c, count, N, at);
}

int section_interact(const struct section_options *o, const struct yk_cross_section *s, size_t count, const double *N)
{
    struct curves c = {.section = s, .count = o->surface ? (size_t)o->surface : 1, .steel = true};
    struct yk_cross_pair *at = calloc(count + 1, sizeof *at);
    struct yk_err err = {0};
    int code = 0;

    c.curve = calloc(c.count, sizeof *c.curve);
    c.angle = calloc(c.count, sizeof *c.angle);
    if (!c.curve || !c.angle || !at) {
        fprintf(stderr, "yoke: out of memory\n");
        code = 1;
    }
    for (size_t i = 0; i < s->materials; i++)
        c.steel = c.steel && !s->material[i].concrete && isfinite(s->material[i].fy);
    for (size_t k = 0; k < c.count && !code; k++) {
        c.angle[k] = o->surface ? 2 * M_PI * (double)k / (double)c.count : o->angle;
        if (yk_cross_interact(s, (struct yk_cross_limits){o->ec, o->es, c.angle[k]}, &c.curve[k], &err))
            code = yk_command_fail(&err);
    }
    for (size_t i = 0; i < count && !code; i++)
        if (yk_cross_moment(s, (struct yk_cross_limits){o->ec, o->es, o->angle}, N[i], &at[i], &err))
            code = yk_command_fail(&err);
    if (!code)
        code = output(o, &c, count, N, at);
    free(c.curve);
    free(c.angle);
    free(at);
    return code;
}
