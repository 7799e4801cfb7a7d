#include "report.h"
#include "columns.h"
#include "features.h"

#include <yoke/file.h>
#include <yoke/json.h>
#include <yoke/page.h>
#include <yoke/rig_state.h>

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUDGET = 560000,       /* values of all curves of a page: 3 MB in base64 */
    FEWEST = 128,          /* points of a curve, however many there are */
    ENOUGH = 3000,         /* points of a curve that is drawn by default, however many others there are */
    LEADING = 12,          /* curves of a kind that may be drawn by default: the largest ones */
    MOST = 40000,          /* points of a curve, however few there are */
    MOST_FULL = 40,        /* degrees of freedom whose rows are kept for loops and spectra */
    MOST_NOTES = 64 << 10, /* bytes */
    MOST_ERRORS = 24,      /* degrees of freedom whose error against the reference is shown */
};

struct source {
    const struct yk_report_run *run;
    struct yk_recording *recording;
    json_t *summary, *description; /* NULL where there is none */
};

/* ---- what is made from other columns ---- */

struct made {
    struct yk_page_derived *items;
    size_t count, room;
};

static void made_free(struct made *m)
{
    for (size_t i = 0; i < m->count; i++) {
        for (size_t g = 0; g < m->items[i].count; g++) {
            free(m->items[i].groups[g].column);
            free(m->items[i].groups[g].factor);
        }
        free(m->items[i].groups);
    }
    free(m->items);
    *m = (struct made){0};
}

/* A column with `groups` empty groups; NULL when out of memory, and then it is left out. */
static struct yk_page_derived *made_add(struct made *m, size_t groups)
{
    struct yk_page_derived *items = realloc(m->items, (m->count + 1) * sizeof *items);

    if (!items)
        return NULL;
    m->items = items;
    items[m->count] = (struct yk_page_derived){.groups = calloc(groups + 1, sizeof *items->groups)};
    return items[m->count].groups ? &items[m->count++] : NULL;
}

static bool group_add(struct yk_page_group *group, int column, double factor)
{
    int *columns = realloc(group->column, (group->count + 1) * sizeof *columns);
    double *factors = columns ? realloc(group->factor, (group->count + 1) * sizeof *factors) : NULL;

    if (columns)
        group->column = columns;
    if (!factors)
        return false;
    group->factor = factors;
    columns[group->count] = column;
    factors[group->count++] = factor;
    return true;
}

/* The column one minus the column other. */
static void add_difference(struct made *m, const struct yk_recording *r, int stream, size_t one, int other,
                           const char *kind)
{
    const struct yk_channel *channel = yk_recording_channel(r, stream, one);
    struct yk_page_derived *d = other >= 0 ? made_add(m, 1) : NULL;
    char owner[YK_LONG_NAME], what[YK_LONG_NAME];

    if (!d)
        return;
    yk_channel_split(channel, owner, what);
    d->count = 1;
    d->channel = *channel;
    snprintf(d->channel.name, sizeof d->channel.name, "%.60s - %.60s", channel->name,
             yk_recording_channel(r, stream, (size_t)other)->name);
    snprintf(d->channel.kind, sizeof d->channel.kind, "%s", kind);
    snprintf(d->channel.long_name, sizeof d->channel.long_name, "%.100s%s%s", owner, *owner ? ", " : "", kind);
    group_add(&d->groups[0], (int)one, 1);
    group_add(&d->groups[0], other, -1);
}

static int find_of(const struct yk_recording *r, int stream, const char *kind, const struct yk_channel *like)
{
    for (size_t i = 1; i < yk_recording_channels(r, stream); i++) {
        const struct yk_channel *c = yk_recording_channel(r, stream, i);

        if (!strcmp(c->kind, kind) && !strcmp(c->owner, like->owner) && !strcmp(c->unit, like->unit))
            return (int)i;
    }
    return -1;
}

