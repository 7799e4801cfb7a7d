#include "support/ethercat_rig.h"

#include "support/check.h"
#include "support/segment.h"
#include "support/wire_here.h"

#include <stdlib.h>

static void send_back(void *to, const uint8_t *bytes, size_t size)
{
    yk_ec_wire_return(to, bytes, size);
}

static void pass(void *self, const uint8_t *frame, size_t size, struct yk_ec_wire *back)
{
    struct ethercat_rig_test *t = self;
    uint8_t bytes[YK_EC_FRAME_MOST];

    memcpy(bytes, frame, size);
    if (t->segment->settings.own_clock)
        for (int64_t at = back->ops->now(back), due;
             (due = yk_sim_segment_due(t->segment)) <= at || t->segment->now < at;)
            yk_sim_segment_advance(t->segment, due < at ? due : at);
    yk_sim_segment_take(t->segment, bytes, size, send_back, back);
    t->passed++;
    if (t->after)
        t->after(t);
}

static struct yk_ec_channel *add_channel(struct yk_ec_setup *s, const char *of, enum yk_ec_role role, size_t slave,
                                         const char *entry, double scale)
{
    struct yk_ec_channel *c = &s->channels[s->channel_count++];

    *c = (struct yk_ec_channel){.of = strdup(of), .role = role, .slave = slave, .scale = scale};
    assert_true(yk_ec_entry_parse(entry, &c->entry));
    return c;
}

static size_t add_slave(struct yk_ec_setup *s, const char *name, uint32_t product)
{
    s->slaves[s->slave_count] =
        (struct yk_ec_slave_setup){.name = strdup(name), .vendor = 0xA5A5, .product = product, .sync = true};
    return s->slave_count++;
}

void ethercat_rig_describe(struct yk_ec_setup *s, const struct yk_sim_settings *set, const struct yk_rig_plan *plan)
{
    const double count = set->resolution > 0 ? set->resolution : 1e-7,
                 full = (set->force > 0 ? set->force : 1e4) / 32768;
    char name[32];

    s->slaves = calloc(3 * plan->count + 8, sizeof *s->slaves);
    s->channels = calloc(5 * plan->count + 40, sizeof *s->channels);
    assert_true(s->slaves && s->channels);
    add_slave(s, "coupler", 0x00100001);
    for (size_t i = 0; i < plan->count; i++) {
        snprintf(name, sizeof name, "drive%zu", i + 1);
        const size_t k = add_slave(s, name, set->exact ? 0x00402064 : 0x00402001);

        s->slaves[k].drive = YK_EC_CSP;
        add_channel(s, plan->names[i], YK_EC_ROLE_COMMAND, k, set->exact ? "0x2100:1" : "0x607A:0",
                    set->exact ? 1 : count);
        add_channel(s, plan->names[i], YK_EC_ROLE_DISPLACEMENT, k, set->exact ? "0x2200:1" : "0x6064:0",
                    set->exact ? 1 : count);
        if (set->exact) {
            add_channel(s, plan->names[i], YK_EC_ROLE_FORCE, k, "0x2200:2", 1);
            add_channel(s, plan->names[i], YK_EC_ROLE_VELOCITY, k, "0x2200:3", 1);
            add_channel(s, plan->names[i], YK_EC_ROLE_ACCELERATION, k, "0x2200:4", 1);
        }
    }
    for (size_t i = 0; !set->exact && i < plan->count; i++) {
        static const char *const values[] = {"0x6000:17", "0x6010:17", "0x6020:17", "0x6030:17"}, *const words[] = {
                                                                                                      "0x6000:1",
                                                                                                      "0x6010:1",
                                                                                                      "0x6020:1",
                                                                                                      "0x6030:1"};

        if (i % 4 == 0) {
            const size_t left = plan->count - i;

            snprintf(name, sizeof name, "cells%zu", i / 4 + 1);
            add_slave(s, name, 0x00301600 + (uint32_t)(left < 4 ? left : 4));
        }
        struct yk_ec_channel *c =
            add_channel(s, plan->names[i], YK_EC_ROLE_FORCE, s->slave_count - 1, values[i % 4], full);
        assert_true(yk_ec_entry_parse(words[i % 4], &c->status));
    }
}

/* Lines: a terminal for all inputs and one for all outputs, bits in their order. */
static void describe_lines(struct yk_ec_setup *s, const struct yk_rig_plan *plan)
{
    for (int output = 0; output < 2; output++) {
        unsigned count = 0;
        size_t slave = 0;

        for (size_t i = 0; i < plan->line_count; i++) {
            char entry[16];

            if (yk_line_is_output(plan->lines[i].role) != output)
                continue;
            if (!count++)
                slave = add_slave(s, output ? "lamps" : "inputs", output ? 0x00200000 : 0x00150000);
            s->slaves[slave].product++;
            snprintf(entry, sizeof entry, "0x%x:%u", output ? 0x7000 : 0x6000, count);
            add_channel(s, plan->lines[i].name, YK_EC_ROLE_LINE, slave, entry, 1);
        }
    }
}

