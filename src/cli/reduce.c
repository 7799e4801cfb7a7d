/* yoke reduce: reduces linear substructures of an experiment and reports the accuracy. */
#include "cli/reduce.h"

#include "base/clock.h"
#include "mpi/mpi.h"
#include "transfer/physical.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct given {
    struct text_list substructures, interfaces, set;
    const char *method, *modes, *band, *response, *threads, *out;
    bool no_report, json;
};

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
    const struct yk_experiment *e = r->experiment;
    const struct yk_substructure *s = &e->substructures[r->substructure];

    for (size_t i = 0; !list && i < e->row_count; i++)
        for (size_t k = 0; k < e->rows[i].count; k++)
            if (e->rows[i].substructure[k] == r->substructure && !add_dof(r, e->rows[i].dof[k]))
                return false;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        const long dof = find_name(s->dofs, s->system->n, at, length);

        if (dof < 0) {
            usage_error(&command_reduce, "'%s' has no degree of freedom '%.*s'", s->name, (int)length, at);
            return false;
        }
        if (!add_dof(r, (size_t)dof))
            return false;
    }
    if (r->count == 0)
        usage_error(&command_reduce, "no interface joins '%s': name its degrees of freedom with --interface", s->name);
    return r->count > 0;
}

/* What motions of the ground do to the full model, so that the reduced one can be driven by them. */
static bool know_ground(struct reduction *r)
{
    struct yk_err err = {0};

    if (yk_experiment_ground(r->experiment, r->substructure, r->dofs, r->count, &r->ground, &err)) {
        report_failure(&err);
        return false;
    }
    r->model.ground = r->ground.count ? &r->ground : NULL; /* reduced before, by an older version: unknown */
    return true;
}

/* Why substructure k cannot be reduced to that interface; NULL: it can. */
static const char *obstacle(const struct yk_experiment *e, size_t k, const char *interface)
{
    const struct yk_substructure *s = &e->substructures[k];
    size_t joined = 0, n = 0;

    if (yk_is_physical(s->system))
        return "is a specimen";
    if (!s->system->linear)
        return "is nonlinear";
    for (const char *at = interface; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (find_name(s->dofs, s->system->n, at, strcspn(at, ",")) < 0)
            return "does not have that interface";
        else
            joined++;
    for (size_t i = 0; !interface && i < s->system->n; i++) {
        bool found = false;

        for (n = 0; n < e->row_count && !found; n++)
            for (size_t c = 0; c < e->rows[n].count; c++)
                found |= e->rows[n].substructure[c] == k && e->rows[n].dof[c] == i;
        joined += found;
    }
    return joined == 0 ? "is joined to nothing" : joined >= s->system->n ? "has nothing inside its interface" : NULL;
}

/* The only substructure that can be reduced; otherwise says which there are. */
static bool find_only(const struct yk_experiment *e, const char *interface, size_t *k)
{
    char list[400] = "";
    size_t count = 0;

    for (size_t i = 0; i < e->substructure_count; i++)
        if (!obstacle(e, i, interface)) {
            *k = i;
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s (%zu DoFs)", count++ ? ", " : "",
                     e->substructures[i].name, e->substructures[i].system->n);
        }
    if (count == 1 || e->substructure_count == 1) /* what is wrong with a single one is told later */
        return true;
    for (size_t i = 0; i < e->substructure_count && count == 0; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s'%s' %s", i ? ", " : "", e->substructures[i].name,
                 obstacle(e, i, interface));
    usage_error(&command_reduce,
                count ? "which substructure? --substructure NAME, one of: %s" : "no substructure can be reduced: %s",
                list);
    return false;
}

