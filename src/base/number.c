/* Decimal numbers in text.
 *
 * The digits are collected as a whole number with a power of ten, which needs no decimal mark and so no locale. Up to
 * 15 digits and 22 powers of ten the quotient or product of two exact doubles is the rounded result; the rest goes
 * through strtod. */
#include <yoke/number.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KEPT = 64, EXACT_DIGITS = 15, EXACT_POWER = 22, POWER_LIMIT = 100000 };

struct decimal {
    char digit[KEPT + 1]; /* without leading zeros; digits beyond KEPT cannot change a double noticeably */
    int kept;
    bool seen; /* any digit, zeros too */
    uint64_t whole;
    long power;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *take_digits(struct decimal *d, const char *p, const char *end, bool fraction)
{
    for (; p < end && is_digit(*p); p++) {
        bool keep = (d->kept > 0 || *p != '0') && d->kept < KEPT;

        d->seen = true;
        if (keep) {
            d->digit[d->kept++] = *p;
            if (d->kept <= EXACT_DIGITS)
                d->whole = 10 * d->whole + (uint64_t)(*p - '0');
        }
        if (fraction && (keep || d->kept == 0))
            d->power--;
        else if (!fraction && !keep && d->kept > 0)
            d->power++;
    }
    return p;
}

static const char *take_exponent(struct decimal *d, const char *p, const char *end)
{
    const char *q = p + 1;
    long exponent = 0;

    if (p >= end || !(*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D'))
        return p;
    bool negative = q < end && *q == '-';
    if (q < end && (*q == '+' || *q == '-'))
        q++;
    if (q >= end || !is_digit(*q))
        return p;
    for (; q < end && is_digit(*q); q++)
        if (exponent < POWER_LIMIT)
            exponent = 10 * exponent + (*q - '0');
    d->power += negative ? -exponent : exponent;
    return q;
}

static double to_double(struct decimal *d)
{
    static const double ten[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    char text[KEPT + 32];

    if (d->kept == 0)
        return 0;
    if (d->kept <= EXACT_DIGITS && labs(d->power) <= EXACT_POWER)
        return d->power < 0 ? (double)d->whole / ten[-d->power] : (double)d->whole * ten[d->power];
    if (d->power > 400)
        return INFINITY;
    if (d->power < -500)
        return 0;
    snprintf(text, sizeof text, "%.*se%ld", d->kept, d->digit, d->power);
    return strtod(text, NULL);
}

const char *yk_number_scan(const char *p, const char *end, double *value)
{
    struct decimal d = {.kept = 0};
    bool negative = p < end && *p == '-';

    if (p < end && (*p == '+' || *p == '-'))
        p++;
    p = take_digits(&d, p, end, false);
    if (p < end && *p == '.')
        p = take_digits(&d, p + 1, end, true);
    if (!d.seen)
        return NULL;
    p = take_exponent(&d, p, end);
    *value = negative ? -to_double(&d) : to_double(&d);
    return p;
}

bool yk_number_is_not_finite(const char *p, const char *end)
{
    if (p < end && (*p == '+' || *p == '-'))
        p++;
    if (p < end && *p == '.') /* as YAML writes them */
        p++;
    return (end - p == 3 && (strncasecmp(p, "nan", 3) == 0 || strncasecmp(p, "inf", 3) == 0)) ||
           (end - p == 8 && strncasecmp(p, "infinity", 8) == 0);
}

/* The finite number at p after blanks; returns what follows it, NULL where there is none. */
static const char *take(const char *p, double *value)
{
    p = yk_number_scan(p + strspn(p, " \t"), p + strlen(p), value);
    return p && isfinite(*value) ? p : NULL;
}

size_t yk_number_list(const char *text, double *values, size_t most)
{
    for (size_t count = 0; count < most && (text = take(text, &values[count]));) {
        count++;
        if (*text == 0)
            return count;
        if (*text++ != ',')
            return 0;
    }
    return 0;
}

size_t yk_number_range(const char *text, double *values, size_t most)
{
    double from, to, count;
    const char *p = text;

    if (!strchr(text, ':'))
        return yk_number_list(text, values, most);
    if (!(p = take(p, &from)) || *p++ != ':' || !(p = take(p, &to)) || *p++ != ':' || !(p = take(p, &count)))
        return 0;
    const bool log = strcmp(p, "log") == 0;

    if ((*p && !log) || !(count >= 2 && count <= (double)most) || count != floor(count) ||
        (log && !(from > 0 && to > 0)))
        return 0;
    for (size_t i = 0; i < (size_t)count; i++) {
        const double x = (double)i / (count - 1);

        values[i] = log ? from * pow(to / from, x) : from + x * (to - from);
    }
    return (size_t)count;
}

const char *yk_value_end(const char *p)
{
    int depth = 0;
    char quote = 0;

    for (; *p && (depth || quote || *p != ','); p++) {
        if (quote)
            quote = (char)(*p == quote ? 0 : quote);
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (*p == '[' || *p == '{')
            depth++;
        else if (*p == ']' || *p == '}')
            depth--;
    }
    return p;
}