void ethercat_rig_make_for(struct ethercat_rig_test *t, const struct yk_sim_settings *settings, bool clock,
                           const struct yk_rig_ops *rig, void *rig_self, const struct yk_rig_plan *plan)
{
    struct yk_sim_settings set = *settings;
    struct yk_ec_wire wire;
    struct yk_err err;

    *t = (struct ethercat_rig_test){.plan = *plan};
    set.own_clock = clock;
    assert_int_equal(yk_sim_segment_create(&t->segment, &set, rig, rig_self, plan, &err), YK_OK);
    assert_int_equal(yk_sim_segment_populate(t->segment, &err), YK_OK);
    assert_int_equal(yk_param_settings(yk_rig_ethercat.params, yk_rig_ethercat.size, &t->self, &err), YK_OK);
    struct yk_ec_setup *s = ethercat_rig_setup(t);
    s->clock = clock;
    ethercat_rig_describe(s, &set, plan);
    describe_lines(s, plan);
    assert_int_equal(yk_ec_wire_connect(&wire, pass, t, &err), YK_OK);
    yk_rig_ethercat_use(t->self, wire);
    t->in = (struct yk_rig_in){.readings = t->readings, .sensors = t->sensors};
}

void ethercat_rig_make(struct ethercat_rig_test *t, const struct yk_sim_settings *settings, size_t n, bool clock)
{
    const struct yk_rig_plan plan = segment_plan(n);

    ethercat_rig_make_for(t, settings, clock, NULL, NULL, &plan);
}

struct yk_ec_setup *ethercat_rig_setup(struct ethercat_rig_test *t)
{
    return t->self;
}

void ethercat_rig_start(struct ethercat_rig_test *t)
{
    const double x[8] = {0};
    const struct yk_rig_out out = {.command = x};
    struct yk_rig_plan plan = t->plan;
    struct yk_err err = {0};
    const enum yk_status st = yk_rig_ethercat.open(t->self, &plan, &err);

    memset(&plan, 0xFF, sizeof plan); /* what it points to stays, the struct itself need not */
    if (st || yk_rig_ethercat.rest(t->self, x, &t->in, &err) || yk_rig_ethercat.enable(t->self, true, &out, &err))
        fail_msg("%s", yk_err_line(&err).text);
}

static size_t index_of(const struct ethercat_rig_test *t, const struct yk_ec_channel *c)
{
    size_t i = 0;

    if (c->role == YK_EC_ROLE_SENSOR)
        while (strcmp(t->plan.sensors[i].name, c->of) != 0)
            i++;
    else
        while (strcmp(t->plan.names[i], c->of) != 0)
            i++;
    return i;
}

/* As the station does, by the scales that a file would give. */
enum yk_rig_answer ethercat_rig_exchange(struct ethercat_rig_test *t, const double *command)
{
    const struct yk_ec_setup *s = ethercat_rig_setup(t);
    double raw[8] = {0};

    for (size_t k = 0; k < s->channel_count; k++)
        if (s->channels[k].role == YK_EC_ROLE_COMMAND) {
            const size_t i = index_of(t, &s->channels[k]);

            raw[i] = (command[i] - s->channels[k].offset) / s->channels[k].scale;
        }
    const enum yk_rig_answer answer = yk_rig_ethercat.exchange(t->self, &(struct yk_rig_out){.command = raw}, &t->in);

    for (size_t k = 0; k < s->channel_count; k++) {
        const struct yk_ec_channel *c = &s->channels[k];
        double *value;

        if (c->role >= YK_EC_ROLE_COMMAND && c->role != YK_EC_ROLE_SENSOR)
            continue;
        const size_t i = index_of(t, c);

        value = c->role == YK_EC_ROLE_SENSOR         ? &t->sensors[i]
                : c->role == YK_EC_ROLE_DISPLACEMENT ? &t->readings[i].displacement
                : c->role == YK_EC_ROLE_VELOCITY     ? &t->readings[i].velocity
                : c->role == YK_EC_ROLE_ACCELERATION ? &t->readings[i].acceleration
                                                     : &t->readings[i].force;
        *value = c->scale * *value + c->offset;
    }
    return answer;
}

void ethercat_rig_end(struct ethercat_rig_test *t)
{
    yk_rig_ethercat.close(t->self);
    free(t->self);
    yk_sim_segment_destroy(t->segment);
}
