/* Quantities with units: "14.8 kN/m" -> 14800.
 *
 *   quantity = number [unit]
 *   unit     = ['/'] factor { (blank | '*' | '.' | '·' | '/') factor }     a '/' divides by the next factor only
 *   factor   = '1' | [prefix] name [power]                                 power as in m2, m^2, s^-1, s-1, m²
 *
 * A unit is a product of powers of m, kg and s, times a number. The radian is counted apart, since only a frequency
 * asks whether it is there; so are the cycle of Hz, the per cent and what a device counts, which must not pass for
 * angles. Powers of ten are added up and applied once at the end, so that "16 ms" is exactly 0.016. */
#include <yoke/units.h>

#include <yoke/dimension.h>

#include <yoke/number.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PI 3.14159265358979323846

enum dimension { M, KG, S, RAD, CYCLE, PERCENT, DEVICE, DIMENSIONS };

enum { POWER_MAX = 9, EXPONENT_MAX = 99, TEN_MAX = 300 };

struct unit {
    const char *name;
    double factor; /* without powers of ten */
    int ten;
    signed char dim[DIMENSIONS];
    const char *prefixes; /* letters that may stand in front */
};

static const struct unit units[] = {
    {"m", 1, 0, {1, 0, 0}, "numck"},
    {"s", 1, 0, {0, 0, 1}, "num"},
    {"kg", 1, 0, {0, 1, 0}, ""},
    {"t", 1, 3, {0, 1, 0}, ""},
    {"N", 1, 0, {1, 1, -2}, "umkMG"},
    {"Nm", 1, 0, {2, 1, -2}, "umkMG"},
    {"Pa", 1, 0, {-1, 1, -2}, "mkMG"},
    {"bar", 1, 5, {-1, 1, -2}, "m"},
    {"l", 1, -3, {3, 0, 0}, "m"},
    {"J", 1, 0, {2, 1, -2}, "umkMG"},
    {"W", 1, 0, {2, 1, -3}, "umkMG"},
    {"Hz", 1, 0, {0, 0, -1, 0, 1}, "mkMG"},
    {"rad", 1, 0, {0, 0, 0, 1}, "num"},
    {"deg", PI / 180, 0, {0, 0, 0, 1}, ""},
    {"°", PI / 180, 0, {0, 0, 0, 1}, ""},
    {"rpm", PI / 30, 0, {0, 0, -1, 1}, ""},
    {"g", 9.80665, 0, {1, 0, -2}, ""}, /* standard gravity; a gram is 1e-3 kg */
    {"min", 60, 0, {0, 0, 1}, ""},
    {"h", 3600, 0, {0, 0, 1}, ""},
    {"in", 2.54, -2, {1, 0, 0}, ""},
    {"ft", 0.3048, 0, {1, 0, 0}, ""},
    {"lbf", 4.4482216152605, 0, {1, 1, -2}, ""},
    {"kip", 4.4482216152605, 3, {1, 1, -2}, ""},
    {"%", 1, -2, {0, 0, 0, 0, 0, 1}, ""},
    {"V", 1, 0, {0, 0, 0, 0, 0, 0, 1}, "m"}, /* what devices count: mm/V */
    {"A", 1, 0, {0, 0, 0, 0, 0, 0, 1}, "m"},
    {"count", 1, 0, {0, 0, 0, 0, 0, 0, 1}, ""},
};
enum { UNITS = sizeof units / sizeof units[0] };

static const struct prefix {
    const char *text;
    char letter;
    int ten;
} prefixes[] = {{"n", 'n', -9}, {"u", 'u', -6}, {"µ", 'u', -6}, {"μ", 'u', -6}, {"m", 'm', -3},
                {"c", 'c', -2}, {"k", 'k', 3},  {"M", 'M', 6},  {"G", 'G', 9}};
enum { PREFIXES = sizeof prefixes / sizeof prefixes[0] };

/* Units as people write them, and the ones to write instead. */
static const struct {
    const char *written, *meant;
} habits[] = {
    {"sec", "s"},      {"second", "s"},    {"seconds", "s"}, {"meter", "m"},     {"metre", "m"},     {"meters", "m"},
    {"metres", "m"},   {"newton", "N"},    {"gram", "kg"},   {"mg", "kg"},       {"ton", "t"},       {"tonne", "t"},
    {"degree", "deg"}, {"degrees", "deg"}, {"lb", "lbf"},    {"kips", "kip"},    {"inch", "in"},     {"feet", "ft"},
    {"rev", "rpm"},    {"percent", "%"},   {"gal", "cm/s2"}, {"psi", "lbf/in2"}, {"ksi", "kip/in2"}, {"hour", "h"},
    {"minute", "min"}, {"liter", "l"},     {"litre", "l"},   {"L", "l"},         {"minutes", "min"}, {"hours", "h"},
    {"msec", "ms"},    {"kgf", "N"},       {"bar", "kPa"},
};
enum { HABITS = sizeof habits / sizeof habits[0] };

