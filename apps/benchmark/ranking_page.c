/* A ranking as files: runs.csv, ranking.md with the table, ranking.svg with a picture of it. */
#include "ranking.h"
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table of all runs ---- */

static void write_runs(const struct yk_ranking *r, FILE *out)
{
    fprintf(out, "chain,case,plant,J1_ms,J2_percent,J3_percent,J4_percent,J5_percent,J6_percent,J7_percent,J8_percent,"
                 "J9_percent,force_N,diverged\n");
    for (size_t i = 0; i < r->count; i++)
        for (int at = 0; at < r->case_count; at++)
            for (int plant = 0; plant <= r->plants; plant++) {
                const struct yk_rths_result *one = yk_ranking_at(r, i, at, plant);

                fprintf(out, "%s,%d,%d", r->entries[i].name, r->cases[at], plant);
                for (int k = 0; k < YK_RTHS_INDICES; k++)
                    fprintf(out, ",%.6g", one->J[k]);
                fprintf(out, ",%.6g,%d\n", one->peak_force, one->diverged);
            }
}

/* ---- the table in words ---- */

static void write_figure(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, " %.2f |", x);
    else
        fprintf(out, " - |");
}

static void write_row(const struct yk_ranking *r, size_t entry, FILE *out)
{
    const struct yk_ranked s = yk_ranking_sum(r, entry);
    const double shown[] = {s.nominal[0], s.nominal[1], s.nominal[2], s.nominal[3],
                            s.nominal[4], s.worst[1],   s.worst[3]};

    fprintf(out, "| `%s` | %s |", r->entries[entry].name, r->entries[entry].summary);
    for (size_t k = 0; k < sizeof shown / sizeof *shown - (r->plants ? 0 : 2); k++)
        write_figure(out, shown[k]);
    fprintf(out, " %d |\n", s.diverged);
}

static void write_table(const struct yk_ranking *r, const size_t *order, FILE *out)
{
    fprintf(
        out,
        "Mean over %d case%s. J1: delay [ms]; J2, J3: rms and peak of the tracking error [%%]; J4, J5: rms and peak "
        "of the error\nagainst the untorn frame [%%]; nominal plant.",
        r->case_count, r->case_count == 1 ? "" : "s");
    if (r->plants)
        fprintf(out, " Worst: the largest of %d perturbed plants and the nominal one.", r->plants);
    fprintf(out, " Sensor noise: %s.\n\n", r->problem.noise ? "yes" : "none");
    fprintf(out, "| chain | what it is | J1 | J2 | J3 | J4 | J5 |%s diverged |\n|---|---|---|---|---|---|---|%s---|\n",
            r->plants ? " worst J2 | worst J4 |" : "", r->plants ? "---|---|" : "");
    for (size_t i = 0; i < r->count; i++)
        write_row(r, order[i], out);
}

/* ---- the picture ---- */

enum { LEFT = 150, RIGHT = 20, TOP = 46, ROW = 17, WIDTH = 640 };
#define LOW  0.01 /* % */
#define HIGH 100.0

