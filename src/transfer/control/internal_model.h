/* A model of the plant inside a controller, and its filtered inverse. docs/theory/control.md, eq. (38)-(41). */
#ifndef YOKE_TRANSFER_CONTROL_INTERNAL_MODEL_H
#define YOKE_TRANSFER_CONTROL_INTERNAL_MODEL_H

#include "transfer/dynamics.h"

enum { YK_MODEL_LAGS, YK_MODEL_SERVO };

/* First in the struct of a controller, so that the table below fits. */
struct yk_internal_model {
    int model;
    double gain, T1, T2, frequency, damping, dead_time;
    /* private */
    struct yk_second_order_plant plant;
};
#define YK_INTERNAL_MODEL_PARAMS                                                                                       \
    YK_CHOICE(struct yk_internal_model, model, "lags|servo", YK_MODEL_LAGS, "model: two lags T1, T2, or a servo"),     \
        YK_REAL(struct yk_internal_model, gain, YK_NUMBER, 0.9868, 1e-6, 1e6, "static gain of the model"),             \
        YK_REAL(struct yk_internal_model, T1, YK_TIME, 0.05397, 1e-9, 1e6,                                             \
                YK_WHEN("model=lags", "lags: time constant of one")),                                                  \
        YK_REAL(struct yk_internal_model, T2, YK_TIME, 0.005014, 1e-9, 1e6,                                            \
                YK_WHEN("model=lags", "lags: time constant of the other")),                                            \
        YK_REAL(struct yk_internal_model, frequency, YK_FREQUENCY, 12.7, 1e-6, 1e9,                                    \
                YK_WHEN("model=servo", "servo: natural frequency")),                                                   \
        YK_REAL(struct yk_internal_model, damping, YK_NUMBER, 0.8, YK_TINY, 1000,                                      \
                YK_WHEN("model=servo", "servo: damping ratio")),                                                       \
        YK_REAL(struct yk_internal_model, dead_time, YK_TIME, 0.009331, 0, 100, "dead time of the model")

enum yk_status yk_internal_model_init(struct yk_internal_model *m, double h, struct yk_arena *mem, struct yk_err *err);

/* The inverse of the model without its dead time, times 1/(T s + 1)^2, by Tustin's rule. The states follow the output
 * that was really used. */
struct yk_inverse {
    double n[3], d[3]; /* d[0] = 1 */
    double w[2];
};
void yk_inverse_init(struct yk_inverse *f, const struct yk_second_order *model, double filter_time, double h);
void yk_inverse_reset(struct yk_inverse *f, double input, double output) YK_RT;
double yk_inverse_output(const struct yk_inverse *f, double input) YK_RT;
void yk_inverse_advance(struct yk_inverse *f, double input, double output) YK_RT;

#endif