/* A quantity and the products m^a kg^b s^c rad^d that may express it, the translational one first. A radian may be left
 * out, unless it tells the rotational form from a slip in the translational one. */
struct kind {
    const char *name, *unit, *wanted;
    int forms;
    signed char form[3][4];
    bool needs_radian;
};

static const struct kind kinds[YK_QUANTITY_COUNT] = {
    [YK_NUMBER] = {"number", "", "no unit, or %", 1, {{0, 0, 0}}, false},
    [YK_TIME] = {"time", "s", "s", 1, {{0, 0, 1}}, false},
    [YK_FREQUENCY] = {"frequency", "Hz", "Hz, rad/s, rpm", 1, {{0, 0, -1}}, false},
    [YK_LENGTH] = {"length", "m", "m", 1, {{1, 0, 0}}, false},
    [YK_ANGLE] = {"angle", "rad", "rad, deg", 1, {{0, 0, 0, 1}}, false},
    [YK_DISPLACEMENT] = {"displacement", "m", "m, rad", 2, {{1, 0, 0}, {0, 0, 0, 1}}, true},
    [YK_VELOCITY] = {"velocity", "m/s", "m/s, rad/s", 2, {{1, 0, -1}, {0, 0, -1, 1}}, true},
    [YK_ACCELERATION] = {"acceleration", "m/s2", "m/s2, rad/s2", 2, {{1, 0, -2}, {0, 0, -2, 1}}, true},
    [YK_MASS] = {"mass", "kg", "kg, kg m2", 2, {{0, 1, 0}, {2, 1, 0, -1}}, false},
    [YK_DAMPING] = {"damping", "N s/m", "N s/m, N m s/rad", 2, {{0, 1, -1}, {2, 1, -1, -1}}, true},
    [YK_STIFFNESS] = {"stiffness", "N/m", "N/m, N m/rad", 2, {{0, 1, -2}, {2, 1, -2, -1}}, true},
    [YK_CUBIC] = {"cubic stiffness", "N/m3", "N/m3, N m/rad3", 2, {{-2, 1, -2}, {2, 1, -2, -3}}, true},
    [YK_FORCE] = {"force", "N", "N, N m", 2, {{1, 1, -2}, {2, 1, -2}}, false},
    [YK_ENERGY] = {"energy", "J", "J", 1, {{2, 1, -2}}, false},
    [YK_PER_TIME] = {"rate", "1/s", "1/s", 1, {{0, 0, -1, 1}}, false},
    [YK_PER_LENGTH] = {"coefficient per length", "1/m", "1/m", 1, {{-1, 0, 0}}, false},
    [YK_PER_AREA] = {"coefficient per area", "1/m2", "1/m2", 1, {{-2, 0, 0}}, false},
    [YK_AREA] = {"area", "m2", "m2", 1, {{2, 0, 0}}, false},
    [YK_AREA_MOMENT] = {"second moment of area", "m4", "m4", 1, {{4, 0, 0}}, false},
    [YK_PRESSURE] = {"pressure", "Pa", "Pa, MPa, GPa, N/m2", 1, {{-1, 1, -2}}, false},
    [YK_DENSITY] = {"density", "kg/m3", "kg/m3", 1, {{-3, 1, 0}}, false},
    [YK_SPEED] = {"speed", "m/s", "m/s", 1, {{1, 0, -1}}, false},
    [YK_TURN_RATE] = {"angular velocity", "rad/s", "rad/s", 1, {{0, 0, -1, 1}}, false},
    [YK_PLAIN_FORCE] = {"force", "N", "N", 1, {{1, 1, -2}}, false},
    [YK_MOMENT] = {"moment", "N m", "N m", 1, {{2, 1, -2}}, false},
    [YK_PLAIN_ACCELERATION] = {"acceleration", "m/s2", "m/s2, g", 1, {{1, 0, -2}}, false},
    [YK_TURN_ACCELERATION] = {"angular acceleration", "rad/s2", "rad/s2", 1, {{0, 0, -2, 1}}, false},
    [YK_PLAIN_MASS] = {"mass", "kg", "kg, t", 1, {{0, 1, 0}}, false},
    [YK_MASS_ARM] = {"mass times a length", "kg m", "kg m", 1, {{1, 1, 0, -1}}, false},
    [YK_INERTIA] = {"moment of inertia", "kg m2", "kg m2", 1, {{2, 1, 0, -1}}, false},
    [YK_PLAIN_DAMPING] = {"damping", "N s/m", "N s/m", 1, {{0, 1, -1}}, false},
    [YK_CROSS_DAMPING] = {"damping between a translation and a rotation", "N s", "N s", 1, {{1, 1, -1, -1}}, false},
    [YK_TURN_DAMPING] = {"rotational damping", "N m s/rad", "N m s/rad", 1, {{2, 1, -1, -1}}, false},
    [YK_PLAIN_STIFFNESS] = {"stiffness", "N/m", "N/m", 1, {{0, 1, -2}}, false},
    [YK_CROSS_STIFFNESS] = {"stiffness between a translation and a rotation", "N", "N", 1, {{1, 1, -2, -1}}, false},
    [YK_TURN_STIFFNESS] = {"rotational stiffness", "N m/rad", "N m/rad", 1, {{2, 1, -2, -1}}, false},
    [YK_PLAIN_CUBIC] = {"cubic stiffness", "N/m3", "N/m3", 1, {{-2, 1, -2}}, false},
    [YK_TURN_CUBIC] = {"rotational cubic stiffness", "N m/rad3", "N m/rad3", 1, {{2, 1, -2, -3}}, false},
    [YK_ANY_MASS] = {"mass", "kg", "kg, kg m, kg m2", 3, {{0, 1, 0}, {1, 1, 0, -1}, {2, 1, 0, -1}}, false},
    [YK_ANY_DAMPING] =
        {"damping", "N s/m", "N s/m, N s, N m s/rad", 3, {{0, 1, -1}, {1, 1, -1, -1}, {2, 1, -1, -1}}, false},
    [YK_ANY_STIFFNESS] =
        {"stiffness", "N/m", "N/m, N, N m/rad", 3, {{0, 1, -2}, {1, 1, -2, -1}, {2, 1, -2, -1}}, false},
    [YK_STROKE_GAIN] = {"stroke for a unit of the device", "m", "m, mm/V, deg/V", 2, {{1, 0, 0}, {0, 0, 0, 1}}, true},
    [YK_FORCE_GAIN] = {"force for a unit of the load cell", "N", "N, kN/V, N m/V", 2, {{1, 1, -2}, {2, 1, -2}}, false},
    [YK_FORCE_RATE] = {"rate of a force", "N/s", "N/s, N m/s", 2, {{1, 1, -3}, {2, 1, -3}}, false},
    [YK_STRAIN] = {"strain", "", "no unit, or %", 1, {{0, 0, 0}}, false},
    [YK_STRESS] = {"stress", "Pa", "Pa, MPa, GPa, N/m2", 1, {{-1, 1, -2}}, false},
    [YK_MODULUS] = {"modulus of elasticity", "Pa", "Pa, MPa, GPa, N/m2", 1, {{-1, 1, -2}}, false},
    [YK_PER_SPEED] = {"coefficient per speed", "s/m", "s/m", 1, {{-1, 0, 1}}, false},
    [YK_JERK] = {"rate of an acceleration", "m/s3", "m/s3, rad/s3", 2, {{1, 0, -3}, {0, 0, -3, 1}}, false},
    [YK_VOLUME] = {"volume", "m3", "m3, l", 1, {{3, 0, 0}}, false},
    [YK_FLOW] = {"flow", "m3/s", "m3/s, l/min", 1, {{3, 0, -1}}, false},
};

