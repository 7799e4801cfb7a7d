/* Runs of a dashboard. */
#include "hub.h"
#include "catalogue.h"
#include "learn.h"

#include <yoke/clock.h>
#include <yoke/json.h>
#include <yoke/parallel.h>
#include <yoke/telemetry.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FEEDS = 24,
    COLLECT_US = 10000,
    DISCOVER_NS = 100000000,
    KEPT_NS_PER_S = 1000000000,
    KEPT_S = 600,          /* a run that has ended and nobody looks at */
    KEPT_RECORDING_S = 60, /* a recording likewise */
    LEARN_TRIES = 400      /* to see an example run, each after COLLECT_US */
};

struct entry {
    struct yk_feed *feed; /* NULL: free */
    int users;
    bool retired;    /* another run has its id by now: it goes with its last user */
    int64_t left_ns; /* when it was last needed */
};

struct yk_hub {
    pthread_mutex_t lock; /* of the feeds */
    struct entry entries[FEEDS];
    pthread_mutex_t listing; /* of the catalogue, which reads files */
    struct yk_catalogue catalogue;
    char only[80];
    pthread_t collector;
    bool started;
    atomic_bool stop;

    /* examples are started by the collector, whose end ends them */
    pthread_mutex_t asking; /* one example at a time */
    pthread_mutex_t learning;
    pthread_cond_t learned;
    struct yk_learn learn;
    bool offers;
    const char *example;
    const json_t *settings;
    char *name;
    struct yk_err *why;
    enum yk_status status;
    bool asked, closed;
};

/* ---- feeds; with the lock held ---- */

static struct entry *find(struct yk_hub *h, const char *id)
{
    for (int i = 0; i < FEEDS; i++)
        if (h->entries[i].feed && !h->entries[i].retired && strcmp(yk_feed_id(h->entries[i].feed), id) == 0)
            return &h->entries[i];
    return NULL;
}

static void drop(struct entry *e)
{
    yk_feed_close(e->feed);
    *e = (struct entry){0};
}

/* A free place; what nobody needs makes room. */
static struct entry *place(struct yk_hub *h)
{
    struct entry *oldest = NULL;

    for (int i = 0; i < FEEDS; i++) {
        struct entry *e = &h->entries[i];

        if (!e->feed)
            return e;
        if (!e->users && !yk_feed_is_live(e->feed) && (!oldest || e->left_ns < oldest->left_ns))
            oldest = e;
    }
    if (oldest)
        drop(oldest);
    return oldest;
}

static struct entry *keep(struct yk_hub *h, struct yk_feed *feed)
{
    struct entry *e = place(h);

    if (e)
        *e = (struct entry){.feed = feed, .left_ns = yk_clock_now_ns()};
    else
        yk_feed_close(feed);
    return e;
}

/* ---- the collector ---- */

static bool is_shown(const struct yk_hub *h, const char *name)
{
    struct yk_telemetry_view *view;
    bool shown;

    if (*h->only && strcmp(h->only, name) != 0)
        return false;
    if (yk_telemetry_open(&view, name, NULL))
        return false;
    shown = yk_telemetry_is_mine(view) && yk_telemetry_is_live(view);
    yk_telemetry_close(view);
    return shown;
}

/* Is a run of that name watched already? */
static bool is_known(struct yk_hub *h, const char *name)
{
    const struct entry *known;
    char id[128];
    bool live;

    snprintf(id, sizeof id, "live:%s", name);
    pthread_mutex_lock(&h->lock);
    known = find(h, id);
    live = known && yk_feed_is_live(known->feed);
    pthread_mutex_unlock(&h->lock);
    return live;
}

static void discover_one(struct yk_hub *h, const char *name)
{
    struct entry *known;
    struct yk_feed *feed;
    char id[128];

    snprintf(id, sizeof id, "live:%s", name);
    pthread_mutex_lock(&h->lock);
    if ((known = find(h, id))) { /* another run of that name, which has ended */
        known->retired = true;
        if (!known->users)
            drop(known);
    }
    pthread_mutex_unlock(&h->lock);
    if (yk_feed_open_live(&feed, name, NULL))
        return;
    pthread_mutex_lock(&h->lock);
    keep(h, feed);
    pthread_mutex_unlock(&h->lock);
}

static void discover(struct yk_hub *h)
{
    char **names = yk_telemetry_list();

    for (char **n = names; n && *n; n++)
        if (!is_known(h, *n) && is_shown(h, *n))
            discover_one(h, *n);
    yk_telemetry_list_free(names);
}

static void collect(struct yk_hub *h)
{
    const int64_t now = yk_clock_now_ns();

    pthread_mutex_lock(&h->lock);
    for (int i = 0; i < FEEDS; i++) {
        struct entry *e = &h->entries[i];

        if (!e->feed)
            continue;
        const bool recording = !*yk_feed_name(e->feed);

        yk_feed_collect(e->feed);
        if (e->users || yk_feed_is_live(e->feed))
            e->left_ns = now;
        else if (e->retired || now - e->left_ns > (int64_t)(recording ? KEPT_RECORDING_S : KEPT_S) * KEPT_NS_PER_S)
            drop(e);
    }
    pthread_mutex_unlock(&h->lock);
}

