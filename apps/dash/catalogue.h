/* Which runs there are: those in progress of this user, and recordings in the folders that were given. */
#ifndef YOKE_DASH_CATALOGUE_H
#define YOKE_DASH_CATALOGUE_H

#include <yoke/status.h>

#include <stdbool.h>
#include <stddef.h>

struct yk_listed {
    char *id;                     /* "live:NAME" or "recording:FOLDER" */
    char *name, *title, *started; /* of a recording; title "" where it cannot be read */
    char *folder;
    char *state; /* of its summary; "incomplete" where it has none */
    long long changed;
};
struct yk_catalogue {
    char **folders; /* malloc'd, absolute; NULL at the end */
    struct yk_listed *items;
    size_t count;
};
enum yk_status yk_catalogue_open(struct yk_catalogue *catalogue, const char *const *folders, size_t count,
                                 struct yk_err *err);
void yk_catalogue_close(struct yk_catalogue *catalogue);
/* Looks for recordings: FOLDER/run.h5, FOLDER/X/run.h5, FOLDER/X/Y/run.h5. The newest comes first. Known
 * recordings that have not changed are not read again. */
void yk_catalogue_refresh(struct yk_catalogue *catalogue);
/* By its id; NULL where there is none. */
const struct yk_listed *yk_catalogue_find(const struct yk_catalogue *catalogue, const char *id);

#endif
