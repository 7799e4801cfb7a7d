/* `yoke check --cuts`: where to cut the structure of the file, and how to command. */
#include "certify.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/figure.h>
#include <yoke/json.h>
#include <yoke/number.h>

#define DEFAULT_SPREAD 0.2 /* of the specimen's springs and dampers */
enum { SHOWN = 12, NAME = 120 };

/* "frame.floor1.x" of a degree of freedom of the untorn structure. */
static void name_of(const struct yk_parts *parts, size_t dof, char name[NAME])
{
    const struct yk_assembly *whole = yk_parts_assembly(parts);

    for (size_t k = 0; k < whole->count; k++) {
        const struct yk_substructure *s = yk_part(parts, k);

        for (size_t i = 0; i < s->system->n; i++)
            if (fabs(yk_matrix_get(&whole->map[k], dof, i)) > 0.5) {
                snprintf(name, NAME, "%s.%s", s->name, s->dofs[i]);
                return;
            }
    }
    snprintf(name, NAME, "%zu", dof + 1);
}

/* The percentage of the first stiffness in `uncertain`; 20 % if there is none. */
static double spread_of(const struct yk_parts *parts)
{
    const struct yk_node *all = yk_node_get(yk_parts_tree(parts), "uncertain");

    for (size_t i = 0; all && i < all->count; i++) {
        const struct yk_node *one = all->items[i];
        double percent;

        if (one->type == YK_SCALAR && strstr(one->key, "stiffness") && strchr(one->text, '%') &&
            yk_number_scan(one->text, one->text + strlen(one->text), &percent) && percent > 0 && percent < 100)
            return percent / 100;
    }
    return DEFAULT_SPREAD;
}

static const char *side_of(const struct yk_cut *c)
{
    return c->above ? "above" : "below";
}

static const char *command_of(const struct yk_cut *c)
{
    return c->force ? "force" : "displacement";
}

static void print_table(const struct yk_parts *parts, const struct yk_cut_list *list, double spread)
{
    char name[NAME];

    printf(
        "delay that the loop bears, by interface, specimen and command; springs and dampers of the specimen +-%.3g %%\n"
        "  %-24s %-9s %-13s %11s %11s %11s\n",
        100 * spread, "interface", "specimen", "command", "certified", "found", "nominal");
    for (size_t i = 0; i < list->count; i++) {
        const struct yk_cut *c = &list->cut[i];

        name_of(parts, c->interface, name);
        printf("  %-24s %-9s %-13s %8.3f ms %8.3f ms %8.3f ms\n", name, side_of(c), command_of(c), 1e3 * c->certified_s,
               1e3 * c->found_s, 1e3 * c->nominal_s);
    }
}

static int print_as_json(const struct yk_parts *parts, const struct yk_cut_list *list, double spread)
{
    json_t *cuts = json_array();
    char name[NAME];

    for (size_t i = 0; i < list->count; i++) {
        const struct yk_cut *c = &list->cut[i];

        name_of(parts, c->interface, name);
        json_array_append_new(cuts, json_pack("{s:o, s:s, s:s, s:o, s:o, s:o}", "interface", yk_json_any(name),
                                              "specimen", side_of(c), "command", command_of(c), "certified_s",
                                              yk_json_number(c->certified_s), "found_s", yk_json_number(c->found_s),
                                              "nominal_s", yk_json_number(c->nominal_s)));
    }
    return yk_print_json(
        json_pack("{s:o, s:f, s:o}", "title", yk_json_any(yk_parts_title(parts)), "spread", spread, "cuts", cuts));
}

/* Bars over the rank: nominal behind, found and certified in front of it. */
static enum yk_status draw(const struct yk_parts *parts, const struct yk_cut_list *list, const char *path,
                           struct yk_err *err)
{
    double x[SHOWN], nominal[SHOWN], found[SHOWN], certified[SHOWN];
    char label[SHOWN * 3 + 200] = "rank (see the table)";
    size_t n = 0;

    for (size_t i = 0; i < list->count && n < SHOWN; i++) {
        const struct yk_cut *c = &list->cut[i];

        if (!(c->nominal_s < INFINITY))
            continue;
        x[n] = (double)(i + 1);
        nominal[n] = 1e3 * c->nominal_s;
        found[n] = 1e3 * c->found_s;
        certified[n++] = 1e3 * c->certified_s;
    }
    const struct yk_plot_series series[] = {
        {.name = "certified", .style = YK_PLOT_BARS, .n = n, .x = x, .y = certified},
        {.name = "unstable found", .style = YK_PLOT_LINE_POINTS, .n = n, .x = x, .y = found},
        {.name = "nominal", .style = YK_PLOT_GUIDE, .n = n, .x = x, .y = nominal}};
    const struct yk_plot_panel panel = {
        .x = {.label = label}, .y = {.label = "delay [ms]"}, .series = series, .count = 3};

    return yk_figure_write(&(struct yk_figure){.title = yk_parts_title(parts), .panels = &panel, .count = 1}, path,
                           err);
}

static enum yk_status rank(const struct yk_parts *parts, double spread, struct yk_cut_list *list, struct yk_err *err)
{
    const struct yk_system *s = yk_parts_structure(parts);
    double *omega = NULL, *M;
    size_t count, n;
    enum yk_status st;

    if (!s || s->mass_divided_out)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
                          "the parts of this structure cannot be joined to one, so it cannot be cut elsewhere");
    if ((st = yk_parts_frequencies(parts, &omega, &count, err)))
        return st;
    n = s->n;
    M = count ? malloc(3 * n * n * sizeof *M) : NULL;
    if (!M) {
        free(omega);
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
                          "the structure has no natural frequencies, or more than 400 degrees of freedom");
    }
    yk_matrix_to_dense(&s->M, M);
    yk_matrix_to_dense(&s->C, M + n * n);
    yk_matrix_to_dense(&s->K, M + 2 * n * n);
    st = yk_cuts_rank(&(struct yk_cuts){.n = n,
                                        .M = M,
                                        .C = M + n * n,
                                        .K = M + 2 * n * n,
                                        .least = 1 - spread,
                                        .most = 1 + spread,
                                        .low = 0.05 * omega[0],
                                        .high = 1.5 * omega[count - 1]},
                      list, err);
    free(M);
    free(omega);
    return st;
}

int certify_cuts(const struct yk_parts *parts, const char *folder, bool json)
{
    const double spread = spread_of(parts);
    struct yk_cut_list list;
    struct yk_err err = {0};
    char path[600];
    int code = 0;

    if (rank(parts, spread, &list, &err))
        return yk_command_fail(&err);
    if (list.count == 0) {
        yk_cuts_free(&list);
        yk_fail_at(&err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
                   "no degree of freedom joins two parts of this structure and nothing else");
        return yk_command_fail(&err);
    }
    snprintf(path, sizeof path, "%s/cuts.svg", folder);
    if (json)
        code = print_as_json(parts, &list, spread);
    else
        print_table(parts, &list, spread);
    if (draw(parts, &list, path, &err))
        code = yk_command_fail(&err);
    else if (!json)
        printf("%s\n", path);
    yk_cuts_free(&list);
    return code;
}
