/* Runs of the rig, one after the other, and what is kept of them: a recording each, their commands and answers, and
 * iterate.json with the state of the iteration. A run that an earlier process made is not repeated: its answer is read
 * again, so that a resumed iteration has the same result as one that was not interrupted. */
#include "iterate.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/file.h>
#include <yoke/sha256.h>

enum { SLICE = 64 };
#define DISSIPATES 0.5 /* of largest force times motion: work that is not merely stored */
#define FULL       0.9 /* of the largest motion: a run that counts as one at full amplitude */

volatile sig_atomic_t stop_asked;

void runs_remark(struct runs *r, const char *format, ...)
{
    va_list args;

    if (r->remark_count == MOST_REMARKS)
        return;
    va_start(args, format);
    vsnprintf(r->remarks[r->remark_count], sizeof r->remarks[0], format, args);
    va_end(args);
    fprintf(stderr, "yoke: %s\n", r->remarks[r->remark_count++]);
}

/* ---- opening ---- */

/* The file and its settings: another experiment is another iteration. */
static enum yk_status hash_file(struct runs *r, struct yk_err *err)
{
    const char *path = yk_parts_path(r->parts), *overrides = yk_parts_overrides(r->parts);
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0, got;

    if (!in)
        return yk_fail(err, YK_E_IO, "%s: %s", path, strerror(errno));
    do {
        if (room - size < 65536 && !(text = realloc(text, room += 1 << 20))) {
            fclose(in);
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
        size += got = fread(text + size, 1, room - size - 1, in);
    } while (got);
    fclose(in);
    const size_t more = overrides ? strlen(overrides) : 0;
    char *all = realloc(text, size + more + 1);

    if (!all) {
        free(text);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (more)
        memcpy(all + size, overrides, more);
    yk_sha256(all, size + more, r->sha);
    free(all);
    return YK_OK;
}

static enum yk_status check_file(const struct runs *r, struct yk_err *err)
{
    const struct yk_node *root = yk_parts_tree(r->parts),
                         *coupling = yk_node_get(yk_node_get(root, "method"), "coupling"),
                         *transfer = yk_node_get(root, "transfer");

    if (!yk_parts_actuators(r->parts))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(yk_parts_path(r->parts)),
                          "no substructure is physical: there is nothing to iterate");
    if (coupling && coupling->text && strcmp(coupling->text, "efc") == 0)
        return yk_fail_at(err, YK_E_UNSUPPORTED, coupling->where,
                          "coupling: efc has a force loop of its own; iterate with another coupling or an integrator");
    for (size_t i = 0; r->s->kind == KIND_RECORD && transfer && i < transfer->count; i++) {
        const struct yk_node *kind = yk_node_get(yk_node_get(transfer->items[i], "estimator"), "kind");

        if (kind && kind->text && strcmp(kind->text, "none") != 0)
            return yk_fail_at(err, YK_E_UNSUPPORTED, kind->where,
                              "kind: record with an estimator that adapts: the command would not be repeatable");
    }
    return YK_OK;
}

/* The experiment for runs: the force of the last tick, as it was measured with the displacement. */
static enum yk_status read_model(struct runs *r, bool rehearse, const struct yk_model **out, struct yk_err *err)
{
    enum { MORE = 64 };
    const struct yk_node *transfer = yk_node_get(yk_parts_tree(r->parts), "transfer");
    const char *list[64 + MORE];
    char own[MORE][120];
    size_t count = 0, made = 0;
    struct yk_model *model = NULL;

