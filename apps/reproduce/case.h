/* Shared by the files that read and check a case. */
#ifndef YOKE_CASE_H
#define YOKE_CASE_H

#include "lab.h"

#include "reproduce.h"

struct yk_case_self {
    struct yk_node *tree;
    struct yk_lab lab;
    char *path; /* of claims.yaml */
};

static inline struct yk_case_self *yk_case_self(const struct yk_case *c)
{
    return c->self;
}

/* Checks the words of the figures. */
enum yk_status yk_figures_check(const struct yk_case *c, struct yk_err *err);

#endif
