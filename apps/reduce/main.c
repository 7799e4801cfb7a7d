/* yoke reduce: reduces linear substructures of an experiment and reports the accuracy. */
#include "options.h"
#include "reduction.h"
#include <yoke/clock.h>
#include <yoke/mpi.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct setup {
    const struct yk_reduction_ops *method;
    struct yk_reduce_settings settings;
    struct yk_fidelity_settings fidelity;
    int threads;
    bool as_many; /* nobody asked for a number of modes: a small model has fewer than the default */
};

static double seconds_since(int64_t begin_ns)
{
    return 1e-9 * (double)(yk_clock_now_ns() - begin_ns);
}

/* ---- progress ---- */

static void print_bar(void *self, const char *what, double share)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];

    memset(bar, ' ', WIDTH);
    memset(bar, '#', (size_t)(fmin(fmax(share, 0), 1) * WIDTH));
    bar[WIDTH] = 0;
    fprintf(stderr, "\r[%s] %3.0f %%  %-40s", bar, 100 * share, what);
}

static void end_bar(const struct yk_progress *progress)
{
    if (progress->at)
        fprintf(stderr, "\r%*s\r", 80, "");
}

/* ---- what to reduce ---- */

static long find_name(char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], name, length) == 0 && names[i][length] == 0)
            return (long)i;
    return -1;
}

static bool add_dof(struct reduction *r, size_t dof)
{
    size_t *dofs;

    for (size_t k = 0; k < r->count; k++)
        if (r->dofs[k] == dof)
            return true;
    if (!(dofs = realloc(r->dofs, (r->count + 1) * sizeof *dofs)))
        return false;
    r->dofs = dofs;
    r->dofs[r->count++] = dof;
    return true;
}

/* "a,b,c", or what the interfaces of the experiment join where it is NULL. */
static bool read_interface(struct reduction *r, const char *list)
{
    const struct yk_substructure *s = yk_part(r->parts, r->substructure);

    for (size_t i = 0; !list && i < yk_parts_rows(r->parts); i++) {
        const struct yk_row *row = yk_parts_row(r->parts, i);

        for (size_t k = 0; k < row->count; k++)
            if (row->substructure[k] == r->substructure && !add_dof(r, row->dof[k]))
                return false;
    }
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        const long dof = find_name(s->dofs, s->system->n, at, length);

        if (dof < 0) {
            yk_misuse(&command_reduce, "'%s' has no degree of freedom '%.*s'", s->name, (int)length, at);
            return false;
        }
        if (!add_dof(r, (size_t)dof))
            return false;
    }
    if (r->count == 0)
        yk_misuse(&command_reduce, "no interface joins '%s': name its degrees of freedom with --interface", s->name);
    return r->count > 0;
}

/* Effect of ground motions on the full model: the reduced one is driven by it. */
static bool know_ground(struct reduction *r)
{
    struct yk_err err = {0};

    if (yk_part_ground(r->parts, r->substructure, r->dofs, r->count, &r->ground, &err)) {
        yk_command_fail(&err);
        return false;
    }
    r->model.ground = r->ground.count ? &r->ground : NULL; /* reduced before, by an older version: unknown */
    return true;
}

/* Does an interface join the degree of freedom of substructure k? */
static bool is_joined(const struct yk_parts *parts, size_t k, size_t dof)
{
    for (size_t n = 0; n < yk_parts_rows(parts); n++) {
        const struct yk_row *row = yk_parts_row(parts, n);

        for (size_t c = 0; c < row->count; c++)
            if (row->substructure[c] == k && row->dof[c] == dof)
                return true;
    }
    return false;
}

