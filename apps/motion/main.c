/* yoke motion: measures, spectra, scaling and conversion of ground motions, fragility curves. */
#include "motion.h"

#include <yoke/number.h>

#include <stdlib.h>
#include <string.h>

#define DEFAULT_FROM_S 0.02
#define DEFAULT_TO_S   10.0
#define PER_DECADE     100.0

static const struct {
    const char *word;
    int (*run)(struct work *work);
    int most; /* records */
} words[] = {
    {"info", motion_info, 10000},
    {"spectrum", motion_spectra, 10000},
    {"scale", motion_scale, 10000},
    {"convert", motion_convert, 1},
};

/* "2,5,10 %": numbers, and a percent sign for all or for each. */
static bool read_damping(struct work *w)
{
    const char *text = w->options->damping ? w->options->damping : "5 %";
    char plain[256];
    size_t n = 0;
    bool percent = false;

    for (const char *p = text; *p && n + 1 < sizeof plain; p++)
        if (*p == '%')
            percent = true;
        else if (*p != ' ')
            plain[n++] = *p;
    plain[n] = '\0';
    w->dampings = yk_number_list(plain, w->damping, MOST_DAMPINGS);
    for (size_t i = 0; i < w->dampings; i++) {
        w->damping[i] *= percent ? 0.01 : 1;
        if (!(w->damping[i] >= 0 && w->damping[i] < 1))
            return yk_misuse(&command_motion, "--damping '%s': %g is not in 0 <= damping < 1; is a %% missing?", text,
                             w->damping[i]) == 0;
    }
    return w->dampings > 0 ||
           yk_misuse(&command_motion, "--damping '%s' must be a list such as \"2,5,10 %%\"", text) == 0;
}

static bool read_periods(struct work *w)
{
    const char *text = w->options->periods;

    w->listed = text != NULL;
    if (!text) {
        w->period_count = yk_motion_periods(DEFAULT_FROM_S, DEFAULT_TO_S, PER_DECADE, w->periods, MOST_PERIODS);
        return true;
    }
    w->period_count = yk_number_range(text, w->periods, MOST_PERIODS);
    return w->period_count > 0 ||
           yk_misuse(&command_motion, "--periods '%s' must be 0.1,0.5,1 or from:to:count or from:to:countlog", text) ==
               0;
}

static int run(int argc, char **argv)
{
    struct motion_options o = {.factor = 1, .order = 4};
    struct work *w = calloc(1, sizeof *w);
    struct yk_words given;
    struct yk_err err = {0};
    size_t kind = 0;
    int code = 2;

    if (!w) {
        fprintf(stderr, "yoke: out of memory\n");
        return 1;
    }
    w->options = &o;
    if (!yk_take_options(&command_motion, argc, argv, &o, &given)) {
        free(w);
        return 2;
    }
    if (o.json)
        yk_command_fail_in_json();
    const char *word = given.count ? given.rest[0] : "";
    while (kind < sizeof words / sizeof words[0] && strcmp(word, words[kind].word) != 0)
        kind++;
    if (strcmp(word, "fragility") == 0) {
        code = given.count == 1 ? motion_fragility(&o) : yk_misuse(&command_motion, "fragility takes no records");
    } else if (kind == sizeof words / sizeof words[0]) {
        code = yk_misuse(&command_motion, "%s%s%swhat should be done: info, spectrum, scale, convert or fragility?",
                         *word ? "'" : "", word, *word ? "': " : "");
    } else if (given.count < 2 || given.count - 1 > words[kind].most) {
        code = yk_misuse(&command_motion, given.count < 2 ? "which record?" : "one record at a time");
    } else if (read_damping(w) && read_periods(w)) {
        if (motion_load(w, given.rest + 1, (size_t)given.count - 1, &err))
            code = yk_command_fail(&err);
        else
            code = words[kind].run(w);
    }
    motion_unload(w);
    free(w);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_motion, run, argc, argv);
}
