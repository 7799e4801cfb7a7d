/* A program that floods the server of --openfresco cannot keep it from looking at the clock and at its operator. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "base/clock.h"
#include "engine/peer.h"
#include "rig/fresco_socket.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SECOND = 1000000000, OPENINGS = 400, HANDSHAKES = 150, AT_A_TIME = 64 };

static int connect_to(int port, int type)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, type, 0);

    assert_true(fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0);
    return fd;
}

/* Opens again and again, and reads nothing. */
static void *open_again_and_again(void *fd)
{
    static unsigned char opening[8 * YK_FRESCO_DATA];
    const double values[] = {yk_fresco_code(YK_FRESCO_OPEN), 7, YK_FRESCO_VERSION};

    yk_fresco_put_doubles(values, 3, opening);
    for (int i = 0; i < OPENINGS; i++)
        if (send(*(const int *)fd, opening, sizeof opening, MSG_NOSIGNAL) != (ssize_t)sizeof opening)
            break;
    return NULL;
}

static void openings_without_end_do_not_hold_the_server(void **state)
{
    struct yk_model *e = recorded_parse(
        "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
        "method: {integrator: central-difference}\n"
        "substructures: {column: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[20000]], "
        "mass: "
        "[[3]]}}}\n"
        "transfer: {a1: {}}\n"
        "rig: {backend: virtual, actuators: {a1: {plant: {kind: ideal}}}, specimen: {dofs: [x], mass: [0], stiffness: "
        "[[20000]]}}\n"
        "limits: {displacement: 100 mm, command_rate: 2 m/s}\n",
        NULL, 0);
    struct yk_peer_settings settings = yk_peer_defaults();
    unsigned char greeting[4] = {1};
    struct yk_peer *peer;
    pthread_t thread;

    settings.dialect = YK_FRESCO_ACTOR;
    assert_ok(yk_peer_create(&peer, &settings, e, &err));
    int fd = connect_to(yk_peer_port(peer), SOCK_STREAM);
    assert_int_equal(send(fd, greeting, sizeof greeting, 0), 4);
    assert_int_equal(pthread_create(&thread, NULL, open_again_and_again, &fd), 0);
    assert_false(yk_peer_await(peer, yk_clock_now_ns() + SECOND));
    assert_in_range(atomic_load(&yk_peer_counts(peer)->replies), 1, AT_A_TIME);
    yk_peer_destroy(peer); /* ends the thread */
    pthread_join(thread, NULL);
    close(fd);
    yk_model_close(e);
}

static void handshakes_without_end_do_not_hold_the_loop(void **state)
{
    struct yk_stream_socket s;
    unsigned char bytes[64];
    int listener, port = 0, answers = 0;
    char answer;

    assert_ok(yk_stream_listen(&listener, true, "127.0.0.1", &port, &err));
    const int fd = connect_to(port, SOCK_DGRAM);
    assert_int_equal(send(fd, "a", 1, 0), 1);
    yk_stream_accept(&s, &listener, true, yk_clock_now_ns() + SECOND);
    assert_true(s.fd >= 0);
    for (int i = 0; i < HANDSHAKES; i++)
        assert_int_equal(send(fd, "a", 1, 0), 1);
    assert_int_equal(yk_stream_receive(&s, bytes, sizeof bytes, 0), 0);
    while (recv(fd, &answer, 1, MSG_DONTWAIT) == 1)
        answers++;
    assert_in_range(answers, 1, AT_A_TIME);
    yk_stream_close(&s);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openings_without_end_do_not_hold_the_server),
        cmocka_unit_test(handshakes_without_end_do_not_hold_the_loop),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