/* The forms of quantities of motion. A fibre has no inertia, and its law no rate: where it has no form, as given. */
static const struct {
    enum yk_quantity any, along, about, fibre, between, unknown; /* the last two off the diagonal of a matrix */
} senses[] = {
    {YK_DISPLACEMENT, YK_LENGTH, YK_ANGLE, YK_STRAIN, YK_DISPLACEMENT, YK_DISPLACEMENT},
    {YK_VELOCITY, YK_SPEED, YK_TURN_RATE, YK_PER_TIME, YK_VELOCITY, YK_VELOCITY},
    {YK_ACCELERATION, YK_PLAIN_ACCELERATION, YK_TURN_ACCELERATION, YK_ACCELERATION, YK_ACCELERATION, YK_ACCELERATION},
    {YK_MASS, YK_PLAIN_MASS, YK_INERTIA, YK_MASS, YK_MASS_ARM, YK_ANY_MASS},
    {YK_DAMPING, YK_PLAIN_DAMPING, YK_TURN_DAMPING, YK_DAMPING, YK_CROSS_DAMPING, YK_ANY_DAMPING},
    {YK_STIFFNESS, YK_PLAIN_STIFFNESS, YK_TURN_STIFFNESS, YK_MODULUS, YK_CROSS_STIFFNESS, YK_ANY_STIFFNESS},
    {YK_CUBIC, YK_PLAIN_CUBIC, YK_TURN_CUBIC, YK_MODULUS, YK_CUBIC, YK_CUBIC},
    {YK_FORCE, YK_PLAIN_FORCE, YK_MOMENT, YK_STRESS, YK_FORCE, YK_FORCE},
};
enum { SENSES = sizeof senses / sizeof senses[0] };

