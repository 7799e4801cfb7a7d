/* The files of web/dist, from the table that the build makes of them. */
#include <yoke/page.h>

#include <string.h>

extern const struct yk_asset yk_page_assets[];

const struct yk_asset *yk_page_asset_in(const struct yk_asset *table, const char *path)
{
    while (table->path && strcmp(table->path, path) != 0)
        table++;
    return table->path ? table : NULL;
}

const struct yk_asset *yk_page_asset(const char *path)
{
    return yk_page_asset_in(yk_page_assets, path);
}
