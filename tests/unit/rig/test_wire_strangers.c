/* Refusals of a rig over a wire: rigs that do not fit, other versions, garbage, strangers, numbers far ahead. */

#include "support/check.h"
#include "support/wire.h"

#include "rig/remote.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_rig_that_does_not_fit_is_refused_with_the_reason(void **state)
{
    const double x0[3] = {0};
    const struct {
        struct yk_rig_plan plan;
        const char *words;
    } cases[] = {
        {{.count = 3, .names = (const char *const[]){"a1", "a2", "a3"}, .tick = 1e-3, .x0 = x0},
         "another number of actuators, 2"},
        {{.count = 2, .names = (const char *const[]){"a1", "a2"}, .tick = 2e-3, .x0 = x0},
         "another control period, 0.001 s"},
        {{.count = 2, .names = (const char *const[]){"a2", "a1"}, .tick = 1e-3, .x0 = x0},
         "its actuators, sensors or lines have other names or kinds, or another order"},
        {{.count = 2,
          .names = (const char *const[]){"a1", "a2"},
          .kinds = (const enum yk_command_kind[]){YK_BY_DISPLACEMENT, YK_BY_FORCE},
          .tick = 1e-3,
          .x0 = x0},
         "its actuators, sensors or lines have other names or kinds, or another order"},
        {{.count = 2, .names = (const char *const[]){"a1", "a2"}, .tick = 1e-3, .x0 = x0, .feeds_forward = true},
         "its actuators, sensors or lines have other names or kinds, or another order"},
        {{.count = 2,
          .names = (const char *const[]){"a1", "a2"},
          .tick = 1e-3,
          .x0 = x0,
          .sensor_count = 1,
          .sensors = &(const struct yk_rig_sensor){"strain", ""}},
         "another number of sensors, 0"},
        {{.count = 2,
          .names = (const char *const[]){"a1", "a2"},
          .tick = 1e-3,
          .x0 = x0,
          .line_count = 1,
          .lines = &(const struct yk_rig_line){.name = "door"}},
         "another number of lines, 0"},
    };

    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const struct yk_server_settings s = serving(wires[i % 2]);
        struct peer p;

        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, patient);
        assert_refused(w.ops->open(w.self, &cases[i / 2].plan, &err), YK_E_INPUT, cases[i / 2].words);
        wire_free(&w);
        struct wire good = wire_make(&p, patient); /* the rig is free for one that fits */
        assert_ok(good.ops->open(good.self, &wire_plan, &err));
        wire_free(&good);
        peer_stop(&p);
    }
}

/* At rest, when its drives are to be enabled, and in the loop. */
static void a_refusal_arrives_in_words(void **state)
{
    for (int k = 0; k < 6; k++) {
        const struct yk_server_settings s = serving(wires[k % 2]);
        const double zero[WIRE_ACTUATORS] = {0};
        const struct yk_rig_out out = {.command = zero};
        struct yk_reading got[WIRE_ACTUATORS];
        struct peer p;

        wire_refuses = (enum wire_refusal)(WIRE_NO_REST + k / 2);
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, patient);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        if (wire_refuses == WIRE_NO_REST)
            assert_refused(wire_rest(&w, zero, got, &err), YK_E_INPUT, "the rig refuses: " WIRE_WORDS);
        else
            assert_ok(wire_rest(&w, zero, got, &err));
        if (wire_refuses == WIRE_NO_ENABLE)
            assert_refused(w.ops->enable(w.self, true, &out, &err), YK_E_INPUT, "the rig refuses: " WIRE_WORDS);
        if (wire_refuses == WIRE_NO_EXCHANGE) {
            assert_ok(w.ops->enable(w.self, true, &out, &err));
            for (int i = 0; i < 10; i++)
                assert_int_equal(wire_exchange(&w, zero, got), YK_RIG_FRESH);
            assert_int_equal(wire_exchange(&w, zero, got), YK_RIG_REFUSED);
            assert_string_equal(w.ops->reason(w.self), WIRE_WORDS);
        }
        wire_free(&w);
        peer_stop(&p);
    }
    wire_refuses = WIRE_WILLING;
}

