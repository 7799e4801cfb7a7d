/* Curves of the figures of a case: each a line in curves.def, based on what `run` and `analyze` compute. */
#ifndef YOKE_CURVE_H
#define YOKE_CURVE_H

#include "reproduce/quantity.h"

#include "report/figure.h"

struct yk_curve {
    double *x, *y; /* malloc'd */
    size_t n;
};

struct yk_curve_ops {
    const char *name;
    const char *summary;
    enum yk_plot_style style;      /* unless the series sets another */
    const struct yk_param *params; /* into struct yk_ask */
    enum yk_status (*produce)(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_curve *curve, struct yk_err *err);
};

#define CURVE(name) extern const struct yk_curve_ops yk_curve_##name;
#include "reproduce/curves.def"
#undef CURVE
extern const struct yk_curve_ops *const yk_curves[]; /* NULL at the end */

#endif
