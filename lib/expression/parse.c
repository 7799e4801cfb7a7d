/* Expressions become postfix code: recursive descent over the grammar of docs/expressions.md, with the dimension of
 * every value. The first mistake ends the work, with its column. */
#include "code.h"

#include <yoke/dimension.h>
#include <yoke/number.h>
#include <yoke/suggest.h>
#include <yoke/tree.h>

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100, WORD = 160, ARGUMENTS = 64 };

/* Knowledge of a value while it is parsed. */
struct value {
    double power[4]; /* of m, kg, s, device */
    bool constant, zero;
    const char *begin; /* where it stands */
};

struct parser {
    const char *text, *p;
    const struct yk_expression_scope *scope;
    struct yk_expression *e;
    size_t stack; /* values on it now */
    int depth;
    struct yk_err *err;
};

struct function {
    const char *name;
    enum op op;
    int least, most; /* arguments */
    enum kind { PURE, SAME, ROOT, TRIG, EQUAL, MEMORY, PER_TIME, TIMES_TIME, LOW_PASS, LATE, CHOICE, ANGLE } kind;
};
static const struct function functions[] = {
    {"abs", OP_ABS, 1, 1, SAME},
    {"sqrt", OP_SQRT, 1, 1, ROOT},
    {"exp", OP_EXP, 1, 1, PURE},
    {"log", OP_LOG, 1, 1, PURE},
    {"log10", OP_LOG10, 1, 1, PURE},
    {"sin", OP_SIN, 1, 1, PURE},
    {"cos", OP_COS, 1, 1, PURE},
    {"tan", OP_TAN, 1, 1, PURE},
    {"asin", OP_ASIN, 1, 1, PURE},
    {"acos", OP_ACOS, 1, 1, PURE},
    {"atan", OP_ATAN, 1, 1, PURE},
    {"atan2", OP_ATAN2, 2, 2, ANGLE},
    {"hypot", OP_HYPOT, 2, 2, EQUAL},
    {"sign", OP_SIGN, 1, 1, TRIG},
    {"floor", OP_FLOOR, 1, 1, SAME},
    {"ceil", OP_CEIL, 1, 1, SAME},
    {"min", OP_MIN, 1, ARGUMENTS, EQUAL},
    {"max", OP_MAX, 1, ARGUMENTS, EQUAL},
    {"sum", OP_ADD, 1, ARGUMENTS, EQUAL},
    {"clamp", OP_CLAMP, 3, 3, EQUAL},
    {"if", OP_IF, 3, 3, CHOICE},
    {"derivative", OP_DERIVATIVE, 1, 1, PER_TIME},
    {"integral", OP_INTEGRAL, 1, 1, TIMES_TIME},
    {"lowpass", OP_LOWPASS, 2, 2, LOW_PASS},
    {"delay", OP_DELAY, 2, 2, LATE},
    {"peak", OP_PEAK, 1, 1, MEMORY},
    {"rms", OP_RMS, 1, 1, MEMORY},
    {"mean", OP_MEAN, 1, 1, MEMORY},
    {"first", OP_FIRST, 1, 1, MEMORY},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* ---- mistakes ---- */

static int column_of(const char *text, const char *p)
{
    int column = 1;

    for (const char *q = text; q < p; q++)
        column += ((unsigned char)*q & 0xc0) != 0x80; /* bytes that continue a character do not count */
    return column;
}

static bool wrong(struct parser *r, const char *at, enum yk_status status, const char *format, ...) YK_PRINTF(4, 5);
static bool wrong(struct parser *r, const char *at, enum yk_status status, const char *format, ...)
{
    char words[512];
    va_list list;

    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    const int column = column_of(r->text, at);
    yk_fail(r->err, status, "%s", words);
    r->err->column = column;
    return false;
}

/* ---- dimensions ---- */

static const struct {
    const char *text;
    double power[4];
} units[] = {
    {"m", {1, 0, 0, 0}},      {"s", {0, 0, 1, 0}},     {"kg", {0, 1, 0, 0}},   {"m/s", {1, 0, -1, 0}},
    {"m/s2", {1, 0, -2, 0}},  {"N", {1, 1, -2, 0}},    {"N m", {2, 1, -2, 0}}, {"N/m", {0, 1, -2, 0}},
    {"N s/m", {0, 1, -1, 0}}, {"Pa", {-1, 1, -2, 0}},  {"W", {2, 1, -3, 0}},   {"1/s", {0, 0, -1, 0}},
    {"1/m", {-1, 0, 0, 0}},   {"m2", {2, 0, 0, 0}},    {"N s", {1, 1, -1, 0}}, {"", {0, 0, 0, 0}},
    {"1/s2", {0, 0, -2, 0}},  {"m/s3", {1, 0, -3, 0}}, {"N/s", {1, 1, -3, 0}}, {"m4", {4, 0, 0, 0}},
    {"m3", {3, 0, 0, 0}},     {"N m2", {3, 1, -2, 0}}, {"V", {0, 0, 0, 1}},    {"kg m2", {2, 1, 0, 0}},
};

static void name_dimension(const double power[4], char *text, size_t size)
{
    static const char *const base[] = {"m", "kg", "s", "V"};
    size_t n = 0;

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (memcmp(units[i].power, power, sizeof units[i].power) == 0) {
            snprintf(text, size, "%s", units[i].text);
            return;
        }
    *text = '\0';
    for (int i = 0; i < 4; i++)
        if (power[i] != 0 && n < size)
            n += (size_t)snprintf(text + n, size - n, power[i] == 1 ? "%s%s" : "%s%s%g", n ? " " : "", base[i],
                                  power[i]);
}

static bool is_pure(const struct value *v)
{
    return v->power[0] == 0 && v->power[1] == 0 && v->power[2] == 0 && v->power[3] == 0;
}

/* Equal dimensions; the number 0 goes with any. */
static bool match(struct value *a, const struct value *b)
{
    if (a->zero && !b->zero)
        memcpy(a->power, b->power, sizeof a->power);
    return a->zero || b->zero || memcmp(a->power, b->power, sizeof a->power) == 0;
}

static bool mismatch(struct parser *r, const char *at, const char *what, const struct value *a, const struct value *b)
{
    char x[80], y[80];

    name_dimension(a->power, x, sizeof x);
    name_dimension(b->power, y, sizeof y);
    return wrong(r, at, YK_E_UNIT, "cannot %s %s and %s", what, *x ? x : "a pure number", *y ? y : "a pure number");
}

/* ---- code ---- */

static bool emit(struct parser *r, struct instruction i, const char *at)
{
    const size_t operands = expression_operands(i.op);

    if (r->e->count == MOST_CODE)
        return wrong(r, at, YK_E_RANGE, "the expression is too long: more than %d instructions", MOST_CODE);
    if (r->stack + 1 - operands > MOST_STACK)
        return wrong(r, at, YK_E_RANGE, "the expression is too deep: more than %d values at once", MOST_STACK);
    i.at = r->e->memory;
    r->e->memory += expression_room(&i);
    r->stack += 1 - operands;
    r->e->code[r->e->count++] = i;
    return true;
}

/* An operation; on constants its value takes their place. `from`: where the code of its operands begins. */
static bool operate(struct parser *r, struct instruction i, size_t from, struct value *v, bool constant, const char *at)
{
    if (!emit(r, i, at))
        return false;
    v->constant = constant && expression_room(&i) == 0;
    if (v->constant) {
        const double x = expression_fold(r->e->code + from, r->e->count - from);

        r->e->count = from;
        r->e->code[r->e->count++] = (struct instruction){.op = OP_NUMBER, .value = x};
    }
    v->zero = false;
    return true;
}

/* ---- characters and words ---- */

static void blanks(struct parser *r)
{
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r')
        r->p++;
}

static bool letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

/* The keyword stands here as a word of its own. */
static bool keyword(const struct parser *r, const char *word)
{
    const size_t n = strlen(word);

    return strncmp(r->p, word, n) == 0 && !letter(r->p[n]);
}

static long find_channel(const struct parser *r, const char *name)
{
    for (size_t i = 0; i < r->scope->count; i++)
        if (strcmp(r->scope->names[i], name) == 0)
            return (long)i;
    return -1;
}

struct candidates {
    const struct parser *r;
    size_t next;
    bool call;
};

static const char *next_candidate(void *self)
{
    struct candidates *c = self;

    if (c->call)
        return c->next < FUNCTIONS ? functions[c->next++].name : NULL;
    return c->next < c->r->scope->count ? c->r->scope->names[c->next++] : NULL;
}

static bool unknown(struct parser *r, const char *at, const char *word, bool call)
{
    struct candidates c = {r, 0, call};
    char hint[220];

    return wrong(r, at, YK_E_INPUT, "there is no %s '%.100s'%s", call ? "function" : "channel", word,
                 yk_suggest(word, next_candidate, &c, "", hint, sizeof hint));
}

/* ---- values ---- */

static bool logic(struct parser *r, struct value *v);

static bool push_number(struct parser *r, double x, struct value *v, const char *at)
{
    v->constant = true;
    v->zero = x == 0 && is_pure(v);
    return emit(r, (struct instruction){.op = OP_NUMBER, .value = x}, at);
}

static bool take_unit(struct parser *r, const char *text, const char *at, struct value *v, double *factor)
{
    struct yk_err err = {0};

    if (!yk_unit_dimension(text, v->power, factor, &err))
        return true;
    return wrong(r, at, YK_E_UNIT, "unknown unit '%.40s'", text);
}

/* "[kN/m]": the text between the brackets. */
static bool bracket(struct parser *r, char *text, size_t size)
{
    const char *begin = ++r->p, *end = strchr(begin, ']');

    if (!end || (size_t)(end - begin) >= size)
        return wrong(r, end ? begin : r->p - 1, YK_E_INPUT,
                     end ? "the unit is too long" : "missing ']' for the '[' in column %d",
                     column_of(r->text, begin - 1));
    snprintf(text, size, "%.*s", (int)(end - begin), begin);
    r->p = end + 1;
    return true;
}

/* The word of a unit behind a number: letters, digits, and what units are written with. */
static size_t unit_length(const char *p)
{
    size_t n = 0;

    while (isalnum((unsigned char)p[n]) || p[n] == '%' || p[n] == '_' || (unsigned char)p[n] >= 0x80)
        n++;
    return n;
}

static bool number(struct parser *r, struct value *v)
{
    const char *begin = r->p, *after;
    double x, factor = 1;
    char text[WORD];

    after = yk_number_scan(r->p, r->p + strlen(r->p), &x);
    if (!after)
        return wrong(r, begin, YK_E_INPUT, "a value is expected");
    r->p = after;
    blanks(r);
    const size_t n = unit_length(r->p);
    if (*r->p == '[') {
        const char *at = r->p + 1;

        if (!bracket(r, text, sizeof text) || !take_unit(r, text, at, v, &factor))
            return false;
    } else if (n > 0 && !keyword(r, "and") && !keyword(r, "or")) {
        const char *at = r->p;

        if (at[n] == '.' || at[n] == ':' || at[n] == '(' || n >= sizeof text || isdigit((unsigned char)*at))
            return wrong(r, at, YK_E_INPUT, "only a unit can follow a number; write %.*s*%.*s", (int)(after - begin),
                         begin, (int)strcspn(at, " \t()+*/,<>=^"), at);
        snprintf(text, sizeof text, "%.*s", (int)n, at);
        if (find_channel(r, text) >= 0 && yk_unit_dimension(text, v->power, &factor, NULL))
            return wrong(r, at, YK_E_INPUT, "only a unit can follow a number; write %.*s*%s", (int)(after - begin),
                         begin, text);
        if (!take_unit(r, text, at, v, &factor))
            return false;
        r->p = at + n;
    } else {
        r->p = after;
    }
    return push_number(r, x * factor, v, begin);
}

static bool push_channel(struct parser *r, size_t channel, struct value *v, const char *at)
{
    double factor = 1;

    *v = (struct value){.begin = at};
    if (yk_unit_dimension(r->scope->units[channel], v->power, &factor,
                          NULL)) /* a unit of the user's own: as a number */
        *v = (struct value){.begin = at};
    return emit(r, (struct instruction){.op = OP_CHANNEL, .number = channel}, at);
}

/* All matches of a pattern, joined by an operation. */
static bool push_matches(struct parser *r, const char *pattern, enum op op, struct value *v, const char *at)
{
    bool any = false;

    for (size_t i = 0; i < r->scope->count; i++) {
        struct value next;

        if (fnmatch(pattern, r->scope->names[i], 0) != 0)
            continue;
        if (!push_channel(r, i, &next, at))
            return false;
        if (any && !match(v, &next))
            return mismatch(r, at, "join", v, &next);
        if (any && !emit(r, (struct instruction){.op = op}, at))
            return false;
        *v = any ? *v : next;
        any = true;
    }
    return any || wrong(r, at, YK_E_INPUT, "no channel matches '%.100s'", pattern);
}

/* The length of the name or pattern here; a '-' belongs to it only where the longer text is a channel. */
static size_t name_length(const struct parser *r, bool *pattern)
{
    const char *p = r->p;
    size_t n = 0, best = 0;
    char text[WORD];

    *pattern = false;
    for (;; n++) {
        if (letter(p[n]))
            continue;
        if ((p[n] == '*' || p[n] == '?' || p[n] == '[') && n > 0 && p[n - 1] == '.') {
            const char *close = p[n] == '[' ? strchr(p + n, ']') : NULL;

            if (p[n] == '[' && !close)
                break;
            *pattern = true;
            n = close ? (size_t)(close - p) : n;
            continue;
        }
        break;
    }
    if (*pattern)
        return n;
    best = n;
    for (size_t k = n; letter(p[k]) || p[k] == '-'; k++) /* longer texts with '-' */
        if (!(letter(p[k + 1])) && k + 1 < sizeof text) {
            snprintf(text, sizeof text, "%.*s", (int)(k + 1), p);
            best = find_channel(r, text) >= 0 ? k + 1 : best;
        }
    return best;
}

static bool call(struct parser *r, const char *at, const char *word, struct value *v);

static bool name(struct parser *r, enum op join, struct value *v)
{
    const char *begin = r->p;
    char word[WORD];
    bool pattern;
    const size_t n = name_length(r, &pattern);

    if (n >= sizeof word)
        return wrong(r, begin, YK_E_INPUT, "the name is too long");
    snprintf(word, sizeof word, "%.*s", (int)n, begin);
    r->p += n;
    if (pattern)
        return push_matches(r, word, join, v, begin);
    const long channel = find_channel(r, word);
    const char *behind = r->p;
    blanks(r);
    if (*r->p == '(' && channel < 0)
        return call(r, begin, word, v);
    r->p = behind;
    if (channel >= 0)
        return push_channel(r, (size_t)channel, v, begin);
    if (strcmp(word, "pi") == 0)
        return push_number(r, 3.14159265358979323846, v, begin);
    return unknown(r, begin, word, false);
}

static bool quoted(struct parser *r, enum op join, struct value *v)
{
    const char *begin = r->p, quote = *begin, *end = strchr(begin + 1, quote);
    char word[WORD];

    if (!end || (size_t)(end - begin) >= sizeof word)
        return wrong(r, begin, YK_E_INPUT, end ? "the name is too long" : "missing quote at the end of the name");
    snprintf(word, sizeof word, "%.*s", (int)(end - begin - 1), begin + 1);
    r->p = end + 1;
    const long channel = find_channel(r, word);
    if (channel >= 0)
        return push_channel(r, (size_t)channel, v, begin);
    return strpbrk(word, "*?[") ? push_matches(r, word, join, v, begin) : unknown(r, begin, word, false);
}

/* join: what a pattern's matches are joined by. */
static bool primary_joined(struct parser *r, enum op join, struct value *v)
{
    blanks(r);
    *v = (struct value){.begin = r->p};
    const char c = *r->p;
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)r->p[1])))
        return number(r, v);
    if (isalpha((unsigned char)c) || c == '_')
        return keyword(r, "and") || keyword(r, "or") || keyword(r, "not")
                   ? wrong(r, r->p, YK_E_INPUT, "a value is expected")
                   : name(r, join, v);
    if (c == '"' || c == '\'')
        return quoted(r, join, v);
    if (c != '(')
        return wrong(r, r->p, YK_E_INPUT, "a value is expected");
    const char *open = r->p++;
    if (!logic(r, v))
        return false;
    blanks(r);
    if (*r->p != ')')
        return wrong(r, r->p, YK_E_INPUT, "missing ')' for the '(' in column %d", column_of(r->text, open));
    r->p++;
    v->begin = open;
    return true;
}

