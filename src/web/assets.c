#include "web/assets.h"

#include <string.h>

const struct yk_asset *yk_asset_find(const char *path)
{
    for (const struct yk_asset *a = yk_assets; a->path; a++)
        if (!strcmp(a->path, path))
            return a;
    return NULL;
}
