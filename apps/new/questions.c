/* Answers of `yoke new`: one table of questions, with the option that answers each, its range and its default. */
#include "new.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/text.h>

const char *const new_kind_names[NEW_KINDS] = {"spring", "brace", "damper", "fluid-damper", "isolator"};

struct question {
    const char *option, *ask;
    size_t at;            /* of the text in the options */
    const char *fallback; /* "": left open, structure.c finds a value */
    bool (*is_asked)(const struct new_test *t, const struct new_options *o); /* NULL: always */
    enum yk_status (*take)(struct new_test *t, const char *text, struct yk_err *err);
};

/* ---- numbers ---- */

static enum yk_status quantity(const char *text, enum yk_quantity kind, double least, double most, double *value,
                               struct yk_err *err)
{
    enum yk_status st = yk_quantity_parse(text, kind, value, err);

    if (st)
        return st;
    if (!(*value >= least && *value <= most))
        return yk_fail(err, YK_E_RANGE, "%s is outside %s .. %s", yk_quantity_format(*value, kind, 6).text,
                       yk_quantity_format(least, kind, 6).text, yk_quantity_format(most, kind, 6).text);
    return YK_OK;
}

/* One value for all storeys, or one for each, separated by commas. */
static enum yk_status each(const struct new_test *t, const char *text, enum yk_quantity kind, double least, double most,
                           double *values, struct yk_err *err)
{
    char part[NEW_TEXT];
    size_t count = 0;

    for (const char *p = text; p;) {
        const char *comma = strchr(p, ',');
        const size_t length = comma ? (size_t)(comma - p) : strlen(p);
        enum yk_status st;

        if (count == t->storeys)
            return yk_fail(err, YK_E_INPUT, "more values than storeys (%zu)", t->storeys);
        if (length >= sizeof part)
            return yk_fail(err, YK_E_INPUT, "'%.20s...' is no number", p);
        snprintf(part, sizeof part, "%.*s", (int)length, p);
        if ((st = quantity(part, kind, least, most, &values[count++], err)))
            return st;
        p = comma ? comma + 1 : NULL;
    }
    if (count != 1 && count != t->storeys)
        return yk_fail(err, YK_E_INPUT, "%zu values for %zu storeys; one for all, or one for each", count, t->storeys);
    for (size_t i = count; i < t->storeys; i++)
        values[i] = values[0];
    return YK_OK;
}

/* ---- one function for each question ---- */

static enum yk_status take_storeys(struct new_test *t, const char *text, struct yk_err *err)
{
    char *end;
    const long n = strtol(text, &end, 10);

    if (end == text || *end)
        return yk_fail(err, YK_E_INPUT, "'%.40s' is no whole number", text);
    if (n < 1 || n > NEW_STOREYS)
        return yk_fail(err, YK_E_RANGE, "%ld is outside 1 .. %d", n, NEW_STOREYS);
    t->storeys = (size_t)n;
    return YK_OK;
}

static enum yk_status take_mass(struct new_test *t, const char *text, struct yk_err *err)
{
    return each(t, text, YK_PLAIN_MASS, 1, 1e7, t->mass, err);
}

static enum yk_status take_stiffness(struct new_test *t, const char *text, struct yk_err *err)
{
    return each(t, text, YK_PLAIN_STIFFNESS, 1, 1e12, t->stiffness, err);
}

static enum yk_status take_period(struct new_test *t, const char *text, struct yk_err *err)
{
    if (t->stiffness[0] > 0)
        return yk_fail(err, YK_E_INPUT, "the stiffness is given, and the period follows from it");
    return quantity(text, YK_TIME, 0.05, 20, &t->period, err);
}

static enum yk_status take_damping(struct new_test *t, const char *text, struct yk_err *err)
{
    return quantity(text, YK_NUMBER, 0, 0.3, &t->damping, err);
}

static enum yk_status take_mass_matrix(struct new_test *t, const char *text, struct yk_err *err)
{
    (void)err;
    t->matrix_file[0] = text;
    return YK_OK;
}

static enum yk_status take_stiffness_matrix(struct new_test *t, const char *text, struct yk_err *err)
{
    (void)err;
    t->matrix_file[1] = text;
    return YK_OK;
}

static enum yk_status take_at(struct new_test *t, const char *text, struct yk_err *err)
{
    if (strlen(text) >= sizeof t->at)
        return yk_fail(err, YK_E_INPUT, "'%.40s...' is no degree of freedom", text);
    strcpy(t->at, text);
    return YK_OK;
}

static enum yk_status take_specimen(struct new_test *t, const char *text, struct yk_err *err)
{
    for (int k = 0; k < NEW_KINDS; k++)
        if (strcmp(text, new_kind_names[k]) == 0) {
            t->kind = (enum new_kind)k;
            if (t->kind == NEW_ISOLATOR && !t->storeys)
                return yk_fail(err, YK_E_INPUT, "an isolator needs a building of storeys, not matrices");
            return YK_OK;
        }
    return yk_fail(err, YK_E_INPUT, "unknown kind '%.40s'; one of spring, brace, damper, fluid-damper, isolator", text);
}

