/* Methods to compare: the experiment of a file with each of them instead of its own. */
#include "request.h"

#include <yoke/coupling.h>

#include <string.h>

/* "hht": {integrator: hht}; "{...}" as it is. NULL: there is no such method. */
static const char *section_of(const char *word, char *room, size_t size)
{
    if (*word == '{')
        snprintf(room, size, "method=%s", word);
    else if (yk_integrator_find(word))
        snprintf(room, size, "method={integrator: %s}", word);
    else if (yk_coupling_find(word))
        snprintf(room, size, "method={coupling: %s}", word);
    else
        return NULL;
    return room;
}

/* "{integrator: hht, alpha: -0.1}": "hht, alpha: -0.1" */
static void name_method(const char *word, char *name, size_t size)
{
    static const char *const keys[] = {"integrator:", "coupling:"};
    const char *from = word + (*word == '{');

    from += strspn(from, " ");
    for (size_t i = 0; i < 2; i++)
        if (strncmp(from, keys[i], strlen(keys[i])) == 0)
            from += strlen(keys[i]);
    from += strspn(from, " ");
    snprintf(name, size, "%.*s", (int)strcspn(from, "}"), from);
}

void methods_leave_out(struct method_list *m, size_t i, const struct request *q, const struct yk_err *why)
{
    const char *reason = yk_err_line(why).text;

    json_array_append_new(m->left_out, json_pack("{s:s, s:s}", "method", m->name[i], "reason", reason));
    if (!q->json)
        fprintf(stderr, "yoke: left out: %s: %s\n", m->name[i], reason);
    yk_parts_close(m->parts[i]);
    m->count--;
    memmove(&m->parts[i], &m->parts[i + 1], (m->count - i) * sizeof m->parts[i]);
    memmove(&m->name[i], &m->name[i + 1], (m->count - i) * sizeof m->name[i]);
}

int methods_check(const struct method_list *m)
{
    if (m->count == 0)
        fputs("yoke: --methods: no method is left to compare\n", stderr);
    return m->count ? 0 : 2;
}

static bool add(struct method_list *m, const struct request *q, const char *word, int *code)
{
    struct yk_text_list set = *q->set;
    struct yk_err err = {0};
    char room[400];

    *code = 2;
    if (!section_of(word, room, sizeof room))
        return yk_misuse(&command_analyze, "--methods: there is no integrator or coupling '%s'; see `yoke list`", word),
               false;
    if (m->count == METHODS_MOST || set.count == sizeof set.text / sizeof *set.text)
        return yk_misuse(&command_analyze,
                         m->count == METHODS_MOST ? "--methods takes up to %d methods" : "--set was given too often",
                         METHODS_MOST),
               false;
    set.text[set.count++] = room;
    name_method(word, m->name[m->count], sizeof m->name[m->count]);
    m->parts[m->count] = NULL;
    if (yk_parts_open(&m->parts[m->count],
                      &(struct yk_model_source){
                          .path = q->file, .overrides = set.text, .override_count = set.count, .rehearse = true},
                      &err)) {
        m->count++;
        methods_leave_out(m, m->count - 1, q, &err);
    } else {
        m->count++;
    }
    return true;
}

bool methods_open(struct method_list *m, const struct request *q, int *code)
{
    bool good = true;

    *m = (struct method_list){.left_out = json_array()};
    for (const char *p = q->methods; good && *p;) {
        const char *end = yk_value_end(p);
        char word[300];

        while (*p == ' ')
            p++;
        snprintf(word, sizeof word, "%.*s", (int)(end - p), p);
        for (size_t n = strlen(word); n > 0 && word[n - 1] == ' ';)
            word[--n] = 0;
        good = add(m, q, word, code);
        p = *end ? end + 1 : end;
    }
    if (good && (*code = methods_check(m)))
        good = false;
    if (!good)
        methods_close(m);
    return good;
}

void methods_close(struct method_list *m)
{
    for (size_t i = 0; i < m->count; i++)
        yk_parts_close(m->parts[i]);
    json_decref(m->left_out);
    *m = (struct method_list){0};
}

struct yk_plot_series methods_curve(const char *name, enum yk_plot_style style, size_t n, const double *x,
                                    const double *y)
{
    return (struct yk_plot_series){.name = name, .style = style, .n = n, .x = x, .y = y};
}
