/* The data of a report: few points that hide no peak, what is made from other channels, and a page that opens whatever
 * stands in its recording. */
#include "record/record.h"
#include "report/columns.h"
#include "report/report.h"

#include "support/check.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 50021, SPIKE = 31337, COLUMNS = 6 };
#define DT 1e-3

static struct yk_channel channels[COLUMNS] = {
    {.name = "time", .unit = "s", .kind = "time", .long_name = "time"},
    {.name = "a1.target",
     .unit = "m",
     .kind = "target",
     .owner = "a1",
     .long_name = "actuator a1, target displacement"},
    {.name = "a1.displacement", .unit = "m", .kind = "measured displacement", .owner = "a1"},
    {.name = "a1.force", .unit = "N", .kind = "measured force", .owner = "a1"},
    {.name = "</script><b>", .unit = "<i>", .kind = "\"", .owner = "&amp;", .long_name = "<!-- </SCRIPT >"},
    {.name = "holes", .unit = "m", .kind = "displacement", .owner = "f.x"}};

/* A sine of 1 Hz; the measured displacement is 20 ms late; one sample of the force is a spike. */
static void fill(double *row, long i)
{
    const double t = DT * (double)i;

    row[0] = t;
    row[1] = sin(2 * M_PI * t);
    row[2] = sin(2 * M_PI * (t - 0.02));
    row[3] = i == SPIKE ? 1e6 : 100 * row[2];
    row[4] = (double)(i / 20000);
    row[5] = i % 7 == 0 ? NAN : 1e300;
}

static const char *record(long rows, bool finished, const char *title)
{
    const struct yk_stream streams[] = {{"system", COLUMNS, channels}};
    const struct yk_recording_info info = {.title = title,
                                           .experiment = "# </script><script>x</script> <!--\n",
                                           .experiment_path = "a.yaml",
                                           .overrides = "",
                                           .build = "b",
                                           .method = "m",
                                           .description =
                                               "{\"sketch\":{\"interfaces\":[{\"name\":\"<i>\",\"terms\":[]}]}}"};
    static char path[600];
    struct yk_recorder *recorder = NULL;

    snprintf(path, sizeof path, "%s", scratch_path("run.h5"));
    assert_ok(yk_recorder_open(&recorder, path, &info, streams, 1, &err));
    for (long i = 0; i < rows; i++) {
        double row[COLUMNS];

        fill(row, i);
        assert_ok(yk_recorder_push_waiting(recorder, 0, row));
    }
    assert_ok(yk_recorder_close(recorder, finished, finished ? "{\"finished\":true,\"steps\":1}" : "", &err));
    return path;
}

static struct yk_recording *opened(long rows)
{
    struct yk_recording *recording = NULL;

    assert_ok(yk_recording_open(&recording, record(rows, true, "t"), &err));
    return recording;
}

static void a_spike_of_one_sample_survives_at_its_place(void **state)
{
    struct yk_recording *r = opened(ROWS);
    struct yk_page_columns c;
    const struct yk_page_wish wish = {.most = 1000, .watched = -1};
    size_t found = 0, at = 0;

    assert_ok(yk_page_columns_read(&c, r, 0, &wish, &err));
    assert_true(c.points <= 1000 && c.points > 900);
    for (size_t i = 0; i < c.points; i++)
        if (c.columns[3].points[i] == 1e6f) {
            found++;
            at = i;
        }
    assert_int_equal(found, 1);
    assert_near(c.time[at], DT * SPIKE, DT * (double)c.stretch);
    assert_near(c.columns[3].largest, 1e6, 0);
    for (size_t i = 1; i < c.points; i++)
        assert_true(c.time[i] > c.time[i - 1]);
    yk_page_columns_free(&c);
    yk_recording_close(r);
}

/* Every stretch has the least and the largest of its rows, in the order in which they came; the first value is that of
 * the first row, which may be neither. */
static void stretches_have_their_extremes_in_order(void **state)
{
    struct yk_recording *r = opened(ROWS);
    struct yk_page_columns c;
    const struct yk_page_wish wish = {.most = 400, .watched = -1};
    double start[COLUMNS];

    assert_ok(yk_page_columns_read(&c, r, 0, &wish, &err));
    for (size_t s = 0; 2 * s < c.points; s++) {
        double low = INFINITY, high = -INFINITY;
        long low_at = 0, high_at = 0;

        for (long i = (long)(s * c.stretch); i < (long)((s + 1) * c.stretch) && i < ROWS; i++) {
            double row[COLUMNS];

            fill(row, i);
            low_at = row[1] < low ? i : low_at;
            high_at = row[1] > high ? i : high_at;
            low = fmin(low, row[1]);
            high = fmax(high, row[1]);
        }
        assert_near(c.columns[1].points[2 * s], (float)(low_at < high_at ? low : high), 0);
        assert_near(c.columns[1].points[2 * s + 1], (float)(low_at < high_at ? high : low), 0);
    }
    fill(start, 0);
    for (size_t i = 1; i + 1 < COLUMNS; i++)
        assert_near(c.columns[i].first, start[i], 0);
    assert_true(isnan(c.columns[COLUMNS - 1].first));
    yk_page_columns_free(&c);
    yk_recording_close(r);
}