/* Why substructure k cannot be reduced to that interface; NULL: it can. */
static const char *obstacle(const struct yk_parts *parts, size_t k, const char *interface)
{
    const struct yk_substructure *s = yk_part(parts, k);
    size_t joined = 0;

    if (yk_part_is_specimen(parts, k))
        return "is a specimen";
    if (!s->system->linear)
        return "is nonlinear";
    for (const char *at = interface; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (find_name(s->dofs, s->system->n, at, strcspn(at, ",")) < 0)
            return "does not have that interface";
        else
            joined++;
    for (size_t i = 0; !interface && i < s->system->n; i++)
        joined += is_joined(parts, k, i);
    return joined == 0 ? "is joined to nothing" : joined >= s->system->n ? "has nothing inside its interface" : NULL;
}

/* The only substructure that can be reduced; otherwise says which there are. */
static bool find_only(const struct yk_parts *parts, const char *interface, size_t *k)
{
    const size_t all = yk_parts_count(parts);
    char list[400] = "";
    size_t count = 0;

    for (size_t i = 0; i < all; i++)
        if (!obstacle(parts, i, interface)) {
            *k = i;
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s (%zu DoFs)", count++ ? ", " : "",
                     yk_part(parts, i)->name, yk_part(parts, i)->system->n);
        }
    if (count == 1 || all == 1) /* what is wrong with a single one is told later */
        return true;
    for (size_t i = 0; i < all && count == 0; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s'%s' %s", i ? ", " : "", yk_part(parts, i)->name,
                 obstacle(parts, i, interface));
    yk_misuse(&command_reduce,
              count ? "which substructure? --substructure NAME, one of: %s" : "no substructure can be reduced: %s",
              list);
    return false;
}

static bool choose(struct reduction *r, const struct yk_parts *parts, const char *name, const char *interface)
{
    const struct yk_substructure *s;
    const long found = name ? yk_parts_find(parts, name) : 0;
    size_t k = (size_t)found;

    if (found < 0) {
        yk_misuse(&command_reduce, "there is no substructure '%s'", name);
        return false;
    }
    if (!name && !find_only(parts, interface, &k))
        return false;
    s = yk_part(parts, k);
    *r = (struct reduction){.parts = parts, .substructure = k, .name = s->name};
    if (!s->system->linear) {
        fprintf(
            stderr,
            "yoke: '%s' cannot be reduced: it is nonlinear; move its nonlinear elements to a separate substructure and "
            "join the two\n",
            s->name);
        return false;
    }
    r->model = (struct yk_linear_model){
        .M = &s->system->M, .C = &s->system->C, .K = &s->system->K, .names = (const char *const *)s->dofs};
    return read_interface(r, interface) && know_ground(r);
}

/* ---- the work ---- */

static enum yk_status reduce_all(struct reduction *list, size_t count, const struct setup *s, struct yk_err *err)
{
    struct yk_reduce_job *jobs = calloc(count, sizeof *jobs);
    const int64_t begin = yk_clock_now_ns();
    enum yk_status st;

    if (!jobs)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < count; k++) {
        const size_t interior = list[k].model.K->rows - list[k].count;

        jobs[k] = (struct yk_reduce_job){.model = list[k].model,
                                         .dofs = list[k].dofs,
                                         .count = list[k].count,
                                         .method = s->method,
                                         .settings = s->settings};
        if (s->as_many && interior > 0 && interior < s->settings.modes)
            jobs[k].settings.modes = interior;
    }
    st = yk_reduce_all(jobs, count, s->threads, err);
    for (size_t k = 0; k < count; k++) {
        list[k].reduced = jobs[k].out;
        list[k].reduce_s = seconds_since(begin);
        if (jobs[k].status == st && st) {
            *err = jobs[k].err;
            yk_fail_within(err, YK_NOWHERE, "%s: ", list[k].name);
        }
    }
    free(jobs);
    return st;
}

static enum yk_status compare(struct reduction *r, const struct setup *s, struct yk_err *err)
{
    const int64_t begin = yk_clock_now_ns();
    enum yk_status st = yk_fidelity(&r->fidelity, &r->model, &r->reduced, &s->fidelity, err);

    r->compared = !st;
    if (!st && s->fidelity.end > 0)
        st = whole_run(r, &s->fidelity.progress, err);
    r->compare_s = seconds_since(begin);
    return st;
}

/* Place of the full model, for reference solutions made with it. Out of memory: unknown, and no reference. */
static void remember_source(struct reduction *r)
{
    struct yk_reduced_source *s = &r->reduced.source;

    s->substructure = strdup(r->name);
    s->overrides = strdup(yk_parts_overrides(r->parts));
    s->file = s->substructure && s->overrides ? realpath(yk_parts_path(r->parts), NULL) : NULL;
    yk_linear_model_checksum(&r->model, s->checksum);
}

