/* Ground-motion records and other series from files. */
#include "support/check.h"

#include "model/read.h"
#include <yoke/signal.h>

#include <stdlib.h>
#include <unistd.h>

static const double g = 9.80665;

static enum yk_status read_at2(const char *data, struct yk_series *out, bool *named, struct yk_err *err)
{
    struct yk_text text = {.name = "a.at2", .data = strdup(data), .size = strlen(data)};
    enum yk_status st;

    *out = (struct yk_series){.n = 0};
    st = yk_read_at2(&text, out, named, NULL, err);
    yk_text_free(&text);
    return st;
}

static enum yk_status read_csv(const char *data, double dt_s, struct yk_series *out, struct yk_err *err)
{
    struct yk_text text = {.name = "a.csv", .data = strdup(data), .size = strlen(data)};
    enum yk_status st;

    *out = (struct yk_series){.n = 0};
    st = yk_read_series_csv(&text, dt_s, YK_FORCE, out, NULL, err);
    yk_text_free(&text);
    return st;
}

/* The record holds n values, equal to y in the unit of the file, which it names. */
static void check_at2(const char *data, double dt_s, size_t n, const double *y, double unit)
{
    struct yk_series s;
    bool named;

    assert_ok(read_at2(data, &s, &named, &err));
    assert_true(named);
    assert_int_equal(s.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(s.t[i] == dt_s * (double)i);
        assert_true(s.y[i] == y[i] * unit);
    }
    yk_series_free(&s);
    assert_null(s.y);
}

#define HEADER                                                                                                         \
    "PEER STRONG MOTION DATABASE RECORD. PROCESSING BY PACIFIC ENGINEERING.\n"                                         \
    "IMPERIAL VALLEY 10/15/79 2316, WIDTH ARRAY #6, 230\n"                                                             \
    "ACCELERATION TIME HISTORY IN UNITS OF G. FILTER POINTS: HP=0.1 Hz\n"
#define DATA "  .1345123E-05  -.3019739E-01\n   .5\n"

static const double three[] = {.1345123E-05, -.3019739E-01, .5};

static void at2_header_variants_are_read(void **state)
{
    check_at2(HEADER "NPTS=   3, DT= .01000 SEC\n" DATA, 0.01, 3, three, g);
    check_at2(HEADER "NPTS=   3, DT=   .0050 SEC,\n" DATA, 0.005, 3, three, g);
    check_at2(HEADER "   3    0.0100    NPTS, DT\n" DATA, 0.01, 3, three, g);
    check_at2(HEADER "  0.0100   3  DT, NPTS\n" DATA, 0.01, 3, three, g);
    check_at2(HEADER "npts=   3, dt=  .00500\n" DATA, 0.005, 3, three, g);
    check_at2(HEADER "DT= 0.02 sec, NPTS: 3\n" DATA, 0.02, 3, three, g);
    check_at2(HEADER "NPTS = 3\nDT(SEC)= 0.02\n" DATA, 0.02, 3, three, g);
    check_at2(HEADER "NPTS=3,DT=.01SEC\n" DATA, 0.01, 3, three, g);
}

static void at2_units_line_may_come_later(void **state)
{
    check_at2("PEER\nROTATED\nrecord\nrotation angle - clockwise -37.0\nNPTS= 3, DT= .005 SEC\n"
              "acceleration time history in units of g\n" DATA,
              0.005, 3, three, g);
    check_at2("PEER\nROTATED\nrecord\nrotation angle - clockwise -37.0\n"
              "acceleration time history in units of g\nNPTS= 3, DT= .005 SEC\n" DATA,
              0.005, 3, three, g);
}

static void at2_other_units_of_acceleration_are_converted(void **state)
{
    check_at2("a\nb\nUNITS OF CM/S/S\nNPTS= 3, DT= .01\n" DATA, 0.01, 3, three, 0.01);
    check_at2("a\nb\nunits: cm/sec^2\nNPTS= 3, DT= .01\n" DATA, 0.01, 3, three, 0.01);
    check_at2("a\nb\nUNITS (m/s2), raw\nNPTS= 3, DT= .01\n" DATA, 0.01, 3, three, 1);
}

static void at2_numbers_may_run_together(void **state)
{
    check_at2(HEADER "NPTS= 6, DT= .01 SEC\n-.3019739E-01-.12E-01+.5D+00\n1.5D-2, 2,3\n", 0.01, 6,
              (double[]){-.3019739E-01, -.12E-01, .5, 1.5e-2, 2, 3}, g);
}

