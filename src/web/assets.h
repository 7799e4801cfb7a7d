/* Files of web/dist, compiled into the program: the pages need neither a folder nor the network. cmake/assets.cmake
 * makes the table from the committed files. */
#ifndef YOKE_WEB_ASSETS_H
#define YOKE_WEB_ASSETS_H

#include <stddef.h>

struct yk_asset {
    const char *path;   /* "report.js" */
    const char *type;   /* "text/javascript; charset=utf-8" */
    const char *sha256; /* 64 hexadecimal digits: for tags and the content security policy */
    size_t size;
    const unsigned char *bytes;
};

extern const struct yk_asset yk_assets[]; /* path NULL at the end */

extern const struct yk_asset yk_learn_files[]; /* experiment files of examples/ for the dashboard, likewise */

/* NULL where there is none. */
const struct yk_asset *yk_asset_find(const char *path);
const struct yk_asset *yk_learn_file(const char *path);

#endif
