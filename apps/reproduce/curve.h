/* Curves of the figures of a case: each a line in curves.def, based on what `run` and `analyze` compute. */
#ifndef YOKE_CURVE_H
#define YOKE_CURVE_H

#include "quantity.h"

#include <yoke/figure.h>

struct yk_curve {
    double *x, *y; /* malloc'd */
    size_t n;
};

/* Source of a curve. */
enum yk_curve_source {
    YK_CURVE_OF_VARIANT, /* one experiment: the series names it by `file`, `with` and `set` */
    YK_CURVE_OF_WORDS    /* its own words, which may name others */
};

struct yk_curve_ops {
    const char *name;
    const char *summary;
    enum yk_plot_style style; /* unless the series sets another */
    enum yk_curve_source source;
    const struct yk_param *params; /* into struct yk_ask */
    /* Checks words that the table does not describe, and computes nothing; NULL: there are none. */
    enum yk_status (*check)(const struct yk_lab *lab, const struct yk_node *map, struct yk_err *err);
    enum yk_status (*produce)(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_curve *curve, struct yk_err *err);
};

#define CURVE(name) extern const struct yk_curve_ops yk_curve_##name;
#include "curves.def"
#undef CURVE
extern const struct yk_curve_ops *const yk_curves[]; /* NULL at the end */

#endif
