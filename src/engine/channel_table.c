/* The families of channels and their rows: the only description of a channel. Those of elements and members are in
 * channel_elements.c. SI units. */
#include "engine/channel_families.h"

#include "base/rotation.h"

#include <ctype.h>
#include <string.h>

/* ---- words ---- */

void yk_channel_add_words(struct yk_channel_owner *owner, const char *name, size_t length)
{
    size_t used = strlen(owner->words), letters = 0;

    if (used && used + 1 < sizeof owner->words && length && *name)
        owner->words[used++] = ' ';
    for (; length-- && *name && used + 2 < sizeof owner->words; name++) {
        if (isdigit((unsigned char)*name) && letters > 2)
            owner->words[used++] = ' ';
        letters = isalpha((unsigned char)*name) ? letters + 1 : 0;
        owner->words[used++] = (char)(*name == '.' || *name == '_' ? ' ' : *name);
    }
    owner->words[used] = 0;
}

/* ---- time, of every stream ---- */

YK_RT static const double *time_now(const struct yk_view *v, size_t item)
{
    return &v->time;
}

static size_t one(const struct yk_channels *c)
{
    return 1;
}

static size_t one_if_coupled(const struct yk_channels *c)
{
    return c->model->coupling ? 1 : 0;
}

static size_t one_if_moved(const struct yk_channels *c)
{
    return c->actuator_count ? 1 : 0;
}

static void of_run(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
}

static const struct yk_channel_row clock_rows[] = {
    {.name = "time", .kind = "time", .words = "time", .quantity = YK_TIME, .place = time_now}, {0}};

const struct yk_channel_family yk_channels_of_system_clock = {
    .stream = YK_STREAM_SYSTEM, .count = one, .owner = of_run, .rows = clock_rows};
const struct yk_channel_family yk_channels_of_fine_clock = {
    .stream = YK_STREAM_FINE, .count = one_if_coupled, .owner = of_run, .rows = clock_rows};
const struct yk_channel_family yk_channels_of_tick_clock = {
    .stream = YK_STREAM_TICKS, .count = one_if_moved, .owner = of_run, .rows = clock_rows};

/* ---- degrees of freedom ---- */

YK_RT static const double *u_of(const struct yk_view *v, size_t item)
{
    return &v->u[item];
}

YK_RT static const double *v_of(const struct yk_view *v, size_t item)
{
    return &v->v[item];
}

YK_RT static const double *a_of(const struct yk_view *v, size_t item)
{
    return &v->a[item];
}

YK_RT static const double *r_of(const struct yk_view *v, size_t item)
{
    return &v->r[item];
}

/* Other kinds have equations of their own, and the force of a specimen is that of its actuators. */
static bool has_r(const struct yk_channels *c, size_t item)
{
    return yk_is_structure(c->model->substructures[c->dofs[item].k].system);
}

static void use_u(struct yk_view *v, size_t item)
{
    v->needed[item] |= YK_READ_U;
}

static void use_v(struct yk_view *v, size_t item)
{
    v->needed[item] |= YK_READ_V;
}

static void use_a(struct yk_view *v, size_t item)
{
    v->needed[item] |= YK_READ_A;
}

static void use_r(struct yk_view *v, size_t item)
{
    const size_t k = v->channels->dofs[item].k;

    v->uses_r[k] = true;
    for (size_t i = 0; i < v->channels->model->substructures[k].system->n; i++)
        v->needed[v->channels->first[k] + i] |= YK_READ_U | YK_READ_V;
}

static bool is_essential(const struct yk_channels *c, size_t item)
{
    return c->essential[item];
}

static size_t dofs(const struct yk_channels *c)
{
    return c->dof_count;
}

static size_t dofs_if_coupled(const struct yk_channels *c)
{
    return c->model->coupling ? c->dof_count : 0;
}

static size_t dofs_if_reference(const struct yk_channels *c)
{
    return c->model->reference ? c->dof_count : 0;
}

static bool is_fine(const struct yk_channels *c, size_t item)
{
    return c->model->substructures[c->dofs[item].k].fine;
}

static enum yk_sense sense_of(const char *dof)
{
    return yk_is_rotation(dof) ? YK_ABOUT : YK_ALONG;
}