static void two_cannot_command_one_rig(void **state)
{
    static const char *const words[] = {"the rig stays in use by another session for 0.2 s",
                                        "another process commands"};

    for (int i = 0; i < 2; i++) {
        const struct setting_of set[] = {{"patience", 0.2}, {NULL, 0}};
        const struct yk_server_settings s = serving(wires[i]);
        struct peer p;

        peer_start(&p, &s, &wire_plan);
        struct wire first = wire_make(&p, patient), second = wire_make(&p, set);
        assert_ok(first.ops->open(first.self, &wire_plan, &err));
        assert_refused(second.ops->open(second.self, &wire_plan, &err), YK_E_IO, words[i]);
        move_and_compare(&first, 50); /* undisturbed */
        wire_free(&second);
        wire_free(&first);
        peer_stop(&p);
    }
}

/* Somebody else's memory, or memory that somebody else may write to, moves nothing. */
static void a_rig_in_memory_of_another_user_is_refused(void **state)
{
    static const struct {
        uid_t owner;
        mode_t mode;
        const char *words;
    } cases[] = {{0, 0666, "can be opened by other users (mode 0666)"}, {65534, 0600, "belongs to another user"}};
    const struct setting_of set[] = {{"patience", 0.05}, {NULL, 0}};

    for (size_t i = 0; i < (geteuid() == 0 ? 2 : 1); i++) {
        const struct yk_server_settings s = serving("shm");
        char file[100];
        struct peer p;

        peer_start(&p, &s, &wire_plan);
        snprintf(file, sizeof file, "/dev/shm/yoke-rig-%s", p.shm);
        assert_int_equal(chmod(file, cases[i].mode), 0);
        if (cases[i].owner)
            assert_int_equal(chown(file, cases[i].owner, cases[i].owner), 0);
        struct wire w = wire_make(&p, set);
        assert_refused(w.ops->open(w.self, &wire_plan, &err), YK_E_INPUT, cases[i].words);
        wire_free(&w);
        peer_stop(&p);
    }
}

static void nobody_at_the_other_end_is_said_soon(void **state)
{
    const struct setting_of set[] = {{"patience", 0.05}, {NULL, 0}};
    const struct peer nobody = {.port = 9}, none = {.shm = "test-there-is-none"};
    struct wire udp = wire_make(&nobody, set), shm = wire_make(&none, set);

    assert_refused(udp.ops->open(udp.self, &wire_plan, &err), YK_E_IO, "no rig answers within 0.05 s");
    assert_refused(shm.ops->open(shm.self, &wire_plan, &err), YK_E_INPUT,
                   "rig over shared memory: there is no shared memory yoke-rig-test-there-is-none");
    wire_free(&udp);
    wire_free(&shm);
}

/* A socket of the test that answers every datagram with the bytes given; its port. */
struct impostor {
    int fd, port;
};

static struct impostor impostor_open(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof a;
    struct impostor i = {.fd = socket(AF_INET, SOCK_DGRAM, 0)};

    assert_int_equal(bind(i.fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(getsockname(i.fd, (struct sockaddr *)&a, &length), 0);
    i.port = ntohs(a.sin_port);
    return i;
}

static void a_rig_of_another_version_is_told(void **state)
{
    const struct setting_of set[] = {{"patience", 0.5}, {NULL, 0}};
    const struct impostor i = impostor_open();
    const struct peer at = {.port = i.port};
    struct wire w = wire_make(&at, set);

    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            unsigned char bytes[2000];
            struct sockaddr_in from;
            socklen_t length = sizeof from;
            const ssize_t size = recvfrom(i.fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &length);

            bytes[4] = 1; /* its own version */
            sendto(i.fd, bytes, (size_t)size, 0, (struct sockaddr *)&from, length);
        }
    }
    assert_refused(w.ops->open(w.self, &wire_plan, &err), YK_E_UNSUPPORTED,
                   "rig over UDP: the rig uses protocol version 1, this program 3");
    kill(pid, SIGKILL);
    wire_free(&w);
    close(i.fd);
}

/* A HELLO of wire_plan, by hand. */
static struct yk_message hello_of(uint32_t session)
{
    return (struct yk_message){.kind = YK_HELLO,
                               .session = session,
                               .sequence = 1,
                               .count = YK_HELLO_VALUES,
                               .values = {WIRE_ACTUATORS, wire_plan.tick, yk_names_crc(&wire_plan)}};
}

