/* Ground motions: formats, measures, spectra, correction, code spectra, scaling, fragility. Expected values: closed
 * forms, a plain loop, and an independent prototype (EN 1998-1 and ASCE 7 tables, fragility; the records are those of
 * the public RTHS benchmark, which are not part of the sources: YOKE_RECORDS names a folder with elcentro.csv, kobe.csv
 * and morgan.csv). */
#include "support/check.h"

#include <yoke/motion.h>

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define G  9.80665

/* ---- formats: one invented signal, 100 sin(pi k/6) k/24 cm/s2, 24 values, 10 ms ---- */

enum { VALUES = 24 };

struct file {
    char text[20000];
    size_t size;
};

static void put(struct file *f, const char *format, ...) YK_PRINTF(2, 3);
static void put(struct file *f, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    f->size += (size_t)vsnprintf(f->text + f->size, sizeof f->text - f->size, format, list);
    va_end(list);
}

static double invented(int k)
{
    return 100 * sin(PI * k / 6) * k / 24; /* cm/s2 */
}

static void put_values(struct file *f, int per_line, const char *format, double factor)
{
    for (int k = 0; k < VALUES; k++) {
        put(f, format, factor * invented(k));
        if (k % per_line == per_line - 1 || k + 1 == VALUES)
            put(f, "\n");
    }
}

static void put_lines(struct file *f, int count, const char *line)
{
    for (int i = 0; i < count; i++)
        put(f, "%s\n", line);
}

static void put_numbers(struct file *f, int count, int per_line, int width, const char *usual, int place,
                        const char *special)
{
    for (int i = 0; i < count; i++)
        put(f, "%*s%s", width, i == place ? special : usual,
            i % per_line == per_line - 1 || i + 1 == count ? "\n" : "");
}

static void at2(struct file *f)
{
    put(f, "INVENTED\nNOWHERE\nACCELERATION TIME HISTORY IN UNITS OF G\nNPTS=   24, DT=   .0100 SEC\n");
    put_values(f, 5, " %14.7E", 0.01 / G);
}

static void cosmos(struct file *f)
{
    put(f, "Corrected acceleration    (Format v01.20 with 3 text lines)\ninvented\ninvented\n");
    put(f, " 100 Integer-header values follow on  10 lines, Format= (10I8)\n");
    for (int i = 0; i < 100; i++)
        put(f, "%8d%s", i == 0 ? 2 : i == 1 ? 1 : i == 2 ? 4 : -999, i % 10 == 9 ? "\n" : "");
    put(f, " 100 Real-header values follow on  20 lines, Format= (5F15.6)\n");
    for (int i = 0; i < 100; i++)
        put(f, "%15.6f%s", i == 61 ? 10.0 : i == 62 ? 0.24 : i == 63 ? -87.5 : -999.0, i % 5 == 4 ? "\n" : "");
    put(f, "   1 Comment line(s) follow, each starting with a \"|\":\n| invented\n");
    put(f, "      24 acceleration pts, approx    0 secs, units=cm/sec2(04),Format=(8F10.5)\n");
    put_values(f, 8, "%10.5f", 1);
    put(f, "End-of-data for Chan  1 acceleration\n");
}

static void csmip(struct file *f)
{
    put(f, "Corrected accelerogram   00000-T0000\n");
    put_lines(f, 24, "invented");
    put_numbers(f, 100, 16, 5, "0", -1, "");
    put_numbers(f, 100, 8, 10, "0.00000", 65, "-87.50000");
    put(f, "    24 points of accel data equally spaced at  .010 sec, in cm/sec2. (8f10.5)\n");
    put_values(f, 8, "%10.5f", 1);
    put(f, "    24 points of veloc data equally spaced at  .010 sec, in cm/sec.  (8f10.5)\n");
    put_values(f, 8, "%10.5f", 0.1);
    put(f, "/&  ----------  End of data for channel  1  ----------\n");
}

static void csmip_raw(struct file *f)
{
    put(f, "Uncorrected Accelerogram Data\n");
    put_lines(f, 12, "invented");
    put_numbers(f, 100, 16, 5, "0", -1, "");
    put_numbers(f, 50, 8, 10, "0.00000", -1, "");
    put(f, "    24 Accelerogram points at 100 pts/sec in units of g\n");
    put_values(f, 8, "%10.7f", 0.01 / G);
}

static void smc(struct file *f)
{
    put(f, "2 CORRECTED ACCELEROGRAM\n");
    put_lines(f, 10, "*");
    for (int i = 0; i < 48; i++)
        put(f, "%10d%s", i == 15 ? 2 : i == 16 ? 24 : -32768, i % 8 == 7 ? "\n" : "");
    for (int i = 0; i < 50; i++)
        put(f, "%15.7E%s", i == 1 ? 100 : i == 31 ? -87.5 : 1.7e38, i % 5 == 4 ? "\n" : "");
    put(f, "|first\n|second\n");
    put_values(f, 8, "%10.4f", 1);
}