/* The words name the substructure if there are several, and the direction if there are others. */
static void of_dof(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    const struct yk_substructure *s = &c->model->substructures[c->dofs[item].k];
    const char *dof = s->dofs[c->dofs[item].i], *dot = strrchr(dof, '.');
    const size_t node = dot ? (size_t)(dot - dof) : 0, told = c->one_way[c->dofs[item].k] ? node : strlen(dof);

    snprintf(owner->name, sizeof owner->name, "%s.%s", s->name, dof);
    if (c->model->substructure_count > 1 || !told)
        yk_channel_add_words(owner, s->name, SIZE_MAX);
    yk_channel_add_words(owner, dof, told);
    owner->sense = sense_of(dof);
}

#define DISPLACEMENT                                                                                                   \
    {                                                                                                                  \
        .name = "u", .kind = "displacement", .words = "displacement", .quantity = YK_DISPLACEMENT, .place = u_of,      \
        .use = use_u                                                                                                   \
    }
#define VELOCITY                                                                                                       \
    {                                                                                                                  \
        .name = "v", .kind = "velocity", .words = "velocity", .quantity = YK_VELOCITY, .place = v_of, .use = use_v     \
    }
#define RESTORING                                                                                                      \
    {                                                                                                                  \
        .name = "r", .kind = "restoring force", .words = "restoring force", .quantity = YK_FORCE, .place = r_of,       \
        .exists = has_r, .use = use_r, .on_request = true                                                              \
    }
static const struct yk_channel_row dof_rows[] = {DISPLACEMENT,
                                                 VELOCITY,
                                                 {.name = "a",
                                                  .kind = "acceleration",
                                                  .words = "acceleration",
                                                  .quantity = YK_ACCELERATION,
                                                  .place = a_of,
                                                  .use = use_a},
                                                 RESTORING,
                                                 {0}};
static const struct yk_channel_row fine_dof_rows[] = {DISPLACEMENT, VELOCITY, RESTORING, {0}};

const struct yk_channel_family yk_channels_of_dof = {
    .stream = YK_STREAM_SYSTEM, .count = dofs, .owner = of_dof, .essential = is_essential, .rows = dof_rows};
const struct yk_channel_family yk_channels_of_fine_dof = {.stream = YK_STREAM_FINE,
                                                          .count = dofs_if_coupled,
                                                          .owner = of_dof,
                                                          .has = is_fine,
                                                          .essential = is_essential,
                                                          .rows = fine_dof_rows};

/* ---- the reference ---- */

YK_RT static double reference_of(const struct yk_view *v, size_t item)
{
    return v->reference[item];
}

static const struct yk_channel_row reference_rows[] = {{.name = "u",
                                                        .kind = "reference",
                                                        .words = "reference displacement",
                                                        .quantity = YK_DISPLACEMENT,
                                                        .value = reference_of},
                                                       {0}};

const struct yk_channel_family yk_channels_of_reference = {.stream = YK_STREAM_SYSTEM,
                                                           .count = dofs_if_reference,
                                                           .owner = of_dof,
                                                           .essential = is_essential,
                                                           .prefix = "reference.",
                                                           .rows = reference_rows};

/* ---- interfaces ---- */

YK_RT static const double *lambda_of(const struct yk_view *v, size_t item)
{
    return &v->lambda[item];
}

static size_t multipliers(const struct yk_channels *c)
{
    return c->multiplier_count;
}

static void of_multiplier(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    const size_t r = c->rows[item];
    const struct yk_row *row = &c->model->rows[r];
    char number[24];
    const char *name = c->model->row_names[r] ? c->model->row_names[r] : number;

    snprintf(number, sizeof number, "%zu", r);
    snprintf(owner->name, sizeof owner->name, "%s", name);
    snprintf(owner->words, sizeof owner->words, "interface %s", name);
    if (row->count)
        owner->sense = sense_of(c->model->substructures[row->substructure[0]].dofs[row->dof[0]]);
}

static const struct yk_channel_row multiplier_rows[] = {
    {.name = "", .kind = "multiplier", .words = "force", .quantity = YK_FORCE, .place = lambda_of}, {0}};

const struct yk_channel_family yk_channels_of_multiplier = {.stream = YK_STREAM_SYSTEM,
                                                            .count = multipliers,
                                                            .owner = of_multiplier,
                                                            .prefix = "lambda.",
                                                            .rows = multiplier_rows};

/* ---- loads ---- */

YK_RT static const double *signal_of(const struct yk_view *v, size_t item)
{
    return &v->signals[item];
}

static size_t signals(const struct yk_channels *c)
{
    return c->signal_count;
}

