/* The picture of mode shapes. */
#ifndef YOKE_MODEL_SHAPES_H
#define YOKE_MODEL_SHAPES_H

#include <yoke/inspect.h>
#include <yoke/parts.h>

/* One panel for each of the first modes of substructure k. */
enum yk_status draw_modes(const struct yk_parts *parts, size_t k, const struct yk_inspection *x, const char *path,
                          struct yk_err *err);
/* The same for ParaView (VTKHDF), all modes as vectors on the nodes. The nodes need coordinates. */
enum yk_status export_modes(const struct yk_parts *parts, size_t k, const struct yk_inspection *x, const char *path,
                            struct yk_err *err);

#endif