/* A run of version 2 hears the version of the rig, in a datagram that is shorter than its own. */
static void a_run_of_another_version_is_told(void **state)
{
    const struct yk_server_settings s = serving(NULL);
    const struct impostor i = impostor_open();
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    unsigned char bytes[2000], answer[2000];
    struct yk_message m = hello_of(5);
    struct peer p;

    peer_start(&p, &s, &wire_plan);
    to.sin_port = htons((uint16_t)p.port);
    setsockopt(i.fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 20}, sizeof(struct timeval));
    const ssize_t size = (ssize_t)yk_message_pack(&m, bytes);
    bytes[4] = 2;
    assert_int_equal(sendto(i.fd, bytes, (size_t)size, 0, (struct sockaddr *)&to, sizeof to), size);
    const ssize_t got = recv(i.fd, answer, sizeof answer, 0);
    assert_true(got > 0 && got < size);
    assert_int_equal(yk_message_unpack(answer, (size_t)got, &m), YK_FRAME_GOOD);
    assert_int_equal(m.kind, YK_REFUSE);
    assert_int_equal(answer[4], YK_WIRE_VERSION);
    /* what is not longer than the answer gets none: two rigs of two versions cannot keep each other busy */
    answer[4] = 2;
    assert_int_equal(sendto(i.fd, answer, (size_t)got, 0, (struct sockaddr *)&to, sizeof to), got);
    setsockopt(i.fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_usec = 50000}, sizeof(struct timeval));
    assert_int_equal(recv(i.fd, answer, sizeof answer, 0), -1);
    const struct peer_counts c = peer_stop(&p);
    assert_int_equal(c.damaged, 2);
    assert_int_equal(c.sessions, 0);
    close(i.fd);
}

static void garbage_does_not_disturb_a_session(void **state)
{
    const struct yk_server_settings s = serving(NULL);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct impostor i = impostor_open();
    struct peer p;
    struct peer_counts c;
    uint64_t sent = 0;

    peer_start(&p, &s, &wire_plan);
    to.sin_port = htons((uint16_t)p.port);
    struct wire w = wire_make(&p, patient);
    assert_ok(w.ops->open(w.self, &wire_plan, &err));
    for (int round = 0; round < 20; round++) {
        struct yk_message m = {.kind = YK_COMMAND, .session = 12345, .sequence = 1u << 30, .count = 3};
        unsigned char bytes[2000];
        size_t size = yk_message_pack(&m, bytes);

        for (int k = 0; k < 4; k++) { /* another session; another version; a flipped bit; not a message */
            if (k == 1)
                bytes[4] = 7;
            else if (k == 2)
                bytes[4] = YK_WIRE_VERSION, bytes[40] ^= 4;
            else if (k == 3)
                memset(bytes, round, size = 97 * (size_t)round);
            assert_int_equal(sendto(i.fd, bytes, size, 0, (struct sockaddr *)&to, sizeof to), (ssize_t)size);
            sent += k > 0;
        }
        if (round % 5 == 0)
            move_and_compare(&w, 20);
    }
    move_and_compare(&w, 20);
    wire_free(&w);
    c = peer_stop(&p);
    assert_int_equal(c.damaged, sent);
    assert_int_equal(c.strangers, 20);
    assert_int_equal(c.refused, 0);
    close(i.fd);
}

static void send_to(int fd, int port, const struct yk_message *m)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    unsigned char bytes[YK_WIRE_LARGEST];
    const size_t size = yk_message_pack(m, bytes);

    assert_int_equal(sendto(fd, bytes, size, 0, (const struct sockaddr *)&to, sizeof to), (ssize_t)size);
}