static void of_load(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    const struct yk_load *load = &c->model->loads[c->loads[item]];
    const struct yk_substructure *s = &c->model->substructures[load->substructure];

    snprintf(owner->name, sizeof owner->name, "%zu", load->entry);
    snprintf(owner->words, sizeof owner->words, "load %zu, %s", load->entry,
             load->ground ? "ground acceleration" : "force");
    owner->quantity = load->ground ? YK_PLAIN_ACCELERATION : YK_FORCE;
    for (size_t i = 0; !load->ground && i < s->system->n; i++)
        if (load->direction[i] != 0) {
            owner->sense = sense_of(s->dofs[i]);
            return;
        }
}

static const struct yk_channel_row load_rows[] = {{.name = "", .kind = "load", .words = "", .place = signal_of}, {0}};

const struct yk_channel_family yk_channels_of_load = {
    .stream = YK_STREAM_SYSTEM, .count = signals, .owner = of_load, .prefix = "load.", .rows = load_rows};

/* ---- actuators ---- */

YK_RT static const double *target_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.target;
}

YK_RT static const double *command_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.command;
}

YK_RT static const double *displacement_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.displacement;
}

YK_RT static const double *force_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.force;
}

YK_RT static const double *tracked_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.tracked;
}

YK_RT static const double *delay_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.delay;
}

YK_RT static const double *gain_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.gain;
}

YK_RT static const double *matched_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.matched;
}

YK_RT static const double *generated_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.generated;
}

YK_RT static const double *paid_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.paid;
}

YK_RT static const double *passivity_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.passivity;
}

YK_RT static const double *passivity_share_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].state.passivity_share;
}

static bool is_passive(const struct yk_channels *c, size_t item)
{
    return yk_station_is_passive(c->model->station, item);
}

static bool is_by_velocity(const struct yk_channels *c, size_t item)
{
    return yk_station_kind(c->model->station, item) == YK_BY_VELOCITY;
}

static bool is_by_acceleration(const struct yk_channels *c, size_t item)
{
    return yk_station_kind(c->model->station, item) == YK_BY_ACCELERATION;
}

static bool matches(const struct yk_channels *c, size_t item)
{
    return yk_station_matches(c->model->station, item);
}

static bool estimates_gain(const struct yk_channels *c, size_t item)
{
    return yk_station_estimates_gain(c->model->station, item);
}

static size_t actuators(const struct yk_channels *c)
{
    return c->actuator_count;
}

static void of_actuator(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    static const enum yk_quantity commands[YK_COMMAND_KINDS] = {
        [YK_BY_VELOCITY] = YK_VELOCITY, [YK_BY_ACCELERATION] = YK_ACCELERATION, [YK_BY_FORCE] = YK_FORCE};
    const char *name = yk_station_name(c->model->station, item);

    snprintf(owner->name, sizeof owner->name, "%s", name);
    snprintf(owner->words, sizeof owner->words, "actuator %s", name);
    owner->sense = yk_station_turns(c->model->station, item) ? YK_ABOUT : YK_ALONG;
    owner->command = commands[yk_station_kind(c->model->station, item)];
}

/* Actuators after each step of the method. */
static const struct yk_channel_row actuator_rows[] = {
    {.name = "target",
     .kind = "target",
     .words = "target displacement",
     .quantity = YK_DISPLACEMENT,
     .place = target_of,
     .commanded = true},
    {.name = "command",
     .kind = "command",
     .words = "command",
     .quantity = YK_DISPLACEMENT,
     .place = command_of,
     .commanded = true},
    {.name = "displacement",
     .kind = "measured displacement",
     .words = "measured displacement",
     .quantity = YK_DISPLACEMENT,
     .place = displacement_of},
    {.name = "force", .kind = "measured force", .words = "measured force", .quantity = YK_FORCE, .place = force_of},
    {.name = "tracked",
     .kind = "measured velocity",
     .words = "measured velocity",
     .quantity = YK_DISPLACEMENT,
     .place = tracked_of,
     .exists = is_by_velocity,
     .commanded = true},
    {.name = "tracked",
     .kind = "measured acceleration",
     .words = "measured acceleration",
     .quantity = YK_DISPLACEMENT,
     .place = tracked_of,
     .exists = is_by_acceleration,
     .commanded = true},
    {.name = "delay", .kind = "delay", .words = "compensated delay", .quantity = YK_TIME, .place = delay_of},
    {.name = "gain", .kind = "gain", .words = "estimated gain", .place = gain_of, .exists = estimates_gain},
    {.name = "matched",
     .kind = "measured displacement",
     .words = "measured displacement that the force belongs to",
     .quantity = YK_DISPLACEMENT,
     .place = matched_of,
     .exists = matches},
    {.name = "generated",
     .kind = "energy",
     .words = "energy that its transfer has generated",
     .quantity = YK_ENERGY,
     .place = generated_of,
     .exists = is_passive},
    {.name = "paid",
     .kind = "energy",
     .words = "energy taken out by passivity control",
     .quantity = YK_ENERGY,
     .place = paid_of,
     .exists = is_passive},
    {.name = "passivity",
     .kind = "damping",
     .words = "damping added by passivity control",
     .quantity = YK_DAMPING,
     .place = passivity_of,
     .exists = is_passive},
    {.name = "passivity_share",
     .kind = "share",
     .words = "share of time at the bound of passivity control",
     .place = passivity_share_of,
     .exists = is_passive},
    {0}};

