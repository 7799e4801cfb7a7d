/* Binary files of loggers: TDMS and MATLAB 5, written here byte by byte after their published formats, give the bits of
 * the same table as text. Damaged files, of all kinds, are read or refused, each within a second. */
#include "support/check.h"

#include <yoke/clock.h>
#include <yoke/logger.h>
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>
#include <zlib.h>

enum { ROWS = 400, ROOM = 65536 };

struct bytes {
    unsigned char b[ROOM];
    size_t n;
    bool big;
};

static void put(struct bytes *o, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        o->b[o->n++] = (unsigned char)(bits >> (8 * (o->big ? size - 1 - i : i)));
}

static void put_bytes(struct bytes *o, const void *data, size_t n)
{
    memcpy(o->b + o->n, data, n);
    o->n += n;
}

static void put_double(struct bytes *o, double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    put(o, bits, 8);
}

static double motion(int k, int late)
{
    return round(3000 * sin(0.02 * (k - late))) / 1000; /* mm */
}

/* ---- TDMS ---- */

static void put_text(struct bytes *o, const char *text)
{
    put(o, strlen(text), 4);
    put_bytes(o, text, strlen(text));
}

/* A channel with its number of values in a chunk, its unit and interval; count 0: a group. */
static void put_object(struct bytes *o, const char *path, uint64_t count)
{
    put_text(o, path);
    if (!count) {
        put(o, 0xffffffff, 4);
        put(o, 0, 4);
        return;
    }
    put(o, 20, 4);
    put(o, 10, 4); /* double */
    put(o, 1, 4);
    put(o, count, 8);
    put(o, 2, 4);
    put_text(o, "wf_increment");
    put(o, 10, 4);
    put_double(o, 0.01);
    put_text(o, "unit_string");
    put(o, 0x20, 4);
    put_text(o, "mm");
}

enum { META = 2, NEW_LIST = 4, RAW = 8, INTERLEAVED = 32, BIG = 64 };

/* Two channels in two segments: the first with the list of objects, and in two chunks where they are not interleaved.
 */
static void make_tdms(struct bytes *o, bool interleaved, bool big)
{
    *o = (struct bytes){.big = big};
    for (int part = 0; part < 2; part++) {
        static struct bytes list, raw;

        list = raw = (struct bytes){.big = big};
        if (part == 0) {
            put(&list, 3, 4);
            put_object(&list, "/'Run 1'", 0);
            put_object(&list, "/'Run 1'/'command'", 100);
            put_object(&list, "/'Run 1'/'displacement'", 100);
        }
        for (int chunk = 0; chunk < 2; chunk++)
            for (int c = 0; c < (interleaved ? 1 : 2); c++)
                for (int k = 200 * part + 100 * chunk; k < 200 * part + 100 * chunk + 100; k++) {
                    put_double(&raw, motion(k, interleaved ? 0 : 20 * c));
                    if (interleaved)
                        put_double(&raw, motion(k, 20));
                }
        const bool was = o->big;
        o->big = false; /* the lead-in up to the table of contents is always so */
        put_bytes(o, "TDSm", 4);
        put(o, RAW | (part ? 0 : META | NEW_LIST) | (interleaved ? INTERLEAVED : 0) | (big ? BIG : 0), 4);
        o->big = was;
        put(o, 4713, 4);
        put(o, list.n + raw.n, 8);
        put(o, list.n, 8);
        put_bytes(o, list.b, list.n);
        put_bytes(o, raw.b, raw.n);
    }
}

/* ---- MATLAB ---- */

static void put_element(struct bytes *o, unsigned type, const void *data, size_t n)
{
    put(o, type, 4);
    put(o, n, 4);
    put_bytes(o, data, n);
    while (type != 15 && o->n % 8)
        put(o, 0, 1);
}