static bool has_no_stiffness(const struct new_test *t)
{
    return t->kind == NEW_DAMPER || t->kind == NEW_FLUID_DAMPER;
}

static enum yk_status take_share(struct new_test *t, const char *text, struct yk_err *err)
{
    if (has_no_stiffness(t))
        return yk_fail(err, YK_E_INPUT, "a damper has no part of the stiffness; say --specimen-damping");
    return quantity(text, YK_NUMBER, 0.01, 0.9, &t->share, err);
}

static enum yk_status take_specimen_stiffness(struct new_test *t, const char *text, struct yk_err *err)
{
    if (has_no_stiffness(t))
        return yk_fail(err, YK_E_INPUT, "a damper has no stiffness; say --specimen-damping");
    return quantity(text, YK_PLAIN_STIFFNESS, 1, 1e12, &t->k, err);
}

static enum yk_status take_specimen_damping(struct new_test *t, const char *text, struct yk_err *err)
{
    if (!has_no_stiffness(t))
        return yk_fail(err, YK_E_INPUT, "a %s has no damping of its own", new_kind_names[t->kind]);
    return quantity(text, YK_PLAIN_DAMPING, 1e-3, 1e12, &t->c, err);
}

static enum yk_status take_yield_force(struct new_test *t, const char *text, struct yk_err *err)
{
    if (t->kind != NEW_BRACE && t->kind != NEW_ISOLATOR)
        return yk_fail(err, YK_E_INPUT, "a %s does not yield", new_kind_names[t->kind]);
    return quantity(text, YK_PLAIN_FORCE, 1e-3, 1e10, &t->yield, err);
}

static enum yk_status take_record(struct new_test *t, const char *text, struct yk_err *err)
{
    const char *shipped = strcmp(text, "hills") == 0    ? "ground-motions/hills.AT2"
                          : strcmp(text, "valley") == 0 ? "ground-motions/valley.csv"
                                                        : NULL;

    if (strlen(text) + 1 > sizeof t->record)
        return yk_fail(err, YK_E_INPUT, "the name of the record is longer than %zu letters", sizeof t->record - 1);
    strcpy(t->record, text);
    if (!shipped)
        return YK_OK;
    if (!new_examples())
        return yk_fail(err, YK_E_INPUT, "the examples are not installed, and '%s' is one of their records", text);
    if (snprintf(t->record, sizeof t->record, "%s/%s", new_examples(), shipped) >= (int)sizeof t->record)
        return yk_fail(err, YK_E_INPUT, "the examples are in a folder with too long a name");
    return YK_OK;
}

static enum yk_status take_unit(struct new_test *t, const char *text, struct yk_err *err)
{
    (void)err;
    t->record_unit = text;
    return YK_OK;
}

static enum yk_status take_record_step(struct new_test *t, const char *text, struct yk_err *err)
{
    return quantity(text, YK_TIME, 1e-5, 1, &t->record_step, err);
}

static enum yk_status take_peak(struct new_test *t, const char *text, struct yk_err *err)
{
    return quantity(text, YK_PLAIN_ACCELERATION, 1e-3, 50, &t->peak, err);
}

static enum yk_status take_rate(struct new_test *t, const char *text, struct yk_err *err)
{
    return quantity(text, YK_FREQUENCY, 100, 20e3, &t->rate, err);
}

/* ---- which are asked ---- */

static bool for_storeys(const struct new_test *t, const struct new_options *o)
{
    (void)o;
    return t->storeys > 0;
}

static bool for_period(const struct new_test *t, const struct new_options *o)
{
    return t->storeys > 0 && !o->stiffness;
}

static bool for_storey_count(const struct new_test *t, const struct new_options *o)
{
    (void)t;
    return !o->mass_matrix && !o->stiffness_matrix;
}

static bool for_matrices(const struct new_test *t, const struct new_options *o)
{
    (void)o;
    return t->storeys == 0;
}

static bool for_share(const struct new_test *t, const struct new_options *o)
{
    return !has_no_stiffness(t) && !o->specimen_stiffness;
}

static bool for_damper(const struct new_test *t, const struct new_options *o)
{
    (void)o;
    return has_no_stiffness(t);
}

static bool for_yielding(const struct new_test *t, const struct new_options *o)
{
    (void)o;
    return t->kind == NEW_BRACE || t->kind == NEW_ISOLATOR;
}

static bool never(const struct new_test *t, const struct new_options *o)
{
    (void)t, (void)o;
    return false;
}