static void knet(struct file *f)
{
    static const char *const lines[] = {"Origin Time       2000/01/01 00:00:00",
                                        "Lat.              0.0",
                                        "Long.             0.0",
                                        "Depth. (km)       10",
                                        "Mag.              5.0",
                                        "Station Code      TST001",
                                        "Station Lat.      0.0000",
                                        "Station Long.     0.0000",
                                        "Station Height(m) 1",
                                        "Record Time       2000/01/01 00:00:15",
                                        "Sampling Freq(Hz) 100Hz",
                                        "Duration Time(s)  0.24",
                                        "Dir.              E-W",
                                        "Scale Factor      3920(gal)/6182761",
                                        "Max. Acc. (gal)   79.725",
                                        "Last Correction   2000/01/01 00:00:15",
                                        "Memo."};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        put(f, "%s\n", lines[i]);
    for (int k = 0; k < VALUES; k++)
        put(f, "%8.0f %s", round(1000 + invented(k) * 6182761 / 3920), k % 8 == 7 ? "\n" : "");
}

static void esm(struct file *f)
{
    put(f, "EVENT_NAME: INVENTED\nEVENT_ID: TEST-1\nSAMPLING_INTERVAL_S: 0.010000\nNDATA: 24\nUNITS: cm/s^2\n"
           "PGA_CM/S^2: 87.500000\nLATE/NORMAL_TRIGGERED: NT\nDATA_TYPE: ACCELERATION\nUSER1: \n");
    put_values(f, 1, "%.6f", 1);
}

static const struct {
    const char *format;
    void (*write)(struct file *f);
    int last; /* lines that may be missing at the end */
} formats[] = {{"AT2", at2, 0}, {"COSMOS", cosmos, 1}, {"CSMIP", csmip, 5}, {"CSMIP", csmip_raw, 0},
               {"SMC", smc, 0}, {"K-NET", knet, 0},    {"ESM", esm, 0}};

static enum yk_status parse(struct yk_motion *m, const struct file *f, size_t size, struct yk_err *err)
{
    return yk_motion_parse(m, "record", f->text, size, NULL, err);
}

static void every_format_gives_the_same_samples(void **state)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct file f = {.size = 0};
        struct yk_motion m;

        formats[i].write(&f);
        assert_ok(parse(&m, &f, f.size, &err));
        assert_string_equal(m.format, formats[i].format);
        assert_int_equal(m.n, VALUES);
        assert_near(m.step_s, 0.01, 1e-15);
        for (int k = 0; k < VALUES; k++)
            assert_near(m.a[k] + m.offset - (m.offset != 0 ? 0.01 * 1000 * 3920 / 6182761.0 : 0), 0.01 * invented(k),
                        1e-5 * 0.875);
        if (strcmp(m.format, "K-NET") == 0) {
            assert_near(m.offset, -0.0714108, 1e-6);
            assert_near(m.a[21], -0.7972486, 1e-6);
        } else {
            assert_string_equal(m.notes, "");
        }
        yk_motion_free(&m);
    }
}

static size_t lines_of(const struct file *f, size_t *at)
{
    size_t n = 0;

    for (size_t i = 0; i < f->size; i++)
        if (f->text[i] == '\n')
            at[n++] = i + 1;
    return n;
}

static void a_file_that_is_cut_at_any_line_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct file f = {.size = 0};
        size_t at[400];

        formats[i].write(&f);
        const size_t lines = lines_of(&f, at);
        for (size_t k = 0; k < lines; k++) {
            struct yk_motion m;
            struct yk_err err = {0};
            const enum yk_status st = parse(&m, &f, k ? at[k - 1] : 0, &err);

            if ((st == YK_OK) != (k + (size_t)formats[i].last >= lines))
                fail_msg("%s cut after %zu of %zu lines: %s", formats[i].format, k, lines, yk_err_line(&err).text);
            if (!st)
                yk_motion_free(&m);
        }
    }
}