    for (; count < r->o->set.count; count++)
        list[count] = r->o->set.text[count];
    for (size_t i = 0; transfer && transfer->type == YK_MAP && i < transfer->count && made < MORE; i++) {
        if (!yk_node_get(transfer->items[i], "feedback"))
            continue;
        snprintf(own[made], sizeof own[made], "transfer.%s.feedback={kind: latest}", transfer->items[i]->key);
        list[count++] = own[made++];
    }
    const enum yk_status st = yk_model_read(
        &model,
        &(struct yk_model_source){
            .path = yk_parts_path(r->parts), .overrides = list, .override_count = count, .rehearse = rehearse},
        err);
    *out = model;
    return st;
}

static bool simulates(const struct yk_model *model)
{
    char *text = yk_model_describe(model);
    json_t *about = yk_json_read_text(text);
    const bool is = json_is_true(json_object_get(about, "simulates"));

    json_decref(about);
    yk_free(text);
    return is;
}

static char *name_folder(const struct runs *r)
{
    const char *path = yk_parts_path(r->parts), *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *folder;

    if (r->o->resume || r->o->output)
        return strdup(r->o->resume ? r->o->resume : r->o->output);
    return asprintf(&folder, "out/%.*s/iterate", (int)strcspn(base, "."), base) < 0 ? NULL : folder;
}

static char *in_folder(const struct runs *r, const char *format, size_t number)
{
    char name[64], *path;

    snprintf(name, sizeof name, format, number);
    return asprintf(&path, "%s/%s", r->folder, name) < 0 ? NULL : path;
}

/* ---- iterate.json ---- */

static json_t *told_json(const struct told *t, size_t number)
{
    return json_pack("{s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:I, s:b}", "run",
                     (json_int_t)number, "rung", t->rung, "factor", yk_json_number(t->factor), "frequency_Hz",
                     yk_json_number(t->frequency), "error", yk_json_number(t->error), "peak_m", yk_json_number(t->peak),
                     "work_J", yk_json_number(t->work), "fit", yk_json_number(t->fit), "blend",
                     yk_json_number(t->blend), "size_m", yk_json_number(t->size), "rest_force_N",
                     yk_json_number(t->rest_force), "status", t->status, "reason", t->reason, "made",
                     (json_int_t)t->made, "dissipates", t->dissipates);
}

static bool print_text(FILE *out, const void *text)
{
    return fputs(text, out) >= 0 && fputc('\n', out) != EOF;
}

static enum yk_status save(const struct runs *r, struct yk_err *err)
{
    json_t *list = json_array(), *all;
    char *path = in_folder(r, "iterate.json", 0), *text;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < (r->count > r->known ? r->count : r->known); k++)
        json_array_append_new(list, told_json(&r->told[k], k + 1));
    all = json_pack("{s:s, s:s, s:b, s:i, s:o, s:o}", "experiment", yk_parts_path(r->parts), "sha256", r->sha, "dry",
                    r->o->dry, "lost_runs", r->lost_runs, "lost_J", yk_json_number(r->lost_work), "runs", list);
    text = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    if (!path || !text || !yk_file_replace(path, print_text, text))
        st = yk_fail(err, YK_E_IO, "cannot write %s: %s", path ? path : "iterate.json", strerror(errno));
    json_decref(all);
    free(text);
    free(path);
    return st;
}