static bool save(struct reduction *r, const char *folder)
{
    struct rusage usage;
    struct yk_err err = {0};
    char *path = NULL;
    bool good;

    getrusage(RUSAGE_SELF, &usage);
    r->memory_MB = (double)usage.ru_maxrss / 1024;
    r->processes = yk_mpi_size();
    if (asprintf(&path, "%s/%s.h5", folder, r->name) < 0)
        return false;
    remember_source(r);
    good = yk_reduced_save(&r->reduced, path, &err) == YK_OK;
    if (!good)
        yk_command_fail(&err);
    free(path);
    return good && reduction_report(r, folder);
}

static void print_fidelity(const struct yk_fidelity *f)
{
    if (f->modes) {
        printf("  frequencies  %zu elastic mode%s compared: largest error %.4f %%", f->modes, f->modes == 1 ? "" : "s",
               100 * f->worst_error);
        if (isfinite(f->exact_below_Hz))
            printf("; under 0.1 %% below %.5g Hz", f->exact_below_Hz);
        printf("\n  shapes       MAC at least %.5f (%.5f with close modes grouped), off the diagonal at most %.3f\n",
               f->least_diagonal, f->least_in_cluster, f->largest_off_diagonal);
    }
    if (f->left_out)
        printf("  not compared %zu mode%s above %.5g Hz, the limit of the reduced model\n", f->left_out,
               f->left_out == 1 ? "" : "s", f->limit_Hz);
}

static void print_ground(const struct reduction *r)
{
    const struct yk_ground *g = &r->reduced.ground;
    const char *comma = "  ground       effective mass kept: ";
    bool any = false;

    for (size_t k = 0; k < g->count; k++) {
        const char *name = motion_name(r, k);

        if (!name)
            continue;
        printf("%s%s%s%.3g %% of %s", comma, name, *name ? " " : "", 100 * mass_share(r, k),
               yk_quantity_format(g->mass[k], YK_MASS, 4).text);
        comma = ", ";
        any = true;
    }
    if (any)
        puts("");
}

static void print_reduction(const struct reduction *r, const char *folder)
{
    const struct yk_reduced *m = &r->reduced;

    printf("%s: %zu DoFs reduced by %s to %zu mode%s and %zu interface displacement%s, %.3g s", r->name, m->full,
           m->method, m->modes, m->modes == 1 ? "" : "s", m->interface_count, m->interface_count == 1 ? "" : "s",
           r->reduce_s);
    if (r->processes > 1)
        printf(" on %d processes", r->processes);
    puts("");
    if (m->modes)
        printf("  modes        up to %.6g Hz, residual %.2g, %zu counted and %zu found below %.6g Hz\n",
               sqrt(fmax(m->w2[m->modes - 1], 0)) / (2 * M_PI), m->check.residual, m->check.counted, m->check.found,
               m->check.shift_Hz);
    if (r->compared)
        print_fidelity(&r->fidelity);
    print_ground(r);
    if (r->fidelity.full_u)
        printf("  noise        mean square error %.4g m2, normalised %.4g\n", r->fidelity.mse, r->fidelity.nmse);
    if (r->whole.made)
        printf("  experiment   mean square error %.4g m2, normalised %.4g; full %.3g s, reduced %.3g s\n", r->whole.mse,
               r->whole.nmse, r->whole.full_s, r->whole.reduced_s);
    printf("  model %s/%s.h5, report %s/%s.md\n", folder, r->name, folder, r->name);
}

static int show(const struct reduction *list, size_t count, const struct reduce_options *g)
{
    json_t *all = g->json ? json_array() : NULL;

    for (size_t k = 0; k < count; k++)
        if (g->json)
            json_array_append_new(all, reduction_json(&list[k]));
        else
            print_reduction(&list[k], g->out);
    return g->json ? yk_print_json(all) : 0;
}

