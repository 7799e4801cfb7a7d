/* Journal of a run: requests and remarks of operators, with their times. */
#include "engine/engine.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* The next free entry, which nobody else has; NULL: the journal is full. */
YK_RT static struct yk_journal_entry *begin_entry(struct yk_run_control *c, int event, const char *by)
{
    struct yk_journal *j = &c->journal;
    const unsigned at = atomic_fetch_add_explicit(&j->count, 1, memory_order_relaxed);

    if (at >= YK_JOURNAL)
        return NULL;
    j->entries[at] = (struct yk_journal_entry){.event = event,
                                               .step = atomic_load_explicit(&c->step, memory_order_relaxed),
                                               .tick = atomic_load_explicit(&c->tick, memory_order_relaxed),
                                               .wall_ns = yk_clock_now_ns()};
    for (size_t i = 0; by[i] && i + 1 < YK_BY; i++)
        j->entries[at].by[i] = by[i];
    return &j->entries[at];
}

void yk_run_request(struct yk_run_control *control, enum yk_event event)
{
    yk_run_request_by(control, event, "");
}

void yk_run_request_by(struct yk_run_control *control, enum yk_event event, const char *by)
{
    struct yk_journal_entry *entry = begin_entry(control, (int)event, by);

    if (entry) /* before the request: a run that ends by it finds it in its journal */
        atomic_store_explicit(&entry->complete, true, memory_order_release);
    /* they are heard in a fixed order: a pause takes back what was asked for before it and not heard yet */
    if (event == YK_EVENT_PAUSE)
        atomic_fetch_and_explicit(&control->requests, ~(1u << YK_EVENT_RESUME | 1u << YK_EVENT_STEP),
                                  memory_order_relaxed);
    atomic_fetch_or_explicit(&control->requests, 1u << event, memory_order_release);
}

/* An entry with words; false: there is no room. */
YK_RT static bool write_entry(struct yk_run_control *control, int event, const char *words, const char *by)
{
    struct yk_journal_entry *entry = begin_entry(control, event, by);
    size_t used = 0;

    if (!entry)
        return false;
    for (; *words && used + 1 < sizeof entry->words; words++)
        entry->words[used++] = (char)((unsigned char)*words < ' ' ? ' ' : *words);
    atomic_store_explicit(&entry->complete, true, memory_order_release);
    return true;
}

bool yk_run_remark(struct yk_run_control *control, const char *words, const char *by)
{
    return write_entry(control, YK_EVENTS, words, by);
}

void yk_run_request_mode(struct yk_run_control *control, size_t actuator, int mode, const char *words, const char *by)
{
    (void)yk_run_remark(control, words, by);
    atomic_store_explicit(&control->mode, 4 * (1 + (unsigned)actuator) + (unsigned)mode, memory_order_release);
}

YK_RT void yk_run_notice(struct yk_run_control *control, const char *words)
{
    (void)write_entry(control, YK_NOTICE, words, "rig"); /* those without room are counted */
}

const char *yk_journal_kind(const struct yk_journal_entry *entry)
{
    static const char *const words[] = {
#define X(id, word) word,
        YK_EVENT_LIST(X)
#undef X
            "note",
        "rig"};

    return words[entry->event];
}

size_t yk_journal_count(const struct yk_journal *j)
{
    const unsigned count = atomic_load_explicit(&j->count, memory_order_acquire);

    return count < YK_JOURNAL ? count : YK_JOURNAL;
}

struct yk_journal *yk_journal_copy(const struct yk_journal *j)
{
    const size_t count = yk_journal_count(j);
    struct yk_journal *copy = count ? calloc(1, sizeof *copy) : NULL;

    if (!copy)
        return NULL;
    atomic_init(&copy->count, atomic_load_explicit(&j->count, memory_order_relaxed));
    for (size_t i = 0; i < count; i++) /* another thread may be at the last ones */
        if (atomic_load_explicit(&j->entries[i].complete, memory_order_acquire))
            memcpy((void *)&copy->entries[i], (const void *)&j->entries[i], sizeof j->entries[i]);
    return copy;
}