static double real_of(const json_t *o, const char *key)
{
    const json_t *x = json_object_get(o, key);

    return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

static enum yk_status load(struct runs *r, struct yk_err *err)
{
    char *path = in_folder(r, "iterate.json", 0);
    json_t *all = path ? yk_json_read_file(path) : NULL, *list = json_object_get(all, "runs");
    enum yk_status st = YK_OK;

    if (!json_is_array(list))
        st = yk_fail(err, YK_E_INPUT, "%s holds no iteration that could be resumed", r->folder);
    else if (strcmp(yk_json_text(all, "sha256"), r->sha) != 0)
        st = yk_fail(err, YK_E_INPUT, "%s is an iteration of another experiment, or of other settings", r->folder);
    else if (json_is_true(json_object_get(all, "dry")) != r->o->dry)
        st = yk_fail(err, YK_E_INPUT, "%s was made %s --dry", r->folder, r->o->dry ? "without" : "with");
    r->lost_runs = st ? 0 : (int)real_of(all, "lost_runs");
    r->lost_work = st ? 0 : real_of(all, "lost_J");
    for (size_t k = 0; !st && k < json_array_size(list); k++) {
        const json_t *o = json_array_get(list, k);

        if (strcmp(yk_json_text(o, "status"), "done") != 0)
            break;
        struct told *more = realloc(r->told, (r->known + 1) * sizeof *more);

        if (!more) {
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
            break;
        }
        r->told = more;
        r->told[r->known] = (struct told){.rung = (int)real_of(o, "rung"),
                                          .factor = real_of(o, "factor"),
                                          .frequency = real_of(o, "frequency_Hz"),
                                          .error = real_of(o, "error"),
                                          .peak = real_of(o, "peak_m"),
                                          .work = real_of(o, "work_J"),
                                          .fit = real_of(o, "fit"),
                                          .blend = real_of(o, "blend"),
                                          .size = real_of(o, "size_m"),
                                          .rest_force = real_of(o, "rest_force_N"),
                                          .made = (long)real_of(o, "made"),
                                          .dissipates = json_is_true(json_object_get(o, "dissipates"))};
        snprintf(r->told[r->known].status, sizeof r->told->status, "%s", yk_json_text(o, "status"));
        snprintf(r->told[r->known].reason, sizeof r->told->reason, "%s", yk_json_text(o, "reason"));
        r->known++;
    }
    json_decref(all);
    free(path);
    return st;
}

enum yk_status runs_open(struct runs *r, const struct iterate_options *o, struct yk_err *err)
{
    struct stat there;
    char *path;
    enum yk_status st = check_file(r, err);

    r->o = o;
    r->rest_force = NAN;
    if (st || (st = hash_file(r, err)) || (st = read_model(r, true, &r->rehearsal, err)))
        return st;
    if (o->dry)
        r->rig = r->rehearsal;
    else if ((st = read_model(r, false, &r->rig, err)))
        return st;
    r->real = !simulates(r->rig);
    r->dofs = yk_model_specimen_dofs(r->rig);
    r->h = yk_model_fine_step(r->rig);
    r->records = r->s->kind == KIND_RECORD || !(r->s->to > 0);
    if (!(r->folder = name_folder(r)) || !(path = in_folder(r, "iterate.json", 0)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!o->resume && !o->force && stat(path, &there) == 0)
        st = yk_fail(err, YK_E_INPUT, "%s exists; --resume %s continues it, --force replaces it", path, r->folder);
    else if (yk_make_folder(r->folder))
        st = yk_fail(err, YK_E_IO, "%s: %s", r->folder, strerror(errno));
    free(path);
    return st ? st : o->resume ? load(r, err) : save(r, err);
}

void runs_close(struct runs *r)
{
    if (r->rig != r->rehearsal)
        yk_model_close((struct yk_model *)r->rig);
    yk_model_close((struct yk_model *)r->rehearsal);
    free(r->folder);
    free(r->told);
}

/* ---- a run ---- */

static enum yk_status move(struct runs *r, const struct yk_model *model, const char *recording, size_t samples,
                           const double *u, double *x, double *F, double *rest_force, const struct early *early,
                           size_t *made, char reason[200], struct yk_err *err)
{
    struct yk_following along = {
        .steps = samples, .dofs = r->dofs, .u = u, .measured = x, .force = F, .rest_force = rest_force};
    const struct yk_session_settings settings = {.recording = recording,
                                                 .real_rig = model == r->rig && r->real,
                                                 .uncommissioned = r->o->uncommissioned,
                                                 .follow = &along};
    struct yk_session *session;
    size_t judged = 0;
    enum yk_status st = yk_session_begin(&session, model, &settings, err), ended;

    *made = 0;
    *reason = 0;
    if (st)
        return st;
    for (long now = 1; !st && now;) {
        st = yk_session_advance(session, SLICE, 0, &now, err);
        if (stop_asked && !st)
            st = yk_fail(err, YK_E_STOPPED, "stopped by request");
        if (early && !st && (size_t)along.made >= judged + early->every) {
            judged += early->every;
            if (early->enough(early->self, judged, x, F))
                break;
        }
    }
    *made = early && judged && (size_t)along.made < samples && !st ? judged : (size_t)along.made;
    ended = yk_session_end(session, st ? NULL : err);
    if (st)
        snprintf(reason, 200, "%s", *yk_session_reason(session) ? yk_session_reason(session) : "stopped by request");
    yk_session_close(session);
    return st ? st : ended;
}

/* ---- commands and answers of a run, as a recording of their own ---- */

static enum yk_status keep_rows(const struct runs *r, size_t number, size_t made, const double *u, const double *x,
                                const double *F, struct yk_err *err)
{
    const size_t n = r->dofs, width = 1 + 3 * n;
    double *rows = malloc((made * width + 1) * sizeof *rows);
    char *path = in_folder(r, "rows-%03zu.h5", number), *names = NULL, *units = NULL;
    size_t size;
    FILE *out = open_memstream(&names, &size), *of_units = open_memstream(&units, &size);
    enum yk_status st = YK_OK;

    if (!rows || !path || !out || !of_units)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; !st && k < made; k++) {
        rows[k * width] = (double)(k + 1) * r->h;
        for (size_t i = 0; i < n; i++) {
            rows[k * width + 1 + i] = u[k * n + i];
            rows[k * width + 1 + n + i] = x[k * n + i];
            rows[k * width + 1 + 2 * n + i] = F[k * n + i];
        }
    }
    if (!st) {
        static const char *const kinds[] = {"command", "measured", "force"};

        fputs("time", out);
        fputs("s", of_units);
        for (int q = 0; q < 3; q++)
            for (size_t i = 0; i < n; i++) {
                const char *part, *dof = yk_model_specimen_dof(r->rig, i, &part);

                fprintf(out, "\n%s.%s.%s", part, dof, kinds[q]);
                fputs(q < 2 ? "\nm" : "\nN", of_units);
            }
    }
    if (out)
        fclose(out);
    if (of_units)
        fclose(of_units);
    if (!st)
        st = yk_record_write(path,
                             &(struct yk_record_content){.title = yk_parts_title(r->parts),
                                                         .experiment_path = yk_parts_path(r->parts),
                                                         .overrides = yk_parts_overrides(r->parts),
                                                         .method = "iterate",
                                                         .finished = true,
                                                         .streams = {{rows, made, width, names, units}}},
                             err);
    free(rows);
    free(path);
    free(names);
    free(units);
    return st;
}

/* The answer of a run that an earlier process made; its command must be the same. */
static enum yk_status read_rows(const struct runs *r, size_t number, size_t samples, const double *u, double *x,
                                double *F, size_t *made, struct yk_err *err)
{
    const size_t n = r->dofs, width = 1 + 3 * n;
    char *path = in_folder(r, "rows-%03zu.h5", number);
    struct yk_record *record = NULL;
    enum yk_status st = path ? yk_record_read(&record, path, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st) {
        const struct yk_kept_rows rows = yk_record_rows(record, "system");

        if (rows.channels != width || rows.count > samples)
            st = yk_fail(err, YK_E_INPUT, "%s is no run of this iteration", path);
        for (size_t k = 0; !st && k < rows.count; k++) {
            const double *row = rows.rows + k * width + 1;

            if (memcmp(row, u + k * n, n * sizeof *u) != 0)
                st = yk_fail(err, YK_E_INPUT,
                             "%s: run %zu had another command than this iteration would give; the program or a file "
                             "that the experiment uses has changed",
                             path, number);
            memcpy(x + k * n, row + n, n * sizeof *x);
            memcpy(F + k * n, row + 2 * n, n * sizeof *F);
        }
        *made = rows.count;
    }
    yk_record_close(record);
    free(path);
    return st;
}

/* ---- what it did to the specimen ---- */

static void look(const struct runs *r, struct told *t, size_t made, const double *x, const double *F)
{
    const size_t n = r->dofs;

    double most = 0;

    t->peak = t->work = 0;
    for (size_t k = 0; k < made; k++)
        for (size_t i = 0; i < n; i++) {
            t->peak = fmax(t->peak, fabs(x[k * n + i]));
            most = fmax(most, fabs(F[k * n + i]));
            if (k)
                t->work += 0.5 * (F[k * n + i] + F[(k - 1) * n + i]) * (x[k * n + i] - x[(k - 1) * n + i]);
        }
    t->dissipates = t->work > DISSIPATES * most * t->peak;
}

/* Runs at full amplitude among the first `count`. */
static int full_runs(const struct runs *r, size_t count, double largest)
{
    int full = 0;

    for (size_t k = 0; k < count; k++)
        full += r->told[k].peak > FULL * largest;
    return full;
}

static enum yk_status check_budget(struct runs *r, size_t samples, const double *u, struct yk_err *err)
{
    const struct settings *s = r->s;
    double coming = 0, work = r->lost_work;

    for (size_t k = 0; k < samples * r->dofs; k++)
        coming = fmax(coming, fabs(u[k]));
    for (size_t k = 0; k < r->count; k++)
        work += r->told[k].work;
    r->out_of_budget = true;
    if (s->budget.runs && r->count + (size_t)r->lost_runs >= (size_t)s->budget.runs)
        return yk_fail(err, YK_E_STOPPED, "the budget of %d runs is used up", s->budget.runs);
    if (s->budget.work > 0 && work >= s->budget.work)
        return yk_fail(err, YK_E_STOPPED, "the budget of %.4g J of work is used up: %.4g J", s->budget.work, work);
    if (s->budget.full > 0 && r->count && coming > FULL * fmax(r->largest, coming) &&
        full_runs(r, r->count, fmax(r->largest, coming)) >= s->budget.full)
        return yk_fail(err, YK_E_STOPPED, "the budget of %d runs at full amplitude is used up", s->budget.full);
    r->out_of_budget = false;
    return YK_OK;
}

/* The force at rest drifts: something has slipped, yielded, or is warm. */
static enum yk_status check_rest(struct runs *r, const struct told *t, struct yk_err *err)
{
    if (isnan(r->rest_force))
        r->rest_force = t->rest_force;
    if (r->s->rest_limit > 0 && fabs(t->rest_force - r->rest_force) > r->s->rest_limit)
        return yk_fail(err, YK_E_STOPPED, "the force at rest has drifted by %.4g N, beyond iterate.rest_limit: %.4g N",
                       t->rest_force - r->rest_force, r->s->rest_limit);
    return YK_OK;
}

enum yk_status runs_rehearse(struct runs *r, size_t samples, const double *u, double *x, double *F, struct yk_err *err)
{
    char reason[200];
    size_t made;

    return move(r, r->rehearsal, NULL, samples, u, x, F, NULL, NULL, &made, reason, err);
}

static enum yk_status make(struct runs *r, struct told *t, size_t samples, const double *u, double *x, double *F,
                           const struct early *early, size_t *made, struct yk_err *err)
{
    char *recording = r->records ? in_folder(r, "run-%03zu.h5", r->count + 1) : NULL;
    double *rest = calloc(r->dofs + 1, sizeof *rest);
    enum yk_status st = YK_OK;

    if (!rest || (r->records && !recording))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st && r->real && (st = runs_rehearse(r, samples, u, x, F, err)))
        yk_fail_within(err, YK_NOWHERE, "run %zu was not sent to the rig; its rehearsal: ", r->count + 1);
    if (!st)
        st = move(r, r->rig, recording, samples, u, x, F, rest, early, made, t->reason, err);
    t->rest_force = rest ? rest[0] : 0;
    t->made = (long)*made;
    free(recording);
    free(rest);
    return st;
}

