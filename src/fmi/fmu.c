/* An open FMU: archive, description, variables, and the process that it runs in. */
#include "fmi/fmu.h"

#include "base/clock.h"
#include "base/suggest.h"
#include "fmi/archive.h"
#include "fmi/shared.h"
#include <yoke/param.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLICE_NS = 5000000, LOADING_S = 30 };

/* What went wrong first. Numbers only; words are made later. */
struct fault {
    enum yk_fmu_outcome outcome;
    int code; /* signal or exit code */
    double t, waited_s;
    char where[32];
};

struct yk_fmu {
    char *path;
    char folder[YK_ARCHIVE_PATH]; /* where it is unpacked */
    bool owns_folder;
    struct yk_fmu_description d;
    int chosen;
    struct yk_fmu_job job;
    enum yk_fmu_events events;

    bool in_process, dead;
    int64_t timeout_ns;
    pid_t pid;
    int life;                     /* the host ends when this is closed */
    struct yk_fmu_shared *shared; /* NULL: not started */
    size_t shared_size;
    struct yk_board *requests, *answers;
    struct yk_fmu_instance *instance; /* in this process */
    union yk_fmu_word *request, *answer;
    uint64_t seen;
    double next_event;

    atomic_flag busy;
    atomic_uint_fast64_t number;
    struct fault fault;
};

/* ---- open ---- */

static enum yk_status read_description(struct yk_fmu *f, struct yk_err *err)
{
    char file[YK_ARCHIVE_PATH + 32], shown[sizeof file + 64];
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
    } else if (!(st = yk_archive_folder(f->folder, err))) {
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

/* ---- interface and variables ---- */

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
    char sources[YK_ARCHIVE_PATH + 32];

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
    const bool exchange = f->d.interface[YK_FMU_EXCHANGE].offered && f->d.version == 2,
               simulates = f->d.interface[YK_FMU_COSIMULATION].offered;
    char resources[YK_ARCHIVE_PATH + 32];

    f->chosen = wish == YK_FMU_WANTS_EXCHANGE       ? YK_FMU_EXCHANGE
                : wish == YK_FMU_WANTS_COSIMULATION ? YK_FMU_COSIMULATION
                : exchange && !(ticks && simulates) ? YK_FMU_EXCHANGE
                                                    : YK_FMU_COSIMULATION;
    if (f->chosen == YK_FMU_EXCHANGE ? !exchange : !simulates)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(f->path), "the FMU (FMI %s) has no %s that Yoke can use%s",
                          f->d.version_text, f->chosen == YK_FMU_EXCHANGE ? "model exchange" : "co-simulation",
                          f->d.version == 3 ? "; of FMI 3.0 it uses co-simulation" : "");
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

struct cursor {
    const struct yk_fmu_description *d;
    size_t at;
};

static const char *next_name(void *self)
{
    struct cursor *c = self;

    return c->at < c->d->variable_count ? c->d->variables[c->at++].name : NULL;
}

static enum yk_status find(const struct yk_fmu *f, const char *name, const struct yk_fmu_variable **v, size_t *element,
                           struct yk_err *err)
{
    struct cursor cursor = {&f->d, 0};
    char hint[160];

    if (!(*v = yk_fmu_variable(&f->d, name, element)))
        return yk_fail(err, YK_E_INPUT, "the FMU has no variable '%s'%s", name,
                       yk_suggest(name, next_name, &cursor, "; see `yoke fmu info`", hint, sizeof hint));
    if ((*v)->type == YK_FMU_OTHER)
        return yk_fail(err, YK_E_UNSUPPORTED, "variable '%s' is not a number", name);
    return YK_OK;
}

static enum yk_status make_port(const struct yk_fmu *f, const char *name, enum yk_quantity quantity,
                                struct yk_fmu_port *port, const struct yk_fmu_variable **v, struct yk_err *err)
{
    bool assumed;
    size_t element;
    enum yk_status st = find(f, name, v, &element, err);

    if (st)
        return st;
    *port = (struct yk_fmu_port){
        .vr = (*v)->vr, .type = (*v)->type, .size = (uint32_t)(*v)->size, .element = (uint32_t)element};
    if (quantity == YK_QUANTITY_COUNT) { /* as it is */
        port->factor = 1;
        return YK_OK;
    }
    return yk_fmu_unit_of(&f->d, *v, quantity, &port->factor, &port->offset, &assumed, err);
}