/* Tracking errors of actuators, and errors against the reference. */
static void add_errors(struct made *m, const struct yk_recording *r, int stream)
{
    size_t references = 0;

    for (size_t i = 1; i < yk_recording_channels(r, stream); i++) {
        const struct yk_channel *c = yk_recording_channel(r, stream, i);

        for (size_t k = 1; k < yk_recording_channels(r, stream); k++)
            if (yk_page_follows(yk_recording_channel(r, stream, k), c)) {
                add_difference(m, r, stream, i, (int)k, "tracking error");
                break;
            }
        if (!strcmp(c->kind, "reference") && references++ < MOST_ERRORS) {
            const int computed = find_of(r, stream, "displacement", c);

            if (computed >= 0)
                add_difference(m, r, stream, (size_t)computed, (int)i, "reference error");
        }
    }
}

/* The largest gap of all interfaces, in displacement or velocity. */
static void add_gap(struct made *m, const struct source *s, int stream, char letter, const char *unit,
                    const char *words)
{
    const json_t *rows = json_object_get(json_object_get(s->description, "sketch"), "interfaces");
    struct yk_page_derived *d = json_array_size(rows) ? made_add(m, json_array_size(rows)) : NULL;

    if (!d)
        return;
    d->channel = (struct yk_channel){.kind = "gap"};
    snprintf(d->channel.name, sizeof d->channel.name, "largest gap, %c", letter);
    snprintf(d->channel.unit, sizeof d->channel.unit, "%s", unit);
    snprintf(d->channel.long_name, sizeof d->channel.long_name, "%s", words);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *terms = json_object_get(json_array_get(rows, r), "terms");
        struct yk_page_group *group = &d->groups[d->count];
        bool whole = true;

        for (size_t t = 0; t < json_array_size(terms) && whole; t++) {
            const json_t *term = json_array_get(terms, t);
            const char *substructure = json_string_value(json_object_get(term, "substructure")),
                       *dof = json_string_value(json_object_get(term, "dof"));
            char name[YK_CHANNEL_NAME];
            int column;

            snprintf(name, sizeof name, "%s.%s.%c", substructure ? substructure : "", dof ? dof : "", letter);
            column = yk_recording_find(s->recording, stream, name);
            whole = column >= 0 && group_add(group, column, json_number_value(json_object_get(term, "factor")));
        }
        if (whole && group->count)
            d->count++;
        else
            group->count = 0;
    }
    if (d->count == 0) {
        free(d->groups[0].column);
        free(d->groups[0].factor);
        free(d->groups);
        m->count--;
    }
}

/* ---- loops and spectra ---- */

/* Are its rows needed in full, for loops and spectra, whatever else there is? */
static bool is_needed(const struct yk_channel *c)
{
    static const char *const kinds[] = {
        "time",           "target",      "measured displacement", "measured velocity", "measured acceleration",
        "measured force", "deformation", "element force",         "restoring force",   "state"};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(c->kind, kinds[k]))
            return true;
    return false;
}

static int by_size(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;

    return one > other ? -1 : one < other;
}

/* The peaks of the displacements, as the summary has them; 0 where it has none. Returns the smallest that is among the
 * MOST_FULL largest. */
static double find_peaks(const struct source *s, int stream, double *peaks)
{
    const json_t *known = json_object_get(s->summary, "peaks");
    const size_t channels = yk_recording_channels(s->recording, stream);
    double *sorted = calloc(channels + 1, sizeof *sorted), least = 0;
    size_t count = 0;

    for (size_t i = 0; i < channels; i++) {
        const struct yk_channel *c = yk_recording_channel(s->recording, stream, i);

        peaks[i] = json_number_value(json_object_get(known, c->name));
        if (sorted && !strcmp(c->kind, "displacement"))
            sorted[count++] = peaks[i];
    }
    if (count > MOST_FULL) {
        qsort(sorted, count, sizeof *sorted, by_size);
        least = sorted[MOST_FULL - 1];
    }
    free(sorted);
    return least;
}

