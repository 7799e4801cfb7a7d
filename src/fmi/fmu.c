/* An open FMU: archive, description, the interface that is used. */
#include "fmi/fmu_parts.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- open ---- */

static enum yk_status read_description(struct yk_fmu *f, struct yk_err *err)
{
    char file[YK_SCRATCH_PATH + 32], shown[sizeof file + 64];
    char *text = NULL;
    size_t size = 0;
    FILE *in;
    enum yk_status st;

    snprintf(file, sizeof file, "%s/modelDescription.xml", f->folder);
    snprintf(shown, sizeof shown, "%.400s:modelDescription.xml", f->path);
    if (!(in = fopen(file, "re")))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(f->path), "this is no FMU: it has no modelDescription.xml");
    fseek(in, 0, SEEK_END);
    const long end = ftell(in);
    rewind(in);
    if (end > 0 && (text = malloc((size_t)end)))
        size = fread(text, 1, (size_t)end, in);
    fclose(in);
    st = end > 0 && !text ? yk_fail(err, YK_E_MEMORY, "out of memory")
                          : yk_fmu_describe(&f->d, text ? text : "", size, shown, err);
    free(text);
    return st;
}

enum yk_status yk_fmu_open(struct yk_fmu **opened, const char *path, const char *name, struct yk_err *err)
{
    struct yk_fmu *f = calloc(1, sizeof *f);
    struct stat about;
    enum yk_status st = YK_OK;

    *opened = NULL;
    if (!f || !(f->path = strdup(path))) {
        free(f);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    f->life = -1;
    f->next_event = INFINITY;
    atomic_flag_clear(&f->busy);
    snprintf(f->job.name, sizeof f->job.name, "%s", *name ? name : "fmu");
    if (yk_fmu_missing())
        st = yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(path), "%s", yk_fmu_missing());
    else if (stat(path, &about) != 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "cannot be opened: %s", strerror(errno));
    else if (S_ISDIR(about.st_mode)) {
        char *real = realpath(path, NULL);

        if (!real || strlen(real) >= sizeof f->folder)
            st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "the name of this folder is too long");
        else
            snprintf(f->folder, sizeof f->folder, "%s", real);
        free(real);
    } else if (!(st = yk_scratch_make(f->folder, err))) {
        f->owns_folder = true;
        st = yk_archive_unpack(path, f->folder, err);
    }
    if (!st)
        st = read_description(f, err);
    if (st)
        yk_fmu_close(f);
    else
        *opened = f;
    return st;
}

const struct yk_fmu_description *yk_fmu_description(const struct yk_fmu *f)
{
    return &f->d;
}

const char *yk_fmu_path(const struct yk_fmu *f)
{
    return f->path;
}

void yk_fmu_close(struct yk_fmu *f)
{
    if (!f)
        return;
    if (f->shared && !f->instance && !f->dead && f->pid > 0) { /* a short time to say good-bye */
        f->request[0].n = YK_FMU_END;
        yk_fmu_post_request(f);
        for (int i = 0; i < 200 && !yk_fmu_has_gone(f); i++)
            yk_clock_sleep_until(yk_clock_now_ns() + 500000);
    }
    if (f->instance) {
        yk_fmu_instance_close(f->instance);
        free(f->shared);
        f->shared = NULL;
    }
    yk_fmu_end_host(f);
    if (f->owns_folder)
        yk_scratch_remove(f->folder);
    yk_fmu_description_free(&f->d);
    free(f->request);
    free(f->answer);
    free(f->path);
    free(f);
}

/* ---- interface ---- */

int yk_fmu_chosen(const struct yk_fmu *f)
{
    return f->chosen;
}

const struct yk_fmu_interface *yk_fmu_flags(const struct yk_fmu *f)
{
    return &f->d.interface[f->chosen];
}

static enum yk_status find_object(struct yk_fmu *f, struct yk_err *err)
{
#if defined(__x86_64__)
    static const char *const platforms[] = {"linux64", "x86_64-linux"};
#elif defined(__aarch64__)
    static const char *const platforms[] = {"aarch64-linux", "aarch64-linux"};
#else
    static const char *const platforms[] = {"riscv64-linux", "riscv64-linux"};
#endif
    char sources[YK_SCRATCH_PATH + 32];

    for (size_t i = f->d.version == 3; i < 2; i++) {
        snprintf(f->job.object, sizeof f->job.object, "%s/binaries/%s/%s.so", f->folder, platforms[i],
                 yk_fmu_flags(f)->identifier);
        if (access(f->job.object, R_OK) == 0)
            return YK_OK;
    }
    snprintf(sources, sizeof sources, "%s/binaries", f->folder);
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(f->path), "it has no binaries/%s/%s.so for this machine%s",
                      platforms[f->d.version == 3], yk_fmu_flags(f)->identifier,
                      access(sources, R_OK) == 0 ? "" : "; Yoke does not compile FMUs that are sources only");
}

enum yk_status yk_fmu_choose(struct yk_fmu *f, enum yk_fmu_wish wish, bool ticks, struct yk_err *err)
{
    const bool exchange = f->d.interface[YK_FMU_EXCHANGE].offered,
               simulates = f->d.interface[YK_FMU_COSIMULATION].offered;
    char resources[YK_SCRATCH_PATH + 32];

