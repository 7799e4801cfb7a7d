/* An actuator in an FMU: drive (and force of the specimen) in, displacement out, one step a tick. Velocity and
 * acceleration are outputs, or differences of the displacement. docs/fmi.md. Units: m, N, s. */
#include "fmi/ticker.h"
#include <yoke/transfer.h>

struct fmu {
    struct yk_fmu_ticker t; /* first: see ticker.h */
    char *drive, *force, *displacement, *velocity, *acceleration;
    size_t outputs;
    double h, x, v;
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct fmu *s = self;
    const struct yk_fmu_wire inputs[] = {{"drive", s->drive, YK_DISPLACEMENT}, {"force", s->force, YK_FORCE}},
                             outputs[] = {{"displacement", s->displacement, YK_DISPLACEMENT},
                                          {"velocity", s->velocity, YK_VELOCITY},
                                          {"acceleration", s->acceleration, YK_ACCELERATION}};

    s->h = h;
    s->outputs = s->velocity ? s->acceleration ? 3 : 2 : 1;
    return yk_fmu_ticker_open(&s->t, "plant", inputs, 2, outputs, s->outputs, h, 0, mem, err);
}

YK_RT static void reset(void *self, double x0)
{
    struct fmu *s = self;

    s->t.in[0] = x0;
    s->t.in[1] = 0;
    yk_fmu_ticker_reset(&s->t);
    s->x = x0;
    s->v = 0;
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct fmu *s = self;

    s->t.in[0] = u;
    s->t.in[1] = force;
    yk_fmu_ticker_step(&s->t);
    out->x = s->t.out[0];
    out->v = s->outputs > 1 ? s->t.out[1] : (out->x - s->x) / s->h;
    out->a = s->outputs > 2 ? s->t.out[2] : (out->v - s->v) / s->h;
    s->x = out->x;
    s->v = out->v;
}

static bool yields(const void *self)
{
    return ((const struct fmu *)self)->force != NULL;
}

static const struct yk_param params[] = {
    YK_FMU_TICKER_PARAMS(struct fmu, t),
    YK_FMU_TICKER_SETTLE(struct fmu, t, "before a run the FMU is stepped for this time with the drive at the start"),
    YK_FMU_VARIABLE(struct fmu, drive, YK_REQUIRED, "input of the FMU that takes the drive"),
    YK_FMU_VARIABLE(struct fmu, force, 0, "input that takes the force of the specimen; default: none"),
    YK_FMU_VARIABLE(struct fmu, displacement, YK_REQUIRED, "output with the displacement"),
    YK_FMU_VARIABLE(struct fmu, velocity, 0, "output with the velocity; default: differences"),
    YK_FMU_VARIABLE(struct fmu, acceleration, 0, "output with the acceleration, beside velocity; default: differences"),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_fmu = {
    .name = "fmu",
    .summary = "an actuator of another program, as a functional mock-up unit",
    .reference = "FMI 2.0, 3.0",
    .params = params,
    .size = sizeof(struct fmu),
    .init = init,
    .fini = yk_fmu_ticker_close,
    .reset = reset,
    .step = step,
    .yields = yields,
    .fault = yk_fmu_ticker_fault,
};
