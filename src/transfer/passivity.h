/* Energy that the transfer of an actuator puts into the loop, and what is taken out again. docs/theory/energy.md.
 *
 * At every force, with x the target, x_e the measured position and F the force before any correction:
 *
 *     dE = (F(k-1) + F(k))/2 [(x(k) - x(k-1)) - (x_e(k) - x_e(k-1))]          eq. (1); below 0: energy is generated
 *
 * The controller adds a force a v, a >= 0, v = (3 x(k) - 4 x(k-1) + x(k-2))/2h, which takes that energy out. */
#ifndef YOKE_TRANSFER_PASSIVITY_H
#define YOKE_TRANSFER_PASSIVITY_H

#include <stdbool.h>
#include <yoke/param.h>
#include <yoke/status.h>

enum yk_passivity_kind { YK_PASSIVITY_NONE, YK_PASSIVITY_STRICT, YK_PASSIVITY_NORMALISED };
struct yk_passivity_settings {
    int kind;      /* enum yk_passivity_kind */
    double window; /* s: of the averages of the normalised controller, and of `share` */
    double most;   /* N s/m: bound of a */
    double allow;  /* J: generated energy below which nothing is done */
};
extern const struct yk_param yk_passivity_params[];

struct yk_passivity {
    struct yk_passivity_settings set;
    double h;                 /* s between two forces */
    double x, before, x_e, F; /* of the last force; target before it */
    double E;               /* account: what the transfer has taken out since it began, minus what it has put in [J] */
    double p, s;            /* averages of dE/h and v^2 */
    double a;               /* of the last force [N s/m] */
    double generated, paid; /* minus the sum of dE; taken out by a v and by corrections of a model [J] */
    double share;           /* of a window spent at `most` */
};
void yk_passivity_init(struct yk_passivity *p, const struct yk_passivity_settings *settings, double h);
/* At rest at x with the force F. */
void yk_passivity_reset(struct yk_passivity *p, double x, double x_e, double F) YK_RT;
/* At a force F; `added` is what a model adds to it (feedback.h). Returns the force a v to be added. */
double yk_passivity_step(struct yk_passivity *p, double x, double x_e, double F, double added) YK_RT;

#endif
