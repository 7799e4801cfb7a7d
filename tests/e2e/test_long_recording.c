/* A long recording: a million rows at 20 kHz (YOKE_ROWS=10000000: ten), a sweep of 2 mm from 0.1 to 20 Hz answered by
 * a lag of 22 ms that is 5 ms late, held commands, noise of 1.4 um. A held command is half a row late beside the
 * straight lines of the model, 25 us. */
#include "support/check.h"
#include "support/cli.h"
#include "support/scratch.h"

#include <math.h>
#include <stdlib.h>

#define RATE 20000.0

static void write_sweep(const char *path, long rows)
{
    const double h = 1 / RATE, T = (double)rows * h - 2, keep = exp(-h / 0.022);
    const int late = 100; /* rows: 5 ms */
    double line[128] = {0}, x = 0;
    uint32_t seed = 1;
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs("time [s],command [mm],displacement [mm]\n", out);
    for (long k = 0; k < rows; k++) {
        const double t = (double)k * h - 1;

        x += (1 - keep) * (line[k % late] - x); /* the command of 100 rows ago */
        line[k % late] =
            t > 0 && t < T ? 2 * sin(2 * M_PI * (0.1 * t + 19.9 * t * t / (2 * T))) * fmin(1, fmin(t, T - t)) : 0;
        seed = seed * 1664525u + 1013904223u;
        fprintf(out, "%.5f,%.4f,%.4f\n", (double)k * h, line[k % late], x + 0.005 * ((seed >> 8) / 16777216.0 - 0.5));
    }
    assert_int_equal(fclose(out), 0);
}

static void long_recordings_are_identified_in_bounded_memory(void **state)
{
    const char *wish = getenv("YOKE_ROWS");
    const long rows = wish ? atol(wish) : 1000000;
    char *file = path_of("long.csv");
    struct program p;

    write_sweep(file, rows);
    program_run(&p, "identify", "--csv", file, "--orders", "1..2", "--json");
    assert_code(&p, 0);
    print_message("%ld rows: %ld kB\n", rows, (long)p.resident_kB);
    assert_true((double)p.resident_kB < 100e3 + 0.1 * (double)rows); /* 100 bytes for a row of three numbers */
    json_t *json = json_of(&p), *model = json_object_get(json, "model");
    assert_int_equal(json_integer_value(json_object_get(model, "poles")), 1);
    assert_near(json_real_value(json_object_get(model, "gain")), 1, 1e-3);
    assert_near(json_real_value(json_object_get(model, "time_constant_s")), 0.022, 2e-5);
    assert_near(json_real_value(json_object_get(model, "dead_time_s")), 0.005 - 0.5 / RATE, 1e-5);
    assert_words(json_string_value(json_object_get(json, "notes")), "means of ");
    json_decref(json);
    program_free(&p);
    remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_recordings_are_identified_in_bounded_memory),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
