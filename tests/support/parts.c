#include "support/parts.h"

#include <stdlib.h>

int run_part(int argc, char **argv, const struct CMUnitTest *tests, size_t count, CMFixtureFunction set_up,
             CMFixtureFunction tear_down)
{
    struct CMUnitTest *chosen = calloc(count, sizeof *chosen);
    size_t part = 1, parts = 1, n = 0;
    int code = 2;

    if (argc > 1 && (sscanf(argv[1], "%zu/%zu", &part, &parts) != 2 || part < 1 || part > parts || parts > count))
        print_error("usage: %s [PART/PARTS], with at most %zu parts\n", argv[0], count);
    else if (chosen) {
        for (size_t i = part - 1; i < count; i += parts)
            chosen[n++] = tests[i];
        code = _cmocka_run_group_tests(argv[0], chosen, n, set_up, tear_down);
    }
    free(chosen);
    return code;
}