/* An example that somebody asked for. */
static void start_example(struct yk_hub *h)
{
    pthread_mutex_lock(&h->learning);
    if (h->asked) {
        h->status = yk_learn_start(&h->learn, h->example, h->settings, h->name, h->why);
        h->asked = false;
        pthread_cond_broadcast(&h->learned);
    }
    yk_learn_reap(&h->learn);
    pthread_mutex_unlock(&h->learning);
}

static void *work(void *self)
{
    struct yk_hub *h = self;
    int64_t due = 0;

    while (!atomic_load(&h->stop)) {
        if (yk_clock_now_ns() >= due) {
            discover(h);
            due = yk_clock_now_ns() + DISCOVER_NS;
        }
        collect(h);
        start_example(h);
        usleep(COLLECT_US);
    }
    pthread_mutex_lock(&h->learning);
    yk_learn_close(&h->learn);
    h->asked = false;
    h->closed = true;
    h->status = YK_E_UNSUPPORTED;
    pthread_cond_broadcast(&h->learned);
    pthread_mutex_unlock(&h->learning);
    return NULL;
}

/* ---- opening and closing ---- */

enum yk_status yk_hub_open(struct yk_hub **hub, const struct yk_hub_settings *s, struct yk_err *err)
{
    struct yk_hub *h = calloc(1, sizeof *h);
    enum yk_status st;

    *hub = NULL;
    if (!h)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    pthread_mutex_init(&h->lock, NULL);
    pthread_mutex_init(&h->listing, NULL);
    pthread_mutex_init(&h->asking, NULL);
    pthread_mutex_init(&h->learning, NULL);
    pthread_cond_init(&h->learned, NULL);
    snprintf(h->only, sizeof h->only, "%s", s->only ? s->only : "");
    h->offers = s->program;
    snprintf(h->learn.program, sizeof h->learn.program, "%s", s->program ? s->program : "");
    if ((st = yk_catalogue_open(&h->catalogue, s->folders, s->folder_count, err))) {
        yk_hub_close(h);
        return st;
    }
    h->started = yk_thread_start(&h->collector, work, h) == 0;
    if (!h->started) {
        yk_hub_close(h);
        return yk_fail(err, YK_E_IO, "no thread to collect what runs write");
    }
    *hub = h;
    return YK_OK;
}

void yk_hub_close(struct yk_hub *h)
{
    if (!h)
        return;
    atomic_store(&h->stop, true);
    if (h->started)
        pthread_join(h->collector, NULL);
    for (int i = 0; i < FEEDS; i++)
        yk_feed_close(h->entries[i].feed);
    yk_catalogue_close(&h->catalogue);
    pthread_mutex_destroy(&h->lock);
    pthread_mutex_destroy(&h->listing);
    pthread_mutex_destroy(&h->asking);
    pthread_mutex_destroy(&h->learning);
    pthread_cond_destroy(&h->learned);
    free(h);
}

/* ---- lists ---- */

static bool is_learned(const struct yk_feed *feed)
{
    return strncmp(yk_feed_name(feed), "learn-", strlen("learn-")) == 0;
}

/* Live ones, and those that have ended while they were watched. */
static json_t *live_object(struct yk_feed *feed)
{
    char *text = yk_feed_description(feed);
    json_t *about = yk_json_read_text(text), *status = yk_feed_status(feed), *run;

    run = json_pack("{s:s, s:s, s:o, s:b, s:o, s:o, s:s, s:b}", "id", yk_feed_id(feed), "name", yk_feed_name(feed),
                    "title", yk_json_any(yk_json_text(about, "title")), "live", yk_feed_is_live(feed), "state",
                    yk_json_any(yk_json_text(status, "state")), "started", yk_json_any(yk_json_text(about, "started")),
                    "folder", yk_feed_folder(feed), "learn", is_learned(feed));
    json_decref(about);
    json_decref(status);
    free(text);
    return run;
}

static json_t *recording_object(const struct yk_listed *l)
{
    return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:b}", "id", yk_json_any(l->id), "name", yk_json_any(l->name),
                     "title", yk_json_any(l->title), "live", false, "state", yk_json_any(l->state), "started",
                     yk_json_any(l->started), "folder", yk_json_any(l->folder), "learn", false);
}

/* Is the recording that of a run that is listed as live? */
static bool is_listed(const json_t *runs, const char *folder)
{
    for (size_t i = 0; i < json_array_size(runs); i++)
        if (json_is_true(json_object_get(json_array_get(runs, i), "live")) &&
            strcmp(yk_json_text(json_array_get(runs, i), "folder"), folder) == 0)
            return true;
    return false;
}