/* It knows the session, but speaks from another port. */
static void a_stranger_cannot_command_a_rig_nor_end_its_session(void **state)
{
    static const enum yk_message_kind kinds[] = {YK_COMMAND, YK_REST, YK_BYE, YK_CUT};
    enum { ROUNDS = 20 };

    for (int clock = 0; clock < 2; clock++) {
        struct yk_server_settings s = serving(NULL);
        struct yk_reading got[WIRE_ACTUATORS];
        const struct impostor i = impostor_open();
        struct peer_counts c;
        struct peer p;

        s.own_clock = clock;
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, patient);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_ok(wire_rest(&w, wire_start, got, &err));
        const struct yk_remote *r = w.self;
        for (int round = 0; round < ROUNDS; round++) {
            for (int k = 0; k < 4; k++) {
                struct yk_message m = {.kind = kinds[k], .session = r->session, .sequence = r->sequence + 1};

                m.count = kinds[k] == YK_COMMAND ? WIRE_ACTUATORS + 1
                          : kinds[k] == YK_REST  ? WIRE_ACTUATORS
                          : kinds[k] == YK_CUT   ? 1
                                                 : 0;
                m.values[0] = 0.5; /* m */
                send_to(i.fd, p.port, &m);
            }
            assert_int_not_equal(wire_exchange(&w, wire_start, got), YK_RIG_LOST);
            usleep(1000);
        }
        /* nor take the session over */
        struct yk_message hello = {.kind = YK_HELLO, .session = r->session, .sequence = 1, .count = 6};
        memcpy(hello.values, r->hello, sizeof r->hello);
        send_to(i.fd, p.port, &hello);
        if (!clock)
            move_and_compare(&w, 50);
        const long n = atomic_load(&p.log->count);
        for (long k = 0; k < n; k++)
            assert_true(p.log->command[k] < 0.1);
        assert_int_equal(atomic_load(&p.log->cuts), 0);
        wire_free(&w);
        c = peer_stop(&p);
        assert_int_equal(c.strangers, 4 * ROUNDS);
        assert_int_equal(c.refused, 0);
        assert_int_equal(c.void_greetings, 1);
        assert_int_equal(c.sessions, 1);
        assert_int_equal(c.lost_sessions, 0);
        close(i.fd);
    }
}

/* Readings of a stranger are counted and have no effect, however many there are. */
static void a_stranger_cannot_give_readings(void **state)
{
    enum { FLOOD = 3000 };
    const struct yk_server_settings s = serving(NULL);
    const struct impostor i = impostor_open();
    struct sockaddr_in own;
    socklen_t length = sizeof own;
    struct peer p;

    peer_start(&p, &s, &wire_plan);
    struct wire w = wire_make(&p, patient);
    assert_ok(w.ops->open(w.self, &wire_plan, &err));
    struct yk_remote *r = w.self;
    const int fd = *(const int *)r->link.self; /* its socket comes first in struct udp */
    assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &length), 0);
    for (int round = 0; round < FLOOD; round++) {
        const struct yk_message m = {.kind = round % 7 ? YK_READING : YK_BYE,
                                     .session = r->session,
                                     .sequence = r->heard.last + 1,
                                     .answers = r->sequence + 1,
                                     .count = round % 7 ? YK_WIRE_PER_READING * WIRE_ACTUATORS + 1 : 0};

        send_to(i.fd, ntohs(own.sin_port), &m);
        if (round % 100 == 0)
            move_and_compare(&w, 5);
    }
    move_and_compare(&w, 50);
    assert_ptr_equal(w.ops->session(w.self), r);
    assert_int_equal(r->link.counts.strangers, FLOOD);
    assert_int_equal(r->counts.stale, 0);
    assert_int_equal(r->counts.far, 0);
    wire_free(&w);
    peer_stop(&p);
    close(i.fd);
}

static void a_number_far_ahead_is_believed_only_when_others_follow(void **state)
{
    static const struct {
        uint64_t number;
        enum yk_number want;
    } cases[] = {{1, YK_NUMBER_NEW},    {1, YK_NUMBER_OLD},          {17, YK_NUMBER_NEW},   {34, YK_NUMBER_FAR},
                 {18, YK_NUMBER_NEW},   {UINT64_MAX, YK_NUMBER_FAR}, {19, YK_NUMBER_NEW},   {1000, YK_NUMBER_FAR},
                 {20, YK_NUMBER_NEW},   {5000, YK_NUMBER_FAR},       {5001, YK_NUMBER_FAR}, {5003, YK_NUMBER_FAR},
                 {5004, YK_NUMBER_NEW}, {21, YK_NUMBER_OLD},         {5005, YK_NUMBER_NEW}};
    struct yk_sequence s = {.far = 16};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(yk_sequence_judge(&s, cases[i].number), cases[i].want);
    /* half of the silence, in ticks; in lock-step nothing is sent without an answer */
    assert_int_equal(yk_sequence_far(true, 100000000, 1e-3), 50);
    assert_int_equal(yk_sequence_far(true, 1000000, 1e-3), 16);
    assert_int_equal(yk_sequence_far(false, INT64_C(10000000000), 1e-3), 16);
}