/* Which columns are needed in full: of the degrees of freedom the largest, or the first where their size is unknown. */
static bool *choose_full(const struct source *s, int stream, size_t columns)
{
    const size_t channels = yk_recording_channels(s->recording, stream);
    bool *full = calloc(columns + 1, sizeof *full);
    double *peaks = full ? calloc(channels + 1, sizeof *peaks) : NULL, least = peaks ? find_peaks(s, stream, peaks) : 0;
    size_t dofs = 0;

    for (size_t i = 0; full && i < channels; i++) {
        const struct yk_channel *c = yk_recording_channel(s->recording, stream, i);

        full[i] =
            is_needed(c) || (!strcmp(c->kind, "displacement") && (!peaks || peaks[i] >= least) && ++dofs <= MOST_FULL);
    }
    free(peaks);
    return full;
}

/* ---- how many points ---- */

/* How the channels of a page share its points. If there are too many of them, those that the page draws by itself have
 * `fine` points and the others are coarsened to about `coarse`. */
struct share {
    size_t fine, coarse;
};

static struct share share_points(size_t channels)
{
    const size_t each = BUDGET / (channels ? channels : 1), rest = each < FEWEST ? FEWEST : each;

    return each < ENOUGH ? (struct share){ENOUGH, rest} : (struct share){each < MOST ? each : MOST, 0};
}

static double size_of(const struct yk_page_column *column)
{
    return fmax(fabs(column->least), fabs(column->largest));
}

/* Is it one of the largest of its kind and unit? */
static bool leads(const struct yk_page_columns *c, size_t i)
{
    size_t larger = 0;

    for (size_t k = 1; k < c->count && larger < LEADING; k++)
        larger += !strcmp(c->columns[k].channel->kind, c->columns[i].channel->kind) &&
                  !strcmp(c->columns[k].channel->unit, c->columns[i].channel->unit) &&
                  (size_of(&c->columns[k]) > size_of(&c->columns[i]) ||
                   (k < i && size_of(&c->columns[k]) == size_of(&c->columns[i])));
    return larger < LEADING;
}

/* Drawn by default are the largest of a kind, and what else belongs to one of the largest displacements. */
static void mark_leading(const struct yk_page_columns *c, bool *leading)
{
    for (size_t i = 1; i < c->count; i++)
        leading[i] = leads(c, i);
    for (size_t i = 1; i < c->count; i++)
        if (leading[i] && !strcmp(c->columns[i].channel->kind, "displacement"))
            for (size_t k = 1; k < c->count; k++)
                leading[k] |= !strcmp(c->columns[k].channel->owner, c->columns[i].channel->owner);
}

/* ---- a stream ---- */

static void put_column(FILE *out, const struct yk_page_column *column, bool coarse, const float *points, size_t count)
{
    const struct yk_channel *channel = column->channel;

    fputc('{', out);
    yk_page_member(out, "name", channel->name, true);
    yk_page_member(out, "unit", channel->unit, false);
    yk_page_member(out, "kind", channel->kind, false);
    yk_page_member(out, "owner", channel->owner, false);
    yk_page_member(out, "words", yk_channel_words(channel), false);
    fputs(",\"min\":", out);
    yk_page_number(out, column->least);
    fputs(",\"max\":", out);
    yk_page_number(out, column->largest);
    fputs(",\"first\":", out);
    yk_page_number(out, column->first);
    fputs(coarse ? ",\"coarse\":true,\"data\":" : ",\"data\":", out);
    yk_page_floats(out, points, count);
    fputc('}', out);
}

/* `factor`: of the channels that do not lead, by which their points are fewer; 0: all have the same. */
static enum yk_status put_columns(FILE *out, const struct yk_page_columns *c, size_t factor, struct yk_err *err)
{
    bool *leading = calloc(c->count, sizeof *leading);
    double *time = calloc(c->points + 2, sizeof *time);
    float *few = calloc(c->points + 2, sizeof *few);
    const bool good = leading && time && few;