/* ---- functions ---- */

static bool constant_of(struct parser *r, const struct value *v, double *x)
{
    if (!v->constant || r->e->code[r->e->count - 1].op != OP_NUMBER)
        return wrong(r, v->begin, YK_E_INPUT, "must be a constant");
    *x = r->e->code[--r->e->count].value; /* it is a setting, not a value */
    r->stack--;
    return true;
}

static bool needs_step(struct parser *r, const char *at, const char *function)
{
    return r->scope->step_s > 0 || wrong(r, at, YK_E_INPUT, "%s needs samples over time", function);
}

static bool is_power(const struct value *v, double s)
{
    return v->power[0] == 0 && v->power[1] == 0 && v->power[2] == s && v->power[3] == 0;
}

static bool late(struct parser *r, const struct function *f, const struct value *second, struct instruction *i)
{
    const double h = r->scope->step_s;
    double x = 0;

    if (f->kind == LOW_PASS) {
        if (!second->constant)
            return wrong(r, second->begin, YK_E_INPUT, "must be a constant");
        if (!is_power(second, -1))
            return wrong(r, second->begin, YK_E_UNIT, "must be a frequency, such as 20 Hz");
        if (!constant_of(r, second, &x))
            return false;
        if (!(x > 0 && x < 0.5 / h))
            return wrong(r, second->begin, YK_E_RANGE, "%g Hz is not between 0 and half the rate of the samples, %g Hz",
                         x, 0.5 / h);
        i->value = 3.14159265358979323846 * x * h;
        return true;
    }
    if (!second->constant)
        return wrong(r, second->begin, YK_E_INPUT, "must be a constant");
    if (!is_power(second, 1) && !second->zero)
        return wrong(r, second->begin, YK_E_UNIT, "must be a time, such as 20 ms");
    if (!constant_of(r, second, &x))
        return false;
    if (!(x >= 0 && x / h <= MOST_DELAY))
        return wrong(r, second->begin, YK_E_RANGE, "a delay of %g s is not between 0 and %g s", x, MOST_DELAY * h);
    i->number = (size_t)round(x / h);
    return true;
}

