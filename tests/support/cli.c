#include "support/cli.h"

#include "support/check.h"
#include "support/scratch.h"

#include <stdlib.h>
#include <unistd.h>

char *path_of(const char *name)
{
    char *path = strdup(scratch_path(name));

    assert_non_null(path);
    return path;
}

void write_file(const char *path, const char *content)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(content, out);
    assert_int_equal(fclose(out), 0);
}

bool there(const char *path)
{
    return access(path, F_OK) == 0;
}

void check_code(const struct program *p, int code, const char *file, int line)
{
    if (p->code != code) {
        print_error("%s:%d: exit code %d, wanted %d\nstdout: %.2000s\nstderr: %.2000s\n", file, line, p->code, code,
                    p->out, p->err);
        fail();
    }
}

void check_words(const char *text, const char *words, const char *file, int line)
{
    if (!strstr(text, words)) {
        print_error("%s:%d: no '%s' in: %.3000s\n", file, line, words, text);
        fail();
    }
}

json_t *json_of(const struct program *p)
{
    json_error_t error;
    json_t *json = json_loads(p->out, 0, &error);

    if (!json)
        print_error("not JSON (%s): %.500s\n", error.text, p->out);
    assert_non_null(json);
    return json;
}

char *export_ticks(const char *program, const char *folder)
{
    const char *csv = scratch_path("ticks.csv");
    struct program p;
    char *text = NULL;
    size_t size = 0;

    program_start(&p, (const char *const[]){program, "export", folder, "--ticks", "--csv", csv, NULL}, 0);
    program_wait(&p);
    assert_code(&p, 0);
    program_free(&p);

    FILE *in = fopen(csv, "r");
    assert_non_null(in);
    assert_true(getdelim(&text, &size, 0, in) > 1000);
    fclose(in);
    return text;
}
