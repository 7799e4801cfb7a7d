#include "web/assets.h"

#include <string.h>

static const struct yk_asset *find(const struct yk_asset *a, const char *path)
{
    while (a->path && strcmp(a->path, path) != 0)
        a++;
    return a->path ? a : NULL;
}

const struct yk_asset *yk_asset_find(const char *path)
{
    return find(yk_assets, path);
}

const struct yk_asset *yk_learn_file(const char *path)
{
    return find(yk_learn_files, path);
}