enum yk_status yk_fmu_unit(struct yk_fmu *f, const char *name, const char *unit, struct yk_err *err)
{
    const struct yk_fmu_variable *v;
    char *copy;
    size_t element;
    enum yk_status st = find(f, name, &v, &element, err);

    if (st)
        return st;
    if (!(copy = strdup(unit)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    free(v->unit);
    f->d.variables[v - f->d.variables].unit = copy;
    for (size_t i = 0; i < f->d.unit_count; i++) /* what the file says goes first */
        f->d.units[i].has_base = f->d.units[i].has_base && strcmp(f->d.units[i].name, unit) != 0;
    return YK_OK;
}

enum yk_status yk_fmu_input(struct yk_fmu *f, const char *name, enum yk_quantity quantity, struct yk_err *err)
{
    const struct yk_fmu_variable *v;
    struct yk_fmu_port *port = &f->job.input[f->job.inputs];
    enum yk_status st;

    if (f->job.inputs == YK_FMU_MOST_INPUTS)
        return yk_fail(err, YK_E_UNSUPPORTED, "more than %d inputs", YK_FMU_MOST_INPUTS);
    if (!*name) {
        *port = (struct yk_fmu_port){.absent = true, .factor = 1, .size = 1};
        f->job.inputs++;
        return YK_OK;
    }
    if ((st = make_port(f, name, quantity, port, &v, err)))
        return st;
    if (v->causality != YK_FMU_INPUT)
        return yk_fail(err, YK_E_INPUT, "variable '%s' is not an input of the FMU, but of causality %.*s", name,
                       (int)strcspn(yk_choice_at(YK_FMU_CAUSALITIES, v->causality), "|"),
                       yk_choice_at(YK_FMU_CAUSALITIES, v->causality));
    f->job.inputs++;
    return YK_OK;
}

enum yk_status yk_fmu_output(struct yk_fmu *f, const char *name, enum yk_quantity quantity, struct yk_err *err)
{
    const struct yk_fmu_variable *v;
    enum yk_status st;

    if (f->job.outputs == YK_FMU_MOST_OUTPUTS)
        return yk_fail(err, YK_E_UNSUPPORTED, "more than %d outputs", YK_FMU_MOST_OUTPUTS);
    if (!(st = make_port(f, name, quantity, &f->job.output[f->job.outputs], &v, err)))
        f->job.outputs++;
    return st;
}

/* The value of a parameter in the unit of the FMU: a bare number is SI. */
static enum yk_status convert(const struct yk_fmu *f, const struct yk_fmu_variable *v, const char *value, double *x,
                              struct yk_err *err)
{
    char *end;
    double factor, offset, si;
    bool assumed;

    si = strtod(value, &end);
    while (*end == ' ')
        end++;
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
        *x = strcmp(value, "true") == 0;
        return YK_OK;
    }
    for (int q = 0; q < YK_QUANTITY_COUNT; q++) {
        if (yk_fmu_unit_of(&f->d, v, (enum yk_quantity)q, &factor, &offset, &assumed, NULL) || (assumed && *end) ||
            (*end && yk_quantity_parse(value, (enum yk_quantity)q, &si, NULL)))
            continue;
        *x = (si - offset) / factor;
        return isfinite(si) ? YK_OK : yk_fail(err, YK_E_RANGE, "'%s' is not a finite number", value);
    }
    return yk_fail(err, YK_E_UNIT, "'%s' is no value for '%s', which the FMU has in %s", value, v->name,
                   *v->unit ? v->unit : "no unit");
}

enum yk_status yk_fmu_parameter(struct yk_fmu *f, const char *name, const char *value, struct yk_err *err)
{
    struct yk_fmu_port *port = &f->job.parameter[f->job.parameters];
    const struct yk_fmu_variable *v;
    enum yk_status st;