static void counts_units_and_kinds_are_checked(void **state)
{
    struct yk_motion m;
    struct file f = {.size = 0};

    at2(&f);
    put(&f, " 1.0 2.0\n");
    assert_ok(parse(&m, &f, f.size, &err));
    assert_int_equal(m.n, VALUES);
    assert_non_null(strstr(m.notes, "24 values, the file has 26"));
    yk_motion_free(&m);

    f.size = 0;
    esm(&f);
    memcpy(strstr(f.text, "PGA_CM/S^2: 87.5"), "PGA_CM/S^2: 89.9", 16);
    assert_ok(parse(&m, &f, f.size, &err));
    assert_non_null(strstr(m.notes, "check the unit"));
    yk_motion_free(&m);
    memcpy(strstr(f.text, "NDATA: 24"), "NDATA: 25", 9);
    assert_refused(parse(&m, &f, f.size, &err), YK_E_INPUT, "line 4 says 25 values, the file has 24: it is cut");
    memcpy(strstr(f.text, "TYPE: ACCELERATION"), "TYPE: VELOCITY    ", 18);
    assert_refused(parse(&m, &f, f.size, &err), YK_E_UNSUPPORTED, "the file has a velocity");

    f.size = 0;
    smc(&f);
    memcpy(strstr(f.text, "  1.0000000E+02"), "  1.7000000E+38", 15);
    assert_refused(parse(&m, &f, f.size, &err), YK_E_UNSUPPORTED, "not equally spaced");

    f.size = 0;
    cosmos(&f);
    memcpy(strstr(f.text, "       2       1       4"), "       2       1      50", 24);
    assert_refused(parse(&m, &f, f.size, &err), YK_E_UNSUPPORTED, "raw counts");

    const char uneven[] = "t,a\n0,0\n0.01,1\n0.0201,0\n", even[] = "t,a\n0,0\n0.01,1\n0.020001,0\n";
    assert_refused(yk_motion_parse(&m, "x", uneven, strlen(uneven), NULL, &err), YK_E_INPUT, "not equally spaced");
    assert_ok(yk_motion_parse(&m, "x", even, strlen(even), &(struct yk_motion_ask){.unit = "g"}, &err));
    assert_near(m.a[1], G, 1e-12);
    yk_motion_free(&m);
}

static void a_channel_is_chosen_by_number(void **state)
{
    struct file f = {.size = 0};
    struct yk_motion m;

    csmip(&f);
    csmip(&f);
    memcpy(strstr(f.text + f.size / 2, "10.41667"), "99.41667", 8);
    assert_ok(yk_motion_parse(&m, "two", f.text, f.size, &(struct yk_motion_ask){.channel = 2}, &err));
    assert_near(m.a[5], 0.9941667, 1e-6);
    yk_motion_free(&m);
    assert_refused(yk_motion_parse(&m, "two", f.text, f.size, &(struct yk_motion_ask){.channel = 3}, &err), YK_E_RANGE,
                   "channel 3 is asked for, the file has 2");
}

/* ---- measures and spectra ---- */

/* A triangle of height 2 m/s2 from 0 to 1 s and back, then as much downwards: all integrals are known. */
static void measures_of_triangles(void **state)
{
    const double a[] = {0, 2, 0, -2, 0};
    struct yk_motion_measures m;

    yk_motion_measure(5, 1, a, &m);
    assert_near(m.pga, 2, 0);
    assert_near(m.pgv, 2, 1e-15);
    assert_near(m.pgd, 4, 1e-14);
    assert_near(m.end_v, 0, 1e-15);
    assert_near(m.arias, PI / (2 * G) * 4 * 4 / 3, 1e-14);
    assert_near(m.cav, 4, 1e-15);
    const double b[] = {1, -3}; /* its zero at a quarter */
    yk_motion_measure(2, 2, b, &m);
    assert_near(m.cav, 0.25 + 2.25, 1e-15);
    assert_near(m.pgv, 2, 1e-15);
}

static void make(double *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = sin(0.37 * i) * exp(-0.01 * i) + 0.3 * sin(1.9 * i + 1);
    a[0] = 0;
}

/* Runge and Kutta with 400 steps for each of the record, as the plain loop. */
static void reference(const double *a, int n, double h, double T, double z, struct yk_motion_response *r)
{
    const double w = 2 * PI / T;
    const int parts = 400;
    double u = 0, v = 0;

    *r = (struct yk_motion_response){0};
    for (int i = 0; i < (n - 1) * parts + (int)ceil(T / h) * parts; i++) {
        const int at = i / parts;
        const double k = h / parts, a0 = at + 1 < n ? a[at] : 0, slope = at + 1 < n ? (a[at + 1] - a[at]) / h : 0,
                     t = k * (i % parts);
        double ku[4], kv[4];
        for (int s = 0; s < 4; s++) {
            const double c = s == 0 ? 0 : s == 3 ? 1 : 0.5;
            const double us = u + (s ? c * k * ku[s - 1] : 0), vs = v + (s ? c * k * kv[s - 1] : 0);

            ku[s] = vs;
            kv[s] = -(a0 + slope * (t + c * k)) - 2 * z * w * vs - w * w * us;
        }
        u += k * (ku[0] + 2 * ku[1] + 2 * ku[2] + ku[3]) / 6;
        v += k * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]) / 6;
        r->sd = fmax(r->sd, fabs(u));
        r->sv = fmax(r->sv, fabs(v));
        r->sa = fmax(r->sa, fabs(2 * z * w * v + w * w * u));
    }
}

