/* A rig for tests that logs the wall time of every command: YOKE_WIRE_LOG names the file, one line "seconds command
 * answered" each. It follows its command at once, with a spring of 35530 N/m. After YOKE_WIRE_AFTER commands it does
 * what YOKE_WIRE_FAULT says: trip (a force beyond every limit), silent (no new readings) or deaf (it hears nothing for
 * YOKE_WIRE_DEAF ticks). YOKE_WIRE_STANDS is where it stands at first [m]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yoke/plugin.h>

struct logging_rig {
    FILE *log;
    long commands, after, deaf_for;
    bool trips, silent, deaf;
    double last;
};

static const struct yk_param params[] = {YK_PARAM_END};

static const char *variable(const char *name)
{
    const char *text = getenv(name);

    return text ? text : "";
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct logging_rig *r = self;

    r->log = fopen(variable("YOKE_WIRE_LOG"), "w");
    r->after = atol(variable("YOKE_WIRE_AFTER"));
    r->trips = strcmp(variable("YOKE_WIRE_FAULT"), "trip") == 0;
    r->silent = strcmp(variable("YOKE_WIRE_FAULT"), "silent") == 0;
    r->deaf = strcmp(variable("YOKE_WIRE_FAULT"), "deaf") == 0;
    r->deaf_for = atol(variable("YOKE_WIRE_DEAF"));
    return r->log ? YK_OK : yk_fail(err, YK_E_IO, "logging-rig: YOKE_WIRE_LOG cannot be written");
}

static void close(void *self)
{
    struct logging_rig *r = self;

    if (r->log)
        fclose(r->log);
    r->log = NULL;
}

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    const double stands = x[0] + atof(variable("YOKE_WIRE_STANDS"));

    in->readings[0] = (struct yk_reading){.displacement = stands, .force = 35530 * stands};
    return YK_OK;
}

static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct logging_rig *r = self;
    const bool wrong = ++r->commands > r->after && !r->deaf;
    struct timespec now;

    if (r->deaf && r->commands > r->after && r->commands <= r->after + r->deaf_for)
        return YK_RIG_HELD;
    clock_gettime(CLOCK_REALTIME, &now);
    fprintf(r->log, "%lld.%09ld %.17g %d\n", (long long)now.tv_sec, now.tv_nsec, out->command[0], !wrong);
    if (wrong && r->silent)
        return YK_RIG_HELD;
    in->readings[0] = (struct yk_reading){.displacement = out->command[0],
                                          .force = wrong && r->trips ? 1e6 : 35530 * out->command[0]};
    return YK_RIG_FRESH;
}

static const struct yk_rig_ops rig = {
    .name = "logging-rig",
    .summary = "logs the wall time of every command",
    .reference = "a test",
    .params = params,
    .size = sizeof(struct logging_rig),
    .open = open,
    .close = close,
    .rest = rest,
    .exchange = exchange,
};

const struct yk_plugin yk_plugin = {YK_PLUGIN_ABI, .rig = &rig};
