/* Files of loggers: one content in every dress gives the same bits; what is damaged is refused with its line. Values of
 * the recordings: their README, and the file of the logger itself. */
#include "support/check.h"

#include <yoke/logger.h>

#include <math.h>
#include <stdlib.h>

#define UTFSM YOKE_SOURCE "/data/measured/utfsm/"

enum { ROWS = 400 };

static const struct yk_log_role roles[] = {
    {"command", YK_DISPLACEMENT, true}, {"displacement", YK_DISPLACEMENT, false}, {"force", YK_FORCE, true}};

static struct yk_log_ask ask_for(const char *columns)
{
    return (struct yk_log_ask){.roles = roles, .count = 3, .columns = columns};
}

static enum yk_status parse(struct yk_log *log, const char *text, const char *columns, struct yk_err *err)
{
    const struct yk_log_ask ask = ask_for(columns);

    return yk_log_parse(log, "a.txt", text, strlen(text), &ask, err);
}

/* A file of ROWS rows at 100 Hz: head, then rows by `row`, which prints time, displacement [mm] and force [N]. */
struct dress {
    const char *head;
    void (*row)(char *to, size_t size, int k, double mm, double N);
    const char *columns;
};

static double mm_at(int k)
{
    return round(1e3 * sin(0.1 * k)) / 1e3;
}

static char *dressed(const struct dress *d)
{
    char *text = calloc(ROWS + 20, 80), *p = text;

    p += sprintf(p, "%s", d->head);
    for (int k = 0; k < ROWS; k++) {
        d->row(p, 80, k, mm_at(k), 10 * mm_at(k) + 1);
        p += strlen(p);
    }
    return text;
}

static void with_commas(char *to, size_t size, int k, double mm, double N)
{
    snprintf(to, size, "%.2f,%.3f,%.3f\n", 0.01 * k, mm, N);
}

static void with_tabs(char *to, size_t size, int k, double mm, double N)
{
    snprintf(to, size, "%.2f\t%.3f\t%.3f\r\n", 0.01 * k, mm, N);
}

static void with_blanks(char *to, size_t size, int k, double mm, double N)
{
    snprintf(to, size, "  %8.2f %9.3f   %8.3f\n", 0.01 * k, mm, N);
}

static void with_decimal_commas(char *to, size_t size, int k, double mm, double N)
{
    snprintf(to, size, "%.2f;%.3f;%.3f\n", 0.01 * k, mm, N);
    for (; *to; to++)
        if (*to == '.')
            *to = ',';
}

static void with_dates(char *to, size_t size, int k, double mm, double N)
{
    snprintf(to, size, "%d, 06/29/2022 11:59:%02d.%02d PM, %.3f, %.3f%s\r\n", k + 1, 56 + k / 100, k % 100, mm, N,
             k == 0 ? ", Start" : "");
}

static void with_iso_dates(char *to, size_t size, int k, double mm, double N)
{
    snprintf(to, size, "2022-06-29T08:00:%02d.%02dZ|%.3f|%.3f\n", k / 100, k % 100, mm, N);
}

static const struct dress dresses[] = {
    {"time [s],displacement [mm],force [N]\n", with_commas, NULL},
    {"\xEF\xBB\xBFTime (s),Disp (mm),Load (N)\n", with_commas, NULL},
    {"Made by a logger\nVersion: 3\n\nTime\tPosition\tForce\r\ns\tmm\tN\r\n", with_tabs, NULL},
    {"[s]\t[mm]\t[N]\r\ntime\tdisplacement\tforce\r\n", with_tabs, NULL},
    {"t [s]  displacement [mm] force [N]\n", with_blanks, NULL},
    {"Zeit;Weg;Kraft\n", with_decimal_commas, "displacement=Weg:1 mm,force=3:1 N,time=1:1 s"},
    {"", with_commas, "time=1,displacement=2:1 mm,force=3:1 N"},
    {"No, Date/Time, A, B, Events\n", with_dates, "displacement=A:1 mm,force=B:1 N"},
    {"Date|displacement [mm]|force [N]\n", with_iso_dates, NULL},
    {"Sampling Interval:  0.01\na,displacement [mm],force [N]\n", with_commas, NULL},
};

static void every_dress_gives_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dresses / sizeof *dresses; i++) {
        char *text = dressed(&dresses[i]);
        struct yk_log log;

        assert_ok(parse(&log, text, dresses[i].columns, &err));
        assert_int_equal(log.rows, ROWS);
        assert_near(log.step_s, 0.01, 1e-9);
        for (int k = 0; k < ROWS; k++) {
            char number[32];

            snprintf(number, sizeof number, "%.3f", mm_at(k));
            assert_true(log.column[1].x[k] == atof(number) * 1e-3);
        }
        assert_null(log.column[0].x);
        yk_log_free(&log);
        free(text);
    }
}

/* Jitter of 20 % of a step, one row in a hundred lost, one repeated. */
static void uneven_rows_become_even(void **state)
{
    char *text = calloc(4100, 60), *p = text;
    struct yk_log log;
    uint32_t seed = 1;

    (void)state;
    p += sprintf(p, "time [s],displacement [m]\n");
    for (int k = 0; k < 4000; k++) {
        const double t = 0.001 * (k + 0.2 * ((double)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5));

        if (k % 100 == 50)
            continue;
        for (int again = 0; again < 1 + (k % 100 == 70); again++)
            p += sprintf(p, "%.10f,%.10f\n", t, sin(20 * t));
    }
    assert_ok(parse(&log, text, NULL, &err));
    assert_non_null(strstr(log.notes, "interpolated"));
    assert_non_null(strstr(log.notes, "40 rows have the time of another row"));
    for (size_t k = 0; k < log.rows; k++)
        assert_near(log.column[1].x[k], sin(20 * log.time[k]), 1.25e-7); /* (20 * 2.4 ms)^4 / 4! * 9/16 */
    yk_log_free(&log);
    free(text);
}