static void spectra_are_those_of_a_plain_loop(void **state)
{
    const double T[] = {0.05, 0.31, 1, 7}, z[] = {0, 0.05, 0.4};
    double a[120];
    struct yk_motion_response r[4], want;

    make(a, 120);
    for (int d = 0; d < 3; d++) {
        assert_ok(yk_motion_spectrum(120, 0.02, a, z[d], 4, T, r, &err));
        for (int i = 0; i < 4; i++) {
            reference(a, 120, 0.02, T[i], z[d], &want);
            assert_near_relative(r[i].sd, want.sd, 2e-6);
            assert_near_relative(r[i].sv, want.sv, 2e-6);
            assert_near_relative(r[i].sa, want.sa, 2e-6);
            assert_near_relative(r[i].psa, pow(2 * PI / T[i], 2) * r[i].sd, 1e-14);
        }
    }
}

static void values_on_the_straight_lines_change_nothing(void **state)
{
    enum { N = 200, BY = 3 };
    double a[N], fine[(N - 1) * BY + 1], T[100];
    struct yk_motion_response r[100], s[100];

    make(a, N);
    for (int i = 0; i <= (N - 1) * BY; i++)
        fine[i] = i % BY ? a[i / BY] + (double)(i % BY) / BY * (a[i / BY + 1] - a[i / BY]) : a[i / BY];
    assert_int_equal(yk_motion_periods(0.02, 10, 36, T, 100), 99);
    assert_ok(yk_motion_spectrum(N, 0.015, a, 0.05, 99, T, r, &err));
    assert_ok(yk_motion_spectrum((N - 1) * BY + 1, 0.015 / BY, fine, 0.05, 99, T, s, &err));
    for (int i = 0; i < 99; i++) {
        assert_near_relative(s[i].sd, r[i].sd, 1e-10);
        assert_near_relative(s[i].sv, r[i].sv, 1e-10);
        assert_near_relative(s[i].sa, r[i].sa, 1e-10);
    }
}

static void a_spectrum_scales_and_tends_to_the_peak_of_the_ground(void **state)
{
    const double T[] = {0, 1e-3, 0.5};
    double a[150], b[150];
    struct yk_motion_response r[3], s[3];
    struct yk_motion_measures m, n;

    make(a, 150);
    for (int i = 0; i < 150; i++)
        b[i] = 3 * a[i];
    assert_ok(yk_motion_spectrum(150, 0.02, a, 0.05, 3, T, r, &err));
    assert_ok(yk_motion_spectrum(150, 0.02, b, 0.05, 3, T, s, &err));
    yk_motion_measure(150, 0.02, a, &m);
    yk_motion_measure(150, 0.02, b, &n);
    assert_near(r[0].psa, m.pga, 0);
    assert_near_relative(r[1].psa, m.pga, 1e-2);
    for (int i = 0; i < 3; i++)
        assert_near_relative(s[i].psa, 3 * r[i].psa, 1e-13);
    assert_near_relative(n.pgv, 3 * m.pgv, 1e-13);
    assert_near_relative(n.pgd, 3 * m.pgd, 1e-13);
    assert_near_relative(n.arias, 9 * m.arias, 1e-13);
    assert_refused(yk_motion_spectrum(150, 0.02, a, 1, 3, T, r, &err), YK_E_RANGE, "damping = 1");
    assert_refused(yk_motion_spectrum(150, 0.02, a, 0.05, 1, (const double[]){-1}, r, &err), YK_E_RANGE, "period -1");
}

/* A constant push on an elastic-perfectly plastic oscillator without damping: with a force of 3/4 of the yield force
 * the energy gives the largest displacement, w^2 u = p (2 p - ...): plastic work from yield on. */
static void a_yielding_oscillator_obeys_the_balance_of_energy(void **state)
{
    double push[2000];
    struct yk_motion_yielded y;
    const double w = 2 * PI, strength = 1, p = 0.75, uy = strength / (w * w);

    for (int i = 0; i < 2000; i++)
        push[i] = -p;
    assert_ok(yk_motion_yield(
        2000, 0.001, push, &(struct yk_motion_yielding){.period_s = 1, .damping = 0, .strength = strength}, &y, &err));
    /* p u = fy (u - uy/2), so u = fy uy/(2 (fy - p)) */
    assert_near_relative(y.peak, strength * uy / (2 * (strength - p)), 1e-9);
    assert_near_relative(y.ductility, 2, 1e-9);
    assert_near_relative(y.residual, y.peak - uy, 1e-9);
    assert_ok(yk_motion_yield(
        2000, 0.001, push,
        &(struct yk_motion_yielding){.period_s = 1, .strength = strength, .hardening = -0.5, .collapse = 3 * uy}, &y,
        &err));
    assert_true(y.collapsed);
}

