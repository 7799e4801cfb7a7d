/* Identification of several actuators that act on each other: the responses of all to sweeps of each, the matrix of
 * transfer functions that fits them, and compensators for it. docs/theory/control.md, eq. (64)-(71). For preparation
 * only: nothing here runs in the loop. In a library of its own, libyoke-identify.a. */
#ifndef YOKE_IDENTIFY_JOINT_H
#define YOKE_IDENTIFY_JOINT_H

#include <yoke/identify.h>
#include <yoke/transfer_matrix.h>

enum {
    YK_JOINT_ACTUATORS = YK_MATRIX_ACTUATORS,
    YK_JOINT_POINTS = 80,
    YK_JOINT_TERMS = 8 /* coefficients of a joint-feed-forward for each actuator */
};

/* From command j to displacement i, at frequencies within the sweep, evenly apart in their logarithm. */
struct yk_joint_responses {
    size_t n;
    double frequency_Hz[YK_JOINT_POINTS];
    double complex H[YK_JOINT_ACTUATORS][YK_JOINT_ACTUATORS][YK_JOINT_POINTS];
};
/* Sweeps the `n` actuators one after the other; swept->watch lists them, and swept->actuator is not used. */
enum yk_status yk_joint_measure(struct yk_joint_responses *to, const struct yk_swept *swept, double tick_s,
                                const struct yk_sweep *sweep, struct yk_err *err);

struct yk_joint_model {
    struct yk_transfer_matrix matrix;
    /* 100 (1 - rms of what is left over rms of the measured response); NAN: command j does not move i, N_ij is zero */
    double fit_percent[YK_JOINT_ACTUATORS][YK_JOINT_ACTUATORS];
};
/* order: poles of each column, 1 to YK_MATRIX_ORDER; 0: chosen by the fit, for each column. The poles are stable. */
enum yk_status yk_identify_joint(const struct yk_joint_responses *measured, size_t order, struct yk_joint_model *found,
                                 struct yk_err *err);

/* Compensators for the model, and the error that they leave: the largest, over the actuators, of what the displacements
 * of all have beyond a target of one, by the measured response. */
struct yk_joint_proposal {
    bool invertible; /* the zeros of the determinant are on the left: joint-inverse is stable */
    size_t zeros;
    double complex zero[YK_MATRIX_ZEROS]; /* 1/s */
    size_t terms;                         /* matrices of the joint-feed-forward; 0: too many actuators, or singular */
    double A[YK_JOINT_TERMS * YK_JOINT_ACTUATORS];
    double ahead_s;
    double inverse_error[YK_JOINT_POINTS], forward_error[YK_JOINT_POINTS];
    bool inverts; /* joint-inverse has the lower mean error in the lower quarter of the sweep */
};
void yk_joint_propose(const struct yk_joint_responses *measured, const struct yk_transfer_matrix *model,
                      const struct yk_pace *pace, struct yk_joint_proposal *proposal);

#endif
