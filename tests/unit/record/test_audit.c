/* The audit log: a chain of lines that shows every change, also after crashes and from several processes. */
#include "audit/verify.h"
#include "record/audit.h"

#include "support/check.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENTRIES = 12 };

static void add(const char *path, int count)
{
    struct yk_audit *log;
    struct yk_err err = {0};
    char words[32];

    assert_int_equal(yk_audit_open(&log, path, &err), YK_OK);
    for (int i = 0; i < count; i++) {
        snprintf(words, sizeof words, "number %d", i);
        assert_int_equal(yk_audit_add(log, "column", "terminal", "pause", words, &err), YK_OK);
    }
    yk_audit_close(log);
}

static struct audit_report verify(const char *path, const struct yk_audit_anchor *anchor)
{
    struct audit_report report;

    assert_int_equal(audit_verify(path, anchor, &report, NULL), YK_OK);
    return report;
}

/* The lines of the log, changed by `change`, in another file. */
static const char *changed(const char *path, void (*change)(char **lines, size_t *count))
{
    char text[65536], *lines[64], *rest = text;
    size_t count = 0;
    FILE *in = fopen(path, "r"), *out;
    const size_t size = fread(text, 1, sizeof text - 1, in);

    fclose(in);
    text[size] = 0;
    for (char *line; (line = strsep(&rest, "\n")) && *line;)
        lines[count++] = line;
    change(lines, &count);
    path = scratch_path("changed.log");
    out = fopen(path, "w");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\n", lines[i]);
    fclose(out);
    return path;
}

static void edit(char **lines, size_t *count)
{
    char *at = strstr(lines[4], "number 4");

    at[7] = '5';
}

static void drop(char **lines, size_t *count)
{
    memmove(lines + 5, lines + 6, (*count - 6) * sizeof *lines);
    --*count;
}

static void swap(char **lines, size_t *count)
{
    char *line = lines[5];

    lines[5] = lines[6];
    lines[6] = line;
}

static void repeat(char **lines, size_t *count)
{
    memmove(lines + 6, lines + 5, (*count - 5) * sizeof *lines);
    ++*count;
}

static void spoil(char **lines, size_t *count)
{
    static char garbage[] = "garbage";

    lines[5] = garbage;
}

static void cut(char **lines, size_t *count)
{
    *count -= 3;
}

static void every_change_breaks_the_chain(void **state)
{
    static const struct {
        void (*change)(char **lines, size_t *count);
        long line;
    } changes[] = {{edit, 6}, {drop, 6}, {swap, 6}, {repeat, 7}, {spoil, 7}};
    const char *path = scratch_path("audit.log");

    add(path, ENTRIES);
    assert_int_equal(verify(path, NULL).broken, 0);
    assert_int_equal(verify(path, NULL).lines, ENTRIES);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct audit_report r = verify(changed(path, changes[i].change), NULL);

        assert_int_equal(r.broken, changes[i].line);
        assert_non_null(r.why);
    }
}

static void an_anchor_shows_that_the_end_was_cut_off(void **state)
{
    const char *path = scratch_path("audit.log");

    add(path, ENTRIES);
    const struct yk_audit_anchor anchor = verify(path, NULL).end;
    const char *shorter = changed(path, cut);

    assert_int_equal(verify(path, &anchor).broken, 0);
    assert_int_equal(verify(shorter, NULL).broken, 0);
    assert_int_equal(verify(shorter, &anchor).broken, ENTRIES - 2);
    add(shorter, 3); /* written again: the same number of lines */
    assert_int_equal(verify(shorter, NULL).broken, 0);
    assert_int_equal(verify(shorter, &anchor).broken, ENTRIES);
    add(path, 2);
    assert_int_equal(verify(path, &anchor).broken, 0);
}

static void the_chain_goes_on_after_a_torn_line(void **state)
{
    const char *path = scratch_path("audit.log");
    struct stat about;

    add(path, 3);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(truncate(path, about.st_size - 20), 0); /* the process died while it wrote the third */
    assert_int_equal(verify(path, NULL).broken, 0);
    add(path, 2);
    const struct audit_report r = verify(path, NULL);

    assert_int_equal(r.broken, 0);
    assert_int_equal(r.torn, 1);
    assert_int_equal(r.lines, 4);
    assert_int_equal(r.end.line, 5);
}

static void processes_write_one_chain(void **state)
{
    enum { PROCESSES = 4, EACH = 25 };
    const char *path = scratch_path("audit.log");
    int status, good = 0;

    for (int i = 0; i < PROCESSES; i++) {
        const pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0) {
            add(path, EACH);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        good += status == 0;
    assert_int_equal(good, PROCESSES);
    const struct audit_report r = verify(path, NULL);

    assert_int_equal(r.broken, 0);
    assert_int_equal(r.lines, PROCESSES * EACH);
}

static void links_devices_and_strange_words_are_met(void **state)
{
    const char *path = scratch_path("deep/folder/audit.log"), *link = scratch_path("link.log");
    struct yk_audit *log;
    struct yk_err err = {0};
    struct stat about;

    assert_int_equal(symlink(scratch_path("elsewhere"), link), 0);
    assert_int_equal(yk_audit_open(&log, link, &err), YK_E_IO);
    assert_int_equal(yk_audit_open(&log, "/dev/null", &err), YK_E_IO);
    assert_int_equal(yk_audit_open(&log, path, &err), YK_OK);
    assert_int_equal(yk_audit_add(log, "a\nb", "\xff\xfe", "note", "line\nbreak \"quoted\" \x01", &err), YK_OK);
    assert_int_equal(yk_audit_add(NULL, "a", "b", "note", "", &err), YK_OK);
    yk_audit_close(log);
    assert_int_equal(verify(path, NULL).lines, 1);
    assert_int_equal(verify(path, NULL).broken, 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 077, 0);
}

static void the_place_follows_the_environment(void **state)
{
    char *path;

    setenv("HOME", "/home/lab", 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("YOKE_AUDIT");
    path = yk_audit_path(NULL);
    assert_string_equal(path, "/home/lab/.local/state/yoke/audit.log");
    free(path);
    setenv("XDG_STATE_HOME", "/var/lib", 1);
    path = yk_audit_path(NULL);
    assert_string_equal(path, "/var/lib/yoke/audit.log");
    free(path);
    setenv("YOKE_AUDIT", "/data/audit.log", 1);
    path = yk_audit_path(NULL);
    assert_string_equal(path, "/data/audit.log");
    free(path);
    unsetenv("YOKE_AUDIT");
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_null(yk_audit_path(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_change_breaks_the_chain, scratch_create, scratch_remove),
        cmocka_unit_test_setup_teardown(an_anchor_shows_that_the_end_was_cut_off, scratch_create, scratch_remove),
        cmocka_unit_test_setup_teardown(the_chain_goes_on_after_a_torn_line, scratch_create, scratch_remove),
        cmocka_unit_test_setup_teardown(processes_write_one_chain, scratch_create, scratch_remove),
        cmocka_unit_test_setup_teardown(links_devices_and_strange_words_are_met, scratch_create, scratch_remove),
        cmocka_unit_test(the_place_follows_the_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
