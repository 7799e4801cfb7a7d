/* Work in a process of its own: its result, its message, and what becomes of work that crashes, loops or wants all the
 * memory. */
#include "base/apart.h"

#include "support/check.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static enum yk_status count(void *self, FILE *out, struct yk_err *err)
{
    puts("seen by nobody");
    fflush(stdout);
    for (int i = 0; i < *(int *)self; i++)
        fwrite(&i, sizeof i, 1, out);
    *(int *)self = -1; /* of the child's own copy */
    return YK_OK;
}

static enum yk_status refuse(void *self, FILE *out, struct yk_err *err)
{
    return yk_fail(err, YK_E_RANGE, "%s is too much", (const char *)self);
}

static enum yk_status crash(void *self, FILE *out, struct yk_err *err)
{
    raise(*(int *)self);
    return YK_OK;
}

static enum yk_status loop(void *self, FILE *out, struct yk_err *err)
{
    volatile bool go_on = true;

    while (go_on)
        ;
    return YK_OK;
}

static enum yk_status leave(void *self, FILE *out, struct yk_err *err)
{
    _exit(0);
}

static enum yk_status hoard(void *self, FILE *out, struct yk_err *err)
{
    char *much = malloc((size_t)1 << 30);
    const bool had = much != NULL;

    free(much);
    return had ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static void what_was_written_comes_back(void **state)
{
    int n = 100000, value;
    const struct yk_apart apart = {.work = count, .self = &n, .name = "file", .cpu_s = 10, .bytes = 1 << 26};
    FILE *in;

    assert_ok(yk_apart(&apart, &in, &err));
    for (int i = 0; i < 100000; i++)
        if (fread(&value, sizeof value, 1, in) != 1 || value != i)
            fail();
    assert_int_equal(fread(&value, sizeof value, 1, in), 0);
    assert_int_equal(n, 100000);
    fclose(in);
}

static void a_refusal_comes_back(void **state)
{
    const struct yk_apart apart = {.work = refuse, .self = "all", .name = "file", .cpu_s = 10, .bytes = 1 << 26};
    FILE *in;

    assert_refused(yk_apart(&apart, &in, &err), YK_E_RANGE, "all is too much");
    assert_null(in);
}

static void work_that_does_not_end_well_is_a_message(void **state)
{
    static int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGKILL};
    struct yk_apart apart = {.work = crash, .name = "K.mat", .cpu_s = 0.2, .bytes = 1 << 26};
    FILE *in;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        char words[64];

        apart.self = &signals[i];
        snprintf(words, sizeof words, "K.mat: is damaged: its reader ended with signal %d", signals[i]);
        assert_refused(yk_apart(&apart, &in, &err), YK_E_INPUT, words);
    }
    apart.work = loop;
    assert_refused(yk_apart(&apart, &in, &err), YK_E_INPUT,
                   "K.mat: is damaged: its reader did not finish within 0.2 s");
    apart.work = leave;
    assert_refused(yk_apart(&apart, &in, &err), YK_E_INPUT, "K.mat: is damaged: its reader returned nothing");
}

static void memory_is_limited(void **state)
{
    struct yk_apart apart = {.work = hoard, .name = "K.mat", .cpu_s = 10, .bytes = (size_t)2 << 30};
    FILE *in;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    assert_ok(yk_apart(&apart, &in, &err));
    fclose(in);
    apart.bytes = 1 << 26;
    assert_refused(yk_apart(&apart, &in, &err), YK_E_MEMORY, "out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(a_refusal_comes_back),
        cmocka_unit_test(work_that_does_not_end_well_is_a_message),
        cmocka_unit_test(memory_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