enum yk_quantity yk_quantity_of(enum yk_quantity quantity, enum yk_sense sense)
{
    for (size_t i = 0; i < SENSES && sense != YK_EITHER; i++)
        if (senses[i].any == quantity)
            return sense == YK_ALONG ? senses[i].along : sense == YK_ABOUT ? senses[i].about : senses[i].fibre;
    return quantity;
}

enum yk_quantity yk_quantity_between(enum yk_quantity quantity, enum yk_sense row, enum yk_sense column)
{
    if (row == column && row != YK_EITHER)
        return yk_quantity_of(quantity, row);
    for (size_t i = 0; i < SENSES; i++)
        if (senses[i].any == quantity)
            return row == YK_EITHER || column == YK_EITHER ? senses[i].unknown : senses[i].between;
    return quantity;
}

/* Quantities that units measure, for the message that refuses one. */
static const struct {
    signed char dim[DIMENSIONS];
    const char *text;
} meanings[] = {
    {{0, 0, 0}, "a pure number"},
    {{0, 0, 0, 1}, "an angle"},
    {{0, 0, 0, 0, 0, 1}, "a percentage"},
    {{0, 0, 1}, "a time"},
    {{0, 0, -1, 0, 1}, "a frequency"},
    {{0, 0, -1, 1}, "an angular velocity"},
    {{0, 0, -1}, "a rate"},
    {{0, 0, -2, 1}, "an angular acceleration"},
    {{1, 0, 0}, "a length"},
    {{2, 0, 0}, "an area"},
    {{3, 0, 0}, "a volume"},
    {{4, 0, 0}, "a second moment of area"},
    {{3, 0, -1}, "a flow"},
    {{1, 0, -1}, "a velocity"},
    {{1, 0, -2}, "an acceleration"},
    {{0, 1, 0}, "a mass"},
    {{1, 1, 0}, "a mass times a length"},
    {{2, 1, 0}, "a moment of inertia"},
    {{-3, 1, 0}, "a density"},
    {{0, 1, -1}, "a damping"},
    {{1, 1, -1}, "an impulse"},
    {{2, 1, -1}, "a rotational damping"},
    {{2, 1, -1, -1}, "a rotational damping"},
    {{0, 1, -2}, "a stiffness"},
    {{2, 1, -2, -1}, "a rotational stiffness"},
    {{1, 1, -2}, "a force"},
    {{2, 1, -2}, "an energy or a moment"},
    {{1, 1, -2, -1}, "a force per radian"},
    {{-2, 1, -2}, "a cubic stiffness"},
    {{-1, 1, -2}, "a pressure"},
    {{2, 1, -3}, "a power"},
    {{-1, 0, 0}, "an inverse length"},
    {{-2, 0, 0}, "an inverse area"},
};
enum { MEANINGS = sizeof meanings / sizeof meanings[0] };

/* Quantity read so far: factor * 10^ten * m^.. kg^.. s^.. */
struct measure {
    const char *text; /* the whole quantity, for messages */
    double factor;
    int ten;
    int dim[DIMENSIONS];
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

static bool starts(const char *p, const char *with)
{
    return strncmp(p, with, strlen(with)) == 0;
}

/* Length of a multiplication sign at p, or 0. */
static size_t times(const char *p)
{
    static const char *const signs[] = {"*", ".", "·", "⋅"};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (starts(p, signs[i]))
            return strlen(signs[i]);
    return 0;
}

/* A unit's name: letters, also beyond ASCII, up to a sign or a power. */
static size_t name_length(const char *p)
{
    size_t n = 0;

    if (*p == '%')
        return 1;
    while ((isalpha((unsigned char)p[n]) || (unsigned char)p[n] >= 0x80) && !times(p + n) && !starts(p + n, "²") &&
           !starts(p + n, "³"))
        n++;
    return n;
}

typedef int compare(const char *a, const char *b, size_t n);

/* The unit and the prefix that together spell the name, or NULL; `*prefix` is NULL where there is none. */
static const struct unit *lookup(const char *name, size_t length, compare *same, const struct prefix **prefix)
{
    *prefix = NULL;
    for (size_t i = 0; i < UNITS; i++)
        if (strlen(units[i].name) == length && same(units[i].name, name, length) == 0)
            return &units[i];
    for (size_t k = 0; k < PREFIXES; k++) {
        size_t head = strlen(prefixes[k].text);

        if (head >= length || same(prefixes[k].text, name, head) != 0)
            continue;
        *prefix = &prefixes[k];
        for (size_t i = 0; i < UNITS; i++)
            if (strlen(units[i].name) == length - head && same(units[i].name, name + head, length - head) == 0 &&
                strchr(units[i].prefixes, prefixes[k].letter))
                return &units[i];
    }
    return NULL;
}

/* Finds what an unknown name may have meant: a habit, two units written as one, or another case. */
static bool suggest(const char *name, size_t length, char *text, size_t size)
{
    const struct prefix *prefix = NULL;

    for (size_t i = 0; i < HABITS; i++)
        if (strlen(habits[i].written) == length && strncasecmp(habits[i].written, name, length) == 0)
            return snprintf(text, size, "%s", habits[i].meant) > 0;
    for (size_t cut = 1; cut < length && length < 16; cut++)
        if (lookup(name, cut, strncmp, &prefix) && lookup(name + cut, length - cut, strncmp, &prefix))
            return snprintf(text, size, "%.*s %.*s", (int)cut, name, (int)(length - cut), name + cut) > 0;
    const struct unit *unit = lookup(name, length, strncasecmp, &prefix);
    if (unit)
        return snprintf(text, size, "%s%s", prefix ? prefix->text : "", unit->name) > 0;
    return false;
}

static enum yk_status refuse_name(const struct measure *q, const char *name, size_t length, struct yk_err *err)
{
    char meant[64];