/* Arguments are parsed: their dimensions are checked, the operation is emitted. from: where their code begins. */
static bool apply(struct parser *r, const struct function *f, struct value *arg, size_t count, size_t from,
                  const char *at, struct value *v)
{
    struct instruction i = {.op = f->op};
    bool constant = true;

    *v = arg[0];
    for (size_t k = 0; k < count; k++)
        constant = constant && arg[k].constant;
    if ((f->kind == PURE) && !is_pure(&arg[0]))
        return wrong(r, arg[0].begin, YK_E_UNIT, "%s needs a pure number", f->name);
    if ((f->kind >= PER_TIME && f->kind <= LATE) && !needs_step(r, at, f->name))
        return false;
    if ((f->kind == LOW_PASS || f->kind == LATE) && !late(r, f, &arg[1], &i))
        return false;
    if (f->kind == CHOICE) {
        *v = arg[1];
        if (!match(v, &arg[2]))
            return mismatch(r, arg[2].begin, "choose between", &arg[1], &arg[2]);
    }
    for (size_t k = 1; k < count && (f->kind == EQUAL || f->kind == ANGLE); k++)
        if (!match(v, &arg[k]))
            return mismatch(r, arg[k].begin, "compare", v, &arg[k]);
    for (int k = 0; k < 4; k++) {
        v->power[k] = f->kind == ROOT ? v->power[k] / 2 : f->kind == TRIG || f->kind == ANGLE ? 0 : v->power[k];
        if (k == 2)
            v->power[k] += f->kind == PER_TIME ? -1 : f->kind == TIMES_TIME ? 1 : 0;
    }
    const bool joins = f->op == OP_MIN || f->op == OP_MAX || f->op == OP_ADD; /* emitted with each argument */
    if (joins) {
        v->constant = false;
        v->zero = false;
        return true;
    }
    return operate(r, i, from, v, constant, at);
}

