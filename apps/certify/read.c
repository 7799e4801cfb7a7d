/* The section `uncertain`: keys as for --set, each with a percentage or an interval A..B. */
#include "certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/number.h>

#define NEARLY 0.98 /* of the way to 0, where a value must be positive */

/* The node of a key; *missing: the first part of it that is not in the file. */
static const struct yk_node *find(const struct yk_node *at, const char *key, const char **missing)
{
    while (at && *key) {
        const size_t length = strcspn(key, ".");
        const struct yk_node *next = NULL;

        *missing = key;
        if (at->type == YK_LIST) {
            char *end;
            const unsigned long i = strtoul(key, &end, 10);

            next = end == key + length && i < at->count ? at->items[i] : NULL;
        }
        for (size_t i = 0; at->type == YK_MAP && i < at->count; i++)
            if (strncmp(at->items[i]->key, key, length) == 0 && at->items[i]->key[length] == 0)
                next = at->items[i];
        at = next;
        key += length + (key[length] == '.');
    }
    return at;
}

/* A number and what follows it, without blanks in between. False: no number. */
static bool split(const char *text, double *x, char unit[24])
{
    const char *end = text + strlen(text), *behind;

    while (*text == ' ')
        text++;
    if (!(behind = yk_number_scan(text, end, x)))
        return false;
    while (*behind == ' ')
        behind++;
    snprintf(unit, 24, "%s", behind);
    return true;
}

/* Are all scalars of a list numbers? */
static bool is_numeric(const struct yk_node *node)
{
    double x;
    char unit[24];

    if (node->type == YK_SCALAR)
        return split(node->text, &x, unit);
    for (size_t i = 0; i < node->count; i++)
        if (node->type != YK_LIST || !is_numeric(node->items[i]))
            return false;
    return node->count > 0;
}

/* Factor from one unit to another of the same dimension; 0: there is none. */
static double conversion(const char *from, const char *to)
{
    char a[40], b[40];
    double x, y;

    if (strcmp(from, to) == 0)
        return 1;
    snprintf(a, sizeof a, "1 %s", from);
    snprintf(b, sizeof b, "1 %s", to);
    if (yk_si(a, NULL, &x, NULL) || yk_si(b, NULL, &y, NULL) || !(y != 0))
        return 0;
    return x / y;
}

static bool is_time(const char *unit)
{
    double s;
    char text[40];

    snprintf(text, sizeof text, "1 %s", unit);
    return *unit && yk_si(text, "time", &s, NULL) == YK_OK;
}

/* "20 %" */
static enum yk_status read_percentage(struct certify_key *k, double percent, struct yk_err *err)
{
    if (!(percent > 0))
        return yk_fail_at(err, YK_E_RANGE, k->said->where, "uncertain.%s: %g %% is not above 0", k->key, percent);
    if (percent > 100)
        return yk_fail_at(err, YK_E_RANGE, k->said->where,
                          "uncertain.%s: %g %% would reach %g of the value; write an interval A..B", k->key, percent,
                          1 - percent / 100);
    k->factor = true;
    k->nominal = 1;
    k->half = percent / 100;
    return YK_OK;
}

/* "2..6 ms"; the value may have another unit. */
static enum yk_status read_interval(struct certify_key *k, struct yk_uncertain *of, const char *dots,
                                    struct yk_err *err)
{
    char first[80], own[24], low_unit[24];
    double low, high, value;
    const struct yk_where at = k->said->where;

