/* Discrete dynamics for controllers with an internal model and for simulated plants: a dead time of any length, and the
 * exact step of a second-order lag under a held input. docs/theory/control.md, eq. (1)-(5). */
#ifndef YOKE_TRANSFER_DYNAMICS_H
#define YOKE_TRANSFER_DYNAMICS_H

#include <yoke/transfer.h>

/* The last inputs, as many as a dead time of (whole + rest) ticks reaches back; 0 <= rest < 1. */
struct yk_delay_line {
    double *u; /* ring */
    size_t size, head, whole;
    double rest;
};
enum yk_status yk_delay_line_init(struct yk_delay_line *d, double delay, double h, struct yk_arena *mem,
                                  struct yk_err *err);
void yk_delay_line_reset(struct yk_delay_line *d, double u) YK_RT; /* as if u had always come in */
void yk_delay_line_push(struct yk_delay_line *d, double u) YK_RT;
/* The input of `age` ticks ago, 0 the newest; age < size. */
double yk_delay_line_get(const struct yk_delay_line *d, size_t age) YK_RT;

/* Such a system under an input held over each tick; the dead time ends inside the tick, at its fraction `rest`. */
struct yk_second_order_plant {
    struct yk_second_order model;
    double A[2][4], B[2][2]; /* before and after the held input changes; A row by row */
    struct yk_delay_line line;
    double x[2]; /* output and its rate */
};
enum yk_status yk_second_order_init(struct yk_second_order_plant *p, const struct yk_second_order *model, double h,
                                    struct yk_arena *mem, struct yk_err *err);
void yk_second_order_reset(struct yk_second_order_plant *p, double x0) YK_RT;
void yk_second_order_step(struct yk_second_order_plant *p, double u, struct yk_plant_output *out) YK_RT;

/* h positive and finite, or a message that begins with `who`. */
enum yk_status yk_tick_check(double h, const char *who, struct yk_err *err);

#endif
