/* Functions shared by the designs of filters. docs/theory/control.md, eq. (21)-(24). */
#ifndef YOKE_TRANSFER_FILTER_FILTER_H
#define YOKE_TRANSFER_FILTER_FILTER_H

#include <yoke/transfer.h>

/* An analogue section (n[0] + n[1] s + n[2] s^2)/(d[0] + d[1] s + d[2] s^2). */
struct yk_section {
    double n[3], d[3];
};
/* Appends the bilinear transform of the section, s = c (z - 1)/(z + 1), with a gain of one at frequency zero. */
void yk_filter_add(struct yk_filter *f, const struct yk_section *section, double c);
/* Computes the delay and resets the filter to zero. */
void yk_filter_finish(struct yk_filter *f, double h);
/* Edge between zero and half the sampling rate, or a message. */
enum yk_status yk_filter_check(double edge_Hz, const char *what, double h, struct yk_err *err);

#endif