/* The test commands by hand, from one socket. */
static struct yk_message answer_to(int fd, const struct yk_message *asked)
{
    struct yk_message m = {0};

    for (int tries = 0; tries < 100; tries++) {
        unsigned char bytes[2000];
        const ssize_t size = recv(fd, bytes, sizeof bytes, 0);

        assert_true(size > 0);
        assert_int_equal(yk_message_unpack(bytes, (size_t)size, &m), YK_FRAME_GOOD);
        if (m.answers == asked->sequence || m.kind == YK_REFUSE)
            return m;
    }
    fail_msg("no answer to message %lu", (unsigned long)asked->sequence);
    return m;
}

static void the_reading_for(int fd, const struct yk_message *command)
{
    assert_int_equal(answer_to(fd, command).kind, YK_READING);
}

static void greet_by_hand(int fd, int port, struct yk_message *hello)
{
    send_to(fd, port, hello);
    struct yk_message m = answer_to(fd, hello);
    assert_int_equal(m.kind, YK_CHALLENGE);
    assert_int_equal(m.session, hello->session);
    hello->answers = m.sequence;
    send_to(fd, port, hello);
    m = answer_to(fd, hello);
    assert_int_equal(m.kind, YK_WELCOME);
}

static void a_command_far_ahead_does_not_hide_those_that_follow(void **state)
{
    const struct yk_server_settings s = serving(NULL);
    const struct impostor i = impostor_open();
    struct yk_message m = hello_of(77);
    struct peer_counts c;
    struct peer p;

    setsockopt(i.fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 20}, sizeof(struct timeval));
    peer_start(&p, &s, &wire_plan);
    greet_by_hand(i.fd, p.port, &m);
    m = (struct yk_message){.kind = YK_REST, .session = 77, .sequence = 2, .count = WIRE_ACTUATORS};
    send_to(i.fd, p.port, &m);
    the_reading_for(i.fd, &m);
    for (uint64_t k = 3; k < 30; k++) {
        m = (struct yk_message){.kind = YK_COMMAND, .session = 77, .sequence = k, .count = WIRE_ACTUATORS + 1};
        if (k % 9 == 0) { /* a garbled one comes before */
            m.sequence = k << 40;
            m.values[0] = 0.5;
            send_to(i.fd, p.port, &m);
            m.sequence = k;
            m.values[0] = 0;
        }
        send_to(i.fd, p.port, &m);
        the_reading_for(i.fd, &m);
    }
    const long n = atomic_load(&p.log->count);
    for (long k = 0; k < n; k++)
        assert_near(p.log->command[k], 0, 0);
    c = peer_stop(&p);
    assert_int_equal(c.far, 3);
    assert_int_equal(c.missing, 0);
    assert_int_equal(c.commands, 27);
    close(i.fd);
}

/* A hundred greetings leave no trace; the one that repeats the number begins the session, once. */
static void a_session_begins_with_the_number_of_the_rig(void **state)
{
    const struct yk_server_settings s = serving(NULL);
    const struct impostor i = impostor_open(), other = impostor_open();
    struct yk_message m, second = hello_of(8);
    struct peer_counts c;
    struct peer p;

    peer_start(&p, &s, &wire_plan);
    for (int k = 0; k < 2; k++)
        setsockopt(k ? other.fd : i.fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 20},
                   sizeof(struct timeval));
    for (uint32_t k = 0; k < 100; k++) {
        m = hello_of(100 + k);
        m.answers = k; /* a guess */
        send_to(i.fd, p.port, &m);
        assert_int_equal(answer_to(i.fd, &m).kind, YK_CHALLENGE);
    }
    struct yk_message first = hello_of(7);
    greet_by_hand(i.fd, p.port, &first); /* the rig is free */
    send_to(i.fd, p.port, &first);
    assert_int_equal(answer_to(i.fd, &first).kind, YK_WELCOME); /* asked again: it may have been lost */
    send_to(other.fd, p.port, &second);
    m = answer_to(other.fd, &second);
    assert_int_equal(m.kind, YK_REFUSE);
    assert_near(m.values[0], YK_REFUSED_BUSY, 0);
    m = (struct yk_message){.kind = YK_BYE, .session = 7, .sequence = 2};
    send_to(i.fd, p.port, &m);
    send_to(other.fd, p.port, &second);
    m = answer_to(other.fd, &second);
    assert_int_equal(m.kind, YK_CHALLENGE);
    assert_int_not_equal(m.sequence, first.answers); /* that one is used up */
    send_to(other.fd, p.port, &first);               /* as recorded */
    assert_int_equal(answer_to(other.fd, &first).kind, YK_CHALLENGE);
    c = peer_stop(&p);
    assert_int_equal(c.sessions, 1);
    assert_int_equal(c.challenges, 103);
    close(i.fd);
    close(other.fd);
}

