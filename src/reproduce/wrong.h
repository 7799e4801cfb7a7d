/* Wrong variants of claims: what `obtain` asks for, with some of its words replaced. */
#ifndef YOKE_WRONG_H
#define YOKE_WRONG_H

#include "reproduce/lab.h"

/* Checks the words of `wrong` of a claim and says what they change; "" where the claim has none. */
enum yk_status yk_wrong_read(const struct yk_lab *lab, const struct yk_node *claim, char *text, size_t size,
                             struct yk_err *err);
enum yk_status yk_wrong_obtain(struct yk_lab *lab, const struct yk_node *claim, double *value, struct yk_err *err);

#endif