const struct yk_channel_family yk_channels_of_actuator = {
    .stream = YK_STREAM_SYSTEM, .count = actuators, .owner = of_actuator, .rows = actuator_rows};

/* ---- control ticks ---- */

YK_RT static const double *supervisor_state(const struct yk_view *v, size_t item)
{
    return &v->supervisor;
}

YK_RT static const double *sent_to(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].sent;
}

YK_RT static const double *sent_in_second(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].sent_second;
}

YK_RT static const double *mode_of(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].mode;
}

static bool switches(const struct yk_channels *c, size_t item)
{
    return yk_station_switches(c->model->station, item);
}

YK_RT static const double *displacement_read(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].reading.displacement;
}

YK_RT static const double *force_read(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].reading.force;
}

YK_RT static const double *acceleration_read(const struct yk_view *v, size_t item)
{
    return &v->actuators[item].reading.acceleration;
}

static const struct yk_channel_row tick_state_rows[] = {
    {.name = "state", .kind = "state", .words = "state of the supervisor", .place = supervisor_state}, {0}};

/* Commands to the rig and readings from it, at every tick from the first ramp to the last. */
static const struct yk_channel_row tick_actuator_rows[] = {
    {.name = "sent",
     .kind = "command",
     .words = "command sent to the rig",
     .quantity = YK_DISPLACEMENT,
     .place = sent_to,
     .commanded = true},
    {.name = "sent_force",
     .kind = "command",
     .words = "command sent to the rig for force control",
     .quantity = YK_FORCE,
     .place = sent_in_second,
     .exists = switches},
    {.name = "mode",
     .kind = "state",
     .words = "control mode in force: 0 displacement, 1 force",
     .place = mode_of,
     .exists = switches},
    {.name = "displacement",
     .kind = "measured displacement",
     .words = "measured displacement",
     .quantity = YK_DISPLACEMENT,
     .place = displacement_read},
    {.name = "force", .kind = "measured force", .words = "measured force", .quantity = YK_FORCE, .place = force_read},
    {.name = "acceleration",
     .kind = "measured acceleration",
     .words = "measured acceleration",
     .quantity = YK_ACCELERATION,
     .place = acceleration_read},
    {0}};

const struct yk_channel_family yk_channels_of_tick_state = {
    .stream = YK_STREAM_TICKS, .count = one_if_moved, .owner = of_run, .rows = tick_state_rows};
const struct yk_channel_family yk_channels_of_tick_actuator = {
    .stream = YK_STREAM_TICKS, .count = actuators, .owner = of_actuator, .rows = tick_actuator_rows};

/* ---- sensors and lines of the rig ---- */

YK_RT static double sensor_of(const struct yk_view *v, size_t item)
{
    return v->sensors[item];
}

YK_RT static double line_of(const struct yk_view *v, size_t item)
{
    return v->lines >> item & 1;
}

static size_t sensors(const struct yk_channels *c)
{
    return c->rig ? c->rig->sensor_count : 0;
}

static size_t lines(const struct yk_channels *c)
{
    return c->rig ? c->rig->line_count : 0;
}

static void of_sensor(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    snprintf(owner->name, sizeof owner->name, "%s", c->rig->sensors[item].name);
    snprintf(owner->words, sizeof owner->words, "sensor %s", c->rig->sensors[item].name);
    owner->unit = c->rig->sensors[item].unit;
}

static void of_line(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    snprintf(owner->name, sizeof owner->name, "%s", c->rig->lines[item].name);
    snprintf(owner->words, sizeof owner->words, "line %s", c->rig->lines[item].name);
}