    f->chosen = wish == YK_FMU_WANTS_EXCHANGE       ? YK_FMU_EXCHANGE
                : wish == YK_FMU_WANTS_COSIMULATION ? YK_FMU_COSIMULATION
                : exchange && !(ticks && simulates) ? YK_FMU_EXCHANGE
                                                    : YK_FMU_COSIMULATION;
    if (f->chosen == YK_FMU_EXCHANGE ? !exchange : !simulates)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(f->path), "the FMU (FMI %s) has no %s", f->d.version_text,
                          f->chosen == YK_FMU_EXCHANGE ? "model exchange" : "co-simulation");
    if (f->d.has_clocks)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(f->path), "FMUs with clocks are not supported");
    f->job.version = f->d.version;
    f->job.interface = f->chosen;
    f->job.saves = yk_fmu_flags(f)->saves;
    f->job.variable_step = yk_fmu_flags(f)->variable_step;
    f->job.completes = f->chosen == YK_FMU_EXCHANGE && !yk_fmu_flags(f)->no_completion;
    f->job.indicators = f->chosen == YK_FMU_EXCHANGE ? (uint32_t)f->d.indicators : 0;
    f->job.states = f->chosen == YK_FMU_EXCHANGE ? (uint32_t)f->d.derivative_count : 0;
    f->job.tolerance = f->d.tolerance;
    f->job.start = isnan(f->d.start) ? 0 : f->d.start;
    if (f->job.states > YK_FMU_MOST_STATES || f->job.indicators > YK_FMU_MOST_STATES)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(f->path), "%zu states and %zu event indicators; at most %d",
                          f->d.derivative_count, f->d.indicators, YK_FMU_MOST_STATES);
    if (strlen(f->d.token) >= sizeof f->job.token)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(f->path), "its %s is longer than %zu characters",
                          f->d.version == 2 ? "guid" : "instantiationToken", sizeof f->job.token - 1);
    snprintf(f->job.token, sizeof f->job.token, "%s", f->d.token);
    snprintf(resources, sizeof resources, "%s/resources", f->folder);
    if (access(resources, R_OK) == 0 || f->d.version == 2)
        snprintf(f->job.resources, sizeof f->job.resources, "%s", resources);
    return find_object(f, err);
}

enum yk_status yk_fmu_handle_events(struct yk_fmu *f, enum yk_fmu_events events, struct yk_err *err)
{
    f->events = events;
    f->job.locates = events == YK_FMU_EVENTS_LOCATED;
    if (events == YK_FMU_EVENTS_REFUSED && f->job.indicators)
        return yk_fail(err, YK_E_UNSUPPORTED, "the FMU has %u event indicators, and events: refuse", f->job.indicators);
    return YK_OK;
}

void yk_fmu_pretend(struct yk_fmu *f, const char *token)
{
    snprintf(f->job.token, sizeof f->job.token, "%s", token);
}

/* ---- queries of adapters ---- */

enum yk_fmu_course yk_fmu_best_course(const struct yk_fmu *f, bool feedthrough_known)
{
    if (f->chosen == YK_FMU_EXCHANGE)
        return YK_FMU_HERMITE;
    return f->job.interpolates || f->job.intermediate ? YK_FMU_LINEAR : feedthrough_known ? YK_FMU_MEAN : YK_FMU_HELD;
}

/* Derivatives of the outputs by input k, from the outputs at inputs that differ by `by` to either side. */
static enum yk_fmu_outcome differences(struct yk_fmu *f, struct yk_fmu_ask *ask, double *inputs, size_t k, double by,
                                       double *low, double *column)
{
    const double at = inputs[k];
    enum yk_fmu_outcome outcome;

    ask->as = yk_fmu_number(f);
    inputs[k] = at - by;
    outcome = yk_fmu_ask(f, ask, low, NULL);
    ask->as = yk_fmu_number(f);
    inputs[k] = at + by;
    if (outcome == YK_FMU_FINE)
        outcome = yk_fmu_ask(f, ask, column, NULL);
    inputs[k] = at;
    for (size_t i = 0; i < f->job.outputs; i++)
        column[i] = (column[i] - low[i]) / (2 * by);
    return outcome;
}

enum yk_status yk_fmu_feedthrough(struct yk_fmu *f, uint64_t from, const double *inputs, const double *z,
                                  const double *by, double tiny, double *D, struct yk_err *err)
{
    const size_t n = f->job.inputs, m = f->job.outputs;
    const bool exchange = f->chosen == YK_FMU_EXCHANGE, differs = exchange || (f->job.saves && f->job.variable_step);
    double *x = calloc(n + m + 1, sizeof *x);
    struct yk_fmu_ask ask = {
        .what = YK_FMU_STEP, .substeps = 1, .from = from, .h = exchange ? 0 : tiny, .begin = x, .end = x, .z = z};
    bool known = yk_fmu_flags(f)->differentiates || differs;
    enum yk_fmu_outcome outcome = YK_FMU_FINE;

    if (!x)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(x, inputs, n * sizeof *x);
    memset(D, 0, n * m * sizeof *D);
    for (size_t k = 0; k < n && known && outcome == YK_FMU_FINE; k++) {
        const struct yk_fmu_ask derive = {.what = YK_FMU_DERIVE, .as = k};

        if (f->job.input[k].absent ||
            (yk_fmu_flags(f)->differentiates && yk_fmu_ask(f, &derive, D + k * m, NULL) == YK_FMU_FINE))
            continue;
        f->fault = (struct yk_fmu_failure){0}; /* it promised derivatives and fails: differences */
        known = differs;
        if (known)
            outcome = differences(f, &ask, x, k, by[k], x + n, D + k * m);
    }
    free(x);
    if (!known)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "how its force depends on the motion at once is unknown: the FMU gives no directional "
                       "derivatives and cannot save its state or vary its step");
    return outcome == YK_FMU_FINE ? YK_OK : yk_fmu_refuse_start(f, err);
}
