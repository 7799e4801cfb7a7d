/* Additions of a site to a rig that it serves: its own supervisor, with the limits of its own file, and its own
 * recording. It is a layer between the server and the rig, so its limits hold whatever the run says. docs/sites.md. */
#ifndef YOKE_CLI_SITE_H
#define YOKE_CLI_SITE_H

#include "cli/cli.h"
#include "rig/several.h"

struct site; /* opaque */
/* Around the open rig. Exit code. */
int site_open(struct site **site, const struct yk_model *model, struct yk_rig_part *rig);
/* From now on every tick is recorded: DIR gets run.h5, and must not have one. Exit code. */
int site_record(struct site *site, const struct yk_model *model, const char *dir);
/* The layer, for a server: its `self` is the site. */
extern const struct yk_rig_ops site_rig;
/* Closes the recording and says what tripped and how many rows are missing. Exit code. */
int site_close(struct site *site);

#endif