static const struct yk_channel_row sensor_rows[] = {{.name = "", .kind = "sensor", .words = "", .value = sensor_of},
                                                    {0}};
static const struct yk_channel_row line_rows[] = {{.name = "", .kind = "line", .words = "level", .value = line_of},
                                                  {0}};

const struct yk_channel_family yk_channels_of_sensor = {
    .stream = YK_STREAM_SYSTEM, .count = sensors, .owner = of_sensor, .prefix = "sensor.", .rows = sensor_rows};
const struct yk_channel_family yk_channels_of_tick_sensor = {
    .stream = YK_STREAM_TICKS, .count = sensors, .owner = of_sensor, .prefix = "sensor.", .rows = sensor_rows};
const struct yk_channel_family yk_channels_of_tick_line = {
    .stream = YK_STREAM_TICKS, .count = lines, .owner = of_line, .prefix = "line.", .rows = line_rows};

/* ---- energy of the whole structure ---- */

YK_RT static const double *kinetic(const struct yk_view *v, size_t item)
{
    return &v->energy.kinetic;
}

YK_RT static const double *stored(const struct yk_view *v, size_t item)
{
    return &v->energy.stored;
}

YK_RT static const double *dissipated(const struct yk_view *v, size_t item)
{
    return &v->energy.dissipated;
}

YK_RT static const double *work(const struct yk_view *v, size_t item)
{
    return &v->energy.work;
}

YK_RT static const double *energy_error(const struct yk_view *v, size_t item)
{
    return &v->energy_error;
}

#define ENERGY(name_, words_, place_)                                                                                  \
    {                                                                                                                  \
        .name = name_, .kind = "energy", .words = words_, .quantity = YK_ENERGY, .place = place_                       \
    }
static const struct yk_channel_row energy_rows[] = {ENERGY("kinetic", "kinetic energy", kinetic),
                                                    ENERGY("stored", "stored energy", stored),
                                                    ENERGY("dissipated", "dissipated energy", dissipated),
                                                    ENERGY("work", "work of the loads", work),
                                                    ENERGY("error", "error of the energy balance", energy_error),
                                                    {0}};

const struct yk_channel_family yk_channels_of_energy = {
    .stream = YK_STREAM_SYSTEM, .count = one, .owner = of_run, .prefix = "energy.", .rows = energy_rows};

/* ---- sums of others ---- */

YK_RT static double sum_of(const struct yk_view *v, size_t item)
{
    const struct yk_channel_sum *sum = &v->channels->sets[v->stream].sums[item];
    double value = 0;

    for (size_t i = 0; i < sum->count; i++)
        value += sum->factor[i] * yk_channel_value(&sum->at[i], v);
    return value;
}

static void use_sum(struct yk_view *v, size_t item)
{
    const struct yk_channel_sum *sum = &v->channels->sets[v->stream].sums[item];

    for (size_t i = 0; i < sum->count; i++)
        if (sum->at[i].row->use)
            sum->at[i].row->use(v, sum->at[i].item);
}

static size_t sums(const struct yk_channels *c)
{
    return c->model->selection->derived_count;
}

static void describe_sum(const struct yk_channels *c, enum yk_stream_number stream, size_t item,
                         struct yk_channel_owner *owner)
{
    const struct yk_derived *derived = &c->model->selection->derived[item];

    snprintf(owner->name, sizeof owner->name, "%s", derived->name);
    yk_channel_add_words(owner, derived->name, SIZE_MAX);
    owner->unit = c->sets[stream].sums[item].unit;
}

static const struct yk_channel_row sum_rows[] = {
    {.name = "", .kind = "derived", .words = "", .value = sum_of, .use = use_sum}, {0}};

/* A stream has the sums whose terms it has. */
#define SUMS(name, stream_)                                                                                            \
    static bool name##_has(const struct yk_channels *c, size_t item)                                                   \
    {                                                                                                                  \
        return c->sets[stream_].sums && c->sets[stream_].sums[item].count;                                             \
    }                                                                                                                  \
    static void of_##name(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)                    \
    {                                                                                                                  \
        describe_sum(c, stream_, item, owner);                                                                         \
    }                                                                                                                  \
    const struct yk_channel_family yk_channels_of_##name = {                                                           \
        .stream = stream_, .count = sums, .owner = of_##name, .has = name##_has, .always = true, .rows = sum_rows}
SUMS(sum, YK_STREAM_SYSTEM);
SUMS(fine_sum, YK_STREAM_FINE);
SUMS(tick_sum, YK_STREAM_TICKS);
