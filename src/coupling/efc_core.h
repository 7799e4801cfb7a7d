/* Equivalent force control: an implicit integrator whose equation is solved by moving the specimen instead of
 * iterating.
 *
 * The balance at the end of a step is treated as a plant: pseudo-stiffness of the integrator, restoring force of the
 * numerical substructure (NS) and restoring force of the specimen in parallel. Their sum is fed back and compared with
 * a force command; a PI controller turns the difference into actuator commands until the two agree. The correction
 * removes the error that remains at the end of the step. docs/theory/efc.md
 *
 * The NS has n degrees of freedom, m of them (the interface) carry the specimen. One step of dt = samples * h:
 *
 *     yk_efc_begin_step(s, f0, f1);
 *     for (j = 0; j < samples; j++) {
 *         yk_efc_sample(s, &measured, dc);      -> send dc to the actuators, wait for the next sample, read the sensors
 *     }
 *     yk_efc_end_step(s, &measured);
 *
 * `measured` is always the latest reading: the one that ends a step opens the next. SI units. */
#ifndef YOKE_COUPLING_EFC_CORE_H
#define YOKE_COUPLING_EFC_CORE_H

#include <yoke/arena.h>
#include <yoke/linalg.h>
#include <yoke/param.h>
#include <yoke/system.h>

/* How the force command moves from its old value to the new one within a step. */
enum yk_efc_law {
    YK_EFC_STEP,            /* jumps                                                 */
    YK_EFC_INTERPOLATION_1, /* parabola through the last three commands              */
    YK_EFC_INTERPOLATION_2, /* parabola with the slope that the known velocity gives */
};

/* How the displacement measured at the end of a step is corrected. */
enum yk_efc_correction {
    YK_EFC_NONE,         /* it is accepted as it is                                                       */
    YK_EFC_PEEK,         /* the balance is solved with the measured reaction held                         */
    YK_EFC_DISPLACEMENT, /* the reaction moves along with KE where the command was not reached, else peek */
    YK_EFC_ACCELERATION, /* the reaction moves along with KE and ME                                       */
};

/* Added to the output of the controller so that it need not wait for an error: the command, its rate and, with type 4,
 * its second derivative, passed through the inverse of actuator and plant. */
enum yk_efc_feedforward {
    YK_EFC_NO_FEEDFORWARD,
    YK_EFC_TYPE_3, /* a parabola is followed without error once the loop has settled */
    YK_EFC_TYPE_4, /* and from the first sample on */
};

/* Model of the actuators, all alike, for the feed-forward. */
enum yk_efc_actuator {
    YK_EFC_LAGS,  /* gain e^(-dead_time s)/((T1 s + 1)(T2 s + 1)), what `yoke identify` finds  */
    YK_EFC_SERVO, /* gain e^(-dead_time s) w^2/(s^2 + 2 damping w s + w^2), w = 2 pi frequency */
};

/* Stiffness of the specimen in the corrections that move the reaction along. */
enum yk_efc_tangent {
    YK_EFC_ESTIMATE, /* KE                                                       */
    YK_EFC_SECANT,   /* a share of KE, from the readings at the ends of a travel */
};

/* Restoring force [N] of a nonlinear NS in displacement d; n values each. Evaluations are trials: an NS with memory
 * commits after yk_efc_end_step. */
struct yk_efc_restoring {
    void (*at)(void *self, const double *d, double *r) YK_RT;
    void *self;
};

struct yk_efc_settings {
    double alpha;   /* of the HHT method, -1/3 to 0; with the acceleration correction -0.1 to 0 is advised */
    double Kp;      /* proportional gain */
    double Ki;      /* integral gain [1/s] */
    int law;        /* enum yk_efc_law */
    int correction; /* enum yk_efc_correction */
    int sweeps;     /* evaluations of a nonlinear NS by the correction, at least 1 */

    int tangent;         /* enum yk_efc_tangent; secant: for specimens without mass */
    double least_travel; /* secant: between two readings, the largest of the interface [m or rad] */

    int feedforward; /* enum yk_efc_feedforward; needs Ki > 0, an interpolated command and the model: */
    int actuator;    /* enum yk_efc_actuator */
    double gain, T1, T2, frequency, damping, dead_time; /* s, Hz */

    double dt_s;     /* integration step */
    double sample_s; /* control sample, a whole fraction of the step */

    /* NS, n*n: mass, damping (NULL: none), stiffness in the initial state (NULL: none). Copied. */
    const struct yk_matrix *MN, *CN, *KN;
    struct yk_efc_restoring restoring; /* at = NULL: linear, KN d */

    /* Specimen on the interface, m*m: initial estimates of stiffness, mass and damping (NULL: none). Copied. Only the
     * feed-forward uses the damping. */
    size_t interface_count;      /* m */
    const size_t *interface_dof; /* m of the n degrees of freedom, from 0; NULL: the first m. Copied */
    const struct yk_matrix *KE, *ME, *CE;
};

/* The scalar settings by name, all but step and sample. */
extern const struct yk_param yk_efc_params[];

/* Gains for a specimen that acts as a spring, or for one with mass whose inertia force is fed back; the latter needs
 * low gains. The caller sets matrices, step and interface. */
