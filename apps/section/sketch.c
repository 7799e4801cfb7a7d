/* yoke section --sketch: outline, patches by material, bars to scale with number and diameter, axes, centroid,
 * dimensions, as SVG. y points up, z to the right. */
#include "section.h"

#include <yoke/file.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#define SIZE   420.0 /* of the larger side of the section [px] */
#define MARGIN 90.0

/* Okabe and Ito, light enough for letters on them. */
static const char *const colours[] = {"#c9d7e6", "#e9dcc3", "#cfe5d8", "#efd2c8", "#e4d3e6", "#f3ecb8"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

struct sketch {
    const struct yk_cross_section *section;
    double scale, width, height;
};

static double across(const struct sketch *k, double z)
{
    return MARGIN + (z - k->section->low[1]) * k->scale;
}

static double up(const struct sketch *k, double y)
{
    return MARGIN + (k->section->high[0] - y) * k->scale;
}

static void put_name(FILE *out, const char *name)
{
    for (; *name; name++)
        if (*name == '<' || *name == '>' || *name == '&')
            fprintf(out, "&#%d;", *name);
        else
            fputc(*name, out);
}

static void put_patch(FILE *out, const struct sketch *k, const struct yk_cross_patch *p)
{
    const char *colour = colours[p->material % COLOURS];

    if (p->kind == YK_CROSS_POLYGON) {
        fprintf(out, "<polygon fill=\"%s\" stroke=\"#555\" stroke-width=\"0.8\" points=\"", colour);
        for (int i = 0; i < 4; i++)
            fprintf(out, "%.2f,%.2f ", across(k, p->corners[i][1]), up(k, p->corners[i][0]));
        fprintf(out, "\"/>\n");
        return;
    }
    fprintf(out, "<path fill=\"%s\" stroke=\"#555\" stroke-width=\"0.8\" fill-rule=\"evenodd\" d=\"", colour);
    const bool full = fabs(p->angles[1] - p->angles[0]) > 6.28;
    for (int side = 1; side >= 0; side--) {
        for (int i = 0; i <= 120; i++) {
            const double t = side || full ? i / 120.0 : 1 - i / 120.0,
                         a = p->angles[0] + t * (p->angles[1] - p->angles[0]);

            fprintf(out, "%c%.2f,%.2f ", i == 0 && (side || full) ? 'M' : 'L',
                    across(k, p->centre[1] + p->radii[side] * sin(a)), up(k, p->centre[0] + p->radii[side] * cos(a)));
        }
        fprintf(out, full || side == 0 ? "Z " : "");
    }
    fprintf(out, "\"/>\n");
}

/* A dimension below (along z) or to the left (along y). */
static void put_dimensions(FILE *out, const struct sketch *k)
{
    const struct yk_cross_section *s = k->section;
    const double x0 = across(k, s->low[1]), x1 = across(k, s->high[1]), y0 = up(k, s->high[0]), y1 = up(k, s->low[0]);
    const double below = y1 + 34, left = x0 - 34;

    fprintf(out, "<g stroke=\"#333\" stroke-width=\"0.8\">");
    fprintf(out, "<path d=\"M%.1f,%.1fH%.1f M%.1f,%.1fv10 M%.1f,%.1fv10\"/>", x0, below, x1, x0, below - 5, x1,
            below - 5);
    fprintf(out, "<path d=\"M%.1f,%.1fV%.1f M%.1f,%.1fh10 M%.1f,%.1fh10\"/></g>\n", left, y0, y1, left - 5, y0,
            left - 5, y1);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g mm</text>\n", (x0 + x1) / 2, below + 18,
            1e3 * (s->high[1] - s->low[1]));
    fprintf(out, "<text transform=\"translate(%.1f,%.1f) rotate(-90)\" text-anchor=\"middle\">%.4g mm</text>\n",
            left - 9, (y0 + y1) / 2, 1e3 * (s->high[0] - s->low[0]));
}