    if (length == 0 && *name == '(')
        return yk_fail(err, YK_E_UNIT, "'%.80s': brackets are not understood in a unit; write N s/m for N/(m/s)",
                       q->text);
    if (length == 0 && *name == 0)
        return yk_fail(err, YK_E_UNIT, "'%.80s': the unit ends where another factor is expected", q->text);
    if (length == 0)
        return yk_fail(err, YK_E_UNIT, "'%.80s': '%.20s' is not a unit", q->text, name);
    if (suggest(name, length, meant, sizeof meant))
        return yk_fail(err, YK_E_UNIT, "'%.80s': unknown unit '%.*s'; did you mean '%s'?", q->text,
                       length < 40 ? (int)length : 40, name, meant);
    return yk_fail(
        err, YK_E_UNIT,
        "'%.80s': unknown unit '%.*s'; known are m, s, kg, N, Pa, bar, l, J, W, Hz, rad, deg, rpm, g, t, min, h, "
        "in, ft, lbf, kip and %%",
        q->text, length < 40 ? (int)length : 40, name);
}

/* Reads an integer power, 1 where none is written; NULL where it cannot be one. */
static const char *read_power(const char *p, int *power)
{
    bool marked = *p == '^';
    const char *q = marked ? p + 1 : p;
    int sign = *q == '-' ? -1 : 1;

    *power = 1;
    if (starts(p, "²") || starts(p, "³")) {
        *power = starts(p, "²") ? 2 : 3;
        return p + strlen("²");
    }
    if (*q == '-' || *q == '+')
        q++;
    if (*q < '1' || *q > '9' || isdigit((unsigned char)q[1]))
        return marked || isdigit((unsigned char)*q) ? NULL : p;
    *power = sign * (*q - '0');
    return q + 1;
}

/* Multiplies q by unit^power; false where the powers get out of hand. */
static bool multiply(struct measure *q, const struct unit *unit, const struct prefix *prefix, int power)
{
    q->factor *= pow(unit->factor, power);
    q->ten += power * (unit->ten + (prefix ? prefix->ten : 0));
    for (int i = 0; i < DIMENSIONS; i++) {
        q->dim[i] += power * unit->dim[i];
        if (abs(q->dim[i]) > EXPONENT_MAX)
            return false;
    }
    return abs(q->ten) <= TEN_MAX && q->factor > 0 && isfinite(q->factor);
}

/* One factor, to the power `sign` times its own; returns where it ends, or NULL with the message in err. */
static const char *read_factor(const char *p, int sign, struct measure *q, struct yk_err *err)
{
    size_t length = name_length(p);
    const struct prefix *prefix;
    int power;

    if (*p == '1' && !isdigit((unsigned char)p[1]) && name_length(p + 1) == 0)
        return p + 1;
    const struct unit *unit = length ? lookup(p, length, strncmp, &prefix) : NULL;
    if (!unit) {
        refuse_name(q, p, length, err);
        return NULL;
    }
    p = read_power(p + length, &power);
    if (!p) {
        yk_fail(err, YK_E_UNIT, "'%.80s': the power of '%s' is not a whole number from -%d to %d, zero excluded",
                q->text, unit->name, POWER_MAX, POWER_MAX);
        return NULL;
    }
    if (!multiply(q, unit, prefix, sign * power)) {
        yk_fail(err, YK_E_UNIT, "'%.80s': the powers in the unit are too high", q->text);
        return NULL;
    }
    return p;
}

static enum yk_status read_unit(const char *p, struct measure *q, struct yk_err *err)
{
    int sign = 1;

