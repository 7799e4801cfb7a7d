/* yoke analyze: dispatch to the analyses, and what they share. */
#include "request.h"

#include <string.h>

int analyze_draw(const struct request *q, const struct yk_figure *figure)
{
    struct yk_err err = {0};

    if (yk_figure_write(figure, q->plot, &err))
        return yk_command_fail(&err);
    if (!q->json)
        printf("picture: %s\n", q->plot);
    return 0;
}

void *analyze_samples(const struct request *q, size_t size, size_t *count, int *code)
{
    long wanted = 21;
    void *samples;

    *code = 2;
    if (!yk_option_count(&command_analyze, "--samples", q->samples, 2, 1000000, &wanted))
        return NULL;
    *count = (size_t)wanted;
    *code = 0;
    if (!(samples = malloc(*count * size))) {
        fputs("yoke: out of memory\n", stderr);
        *code = 1;
    }
    return samples;
}

bool analyze_model(struct request *q, int *code)
{
    struct yk_err err = {0};

    *code = yk_parts_model(&q->model, q->parts, &err) ? yk_command_fail(&err) : 0;
    return !*code;
}

char *analyze_title(const struct request *q, const char *what)
{
    char *title = NULL;

    return asprintf(&title, "%s of %s: %s", what, yk_parts_method(q->parts), yk_parts_title(q->parts)) < 0 ? NULL
                                                                                                           : title;
}

static const struct {
    const char *name;
    int (*run)(struct request *q);
} analyses[] = {
#define ANALYSIS(word, of, words, prints) {#word, analyze_##word},
#include "analyses.def"
#undef ANALYSIS
};

/* False: it is an experiment. */
static bool delay_of_measured(const struct measured *m, const struct yk_words *words, const struct yk_text_list *set,
                              bool json, int *code)
{
    const struct yk_command *c = &command_analyze;
    const bool of_delay = words->count > 0 && strcmp(words->rest[0], "delay") == 0,
               recording = of_delay && words->count == 2 && analyze_delay_is_recording(words->rest[1]),
               named = m->columns.command || m->columns.measured || m->columns.time || m->columns.list;
    double longest = 0;

    if (!m->csv && !named && !m->longest && !recording)
        return false;
    *code = 2;
    if (!of_delay)
        yk_misuse(c, "--csv, --command, --measured, --time and --longest belong to the analysis delay");
    else if (!m->csv && named)
        yk_misuse(c, "--command, --measured and --time name columns of --csv FILE");
    else if (!m->csv && !recording)
        yk_misuse(c, "--longest is for measured data: a recording, or --csv FILE");
    else if (m->csv && words->count > 1)
        yk_misuse(c, "either --csv FILE or '%s'", words->rest[1]);
    else if (m->csv && !m->columns.list && (!m->columns.command || !m->columns.measured))
        yk_misuse(c, "--csv needs --command COLUMN and --measured COLUMN, a name or a number");
    else if (set->count)
        yk_misuse(c, "--set changes an experiment; it cannot change measured data");
    else if (yk_option_quantity(c, "--longest", m->longest, YK_TIME, 1e-6, 1e5, &longest))
        *code = m->csv ? analyze_delay_csv(m->csv, &m->columns, longest, json)
                       : analyze_delay_recording(words->rest[1], longest, json);
    return true;
}

static int run(int argc, char **argv)
{
    struct analyze_options g = {0};
    struct request *q = &g.q;
    struct yk_err err = {0};
    struct yk_words words;
    int code;

    if (!yk_take_options(&command_analyze, argc, argv, &g, &words))
        return 2;
    if (q->plot && yk_figure_check_path(q->plot, &err))
        return yk_command_fail(&err);
    if (delay_of_measured(&g.m, &words, &g.set, q->json, &code))
        return code;
    for (size_t k = 0; words.count > 0 && k < sizeof analyses / sizeof *analyses; k++) {
        if (strcmp(words.rest[0], analyses[k].name) != 0)
            continue;
        struct yk_words file = {words.rest + 1, words.count - 1};

        if (!(q->parts = yk_command_parts(&command_analyze, &file, &g.set, true, &code)))
            return code;
        q->file = file.rest[0];
        q->set = &g.set;
        code = analyses[k].run(q);
        yk_model_close(q->model);
        yk_parts_close(q->parts);
        return code;
    }
    return yk_misuse(&command_analyze, words.count ? "there is no analysis '%s'" : "which analysis?%s",
                     words.count ? words.rest[0] : "");
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_analyze, run, argc, argv);
}