    if (f->job.parameters == YK_FMU_MOST_PARAMETERS)
        return yk_fail(err, YK_E_UNSUPPORTED, "more than %d parameters", YK_FMU_MOST_PARAMETERS);
    if ((st = make_port(f, name, YK_QUANTITY_COUNT, port, &v, err)) || (st = convert(f, v, value, &port->value, err)))
        return st;
    if (!v->has_start || v->variability == YK_FMU_CONSTANT || v->causality == YK_FMU_INPUT)
        return yk_fail(err, YK_E_INPUT, "variable '%s' of the FMU has no start value that could be set", name);
    if (!(port->value >= v->min && port->value <= v->max))
        return yk_fail(err, YK_E_RANGE, "%s = %g is outside %g .. %g, the range that the FMU declares", name,
                       port->value, v->min, v->max);
    f->job.parameters++;
    return YK_OK;
}

enum yk_status yk_fmu_parameters(struct yk_fmu *f, const char *list, struct yk_err *err)
{
    char *copy = strdup(list ? list : ""), *rest = copy, *item;
    enum yk_status st = copy ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    while (!st && (item = strsep(&rest, ",;"))) {
        char *equals = strchr(item, '='), *end;

        item += strspn(item, " ");
        if (!*item)
            continue;
        if (!equals) {
            st = yk_fail(err, YK_E_INPUT, "'%s': write parameters as NAME=VALUE, separated by commas", item);
            break;
        }
        *equals = 0;
        for (end = equals; end > item && end[-1] == ' '; end--)
            end[-1] = 0;
        equals += 1 + strspn(equals + 1, " ");
        for (end = equals + strlen(equals); end > equals && end[-1] == ' '; end--)
            end[-1] = 0;
        st = yk_fmu_parameter(f, item, equals, err);
    }
    free(copy);
    return st;
}

void yk_fmu_pretend(struct yk_fmu *f, const char *token)
{
    snprintf(f->job.token, sizeof f->job.token, "%s", token);
}

/* ---- the host ---- */

/* Beside the program or library, above it (tests), and where an installation has it. */
bool yk_fmu_tool(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"", "../", "../../", YOKE_FMU_HOST_FOLDER "/", YOKE_FMU_HOST_FROM_LIB "/"};
    char own[2][1024] = {"", ""};
    Dl_info info;
    const ssize_t length = readlink("/proc/self/exe", own[0], sizeof own[0] - 1);

    own[0][length > 0 ? length : 0] = 0;
    if (dladdr(places, &info) && info.dli_fname)
        snprintf(own[1], sizeof own[1], "%s", info.dli_fname);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; *own[i] && k < sizeof places / sizeof *places; k++) {
            char folder[1024];

            snprintf(folder, sizeof folder, "%.1000s", own[i]);
            snprintf(path, size, "%.1000s/%s%s", dirname(folder), places[k], name);
            if (access(path, R_OK) == 0)
                return true;
        }
    return false;
}