/* Somebody repeats what the run said, without anything new; the session ends by the watchdog all the same. */
static void what_is_repeated_does_not_keep_a_session_alive(void **state)
{
    static const enum yk_message_kind kinds[] = {YK_HELLO, YK_REST, YK_ENABLE, YK_COMMAND, YK_READING};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct yk_server_settings s = serving(NULL);
        const struct impostor i = impostor_open();
        struct yk_message said[] = {
            hello_of(9),
            {.kind = YK_REST, .session = 9, .sequence = 2, .count = WIRE_ACTUATORS},
            {.kind = YK_ENABLE, .session = 9, .sequence = 3, .count = 2, .values = {1}},
            {.kind = YK_COMMAND, .session = 9, .sequence = 4, .count = WIRE_ACTUATORS + 1, .values = {0.01}},
            {.kind = YK_READING, .session = 9, .sequence = 5, .count = YK_WIRE_PER_READING * WIRE_ACTUATORS + 1}};
        struct peer p;
        int tries = 0;

        s.own_clock = true;
        s.silence = 0.1;
        peer_start(&p, &s, &wire_plan);
        setsockopt(i.fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 20}, sizeof(struct timeval));
        greet_by_hand(i.fd, p.port, said);
        for (int n = 1; n < 4; n++) {
            send_to(i.fd, p.port, &said[n]);
            the_reading_for(i.fd, &said[n]);
        }
        const int64_t began = yk_clock_now_ns();
        for (bool home = false; !home && tries < 4000; tries++) { /* 0.1 s of silence, 0.02 s of ramp */
            const long n = atomic_load(&p.log->count);

            home = n > 0 && p.log->command[n - 1] == 0;
            send_to(i.fd, p.port, &said[k]);
            usleep(1000);
        }
        assert_true(tries < 4000);
        assert_true(yk_clock_now_ns() - began >= 100000000);
        const struct peer_counts c = peer_stop(&p);
        assert_int_equal(c.lost_sessions, 1);
        assert_int_equal(c.sessions, 1);
        assert_int_equal(c.commands, 1);
        if (kinds[k] == YK_HELLO)
            assert_true(c.void_greetings > 0);
        close(i.fd);
    }
}

/* A rig with a clock, played by the test. Garbled: every 20th reading has a number from nowhere. Deaf: after the REST
 * it says that it heard nothing more, as if every command were held up. */
static void play_with_clock(int fd, bool deaf)
{
    struct yk_message m, out = {.count = 2, .values = {1, 1}};
    struct sockaddr_in from = {.sin_family = AF_INET};
    unsigned char bytes[2000];
    uint64_t said = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_usec = 1000}, sizeof(struct timeval));
    for (;;) {
        socklen_t length = sizeof from;
        const ssize_t size = recvfrom(fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &length);

        if (size > 0 && yk_message_unpack(bytes, (size_t)size, &m) == YK_FRAME_GOOD &&
            !(deaf && m.kind == YK_COMMAND)) {
            out.session = m.session;
            out.answers = m.sequence;
            out.kind = m.kind == YK_HELLO ? YK_WELCOME : YK_READING;
        }
        if (!out.kind)
            continue;
        if (out.kind == YK_READING) {
            said++;
            out.count = YK_WIRE_PER_READING * WIRE_ACTUATORS + 1;
        }
        out.sequence = !deaf && said % 20 == 10 ? said << 32 : said;
        sendto(fd, bytes, yk_message_pack(&out, bytes), 0, (struct sockaddr *)&from, sizeof from);
    }
}

