/* Settings described by tables. */
#include <yoke/param.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void store(const struct yk_param *p, void *settings, double value)
{
    char *field = (char *)settings + p->offset;

    switch (p->type) {
    case YK_PARAM_REAL:
    case YK_PARAM_WHOLE:
        *(double *)field = value;
        break;
    case YK_PARAM_COUNT:
    case YK_PARAM_CHOICE:
        *(int *)field = isnan(value) ? INT_MIN : (int)value; /* INT_MIN: required and not given yet */
        break;
    case YK_PARAM_FLAG:
        *(bool *)field = value > 0;
        break;
    case YK_PARAM_REALS:
    case YK_PARAM_POINTS:
    case YK_PARAM_FILE:
    case YK_PARAM_SERIES:
    case YK_PARAM_TEXT:
    case YK_PARAM_NODE:
        break; /* lists, texts and files start empty */
    }
}

void yk_param_defaults(const struct yk_param *params, void *settings)
{
    for (const struct yk_param *p = params; p && p->name; p++)
        store(p, settings, p->fallback);
}

void *yk_param_block(size_t size, void *user)
{
    void *block = calloc(1, size + 1);

    if (block && user)
        memcpy(block, &user, sizeof user);
    return block;
}

enum yk_status yk_param_settings(const struct yk_param *params, size_t size, void **settings, struct yk_err *err)
{
    if (!(*settings = yk_param_block(size, NULL)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_param_defaults(params, *settings);
    return YK_OK;
}

enum yk_status yk_param_set(const struct yk_param *params, void *settings, const char *name, double value,
                            struct yk_err *err)
{
    const struct yk_param *p = params;

    while (p && p->name && strcmp(p->name, name) != 0)
        p++;
    if (!p || !p->name)
        return yk_fail(err, YK_E_INPUT, "no setting is called '%s'", name);
    if (p->type > YK_PARAM_CHOICE && p->type != YK_PARAM_WHOLE)
        return yk_fail(err, YK_E_INPUT, "'%s' is not a single number", name);

    double min = p->min, max = p->max;
    if (p->type == YK_PARAM_CHOICE) {
        min = 0;
        max = -1;
        for (const char *c = p->choices; c; c = yk_choice_next(c))
            max += 1;
    }
    if (!(value >= min && value <= max))
        return yk_fail(err, YK_E_RANGE, "%s = %g is outside %g .. %g%s", name, value, min, max, p->hint ? p->hint : "");
    if (p->type != YK_PARAM_REAL && value != floor(value))
        return yk_fail(err, YK_E_RANGE, "%s = %g is not a whole number", name, value);
    store(p, settings, value);
    return YK_OK;
}

static bool missing(const struct yk_param *p, const void *settings)
{
    const char *field = (const char *)settings + p->offset;

    if (!isnan(p->fallback))
        return false;
    switch (p->type) {
    case YK_PARAM_REAL:
    case YK_PARAM_WHOLE:
        return isnan(*(const double *)field);
    case YK_PARAM_COUNT:
    case YK_PARAM_CHOICE:
        return *(const int *)field == INT_MIN;
    case YK_PARAM_REALS:
    case YK_PARAM_POINTS:
        return ((const struct yk_reals *)field)->n == 0;
    case YK_PARAM_SERIES:
        return ((const struct yk_series *)field)->n == 0;
    case YK_PARAM_FILE:
    case YK_PARAM_TEXT:
        return *(char *const *)field == NULL;
    case YK_PARAM_FLAG:
    case YK_PARAM_NODE: /* the reader looks for these itself */
        break;
    }
    return false;
}

enum yk_status yk_param_check(const struct yk_param *params, const void *settings, struct yk_err *err)
{
    for (const struct yk_param *p = params; p && p->name; p++)
        if (missing(p, settings))
            return yk_fail(err, YK_E_INPUT, "missing '%s' (%s)", p->name, p->help);
    return YK_OK;
}

bool yk_param_needs_file(const struct yk_param *params)
{
    for (; params && params->name; params++)
        if (params->type == YK_PARAM_FILE && isnan(params->fallback))
            return true;
    return false;
}

void yk_param_free(const struct yk_param *params, void *settings)
{
    for (const struct yk_param *p = params; p && p->name; p++) {
        char *field = (char *)settings + p->offset;

        if (p->type == YK_PARAM_REALS || p->type == YK_PARAM_POINTS) {
            free(((struct yk_reals *)field)->x);
            *(struct yk_reals *)field = (struct yk_reals){0};
        } else if (p->type == YK_PARAM_SERIES) {
            free(((struct yk_series *)field)->t);
            free(((struct yk_series *)field)->y);
            *(struct yk_series *)field = (struct yk_series){0};
        } else if (p->type == YK_PARAM_FILE || p->type == YK_PARAM_TEXT) {
            free(*(char **)field);
            *(char **)field = NULL;
        }
    }
}

static const struct yk_param *find(const struct yk_param *params, const char *name, size_t length)
{
    while (params->name && (strncmp(params->name, name, length) != 0 || params->name[length]))
        params++;
    return params;
}

/* Was one of the numbers left out that replace this one, "!gamma_A!gamma_B" up to `end`? */
static bool one_left_out(const struct yk_param *params, const char *names, const char *end, const void *settings,
                         char *word, size_t size)
{
    size_t used = (size_t)snprintf(word, size, "if");
    const char *and = "";

    while (names < end) {
        const size_t length = strcspn(names + 1, "!,");
        const struct yk_param *p = find(params, names + 1, length);
        const double *value = (const void *)((const char *)settings + p->offset);

        if (!p->name || *value == p->fallback)
            return true;
        if (used < size)
            used += (size_t)snprintf(word + used, size - used, "%s %s", and, p->name);
        and = " and";
        names += 1 + length;
    }
    if (used < size)
        snprintf(word + used, size - used, " are given");
    return false;
}

/* One condition, up to `end`: "model=loops", or "filter", a number or a choice. */
static bool holds(const struct yk_param *params, const char *condition, const char *end, const void *settings,
                  char *word, size_t size)
{
    const char *equals = memchr(condition, '=', (size_t)(end - condition));
    const struct yk_param *p = find(params, condition, (size_t)((equals ? equals : end) - condition));

    if (!p->name)
        return true; /* a slip in the table, which a test finds */
    const char *field = (const char *)settings + p->offset;
    if (!equals && p->type != YK_PARAM_CHOICE) {
        snprintf(word, size, "without %s", p->name);
        return p->type == YK_PARAM_FILE ? *(char *const *)(const void *)field != NULL
                                        : *(const double *)(const void *)field != 0;
    }
    const char *now = yk_choice_at(p->choices, *(const int *)(const void *)field);
    if (!equals) {
        snprintf(word, size, "with %s: %.*s", p->name, (int)strcspn(now, "|"), now);
        return *(const int *)(const void *)field != 0;
    }
    const size_t length = (size_t)(end - equals - 1), n = strcspn(now, "|");
    snprintf(word, size, "with %s: %.*s; it is for %s: %.*s", p->name, (int)n, now, p->name, (int)length, equals + 1);
    return n == length && strncmp(now, equals + 1, n) == 0;
}

bool yk_param_counts(const struct yk_param *params, const struct yk_param *p, const void *settings, char *word,
                     size_t size)
{
    const char *at = p->when, *end;

    for (; at; at = *end ? end + 1 : NULL) {
        end = at + strcspn(at, ",");
        if (!(*at == '!' ? one_left_out : holds)(params, at, end, settings, word, size))
            return false;
    }
    return true;
}

int yk_choice_index(const char *choices, const char *text)
{
    size_t length = strlen(text);
    int index = 0;

    for (const char *c = choices; c; c = yk_choice_next(c), index++)
        if (strncmp(c, text, length) == 0 && (c[length] == '|' || c[length] == '\0'))
            return index;
    return -1;
}

const char *yk_choice_next(const char *choice)
{
    const char *bar = strchr(choice, '|');

    return bar ? bar + 1 : NULL;
}

const char *yk_choice_at(const char *choices, int index)
{
    while (index-- > 0)
        choices = yk_choice_next(choices);
    return choices;
}
