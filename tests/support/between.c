#include "support/between.h"

#include "support/check.h"

#include <math.h>

static void see(struct between *b, size_t i, double command, double tick_s)
{
    struct between_wire *w = &b->wire[i];

    if (b->tick == 0)
        w->first = command;
    w->reach = fmax(w->reach, fabs(command));
    w->rate = fmax(w->rate, fabs(command - w->sent) / tick_s);
    w->sent = command;
}

enum yk_rig_answer between_exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct between *b = self;
    const bool paced = b->real || !b->unpaced;
    const double tick_s = paced && b->tick ? 1e-9 * (double)(b->clock.virtual_ns - b->then_ns) : b->tick_s;
    enum yk_rig_answer answer = b->rig->exchange(b->self, out, in);

    for (size_t i = 0; i < b->count; i++)
        see(b, i, out->command[i], tick_s);
    b->then_ns = b->clock.virtual_ns;
    if (++b->tick == b->from)
        b->from_ns = b->then_ns;
    if (b->tick <= 1000)
        b->ramp_rate = b->wire[0].rate;
    if (b->happen && b->tick >= b->from)
        answer = b->happen(b, in->readings);
    in->lines &= ~b->opens;
    for (size_t i = 0; i < b->count; i++)
        if (isfinite(in->readings[i].displacement + in->readings[i].force + in->readings[i].acceleration))
            b->last[i] = in->readings[i];
    return answer;
}

static enum yk_status rest_at(struct between *b, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    for (size_t i = 0; i < b->count; i++)
        b->wire[i].sent = b->wire[i].home = x[i];
    b->tick = 0;
    return b->rig->rest(b->self, x, in, err);
}

static enum yk_status rest_at_start(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    return rest_at(self, x, in, err);
}

enum yk_status between_rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct between *b = self;
    double elsewhere[BETWEEN_MOST];

    for (size_t i = 0; i < b->count; i++)
        elsewhere[i] = b->stands_at;
    return rest_at(b, elsewhere, in, err);
}

void between_cut(void *self, uint32_t lines)
{
    struct between *b = self;

    b->cuts++;
    b->cut_tick = b->tick;
}

static const char *between_reason(const void *self)
{
    const struct between *b = self;

    return b->reason ? b->reason : "";
}

static enum yk_rig_world between_world(const void *self)
{
    return ((const struct between *)self)->real ? YK_RIG_REAL : YK_RIG_COMPUTED;
}

const struct yk_rig_ops between_ops = {.name = "between",
                                       .world = between_world,
                                       .exchange = between_exchange,
                                       .rest = rest_at_start,
                                       .reason = between_reason,
                                       .cut = between_cut};
const struct yk_rig_ops between_ops_elsewhere = {.name = "elsewhere",
                                                 .world = between_world,
                                                 .exchange = between_exchange,
                                                 .rest = between_rest,
                                                 .reason = between_reason,
                                                 .cut = between_cut};

void between_run(struct between *b, const struct yk_rig_ops *ops, struct yk_model *e, struct recorded *r)
{
    struct yk_run_settings settings = yk_run_defaults();

    b->rig = yk_station_rig(e->station, &b->self);
    b->count = yk_station_count(e->station);
    b->tick_s = 1 / e->time.control_rate;
    assert_true(b->count <= BETWEEN_MOST);
    settings.realtime = !b->unpaced;
    settings.threads = b->threads ? b->threads : 1;
    settings.clock = &b->clock;
    settings.approach = b->approach;
    yk_station_interpose(e->station, (struct yk_between){ops, b});
    recorded_run(r, e, &settings, &b->control);
}
