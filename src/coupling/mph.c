/* Modified PH: parallel Newmark coupling, conservative at any ratio of steps. docs/theory/couplings-newmark.md, eq.
 * (27).
 *
 *     A:  free over dt                                                                         in parallel
 *     B, j = 1..ss:  free over dt/ss under (1 - j/ss) lambda_n
 *     H lambda_{n+1} = -(G_A v_A + G_B v_B);   A linked;  B += Y lambda_{n+1}
 *
 * Y is the motion of B under the ramp (j/ss) of a unit multiplier. Order 2 and no work at the interface for every ss.
 * Stable where each side is, but swings where dt holds whole periods of B alone. B follows its free path until the end
 * of the step. Units: N, m, s. */
#include "coupling/newmark_macro.h"

struct mph {
    struct yk_newmark_macro macro;
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    yk_newmark_macro_layout(self, c, mem);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    return yk_newmark_macro_init(self, c, mem, err);
}

static void fini(void *self)
{
    yk_newmark_macro_fini(self);
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    if (substep == 0)
        yk_newmark_macro_begin(self);
    yk_newmark_macro_absorb(self, substep, NULL, NULL);
    return YK_OK;
}

static const struct yk_coupling_evidence evidence = {
    YK_NEWMARK_MACRO_EVIDENCE,
};

const struct yk_coupling_ops yk_coupling_mph = {
    .name = "mph",
    .summary = "parallel Newmark, velocity continuity at coarse instants, multiplier linear in between",
    .reference = "Brun, Batti, Combescure and Gravouil 2014",
    .exchange = "free interface velocities of both sides at the end of a step",
    .startup = "self-starting",
    .caps = YK_COUPLING_PARALLEL | YK_COUPLING_CONSTANT_MASS | YK_COUPLING_RETRACES,
    .size = sizeof(struct mph),
    .layout = layout,
    .init = init,
    .fini = fini,
    .start = yk_newmark_macro_start,
    .coarse = yk_newmark_macro_coarse,
    .fine_absorb = fine_absorb,
    .resume = yk_newmark_macro_resume,
    YK_NEWMARK_MACRO_FUNCTIONS,
    .evidence = &evidence,
};