enum yk_status runs_make(struct runs *r, const struct told *about, size_t samples, const double *u, double *x,
                         double *F, const struct early *early, size_t *made, struct yk_err *err)
{
    const bool known = r->count < r->known;
    struct told t = known ? r->told[r->count] : *about;
    struct told *more;
    enum yk_status st;

    *made = 0;
    if (stop_asked)
        return yk_fail(err, YK_E_STOPPED, "stopped by request");
    if (known) {
        st = read_rows(r, r->count + 1, samples, u, x, F, made, err);
    } else {
        if ((st = check_budget(r, samples, u, err)))
            return st;
        st = make(r, &t, samples, u, x, F, early, made, err);
        look(r, &t, *made, x, F);
        snprintf(t.status, sizeof t.status, "%s", st ? "stopped" : "done");
        if (*made && keep_rows(r, r->count + 1, *made, u, x, F, st ? NULL : err) && !st)
            st = YK_E_IO;
    }
    if (st && !known && !*made)
        return st; /* nothing moved */
    if (!known) {
        if (!(more = realloc(r->told, (r->count + 1 > r->known ? r->count + 1 : r->known) * sizeof *more)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        r->told = more;
        r->told[r->count] = t;
        r->known = r->count + 1; /* what came after a run that is repeated is made again */
    }
    if (st && !known) { /* made again when it is resumed, but the specimen has borne it */
        r->lost_runs++;
        r->lost_work += t.work;
        save(r, NULL);
        r->known = r->count;
        return st;
    }
    r->largest = fmax(r->largest, t.peak);
    r->work += t.work;
    r->count++;
    return st ? st : check_rest(r, &t, err);
}

/* The energy of a run beside that of an earlier one of nearly the same motion. */
static void watch_change(struct runs *r)
{
    const struct told *now = &r->told[r->count - 1];

    if (!(r->s->change > 0) || r->count < 2 || !(now->work > 0))
        return;
    for (size_t k = r->count - 1; k-- > 0;) {
        const struct told *t = &r->told[k];
        const double ratio = now->size / t->size;

        if (!t->dissipates || !now->dissipates || t->made != now->made || t->rung != now->rung ||
            !(fabs(ratio - 1) < 0.03) || t->frequency != now->frequency)
            continue;
        const double fall = now->work / (t->work * ratio * ratio) - 1;

        if (fall < -r->s->change)
            runs_remark(
                r,
                "the specimen has changed (energy of run %zu: %.0f %%): results of runs before %zu do not belong "
                "together",
                r->count, 100 * fall, r->count);
        return;
    }
}

enum yk_status runs_tell(struct runs *r, double error, double fit, double blend, double size, struct yk_err *err)
{
    struct told *t = &r->told[r->count - 1];

    t->error = error;
    t->fit = fit;
    t->blend = blend;
    t->size = size;
    watch_change(r);
    if (!r->o->json) {
        printf("  run %zu", r->count);
        if (t->factor > 0)
            printf(", load x %g", t->factor);
        if (t->frequency > 0)
            printf(", %.6g Hz", t->frequency);
        printf(": error %.3g %%, peak %.4g mm, work %.4g J", 100 * error, 1e3 * t->peak, t->work);
        if (!isnan(fit))
            printf(", model misses %.2g %% of the force", 100 * fit);
        if (blend < 1)
            printf(" (target blended: %.0f %% of the way)", 100 * blend);
        putchar('\n');
        fflush(stdout);
    }
    return save(r, err);
}
