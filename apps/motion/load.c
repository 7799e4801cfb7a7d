/* Records of `yoke motion`: files of networks and channels of recordings, corrected as the options ask. */
#include "motion.h"

#include <yoke/suggest.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 4096 };

static bool ends_in(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);

    return n >= m && strcmp(text + n - m, ending) == 0;
}

static bool is_recording(const char *path)
{
    struct stat s;

    return ends_in(path, ".h5") || (stat(path, &s) == 0 && S_ISDIR(s.st_mode));
}

static void add_note(struct yk_motion *m, const char *text)
{
    const size_t old = strlen(m->notes);
    char *notes = realloc(m->notes, old + strlen(text) + 2);

    if (notes) {
        m->notes = notes;
        snprintf(notes + old, strlen(text) + 2, "%s\n", text);
    }
}

/* ---- a channel of a recording ---- */

struct walk {
    const struct yk_recording *recording;
    size_t next;
};

static const char *next_acceleration(void *self)
{
    struct walk *w = self;

    while (w->next < yk_recording_channels(w->recording, 0)) {
        const struct yk_channel *c = yk_recording_channel(w->recording, 0, w->next++);

        if (strcmp(c->unit, "m/s2") == 0)
            return c->name;
    }
    return NULL;
}

static enum yk_status find_channel(struct yk_recording *r, const char *path, const char *name, int *index,
                                   struct yk_err *err)
{
    struct walk walk = {r, 0};
    char words[160];

    *index = name ? yk_recording_find(r, 0, name) : -1;
    if (*index < 0 && name)
        return yk_fail_at(
            err, YK_E_INPUT, YK_IN_FILE(path), "no channel '%s'%s", name,
            yk_suggest(name, next_acceleration, &walk, "; `yoke plot DIR --list` lists them", words, sizeof words));
    if (*index < 0)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                          "this is a recording: --channel NAME says which acceleration is meant");
    if (strcmp(yk_recording_channel(r, 0, (size_t)*index)->unit, "m/s2") != 0)
        return yk_fail_at(err, YK_E_UNIT, YK_IN_FILE(path), "channel '%s' is in %s; an acceleration (m/s2) is needed",
                          name, yk_recording_channel(r, 0, (size_t)*index)->unit);
    return YK_OK;
}

static enum yk_status read_rows(struct yk_recording *r, const char *path, size_t index, struct yk_motion *m,
                                struct yk_err *err)
{
    const size_t width = yk_recording_channels(r, 0), rows = (size_t)yk_recording_rows(r, 0);
    double *block = malloc(BLOCK * width * sizeof *block), first = 0, last = 0;
    enum yk_status st = YK_OK;

    m->a = malloc((rows ? rows : 1) * sizeof *m->a);
    if (!block || !m->a)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", rows);
    for (size_t at = 0; at < rows && !st; at += BLOCK) {
        const size_t count = rows - at < BLOCK ? rows - at : BLOCK;

        if ((st = yk_recording_read(r, 0, at, count, block, err)))
            break;
        for (size_t i = 0; i < count; i++)
            m->a[m->n++] = block[i * width + index];
        first = at ? first : block[0];
        last = block[(count - 1) * width];
    }
    free(block);
    if (!st && rows < 2)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "the recording has %zu rows; two or more are needed", rows);
    m->step_s = rows > 1 ? (last - first) / (double)(rows - 1) : 0;
    return st;
}

static enum yk_status read_recording(const struct motion_options *o, struct loaded *r, struct yk_err *err)
{
    char *path = yk_command_recording(r->path);
    struct yk_recording *recording;
    int index;