static void a_strength_has_its_ductility(void **state)
{
    double a[300], strength, peak, stronger;
    struct yk_motion_yielded y;

    make(a, 300);
    assert_ok(yk_motion_strength(300, 0.02, a, 0.5, 0.05, 0, 2, &strength, &peak, &err));
    assert_ok(
        yk_motion_yield(300, 0.02, a, &(struct yk_motion_yielding){0.5, 0.05, strength, .free_s = 0.5}, &y, &err));
    assert_near_relative(y.ductility, 2, 1e-6);
    assert_near_relative(y.peak, peak, 1e-6);
    for (stronger = 1.02 * strength; stronger < 3; stronger *= 1.02) { /* it is the largest */
        assert_ok(
            yk_motion_yield(300, 0.02, a, &(struct yk_motion_yielding){0.5, 0.05, stronger, .free_s = 0.5}, &y, &err));
        assert_true(y.ductility < 2);
    }
}

/* ---- correction ---- */

static void a_baseline_takes_away_a_polynomial(void **state)
{
    double a[400], b[400];
    struct yk_motion_measures m;

    for (int i = 0; i < 400; i++)
        a[i] = 0.1 + 0.02 * i - 1e-4 * i * i;
    assert_ok(yk_motion_baseline(400, 0.01, a, 3, &err));
    for (int i = 0; i < 400; i++)
        assert_near(a[i], 0, 1e-4); /* the velocity between samples is not quite a cubic */
    make(b, 400);
    assert_ok(yk_motion_baseline(400, 0.01, b, 5, &err));
    yk_motion_measure(400, 0.01, b, &m);
    assert_true(fabs(m.end_v) < 0.3 * m.pgv);
    assert_refused(yk_motion_baseline(400, 0.01, b, 6, &err), YK_E_RANGE, "within 1 to 5");
}

/* A sine inside the band passes with the squared gain of the analog filter at the warped frequency, without a shift of
 * phase; one outside does not pass. */
static void a_band_passes_what_is_inside(void **state)
{
    enum { N = 8000 };
    static double a[N];
    const double dt = 0.005, low = 0.5, high = 20;

    for (int order = 1; order <= 5; order++)
        for (int k = 0; k < 3; k++) {
            const double f = (const double[]){0.2, 2, 40}[k], W = tan(PI * f * dt), L = tan(PI * low * dt),
                         H = tan(PI * high * dt), x = (W * W - L * H) / (W * (H - L)),
                         gain = 1 / (1 + pow(x, 2 * order));
            double *b, sine = 0, cosine = 0;
            size_t pads;

            for (int i = 0; i < N; i++)
                a[i] = sin(2 * PI * f * dt * i);
            assert_ok(yk_motion_band(N, dt, a, low, high, order, &b, &pads, &err));
            assert_int_equal(pads, (size_t)ceil(1.5 * order / low / dt - 1e-6));
            for (int i = N / 2 - 2000; i < N / 2 + 2000; i++) { /* whole periods */
                sine += b[(size_t)i + pads] * sin(2 * PI * f * dt * i) / 2000;
                cosine += b[(size_t)i + pads] * cos(2 * PI * f * dt * i) / 2000;
            }
            assert_near(sine, gain, 2e-4);
            assert_near(cosine, 0, 2e-4);
            free(b);
        }
    double *b;
    size_t pads;
    assert_refused(yk_motion_band(N, dt, a, 0.5, 95, 4, &b, &pads, &err), YK_E_RANGE, "0.45/step = 90 Hz");
    assert_refused(yk_motion_band(N, dt, a, 5, 2, 4, &b, &pads, &err), YK_E_RANGE, "low corner");
}

/* ---- codes, scaling, fragility ---- */

static void spectra_of_codes(void **state)
{
    static const struct {
        const char *text;
        double Sa[7];
    } ec8[] = {
        {"ec8: { type: 1, ground: A, ag: 1 m/s2 }", {1, 2, 2.5, 2, 1, 0.5, 0.2222222}},
        {"ec8: { type: 1, ground: C, ag: 1 m/s2 }", {1.15, 2.0125, 2.875, 2.875, 1.725, 0.8625, 0.3833333}},
        {"ec8: { type: 1, ground: C, ag: 1 m/s2, damping: 2 % }",
         {1.15, 2.2931411, 3.4362823, 3.4362823, 2.0617694, 1.0308847, 0.4581710}},
        {"ec8: { type: 2, ground: B, ag: 1 m/s2 }", {1.35, 3.375, 2.8125, 1.6875, 0.84375, 0.253125, 0.1125}},
        {"ec8: { type: 2, ground: D, ag: 1 m/s2, damping: 10 % }",
         {1.8, 3.6742346, 3.6742346, 2.2045408, 1.1022704, 0.3306811, 0.1469694}},
    };
    static const double T[] = {0, 0.1, 0.3, 0.5, 1, 2, 3}, U[] = {0, 0.05, 0.12, 0.3, 0.6, 1, 4, 10},
                        asce[] = {0.4, 0.65, 1, 1, 1, 0.6, 0.15, 0.048};
    struct yk_code_spectrum s;
    double *table, Sa;

    for (size_t i = 0; i < sizeof ec8 / sizeof ec8[0]; i++) {
        assert_ok(yk_code_read(&s, &table, ec8[i].text, &err));
        for (int k = 0; k < 7; k++) {
            assert_ok(yk_code_value(&s, T[k], &Sa, &err));
            assert_near_relative(Sa, ec8[i].Sa[k], 2e-7);
        }
    }
    assert_refused(yk_code_value(&s, 4.01, &Sa, &err), YK_E_RANGE, "beyond 4 s");
    assert_ok(yk_code_read(&s, &table, "{ asce7: { SDS: 1 g, SD1: 0.6 g, TL: 8 s } }", &err));
    for (int k = 0; k < 8; k++) {
        assert_ok(yk_code_value(&s, U[k], &Sa, &err));
        assert_near_relative(Sa, G * asce[k], 1e-12);
    }
    assert_refused(yk_code_read(&s, &table, "ec8: { type: 3, ground: A, ag: 1 g }", &err), YK_E_RANGE, "type");
    assert_refused(yk_code_read(&s, &table, "ec8: { type: 1, ag: 1 g }", &err), YK_E_INPUT, "ground");
    assert_refused(yk_code_read(&s, &table, "ec9: {}", &err), YK_E_INPUT, "one of");
}

