/* Parts of internal model control. docs/theory/control.md, eq. (38)-(41). Units: m, s. */
#include "transfer/control/internal_model.h"

#define TWO_PI 6.283185307179586

enum yk_status yk_internal_model_init(struct yk_internal_model *m, double h, struct yk_arena *mem, struct yk_err *err)
{
    const struct yk_second_order model =
        m->model == YK_MODEL_LAGS ? yk_second_order_lags(m->gain, m->T1, m->T2, m->dead_time)
                                  : yk_second_order_servo(m->gain, TWO_PI * m->frequency, m->damping, m->dead_time);

    return yk_second_order_init(&m->plant, &model, h, mem, err);
}

/* eq. (40): q2 s^2 + q1 s + q0 under s = (2/h) (z - 1)/(z + 1) */
static void tustin(double q2, double q1, double q0, double h, double z[3])
{
    const double c = 2 / h;

    z[0] = q2 * c * c + q1 * c + q0;
    z[1] = 2 * (q0 - q2 * c * c);
    z[2] = q2 * c * c - q1 * c + q0;
}

/* eq. (39) */
void yk_inverse_init(struct yk_inverse *f, const struct yk_second_order *model, double filter_time, double h)
{
    const double T = filter_time;

    tustin(1 / (model->b * model->gain), model->a1 / (model->b * model->gain), 1 / model->gain, h, f->n);
    tustin(T * T, 2 * T, 1, h, f->d);
    for (int i = 0; i < 3; i++)
        f->n[i] /= f->d[0];
    f->d[1] /= f->d[0];
    f->d[2] /= f->d[0];
    f->d[0] = 1;
}

/* In balance between a constant input and output. */
YK_RT void yk_inverse_reset(struct yk_inverse *f, double input, double output)
{
    f->w[1] = f->n[2] * input - f->d[2] * output;
    f->w[0] = f->n[1] * input - f->d[1] * output + f->w[1];
}

YK_RT double yk_inverse_output(const struct yk_inverse *f, double input)
{
    return f->n[0] * input + f->w[0];
}

/* eq. (41) */
YK_RT void yk_inverse_advance(struct yk_inverse *f, double input, double output)
{
    f->w[0] = f->n[1] * input - f->d[1] * output + f->w[1];
    f->w[1] = f->n[2] * input - f->d[2] * output;
}