static void short_streams_have_every_row_and_what_is_too_large_the_largest_number(void **state)
{
    struct yk_recording *r = opened(50);
    struct yk_page_columns c;
    const bool full[COLUMNS] = {[1] = true};
    const struct yk_page_wish wish = {.most = 64, .watched = 4, .full = full};

    assert_ok(yk_page_columns_read(&c, r, 0, &wish, &err));
    assert_int_equal(c.points, 50);
    assert_int_equal(c.stretch, 1);
    for (long i = 0; i < 50; i++) {
        double row[COLUMNS];

        fill(row, i);
        assert_near(c.columns[1].points[i], (float)row[1], 0);
        assert_near(c.columns[1].all[i], row[1], 0);
        assert_true(i % 7 ? c.columns[5].points[i] > 3e38f : isnan(c.columns[5].points[i]));
        assert_true(!isinf(c.columns[5].points[i]));
    }
    assert_null(c.columns[2].all);
    assert_int_equal(c.change_count, 1);
    yk_page_columns_free(&c);
    yk_recording_close(r);
}

static void fewer_points_have_the_same_extremes(void **state)
{
    struct yk_recording *r = opened(ROWS);
    struct yk_page_columns c;
    const struct yk_page_wish wish = {.most = 1000, .watched = -1};
    float few[1002];
    double time[1002], largest = 0;

    assert_ok(yk_page_columns_read(&c, r, 0, &wish, &err));
    for (size_t factor = 2; factor <= 64; factor *= 2) {
        const size_t count = yk_page_coarsen(&c, 3, factor, few);
        size_t at = 0;

        assert_true(count <= 2 + 2 * c.points / factor);
        assert_int_equal(yk_page_coarsen_time(&c, factor, time), count);
        for (size_t i = 0; i < count; i++)
            at = few[i] > few[at] ? i : at;
        assert_near(few[at], 1e6, 0);
        assert_near(time[at], DT * SPIKE, DT * (double)(c.stretch * factor));
        for (size_t i = 1; i < count; i++)
            assert_true(time[i] > time[i - 1]);
        assert_int_equal(yk_page_coarsen(&c, 1, factor, few), count);
        for (size_t i = 0; i < count; i++)
            largest = fmax(largest, few[i]);
        assert_near(largest, (float)c.columns[1].largest, 0);
    }
    yk_page_columns_free(&c);
    yk_recording_close(r);
}

static void changes_of_a_column_are_listed_with_their_times(void **state)
{
    struct yk_recording *r = opened(ROWS);
    struct yk_page_columns c;
    const struct yk_page_wish wish = {.most = 100, .watched = 4};

    assert_ok(yk_page_columns_read(&c, r, 0, &wish, &err));
    assert_int_equal(c.change_count, 3);
    assert_near(c.changes[1].time, DT * 20000, 1e-9);
    assert_near(c.changes[2].value, 2, 0);
    yk_page_columns_free(&c);
    yk_recording_close(r);
}

static void derived_columns_are_made_from_every_row(void **state)
{
    struct yk_recording *r = opened(ROWS);
    struct yk_page_columns c;
    int one[] = {1, 2}, other[] = {4};
    double factors[] = {1, -1}, twice[] = {2};
    struct yk_page_group difference = {2, one, factors}, both[] = {{2, one, factors}, {1, other, twice}};
    const struct yk_page_derived derived[] = {{.count = 1, .groups = &difference}, {.count = 2, .groups = both}};
    const struct yk_page_wish wish = {.most = 200, .watched = -1, .derived = derived, .derived_count = 2};

    assert_ok(yk_page_columns_read(&c, r, 0, &wish, &err));
    /* sin x - sin(x - d) is at most 2 sin(d/2) */
    assert_near(c.columns[COLUMNS].largest, 2 * sin(M_PI * 0.02), 1e-6);
    assert_near(c.columns[COLUMNS + 1].largest, 4, 0);
    yk_page_columns_free(&c);
    yk_recording_close(r);
}

/* ---- the page ---- */

static char *read_all(const char *path)
{
    FILE *in = fopen(path, "r");
    struct stat about;
    char *text;

    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), &about), 0);
    text = calloc((size_t)about.st_size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)about.st_size, in), about.st_size);
    fclose(in);
    return text;
}

