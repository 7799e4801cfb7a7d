/* A controller in an FMU: command and measured displacement in, drive out, one step a tick. docs/fmi.md. Units: m, s.
 */
#include "fmi/ticker.h"
#include <yoke/transfer.h>

struct fmu {
    struct yk_fmu_ticker t; /* first: see ticker.h */
    char *command, *measured, *drive, *clipped;
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct fmu *s = self;
    const struct yk_fmu_wire inputs[] = {{"command", s->command, YK_DISPLACEMENT},
                                         {"measured", s->measured, YK_DISPLACEMENT},
                                         {"clipped", s->clipped, YK_DISPLACEMENT}},
                             outputs[] = {{"drive", s->drive, YK_DISPLACEMENT}};

    return yk_fmu_ticker_open(&s->t, "controller", inputs, 3, outputs, 1, h, 0, mem, err);
}

YK_RT static void reset(void *self, double x0)
{
    struct fmu *s = self;

    for (int i = 0; i < 3; i++)
        s->t.in[i] = x0;
    yk_fmu_ticker_reset(&s->t);
}

YK_RT static double step(void *self, double command, double measured)
{
    struct fmu *s = self;

    s->t.in[0] = command;
    s->t.in[1] = measured;
    yk_fmu_ticker_step(&s->t);
    s->t.in[2] = s->t.out[0];
    return s->t.out[0];
}

YK_RT static void clipped(void *self, double sent)
{
    ((struct fmu *)self)->t.in[2] = sent;
}

static const struct yk_param params[] = {
    YK_FMU_TICKER_PARAMS(struct fmu, t),
    YK_FMU_TICKER_SETTLE(struct fmu, t, "before a run the FMU is stepped for this time with command = measured"),
    YK_FMU_VARIABLE(struct fmu, command, YK_REQUIRED, "input of the FMU that takes the command"),
    YK_FMU_VARIABLE(struct fmu, measured, YK_REQUIRED, "input that takes the measured displacement"),
    YK_FMU_VARIABLE(struct fmu, drive, YK_REQUIRED, "output that is sent to the actuator"),
    YK_FMU_VARIABLE(struct fmu, clipped, 0,
                    "input that takes the drive as it was really sent, after limits; default: none"),
    YK_PARAM_END,
};

const struct yk_controller_ops yk_controller_fmu = {
    .name = "fmu",
    .summary = "a controller of another program, as a functional mock-up unit",
    .reference = "FMI 2.0, 3.0",
    .params = params,
    .size = sizeof(struct fmu),
    .init = init,
    .fini = yk_fmu_ticker_close,
    .reset = reset,
    .step = step,
    .clipped = clipped,
    .fault = yk_fmu_ticker_fault,
};
