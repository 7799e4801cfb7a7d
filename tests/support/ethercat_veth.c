#include "support/ethercat_veth.h"

#include "support/check.h"
#include "support/segment.h"

#include "base/clock.h"
#include "segment/serve.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_NS = 1000000000 };

/* A network of this process, which goes with it. */
static bool make_network(void)
{
    static const char script[] =
        "ip link add yks0 type veth peer name yks1 && ip link add yke0 type veth peer name yke1 && "
        "for i in yks0 yks1 yke0 yke1; do "
        "echo 1 >/proc/sys/net/ipv6/conf/$i/disable_ipv6; ip link set $i up; done 2>/dev/null";
    const int flags = geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWNET | CLONE_NEWUSER;
    const uid_t uid = geteuid();
    const gid_t gid = getegid();

    if (unshare(flags))
        return false;
    if (flags & CLONE_NEWUSER) {
        FILE *map = fopen("/proc/self/uid_map", "w"), *deny = fopen("/proc/self/setgroups", "w"), *groups;

        if (map)
            fprintf(map, "0 %u 1", uid);
        if (deny)
            fputs("deny", deny);
        if (!map || !deny || fclose(map) || fclose(deny) || !(groups = fopen("/proc/self/gid_map", "w")))
            return false;
        fprintf(groups, "0 %u 1", gid);
        if (fclose(groups))
            return false;
    }
    return system(script) == 0;
}

static void *serve(void *self)
{
    struct ethercat_veth *v = self;

    yk_sim_serve(v->rig.segment, &v->segment_end, &v->stop);
    return NULL;
}

static void *return_frames(void *self)
{
    struct ethercat_veth *v = self;
    uint8_t frame[YK_EC_FRAME_MOST];

    while (!atomic_load(&v->stop)) {
        const size_t size = v->echo_far.ops->receive(&v->echo_far, frame, yk_clock_now_ns() + PATIENCE_NS / 20);

        if (size)
            v->echo_far.ops->send(&v->echo_far, frame, size);
    }
    return NULL;
}

bool ethercat_veth_start(struct ethercat_veth *v)
{
    const struct yk_sim_settings settings = {.exact = true};
    struct yk_ec_wire near;
    struct yk_err err = {0};

    *v = (struct ethercat_veth){0};
    if (!make_network() || yk_ec_wire_open(&near, "yks0", &err))
        return false;
    assert_int_equal(yk_ec_wire_open(&v->segment_end, "yks1", &err), YK_OK);
    assert_int_equal(yk_ec_wire_open(&v->echo_near, "yke0", &err), YK_OK);
    assert_int_equal(yk_ec_wire_open(&v->echo_far, "yke1", &err), YK_OK);
    ethercat_rig_make(&v->rig, &settings, VETH_DRIVES, false);
    yk_rig_ethercat_use(v->rig.self, near);
    assert_int_equal(pthread_create(&v->segment, NULL, serve, v), 0);
    assert_int_equal(pthread_create(&v->echo, NULL, return_frames, v), 0);
    ethercat_rig_start(&v->rig);
    v->frame_size = yk_rig_ethercat_master(v->rig.self)->out.size;
    return true;
}

bool ethercat_veth_exchange(struct ethercat_veth *v, long tick)
{
    double x[VETH_DRIVES];

    for (int i = 0; i < VETH_DRIVES; i++)
        x[i] = 1e-3 * sin(1e-3 * (double)tick + i);
    return ethercat_rig_exchange(&v->rig, x) == YK_RIG_FRESH;
}

bool ethercat_veth_echo(struct ethercat_veth *v)
{
    static uint8_t frame[YK_EC_FRAME_MOST];
    static const uint8_t head[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x5e, 0, 0x53, 1, 0x88, 0xa4};

    memcpy(frame, head, sizeof head);
    v->echo_near.ops->send(&v->echo_near, frame, v->frame_size);
    return v->echo_near.ops->receive(&v->echo_near, frame, yk_clock_now_ns() + PATIENCE_NS) == v->frame_size;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare);
    return x[n / 2];
}

void ethercat_veth_compare(struct ethercat_veth *v, size_t turns, double *exchange_s, double *echo_s)
{
    double *exchanges = calloc(turns, sizeof *exchanges), *echoes = calloc(turns, sizeof *echoes);

    assert_true(exchanges && echoes);
    for (size_t i = 0; i < turns; i++) {
        const int64_t begin = yk_clock_now_ns();
        assert_true(ethercat_veth_echo(v));
        const int64_t then = yk_clock_now_ns();
        assert_true(ethercat_veth_exchange(v, (long)i));
        echoes[i] = 1e-9 * (double)(then - begin);
        exchanges[i] = 1e-9 * (double)(yk_clock_now_ns() - then);
    }
    *exchange_s = median(exchanges, turns);
    *echo_s = median(echoes, turns);
    free(exchanges);
    free(echoes);
}

void ethercat_veth_end(struct ethercat_veth *v)
{
    yk_rig_ethercat.close(v->rig.self);
    atomic_store(&v->stop, true);
    pthread_join(v->segment, NULL);
    pthread_join(v->echo, NULL);
    free(v->rig.self);
    yk_sim_segment_destroy(v->rig.segment);
    yk_ec_wire_close(&v->segment_end);
    yk_ec_wire_close(&v->echo_near);
    yk_ec_wire_close(&v->echo_far);
}