json_t *yk_hub_list(struct yk_hub *h)
{
    json_t *runs = json_array();

    pthread_mutex_lock(&h->lock);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < FEEDS; i++) {
            struct entry *e = &h->entries[i];

            if (e->feed && !e->retired && *yk_feed_name(e->feed) && yk_feed_is_live(e->feed) == !pass)
                json_array_append_new(runs, live_object(e->feed));
        }
    pthread_mutex_unlock(&h->lock);
    pthread_mutex_lock(&h->listing);
    yk_catalogue_refresh(&h->catalogue);
    for (size_t i = 0; i < h->catalogue.count; i++)
        if (!is_listed(runs, h->catalogue.items[i].folder))
            json_array_append_new(runs, recording_object(&h->catalogue.items[i]));
    pthread_mutex_unlock(&h->listing);
    return json_pack("{s:o, s:o}", "runs", runs, "learn", h->offers ? yk_learn_list() : json_array());
}

bool yk_hub_is_live(struct yk_hub *h)
{
    bool live = false;

    pthread_mutex_lock(&h->lock);
    for (int i = 0; i < FEEDS; i++)
        live = live || (h->entries[i].feed && yk_feed_is_live(h->entries[i].feed));
    pthread_mutex_unlock(&h->lock);
    return live;
}

/* ---- joining ---- */

static struct yk_feed *join_known(struct yk_hub *h, const char *id)
{
    struct entry *e;
    struct yk_feed *feed = NULL;

    pthread_mutex_lock(&h->lock);
    if ((e = find(h, id))) {
        e->users++;
        feed = e->feed;
    }
    pthread_mutex_unlock(&h->lock);
    return feed;
}

/* The folder of a recording that is on the list; a page cannot name another one. */
static bool folder_of(struct yk_hub *h, const char *id, char *folder, size_t size)
{
    const struct yk_listed *l;

    pthread_mutex_lock(&h->listing);
    if (!(l = yk_catalogue_find(&h->catalogue, id))) {
        yk_catalogue_refresh(&h->catalogue);
        l = yk_catalogue_find(&h->catalogue, id);
    }
    if (l)
        snprintf(folder, size, "%s", l->folder);
    pthread_mutex_unlock(&h->listing);
    return l;
}

struct yk_feed *yk_hub_join(struct yk_hub *h, const char *id, struct yk_err *err)
{
    struct yk_feed *feed = join_known(h, id);
    char folder[600];
    struct entry *e;

    if (feed)
        return feed;
    if (!folder_of(h, id, folder, sizeof folder)) {
        yk_fail(err, YK_E_INPUT, "there is no such run");
        return NULL;
    }
    if (yk_feed_open_recording(&feed, folder, id, err))
        return NULL;
    pthread_mutex_lock(&h->lock);
    if ((e = keep(h, feed)))
        e->users = 1;
    pthread_mutex_unlock(&h->lock);
    if (!e)
        yk_fail(err, YK_E_UNSUPPORTED, "too many runs are watched at the same time");
    return e ? feed : NULL;
}

void yk_hub_leave(struct yk_hub *h, const struct yk_feed *feed)
{
    pthread_mutex_lock(&h->lock);
    for (int i = 0; i < FEEDS; i++)
        if (feed && h->entries[i].feed == feed) {
            h->entries[i].users--;
            h->entries[i].left_ns = yk_clock_now_ns();
        }
    pthread_mutex_unlock(&h->lock);
}

/* ---- examples ---- */

/* Until the example is seen, or has ended. */
static enum yk_status await_example(struct yk_hub *h, const char *name, const char *id, struct yk_err *err)
{
    char complaint[300];

    for (int tries = 0; tries < LEARN_TRIES && !atomic_load(&h->stop); tries++) {
        struct yk_feed *feed = join_known(h, id);
        bool runs;

        yk_hub_leave(h, feed);
        if (feed)
            return YK_OK;
        pthread_mutex_lock(&h->learning);
        runs = yk_learn_runs(&h->learn, name);
        yk_learn_complaint(&h->learn, name, complaint, sizeof complaint);
        pthread_mutex_unlock(&h->learning);
        if (!runs)
            return yk_fail(err, YK_E_INPUT, "%s", complaint);
        usleep(COLLECT_US);
    }
    return YK_OK; /* it takes long, and will be seen */
}

enum yk_status yk_hub_learn(struct yk_hub *h, const char *example, const json_t *settings, char *id, struct yk_err *err)
{
    char name[32] = "";
    enum yk_status st;

    if (!h->offers)
        return yk_fail(err, YK_E_UNSUPPORTED, "this dashboard starts no examples");
    pthread_mutex_lock(&h->asking);
    pthread_mutex_lock(&h->learning);
    h->example = example;
    h->settings = settings;
    h->name = name;
    h->why = err;
    h->asked = !h->closed;
    while (h->asked)
        pthread_cond_wait(&h->learned, &h->learning);
    st = h->status;
    pthread_mutex_unlock(&h->learning);
    pthread_mutex_unlock(&h->asking);
    snprintf(id, 48, "live:%s", name);
    return st ? st : await_example(h, name, id, err);
}

bool yk_hub_stop(struct yk_hub *h, const char *id)
{
    bool stopped;

    pthread_mutex_lock(&h->learning);
    stopped = strncmp(id, "live:", strlen("live:")) == 0 && yk_learn_stop(&h->learn, id + strlen("live:"));
    pthread_mutex_unlock(&h->learning);
    return stopped;
}
