/* yoke section --curvature: moment and curvature at an axial force. */
#include "section.h"

#include <yoke/figure.h>
#include <yoke/file.h>
#include <yoke/number.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 256 };

struct bent {
    const struct yk_cross_section *section;
    const struct yk_cross_curve *curve;
    double N;
};

static bool write_csv(FILE *out, const void *self)
{
    const struct bent *b = self;

    fprintf(out, "curvature [1/m],axial strain,moment [Nm],other curvature [1/m],other moment [Nm]\n");
    for (size_t i = 0; i < b->curve->count; i++) {
        const struct yk_cross_point *p = &b->curve->point[i];

        fprintf(out, "%.10g,%.12g,%.12g,%.12g,%.12g\n", p->curvature, p->strain, p->M, p->other, p->M_other);
    }
    return !ferror(out);
}

static int draw(const struct bent *b, const char *path)
{
    const size_t n = b->curve->count, m = b->curve->events;
    double *x = malloc(2 * (n + m) * sizeof *x), *y = x + n + m;
    struct yk_err err = {0};
    char title[160];

    if (!x) {
        fprintf(stderr, "yoke: out of memory\n");
        return 1;
    }
    for (size_t i = 0; i < n + m; i++) {
        const struct yk_cross_point *p = i < n ? &b->curve->point[i] : &b->curve->event[i - n].at;

        x[i] = p->curvature;
        y[i] = 1e-3 * p->M;
    }
    const struct yk_plot_series series[] = {
        {.name = "moment", .style = YK_PLOT_LINE, .n = n, .x = x, .y = y},
        {.name = "cracking, yield, limits", .style = YK_PLOT_POINTS, .n = m, .x = x + n, .y = y + n}};
    const struct yk_plot_panel panel = {
        .x = {.label = "curvature [1/m]"}, .y = {.label = "moment [kN m]"}, .series = series, .count = 2};
    snprintf(title, sizeof title, "Section %s, axial force %s", b->section->name,
             yk_quantity_format(b->N, YK_PLAIN_FORCE, 4).text);
    const int code = yk_figure_write(&(struct yk_figure){.title = title, .panels = &panel, .count = 1}, path, &err)
                         ? yk_command_fail(&err)
                         : 0;
    free(x);
    return code;
}

static int print_json(const struct bent *b)
{
    const struct yk_cross_curve *c = b->curve;
    static const char *const names[] = {"curvature", "strain", "M", "other", "M_other"};
    json_t *points = json_object(), *events = json_array(), *list[5];

    for (int k = 0; k < 5; k++)
        json_object_set_new(points, names[k], list[k] = json_array());
    for (size_t i = 0; i < c->count; i++) {
        const struct yk_cross_point *p = &c->point[i];
        const double x[] = {p->curvature, p->strain, p->M, p->other, p->M_other};

        for (int k = 0; k < 5; k++)
            json_array_append_new(list[k], yk_json_number(x[k]));
    }
    for (size_t i = 0; i < c->events; i++)
        json_array_append_new(events, json_pack("{s:s, s:f, s:f}", "what", c->event[i].what, "curvature",
                                                c->event[i].at.curvature, "M", c->event[i].at.M));
    return yk_print_json(json_pack("{s:f, s:o, s:o, s:{s:f, s:f}, s:o, s:o, s:o, s:o, s:s}", "axial", b->N, "points",
                                   points, "events", events, "peak", "curvature", c->peak.curvature, "M", c->peak.M,
                                   "EI", yk_json_number(c->EI), "Mn", yk_json_number(c->Mn), "yield_curvature",
                                   yk_json_number(c->yield), "ductility", yk_json_number(c->ductility), "end", c->end));
}

static void print_point(const struct yk_cross_point *p)
{
    printf("  %12.8g %16.9g %16.10g\n", p->curvature, p->strain, p->M);
}

/* The step next to a curvature. */
static const struct yk_cross_point *nearest(const struct yk_cross_curve *c, double curvature)
{
    const struct yk_cross_point *best = &c->point[0];

    for (size_t i = 0; i < c->count; i++)
        if (fabs(c->point[i].curvature - curvature) < fabs(best->curvature - curvature))
            best = &c->point[i];
    return best;
}

static void print_text(const struct bent *b, size_t listed, const double *at)
{
    const struct yk_cross_curve *c = b->curve;
    const struct yk_cross_point *last = &c->point[c->count - 1];

    printf("section %s, axial force %s\n", b->section->name, yk_quantity_format(b->N, YK_PLAIN_FORCE, 6).text);
    printf("  %12s %16s %16s\n", "[1/m]", "axial strain", "moment [N m]");
    for (size_t i = 0; i < listed; i++)
        print_point(nearest(c, at[i]));
    for (size_t i = 0; i < 11 && !listed; i++)
        print_point(&c->point[i * (c->count - 1) / 10]);
    printf("events, between the steps on straight lines:\n");
    for (size_t i = 0; i < c->events; i++)
        printf("  %-44s %14.9g 1/m %16.10g N m\n", c->event[i].what, c->event[i].at.curvature, c->event[i].at.M);
    printf("  %-44s %14.9g 1/m %16.10g N m\n", "peak", c->peak.curvature, c->peak.M);
    printf("  %-44s %14.9g 1/m %16.10g N m\n", c->end, last->curvature, last->M);
    if (isfinite(c->EI))
        printf("effective EI %.8g N m2\n", c->EI);
    if (isfinite(c->Mn))
        printf("nominal moment %.10g N m\n", c->Mn);
    if (isfinite(c->yield))
        printf("yield curvature %.8g 1/m%s, ductility at the end %.5g\n", c->yield,
               isfinite(c->Mn) ? " (idealised)" : " (first yield; no nominal moment)", c->ductility);
}

static int output(const struct section_options *o, const struct bent *b, size_t listed, const double *at)
{
    const size_t n = o->out ? strlen(o->out) : 0;

    if (n > 4 && strcmp(o->out + n - 4, ".csv") == 0) {
        if (!yk_file_replace(o->out, write_csv, b)) {
            fprintf(stderr, "yoke: cannot write %s: %s\n", o->out, strerror(errno));
            return 1;
        }
    } else if (o->out) {
        const int code = draw(b, o->out);

        if (code)
            return code;
    }
    if (o->json)
        return print_json(b);
    print_text(b, listed, at);
    return 0;
}

int section_bend(const struct section_options *o, const struct yk_cross_section *s, double N)
{
    struct yk_cross_bending b = {.N = N,
                                 .curvature = o->curvature,
                                 .step = o->step,
                                 .angle = o->angle,
                                 .fixed_axis = o->fixed_axis,
                                 .drop = o->drop,
                                 .rupture = o->rupture,
                                 .eu = o->eu,
                                 .nominal = o->nominal};
    struct yk_cross_curve curve;
    struct yk_err err = {0};
    double at[LISTED];
    size_t listed = 0;

    if (o->at && !(listed = yk_number_list(o->at, at, LISTED)))
        return yk_misuse(&command_section, "--at '%s' should be a list of curvatures in 1/m", o->at);
    if (yk_cross_bend(s, &b, &curve, &err))
        return yk_command_fail(&err);
    const int code = output(o, &(struct bent){s, &curve, N}, listed, at);
    yk_cross_curve_free(&curve);
    return code;
}