static bool call(struct parser *r, const char *at, const char *word, struct value *v)
{
    const char *open = r->p;
    const size_t from = r->e->count;
    struct value arg[ARGUMENTS];
    const struct function *f = functions;
    size_t count = 0;

    while (f < functions + FUNCTIONS && strcmp(f->name, word) != 0)
        f++;
    if (f == functions + FUNCTIONS)
        return unknown(r, at, word, true);
    if (++r->depth > DEEPEST)
        return wrong(r, at, YK_E_RANGE, "too deeply nested");
    const bool joins = f->op == OP_MIN || f->op == OP_MAX || f->op == OP_ADD;
    r->p++;
    blanks(r);
    while (*r->p != ')' || count > 0) {
        if (count == (size_t)f->most)
            return wrong(r, r->p, YK_E_INPUT, "%s takes %d argument%s", f->name, f->most, f->most == 1 ? "" : "s");
        const char *begin = (blanks(r), r->p);
        bool alone = false;
        if (joins && (letter(*r->p) || *r->p == '"' || *r->p == '\'')) { /* a pattern alone means all its matches */
            const struct parser before = *r;
            const size_t length = r->e->count, memory = r->e->memory;
            struct yk_err err = {0};

            r->err = &err;
            alone = primary_joined(r, f->op, &arg[count]);
            r->err = before.err;
            blanks(r);
            alone = alone && (*r->p == ',' || *r->p == ')');
            if (!alone) {
                *r = before;
                r->e->count = length;
                r->e->memory = memory;
            }
        }
        if (!alone && !logic(r, &arg[count]))
            return false;
        arg[count].begin = begin;
        if (joins && count > 0) {
            if (!match(&arg[0], &arg[count]))
                return mismatch(r, begin, "compare", &arg[0], &arg[count]);
            if (!emit(r, (struct instruction){.op = f->op}, begin))
                return false;
        }
        count++;
        blanks(r);
        if (*r->p == ')')
            break;
        if (*r->p != ',')
            return wrong(r, r->p, YK_E_INPUT, "missing ')' for the '(' in column %d", column_of(r->text, open));
        r->p++;
    }
    if (count < (size_t)f->least)
        return wrong(r, r->p, YK_E_INPUT, "wrong number of arguments: %s takes %d%s", f->name, f->least,
                     f->most > f->least ? " or more" : "");
    r->p++;
    r->depth--;
    if (!apply(r, f, arg, count, from, at, v))
        return false;
    v->begin = at;
    return true;
}

