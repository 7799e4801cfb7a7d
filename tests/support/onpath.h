/* Somebody on the wire between a run and a rig over UDP: everything goes through him, and he keeps what he has seen for
 * as long as the test lasts, also when a session, a run or the rig is over. He has no key. */
#ifndef YOKE_TEST_ONPATH_H
#define YOKE_TEST_ONPATH_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum onpath_kind {
    ONPATH_DROPS,    /* every other datagram, and now and then all of them for 50 ms                          */
    ONPATH_REPLAYS,  /* passes everything on, and sends three of what was seen before beside each              */
    ONPATH_REORDERS, /* keeps up to eight and passes on any of them                                            */
    ONPATH_DELAYS,   /* each by up to 20 ms; now and then everything for 0.3 s; a few are kept for seconds     */
    ONPATH_FORGES,   /* passes everything on, and sends altered, cut, longer, reflected and invented ones beside it */
    ONPATH_KINDS
};
extern const char *const onpath_names[ONPATH_KINDS];

enum { ONPATH_KEPT = 2048, ONPATH_HELD = 1024, ONPATH_LARGEST = 2048 };

struct onpath_datagram {
    bool to_rig;
    size_t size;
    int64_t due_ns; /* of one that is held */
    unsigned char bytes[ONPATH_LARGEST];
};

struct onpath_store {
    size_t count, last;
    struct onpath_datagram datagrams[ONPATH_KEPT];
};

struct onpath {
    enum onpath_kind kind;
    int port;                        /* on which the run finds him */
    atomic_int rig_port;             /* may change: a rig that is started again */
    atomic_bool mute;                /* nothing of the run is passed on any more, as if its process had ended */
    atomic_bool acts;                /* otherwise he passes on and keeps */
    atomic_ulong seen, sent, passed; /* datagrams of the two sides; of him; passed on unaltered */

    /* private */
    atomic_bool stop;
    pthread_t thread;
    int run_fd, rig_fd;
    struct sockaddr_in run;
    uint64_t random;
    int64_t dark_until_ns;
    size_t held_count;
    struct onpath_datagram held[ONPATH_HELD];
    struct onpath_store kept[2]; /* messages of sessions; greetings */
};

/* Large: on the heap. */
struct onpath *onpath_start(enum onpath_kind kind, int rig_port);
void onpath_stop(struct onpath *o);

#endif
