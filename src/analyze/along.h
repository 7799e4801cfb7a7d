/* The steps of a run, with a look at each of them. */
#ifndef YOKE_ANALYZE_ALONG_H
#define YOKE_ANALYZE_ALONG_H

#include "state/balance.h"

struct yk_along {
    /* at the start and after every step */
    void (*step)(void *self, const struct yk_state *m, const struct yk_snapshot *s);
    /* at each of `count` instants that are spread evenly, after `step` */
    void (*sample)(void *self, const struct yk_state *m, size_t i);
    void *self;
    size_t count;
};
enum yk_status yk_along_run(const struct yk_model *model, const struct yk_along *look, struct yk_err *err);

#endif