static void put_array(struct bytes *o, unsigned class, size_t rows, const char *name, const struct bytes *body)
{
    static struct bytes in[4];
    static int depth;
    struct bytes *a = &in[depth++];

    *a = (struct bytes){.n = 0};
    put_element(a, 6, (const uint32_t[]){class, 0}, 8);
    put_element(a, 5, (const uint32_t[]){(uint32_t)rows, 1}, 8);
    put_element(a, 1, name, strlen(name));
    put_bytes(a, body->b, body->n);
    put_element(o, 14, a->b, a->n);
    depth--;
}

static void put_vector(struct bytes *o, const char *name, double unit, int late, int what)
{
    static struct bytes body;
    static double x[ROWS];

    body = (struct bytes){.n = 0};
    for (int k = 0; k < ROWS; k++)
        x[k] = what == 0 ? 0.01 * k : what == 1 ? unit * motion(k, late) : 100;
    put_element(&body, 9, x, (what == 2 ? 1 : ROWS) * sizeof *x);
    put_array(o, 6, what == 2 ? 1 : ROWS, name, &body);
}

static void put_mat_head(struct bytes *o)
{
    char head[116] = "MATLAB 5.0 MAT-file, made by a test";

    *o = (struct bytes){.n = 0};
    put_bytes(o, head, sizeof head);
    put(o, 0, 8);
    put(o, 0x0100, 2);
    put_bytes(o, "IM", 2);
}

/* A struct of a time and two columns, and a text that is no column; compressed. */
static void make_struct(struct bytes *o)
{
    static struct bytes body, all, packed;
    static const char names[4][16] = {"time", "note", "command", "displacement"};
    struct bytes text = {.n = 0};
    uLongf size = sizeof packed.b;

    put_element(&text, 4, "a\0b\0", 4);
    body = all = (struct bytes){.n = 0};
    put(&body, 5 | 4 << 16, 4); /* a small element: length of the names */
    put(&body, 16, 4);
    put_element(&body, 1, names, sizeof names);
    put_vector(&body, "", 1, 0, 0);
    put_array(&body, 4, 2, "", &text);
    put_vector(&body, "", 1e-3, 0, 1);
    put_vector(&body, "", 1e-3, 20, 1);
    put_array(&all, 2, 1, "run", &body);
    assert_int_equal(compress(packed.b, &size, all.b, all.n), Z_OK);
    put_mat_head(o);
    put_element(o, 15, packed.b, size);
}

/* Vectors of their own, and the rate. */
static void make_vectors(struct bytes *o)
{
    put_mat_head(o);
    put_vector(o, "command", 1e-3, 0, 1);
    put_vector(o, "displacement", 1e-3, 20, 1);
    put_vector(o, "fs", 1, 0, 2);
}

static void make_text(struct bytes *o)
{
    o->n = (size_t)sprintf((char *)o->b, "Logger 3\nStart: now\n\ntime [s],command [mm],displacement [mm],Events\n");
    for (int k = 0; k < ROWS; k++)
        o->n += (size_t)sprintf((char *)o->b + o->n, "%.2f,%.3f,%.3f,%s\n", 0.01 * k, motion(k, 0), motion(k, 20),
                                k == 0 ? "Start" : "");
}

/* ---- one content ---- */

static const struct yk_log_role roles[] = {{"command", YK_DISPLACEMENT, false},
                                           {"displacement", YK_DISPLACEMENT, false}};

static enum yk_status parse(const struct bytes *o, struct yk_log *log, struct yk_err *err)
{
    const struct yk_log_ask ask = {.roles = roles, .count = 2};

    return yk_log_parse(log, "file", (const char *)o->b, o->n, &ask, err);
}

static struct bytes made;

static void every_format_has_the_same_numbers(void **state)
{
    (void)state;
    for (int f = 0; f < 7; f++) {
        struct yk_log log;

        if (f < 4)
            make_tdms(&made, f % 2, f / 2);
        else if (f == 4)
            make_struct(&made);
        else
            (f == 5 ? make_vectors : make_text)(&made);
        assert_ok(parse(&made, &log, &err));
        assert_int_equal(log.rows, ROWS);
        assert_near(log.step_s, 0.01, 1e-12);
        for (int k = 0; k < ROWS; k++) {
            assert_true(log.column[0].x[k] == motion(k, 0) * 1e-3);
            assert_true(log.column[1].x[k] == motion(k, 20) * 1e-3);
        }
        yk_log_free(&log);
    }
}

