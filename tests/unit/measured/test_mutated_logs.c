/* Recordings of real tests, damaged as loggers, spreadsheets and people damage them: each is read, finite and in order,
 * or refused with words, within a second. 500 mutants of windows of 2,100 lines; with YOKE_MUTANTS=all of whole files.
 */
#include "support/check.h"

#include <yoke/clock.h>
#include <yoke/logger.h>
#include <yoke/random.h>
#include <yoke/text.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MUTANTS = 500, HEAD = 10, WINDOW = 2100, ROOM = 8 << 20 };

static const struct yk_log_role roles[] = {{"displacement", YK_DISPLACEMENT, false}, {"force", YK_FORCE, true}};

static const struct {
    const char *file, *columns;
} recordings[] = {
    {"utfsm/logger/sine-2mm-5Hz.txt.gz", "displacement=CHANNEL1:10 mm,force=CHANNEL0:980.665 N"},
    {"utfsm/chirp-may-0.5A.csv.gz", NULL},
    {"utfsm/sine-5mm-3Hz-1A.csv.gz", NULL},
    {"utfpr/loop-0V.csv.gz", NULL},
};
enum { RECORDINGS = sizeof recordings / sizeof *recordings };

struct sheet {
    char *at;
    size_t size;
};

static size_t draw(uint64_t *seed, size_t below)
{
    return below ? (size_t)yk_draw_bits(seed) % below : 0;
}

/* Replaces `old` bytes at `at`. */
static void splice(struct sheet *s, size_t at, size_t old, const char *text, size_t length)
{
    if (s->size - old + length > ROOM)
        return;
    memmove(s->at + at + length, s->at + at + old, s->size - at - old);
    memmove(s->at + at, text, length);
    s->size += length - old;
}

/* The beginning of a line that is no title, and its length with the line feed. */
static size_t line_of(const struct sheet *s, uint64_t *seed, size_t *length)
{
    size_t at = draw(seed, s->size);

    while (at > 0 && s->at[at - 1] != '\n')
        at--;
    const char *end = memchr(s->at + at, '\n', s->size - at);
    *length = end ? (size_t)(end - s->at) - at + 1 : s->size - at;
    return at;
}

/* A field of a line, with the delimiter behind it. */
static size_t field_of(const struct sheet *s, uint64_t *seed, size_t *length)
{
    size_t line, at = line_of(s, seed, &line);

    for (size_t skip = draw(seed, 4), i = 0; i < line && skip > 0; i++)
        if (strchr(",;\t", s->at[at + i])) {
            at += i + 1;
            line -= i + 1;
            i = 0;
            skip--;
        }
    for (*length = 0; *length < line && !strchr(",;\t\n", s->at[at + *length]);)
        ++*length;
    *length += *length < line && s->at[at + *length] != '\n';
    return at;
}

static void replace(struct sheet *s, size_t from, size_t length, char old, char new)
{
    for (size_t i = from; i < from + length; i++)
        if (s->at[i] == old)
            s->at[i] = new;
}

static void damage_fields(struct sheet *s, uint64_t *seed)
{
    static const char *const words[] = {"nan,", "1e999,", "-,", ",", "1.2.3,", "#N/A,", "0x10,", "12:61:00,", "\"1\","};
    size_t length, at = field_of(s, seed, &length);

    switch (draw(seed, 3)) {
    case 0:
        splice(s, at, length, "", 0);
        break;
    case 1: {
        const char *word = words[draw(seed, sizeof words / sizeof *words)];

        splice(s, at, length, word, strlen(word) - (length > 0 && s->at[at + length - 1] == '\n'));
        break;
    }
    default: { /* the time of another row, or any number at the place of another */
        size_t other_length, other = field_of(s, seed, &other_length);
        char field[64];

        other_length = other_length < sizeof field ? other_length : sizeof field;
        memcpy(field, s->at + other, other_length);
        splice(s, at, length, field, other_length);
    }
    }
}

static void damage_lines(struct sheet *s, uint64_t *seed)
{
    static const char *const lines[] = {
        "\n",          "time,displacement,force\n", "Pause\n", "mm,kN,s\n", "a\n", "1;2;3;4;5\n", "# note\n", "\"\n",
        "\xEF\xBB\xBF"};
    size_t length, at = line_of(s, seed, &length), other_length, other;
    char line[512];

    length = length < sizeof line ? length : sizeof line;
    memcpy(line, s->at + at, length);
    switch (draw(seed, 5)) {
    case 0: /* twice: equal stamps */
        splice(s, at, 0, line, length);
        break;
    case 1: /* elsewhere: time goes back, or a gap */
        splice(s, at, length, "", 0);
        other = line_of(s, seed, &other_length);
        splice(s, other, 0, line, length);
        break;
    case 2: /* a block is lost */
        other = draw(seed, s->size - at);
        splice(s, at, other, "", 0);
        break;
    case 3: {
        const char *put = lines[draw(seed, sizeof lines / sizeof *lines)];

        splice(s, at, 0, put, strlen(put));
        break;
    }
    default: /* the end is cut off, within a number */
        s->size = draw(seed, s->size) + 1;
    }
}