static void put_axes(FILE *out, const struct sketch *k)
{
    const struct yk_fibre_summary *sum = yk_fibre_section_summary(k->section->fibres);
    const double x = across(k, 0), y = up(k, 0), cx = across(k, sum->z), cy = up(k, sum->y);

    fprintf(out,
            "<g stroke=\"#0072b2\" stroke-width=\"1\" fill=\"none\"><path d=\"M%.1f,%.1fV%.1f m-4,8l4,-8l4,8\"/>"
            "<path d=\"M%.1f,%.1fH%.1f m-8,-4l8,4l-8,4\"/></g>\n",
            x, y, MARGIN - 30, x, y, k->width - MARGIN + 30);
    fprintf(
        out,
        "<text x=\"%.1f\" y=\"%.1f\" fill=\"#0072b2\">y</text><text x=\"%.1f\" y=\"%.1f\" fill=\"#0072b2\">z</text>\n",
        x + 8, MARGIN - 26, k->width - MARGIN + 34, y + 4);
    fprintf(out,
            "<g stroke=\"#d55e00\" fill=\"none\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/><path d=\"M%.1f,%.1fh14 "
            "M%.1f,%.1fv14\"/>"
            "</g>\n",
            cx, cy, cx - 7, cy, cx, cy - 7);
}

/* Bars in the order of the file; equal ones in a row of the file share one label. */
static void put_bars(FILE *out, const struct sketch *k)
{
    const struct yk_cross_section *s = k->section;
    size_t run = 0;

    for (size_t i = 0; i < s->bars; i++) {
        const struct yk_cross_bar *b = &s->bar[i];
        const double r = sqrt(b->area / M_PI);
        const bool last = i + 1 == s->bars || fabs(s->bar[i + 1].y - b->y) > 1e-9 || s->bar[i + 1].area != b->area;

        run++;
        fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#333\"/>\n", across(k, b->z), up(k, b->y),
                r * k->scale);
        if (last && (run > 1 || s->bars < 9))
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\">%zu &#8960;%.3g</text>\n",
                    across(k, s->high[1]) + 8, up(k, b->y) + (fabs(b->y) * k->scale < 12 ? -8 : 4), run, 2e3 * r);
        run = last ? 0 : run;
    }
    if (s->bars >= 9 && fabs(s->bar[0].y - s->bar[1].y) > 1e-9)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\">%zu &#8960;%.3g</text>\n", across(k, s->high[1]) + 8,
                up(k, s->high[0]) + 12, s->bars, 2e3 * sqrt(s->bar[0].area / M_PI));
}

static bool write_svg(FILE *out, const void *self)
{
    const struct sketch *k = self;
    const struct yk_cross_section *s = k->section;

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
            "font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            k->width, k->height, k->width, k->height);
    fprintf(out, "<text x=\"14\" y=\"24\" font-size=\"16\">section ");
    put_name(out, s->name);
    fprintf(out, "</text>\n");
    for (size_t i = 0; i < s->patches; i++)
        put_patch(out, k, &s->patch[i]);
    put_bars(out, k);
    put_axes(out, k);
    put_dimensions(out, k);
    for (size_t i = 0, n = 0; i < s->materials; i++) {
        bool patch = false;

        for (size_t p = 0; p < s->patches; p++)
            patch = patch || s->patch[p].material == i;
        fprintf(out, "<rect x=\"14\" y=\"%.0f\" width=\"14\" height=\"14\" fill=\"%s\" stroke=\"#555\"/>",
                k->height - 20 * (double)(s->materials - n) - 6, patch ? colours[i % COLOURS] : "#333");
        fprintf(out, "<text x=\"34\" y=\"%.0f\">", k->height - 20 * (double)(s->materials - n) + 6);
        put_name(out, s->material[i].name);
        fprintf(out, " (%s)</text>\n", s->material[i].law);
        n++;
    }
    fprintf(out, "</svg>\n");
    return !ferror(out);
}

int section_sketch(const char *path, const struct yk_cross_section *s)
{
    const double depth = s->high[0] - s->low[0], width = s->high[1] - s->low[1];
    struct sketch k = {.section = s, .scale = SIZE / fmax(depth, width)};
    const size_t n = strlen(path);

    if (n < 5 || strcmp(path + n - 4, ".svg") != 0)
        return yk_misuse(&command_section, "--sketch '%s': the name must end in .svg", path);
    k.width = width * k.scale + 2 * MARGIN;
    k.height = depth * k.scale + 2 * MARGIN + 20 * (double)s->materials;
    if (yk_file_replace(path, write_svg, &k))
        return 0;
    fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
    return 1;
}