static void at2_line_endings_do_not_matter(void **state)
{
    check_at2("a\r\r\nb\r\r\nUNITS OF G\r\r\nNPTS= 2, DT= .01\r\r\n1 \r\r\n2\r\r\n\r\r\n", 0.01, 2, (double[]){1, 2},
              g);
    check_at2("a\r\nb\r\nUNITS OF G\r\nNPTS= 2, DT= .01\r\n1\r\n2\r\n", 0.01, 2, (double[]){1, 2}, g);
    check_at2("a\rb\rUNITS OF G\rNPTS= 2, DT= .01\r1\r2\r", 0.01, 2, (double[]){1, 2}, g);
}

static void at2_without_a_unit_is_left_as_it_stands(void **state)
{
    struct yk_series s;
    bool named = true;

    assert_ok(read_at2("NPTS= 3, DT= .01\n" DATA, &s, &named, &err));
    assert_false(named);
    assert_true(s.y[2] == 0.5);
    yk_series_free(&s);
}

static void at2_refusals_name_line_and_reason(void **state)
{
    static const struct {
        const char *data;
        enum yk_status status;
        const char *words;
    } cases[] = {
        {"", YK_E_INPUT, "a.at2: NPTS and DT not found in the first 10 lines; is this a PEER AT2 file?"},
        {"NPTS= 3\n1 2 3\n", YK_E_INPUT, "a.at2: DT not found"},
        {"DT= 3\n1 2 3\n", YK_E_INPUT, "a.at2: NPTS not found"},
        {"\n\n\n\n\n\n\n\n\n\nNPTS= 3, DT= .01\n1\n", YK_E_INPUT, "NPTS and DT not found in the first 10 lines"},
        {HEADER "NPTS= 0, DT= .01\n1\n", YK_E_RANGE, "a.at2:4: NPTS = 0 is not a whole number from 1 to 1000000000"},
        {HEADER "NPTS= 2.5, DT= .01\n1\n", YK_E_RANGE, "NPTS = 2.5 is not a whole number"},
        {HEADER "NPTS= 1, DT= 0\n1\n", YK_E_RANGE, "a.at2:4: DT = 0 s is outside 0 .. 1000000 s"},
        {HEADER "NPTS= 1, DT= -.01\n1\n", YK_E_RANGE, "DT = -0.01 s is outside"},
        {HEADER "NPTS= 1, DT= .01\n", YK_E_INPUT, "a.at2:4: the file ends before the first value"},
        {HEADER "NPTS= 1, DT= .01\nno numbers here\n", YK_E_INPUT, "a.at2:5: the file ends before the first value"},
        {HEADER "NPTS= 3, DT= .01\n1 2\nx 3\n", YK_E_INPUT, "a.at2:6: 'x' is not a number"},
        {"a\r\r\nb\r\r\nUNITS OF G\r\r\nNPTS= 2, DT= .01\r\r\n1\r\r\nx\r\r\n", YK_E_INPUT,
         "a.at2:6: 'x' is not a number"},
        {HEADER "NPTS= 3, DT= .01\n1 2.5.5\n", YK_E_INPUT, "a.at2:5: '2.5.5' is not a number"},
        {HEADER "NPTS= 3, DT= .01\n1 *******\n", YK_E_INPUT, "a.at2:5: '*******' is not a number"},
        {HEADER "NPTS= 3, DT= .01\n1 NaN\n", YK_E_INPUT, "a.at2:5: 'NaN' is not a finite number"},
        {HEADER "NPTS= 3, DT= .01\n1 1e999\n", YK_E_INPUT, "'1e999' is not a finite number"},
        {HEADER "NPTS= 2, DT= .01\n1 1e308\n", YK_E_RANGE, "a.at2: value 2 is too large"},
        {HEADER "NPTS= 4, DT= .01\n" DATA, YK_E_INPUT,
         "a.at2: NPTS declares 4 values, but the file has 3: it is cut off"},
        {HEADER "NPTS= 2, DT= .01\n" DATA, YK_E_INPUT,
         "a.at2: NPTS declares 2 values, but the file has 3: some of them do not belong to the record"},
        {"a\nb\nVELOCITY TIME HISTORY IN UNITS OF CM/S\nNPTS= 1, DT= .01\n1\n", YK_E_UNIT,
         "a.at2:3: the record is a velocity in cm/s, but an acceleration is expected"},
        {"a\nb\nDISPLACEMENT TIME HISTORY IN UNITS OF CM\nNPTS= 1, DT= .01\n1\n", YK_E_UNIT,
         "the record is a displacement in cm"},
        {"a\nb\nIN UNITS OF FURLONG\nNPTS= 1, DT= .01\n1\n", YK_E_UNIT,
         "a.at2:3: unknown unit 'FURLONG' of the record; known are g, cm/s2, m/s2"},
    };
    struct yk_series s;
    bool named;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused(read_at2(cases[i].data, &s, &named, &err), cases[i].status, cases[i].words);
        assert_null(s.y);
    }
}