static bool choose(struct reduction *r, const struct yk_experiment *e, const char *name, const char *interface)
{
    const struct yk_substructure *s;
    size_t k = 0;

    while (name && k < e->substructure_count && strcmp(e->substructures[k].name, name) != 0)
        k++;
    if (k == e->substructure_count) {
        usage_error(&command_reduce, "there is no substructure '%s'", name);
        return false;
    }
    if (!name && !find_only(e, interface, &k))
        return false;
    s = &e->substructures[k];
    *r = (struct reduction){.experiment = e, .substructure = k, .name = s->name};
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

/* ---- the whole experiment ---- */

/* The only other substructure, if each of its degrees of freedom is joined to one of the reduced one and nothing else
 * acts: `partner` gets the degree of freedom of the full model joined to each. NULL: it is not so. */
static struct yk_system *attached(const struct reduction *r, size_t *other, size_t *partner)
{
    const struct yk_experiment *e = r->experiment;
    struct yk_system *system;
    size_t joined = 0;

    if (e->substructure_count != 2 || r->mass_moved) /* its loads are those of the moved mass */
        return NULL;
    *other = 1 - r->substructure;
    system = e->substructures[*other].system;
    if (system->n != r->count || e->row_count != r->count || system->mass_divided_out)
        return NULL;
    for (size_t i = 0; i < e->load_count; i++)
        if (e->loads[i].substructure == r->substructure)
            return NULL;
    for (size_t i = 0; i < e->row_count; i++) {
        const struct yk_row *row = &e->rows[i];
        const size_t own = row->substructure[0] == r->substructure ? 0 : 1;

        if (row->count != 2 || row->substructure[own] != r->substructure || row->substructure[1 - own] != *other ||
            row->coefficient[0] != -row->coefficient[1])
            return NULL;
        joined |= (size_t)1 << row->dof[1 - own] % 64;
        partner[row->dof[1 - own]] = row->dof[own];
    }
    return joined && r->count <= 64 && joined == (r->count == 64 ? SIZE_MAX : ((size_t)1 << r->count) - 1) ? system
                                                                                                           : NULL;
}

struct load {
    const struct yk_experiment *e;
    size_t k;
};

static void load_at(void *self, double t, double *f)
{
    const struct load *l = self;

    yk_experiment_load_at(l->e, l->k, t, f);
}

static void compare_whole(struct whole *w)
{
    const size_t samples = (w->steps + 1) * w->count;
    double difference = 0, size = 0;

    for (size_t i = 0; i < samples; i++) {
        difference += (w->full_u[i] - w->reduced_u[i]) * (w->full_u[i] - w->reduced_u[i]);
        size += w->full_u[i] * w->full_u[i];
    }
    w->mse = difference / (double)samples;
    w->rms = sqrt(size / (double)samples);
    w->nmse = size > 0 ? difference / size : 0;
}

/* Full and reduced model with the rest of the experiment, where that is of the simple form `attached` knows. */
static enum yk_status run_whole(struct reduction *r, const struct yk_progress *progress, struct yk_err *err)
{
    const struct yk_experiment *e = r->experiment;
    const struct yk_linear_model few = {.M = &r->reduced.M, .C = &r->reduced.C, .K = &r->reduced.K};
    struct whole *w = &r->whole;
    size_t *full = calloc(2 * r->count, sizeof *full), *coordinate = full + r->count;
    struct load load = {.e = e};
    struct yk_forced response = {.dofs = full,
                                 .count = r->count,
                                 .force = load_at,
                                 .self = &load,
                                 .dt = e->time.step,
                                 .end = e->time.end,
                                 .progress = *progress};
    int64_t begin;
    enum yk_status st = full ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (st || !(response.attached = attached(r, &load.k, full)))
        goto end;
    w->count = r->count;
    w->steps = (size_t)e->steps;
    w->dt = e->time.step;
    w->first = r->model.names[full[0]];
    w->full_u = calloc((w->steps + 1) * w->count, sizeof *w->full_u);
    w->reduced_u = calloc((w->steps + 1) * w->count, sizeof *w->reduced_u);
    if (!w->full_u || !w->reduced_u) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
        goto end;
    }
    begin = yk_clock_now_ns();
    if ((st = yk_forced_run(&r->model, &response, w->full_u, err)))
        goto end;
    w->full_s = seconds_since(begin);
    for (size_t k = 0; k < r->count; k++)
        for (size_t b = 0; b < r->count; b++)
            if (r->reduced.interface_dofs[b] == full[k])
                coordinate[k] = r->reduced.modes + b;
    response.dofs = coordinate;
    response.progress = (struct yk_progress){0};
    begin = yk_clock_now_ns();
    if ((st = yk_forced_run(&few, &response, w->reduced_u, err)))
        goto end;
    w->reduced_s = seconds_since(begin);
    w->made = true;
    compare_whole(w);
end:
    free(full);
    return st;
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
        st = run_whole(r, &s->fidelity.progress, err);
    r->compare_s = seconds_since(begin);
    return st;
}

