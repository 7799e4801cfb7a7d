/* The section `record`: channels, rates, and sums of channels. */
#include "experiment/build.h"
#include "experiment/selection.h"
#include <yoke/number.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_EVERY = 1000000 };

const struct yk_param yk_keys_record[] = {
    YK_NODE(
        "channels", "pattern, or list of patterns", 0,
        "which channels of the system steps are recorded, such as `\"frame.*.u\"`; a pattern that begins with ! leaves "
        "channels out; the last that matches counts; default: all but those of elements and restoring forces, or "
        "where these are more than 3000, those of interfaces, specimens, point loads and load signals"),
    YK_COUNT(struct yk_stream_selection, every, 1, 1, MOST_EVERY,
             "records every n-th step; peaks are those of all steps"),
    YK_NODE("fine", "map", 0, "channels and every, for the fine steps of coupled runs"),
    YK_NODE("ticks", "map", 0, "channels and every, for the control ticks of runs with specimens"),
    YK_NODE("derived", "map of name to sum", 0,
            "channels that are sums of others: `{ drift: frame.x2.u - frame.x1.u, base_shear: frame.*.r }`"),
    YK_PARAM_END,
};
const struct yk_param yk_keys_record_stream[] = {
    YK_NODE("channels", "pattern, or list of patterns", 0, "as above; an empty list records no such rows"),
    YK_COUNT(struct yk_stream_selection, every, 1, 1, MOST_EVERY, "records every n-th row"),
    YK_PARAM_END,
};
struct derived {
    char *sum, *unit;
};
const struct yk_param yk_keys_derived[] = {
    YK_TEXT(
        struct derived, sum, YK_REQUIRED,
        "terms with signs between blanks, each a channel or a pattern for the sum of those that match, with a factor "
        "in front: `frame.x.u - 0.5*frame.y.u`"),
    YK_TEXT(struct derived, unit, 0, "needed where the terms have different units, which then are not compared"),
    YK_PARAM_END,
};

static const struct yk_field_context no_files = {.directory = "", .force_means = YK_FORCE};

static void free_derived(struct yk_derived *d)
{
    for (size_t i = 0; i < d->count; i++)
        free(d->terms[i].pattern);
    free(d->terms);
    free(d->name);
    free(d->sum);
    free(d->unit);
}

void yk_selection_free(struct yk_selection *s)
{
    if (!s)
        return;
    for (int k = 0; k < YK_STREAMS; k++) {
        for (size_t i = 0; i < s->streams[k].count; i++)
            free(s->streams[k].patterns[i].text);
        free(s->streams[k].patterns);
    }
    for (size_t i = 0; i < s->derived_count; i++)
        free_derived(&s->derived[i]);
    free(s->derived);
    free(s);
}

/* ---- which, and how often ---- */

static enum yk_status read_pattern(const struct yk_node *node, struct yk_stream_selection *s, struct yk_err *err)
{
    enum yk_status st = yk_field_type(node, YK_SCALAR, "the name of a channel, or a pattern", err);
    const bool without = !st && node->text[0] == '!';