/* ---- operators ---- */

static bool unary(struct parser *r, struct value *v);

static bool power(struct parser *r, struct value *v)
{
    const size_t from = r->e->count;
    struct value exponent;

    if (!primary_joined(r, OP_ADD, v))
        return false;
    blanks(r);
    if (*r->p == '*' && r->p[1] == '*')
        return wrong(r, r->p + 1, YK_E_INPUT, "powers are written ^");
    if (*r->p != '^')
        return true;
    const char *at = r->p++;
    blanks(r);
    const char *begin = r->p;
    if (!unary(r, &exponent))
        return false;
    if (!is_pure(&exponent))
        return wrong(r, begin, YK_E_UNIT, "an exponent must be a pure number");
    if (!exponent.constant && !is_pure(v))
        return wrong(r, begin, YK_E_UNIT, "the exponent of a value with a unit must be a constant");
    const double n = exponent.constant ? r->e->code[r->e->count - 1].value : 0;
    const bool constant = v->constant && exponent.constant;
    for (int k = 0; k < 4; k++)
        v->power[k] *= n;
    return operate(r, (struct instruction){.op = OP_POWER}, from, v, constant, at);
}

static bool unary(struct parser *r, struct value *v)
{
    bool done;

    if (++r->depth > DEEPEST)
        return wrong(r, r->p, YK_E_RANGE, "too deeply nested");
    blanks(r);
    if (*r->p == '-' || *r->p == '+') {
        const char *at = r->p++;
        const size_t from = r->e->count;

        done = unary(r, v);
        if (done && *at == '-') {
            const bool zero = v->zero;

            done = operate(r, (struct instruction){.op = OP_NEGATE}, from, v, v->constant, at);
            v->zero = zero;
        }
        v->begin = at;
    } else {
        done = power(r, v);
    }
    r->depth--;
    return done;
}

