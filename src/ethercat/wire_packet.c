/* The wire over a raw socket (AF_PACKET). System calls during a run: send, recv, ppoll. */
#include <yoke/ethercat_master.h>

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000 };

YK_RT static int fd_of(const struct yk_ec_wire *wire)
{
    return *(const int *)wire->self;
}

YK_RT static void note_error(struct yk_ec_wire *wire)
{
    wire->down |= errno == ENETDOWN || errno == ENXIO || errno == ENODEV;
}

YK_RT static bool send_frame(struct yk_ec_wire *wire, const uint8_t *frame, size_t size)
{
    if (send(fd_of(wire), frame, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size) {
        wire->down = false;
        return true;
    }
    note_error(wire);
    return false;
}

YK_RT static size_t receive(struct yk_ec_wire *wire, uint8_t *frame, int64_t until_ns)
{
    for (;;) {
        const ssize_t got = recv(fd_of(wire), frame, YK_EC_FRAME_MOST, MSG_DONTWAIT);

        if (got > 0)
            return (size_t)got;
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            note_error(wire);
        const int64_t left = until_ns - yk_clock_now_ns();
        if (left <= 0)
            return 0;
        const struct timespec wait = {.tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S};
        if (ppoll(&(struct pollfd){.fd = fd_of(wire), .events = POLLIN}, 1, &wait, NULL) < 0 && errno != EINTR)
            return 0;
    }
}

YK_RT static int64_t now(const struct yk_ec_wire *wire)
{
    return yk_clock_now_ns();
}

YK_RT static void pause_until(struct yk_ec_wire *wire, int64_t until_ns)
{
    yk_clock_pace(until_ns, YK_CLOCK_SPIN_NS); /* a tick outside a run is as punctual as one of a run */
}

static void close_socket(struct yk_ec_wire *wire)
{
    close(fd_of(wire));
    free(wire->self);
    wire->self = NULL;
}

static const struct yk_ec_wire_ops ops = {send_frame, receive, now, pause_until, close_socket};

/* Binds the socket to the interface and finds its address. */
static enum yk_status bind_to(struct yk_ec_wire *wire, int fd, const char *interface, struct yk_err *err)
{
    struct ifreq asked = {0};
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(YK_EC_ETHERTYPE)};

    if (strlen(interface) >= sizeof asked.ifr_name || !(address.sll_ifindex = (int)if_nametoindex(interface)))
        return yk_fail(err, YK_E_INPUT, "there is no network interface '%s'; `ip link` lists them", interface);
    memcpy(asked.ifr_name, interface, strlen(interface) + 1);
    if (ioctl(fd, SIOCGIFFLAGS, &asked))
        return yk_fail(err, YK_E_IO, "network interface '%s': %s", interface, strerror(errno));
    if (!(asked.ifr_flags & IFF_UP))
        return yk_fail(err, YK_E_INPUT, "network interface '%s' is down; `ip link set %s up`", interface, interface);
    if (ioctl(fd, SIOCGIFHWADDR, &asked) || bind(fd, (const struct sockaddr *)&address, sizeof address))
        return yk_fail(err, YK_E_IO, "network interface '%s': %s", interface, strerror(errno));
    memcpy(wire->mac, asked.ifr_hwaddr.sa_data, sizeof wire->mac);
    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &(int){1}, sizeof(int)); /* faster, where the driver allows it */
    return YK_OK;
}

/* Offset [ns] from the clock of the waits to the time since 2000, which slaves count. */
static int64_t epoch(void)
{
    enum { FROM_1970_TO_2000_S = 946684800 };
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return ((int64_t)t.tv_sec - FROM_1970_TO_2000_S) * NS_PER_S + t.tv_nsec - yk_clock_now_ns();
}

enum yk_status yk_ec_claim(struct yk_claim *claim, const char *interface, struct yk_err *err)
{
    char device[40];

    snprintf(device, sizeof device, "EtherCAT %.20s", interface);
    return yk_claim_take(claim, device, err);
}

enum yk_status yk_ec_wire_open(struct yk_ec_wire *wire, const char *interface, struct yk_err *err)
{
    const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(YK_EC_ETHERTYPE));
    int *kept = malloc(sizeof *kept);
    enum yk_status st;

    *wire = (struct yk_ec_wire){.ops = &ops, .self = kept, .timed = true, .epoch_ns = epoch()};
    if (fd < 0)
        st = errno == EPERM ? yk_fail(err, YK_E_INPUT,
                                      "EtherCAT needs a raw socket, which this user may not open: run as root, or "
                                      "`setcap cap_net_raw+ep` on the program")
                            : yk_fail(err, YK_E_IO, "cannot make a raw socket: %s", strerror(errno));
    else
        st = kept ? bind_to(wire, fd, interface, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st) {
        *kept = fd;
        return YK_OK;
    }
    if (fd >= 0)
        close(fd);
    free(kept);
    *wire = (struct yk_ec_wire){0};
    return st;
}