/* Where the full model is, so that a reference can be made with it. Without memory for that, there is none. */
static void remember_source(struct reduction *r)
{
    struct yk_reduced_source *s = &r->reduced.source;

    s->substructure = strdup(r->name);
    s->overrides = strdup(r->experiment->overrides);
    s->file = s->substructure && s->overrides ? realpath(r->experiment->path, NULL) : NULL;
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
        report_failure(&err);
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

static int show(const struct reduction *list, size_t count, const struct given *g)
{
    json_t *all = g->json ? json_array() : NULL;

    for (size_t k = 0; k < count; k++)
        if (g->json)
            json_array_append_new(all, reduction_json(&list[k]));
        else
            print_reduction(&list[k], g->out);
    return g->json ? print_json(all) : 0;
}

static int work(struct reduction *list, size_t count, const struct given *g, struct setup *s)
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
        return report_failure(&err);
    if (make_folder(g->out)) {
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

static bool read_settings(const struct given *g, struct setup *s)
{
    const struct command *c = &command_reduce;
    long modes, threads = 1;

    *s = (struct setup){yk_reductions[0], yk_reduce_defaults(), yk_fidelity_defaults(), 1, false};
    modes = (long)s->settings.modes;
    if (g->method && !(s->method = yk_reduction_find(g->method)))
        return usage_error(c, "there is no method '%s': craig-bampton, rubin or guyan", g->method), false;
    if (g->modes && g->band)
        return usage_error(c, "--modes and --band exclude each other"), false;
    if (!s->method->modal && (g->modes || g->band))
        return usage_error(c, "%s keeps no modes: --modes and --band do not go with it", s->method->name), false;
    if (!g->out)
        return usage_error(c, "no output folder: give -o DIR"), false;
    if (g->interfaces.count > g->substructures.count + (g->substructures.count == 0))
        return usage_error(c, "%zu interfaces for %zu substructures", g->interfaces.count, g->substructures.count),
               false;
    if (!parse_count(c, "--modes", g->modes, 1, 10000, &modes) ||
        !parse_count(c, "--threads", g->threads, 1, 64, &threads))
        return false;
    s->settings.modes = (size_t)modes;
    s->threads = (int)threads;
    s->as_many = !g->modes && !g->band;
    return parse_quantity(c, "--band", g->band, YK_FREQUENCY, 1e-6, 1e9, &s->settings.band_Hz) &&
           parse_quantity(c, "--response", g->response, YK_TIME, 0, 1e6, &s->fidelity.end);
}

static int reduce(int argc, char **argv)
{
    struct given g = {0};
    const struct option_spec specs[] = {{"--substructure", OPTION_LIST, &g.substructures},
                                        {"--interface", OPTION_LIST, &g.interfaces},
                                        {"--method", OPTION_TEXT, &g.method},
                                        {"--modes", OPTION_TEXT, &g.modes},
                                        {"--band", OPTION_TEXT, &g.band},
                                        {"--response", OPTION_TEXT, &g.response},
                                        {"--no-report", OPTION_FLAG, &g.no_report},
                                        {"--threads", OPTION_TEXT, &g.threads},
                                        {"--output|-o", OPTION_TEXT, &g.out},
                                        {"--set", OPTION_LIST, &g.set},
                                        {"--json", OPTION_FLAG, &g.json},
                                        {0}};
    struct reduction list[sizeof g.substructures.text / sizeof *g.substructures.text] = {0};
    struct yk_experiment *e;
    struct words words;
    struct setup setup;
    size_t count;
    bool good = true, mass_moved;
    int code;

    if (!take_options(&command_reduce, argc, argv, specs, &words) || !read_settings(&g, &setup))
        return 2;
    if (!(e = load_experiment(&command_reduce, &words, &g.set, &code)))
        return code;
    mass_moved = yk_experiment_return_mass(e); /* the experiment that reads the model moves it again */
    count = g.substructures.count ? g.substructures.count : 1;
    for (size_t k = 0; k < count && good; k++) {
        good = choose(&list[k], e, g.substructures.text[k], g.interfaces.text[k]);
        list[k].mass_moved = mass_moved;
    }
    code = good ? work(list, count, &g, &setup) : 2;
    free_reductions(list, count);
    yk_experiment_destroy(e);
    return code;
}

/* Under mpirun rank 0 reduces, and the others take part in its factors. */
static int run(int argc, char **argv)
{
    struct yk_err err = {0};
    int code = 0;

    if (yk_mpi_join(&err))
        return report_failure(&err);
    if (yk_mpi_rank() > 0) {
        yk_mpi_serve();
    } else {
        code = reduce(argc, argv);
        yk_mpi_dismiss();
    }
    yk_mpi_leave();
    return code;
}

const struct command command_reduce = {
    .name = "reduce",
    .summary = "reduce a large linear substructure to a few coordinates",
    .options = "--substructure --interface --method --modes --band --response --no-report --threads --output --set "
               "--json",
    .help =
        "usage: yoke reduce FILE [--substructure NAME [--interface DOF,DOF...]]... [--method "
        "craig-bampton|rubin|guyan]\n"
        "                   [--modes 30 | --band HZ] [--response 1s] [--no-report] [--threads N] [--set KEY=VALUE]...\n"
        "                   [--json] -o DIR\n\n"
        "Reduces linear substructures to modal coordinates q1, q2, ... and the displacements of their interface. "
        "Writes the\n"
        "model file DIR/NAME.h5, which an experiment reads with `kind: reduced, file: NAME.h5`, and a report "
        "DIR/NAME.md (the\n"
        "same numbers are in DIR/NAME.json): frequency errors, MAC matrix, response to noise on the interface, and "
        "effective\n"
        "mass under ground motion. If the experiment joins this substructure to exactly one other, the report also "
        "compares\n"
        "the motion of the whole structure.\n\n"
        "  --substructure    default: the only one that can be reduced (linear, with more than its interface)\n"
        "  --interface       degrees of freedom that stay physical; default: those that `interfaces` joins\n"
        "  --method          craig-bampton (default): fixed-interface modes and static shapes; rubin: free modes and "
        "residual\n"
        "                    flexibility; guyan: static shapes only\n"
        "  --modes, --band   number of modes to keep, or keep all below a frequency\n"
        "  --response        duration of the compared responses [s]; 0: compare none\n"
        "  --no-report       write only the model file and compare nothing\n"
        "  --threads N       reduce several substructures at once\n\n"
        "`mpirun -n N yoke reduce ...` shares the factors of large matrices among N processes (MUMPS over MPI).\n\n"
        "--json: [{substructure, method, full, modes, interface, kept_Hz, check: {residual, shift_Hz, counted, "
        "found},\n"
        "          fidelity: {rigid_modes, left_out, limit_Hz, full_Hz, reduced_Hz, worst_error, frequency_nmse, "
        "exact_below_Hz,\n"
        "          mac: {least_diagonal, least_in_cluster, largest_off_diagonal, matrix}, response: {dt_s, steps, "
        "rms_m, mse_m2, nmse, ...}},\n"
        "          ground: [{direction, mass_kg, share}], whole: the same as response, with times; seconds: {reduce, "
        "compare}, memory_MB, processes}]\n\n"
        "examples:\n"
        "  yoke reduce examples/vehicle-frame/vehicle-frame.yaml --interface L1.z,R1.z,L3.z,R3.z -o out/frame\n"
        "  yoke reduce bridge.yaml --substructure deck --band 50Hz -o out/deck --json\n",
    .run = run,
};