static bool product(struct parser *r, struct value *v)
{
    const size_t from = r->e->count;

    if (!unary(r, v))
        return false;
    for (;;) {
        struct value next;

        blanks(r);
        const char *at = r->p;
        if (*at != '*' && *at != '/')
            return true;
        if (at[1] == '*')
            return wrong(r, at + 1, YK_E_INPUT, "powers are written ^");
        r->p++;
        if (!unary(r, &next))
            return false;
        for (int k = 0; k < 4; k++)
            v->power[k] += *at == '*' ? next.power[k] : -next.power[k];
        const bool constant = v->constant && next.constant;
        if (!operate(r, (struct instruction){.op = *at == '*' ? OP_MULTIPLY : OP_DIVIDE}, from, v, constant, at))
            return false;
    }
}

static bool total(struct parser *r, struct value *v)
{
    const size_t from = r->e->count;

    if (!product(r, v))
        return false;
    for (;;) {
        struct value next;

        blanks(r);
        const char *at = r->p;
        if (*at != '+' && *at != '-')
            return true;
        r->p++;
        if (!product(r, &next))
            return false;
        if (!match(v, &next))
            return mismatch(r, at, *at == '+' ? "add" : "subtract", v, &next);
        const bool constant = v->constant && next.constant;
        if (!operate(r, (struct instruction){.op = *at == '+' ? OP_ADD : OP_SUBTRACT}, from, v, constant, at))
            return false;
    }
}