    if (*p == '/') {
        sign = -1;
        p = skip_blanks(p + 1);
    }
    for (;;) {
        p = read_factor(p, sign, q, err);
        if (!p)
            return YK_E_UNIT;
        const char *next = skip_blanks(p);
        if (!*next)
            return YK_OK;
        sign = *next == '/' ? -1 : 1;
        size_t mark = *next == '/' ? 1 : times(next);
        if (mark == 0 && next == p)
            return yk_fail(err, YK_E_UNIT, "'%.80s': '%.20s' is not understood; put a blank, '*' or '/' between units",
                           q->text, p);
        p = skip_blanks(next + mark);
    }
}

static bool fits_form(const struct kind *kind, const signed char *form, const int *dim)
{
    const bool same = dim[M] == form[M] && dim[KG] == form[KG] && dim[S] == form[S];

    return same && (dim[RAD] == form[RAD] || (dim[RAD] == 0 && !kind->needs_radian));
}

static bool fits(enum yk_quantity quantity, const int *dim)
{
    const struct kind *kind = &kinds[quantity];
    const bool gain = quantity == YK_STROKE_GAIN || quantity == YK_FORCE_GAIN;
    bool found = false;

    if (dim[PERCENT] != 0 && quantity != YK_NUMBER && quantity != YK_STRAIN)
        return false;
    if (dim[DEVICE] != 0 && !(gain && dim[DEVICE] == -1))
        return false;
    if (quantity == YK_FREQUENCY)
        return dim[M] == 0 && dim[KG] == 0 && dim[S] == -1 && (dim[RAD] == 0 || dim[RAD] == 1) &&
               dim[RAD] + dim[CYCLE] <= 1;
    for (int i = 0; i < kind->forms; i++)
        found |= fits_form(kind, kind->form[i], dim);
    return found && dim[CYCLE] == 0;
}

/* "a mass", or the product of base units where it has no name. */
static void describe(const int *dim, char *text, size_t size)
{
    static const char *const base[DIMENSIONS] = {"m", "kg", "s", "rad", "cycle", "%", "V"};
    size_t used = (size_t)snprintf(text, size, "in");

    for (size_t k = 0; k < MEANINGS; k++) {
        bool same = true;

        for (int i = 0; i < DIMENSIONS; i++)
            same &= dim[i] == meanings[k].dim[i];
        if (same) {
            snprintf(text, size, "%s", meanings[k].text);
            return;
        }
    }
    for (int i = 0; i < DIMENSIONS; i++)
        if (dim[i] == 1)
            used += (size_t)snprintf(text + used, size - used, " %s", base[i]);
        else if (dim[i])
            used += (size_t)snprintf(text + used, size - used, " %s%d", base[i], dim[i]);
}

/* Is the text a quantity of that kind? */
static bool is_of_kind(const char *text, enum yk_quantity quantity)
{
    double ignored;

    return yk_quantity_parse(text, quantity, &ignored, NULL) == YK_OK;
}

/* Would the factor only undo what the text ends with, as in '5 kN m/m' and '2 s/s2'? */
static bool undoes(const char *text, const char *factor)
{
    const char *last = text + strcspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *blank = strrchr(last, ' ');
    const size_t length = strcspn(factor + 1, "0123456789");

    last = blank ? blank + 1 : last;
    return *factor == '/' && strncmp(last, factor + 1, length) == 0 && !isalpha((unsigned char)last[length]);
}

/* "; did you mean '18 MN/m'?": what a forgotten factor, or a blank instead of a '/', would make of it. */
static void suggest_kind(const char *text, enum yk_quantity quantity, char *hint, size_t size)
{
    static const char *const forgotten[] = {"/m",  "/rad", " s/m", " m s/rad", " m/rad", " m",
                                            " m2", "/m3",  "2",    "4",        "/s",     "/s2"};
    enum { COUNT = sizeof forgotten / sizeof *forgotten, OF_MOTION = 8, OF_FORCES = 2, AFTER_FORCES = 5 };
    const bool heavy = kinds[quantity].form[0][KG] != 0, divided = strchr(text, '/') != NULL;
    const char *blank = strrchr(text, ' ');
    char other[100];
    int found = 0;

    *hint = 0;
    for (int i = -1; i < COUNT && found < 2 && strlen(text) < 60; i++) {
        if (i < 0 && blank)
            snprintf(other, sizeof other, "%.*s/%s", (int)(blank - text), text, blank + 1);
        else if (i < 0 || (i >= OF_MOTION && heavy) || (i >= OF_FORCES && i < AFTER_FORCES && !heavy) ||
                 undoes(text, forgotten[i]) || (divided && !isdigit((unsigned char)*forgotten[i])))
            continue; /* kg/s2 is N/m, and N/m s is N s/m, but nobody writes it that way */
        else
            snprintf(other, sizeof other, "%s%s", text, forgotten[i]);
        if (is_of_kind(other, quantity))
            snprintf(hint + strlen(hint), size - strlen(hint), "%s'%s'", found++ ? " or " : "; did you mean ", other);
    }
    if (found)
        snprintf(hint + strlen(hint), size - strlen(hint), "?");
}

static enum yk_status refuse_kind(const struct measure *q, enum yk_quantity quantity, struct yk_err *err)
{
    const struct kind *kind = &kinds[quantity];
    char found[80], hint[200];