static void pauses_and_gaps_make_records(void **state)
{
    const struct yk_log_ask ask = ask_for("displacement=CHANNEL1:10 mm,force=CHANNEL0:980.665 N");
    static const size_t rows[] = {1860, 1200, 1120, 1260, 1980};
    struct yk_log log;

    (void)state;
    assert_ok(yk_log_read(&log, UTFSM "logger/sine-2mm-5Hz.txt.gz", &ask, &err));
    assert_int_equal(log.segments, 5);
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(log.first[k + 1] - log.first[k], rows[k]);
    assert_near(log.step_s, 0.005, 1e-6);
    assert_near(log.column[1].x[0], -0.029931, 1e-9);
    yk_log_free(&log);
}

/* The README of the recordings: steps and noise. */
static void columns_tell_of_their_sensors(void **state)
{
    static const struct {
        const char *file;
        double noise_m, noise_N;
    } files[] = {{"chirp-may-0.5A", 2.5e-6, 2.2}, {"chirp-june-0A", 27e-6, 26}, {"chirp-june-1A", 27e-6, 26}};
    const struct yk_log_ask ask = ask_for(NULL);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct yk_log_quality x, F;
        struct yk_log log;
        char path[200];

        snprintf(path, sizeof path, UTFSM "%s.csv.gz", files[i].file);
        assert_ok(yk_log_read(&log, path, &ask, &err));
        assert_ok(yk_log_judge(&log, 1, &x, &err));
        assert_ok(yk_log_judge(&log, 2, &F, &err));
        assert_near_relative(x.quantum, 3.05e-6, 0.05);
        assert_near_relative(F.quantum, 2.99, 0.05);
        assert_near_relative(x.noise, files[i].noise_m, 0.05);
        assert_near_relative(F.noise, files[i].noise_N, 0.05);
        assert_false(x.saturated);
        if (i > 0) { /* June: the noise is common to all channels */
            assert_true(yk_log_correlation(&log, 0, 1) > 0.94);
            assert_true(yk_log_correlation(&log, 1, 2) > 0.94);
        }
        yk_log_free(&log);
    }
}

static void assert_said(const char *text, const char *columns, const char *words)
{
    struct yk_log log;

    assert_refused(parse(&log, text, columns, &err), YK_E_INPUT, words);
    assert_null(log.time);
}

static void bad_files_are_refused(void **state)
{
    static char rows[4000], text[9000];
    char *p = rows;

    (void)state;
    for (int k = 0; k < 30; k++)
        p += sprintf(p, "%.2f,%d\n", 0.01 * k, k % 7);
    assert_said("hello\n", NULL, "no table of numbers");
    assert_said("time,displacement\n1,2\n2,3\n3,4\n", NULL, "3 rows are too few");
    snprintf(text, sizeof text, "time,a\n%s", rows);
    assert_said(text, NULL, "a.txt:2: no column is known as displacement");
    assert_said(text, NULL, "2  a: min 0, max 6, rms 3.");
    assert_said(text, "displacement=b", "there is no column 'b' (displacement)");
    assert_said(text, "way=2", "'way=2' must be ROLE=COLUMN");
    snprintf(text, sizeof text, "time,displacement\n%s0.30,nan\n0.31,1\n", rows);
    assert_said(text, NULL, "a.txt:32: column 2: 'nan' is not a finite number");
    snprintf(text, sizeof text, "time,displacement\n%s0.30,x\n0.31,1\n", rows);
    assert_said(text, NULL, "a.txt:32: column 2: 'x' is not a number");
    snprintf(text, sizeof text, "time,displacement\n%s0.30,1,5\n0.31,1\n", rows);
    assert_said(text, NULL, "a.txt:32: ");
    snprintf(text, sizeof text, "time,displacement\n%s\ntime,displacement\n%s", rows, rows);
    assert_said(text, NULL, "a.txt:33: a second table begins here");
    snprintf(text, sizeof text, "time,displacement\n%s0.05,1\n0.31,1\n", rows);
    assert_said(text, NULL, "a.txt:32: time goes back");
    p = text + sprintf(text, "time;displacement\n");
    for (int k = 0; k < 30; k++)
        p += sprintf(p, "%d;%d,%03d\n", k, k + 1, k + 100);
    assert_said(text, NULL, "--decimal comma or point");
    assert_said("\x1f\x8b\x08", NULL, "the gzip file ends early");
}

static void an_incomplete_last_line_is_left_out(void **state)
{
    char text[2000], *p = text + sprintf(text, "time,displacement\n");
    struct yk_log log;

    (void)state;
    for (int k = 0; k < 30; k++)
        p += sprintf(p, "%.2f,%d\n", 0.01 * k, k % 7);
    sprintf(p, "0.3");
    assert_ok(parse(&log, text, NULL, &err));
    assert_int_equal(log.rows, 30);
    assert_non_null(strstr(log.notes, "line 32, the last one, is incomplete"));
    yk_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dress_gives_the_same_bits), cmocka_unit_test(uneven_rows_become_even),
        cmocka_unit_test(pauses_and_gaps_make_records),    cmocka_unit_test(columns_tell_of_their_sensors),
        cmocka_unit_test(bad_files_are_refused),           cmocka_unit_test(an_incomplete_last_line_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