    if (good) {
        fprintf(out, "\"rows\":%llu,\"stretch\":%zu,\"time\":", (unsigned long long)c->rows, c->stretch);
        yk_page_doubles(out, c->time, c->points);
        if (factor) {
            mark_leading(c, leading);
            /* a point stands for half a stretch, unless it is a row */
            fprintf(out, ",\"coarse\":{\"stretch\":%zu,\"time\":", c->stretch > 1 ? factor / 2 * c->stretch : factor);
            yk_page_doubles(out, time, yk_page_coarsen_time(c, factor, time));
            fputc('}', out);
        }
        fputs(",\"channels\":[", out);
        for (size_t i = 1; i < c->count; i++) {
            const bool coarse = factor && !leading[i];

            fputs(i > 1 ? ",\n" : "", out);
            put_column(out, &c->columns[i], coarse, coarse ? few : c->columns[i].points,
                       coarse ? yk_page_coarsen(c, i, factor, few) : c->points);
        }
        fputc(']', out);
    }
    free(leading);
    free(time);
    free(few);
    return good ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* States of the supervisor, by the time of the station. */
static void put_states(FILE *out, const struct yk_page_columns *c)
{
    fputs(",\"states\":[", out);
    for (size_t i = 0; i < c->change_count; i++) {
        const double number = c->changes[i].value;

        fputs(i ? ",{\"time\":" : "{\"time\":", out);
        yk_page_number(out, c->changes[i].time);
        fputs(",\"state\":", out);
        yk_page_string(out, number >= 0 && number < YK_STATES ? yk_rig_state_text((enum yk_rig_state)number) : "?");
        fputc('}', out);
    }
    fputc(']', out);
}

/* One stream, with all that is drawn from it. */
static enum yk_status put_stream(FILE *out, const struct source *s, int stream, const char *name,
                                 const struct share *share, struct yk_err *err)
{
    const bool system = !strcmp(name, "system"), ticks = !strcmp(name, "ticks");
    struct made made = {0};
    struct yk_page_columns c;
    bool *full, first = true;
    enum yk_status st;

    if (system) {
        add_errors(&made, s->recording, stream);
        add_gap(&made, s, stream, 'u', "m", "largest gap of an interface, displacement");
        add_gap(&made, s, stream, 'v', "m/s", "largest gap of an interface, velocity");
    }
    if (!(full = choose_full(s, stream, yk_recording_channels(s->recording, stream) + made.count))) {
        made_free(&made);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    const int state = ticks ? yk_recording_find(s->recording, stream, "state") : -1;
    const struct yk_page_wish wish = {
        .most = share->fine, .full = full, .watched = state, .derived = made.items, .derived_count = made.count};

    if (!(st = yk_page_columns_read(&c, s->recording, stream, &wish, err))) {
        fprintf(out, "{\"name\":\"%s\",", name);
        st = put_columns(
            out, &c,
            share->coarse && c.points > share->coarse ? 2 * ((c.points + share->coarse - 1) / share->coarse) : 0, err);
        if (state >= 0)
            put_states(out, &c);
        fputs(",\n\"loops\":[", out);
        yk_page_loops(out, &c, name, state, YK_STATE_RUNNING, &first);
        first = true;
        fputs("],\"synchronisation\":[", out);
        if (system)
            yk_page_synchronisation(out, &c, &first);
        first = true;
        fputs("],\"spectra\":[", out);
        if (system)
            yk_page_spectra(out, &c, &first);
        first = true;
        fputs("],\"delays\":[", out);
        if (system)
            yk_page_delays(out, &c, &first);
        first = true;
        fputs("],\"demands\":[", out);
        if (system)
            yk_page_demands(out, &c, json_object_get(s->summary, "demand"), &first);
        fputs("]}", out);
        yk_page_columns_free(&c);
    }
    free(full);
    made_free(&made);
    return st;
}

static const char *const stream_names[] = {"system", "fine", "ticks"};
enum { STREAMS = sizeof stream_names / sizeof *stream_names };

static size_t count_channels(const struct source *sources, size_t count)
{
    size_t channels = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < STREAMS; k++) {
            const int stream = yk_recording_stream(sources[i].recording, stream_names[k]);

            channels += stream >= 0 ? yk_recording_channels(sources[i].recording, stream) : 0;
        }
    return channels;
}

/* ---- runs ---- */

static void put_texts(FILE *out, const struct yk_recording *r)
{
    static const char *const names[] = {"title",     "method",          "build",     "date",      "host",
                                        "user",      "command",         "note",      "cpu",       "blas",
                                        "libraries", "experiment_path", "overrides", "experiment"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        yk_page_member(out, names[i], yk_recording_text(r, names[i]), false);
}

/* A file beside the recording; NULL where there is none. */
static FILE *open_beside(const struct source *s, const char *name)
{
    char *folder = strdup(s->run->recording), *path = NULL;
    FILE *in = NULL;

    if (folder && asprintf(&path, "%s/%s", dirname(folder), name) >= 0 && yk_file_check(path, NULL) == YK_OK)
        in = fopen(path, "r");
    free(path);
    free(folder);
    return in;
}

/* Notes of the operators during the run, a line each. */
static void put_notes(FILE *out, const struct source *s)
{
    FILE *in = open_beside(s, "notes.txt");
    char *text = in ? calloc(MOST_NOTES + 1, 1) : NULL;

    if (text)
        text[fread(text, 1, MOST_NOTES, in)] = 0;
    yk_page_member(out, "notes", text, false);
    free(text);
    if (in)
        fclose(in);
}

/* Cause of a verdict that is not good, where its first reason tells one, and the command that looks further: the reruns
 * of `yoke explain`, which need an actuator. */
static void put_explanation(FILE *out, const struct source *s)
{
    const json_t *verdict = json_object_get(s->summary, "verdict");
    const char *level = yk_json_text(verdict, "level");
    const struct yk_cause *cause =
        yk_cause_of(yk_json_text(json_array_get(json_object_get(verdict, "reasons"), 0), "criterion"));
    char *path = strdup(s->run->recording), *command = NULL;

    if (*level && strcmp(level, "good") != 0 && path) {
        const char *folder = dirname(path), *quote = strpbrk(folder, " '\"$&;()*?<>|") ? "\"" : "";

        if (json_object_size(json_object_get(s->summary, "tracking")) > 0 &&
            asprintf(&command, "yoke explain %s%s%s", quote, folder, quote) < 0)
            command = NULL;
        fputs(",\n\"explanation\":{", out);
        yk_page_member(out, "cause", cause ? cause->key : NULL, true);
        yk_page_member(out, "words", cause ? cause->words : NULL, false);
        yk_page_member(out, "command", command, false);
        fputc('}', out);
    }
    free(command);
    free(path);
}

static enum yk_status put_run(FILE *out, const struct source *s, const struct share *share, struct yk_err *err)
{
    bool first = true;
    enum yk_status st = YK_OK;

    fputc('{', out);
    yk_page_member(out, "label", s->run->label, true);
    yk_page_member(out, "recording", s->run->recording, false);
    fprintf(out, ",\"finished\":%s", yk_recording_finished(s->recording) ? "true" : "false");
    put_texts(out, s->recording);
    put_notes(out, s);
    fputs(",\n\"summary\":", out);
    yk_page_json(out, s->summary);
    put_explanation(out, s);
    fputs(",\n\"description\":", out);
    yk_page_json(out, s->description);
    fputs(",\n\"streams\":[", out);
    for (size_t k = 0; k < STREAMS && !st; k++) {
        const int stream = yk_recording_stream(s->recording, stream_names[k]);

        if (stream < 0 || yk_recording_rows(s->recording, stream) == 0)
            continue;
        fputs(first ? "" : ",\n", out);
        first = false;
        st = put_stream(out, s, stream, stream_names[k], share, err);
    }
    fputs("]}", out);
    return st;
}

/* The hash of an element of ours, for the policy that lets nothing else run. */
static void put_hash(FILE *out, const struct yk_asset *asset)
{
    unsigned char bytes[32] = {0};

    for (size_t i = 0; i < sizeof bytes; i++) {
        unsigned byte = 0;

        sscanf(asset->sha256 + 2 * i, "%2x", &byte);
        bytes[i] = (unsigned char)byte;
    }
    fputs("'sha256-", out);
    yk_page_base64(out, bytes, sizeof bytes);
    fputc('\'', out);
}

static enum yk_status put_page(FILE *out, const struct source *sources, size_t count, struct yk_err *err)
{
    const struct yk_asset *script = yk_page_asset("report.js"), *style = yk_page_asset("report.css");
    const struct share share = share_points(count_channels(sources, count));
    enum yk_status st = YK_OK;

    if (!script || !style)
        return yk_fail(err, YK_E_UNSUPPORTED, "this program was built without the pages of web/dist");
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data: blob:; "
          "base-uri 'none'; form-action 'none'; script-src ",
          out);
    put_hash(out, script);
    fputs("; style-src ", out);
    put_hash(out, style);
    fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", out);
    yk_page_html(out, count == 1 ? yk_recording_text(sources[0].recording, "title") : "Comparison of runs");
    fputs(" - Yoke report</title>\n<style>", out);
    fwrite(style->bytes, 1, style->size, out);
    fputs("</style>\n</head>\n<body>\n<noscript>This report draws its pictures with a script that it contains; "
          "allow scripts for this file.</noscript>\n<div id=\"report\"></div>\n"
          "<script type=\"application/json\" id=\"data\">\n{\"format\":1,\"runs\":[",
          out);
    for (size_t i = 0; i < count && !st; i++) {
        fputs(i ? ",\n" : "", out);
        st = put_run(out, &sources[i], &share, err);
    }
    fputs("]}\n</script>\n<script>", out);
    fwrite(script->bytes, 1, script->size, out);
    fputs("</script>\n</body>\n</html>\n", out);
    return st;
}

/* ---- files ---- */

/* summary.json has indices that are made from the finished recording; the copy in the recording has not. */
static json_t *load_summary(const struct source *s)
{
    const char *text = yk_recording_text(s->recording, "summary");
    FILE *in = open_beside(s, "summary.json");
    json_t *summary = yk_json_read_stream(in);

    if (in)
        fclose(in);
    if (!json_is_object(summary)) {
        json_decref(summary);
        summary = yk_json_read_text(text);
    }
    return summary;
}

static enum yk_status open_source(struct source *s, const struct yk_report_run *run, struct yk_err *err)
{
    enum yk_status st = (run->own ? yk_recording_open_own : yk_recording_open)(&s->recording, run->recording, err);
    const char *description = st ? NULL : yk_recording_text(s->recording, "description");