static void a_fit_is_the_mean_of_the_logarithms_or_least_squares(void **state)
{
    const double target[] = {2, 2}, Sa[] = {1, 4};
    const struct yk_scaling log_ = yk_scaling_fit(2, target, Sa, YK_FIT_LOG),
                            linear = yk_scaling_fit(2, target, Sa, YK_FIT_LINEAR);
    double least;
    size_t at;

    assert_near(log_.factor, 1, 1e-15);
    assert_near(log_.misfit, log(2), 1e-15);
    assert_near(linear.factor, 10.0 / 17, 1e-15);
    const double two[] = {1, 4, 2, 1};
    assert_near(yk_scaling_common(2, 2, target, two, 0.9, &least, &at), 0.9 / 0.75, 1e-15);
    assert_near(least, 0.75, 1e-15);
    assert_int_equal(at, 0);
}

static void fragility_curves(void **state)
{
    const double x[] = {0.2, 0.4, 0.6, 0.8, 1, 1.2}, k[] = {0, 4, 12, 23, 31, 36}, n[] = {40, 40, 40, 40, 40, 40};
    const double y[] = {0.3, 0.6, 0.9, 1.2}, l[] = {1, 4, 4, 9}, ten[] = {10, 10, 10, 10}, none[] = {0, 0, 0, 0},
                 apart[] = {0, 0, 10, 10}, capacity[] = {0.42, 0.55, 0.61, 0.74, 0.80, 0.97, 1.05, 1.30};
    struct yk_fragility f;

    assert_ok(yk_fragility_counts(6, x, n, k, &f, &err));
    assert_near_relative(f.theta, 0.72583596, 1e-7);
    assert_near_relative(f.beta, 0.42173509, 1e-7);
    assert_near_relative(f.log_likelihood, -99.3405564, 1e-8);
    assert_near(yk_fragility_probability(&f, f.theta), 0.5, 1e-12);
    assert_ok(yk_fragility_counts(4, y, ten, l, &f, &err));
    assert_near_relative(f.theta, 0.75296446, 2e-8);
    assert_near_relative(f.beta, 0.65483624, 1e-7);
    assert_ok(yk_fragility_capacities(8, capacity, &f, &err));
    assert_near_relative(f.theta, 0.75926956, 1e-7);
    assert_near_relative(f.beta, 0.37035532, 1e-7);
    assert_refused(yk_fragility_counts(4, y, ten, none, &f, &err), YK_E_RANGE, "no run collapsed");
    assert_refused(yk_fragility_counts(4, y, ten, ten, &f, &err), YK_E_RANGE, "every run collapsed");
    assert_refused(yk_fragility_counts(4, y, ten, apart, &f, &err), YK_E_RANGE, "beta cannot be found");
    assert_refused(yk_fragility_counts(4, y, ten, (const double[]){9, 6, 3, 1}, &f, &err), YK_E_RANGE, "no maximum");
}

/* ---- incremental analysis ---- */

static enum yk_status made_run(void *self, double level, struct yk_ida_point *p, struct yk_err *err)
{
    ++*(int *)self;
    p->demand = level * level;
    p->collapsed = level > 5.5;
    return level > 2.9 && level < 2.95 ? YK_AGAIN : YK_OK;
}