static double place(double x)
{
    const double share = log(fmin(fmax(x, LOW), HIGH) / LOW) / log(HIGH / LOW);

    return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static void draw_axis(FILE *out, double bottom)
{
    for (double x = LOW; x <= HIGH * 1.01; x *= 10) {
        fprintf(out, "<line x1='%.1f' x2='%.1f' y1='%d' y2='%.1f' stroke='#ccd2da'/>\n", place(x), place(x), TOP - 8,
                bottom);
        fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>%g</text>\n", place(x), bottom + 14, x);
    }
    fprintf(out, "<text x='%d' y='%.1f' text-anchor='middle'>error [%%]</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            bottom + 30);
}

/* A dot at x, or an arrow at the edge where it lies beyond; nothing where there is no value. */
static void draw_mark(FILE *out, double x, double y, const char *colour, bool diamond)
{
    if (isnan(x))
        return;
    if (x > HIGH)
        fprintf(out, "<text x='%.1f' y='%.1f' fill='%s' text-anchor='end'>&#8594;</text>\n", (double)WIDTH - RIGHT,
                y + 4, colour);
    else if (diamond)
        fprintf(out, "<path d='M%.1f %.1fl4 4l-4 4l-4 -4z' fill='%s'/>\n", place(x), y - 4, colour);
    else
        fprintf(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", place(x), y, colour);
}

static void draw_row(const struct yk_ranking *r, size_t entry, double y, FILE *out)
{
    const struct yk_ranked s = yk_ranking_sum(r, entry);

    fprintf(out, "<text x='%d' y='%.1f' text-anchor='end'>%s</text>\n", LEFT - 8, y + 4, r->entries[entry].name);
    if (s.diverged)
        fprintf(out, "<text x='%d' y='%.1f' fill='#b00020'>%d run%s diverged</text>\n", LEFT + 6, y + 4, s.diverged,
                s.diverged == 1 ? "" : "s");
    if (r->plants && isfinite(s.worst[1]))
        fprintf(out, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#0072b2' stroke-opacity='0.4'/>\n",
                place(s.nominal[1]), place(s.worst[1]), y, y);
    draw_mark(out, s.diverged ? NAN : s.nominal[3], y, "#d55e00", true);
    draw_mark(out, s.diverged ? NAN : s.nominal[1], y, "#0072b2", false);
}

static void draw(const struct yk_ranking *r, const size_t *order, FILE *out)
{
    const double bottom = TOP + ROW * (double)r->count;

    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %.0f' font-family='sans-serif' font-size='11'>\n"
            "<rect width='100%%' height='100%%' fill='white'/>\n"
            "<circle cx='%d' cy='14' r='4' fill='#0072b2'/>\n"
            "<text x='%d' y='18'>tracking, J2%s</text>\n"
            "<path d='M%d 10l4 4l-4 4l-4 -4z' fill='#d55e00'/>\n"
            "<text x='%d' y='18'>against the untorn frame, J4</text>\n",
            WIDTH, bottom + 40, LEFT, LEFT + 10, r->plants ? "; line: up to the worst plant" : "", LEFT + 250,
            LEFT + 260);
    draw_axis(out, bottom);
    for (size_t i = 0; i < r->count; i++)
        draw_row(r, order[i], TOP + ROW * (double)i, out);
    fprintf(out, "</svg>\n");
}

/* ---- files ---- */

static void write_part(const struct yk_ranking *r, const size_t *order, int part, FILE *out)
{
    if (part == 0)
        write_runs(r, out);
    else if (part == 1)
        write_table(r, order, out);
    else
        draw(r, order, out);
}

enum yk_status yk_ranking_write(const struct yk_ranking *r, const char *folder, struct yk_err *err)
{
    static const char *const names[] = {"runs.csv", "ranking.md", "ranking.svg"};
    size_t *order = yk_ranking_order(r);
    enum yk_status st = order ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (int part = 0; part < 3 && !st; part++) {
        char *path = NULL;
        FILE *out = asprintf(&path, "%s/%s", folder, names[part]) < 0 ? NULL : fopen(path, "w");

        if (out)
            write_part(r, order, part, out);
        if (!out || ferror(out) | fclose(out))
            st = yk_fail(err, YK_E_IO, "cannot write %s/%s: %s", folder, names[part], strerror(errno));
        free(path);
    }
    free(order);
    return st;
}

void yk_ranking_print(const struct yk_ranking *r, FILE *out)
{
    size_t *order = yk_ranking_order(r);

    fprintf(out, "%-20s %7s %7s %7s %7s %7s %9s %9s %9s %s\n", "chain", "J1 [ms]", "J2 [%]", "J3 [%]", "J4 [%]",
            "J5 [%]", "worst J2", "worst J4", "diverged", "verdict of the worst");
    for (size_t i = 0; order && i < r->count; i++) {
        const struct yk_ranked s = yk_ranking_sum(r, order[i]);

        fprintf(out, "%-20s %7.1f %7.2f %7.2f %7.2f %7.2f %9.2f %9.2f %6d/%d %s\n", r->entries[order[i]].name,
                s.nominal[0], s.nominal[1], s.nominal[2], s.nominal[3], s.nominal[4], s.worst[1], s.worst[3],
                s.diverged, r->case_count * (r->plants + 1),
                benchmark_verdict(s.worst[1],
                                  isnan(s.worst[3] + s.worst[5] + s.worst[6])
                                      ? (double)NAN
                                      : fmax(s.worst[3], fmax(s.worst[5], s.worst[6])),
                                  s.saturated > 0));
    }
    free(order);
}
