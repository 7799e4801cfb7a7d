/* Past targets and the polynomial through them. docs/theory/delay.md, eq. (4)-(5). */
#include "transfer/compensate/past.h"

#include <string.h>

enum yk_status yk_past_init(struct yk_past *past, const char *name, double dt, int stages, int data, struct yk_err *err)
{
    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "%s: step = %g s is not above 0", name, dt);
    if (stages < 1 || stages > YK_TARGET_STAGES)
        return yk_fail(err, YK_E_RANGE, "%s: %d targets in a step, outside 1 .. %d", name, stages, YK_TARGET_STAGES);
    past->rows = data == YK_PAST_STAGE ? 1 : stages;
    past->D = data == YK_PAST_STAGE ? dt / stages : dt;
    yk_past_reset(past, 0);
    return YK_OK;
}

YK_RT void yk_past_reset(void *self, double x0)
{
    struct yk_past *past = self;

    for (int i = 0; i < YK_TARGET_STAGES; i++)
        for (int j = 0; j < YK_PAST_LENGTH; j++)
            past->x[i][j] = x0;
}

YK_RT const double *yk_past_push(struct yk_past *past, const struct yk_target *target)
{
    double *row = past->x[past->rows > 1 ? target->stage : 0];

    memmove(row + 1, row, (YK_PAST_LENGTH - 1) * sizeof *row);
    row[0] = target->x;
    return row;
}

/* eq. (4): a_j(eta + d) = prod_m (eta + d + m)/(m - j), expanded in d up to d^2 */
YK_RT void yk_past_weights(struct yk_weights *weights, int order, double eta)
{
    for (int j = 0; j <= order; j++) {
        double c[3] = {1, 0, 0};

        for (int m = 0; m <= order; m++) {
            if (m == j)
                continue;
            const double slope = 1.0 / (m - j), value = (eta + m) * slope;

            c[2] = c[2] * value + c[1] * slope;
            c[1] = c[1] * value + c[0] * slope;
            c[0] *= value;
        }
        weights->w[0][j] = c[0];
        weights->w[1][j] = c[1];
        weights->w[2][j] = 2 * c[2];
    }
}
