#include "benchmark/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *yk_benchmark_path(const char *chain, const char *name)
{
    const char *last = *chain == '{' ? NULL : strrchr(chain, '/');
    char *path = NULL;

    return asprintf(&path, "%.*s%s", last ? (int)(last + 1 - chain) : 0, chain, name) < 0 ? NULL : path;
}