    r->motion = (struct yk_motion){.format = "recording", .peak = NAN, .channels = 1, .notes = calloc(1, 1)};
    if (!path || !r->motion.notes) {
        free(path);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    enum yk_status st = yk_recording_open(&recording, path, err);
    if (!st) {
        if (!(st = find_channel(recording, path, o->channel, &index, err)))
            st = read_rows(recording, path, (size_t)index, &r->motion, err);
        snprintf(r->motion.title, sizeof r->motion.title, "%.80s", o->channel ? o->channel : "");
        yk_recording_close(recording);
    }
    free(path);
    return st;
}

/* ---- files and corrections ---- */

static enum yk_status read_file(const struct motion_options *o, struct loaded *r, struct yk_err *err)
{
    struct yk_motion_ask ask = {.unit = o->unit, .step_s = o->step};

    if (o->channel) {
        char *end;
        const long channel = strtol(o->channel, &end, 10);

        if (*end || channel < 1 || channel > 10000)
            return yk_fail(err, YK_E_RANGE, "--channel '%s' is not a number of a channel, 1 or above", o->channel);
        ask.channel = (int)channel;
    }
    return yk_motion_read(&r->motion, r->path, &ask, err);
}

static enum yk_status take_band(const struct motion_options *o, struct yk_motion *m, struct yk_err *err)
{
    const char *comma = strchr(o->band, ',');
    double low, high, *filtered;
    char first[64], words[192];
    size_t pads;
    enum yk_status st;

    if (!comma || (size_t)(comma - o->band) >= sizeof first)
        return yk_fail(err, YK_E_INPUT, "--band '%s' must be two frequencies, such as 0.1 Hz,20 Hz", o->band);
    snprintf(first, sizeof first, "%.*s", (int)(comma - o->band), o->band);
    if ((st = yk_quantity_parse(first, YK_FREQUENCY, &low, err)) ||
        (st = yk_quantity_parse(comma + 1 + strspn(comma + 1, " "), YK_FREQUENCY, &high, err)))
        return yk_fail_within(err, YK_NOWHERE, "--band: ");
    if ((st = yk_motion_band(m->n, m->step_s, m->a, low, high, (int)o->order, &filtered, &pads, err)))
        return st;
    free(m->a);
    m->a = filtered;
    m->n += 2 * pads;
    snprintf(words, sizeof words,
             "%zu zeros (%.4g s) were added at each end; responses below %g Hz (periods above %.4g s) mean nothing",
             pads, (double)pads * m->step_s, low, 1 / low);
    add_note(m, words);
    return YK_OK;
}

static enum yk_status load_one(const struct motion_options *o, struct loaded *r, struct yk_err *err)
{
    struct yk_motion *m = &r->motion;
    enum yk_status st = is_recording(r->path) ? read_recording(o, r, err) : read_file(o, r, err);

    if (!st && o->baseline)
        st = yk_motion_baseline(m->n, m->step_s, m->a, (int)o->baseline, err);
    if (!st && o->band)
        st = take_band(o, m, err);
    for (size_t i = 0; i < m->n && !st; i++)
        m->a[i] *= o->factor;
    return st;
}

enum yk_status motion_load(struct work *w, char **paths, size_t count, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    w->records = calloc(count, sizeof *w->records);
    if (!w->records)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    w->count = count;
    for (size_t i = 0; i < count && !st; i++) {
        w->records[i].path = paths[i];
        st = load_one(w->options, &w->records[i], err);
    }
    return st;
}

void motion_unload(struct work *w)
{
    for (size_t i = 0; i < w->count; i++)
        yk_motion_free(&w->records[i].motion);
    free(w->records);
}

void motion_print_notes(const struct loaded *r)
{
    for (const char *p = r->motion.notes; *p; p += strcspn(p, "\n") + 1)
        fprintf(stderr, "yoke: note: %s: %.*s\n", r->path, (int)strcspn(p, "\n"), p);
}

json_t *motion_notes_json(const struct loaded *r)
{
    json_t *notes = json_array();

    for (const char *p = r->motion.notes; *p; p += strcspn(p, "\n") + 1)
        json_array_append_new(notes, json_stringn(p, strcspn(p, "\n")));
    return notes;
}