static void two_columns_are_time_and_value(void **state)
{
    struct yk_series s;

    assert_ok(read_csv("time_s,accel_m_s2\n0,0\n0.02,1.5\n0.05,-2\n", 0, &s, &err));
    assert_int_equal(s.n, 3);
    assert_true(s.t[2] == 0.05 && s.y[1] == 1.5 && s.y[2] == -2);
    yk_series_free(&s);
    assert_ok(read_csv("  -1.0E+00   2.0E+00\r\n   0.0E+00   3.0E+00\r\n", 0, &s, &err));
    assert_true(s.n == 2 && s.t[0] == -1 && s.y[1] == 3);
    yk_series_free(&s);
}

static void one_column_takes_its_times_from_the_step(void **state)
{
    struct yk_series s;

    assert_ok(read_csv("# force\n1\n2\n\n3\n", 0.1, &s, &err));
    assert_int_equal(s.n, 3);
    assert_true(s.t[0] == 0 && s.t[2] == 0.1 * 2 && s.y[2] == 3);
    yk_series_free(&s);
}

static void series_refusals_name_line_and_reason(void **state)
{
    static const struct {
        const char *data;
        double dt_s;
        const char *words;
    } cases[] = {
        {"", 0, "a.csv: no numbers in the file"},
        {"0,1\n0.1,2\n0.1,3\n", 0, "a.csv:3: time does not increase: 0.1 s after 0.1 s in the row before"},
        {"0,1\n-1,2\n", 0, "a.csv:2: time does not increase: -1 s after 0 s"},
        {"1\n2\n", 0, "a.csv:1: 1 values in the row, time and value are expected; one column needs a time step"},
        {"0,1,2\n", 0, "a.csv:1: 3 values in the row, time and value are expected"},
        {"0,1\n", 0.01, "a.csv:1: 2 values in the row, but with a time step of 0.01 s there must be one column"},
        {"0,1\n1,inf\n", 0, "a.csv:2: 'inf' is not a finite number"},
        {"0,1\n1,\n", 0, "a.csv:2: 1 values in the row"},
        {"0,1,2\n0.5,2\n1,2\n2,3\n", 0, "a.csv:1: 3 values in the row"},
        {"t,F [kN]\n0,x\n1,2\n2,3\n", 0, "a.csv:2: 'x' is not a number"},
        {"t,F [kN]\nx,1\n1,2\n2,3\n", 0, "a.csv:2: 'x' is not a number"},
        {"F [kN]\nx\n1\n2\n", 0.1, "a.csv:2: 'x' is not a number"},
        {"0;1,500\n1;2,500\n", 0, "numbers such as 1,234 may have a decimal comma or thousands; write them with"},
        {"01/02/2022 10:00,1\n02/02/2022 10:00,2\n", 0, "a.csv:1: which number of the date is the day?"},
        {"2022-02-01 10:00:00,1\n2022-02-01 10:00:00,2\n", 0, "a.csv:2: time does not increase"},
        {"t;F\ns;kN\n0;1\n0,5;x\n1;2\n", 0, "a.csv:4: 'x' is not a number"},
    };
    struct yk_series s;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused(read_csv(cases[i].data, cases[i].dt_s, &s, &err), YK_E_INPUT, cases[i].words);
        assert_null(s.y);
    }
}