static int work(struct reduction *list, size_t count, const struct reduce_options *g, struct setup *s)
{
    struct yk_err err = {0};
    enum yk_status st;
    bool good = true;

    if (!g->json && isatty(STDERR_FILENO))
        s->settings.progress.at = s->fidelity.progress.at = print_bar;
    if (count > 1) /* two progress bars on one line would overwrite each other */
        s->settings.progress.at = NULL;
    st = reduce_all(list, count, s, &err);
    for (size_t k = 0; k < count && !st && !g->no_report; k++)
        st = compare(&list[k], s, &err);
    end_bar(&s->fidelity.progress);
    if (st)
        return yk_command_fail(&err);
    if (yk_make_folder(g->out)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", g->out, strerror(errno));
        return 1;
    }
    for (size_t k = 0; k < count && good; k++)
        good = save(&list[k], g->out);
    return good ? show(list, count, g) : 1;
}

static void free_reductions(struct reduction *list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        yk_reduced_free(&list[k].reduced);
        yk_fidelity_free(&list[k].fidelity);
        yk_ground_free(&list[k].ground);
        free(list[k].whole.full_u);
        free(list[k].whole.reduced_u);
        free(list[k].dofs);
    }
}

/* ---- the line ---- */

static bool read_settings(const struct reduce_options *g, struct setup *s)
{
    const struct yk_command *c = &command_reduce;
    long modes, threads = 1;

    *s = (struct setup){yk_reductions[0], yk_reduce_defaults(), yk_fidelity_defaults(), 1, false};
    modes = (long)s->settings.modes;
    if (g->method && !(s->method = yk_reduction_find(g->method)))
        return yk_misuse(c, "there is no method '%s': craig-bampton, rubin or guyan", g->method), false;
    if (g->modes && g->band)
        return yk_misuse(c, "--modes and --band exclude each other"), false;
    if (!s->method->modal && (g->modes || g->band))
        return yk_misuse(c, "%s keeps no modes: --modes and --band do not go with it", s->method->name), false;
    if (!g->out)
        return yk_misuse(c, "no output folder: give -o DIR"), false;
    if (g->interfaces.count > g->substructures.count + (g->substructures.count == 0))
        return yk_misuse(c, "%zu interfaces for %zu substructures", g->interfaces.count, g->substructures.count), false;
    if (!yk_option_count(c, "--modes", g->modes, 1, 10000, &modes) ||
        !yk_option_count(c, "--threads", g->threads, 1, 64, &threads))
        return false;
    s->settings.modes = (size_t)modes;
    s->threads = (int)threads;
    s->as_many = !g->modes && !g->band;
    return yk_option_quantity(c, "--band", g->band, YK_FREQUENCY, 1e-6, 1e9, &s->settings.band_Hz) &&
           yk_option_quantity(c, "--response", g->response, YK_TIME, 0, 1e6, &s->fidelity.end);
}

static int reduce(int argc, char **argv)
{
    struct reduce_options g = {0};
    struct reduction list[sizeof g.substructures.text / sizeof *g.substructures.text] = {0};
    struct yk_parts *parts;
    struct yk_words words;
    struct setup setup;
    size_t count;
    bool good = true, mass_moved;
    int code;

    if (!yk_take_options(&command_reduce, argc, argv, &g, &words) || !read_settings(&g, &setup))
        return 2;
    if (!(parts = yk_command_parts(&command_reduce, &words, &g.set, false, &code)))
        return code;
    mass_moved = yk_parts_return_mass(parts); /* the experiment that reads the model moves it again */
    count = g.substructures.count ? g.substructures.count : 1;
    for (size_t k = 0; k < count && good; k++) {
        good = choose(&list[k], parts, g.substructures.text[k], g.interfaces.text[k]);
        list[k].mass_moved = mass_moved;
    }
    code = good ? work(list, count, &g, &setup) : 2;
    free_reductions(list, count);
    yk_parts_close(parts);
    return code;
}

/* Under mpirun rank 0 reduces, and the others take part in its factors. */
static int run(int argc, char **argv)
{
    struct yk_err err = {0};
    int code = 0;

    if (yk_mpi_join(&err))
        return yk_command_fail(&err);
    if (yk_mpi_rank() > 0) {
        yk_mpi_serve();
    } else {
        code = reduce(argc, argv);
        yk_mpi_dismiss();
    }
    yk_mpi_leave();
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_reduce, run, argc, argv);
}