static void damage_dress(struct sheet *s, uint64_t *seed)
{
    static const char delimiters[] = ",;\t| ";
    const char to = delimiters[draw(seed, 5)];
    size_t from = 0, length = s->size;

    if (draw(seed, 2)) { /* of one line only */
        from = line_of(s, seed, &length);
    }
    switch (draw(seed, 5)) {
    case 0:
        replace(s, from, length, ',', to);
        break;
    case 1:
        replace(s, from, length, '.', ',');
        break;
    case 2: /* as a spreadsheet in German */
        replace(s, from, length, ',', ';');
        replace(s, from, length, '.', ',');
        break;
    case 3:
        replace(s, from, length, '\n', '\r');
        break;
    default:
        s->at[draw(seed, s->size)] = (char)draw(seed, 256);
    }
}

/* The first lines, and as many as two seconds need from elsewhere. */
static void window(const struct yk_text *whole, bool all, uint64_t *seed, struct sheet *s)
{
    const char *end = whole->data + whole->size, *p = whole->data, *from;

    for (int lines = 0; lines < HEAD; p++)
        lines += *p == '\n';
    s->size = all ? whole->size : (size_t)(p - whole->data);
    memcpy(s->at, whole->data, s->size);
    if (all)
        return;
    p += draw(seed, (size_t)(end - p) / 10);
    while (*p++ != '\n')
        ;
    from = p;
    for (int lines = 0; p < end && lines < WINDOW; p++)
        lines += *p == '\n';
    splice(s, s->size, 0, from, (size_t)(p - from));
}

/* Reads a mutant; true: refused. */
static bool judged(const char *text, size_t size, const char *columns)
{
    const struct yk_log_ask ask = {.roles = roles, .count = 2, .columns = columns};
    const int64_t begin = yk_clock_now_ns();
    struct yk_log_quality quality;
    struct yk_err said = {0};
    struct yk_log log;
    const enum yk_status st = yk_log_parse(&log, "mutant", text, size, &ask, &said);

    assert_true(st ? *yk_err_line(&said).text != 0 && !log.time : log.rows > 0 && log.step_s > 0);
    for (size_t k = 0; !st && k < log.rows; k++) {
        assert_true(isfinite(log.time[k]) && isfinite(log.column[0].x[k]));
        assert_true(k == 0 || log.time[k] > log.time[k - 1]);
    }
    if (!st) {
        assert_true(log.first[0] == 0 && log.first[log.segments] == log.rows);
        assert_ok(yk_log_judge(&log, 0, &quality, &err));
        yk_log_free(&log);
    }
    assert_true(yk_clock_now_ns() - begin < 1000000000);
    return st != YK_OK;
}

static void damaged_recordings_are_read_or_refused(void **state)
{
    const char *wish = getenv("YOKE_MUTANTS");
    const bool all = wish && strcmp(wish, "all") == 0;
    struct sheet s = {.at = malloc(ROOM)};
    int refused = 0;

    (void)state;
    assert_non_null(s.at);
    for (uint64_t r = 0; r < RECORDINGS; r++) {
        struct yk_text whole;
        char path[300];

        snprintf(path, sizeof path, YOKE_SOURCE "/data/measured/%s", recordings[r].file);
        assert_ok(yk_text_load(&whole, path, &err));
        for (uint64_t m = 0; m < MUTANTS / RECORDINGS; m++) {
            uint64_t seed = 104729 * (m + 1) + 31 * r;

            window(&whole, all, &seed, &s);
            assert_true(m > 0 || !judged(s.at, s.size, recordings[r].columns));
            for (size_t k = 0, many = 1 + draw(&seed, 3); k < many && s.size > 0; k++)
                (draw(&seed, 3) == 0 ? damage_fields : draw(&seed, 2) == 0 ? damage_lines : damage_dress)(&s, &seed);
            refused += judged(s.at, s.size, recordings[r].columns);
        }
        yk_text_free(&whole);
    }
    free(s.at);
    print_message("%d of %d refused\n", refused, MUTANTS);
    assert_true(refused > MUTANTS / 5 && refused < MUTANTS);
}

/* The files as they lie on the disk: bits turned, cut off. */
static void damaged_packed_files_are_read_or_refused(void **state)
{
    static char packed[1 << 20];
    const char *const path = YOKE_SOURCE "/data/measured/utfsm/sine-2mm-5Hz-1A.csv.gz";
    FILE *in = fopen(path, "rb");
    int refused = 0;

    (void)state;
    assert_non_null(in);
    const size_t size = fread(packed, 1, sizeof packed, in);
    fclose(in);
    assert_false(judged(packed, size, NULL));
    for (uint64_t m = 0; m < 100; m++) {
        uint64_t seed = 7919 * (m + 1);
        const size_t at = 10 + draw(&seed, size - 10);

        const char was = packed[at];

        packed[at] ^= (char)(1 << draw(&seed, 8));
        refused += judged(packed, m % 2 ? size : at, NULL);
        packed[at] = was;
    }
    assert_int_equal(refused, 100); /* their checksum */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_recordings_are_read_or_refused),
        cmocka_unit_test(damaged_packed_files_are_read_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