static size_t times(const char *text, const char *word)
{
    size_t count = 0;

    for (const char *at = text; (at = strcasestr(at, word)); at++)
        count++;
    return count;
}

/* The data of the only run of a page. */
static json_t *data_of(const char *page)
{
    static const char opening[] = "<script type=\"application/json\" id=\"data\">";
    const char *begin = strstr(page, opening), *end = begin ? strstr(begin, "</script>") : NULL;
    json_error_t error;
    json_t *all;

    assert_non_null(end);
    begin += strlen(opening);
    all = json_loadb(begin, (size_t)(end - begin), 0, &error);
    if (!all)
        print_error("%s at %d\n", error.text, error.position);
    assert_non_null(all);
    return all;
}

static json_t *report_of(const char *recording, char **page)
{
    const struct yk_report_run run = {.recording = recording, .label = "<label>"};
    const char *path = scratch_path("report.html");
    json_t *all;

    assert_ok(yk_report_write(&run, 1, path, &err));
    assert_int_equal(access(scratch_path("report.html.part"), F_OK), -1);
    *page = read_all(path);
    all = data_of(*page);
    return all;
}

static void whatever_stands_in_a_recording_stays_text(void **state)
{
    char *page;
    const char *recording = record(300, true, "</title><script>alert(1)</script>\xff");

    scratch_write("notes.txt", "2026-11-16T06:00:00 t = 1.5 s: </script>noted\n");
    json_t *all = report_of(recording, &page), *run = json_array_get(json_object_get(all, "runs"), 0),
           *channel =
               json_array_get(json_object_get(json_array_get(json_object_get(run, "streams"), 0), "channels"), 3);

    assert_int_equal(times(page, "</script"), 2); /* of the data, and of our own script */
    assert_int_equal(times(page, "<script"), 2);
    assert_int_equal(times(page, "</title"), 1);
    assert_int_equal(times(page, "<!--"), 0);
    assert_string_equal(json_string_value(json_object_get(run, "title")),
                        "</title><script>alert(1)</script>\xef\xbf\xbd");
    assert_non_null(strstr(json_string_value(json_object_get(run, "notes")), "</script>noted"));
    assert_string_equal(json_string_value(json_object_get(run, "label")), "<label>");
    assert_string_equal(json_string_value(json_object_get(channel, "name")), "</script><b>");
    assert_string_equal(json_string_value(json_object_get(channel, "words")), "<!-- </SCRIPT >");
    assert_non_null(strstr(json_string_value(json_object_get(run, "experiment")), "<script>x</script> <!--"));
    json_decref(all);
    free(page);
}

static void a_page_loads_nothing_from_elsewhere(void **state)
{
    char *page;
    json_t *all = report_of(record(300, true, "t"), &page);

    assert_int_equal(times(page, " src="), 0);
    assert_int_equal(times(page, "<link"), 0);
    assert_int_equal(times(page, "@import"), 0);
    assert_int_equal(times(page, ":url("), 0);
    assert_non_null(strstr(page, "content=\"default-src 'none';"));
    assert_int_equal(times(page, "'sha256-"), 2);
    assert_int_equal(times(page, "unsafe"), 0);
    json_decref(all);
    free(page);
}

/* A sine that is 20 ms late, at 1 kHz: the delay in every window, by sum (x_t - x_m) v_t / sum v_t^2 = sin(w d)/w. */
static void assert_tracking(const char *unit, double largest)
{
    char *page;
    json_t *all = report_of(record(4000, true, "t"), &page),
           *system = json_array_get(json_object_get(json_array_get(json_object_get(all, "runs"), 0), "streams"), 0),
           *loops = json_object_get(system, "loops"), *delays = json_object_get(system, "delays"), *error = NULL, *c;
    size_t i;

    assert_int_equal(json_array_size(loops), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(loops, 0), "owner")), "a1");
    assert_int_equal(json_array_size(delays), 1);
    assert_int_equal(json_array_size(json_object_get(system, "synchronisation")), 1);
    json_array_foreach(json_object_get(system, "channels"), i,
                       c) if (!strcmp(json_string_value(json_object_get(c, "kind")), "tracking error")) error = c;
    assert_non_null(error);
    assert_string_equal(json_string_value(json_object_get(error, "unit")), unit);
    assert_near_relative(json_number_value(json_object_get(error, "max")), largest, 1e-4);
    json_decref(all);
    free(page);
}

static void delay_loops_and_tracking_errors_are_in_the_data(void **state)
{
    assert_tracking("m", 2 * sin(M_PI * 0.02));
}