static void a_reading_far_ahead_does_not_hide_those_that_follow(void **state)
{
    const struct setting_of set[] = {{"patience", 30}, {"wait", 20}, {"silence", 20}, {NULL, 0}};
    const struct impostor i = impostor_open();
    const struct peer at = {.port = i.port};
    struct yk_reading got[WIRE_ACTUATORS];
    struct wire w = wire_make(&at, set);

    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        play_with_clock(i.fd, false);
    assert_ok(w.ops->open(w.self, &wire_plan, &err));
    assert_ok(wire_rest(&w, wire_start, got, &err));
    for (int k = 0; k < 100; k++)
        assert_int_equal(wire_exchange(&w, wire_start, got), YK_RIG_FRESH);
    assert_true(((const struct yk_remote *)w.self)->counts.far >= 3);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    wire_free(&w);
    close(i.fd);
}

/* It talks all the time, but what it says is old: after the silence in commands, and the silence without a sign of
 * life. */
static void a_rig_whose_answers_grow_old_is_lost(void **state)
{
    const struct impostor i = impostor_open();
    const struct peer at = {.port = i.port};
    struct yk_reading got[WIRE_ACTUATORS];
    struct wire w = wire_make(&at, hasty);
    enum yk_rig_answer answer = YK_RIG_FRESH;
    int64_t due;
    int k;

    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        play_with_clock(i.fd, true);
    assert_ok(w.ops->open(w.self, &wire_plan, &err));
    assert_ok(wire_rest(&w, wire_start, got, &err));
    due = yk_clock_now_ns();
    for (k = 0; k < 20000 && answer != YK_RIG_LOST; k++) {
        answer = wire_exchange(&w, wire_start, got);
        yk_clock_sleep_until(due += 1000000);
    }
    assert_int_equal(answer, YK_RIG_LOST);
    assert_true(k > 200); /* 0.2 s */
    assert_true(((const struct yk_remote *)w.self)->counts.stale > 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    wire_free(&w);
    close(i.fd);
}

static void names_and_ports_in_use_are_refused(void **state)
{
    struct yk_server_settings s = serving(NULL);
    struct wire_rig rig = {.log = NULL};
    struct yk_server *server = NULL;
    struct peer p;

    peer_start(&p, &s, &wire_plan);
    s.port = p.port;
    assert_refused(yk_server_create(&server, &s, &wire_rig, &rig, &wire_plan, &err), YK_E_INPUT, "cannot listen on");
    s.host = "here";
    assert_refused(yk_server_create(&server, &s, &wire_rig, &rig, &wire_plan, &err), YK_E_INPUT,
                   "'here' is not an IPv4 address");
    peer_stop(&p);
    s = serving("shm");
    peer_start(&p, &s, &wire_plan);
    s.shm = p.shm;
    assert_refused(yk_server_create(&server, &s, &wire_rig, &rig, &wire_plan, &err), YK_E_INPUT,
                   "in use by another process");
    peer_stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rig_that_does_not_fit_is_refused_with_the_reason),
        cmocka_unit_test(a_refusal_arrives_in_words),
        cmocka_unit_test(two_cannot_command_one_rig),
        cmocka_unit_test(a_rig_in_memory_of_another_user_is_refused),
        cmocka_unit_test(nobody_at_the_other_end_is_said_soon),
        cmocka_unit_test(a_rig_of_another_version_is_told),
        cmocka_unit_test(a_run_of_another_version_is_told),
        cmocka_unit_test(garbage_does_not_disturb_a_session),
        cmocka_unit_test(a_session_begins_with_the_number_of_the_rig),
        cmocka_unit_test(what_is_repeated_does_not_keep_a_session_alive),
        cmocka_unit_test(a_stranger_cannot_command_a_rig_nor_end_its_session),
        cmocka_unit_test(a_stranger_cannot_give_readings),
        cmocka_unit_test(a_number_far_ahead_is_believed_only_when_others_follow),
        cmocka_unit_test(a_command_far_ahead_does_not_hide_those_that_follow),
        cmocka_unit_test(a_reading_far_ahead_does_not_hide_those_that_follow),
        cmocka_unit_test(a_rig_whose_answers_grow_old_is_lost),
        cmocka_unit_test(names_and_ports_in_use_are_refused),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