static bool comparison(const char *p, enum op *op, size_t *length)
{
    static const struct {
        const char *text;
        enum op op;
    } signs[] = {{"<=", OP_LESS_EQUAL}, {">=", OP_GREATER_EQUAL}, {"==", OP_EQUAL},
                 {"!=", OP_NOT_EQUAL},  {"<", OP_LESS},           {">", OP_GREATER}};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strncmp(p, signs[i].text, strlen(signs[i].text)) == 0) {
            *op = signs[i].op;
            *length = strlen(signs[i].text);
            return true;
        }
    return false;
}

static bool compare(struct parser *r, struct value *v)
{
    const size_t from = r->e->count;
    struct value next;
    enum op op, again;
    size_t length;

    if (!total(r, v))
        return false;
    blanks(r);
    const char *at = r->p;
    if (!comparison(at, &op, &length))
        return true;
    r->p += length;
    if (!total(r, &next))
        return false;
    if (!match(v, &next))
        return mismatch(r, at, "compare", v, &next);
    blanks(r);
    if (comparison(r->p, &again, &length))
        return wrong(r, r->p, YK_E_INPUT, "comparisons cannot be chained; join two by and");
    const bool constant = v->constant && next.constant;
    memset(v->power, 0, sizeof v->power);
    return operate(r, (struct instruction){.op = op}, from, v, constant, at);
}

static bool inverse(struct parser *r, struct value *v)
{
    const size_t from = r->e->count;
    bool done;

    blanks(r);
    if (!keyword(r, "not"))
        return compare(r, v);
    const char *at = r->p;
    r->p += 3;
    if (++r->depth > DEEPEST)
        return wrong(r, at, YK_E_RANGE, "too deeply nested");
    done = inverse(r, v);
    r->depth--;
    memset(v->power, 0, sizeof v->power);
    return done && operate(r, (struct instruction){.op = OP_NOT}, from, v, v->constant, at);
}

