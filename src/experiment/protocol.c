/* Protocols of tests on members and frames. ATC-24 (1992); SAC/BD-97/02; FEMA 461 (2007); ISO 16670:2003. */
#include <yoke/protocol.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 }; /* amplitudes */

static enum yk_status add(struct yk_protocol *p, double size, int cycles, struct yk_err *err)
{
    struct yk_amplitude *larger = realloc(p->items, (p->count + 1) * sizeof *larger);

    if (!larger)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    p->items = larger;
    larger[p->count++] = (struct yk_amplitude){size, cycles};
    return YK_OK;
}

/* A row of a list: a factor on the basic amplitude, and how often. */
struct row {
    double factor;
    int cycles;
};

/* The lists as their documents give them; then amplitudes that grow by `growth` go on until `to`. */
struct list {
    struct row rows[16]; /* cycles of 0 end them */
    double growth;
    int cycles;
    bool goes_on; /* `to` is needed to end it */
};
static const struct list atc = {
    {{0.5, 3}, {0.75, 3}, {1, 3}, {2, 3}, {3, 3}}, 1, 2, true}; /* six elastic cycles at least: 3 + 3 here */
static const struct list sac = {
    {{0.00375, 6}, {0.005, 6}, {0.0075, 6}, {0.01, 4}, {0.015, 2}, {0.02, 2}, {0.03, 2}, {0.04, 2}}, 0.01, 2, false};
static const struct list iso = {
    {{0.0125, 1}, {0.025, 1}, {0.05, 1}, {0.075, 1}, {0.1, 1}, {0.2, 3}, {0.4, 3}, {0.6, 3}, {0.8, 3}, {1, 3}},
    0.2,
    3,
    false};

/* `to` as a factor: amplitudes beyond it are left out; NaN: the list ends where its rows do. */
static enum yk_status take(struct yk_protocol *p, const struct list *l, double unit, double to, struct yk_err *err)
{
    const double most = isfinite(to) ? to * (1 + 1e-12) : INFINITY;
    double last = 0;
    enum yk_status st = YK_OK;

    for (size_t i = 0; l->rows[i].cycles && !st; i++) {
        last = l->rows[i].factor;
        if (last * unit <= most)
            st = add(p, last * unit, l->rows[i].cycles, err);
    }
    for (int i = 1; isfinite(to) && (last + i * l->growth) * unit <= most && !st; i++) {
        if (i > MOST)
            return yk_fail(err, YK_E_RANGE, "protocol: more than %d amplitudes up to %g", MOST, to);
        st = add(p, (last + i * l->growth) * unit, l->cycles, err);
    }
    return st;
}

/* ---- the key --------------------------------------------------------------------------------------------------- */

enum { ATC_24, SAC, FEMA_461, ISO_16670, CYCLES };
struct settings {
    int kind, levels;
    double yield, height, target, ultimate, ratio, to;
    struct yk_reals amplitudes, cycles;
};
static const struct yk_param keys[] = {
    YK_CHOICE(struct settings, kind, "atc-24|sac|fema-461|iso-16670|cycles", 0, "list of amplitudes"),
    YK_REAL(struct settings, yield, YK_DISPLACEMENT, 0, 0, 1e6, YK_WHEN("kind=atc-24", "displacement at yield")),
    YK_REAL(struct settings, height, YK_LENGTH, 0, 0, 1e6,
            YK_WHEN("kind=sac", "amplitudes are drifts times this height; default: drifts as they are")),
    YK_REAL(struct settings, target, YK_DISPLACEMENT, 0, 0, 1e6, YK_WHEN("kind=fema-461", "largest amplitude")),
    YK_COUNT(struct settings, levels, 10, 1, 100, YK_WHEN("kind=fema-461", "amplitudes up to the target")),
    YK_REAL(struct settings, ratio, YK_NUMBER, 1.4, 1, 10,
            YK_WHEN("kind=fema-461", "of an amplitude to the one before")),
    YK_REAL(struct settings, ultimate, YK_DISPLACEMENT, 0, 0, 1e6, YK_WHEN("kind=iso-16670", "ultimate displacement")),
    YK_NODE("to", "number with unit", 0, "amplitudes above it are left out; of sac a drift"),
    YK_REALS(struct settings, amplitudes, YK_DISPLACEMENT, 0, 0, 1e6,
             YK_WHEN("kind=cycles", "amplitudes in their order")),
    YK_REALS(struct settings, cycles, YK_NUMBER, 0, 1, 1e4,
             YK_WHEN("kind=cycles", "how often: one number, or one for each amplitude; default 1")),
    YK_PARAM_END,
};

static enum yk_status need(const struct yk_node *map, double value, const char *kind, const char *key,
                           struct yk_err *err)
{
    return value > 0 ? YK_OK : yk_fail_at(err, YK_E_INPUT, map->where, "protocol %s needs %s", kind, key);
}