    s->run = run;
    if (!st) {
        s->summary = load_summary(s);
        s->description = yk_json_read_text(description);
    }
    return st;
}

enum yk_status yk_report_write(const struct yk_report_run *runs, size_t count, const char *path, struct yk_err *err)
{
    struct source *sources = calloc(count + 1, sizeof *sources);
    char *part = NULL;
    FILE *out = NULL;
    enum yk_status st = sources && asprintf(&part, "%s.part", path) >= 0 ? YK_OK : YK_E_MEMORY;
    bool written = false;

    if (st)
        yk_fail(err, st, "out of memory");
    for (size_t i = 0; i < count && !st; i++)
        st = open_source(&sources[i], &runs[i], err);
    if (!st && !(out = yk_file_create_stream(part)))
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    if (!st)
        st = put_page(out, sources, count, err);
    if (out) {
        written = !ferror(out);
        written = fclose(out) == 0 && written && !st && rename(part, path) == 0;
        if (!st && !written)
            st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
        if (!written)
            unlink(part);
    }
    for (size_t i = 0; sources && i < count; i++) {
        json_decref(sources[i].summary);
        json_decref(sources[i].description);
        if (sources[i].recording)
            yk_recording_close(sources[i].recording);
    }
    free(sources);
    free(part);
    return st;
}