    snprintf(first, sizeof first, "%.*s", (int)(dots - k->said->text), k->said->text);
    if (!split(first, &low, low_unit) || !split(dots + 2, &high, k->unit) || !(high > low))
        return yk_fail_at(err, YK_E_INPUT, at, "uncertain.%s: '%s' is neither a percentage nor an interval A..B",
                          k->key, k->said->text);
    if (*low_unit) {
        const double by = conversion(low_unit, k->unit);

        low *= by;
        if (by == 0 || !(high > low))
            return yk_fail_at(err, YK_E_INPUT, at, "uncertain.%s: '%s' has units that do not belong together", k->key,
                              k->said->text);
    }
    if (k->node && k->node->type != YK_SCALAR)
        return yk_fail_at(err, YK_E_INPUT, at, "uncertain.%s: is a %s, which needs a percentage", k->key,
                          yk_node_type_name(k->node));
    if (!k->node)
        value = 1;
    else if (!split(k->node->text, &value, own) || (strcmp(own, k->unit) && *own && !*k->unit))
        return yk_fail_at(err, YK_E_INPUT, at, "uncertain.%s: '%s' needs the unit of the value, %s", k->key,
                          k->said->text, k->node->text);
    else if (*own)
        value *= conversion(own, k->unit);
    if (!(value >= low && value <= high))
        return yk_fail_at(err, YK_E_RANGE, at, "uncertain.%s: %s does not contain the nominal %s", k->key,
                          k->said->text, k->node ? k->node->text : "1");
    k->nominal = value;
    k->half = 0.5 * (high - low);
    of->down = (value - low) / k->half;
    of->up = (high - value) / k->half;
    return YK_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static enum yk_status read_one(struct certify_loop *loop, const struct yk_node *said, struct yk_err *err)
{
    struct certify_key *k = &loop->key[loop->count];
    struct yk_uncertain *of = &loop->of[loop->count];
    const char *missing = said->key, *dots, *percent;
    enum yk_status st;
    double x;
    char unit[24];

    *k = (struct certify_key){.key = said->key, .said = said};
    *of = (struct yk_uncertain){.name = said->key};
    k->node = find(yk_parts_tree(loop->parts), said->key, &missing);
    const bool gain = ends_with(said->key, "_gain") && strstr(said->key, ".sensors."); /* 1 unless the file says it */

    if (!k->node && !gain)
        return yk_fail_at(err, YK_E_INPUT, said->key_where,
                          "uncertain.%s: no such key; '%s' is not in the file (a default must be written into it)",
                          said->key, missing);
    if (k->node && !is_numeric(k->node))
        return yk_fail_at(err, YK_E_INPUT, said->key_where, "uncertain.%s: is a %s, not a number", said->key,
                          k->node->type == YK_SCALAR ? "text" : yk_node_type_name(k->node));
    if (said->type != YK_SCALAR)
        return yk_fail_at(err, YK_E_INPUT, said->where, "uncertain.%s: a percentage or an interval A..B is expected",
                          said->key);
    dots = strstr(said->text, "..");
    percent = strchr(said->text, '%');
    if (percent && !dots && split(said->text, &x, unit))
        st = read_percentage(k, x, err);
    else if (dots)
        st = read_interval(k, of, dots, err);
    else
        st = yk_fail_at(err, YK_E_INPUT, said->where, "uncertain.%s: '%s' is neither a percentage nor an interval A..B",
                        said->key, said->text);
    if (st)
        return st;
    if (k->node && k->node->type == YK_SCALAR) { /* kinks where a delay is a whole number of ticks */
        double value;

        split(k->node->text, &value, unit);
        if (is_time(unit))
            k->tick =
                yk_parts_pace(loop->parts).tick / (k->factor ? value : 1) / conversion(k->factor ? unit : k->unit, "s");
    }
    if (k->tick > 0) {
        of->kink = k->tick / k->half;
        of->first_kink = -k->nominal / k->half;
    }
    if (k->nominal > 0) {
        of->least = -k->nominal / k->half * (k->tick > 0 ? 1 : NEARLY);
        of->most = 1e9;
    }
    loop->count++;
    return YK_OK;
}

enum yk_status certify_read(struct certify_loop *loop, struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(yk_parts_tree(loop->parts), "uncertain");
    enum yk_status st = YK_OK;

    if (!all || all->type != YK_MAP || all->count == 0)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(yk_parts_path(loop->parts)),
                          "there is nothing to certify: the file needs a section `uncertain` with limits, for example "
                          "uncertain: { rig.specimen.stiffness: 20 %% }");
    if (all->count > YK_CERTIFY_PARAMETERS)
        return yk_fail_at(err, YK_E_RANGE, all->where, "uncertain: %zu keys; at most %d", all->count,
                          YK_CERTIFY_PARAMETERS);
    for (size_t i = 0; i < all->count && !st; i++)
        st = read_one(loop, all->items[i], err);
    return st;
}

/* ---- settings ---- */

/* All numbers of a node times a factor, as YAML. */
static void print_scaled(const struct yk_node *node, double by, FILE *out)
{
    double x;
    char unit[24];

    if (node->type == YK_SCALAR) {
        split(node->text, &x, unit);
        fprintf(out, "%.17g%s%s", by * x, *unit ? " " : "", unit);
        return;
    }
    fputc('[', out);
    for (size_t i = 0; i < node->count; i++) {
        fputs(i ? ", " : "", out);
        print_scaled(node->items[i], by, out);
    }
    fputc(']', out);
}

bool certify_setting(const struct certify_key *k, double delta, char *text, size_t size)
{
    const double value = k->nominal + delta * k->half;
    FILE *out = fmemopen(text, size, "w");

    if (!out)
        return false;
    fprintf(out, "%s=", k->key);
    if (k->factor && k->node)
        print_scaled(k->node, value, out);
    else
        fprintf(out, "%.17g%s%s", value, *k->unit ? " " : "", k->unit);
    fputc(0, out);
    return fclose(out) == 0 && strlen(text) + 1 < size;
}

void certify_value_text(const struct certify_key *k, double delta, char *text, size_t size)
{
    if (k->factor)
        snprintf(text, size, "%+.3g %%", 100 * delta * k->half);
    else
        snprintf(text, size, "%.4g%s%s", k->nominal + delta * k->half, *k->unit ? " " : "", k->unit);
}