#define TEXT(field) offsetof(struct new_options, field)
static const struct question questions[] = {
    {"--storeys", "Storeys of the building, 1 to 40 (1: a single mass)", TEXT(storeys), "3", for_storey_count,
     take_storeys},
    {"--mass", "Mass of a floor, or of each from the lowest: 24 t, 24 t, 18 t", TEXT(mass), "20 t", for_storeys,
     take_mass},
    {"--stiffness", NULL, TEXT(stiffness), "", never, take_stiffness},
    {"--period", "Period of the first mode", TEXT(period), "", for_period, take_period},
    {"--mass-matrix", NULL, TEXT(mass_matrix), "", never, take_mass_matrix},
    {"--stiffness-matrix", NULL, TEXT(stiffness_matrix), "", never, take_stiffness_matrix},
    {"--at", "Degree of freedom where the specimen acts: a number from 1, or a name", TEXT(at), "1", for_matrices,
     take_at},
    {"--damping", "Damping ratio of the first mode", TEXT(damping), "3 %", NULL, take_damping},
    {"--specimen", "Specimen: spring, brace, damper, fluid-damper or isolator", TEXT(specimen), "spring", NULL,
     take_specimen},
    {"--share", "Part of the stiffness that is tested, 1 to 90 %", TEXT(share), "30 %", for_share, take_share},
    {"--specimen-stiffness", NULL, TEXT(specimen_stiffness), "", never, take_specimen_stiffness},
    {"--specimen-damping", "Damping of the specimen, such as 200 kN s/m", TEXT(specimen_damping), "", for_damper,
     take_specimen_damping},
    {"--yield-force", "Yield force of the specimen", TEXT(yield_force), "", for_yielding, take_yield_force},
    {"--record", "Ground motion: a file, hills, valley or synthetic", TEXT(record), "synthetic", NULL, take_record},
    {"--unit", NULL, TEXT(unit), "", never, take_unit},
    {"--record-step", NULL, TEXT(record_step), "", never, take_record_step},
    {"--peak", "Largest acceleration", TEXT(peak), "", NULL, take_peak},
    {"--rate", "Control rate", TEXT(rate), "1 kHz", NULL, take_rate},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* ---- asking ---- */

/* The message with the option in front of it. */
static enum yk_status at_option(const struct question *q, struct yk_err *err)
{
    return yk_fail_within(err, YK_NOWHERE, "%s: ", q->option);
}

/* Asks until the answer is right; at the end of the input, or when a word is refused there, fails. */
static enum yk_status ask_one(const struct question *q, struct new_test *t, struct yk_err *err)
{
    char *kept, answer[NEW_TEXT];

    for (;;) {
        printf("%s [%s]: ", q->ask, *q->fallback ? q->fallback : "found for you");
        fflush(stdout);
        if (!fgets(answer, sizeof answer, stdin))
            return yk_fail(err, YK_E_INPUT, "the input ended before all questions were answered; nothing was written");
        answer[strcspn(answer, "\r\n")] = 0;
        const struct yk_piece piece = yk_piece_trim((struct yk_piece){answer, answer + strlen(answer)});
        const size_t length = (size_t)(piece.end - piece.begin);

        memmove(answer, piece.begin, length);
        answer[length] = 0;
        if (!*answer && !*q->fallback)
            return YK_OK;
        kept = strdup(*answer ? answer : q->fallback); /* some answers are kept as texts, to the end of the program */
        if (!kept)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        if (!q->take(t, kept, err))
            return YK_OK;
        printf("  %s\n", yk_err_line(err).text);
        free(kept);
    }
}

enum yk_status new_answer(struct new_test *t, const struct new_options *o, bool ask, struct yk_err *err)
{
    if (!o->mass_matrix != !o->stiffness_matrix)
        return yk_fail(err, YK_E_INPUT, "--mass-matrix and --stiffness-matrix are given together");
    if (o->mass_matrix && (o->storeys || o->mass || o->stiffness || o->period))
        return yk_fail(err, YK_E_INPUT,
                       "a structure is given by matrices, or by storeys, masses and stiffness or "
                       "period, not by both");
    if (!o->mass_matrix && o->at)
        return yk_fail(err, YK_E_INPUT,
                       "--at names a degree of freedom of matrices; with storeys the specimen is in "
                       "the first");
    if (o->share && o->specimen_stiffness)
        return yk_fail(err, YK_E_INPUT, "--share or --specimen-stiffness: each gives the stiffness of the specimen");
    for (size_t i = 0; i < QUESTIONS; i++) {
        const struct question *q = &questions[i];
        const char *given = *(const char *const *)((const char *)o + q->at);
        enum yk_status st = YK_OK;

        if (given)
            st = q->take(t, given, err) ? at_option(q, err) : YK_OK;
        else if (q->is_asked && !q->is_asked(t, o))
            continue;
        else if (ask)
            st = ask_one(q, t, err);
        else if (*q->fallback)
            st = q->take(t, q->fallback, err) ? at_option(q, err) : YK_OK;
        if (st)
            return st;
    }
    return YK_OK;
}
