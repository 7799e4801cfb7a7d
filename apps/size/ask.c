/* Demand of a test on its actuators: its steps with ideal ones. */
#include "size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/stepping.h>

/* Settings that leave actuator `name` no dynamics, capacity or error. Along straight lines it would have no
 * acceleration, and a specimen no inertia. */
static size_t idealise(const char *name, char texts[][SIZE_TEXT], size_t count)
{
    static const char *const settings[] = {
        "rig.actuators.%s.plant={kind: ideal}", "rig.actuators.%s.capacity={}",
        "rig.actuators.%s.sensors={}",          "transfer.%s.compensator={kind: none}",
        "transfer.%s.controller={kind: none}",  "transfer.%s.estimator={kind: none}",
        "transfer.%s.feedback={kind: latest}",  "transfer.%s.path=quadratic"};

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *place = strstr(settings[i], "%s");

        snprintf(texts[count++], SIZE_TEXT, "%.*s%s%s", (int)(place - settings[i]), settings[i], name, place + 2);
    }
    return count;
}

static bool make_room(struct sized *a, const char *name, size_t n, double dt)
{
    snprintf(a->name, sizeof a->name, "%s", name);
    a->x = calloc(n, sizeof *a->x);
    a->force = calloc(n, sizeof *a->force);
    a->asked = (struct yk_motion_asked){.n = n, .dt = dt, .x = a->x, .force = a->force};
    return a->x && a->force;
}

static enum yk_status names_of(struct sizing *s, struct yk_err *err)
{
    struct yk_stepping *stepping;
    const size_t n = (size_t)yk_model_steps(s->model) + 1;
    enum yk_status st = yk_stepping_open(&stepping, s->model, err);

    if (st)
        return st;
    struct yk_station *station = yk_stepping_station(stepping);

    s->count = station ? yk_station_count(station) : 0;
    if (!s->count)
        st = yk_fail(err, YK_E_INPUT, "no substructure is physical, so there is no actuator to size");
    else if (s->count > SIZE_ACTUATORS)
        st = yk_fail(err, YK_E_UNSUPPORTED, "%zu actuators; at most %d are sized", s->count, SIZE_ACTUATORS);
    for (size_t i = 0; i < s->count && !st; i++)
        if (!make_room(&s->of[i], yk_station_name(station, i), n, yk_model_step(s->model)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_stepping_close(stepping);
    return st;
}

static enum yk_status follow(struct sizing *s, const struct yk_model *ideal, struct yk_err *err)
{
    struct yk_stepping *stepping;
    enum yk_status st = yk_stepping_open(&stepping, ideal, err);

    if (st)
        return st;
    struct yk_station *station = yk_stepping_station(stepping);

    for (size_t k = 0; k < s->of[0].asked.n && !st; k++) {
        st = k ? yk_stepping_step(stepping) : YK_OK;
        for (size_t i = 0; i < s->count; i++) {
            const struct yk_reading now = yk_station_reading(station, i);

            s->of[i].x[k] = now.displacement;
            s->of[i].force[k] = now.force;
        }
        if (st)
            yk_fail(err, st, "with ideal actuators the test ends after %g s: %s", (double)k * yk_model_step(ideal),
                    *yk_station_trip(station) ? yk_station_trip(station) : "it diverges");
    }
    yk_stepping_close(stepping);
    return st;
}

/* Frequency of a sine with the same rms of motion and speed. */
static double frequency_of(const struct yk_motion_asked *m)
{
    double x = 0, v = 0;

    for (size_t k = 0; k < m->n; k++) {
        x += m->x[k] * m->x[k];
        v += m->v[k] * m->v[k];
    }
    return x > 0 ? sqrt(v / x) / (2 * M_PI) : 0;
}

enum yk_status size_ask(struct sizing *s, struct yk_err *err)
{
    static char texts[SIZE_SETTINGS][SIZE_TEXT];
    const char *settings[SIZE_SETTINGS];
    struct yk_model *ideal;
    size_t count = 0;
    enum yk_status st = names_of(s, err);

    if (st)
        return st;
    for (size_t i = 0; i < s->count; i++)
        count = idealise(s->of[i].name, texts, count);
    for (size_t i = 0; i < count; i++)
        settings[i] = texts[i];
    if ((st = yk_model_vary(&ideal, s->model, settings, count, err)))
        return st;
    st = follow(s, ideal, err);
    yk_model_close(ideal);
    for (size_t i = 0; i < s->count && !st; i++) {
        if (!yk_asked_complete(&s->of[i].asked))
            return yk_fail(err, YK_E_INPUT, "the test is too short: it has less than five steps");
        s->of[i].peaks = yk_asked_peaks(&s->of[i].asked);
        s->of[i].frequency_Hz = frequency_of(&s->of[i].asked);
    }
    return st;
}