static enum yk_status spawn(struct yk_fmu *f, int memory, struct yk_err *err)
{
    char locale[] = "LC_ALL=C", path[] = "PATH=/usr/bin:/bin", *const environment[] = {locale, path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char host[1200];
    int life[2], code;

    if (!yk_fmu_tool("yoke-fmu-host", host, sizeof host))
        return yk_fail(err, YK_E_IO, "the program yoke-fmu-host, in which FMUs run, is not installed beside yoke");
    if (pipe2(life, O_CLOEXEC) != 0)
        return yk_fail(err, YK_E_IO, "no pipe can be made: %s", strerror(errno));
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    /* over numbers that neither of them has */
    posix_spawn_file_actions_adddup2(&actions, memory, 1000);
    posix_spawn_file_actions_adddup2(&actions, life[0], 1001);
    posix_spawn_file_actions_adddup2(&actions, 1000, YK_FMU_MEMORY_FD);
    posix_spawn_file_actions_adddup2(&actions, 1001, YK_FMU_LIFE_FD);
    posix_spawn_file_actions_addclosefrom_np(&actions, YK_FMU_LIFE_FD + 1);
    posix_spawn_file_actions_addchdir_np(&actions, f->folder);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    code = posix_spawn(&f->pid, host, &actions, &attributes, (char *[]){host, NULL}, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(life[0]);
    f->life = life[1];
    if (!code)
        return YK_OK;
    f->pid = 0;
    return yk_fail(err, YK_E_IO, "%s cannot be started: %s", host, strerror(code));
}

/* Is it gone? Takes note of how. */
static bool has_gone(struct yk_fmu *f)
{
    int how;

    if (!f->pid || waitpid(f->pid, &how, WNOHANG) != f->pid)
        return false;
    f->pid = 0;
    f->fault.outcome = WIFSIGNALED(how) ? YK_FMU_DIED : YK_FMU_EXITED;
    f->fault.code = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how);
    return true;
}

/* Waits for the answer to the request that was posted last. */
static bool await_answer(struct yk_fmu *f, int64_t longest_ns)
{
    const int64_t begin = yk_clock_now_ns();
    size_t length;
    uint64_t number;

    for (int64_t now = begin; !f->dead; now = yk_clock_now_ns()) {
        const int64_t until = begin + longest_ns < now + SLICE_NS ? begin + longest_ns : now + SLICE_NS;

        if (yk_board_wait(f->answers, f->seen, now == begin ? YK_FMU_SPIN_NS : 0, until)) {
            if ((number = yk_board_read(f->answers, yk_fmu_answer_words(&f->job), &f->answer[0].n, &length)) >
                    f->seen &&
                length == yk_fmu_answer_words(&f->job)) {
                f->seen = number;
                return true;
            }
            continue;
        }
        if (has_gone(f)) {
            f->dead = true;
        } else if (yk_clock_now_ns() >= begin + longest_ns) {
            f->fault.outcome = YK_FMU_SILENT;
            f->fault.waited_s = 1e-9 * (double)longest_ns;
            f->dead = true;
        }
    }
    memcpy(f->fault.where, f->shared->where, sizeof f->fault.where - 1);
    return false;
}

static void end_host(struct yk_fmu *f)
{
    if (f->life >= 0)
        close(f->life);
    f->life = -1;
    if (f->pid > 0) {
        kill(f->pid, SIGKILL);
        waitpid(f->pid, NULL, 0);
    }
    f->pid = 0;
    if (f->shared)
        munmap(f->shared, f->shared_size);
    f->shared = NULL;
    f->seen = 0;
}

static enum yk_status start_host(struct yk_fmu *f, struct yk_err *err)
{
    const int memory = memfd_create("yoke-fmu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    enum yk_status st = YK_OK;
    char words[YK_FMU_TEXT + 200];

    end_host(f);
    f->dead = false;
    f->fault = (struct fault){0};
    f->shared_size = yk_fmu_shared_size(&f->job);
    if (memory < 0 || ftruncate(memory, (off_t)f->shared_size) != 0 ||
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 ||
        (f->shared = mmap(NULL, f->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)) == MAP_FAILED) {
        f->shared = NULL;
        st = yk_fail(err, YK_E_MEMORY, "no shared memory for the FMU: %s", strerror(errno));
    }
    if (!st) {
        f->shared->job = f->job;
        f->requests = (struct yk_board *)((char *)f->shared + yk_fmu_requests_at());
        f->answers = (struct yk_board *)((char *)f->shared + yk_fmu_answers_at(&f->job));
        st = spawn(f, memory, err);
    }
    if (memory >= 0)
        close(memory);
    if (!st && !await_answer(f, (int64_t)LOADING_S * 1000000000)) {
        yk_fmu_fault(f, words, sizeof words);
        st = yk_fail(err, YK_E_INPUT, "%s", words);
    } else if (!st && f->answer[0].n) {
        f->shared->text[YK_FMU_TEXT - 1] = 0;
        st = yk_fail(err, YK_E_INPUT, "%s", f->shared->text);
    }
    return st;
}

/* ---- requests ---- */

YK_RT uint64_t yk_fmu_number(struct yk_fmu *f)
{
    return atomic_fetch_add_explicit(&f->number, 1, memory_order_relaxed) + 1;
}

YK_RT static void write_request(struct yk_fmu *f, const struct yk_fmu_ask *ask)
{
    const size_t n = f->job.inputs;
    union yk_fmu_word *r = f->request;

    r[0].n =
        (uint64_t)ask->what | (uint64_t)ask->course << 8 | (uint64_t)ask->substeps << 16 | (uint64_t)ask->keep << 32;
    r[1].n = ask->from;
    r[2].n = ask->as;
    r[3].x = ask->t;
    r[4].x = ask->h;
    r[5].n = 0;
    r += YK_FMU_REQUEST_HEAD;
    if (ask->begin)
        memcpy(r, ask->begin, n * sizeof(double));
    if (ask->end)
        memcpy(r + n, ask->end, n * sizeof(double));
    if (ask->z)
        memcpy(r + 2 * n, ask->z, f->job.states * sizeof(double));
}

/* The host, or the instance in this process. False: it is gone. */
YK_RT static bool get_answer(struct yk_fmu *f)
{
    if (f->instance) {
        yk_fmu_instance_answer(f->instance, f->request, f->answer);
        return true;
    }
    if (f->dead || !f->shared)
        return false;
    yk_board_post(f->requests, yk_fmu_request_words(&f->job), &f->request[0].n, yk_fmu_request_words(&f->job));
    yk_board_ring(f->requests);
    return await_answer(f, f->timeout_ns);
}

YK_RT enum yk_fmu_outcome yk_fmu_ask(struct yk_fmu *f, const struct yk_fmu_ask *ask, double *outputs, double *z)
{
    enum yk_fmu_outcome outcome;

    while (atomic_flag_test_and_set_explicit(&f->busy, memory_order_acquire))
        ;
    write_request(f, ask);
    if (get_answer(f)) {
        outcome = (enum yk_fmu_outcome)f->answer[0].n;
        if (outcome == YK_FMU_FINE && outputs)
            memcpy(outputs, f->answer + YK_FMU_ANSWER_HEAD, f->job.outputs * sizeof *outputs);
        if (outcome == YK_FMU_FINE && z)
            memcpy(z, f->answer + YK_FMU_ANSWER_HEAD + f->job.outputs, f->job.states * sizeof *z);
        if (outcome != YK_FMU_FINE && outcome != YK_FMU_STATE_GONE && f->fault.outcome == YK_FMU_FINE) {
            f->fault.outcome = outcome;
            f->fault.t = ask->t + ask->h;
            memcpy(f->fault.where, f->shared->where, sizeof f->fault.where - 1);
        }
        f->dead = f->dead || (outcome == YK_FMU_FATAL && !f->instance);
    } else {
        outcome = f->fault.outcome ? f->fault.outcome : YK_FMU_DIED;
        if (f->fault.t == 0)
            f->fault.t = ask->t + ask->h;
    }
    atomic_flag_clear_explicit(&f->busy, memory_order_release);
    return outcome;
}

static enum yk_fmu_outcome initialize(struct yk_fmu *f, const double *inputs, uint64_t *number, double *outputs,
                                      double *z)
{
    const struct yk_fmu_ask ask = {
        .what = YK_FMU_INIT, .as = *number = yk_fmu_number(f), .begin = inputs, .end = inputs};

    f->fault = (struct fault){0};
    return yk_fmu_ask(f, &ask, outputs, z);
}

enum yk_fmu_outcome yk_fmu_again(struct yk_fmu *f, const double *inputs, uint64_t *number, double *outputs, double *z)
{
    if (f->dead && start_host(f, NULL))
        return f->fault.outcome ? f->fault.outcome : YK_FMU_FAILED;
    return initialize(f, inputs, number, outputs, z);
}

static enum yk_status refuse_start(const struct yk_fmu *f, struct yk_err *err)
{
    char words[YK_FMU_TEXT + 200];

