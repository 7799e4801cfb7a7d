/* Bounds for the verdict about a test: the section `quality`. docs/theory/verdict.md. */
#ifndef YOKE_QUALITY_H
#define YOKE_QUALITY_H

#include <yoke/param.h>
#include <yoke/status.h>

/* The criteria of criteria.def. */
enum yk_criterion {
#define CRITERION(id, ...) YK_JUDGED_##id,
#include "experiment/criteria.def"
#undef CRITERION
    YK_CRITERIA
};

enum yk_level { YK_LEVEL_GOOD, YK_LEVEL_DOUBTFUL, YK_LEVEL_UNUSABLE, YK_LEVELS };

/* A number above its bound has that level; 0: no bound. */
struct yk_bounds {
    double of[YK_CRITERIA];
};
struct yk_quality {
    struct yk_bounds doubtful, unusable;
};
extern const struct yk_param yk_doubtful_params[], yk_unusable_params[]; /* of struct yk_bounds */
struct yk_quality yk_quality_defaults(void);

#endif
