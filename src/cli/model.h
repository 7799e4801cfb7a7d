/* The picture of mode shapes. */
#ifndef YOKE_CLI_MODEL_H
#define YOKE_CLI_MODEL_H

#include "cli/cli.h"

#include "analyze/inspect.h"

/* One panel for each of the first modes of substructure k. */
enum yk_status draw_modes(const struct yk_experiment *e, size_t k, const struct yk_inspection *x, const char *path,
                          struct yk_err *err);
/* The same for ParaView (VTKHDF), all modes as vectors on the nodes. The nodes need coordinates. */
enum yk_status export_modes(const struct yk_experiment *e, size_t k, const struct yk_inspection *x, const char *path,
                            struct yk_err *err);

#endif