    if (st)
        return st;
    if (!node->text[without])
        return yk_fail_at(err, YK_E_INPUT, node->where, "an empty pattern; use \"*\" for every channel");
    if (!(s->patterns[s->count].text = strdup(node->text + without)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->patterns[s->count].without = without;
    s->patterns[s->count++].where = node->where;
    return YK_OK;
}

static enum yk_status read_stream(const struct yk_node *map, const struct yk_param *keys, struct yk_stream_selection *s,
                                  struct yk_err *err)
{
    const struct yk_node *channels = yk_node_get(map, "channels");
    enum yk_status st;

    if ((st = yk_field_known(map, keys, NULL, err)) || (st = yk_field_settings(map, keys, s, &no_files, err)))
        return st;
    s->where = map->where;
    if (!channels)
        return YK_OK;
    if (channels->type == YK_MAP)
        return yk_field_type(channels, YK_LIST, "a list of patterns", err);
    s->given = true;
    if (!(s->patterns = calloc(channels->type == YK_LIST ? channels->count + 1 : 1, sizeof *s->patterns)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (channels->type == YK_SCALAR)
        return read_pattern(channels, s, err);
    for (size_t i = 0; i < channels->count && !st; i++)
        st = read_pattern(channels->items[i], s, err);
    return st;
}

/* ---- sums ---- */

/* "-0.5*frame.x.u" behind the sign of its place */
static enum yk_status read_term(struct yk_derived *d, const char *word, size_t length, double sign, struct yk_err *err)
{
    struct yk_derived_term *term = &d->terms[d->count];
    const char *end = word + length, *number = yk_number_scan(word, end, &term->factor);

    if (number && number < end && *number == '*')
        word = number + 1;
    else
        term->factor = 1;
    term->factor *= sign;
    if (!isfinite(term->factor))
        return yk_fail_at(err, YK_E_RANGE, d->where, "%s: the factor of '%.*s' is too large", d->name, (int)length,
                          end - length);
    if (word == end)
        return yk_fail_at(err, YK_E_INPUT, d->where, "%s: a channel is missing after '%.*s'", d->name, (int)length,
                          end - length);
    if (!(term->pattern = strndup(word, (size_t)(end - word))))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    d->count++;
    return YK_OK;
}

static enum yk_status read_terms(struct yk_derived *d, struct yk_err *err)
{
    double sign = 1;
    bool wants_term = true;
    enum yk_status st = YK_OK;

    if (!(d->terms = calloc(strlen(d->sum) / 2 + 1, sizeof *d->terms)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (const char *p = d->sum + strspn(d->sum, " \t\n"); *p && !st; p += strspn(p, " \t\n")) {
        const size_t length = strcspn(p, " \t\n");
        const bool is_sign = length == 1 && (*p == '+' || *p == '-');

        if (is_sign && wants_term && d->count)
            st = yk_fail_at(err, YK_E_INPUT, d->where, "%s: two signs follow each other in '%s'", d->name, d->sum);
        else if (!is_sign && !wants_term)
            st = yk_fail_at(err, YK_E_INPUT, d->where, "%s: a sign between blanks is expected in front of '%.*s'",
                            d->name, (int)length, p);
        else if (is_sign)
            sign = *p == '-' ? -1 : 1;
        else
            st = read_term(d, p, length, sign, err);
        wants_term = is_sign;
        p += length;
    }
    if (!st && (wants_term || !d->count))
        st = yk_fail_at(err, YK_E_INPUT, d->where, "%s: '%s' ends where a channel is expected", d->name, d->sum);
    return st;
}

static enum yk_status read_derived(const struct yk_node *node, struct yk_derived *d, struct yk_err *err)
{
    struct derived text = {0};
    enum yk_status st = yk_check_name(node, node->key, err);

    if (st)
        return st;
    d->where = node->where;
    if (node->type == YK_SCALAR)
        text.sum = strdup(node->text);
    else if (!(st = yk_field_type(node, YK_MAP, "a sum of channels", err)) &&
             !(st = yk_field_known(node, yk_keys_derived, NULL, err)))
        st = yk_field_settings(node, yk_keys_derived, &text, &no_files, err);
    d->sum = text.sum;
    d->unit = text.unit;
    d->name = strdup(node->key);
    if (st)
        return st;
    if (!d->sum || !d->name)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return read_terms(d, err);
}

enum yk_status yk_build_record(struct yk_model *e, struct yk_err *err)
{
    static const struct yk_node nothing = {.type = YK_MAP};
    const struct yk_node *map = yk_node_get(e->tree, "record"), *derived;
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map", err) : YK_OK;

    if (st)
        return st;
    if (!(e->selection = calloc(1, sizeof *e->selection)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    map = map ? map : &nothing;
    if ((st = read_stream(map, yk_keys_record, &e->selection->streams[YK_STREAM_SYSTEM], err)))
        return st;
    for (int k = YK_STREAM_FINE; k < YK_STREAMS && !st; k++) {
        const struct yk_node *own = yk_node_get(map, k == YK_STREAM_FINE ? "fine" : "ticks");

        if (!own || !(st = yk_field_type(own, YK_MAP, "a map", err)))
            st = read_stream(own ? own : &nothing, yk_keys_record_stream, &e->selection->streams[k], err);
        if (!st && own && !(k == YK_STREAM_FINE ? e->coupling != NULL : e->station || yk_has_models_only(e)))
            st = yk_fail_at(err, YK_E_INPUT, own->key_where, "record.%s is for %s", own->key,
                            k == YK_STREAM_FINE ? "coupled runs, which have fine steps" : "runs with specimens");
    }
    derived = yk_node_get(map, "derived");
    if (st || !derived || (st = yk_field_type(derived, YK_MAP, "a map of names to sums", err)))
        return st;
    if (!(e->selection->derived = calloc(derived->count + 1, sizeof *e->selection->derived)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < derived->count && !st; i++)
        st = read_derived(derived->items[i], &e->selection->derived[e->selection->derived_count++], err);
    return st;
}