struct yk_efc_settings yk_efc_defaults(bool specimen_has_mass);

/* Readings of the interface at one instant, m values each. */
struct yk_efc_measured {
    const double *d; /* displacement */
    const double *r; /* reaction, inertia of the specimen included; positive resists d */
    const double *a; /* acceleration; needed only at the end of a step, by the acceleration correction with ME */
};

/* Equivalent force [N] of the n degrees of freedom at the last sample, or, after end_step, at the end of the step:
 * command, what was fed back, and the difference. Valid until the next call. */
struct yk_efc_force {
    const double *command, *feedback, *error;
};

/* Feed-forward, eq. (27): share y + first y' + second y'' with S y = command, brought to the interface. */
struct yk_efc_lead {
    enum yk_efc_feedforward type;
    double share;
    double *first, *second; /* m*m */
    double *y;              /* 3 m: coefficients of y over tau, of the step under way */
    double *now;            /* 3 m: y, y', y'' */
};

/* Secant of the specimen, eq. (32). */
struct yk_efc_secant {
    enum yk_efc_tangent kind;
    double least;
    double share;        /* of KE */
    bool anchored;       /* there is a reading to compare with: */
    double *d, *r;       /* m */
    struct yk_matrix KE; /* m*m */
    double *Z, *W;       /* A^-1 E (n*m) and its interface rows (m*m), A of the correction and E of the interface */
    struct yk_lu update; /* I + (1+al)(share - 1) KE W */
    double *work;        /* 2 m */
};

/* Filled by yk_efc_create; read it as you like, change only `state`. */
struct yk_efc {
    size_t n, m;
    double alpha, beta, gamma, dt, h, Kp, Ki;
    enum yk_efc_law law;
    enum yk_efc_correction correction;
    long samples; /* in a step */
    int sweeps;
    struct yk_efc_lead lead;
    struct yk_efc_secant secant;

    struct yk_matrix KPD, CPD, MPD; /* eq. (4) */
    struct yk_matrix KN, KH, KT;    /* eq. (5), KT with the estimate KE */
    struct yk_matrix ME;            /* m*m */
    struct yk_matrix S;             /* m*m, KT condensed to the interface, eq. (14) */
    struct yk_efc_restoring restoring;
    bool has_mass;
    struct yk_factor *converter; /* of S */
    struct yk_factor *inside;    /* of KH within the NS; NULL where all is interface */
    struct yk_factor *held;      /* of KH; peek, displacement */
    struct yk_factor *moving;    /* of KT, plus the mass term of the acceleration correction */
    size_t *dof, *inner;         /* m, n - m */

    /* what a step passes to the next, besides the controller: d, v, a, F0, Fm (n each), R0 (m) */
    struct yk_span state;
    double *d, *v, *a; /* of the NS, accepted */
    double *F0, *Fm;   /* equivalent force at the start of the step and one step before */
    double *R0;        /* reaction measured at the start of the step */
    double *sum;       /* m: integral part of the controller output [N] */
    bool first;        /* no step yet: Fm is unknown */

    double *F1, *c1, *c2; /* command of the step under way, eq. (9) */
    long tick;            /* samples taken in it */
    double *x;            /* n: displacement of the plant: measured, and that of the inner DoFs */
    double *rN, *command, *feedback, *error, *d1, *work, *edge;
    double *rhs, *bent;  /* n, 3 n: of the sweeps of a correction */
    struct yk_arena own; /* where it was created without an arena */
};

/* Preparation. After a failure the struct needs no destroy. */
enum yk_status yk_efc_create(struct yk_efc *s, const struct yk_efc_settings *settings, struct yk_arena *mem,
                             struct yk_err *err);
void yk_efc_destroy(struct yk_efc *s);

/* Puts the NS into (d0, v0) with the acceleration a0 that balances the whole structure, specimen included; R0 (m) is
 * the reaction there. The first command of a loop without error is d0; with feed-forward, if v0 is zero. */
void yk_efc_start(struct yk_efc *s, const double *d0, const double *v0, const double *a0, const double *R0) YK_RT;
/* `state` was replaced: forgets earlier readings. */
void yk_efc_resume(struct yk_efc *s) YK_RT;
/* Forms the command of the step from the loads (n values) at its start and end. */
void yk_efc_begin_step(struct yk_efc *s, const double *f0, const double *f1) YK_RT;
/* One control sample: dc (m values) is the displacement to command until the next. After the last sample of a step the
 * command stays at its end value, so that a slow test may continue to take samples. YK_E_DIVERGED: dc is not finite. */
enum yk_status yk_efc_sample(struct yk_efc *s, const struct yk_efc_measured *measured, double *dc) YK_RT;
/* Takes the reading at the end of the step, corrects and accepts. YK_E_INPUT: the acceleration is missing;
 * YK_E_DIVERGED: the accepted state is not finite. */
enum yk_status yk_efc_end_step(struct yk_efc *s, const struct yk_efc_measured *measured) YK_RT;

/* The accepted state, n values each. Valid until the next end_step. */
struct yk_efc_motion {
    const double *d, *v, *a;
};
struct yk_efc_motion yk_efc_now(const struct yk_efc *s) YK_RT;
struct yk_efc_force yk_efc_record(const struct yk_efc *s) YK_RT;

#endif