/* The force is 100 times the measured displacement: |1 - 100 exp(-i w d)|. */
static void a_target_is_compared_with_the_reading_in_its_unit(void **state)
{
    const double angle = 2 * M_PI * 0.02;

    strcpy(channels[1].unit, "N");
    assert_tracking("N", hypot(1 - 100 * cos(angle), 100 * sin(angle)));
    strcpy(channels[1].unit, "m");
}

static void a_killed_or_empty_run_has_a_page_too(void **state)
{
    char *page;
    json_t *all = report_of(record(20, false, "t"), &page), *run = json_array_get(json_object_get(all, "runs"), 0);

    assert_true(json_is_null(json_object_get(run, "summary")));
    assert_true(json_is_false(json_object_get(run, "finished")));
    json_decref(all);
    free(page);
    all = report_of(record(0, false, "t"), &page);
    run = json_array_get(json_object_get(all, "runs"), 0);
    assert_int_equal(json_array_size(json_object_get(run, "streams")), 0);
    json_decref(all);
    free(page);
}

/* A recording of sines at 1 kHz, the later ones smaller, and its page. */
static json_t *report_of_many(size_t count, long rows, char **page)
{
    struct yk_channel *many = calloc(count, sizeof *many);
    double *row = calloc(count, sizeof *row);
    const struct yk_stream streams[] = {{"system", count, many}};
    const struct yk_recording_info info = {.title = "t", .experiment = "", .experiment_path = "a", .build = "b"};
    struct yk_recorder *recorder = NULL;
    char path[600];

    assert_true(many && row);
    many[0] = channels[0];
    for (size_t i = 1; i < count; i++) {
        snprintf(many[i].name, sizeof many[i].name, "f.x%zu.u", i);
        snprintf(many[i].kind, sizeof many[i].kind, "displacement");
        snprintf(many[i].owner, sizeof many[i].owner, "f.x%zu", i);
    }
    snprintf(path, sizeof path, "%s", scratch_path("run.h5"));
    assert_ok(yk_recorder_open(&recorder, path, &info, streams, 1, &err));
    for (long i = 0; i < rows; i++) {
        row[0] = DT * (double)i;
        for (size_t k = 1; k < count; k++)
            row[k] = sin(DT * (double)i * (double)(1 + k % 20)) / (double)k;
        assert_ok(yk_recorder_push_waiting(recorder, 0, row));
    }
    assert_ok(yk_recorder_close(recorder, true, "{}", &err));
    free(many);
    free(row);
    return report_of(path, page);
}

static void the_page_of_a_minute_at_a_kilohertz_stays_below_five_megabytes(void **state)
{
    char *page;
    json_t *all = report_of_many(20, 60000, &page);

    assert_in_range(strlen(page), 2000000, 5000000);
    json_decref(all);
    free(page);
}

/* The largest of a thousand channels have enough points for a wide plot, the others fewer. */
static void the_largest_of_many_channels_keep_their_points(void **state)
{
    char *page;
    json_t *all = report_of_many(1000, 4000, &page), *c,
           *system = json_array_get(json_object_get(json_array_get(json_object_get(all, "runs"), 0), "streams"), 0),
           *list = json_object_get(system, "channels");
    size_t coarse = 0, i;

    assert_int_equal(json_array_size(list), 999);
    json_array_foreach(list, i, c) coarse += json_is_true(json_object_get(c, "coarse"));
    assert_int_equal(coarse, 999 - 12);
    assert_false(json_is_true(json_object_get(json_array_get(list, 0), "coarse")));
    assert_true(json_string_length(json_object_get(json_array_get(list, 0), "data")) > 2000 * 4 * 4 / 3);
    assert_true(strlen(page) < 6000000);
    json_decref(all);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spike_of_one_sample_survives_at_its_place),
        cmocka_unit_test(stretches_have_their_extremes_in_order),
        cmocka_unit_test(short_streams_have_every_row_and_what_is_too_large_the_largest_number),
        cmocka_unit_test(fewer_points_have_the_same_extremes),
        cmocka_unit_test(changes_of_a_column_are_listed_with_their_times),
        cmocka_unit_test(derived_columns_are_made_from_every_row),
        cmocka_unit_test(whatever_stands_in_a_recording_stays_text),
        cmocka_unit_test(a_page_loads_nothing_from_elsewhere),
        cmocka_unit_test(delay_loops_and_tracking_errors_are_in_the_data),
        cmocka_unit_test(a_target_is_compared_with_the_reading_in_its_unit),
        cmocka_unit_test(a_killed_or_empty_run_has_a_page_too),
        cmocka_unit_test(the_page_of_a_minute_at_a_kilohertz_stays_below_five_megabytes),
        cmocka_unit_test(the_largest_of_many_channels_keep_their_points),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