static void what_cannot_be_read_is_refused(void **state)
{
    struct yk_log log;

    (void)state;
    make_tdms(&made, false, false);
    made.b[4] |= 128;
    assert_refused(parse(&made, &log, &err), YK_E_INPUT, "raw data of DAQmx");
    make_tdms(&made, false, false);
    made.n = 60;
    assert_refused(parse(&made, &log, &err), YK_E_INPUT, "the list of objects ends early");
    make_struct(&made);
    made.n -= 500;
    assert_refused(parse(&made, &log, &err), YK_E_INPUT, "MATLAB file: an array ends early");
    made = (struct bytes){.n = 0};
    put_bytes(&made, "\x89HDF\r\n\x1a\n and more", 16);
    assert_refused(parse(&made, &log, &err), YK_E_INPUT, "an HDF5 file, perhaps of MATLAB 7.3");
    make_struct(&made);
    const struct yk_log_ask ask = {.roles = (const struct yk_log_role[]){{"force", YK_FORCE, false}}, .count = 1};
    assert_refused(yk_log_parse(&log, "a.mat", (const char *)made.b, made.n, &ask, &err), YK_E_INPUT,
                   "displacement: min -0.003, max 0.003");
}

static size_t draw(uint64_t *seed, size_t below)
{
    return (size_t)(yk_draw_bits(seed) * 0x1p-53 * (double)below);
}

/* Bits flipped, stretches repeated, cut out or overwritten, the end cut off. */
static void damage(struct bytes *o, uint64_t *seed)
{
    const int wounds = 1 + (int)(draw(seed, 4));

    for (int w = 0; w < wounds && o->n > 40; w++) {
        const size_t at = draw(seed, o->n), length = 1 + draw(seed, 40);
        const size_t reach = at + length < o->n ? length : o->n - at;

        switch (draw(seed, 6)) {
        case 0:
            o->b[at] ^= (unsigned char)(1u << draw(seed, 8));
            break;
        case 1:
            memmove(o->b + at, o->b + at + reach, o->n - at - reach);
            o->n -= reach;
            break;
        case 2:
            if (o->n + reach < ROOM) {
                memmove(o->b + at + reach, o->b + at, o->n - at);
                o->n += reach;
            }
            break;
        case 3:
            memset(o->b + at, (int)(draw(seed, 256)), reach);
            break;
        case 4:
            memcpy(o->b + at, "\n1e999,nan,;\t\"-", reach < 15 ? reach : 15);
            break;
        default:
            o->n = at + 1;
        }
    }
}

static void damaged_files_are_read_or_refused(void **state)
{
    const char *wish = getenv("YOKE_MUTANTS");
    const uint64_t mutants = wish && strcmp(wish, "all") == 0 ? 500 : 80;
    int refused = 0;

    (void)state;
    for (int f = 0; f < 5; f++)
        for (uint64_t m = 0; m < mutants; m++) {
            uint64_t seed = 7919 * (m + 1) + 13 * (uint64_t)f;
            struct yk_log log;

            if (f < 2)
                make_tdms(&made, f, false);
            else
                (f == 2 ? make_struct : f == 3 ? make_vectors : make_text)(&made);
            damage(&made, &seed);
            const int64_t begin = yk_clock_now_ns();
            struct yk_err err = {0};
            const enum yk_status st = parse(&made, &log, &err);
            assert_true(yk_clock_now_ns() - begin < 1000000000);
            refused += st != YK_OK;
            assert_true(!st || *yk_err_line(&err).text);
            for (size_t k = 0; !st && k < log.rows; k++)
                assert_true(isfinite(log.column[0].x[k]) && isfinite(log.column[1].x[k]));
            if (!st)
                yk_log_free(&log);
        }
    print_message("%d of %d refused\n", refused, (int)(5 * mutants));
    assert_true(refused > (int)mutants);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_the_same_numbers),
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(damaged_files_are_read_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
