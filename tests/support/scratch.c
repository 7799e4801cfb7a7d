#include "support/scratch.h"
#include "support/check.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[512];

int scratch_create(void **state)
{
    const char *root = getenv("TMPDIR");

    snprintf(directory, sizeof directory, "%s/yoke-test-XXXXXX", root ? root : "/tmp");
    return mkdtemp(directory) ? 0 : -1;
}

const char *scratch_path(const char *name)
{
    static char paths[8][1024];
    static int next;
    char *path = paths[next++ % 8];

    assert_true(*directory); /* scratch_create is the set-up of the group */
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

const char *scratch_write(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return path;
}

const char *scratch_text(const char *name)
{
    static char *text;
    static size_t size;
    FILE *in = fopen(scratch_path(name), "r");

    if (!in)
        print_error("no file %s\n", name);
    assert_non_null(in);
    assert_true(getdelim(&text, &size, 0, in) > 0); /* up to its end: a text has no zero */
    fclose(in);
    return text;
}

int scratch_count(const char *name, const char *words)
{
    int count = 0;

    for (const char *at = scratch_text(name); (at = strstr(at, words)); at++)
        count++;
    return count;
}

void assert_in_scratch(const char *name, const char *words)
{
    if (scratch_count(name, words))
        return;
    print_error("'%s' is not in\n%s\n", words, scratch_text(name));
    fail();
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    return remove(path);
}

int scratch_remove(void **state)
{
    return nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int scratch_enter(void **state)
{
    static const char small[] = "title: small\ntime: {step: 10 ms, end: 1}\nmethod: {integrator: lsrt2}\n"
                                "substructures: {a: {dofs: [x], mass: [1], stiffness: [4]}}\n"
                                "loads: [{on: a.x, kind: sine, amplitude: 1, frequency: 1 Hz}]\n";

    return scratch_create(state) || chdir(scratch_path("")) || !scratch_write("small.yaml", small);
}

int scratch_leave(void **state)
{
    return chdir("/") || scratch_remove(state);
}