    if (!err)
        return YK_E_UNIT; /* the hint asks whether other texts would do */
    describe(q->dim, found, sizeof found);
    suggest_kind(q->text, quantity, hint, sizeof hint);
    return yk_fail(err, YK_E_UNIT, "'%.80s' is %s, but %s %s is expected (%s)%s", q->text, found,
                   strchr("aeiou", kind->name[0]) ? "an" : "a", kind->name, kind->wanted, hint);
}

static enum yk_status convert(double number, struct measure *q, enum yk_quantity quantity, double *si,
                              struct yk_err *err)
{
    double value = number * q->factor;

    if (!fits(quantity, q->dim))
        return refuse_kind(q, quantity, err);
    if (quantity == YK_FREQUENCY && q->dim[RAD] == 1)
        value /= 2 * PI;
    value = q->ten < 0 ? value / pow(10, -q->ten) : value * pow(10, q->ten);
    if (!isfinite(value))
        return yk_fail(err, YK_E_RANGE, "'%.80s' is too large", q->text);
    *si = value;
    return YK_OK;
}

enum yk_status yk_quantity_parse(const char *text, enum yk_quantity quantity, double *si, struct yk_err *err)
{
    const char *begin = skip_blanks(text), *end = begin + strlen(begin);
    struct measure q = {.text = text, .factor = 1};
    double number;

    while (end > begin && is_blank(end[-1]))
        end--;
    if (yk_number_is_not_finite(begin, end))
        return yk_fail(err, YK_E_INPUT, "'%.80s' is not a finite number", text);
    const char *p = yk_number_scan(begin, end, &number);
    if (!p)
        return yk_fail(err, YK_E_INPUT, "'%.80s' is not a number", text);
    if (!isfinite(number))
        return yk_fail(err, YK_E_INPUT, "'%.80s' is not a finite number", text);
    p = skip_blanks(p);
    if (!*p) {
        *si = number;
        return YK_OK;
    }
    enum yk_status st = read_unit(p, &q, err);
    return st ? st : convert(number, &q, quantity, si, err);
}

const char *yk_quantity_name(enum yk_quantity quantity)
{
    return kinds[quantity].name;
}

const char *yk_quantity_unit(enum yk_quantity quantity)
{
    return kinds[quantity].unit;
}

/* ---- for people ---- */

/* Prefixes that engineers put before the unit of each quantity; none where the unit has a power. */
static const struct {
    enum yk_quantity quantity;
    const char *letters;
} scaled[] = {
    {YK_TIME, "mun"},
    {YK_FREQUENCY, "kM"},
    {YK_LENGTH, "m"},
    {YK_DISPLACEMENT, "m"},
    {YK_ANGLE, "m"},
    {YK_VELOCITY, "m"},
    {YK_SPEED, "m"},
    {YK_TURN_RATE, "m"},
    {YK_ACCELERATION, "m"},
    {YK_PLAIN_ACCELERATION, "m"},
    {YK_TURN_ACCELERATION, "m"},
    {YK_PLAIN_DAMPING, "kMG"},
    {YK_TURN_DAMPING, "kMG"},
    {YK_PLAIN_STIFFNESS, "kMG"},
    {YK_TURN_STIFFNESS, "kMG"},
    {YK_DAMPING, "kMG"},
    {YK_STIFFNESS, "kMG"},
    {YK_FORCE, "munkMG"},
    {YK_PLAIN_FORCE, "munkMG"},
    {YK_MOMENT, "munkMG"},
    {YK_ENERGY, "munkMG"},
    {YK_PRESSURE, "kMG"},
    {YK_FORCE_RATE, "kMG"},
};
enum { SCALED = sizeof scaled / sizeof scaled[0] };

static const char *prefixes_of(enum yk_quantity quantity)
{
    for (size_t i = 0; i < SCALED; i++)
        if (scaled[i].quantity == quantity)
            return scaled[i].letters;
    return "";
}

/* The prefix that leaves 1 to 1000, or comes nearest to that; NULL: none. */
static const struct prefix *choose_prefix(double size, const char *letters)
{
    const struct prefix *best = NULL, *smallest = NULL;

    for (size_t k = 0; k < PREFIXES && size > 0 && isfinite(size); k++) { /* they ascend */
        const struct prefix *p = &prefixes[k];

        if (!strchr(letters, p->letter) || *p->text != p->letter) /* u, not the Greek letter */
            continue;
        if (!smallest && p->ten < 0)
            smallest = p;
        if (size >= pow(10, p->ten) && (p->ten > 0 || size < 1))
            best = p;
    }
    return best || size >= 1 ? best : smallest;
}

struct yk_quantity_text yk_quantity_format(double si, enum yk_quantity quantity, int digits)
{
    const struct prefix *prefix;
    const char *unit = yk_quantity_unit(quantity), *letter;
    struct yk_quantity_text out;
    double value;
    int ten;