    if (!yk_fmu_fault(f, words, sizeof words))
        snprintf(words, sizeof words, "it cannot be initialized");
    return yk_fail(err, YK_E_INPUT, "%s", words);
}

enum yk_status yk_fmu_start(struct yk_fmu *f, const struct yk_fmu_start *start, const double *inputs, uint64_t *number,
                            double *outputs, double *z, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    f->in_process = start->in_process;
    f->timeout_ns = llround(1e9 * start->timeout_s);
    f->job.stop = start->end_s > 0 ? f->job.start + start->end_s : NAN;
    f->job.saves = f->job.saves && !start->no_saving;
    f->job.interpolates = f->chosen == YK_FMU_COSIMULATION && yk_fmu_flags(f)->interpolates;
    f->job.intermediate = f->chosen == YK_FMU_COSIMULATION && yk_fmu_flags(f)->intermediate;
    for (size_t i = 0; i < f->job.inputs && f->job.intermediate; i++)
        for (size_t k = 0; k < f->d.variable_count; k++)
            if (f->d.variables[k].vr == f->job.input[i].vr && !f->job.input[i].absent)
                f->job.intermediate = f->job.intermediate && f->d.variables[k].intermediate;
    free(f->request);
    free(f->answer);
    if (!(f->request = calloc(yk_fmu_request_words(&f->job), sizeof *f->request)) ||
        !(f->answer = calloc(yk_fmu_answer_words(&f->job), sizeof *f->answer)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (f->in_process) {
        if (!(f->shared = calloc(1, sizeof *f->shared)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        st = yk_fmu_instance_open(&f->instance, &f->job, f->shared->where, f->shared->text, err);
    } else {
        st = start_host(f, err);
    }
    if (st)
        return yk_fail_within(err, YK_IN_FILE(f->path), "%s", "");
    if (initialize(f, inputs, number, outputs, z) != YK_FMU_FINE)
        st = refuse_start(f, err);
    return st ? yk_fail_within(err, YK_IN_FILE(f->path), "%s", "") : YK_OK;
}

bool yk_fmu_saves(const struct yk_fmu *f)
{
    return f->job.saves;
}

size_t yk_fmu_states(const struct yk_fmu *f)
{
    return f->job.states;
}

bool yk_fmu_has_events(const struct yk_fmu *f)
{
    return f->chosen == YK_FMU_EXCHANGE && (f->job.completes || f->job.indicators);
}

YK_RT bool yk_fmu_has_failed(const struct yk_fmu *f)
{
    return f->fault.outcome != YK_FMU_FINE;
}

bool yk_fmu_fault(const struct yk_fmu *f, char *text, size_t size)
{
    const struct fault *x = &f->fault;
    const char *says = f->shared && *f->shared->text ? f->shared->text : "", *name = f->job.name;
    const char *in = *x->where ? x->where : "its code";

    switch (x->outcome) {
    case YK_FMU_FINE:
    case YK_FMU_STATE_GONE:
        return false;
    case YK_FMU_DIED:
        snprintf(text, size, "FMU '%s' died by signal %d (%s) in %s at t = %g s", name, x->code, strsignal(x->code), in,
                 x->t);
        break;
    case YK_FMU_EXITED:
        snprintf(text, size, "FMU '%s' ended its process (exit code %d) in %s at t = %g s", name, x->code, in, x->t);
        break;
    case YK_FMU_SILENT:
        snprintf(text, size, "FMU '%s' did not answer within %g s in %s at t = %g s", name, x->waited_s, in, x->t);
        break;
    case YK_FMU_NOT_FINITE:
        snprintf(text, size, "FMU '%s' returned a value that is not a finite number at t = %g s", name, x->t);
        break;
    case YK_FMU_REPEATED:
        snprintf(text, size,
                 "FMU '%s' was asked twice for one instant (t = %g s), but cannot go back: it saves no state", name,
                 x->t);
        break;
    case YK_FMU_WANTS_END:
        snprintf(text, size, "FMU '%s' asked to stop at t = %g s", name, x->t);
        break;
    case YK_FMU_EVENTS:
        snprintf(text, size, "FMU '%s' has more than 10 events in the step to t = %g s", name, x->t);
        break;
    default:
        snprintf(text, size, "FMU '%s' %s in %s at t = %g s%s%.200s", name,
                 x->outcome == YK_FMU_DISCARDED ? "discarded its step" : "reported an error", in, x->t,
                 *says ? ": " : "", says);
    }
    return true;
}

void yk_fmu_costs(const struct yk_fmu *f, uint64_t *heap, uint64_t *ns, uint64_t *warnings)
{
    *warnings = f->answer[1].n;
    *ns = f->answer[2].n;
    *heap = f->answer[3].n;
}

void yk_fmu_close(struct yk_fmu *f)
{
    if (!f)
        return;
    if (f->shared && !f->instance && !f->dead && f->pid > 0) { /* a short time to say good-bye */
        f->request[0].n = YK_FMU_END;
        yk_board_post(f->requests, yk_fmu_request_words(&f->job), &f->request[0].n, yk_fmu_request_words(&f->job));
        yk_board_ring(f->requests);
        for (int i = 0; i < 200 && !has_gone(f); i++)
            yk_clock_sleep_until(yk_clock_now_ns() + 500000);
    }
    if (f->instance) {
        yk_fmu_instance_close(f->instance);
        free(f->shared);
        f->shared = NULL;
    }
    end_host(f);
    if (f->owns_folder)
        yk_archive_remove(f->folder);
    yk_fmu_description_free(&f->d);
    free(f->request);
    free(f->answer);
    free(f->path);
    free(f);
}

/* ---- what adapters ask ---- */

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
        f->fault = (struct fault){0}; /* it promised derivatives and fails: differences */
        known = differs;
        if (known)
            outcome = differences(f, &ask, x, k, by[k], x + n, D + k * m);
    }
    free(x);
    if (!known)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "how its force depends on the motion at once is unknown: the FMU gives no directional "
                       "derivatives and cannot save its state or vary its step");
    return outcome == YK_FMU_FINE ? YK_OK : refuse_start(f, err);
}