static void an_incremental_analysis_finds_the_capacity(void **state)
{
    struct yk_ida ida = yk_ida_defaults();
    struct yk_ida_curve curve;
    int runs = 0;

    ida.run = made_run;
    ida.self = &runs;
    assert_ok(yk_ida_run(&ida, &curve, &err));
    assert_true(curve.capacity > 5.5 && curve.capacity <= 5.5 / 0.95);
    assert_int_equal(runs, (int)curve.count);
    for (size_t i = 1; i < curve.count; i++)
        assert_true(curve.point[i].level > curve.point[i - 1].level);
    assert_near(yk_ida_demand(&curve, curve.point[0].level), pow(curve.point[0].level, 2), 1e-12);
    assert_true(isinf(yk_ida_demand(&curve, 6)));
    ida.tolerance = 1e-4;
    assert_ok(yk_ida_run(&ida, &curve, &err));
    assert_near_relative(curve.capacity, 5.5, 1.1e-4);
}

/* ---- real records ---- */

struct expected {
    const char *name;
    double measures[9]; /* pga pgv pgd arias t5 D cav end_v end_d */
    double psa[2][6];   /* 2 and 5 % */
    double strength[4]; /* 0.5 s: 2, 4; 1 s: 2, 4; 0: not stated */
    double baseline[3], band[3];
    double to_Sa, to_log, to_linear, misfit;
    double bent[2], capacity; /* peaks at 0.2 and 0.5 g, NaN: collapse; g */
};
static const struct expected expected[] = {
    {"elcentro",
     {3.1349302, 0.37668834, 1.4435489, 1.72428961, 6.645073, 23.865201, 12.3694386, -0.05843993, -1.4435489},
     {{6.2237725, 10.4691950, 10.7722283, 5.9847487, 1.8684068, 0.7115253},
      {6.3582150, 8.0433588, 9.0047967, 4.4607851, 1.3481384, 0.6398954}},
     {3.32096, 1.71239, 1.71835, 1.00989},
     {3.1324684, 0.3493317, 0.1385199},
     {3.0836723, 0.3527759, 0.1430432},
     1.3190481,
     1.4229846,
     1.2975628,
     0.1947484,
     {0.0346814, NAN},
     0.35246},
    {"kobe",
     {6.3298454, 0.72732293, 0.21351764, 2.91347785, 9.135292, 5.070549, 10.8346746, -0.00067071, -0.0701669},
     {{9.7613503, 23.8564974, 15.2440439, 10.3208309, 4.8568133, 0.7205920},
      {9.1776096, 18.0881381, 10.2045684, 9.0952123, 3.8565283, 0.6826004}},
     {4.74506, 3.15577, 4.33121, 1.28821},
     {6.3297676, 0.7260005, 0.2052715},
     {6.3572361, 0.7216959, 0.1880451},
     0.6469327,
     0.6762354,
     0.6710882,
     0.2388487,
     {0.0467749, 0.0678472},
     0.67763},
    {"morgan",
     {2.3891715, 0.35370920, 0.06500089, 0.83865472, 6.155787, 6.886174, 6.0933528, 0.00019032, 0.0034644},
     {{5.1929127, 14.9332025, 6.4321752, 5.8694264, 0.9485012, 0.2405885},
      {4.4879083, 11.5724083, 5.0333150, 5.2480228, 0.9395642, 0.2318614}},
     {0, 0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     1.1211822,
     1.4168245,
     1.3065363,
     0.3449607,
     {0.0396140, 0.1628310},
     0.53822},
};

static struct yk_motion_yielded bend(const struct yk_motion *m, double level, double Sa)
{
    double *a = malloc(m->n * sizeof *a);
    struct yk_motion_yielded y;

    for (size_t i = 0; i < m->n; i++)
        a[i] = m->a[i] * level * G / Sa;
    assert_ok(yk_motion_yield(m->n, m->step_s, a, &(struct yk_motion_yielding){1, 0.05, 1, -0.1, .collapse = 0.2786333},
                              &y, &err));
    free(a);
    return y;
}

static void check_corrections(const struct yk_motion *m, const struct expected *e)
{
    struct yk_motion_measures k;
    double *a;
    size_t pads;

    assert_ok(yk_motion_band(m->n, m->step_s, m->a, 0.1, 20, 4, &a, &pads, &err));
    yk_motion_measure(m->n + 2 * pads, m->step_s, a, &k);
    assert_near_relative(k.pga, e->band[0], 1e-7);
    assert_near_relative(k.pgv, e->band[1], 3e-7);
    assert_near_relative(k.pgd, e->band[2], 1e-6);
    memcpy(a, m->a, m->n * sizeof *a);
    assert_ok(yk_motion_baseline(m->n, m->step_s, a, 3, &err));
    yk_motion_measure(m->n, m->step_s, a, &k);
    assert_near_relative(k.pga, e->baseline[0], 1e-7);
    assert_near_relative(k.pgv, e->baseline[1], 3e-7);
    assert_near_relative(k.pgd, e->baseline[2], 1e-6);
    free(a);
}

static void check_scaling(const struct yk_motion *m, const struct expected *e, double Sa1)
{
    double T[YK_SCALING_PERIODS], target[YK_SCALING_PERIODS], Sa[YK_SCALING_PERIODS], *table;
    struct yk_motion_response r[YK_SCALING_PERIODS];
    struct yk_code_spectrum s;

    assert_near_relative(0.6 * G / Sa1, e->to_Sa, 1e-6);
    assert_ok(yk_code_read(&s, &table, "ec8: { type: 1, ground: B, ag: 0.35 g }", &err));
    yk_scaling_periods(0.2, 2, T);
    assert_ok(yk_motion_spectrum(m->n, m->step_s, m->a, 0.05, YK_SCALING_PERIODS, T, r, &err));
    for (int i = 0; i < YK_SCALING_PERIODS; i++) {
        Sa[i] = r[i].psa;
        assert_ok(yk_code_value(&s, T[i], &target[i], &err));
    }
    assert_near_relative(yk_scaling_fit(YK_SCALING_PERIODS, target, Sa, YK_FIT_LOG).factor, e->to_log, 1e-6);
    assert_near_relative(yk_scaling_fit(YK_SCALING_PERIODS, target, Sa, YK_FIT_LOG).misfit, e->misfit, 1e-6);
    assert_near_relative(yk_scaling_fit(YK_SCALING_PERIODS, target, Sa, YK_FIT_LINEAR).factor, e->to_linear, 1e-6);
}

static void check_record(const struct yk_motion *m, const struct expected *e)
{
    static const double T[] = {0.1, 0.2, 0.5, 1, 2, 4};
    struct yk_motion_response r[6];
    struct yk_motion_measures k;

    yk_motion_measure(m->n, m->step_s, m->a, &k);
    const double measures[] = {k.pga, k.pgv, k.pgd, k.arias, k.start_s, k.significant_s, k.cav, k.end_v, k.end_d};
    for (int i = 0; i < 9; i++)
        assert_near(measures[i], e->measures[i], i < 7 ? 2e-7 * e->measures[i] : 6e-8);
    for (int d = 0; d < 2; d++) {
        assert_ok(yk_motion_spectrum(m->n, m->step_s, m->a, d ? 0.05 : 0.02, 6, T, r, &err));
        for (int i = 0; i < 6; i++)
            assert_near_relative(r[i].psa, e->psa[d][i], 2e-7);
    }
    for (int i = 0; i < 4 && e->strength[0] > 0; i++) {
        double strength;

        assert_ok(
            yk_motion_strength(m->n, m->step_s, m->a, i < 2 ? 0.5 : 1, 0.05, 0, i % 2 ? 4 : 2, &strength, NULL, &err));
        assert_near_relative(strength, e->strength[i], 5e-6);
    }
    if (e->band[0] > 0)
        check_corrections(m, e);
    check_scaling(m, e, r[3].psa);
    double low = 0.2, high = 0.2;
    for (int i = 0; i < 2; i++) {
        const struct yk_motion_yielded y = bend(m, i ? 0.5 : 0.2, r[3].psa);

        assert_int_equal(y.collapsed, isnan(e->bent[i]));
        if (!y.collapsed)
            assert_near_relative(y.peak, e->bent[i], 1e-5);
    }
    while (!bend(m, high *= 1.25, r[3].psa).collapsed)
        low = high;
    for (int i = 0; i < 30; i++) {
        const double middle = (low + high) / 2;

        *(bend(m, middle, r[3].psa).collapsed ? &high : &low) = middle;
    }
    assert_near_relative(high, e->capacity, 2e-5);
}

static void real_records(void **state)
{
    const char *folder = getenv("YOKE_RECORDS");

    if (!folder)
        skip();
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct yk_motion m;
        char path[600];

        snprintf(path, sizeof path, "%s/%s.csv", folder, expected[i].name);
        assert_ok(yk_motion_read(&m, path, NULL, &err));
        check_record(&m, &expected[i]);
        yk_motion_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_samples),
        cmocka_unit_test(a_file_that_is_cut_at_any_line_is_refused),
        cmocka_unit_test(counts_units_and_kinds_are_checked),
        cmocka_unit_test(a_channel_is_chosen_by_number),
        cmocka_unit_test(measures_of_triangles),
        cmocka_unit_test(spectra_are_those_of_a_plain_loop),
        cmocka_unit_test(values_on_the_straight_lines_change_nothing),
        cmocka_unit_test(a_spectrum_scales_and_tends_to_the_peak_of_the_ground),
        cmocka_unit_test(a_yielding_oscillator_obeys_the_balance_of_energy),
        cmocka_unit_test(a_strength_has_its_ductility),
        cmocka_unit_test(a_baseline_takes_away_a_polynomial),
        cmocka_unit_test(a_band_passes_what_is_inside),
        cmocka_unit_test(spectra_of_codes),
        cmocka_unit_test(a_fit_is_the_mean_of_the_logarithms_or_least_squares),
        cmocka_unit_test(fragility_curves),
        cmocka_unit_test(an_incremental_analysis_finds_the_capacity),
        cmocka_unit_test(real_records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