    snprintf(out.text, sizeof out.text, "%.*e", digits - 1, si); /* rounded first: 999.96 N is 1 kN */
    value = strtod(out.text, NULL);
    prefix = choose_prefix(fabs(value), prefixes_of(quantity));
    ten = prefix ? prefix->ten : 0;
    letter = prefix ? prefix->text : "";
    if ((quantity == YK_MASS || quantity == YK_PLAIN_MASS) && fabs(value) >= 1000) {
        unit = "t";
        ten = 3;
    }
    value = ten < 0 ? value * pow(10, -ten) : value / pow(10, ten);
    if (fabs(value) >= pow(10, digits) && fabs(value) < 1e6) /* 1500 m, not 1.5e+03 m */
        snprintf(out.text, sizeof out.text, "%.0f%s%s%s", value, *unit ? " " : "", letter, unit);
    else
        snprintf(out.text, sizeof out.text, "%.*g%s%s%s", digits, value, *unit ? " " : "", letter, unit);
    return out;
}

struct yk_quantity_text yk_time_format(double seconds)
{
    struct yk_quantity_text out;

    if (seconds >= 1e-3)
        return yk_quantity_format(seconds, YK_TIME, 3);
    snprintf(out.text, sizeof out.text, "%.3g us", 1e6 * seconds);
    return out;
}

/* ---- for axes ---- */

struct yk_display_unit yk_unit_for_display(const char *unit, double largest)
{
    struct yk_display_unit shown = {.factor = 1};
    const struct prefix *prefix = NULL;

    largest = fabs(largest);
    for (size_t i = 0; i < SCALED && !prefix; i++) {
        const enum yk_quantity quantity = scaled[i].quantity;
        const double easy =
            quantity == YK_LENGTH ? 1 : 0.1; /* 0.5 rad and 0.5 N are read as they are, 0.5 m is 500 mm */

        if (strcmp(unit, yk_quantity_unit(quantity)) == 0 && (largest < easy || largest >= 1000))
            prefix = choose_prefix(largest, scaled[i].letters);
    }
    if (prefix)
        shown.factor = prefix->ten < 0 ? pow(10, -prefix->ten) : 1 / pow(10, prefix->ten);
    snprintf(shown.text, sizeof shown.text, "%s%s", prefix ? prefix->text : "", unit);
    return shown;
}

enum yk_status yk_unit_factor(const char *from, const char *to, double *factor, struct yk_err *err)
{
    struct measure one = {.text = from, .factor = 1}, other = {.text = to, .factor = 1};
    char is[80], not [80];
    enum yk_status st;

    if ((st = read_unit(skip_blanks(from), &one, err)) || (st = read_unit(skip_blanks(to), &other, err)))
        return st;
    if (memcmp(one.dim, other.dim, sizeof one.dim) != 0) {
        describe(one.dim, is, sizeof is);
        describe(other.dim, not, sizeof not );
        return yk_fail(err, YK_E_UNIT, "'%.40s' is %s, '%.40s' is %s", from, is, to, not );
    }
    const int ten = one.ten - other.ten;
    *factor = one.factor / other.factor;
    *factor = ten < 0 ? *factor / pow(10, -ten) : *factor * pow(10, ten);
    return YK_OK;
}

enum yk_status yk_unit_dimension(const char *unit, double power[4], double *factor, struct yk_err *err)
{
    static const enum dimension kept[4] = {M, KG, S, DEVICE};
    struct measure one = {.text = unit, .factor = 1};
    const enum yk_status st = *skip_blanks(unit) ? read_unit(skip_blanks(unit), &one, err) : YK_OK;

    for (int i = 0; i < 4; i++)
        power[i] = one.dim[kept[i]];
    *factor = one.ten < 0 ? one.factor / pow(10, -one.ten) : one.factor * pow(10, one.ten);
    return st;
}

void yk_quantity_pattern(enum yk_quantity quantity, FILE *out)
{
    fputs("^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?( *(", out);
    for (size_t i = 0; i < UNITS; i++) {
        char text[16];

        for (int k = -1; k < PREFIXES; k++) {
            snprintf(text, sizeof text, "1 %s%s", k < 0 ? "" : prefixes[k].text, units[i].name);
            if ((k < 0 || strchr(units[i].prefixes, prefixes[k].letter)) && is_of_kind(text, quantity))
                fprintf(out, "%s|", text + 2);
        }
    }
    fputs("[^ 0-9].*[ */.^0-9\u00b7\u00b2\u00b3\u22c5].*|1? */.*))?$", out); /* products, quotients and powers */
}