static enum yk_status fema(const struct settings *s, struct yk_protocol *p, struct yk_err *err)
{
    const double most = isfinite(s->to) ? s->to * (1 + 1e-12) : s->target;
    enum yk_status st = YK_OK;

    for (int k = 1; k <= s->levels && !st; k++) {
        const double size = s->target * pow(s->ratio, k - s->levels);

        if (size <= most)
            st = add(p, size, 2, err);
    }
    for (int i = 1; s->target * (1 + 0.3 * i) <= most && !st; i++)
        st = i > MOST ? yk_fail(err, YK_E_RANGE, "protocol: more than %d amplitudes up to %g", MOST, s->to)
                      : add(p, s->target * (1 + 0.3 * i), 2, err);
    return st;
}

static enum yk_status own(const struct yk_node *map, const struct settings *s, struct yk_protocol *p,
                          struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if (!s->amplitudes.n)
        return yk_fail_at(err, YK_E_INPUT, map->where, "protocol cycles needs amplitudes");
    if (s->cycles.n > 1 && s->cycles.n != s->amplitudes.n)
        return yk_fail_at(err, YK_E_INPUT, map->where, "protocol: %zu amplitudes, but %zu numbers of cycles",
                          s->amplitudes.n, s->cycles.n);
    for (size_t i = 0; i < s->amplitudes.n && !st; i++)
        if (!isfinite(s->to) || s->amplitudes.x[i] <= s->to * (1 + 1e-12))
            st = add(p, s->amplitudes.x[i], s->cycles.n ? (int)s->cycles.x[s->cycles.n > 1 ? i : 0] : 1, err);
    return st;
}

static enum yk_status expand(const struct yk_node *map, const struct settings *s, struct yk_protocol *p,
                             struct yk_err *err)
{
    enum yk_status st;

    switch (s->kind) {
    case ATC_24:
        if ((st = need(map, s->yield, "atc-24", "yield", err)))
            return st;
        if (!isfinite(s->to))
            return yk_fail_at(err, YK_E_INPUT, map->where, "protocol atc-24 needs to: the largest amplitude");
        return take(p, &atc, s->yield, s->to, err);
    case SAC:
        return take(p, &sac, s->height > 0 ? s->height : 1, s->height > 0 ? s->to * s->height : s->to, err);
    case FEMA_461:
        st = need(map, s->target, "fema-461", "target", err);
        return st ? st : fema(s, p, err);
    case ISO_16670:
        st = need(map, s->ultimate, "iso-16670", "ultimate", err);
        return st ? st : take(p, &iso, s->ultimate, s->to, err);
    default:
        return own(map, s, p, err);
    }
}

enum yk_status yk_protocol_read(const struct yk_node *map, enum yk_sense sense, struct yk_protocol *p,
                                struct yk_err *err)
{
    const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE, .sense = sense};
    struct settings s = {0};
    const struct yk_node *to;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a protocol as a map", err)) || (st = yk_field_known(map, keys, NULL, err)))
        return st;
    if (!yk_node_get(map, "kind"))
        return yk_fail_at(err, YK_E_INPUT, map->where,
                          "protocol: missing kind: atc-24, sac, fema-461, iso-16670 or cycles");
    if (!(st = yk_field_settings(map, keys, &s, &context, err))) {
        s.to = NAN;
        if ((to = yk_node_get(map, "to")))
            st = yk_field_real(to, s.kind == SAC ? YK_NUMBER : yk_quantity_of(YK_DISPLACEMENT, sense), 0, 1e6, &s.to,
                               err);
        if (!st)
            st = expand(map, &s, p, err);
        if (!st && !p->count)
            st = yk_fail_at(err, YK_E_RANGE, map->where, "protocol: no amplitude is left below to");
    }
    yk_param_free(keys, &s);
    return st;
}

void yk_protocol_free(struct yk_protocol *p)
{
    free(p->items);
    *p = (struct yk_protocol){0};
}

int yk_protocol_cycles(const struct yk_protocol *p)
{
    int sum = 0;

    for (size_t i = 0; i < p->count; i++)
        sum += p->items[i].cycles;
    return sum;
}

double yk_protocol_length(const struct yk_protocol *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->count; i++)
        sum += 4 * p->items[i].size * p->items[i].cycles;
    return sum;
}

double *yk_protocol_turns(const struct yk_protocol *p, size_t *count)
{
    double *x = malloc((2 * (size_t)yk_protocol_cycles(p) + 1) * sizeof *x);

    *count = 0;
    for (size_t i = 0; x && i < p->count; i++)
        for (int k = 0; k < p->items[i].cycles; k++) {
            x[(*count)++] = p->items[i].size;
            x[(*count)++] = -p->items[i].size;
        }
    if (x)
        x[(*count)++] = 0;
    return x;
}