/* The same load in the dress of other loggers. */
static void tables_of_loggers_are_loads(void **state)
{
    static const struct {
        const char *data, *column;
        double dt_s;
        bool named;
    } cases[] = {
        {"t [s],F [kN]\n0,0\n0.02,1.5\n0.05,-2\n", NULL, 0, true},
        {"Lab 3\nSerial: 17 b\n\nTime;Force\r\nms;kN\r\n0;0\r\n20;1,5\r\n50;-2,0\r\n", NULL, 0, true},
        {"Time (s)\tForce (axial)\n0\t0\n0.02\t1500\n0.05\t-2000\n", NULL, 0, false},
        {"t,m\n0,0\n0.02,1500\n0.05,-2000\n", NULL, 0, false}, /* names, not tonnes and metres */
        {"F [kN];Time [s]\n0;0\n1,5;0,02\n-2,0;0,05\n", NULL, 0, true},
        {"Date,F [kN],Events\n06/29/2022 11:59:59.980 PM,0,Start\n06/30/2022 12:00:00.000 AM,1.5,\n"
         "06/30/2022 12:00:00.030 AM,-2,\n",
         NULL, 0, true},
        {"time|Disp [mm]|Force [kN]\n0|1|0\n0.02|2|1.5\n0.05|3|-2\n", "Force", 0, true},
        {"0 1 0\n0.02 2 1500 # peak\n# then\n0.05 3 -2000\n", "3", 0, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct yk_text text = {.name = "a.csv", .data = strdup(cases[i].data), .size = strlen(cases[i].data)};
        struct yk_series s = {.n = 0};
        bool named;

        assert_ok(yk_read_series_column(&text, cases[i].column, cases[i].dt_s, YK_FORCE, &s, &named, &err));
        assert_int_equal(s.n, 3);
        assert_true(named == cases[i].named);
        assert_near(s.t[1], 0.02, 1e-10); /* dates: seconds of a day */
        assert_near(s.t[2], 0.05, 1e-10);
        assert_true(s.y[0] == 0 && s.y[1] == 1500 && s.y[2] == -2000);
        yk_series_free(&s);
        yk_text_free(&text);
    }
}

/* Jitter: rows stay where they are. A recorded file, packed: the README of the recordings has its first values. */
static void rows_of_loggers_keep_their_times(void **state)
{
    static const double jitter[] = {0, 0.0011, 0.0019, 0.0031, 0.0029999};
    struct yk_series s;

    assert_ok(read_csv("t,F\n0,1\n0.0011,2\n0.0019,3\n0.0031,4\n", 0, &s, &err));
    for (size_t k = 0; k < 4; k++)
        assert_true(s.t[k] == jitter[k]);
    yk_series_free(&s);
    assert_ok(
        yk_read_series(YOKE_SOURCE "/data/measured/utfsm/sine-5mm-3Hz-1A.csv.gz:force", 0, YK_FORCE, &s, NULL, &err));
    assert_true(s.n > 5000);
    assert_near(s.t[s.n - 1] - s.t[0], 1e-3 * (double)(s.n - 1), 1e-9);
    yk_series_free(&s);
    assert_refused(yk_read_series(YOKE_SOURCE "/data/measured/utfsm/logger/sine-2mm-5Hz.txt.gz:CHANNEL0", 0, YK_FORCE,
                                  &s, NULL, &err),
                   YK_E_INPUT, "sine-2mm-5Hz.txt.gz:1867: the recording paused here");
    assert_ok(read_csv("0,1,Start\n1,2\n2,3,Pause\n", 0, &s, &err)); /* at its end */
    assert_int_equal(s.n, 3);
    yk_series_free(&s);
    assert_refused(
        yk_read_series(YOKE_SOURCE "/data/measured/utfsm/sine-5mm-3Hz-1A.csv.gz:1", 0, YK_FORCE, &s, NULL, &err),
        YK_E_INPUT, "sine-5mm-3Hz-1A.csv.gz:2: column '1' has the times");
}

static void check_file(const char *name, const char *data, double dt_s, double last)
{
    char folder[] = "/tmp/yoke-test-XXXXXX", path[96];
    struct yk_series s;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(data, f);
    fclose(f);
    assert_ok(yk_read_series(path, dt_s, YK_FORCE, &s, NULL, &err));
    assert_true(s.y[s.n - 1] == last);
    yk_series_free(&s);
    unlink(path);
    rmdir(folder);
    assert_refused(yk_read_series(path, dt_s, YK_FORCE, &s, NULL, &err), YK_E_IO, "cannot be opened");
}

static void kind_of_file_follows_name_and_content(void **state)
{
    check_file("a.AT2", HEADER "NPTS= 3, DT= .01\n" DATA, 0, 0.5 * g);
    check_file("a.txt", HEADER "NPTS= 3, DT= .01\n" DATA, 0, 0.5 * g);
    check_file("a.csv", "t,a\n0,1\n1,2\n", 0, 2);
    check_file("a.txt", "0 1\n1 2\n", 0, 2);
    check_file("a", "5\n6\n", 0.01, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at2_header_variants_are_read),
        cmocka_unit_test(at2_units_line_may_come_later),
        cmocka_unit_test(at2_other_units_of_acceleration_are_converted),
        cmocka_unit_test(at2_numbers_may_run_together),
        cmocka_unit_test(at2_line_endings_do_not_matter),
        cmocka_unit_test(at2_without_a_unit_is_left_as_it_stands),
        cmocka_unit_test(at2_refusals_name_line_and_reason),
        cmocka_unit_test(two_columns_are_time_and_value),
        cmocka_unit_test(one_column_takes_its_times_from_the_step),
        cmocka_unit_test(series_refusals_name_line_and_reason),
        cmocka_unit_test(tables_of_loggers_are_loads),
        cmocka_unit_test(rows_of_loggers_keep_their_times),
        cmocka_unit_test(kind_of_file_follows_name_and_content),
    };
    return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