static bool joined(struct parser *r, const char *word, enum op op, bool (*part)(struct parser *, struct value *),
                   struct value *v)
{
    const size_t from = r->e->count;

    if (!part(r, v))
        return false;
    for (;;) {
        struct value next;

        blanks(r);
        const char *at = r->p;
        if (!keyword(r, word))
            return true;
        r->p += strlen(word);
        if (!part(r, &next))
            return false;
        const bool constant = v->constant && next.constant;
        memset(v->power, 0, sizeof v->power);
        if (!operate(r, (struct instruction){.op = op}, from, v, constant, at))
            return false;
    }
}

static bool conjunction(struct parser *r, struct value *v)
{
    return joined(r, "and", OP_AND, inverse, v);
}

static bool logic(struct parser *r, struct value *v)
{
    bool done;

    if (++r->depth > DEEPEST)
        return wrong(r, r->p, YK_E_RANGE, "too deeply nested");
    done = joined(r, "or", OP_OR, conjunction, v);
    r->depth--;
    return done;
}

/* ---- the whole ---- */

static bool whole(struct parser *r)
{
    struct yk_expression *e = r->e;
    struct value v, unit = {.constant = true};
    char text[sizeof e->unit];

    if (!logic(r, &v))
        return false;
    blanks(r);
    name_dimension(v.power, e->unit, sizeof e->unit);
    if (*r->p == '[') {
        const char *at = r->p + 1;

        if (!bracket(r, text, sizeof text) || !take_unit(r, text, at, &unit, &e->factor))
            return false;
        if (!match(&unit, &v))
            return wrong(r, at, YK_E_UNIT, "the value is in %s, which does not fit",
                         *e->unit ? e->unit : "pure numbers");
        memcpy(e->unit, text, sizeof e->unit);
        blanks(r);
    }
    if (!*r->p)
        return true;
    return wrong(r, r->p, YK_E_INPUT, *r->p == ')' ? "a ')' too many" : "an operator is expected");
}

enum yk_status yk_expression_compile(struct yk_expression **expression, const char *text,
                                     const struct yk_expression_scope *scope, struct yk_err *err)
{
    struct yk_err own = {0};
    struct parser r = {.text = text, .p = text, .scope = scope, .err = &own};
    const char *end = text + strlen(text);

    *expression = NULL;
    for (const char *p = text; p < end;) {
        const size_t n = yk_utf8_length(p, end);

        if (n == 0)
            return yk_fail(err, YK_E_INPUT, "the expression is not UTF-8 text");
        p += n;
    }
    if (!(r.e = calloc(1, sizeof *r.e)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for an expression");
    r.e->factor = 1;
    r.e->step_s = scope->step_s;
    if (whole(&r)) {
        *expression = r.e;
        return YK_OK;
    }
    free(r.e);
    if (err)
        *err = own;
    return own.status;
}

void yk_expression_free(struct yk_expression *e)
{
    free(e);
}

enum yk_status yk_expression_run(const struct yk_expression *e, size_t rows, size_t width, const double *values,
                                 double *out, struct yk_err *err)
{
    double *memory = malloc((e->memory + 1) * sizeof *memory);

    if (!memory)
        return yk_fail(err, YK_E_MEMORY, "out of memory for an expression");
    yk_expression_rest(e, memory);
    for (size_t i = 0; i < rows; i++)
        out[i] = yk_expression_value(e, values + i * width, memory);
    free(memory);
    return YK_OK;
}

struct yk_expression_caret yk_expression_caret(const char *text, int column)
{
    struct yk_expression_caret c = {""};
    const size_t n = strlen(text) < 220 ? strlen(text) : 220;

    snprintf(c.text, sizeof c.text, "%.*s\n%*s\n", (int)n, text, column > 220 ? 220 : column, "^");
    return c;
}
