/* yoke motion info, yoke motion convert. */
#include "motion.h"

#include <yoke/file.h>

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <strings.h>

#define STANDARD_GRAVITY 9.80665

static json_t *measures_json(const struct loaded *r)
{
    const struct yk_motion *motion = &r->motion;
    struct yk_motion_measures m;
    json_t *out = json_pack("{s:o, s:s, s:o, s:f, s:I, s:f, s:o}", "file", yk_json_any(r->path), "format",
                            motion->format, "title", yk_json_any(motion->title), "step_s", motion->step_s, "samples",
                            (json_int_t)motion->n, "offset", motion->offset, "notes", motion_notes_json(r));

    yk_motion_measure(motion->n, motion->step_s, motion->a, &m);
    const struct {
        const char *name;
        double value;
    } all[] = {{"pga", m.pga},     {"pgv", m.pgv},
               {"pgd", m.pgd},     {"pga_s", m.pga_s},
               {"pgv_s", m.pgv_s}, {"pgd_s", m.pgd_s},
               {"arias", m.arias}, {"start_s", m.start_s},
               {"cav", m.cav},     {"significant_s", m.significant_s},
               {"rms", m.rms},     {"middle_s", m.middle_s},
               {"end_v", m.end_v}, {"end_d", m.end_d}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        json_object_set_new(out, all[i].name, yk_json_number(all[i].value));
    return out;
}

static void print_measures(const struct loaded *r)
{
    const struct yk_motion *motion = &r->motion;
    struct yk_motion_measures m;

    yk_motion_measure(motion->n, motion->step_s, motion->a, &m);
    printf("%s: %s%s%s\n", r->path, motion->format, *motion->title ? ", " : "", motion->title);
    printf("  %zu samples, step %g s, %g s\n", motion->n, motion->step_s, (double)(motion->n - 1) * motion->step_s);
    printf("  PGA                  %14.8g m/s2 (%.4g g) at %.4g s\n", m.pga, m.pga / STANDARD_GRAVITY, m.pga_s);
    printf("  PGV                  %14.8g m/s at %.4g s\n", m.pgv, m.pgv_s);
    printf("  PGD                  %14.8g m at %.4g s\n", m.pgd, m.pgd_s);
    printf("  Arias intensity      %14.9g m/s\n", m.arias);
    printf("  duration D5-95       %14.8g s, from %.7g s; D5-75 %.7g s\n", m.significant_s, m.start_s, m.middle_s);
    printf("  CAV                  %14.9g m/s\n", m.cav);
    printf("  rms acceleration     %14.8g m/s2\n", m.rms);
    printf("  at the end           %14.8g m/s, %.8g m%s\n", m.end_v, m.end_d,
           m.pgd > 0 && (m.end_d > 0.5 * m.pgd || m.end_d < -0.5 * m.pgd) && m.pgd > 0.05
               ? ": the displacement drifts; see --baseline and --band"
               : "");
    for (const char *p = motion->notes; *p; p += strcspn(p, "\n") + 1)
        printf("  note: %.*s\n", (int)strcspn(p, "\n"), p);
}

int motion_info(struct work *w)
{
    if (w->options->json) {
        json_t *records = json_array();

        for (size_t i = 0; i < w->count; i++)
            json_array_append_new(records, measures_json(&w->records[i]));
        return yk_print_json(json_pack("{s:o}", "records", records));
    }
    for (size_t i = 0; i < w->count; i++)
        print_measures(&w->records[i]);
    return 0;
}

/* ---- convert ---- */

static bool write_table(FILE *out, const void *self)
{
    const struct loaded *r = self;

    fprintf(out, "# %s: %s\ntime [s],acceleration [m/s2]\n", r->motion.format, r->motion.title);
    for (size_t i = 0; i < r->motion.n; i++)
        fprintf(out, "%.10g,%.17g\n", (double)i * r->motion.step_s, r->motion.a[i]);
    return !ferror(out);
}

static bool write_at2(FILE *out, const void *self)
{
    const struct loaded *r = self;

    fprintf(out, "%s\n%s\nACCELERATION TIME HISTORY IN UNITS OF G\nNPTS= %zu, DT= %.10g SEC\n",
            *r->motion.title ? r->motion.title : r->path, r->motion.format, r->motion.n, r->motion.step_s);
    for (size_t i = 0; i < r->motion.n; i++)
        fprintf(out, "%15.7E%s", r->motion.a[i] / STANDARD_GRAVITY, i % 5 == 4 || i + 1 == r->motion.n ? "\n" : "");
    return !ferror(out);
}

int motion_convert(struct work *w)
{
    const char *path = w->options->out;
    const struct loaded *r = &w->records[0];
    const size_t n = path ? strlen(path) : 0;

    motion_print_notes(r);
    if (!path)
        return write_table(stdout, r) ? 0 : 1;
    if (!yk_file_replace(path, n > 4 && strcasecmp(path + n - 4, ".at2") == 0 ? write_at2 : write_table, r)) {
        fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
        return 1;
    }
    return 0;
}
