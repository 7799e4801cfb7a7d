/* Wrong variants of claims: `obtain` with some of its entries replaced. */
#ifndef YOKE_WRONG_H
#define YOKE_WRONG_H

#include "lab.h"

/* Checks `wrong` of a claim and describes what it changes; "" if the claim has none. */
enum yk_status yk_wrong_read(const struct yk_lab *lab, const struct yk_node *claim, char *text, size_t size,
                             struct yk_err *err);
enum yk_status yk_wrong_obtain(struct yk_lab *lab, const struct yk_node *claim, double *value, struct yk_err *err);

#endif
