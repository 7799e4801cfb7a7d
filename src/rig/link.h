/* A wire: carries messages (message.h) to the other side and back, over UDP or shared memory. It connects a commanding
 * side and a rig side; messages that are damaged, foreign, of another version or from a stranger are counted and
 * dropped. */
#ifndef YOKE_LINK_H
#define YOKE_LINK_H

#include "rig/message.h"

struct yk_link_counts {
    uint64_t sent, received, damaged, foreign, other_version;
    uint64_t forged, replayed; /* with a key: not of the other side, or not of now */
    uint64_t strangers;        /* messages from another address than the peer's */
    uint32_t version;          /* the last other version that was met */
};

enum {
    YK_SEAL_BYTES = 27,
    YK_LINK_LARGEST = YK_WIRE_LARGEST + YK_SEAL_BYTES
}; /* of a datagram; fits into an Ethernet packet */

/* Messages as other datagrams than those of message.h. */
struct yk_codec {
    void *self;
    size_t (*pack)(void *self, const struct yk_message *m, unsigned char *bytes) YK_RT; /* 0: nothing is sent */
    enum yk_verdict (*unpack)(void *self, const unsigned char *bytes, size_t size, struct yk_message *m) YK_RT;
    /* A message that is received without a datagram. */
    bool (*pending)(void *self, struct yk_message *m) YK_RT;
    /* Rig side: may this be a HELLO, which strangers may send during a session? NULL: none is. Unpacking one must not
     * change what the codec knows of the session. */
    bool (*is_greeting)(const unsigned char *bytes, size_t size) YK_RT;
    /* Rig side: the HELLO that was unpacked last begins a session. May be NULL. */
    void (*adopt)(void *self);
};

struct yk_link {
    const struct yk_link_ops *ops;
    void *self;
    struct yk_codec codec; /* pack NULL: that of message.h. Of UDP; set after it was opened */
    struct yk_link_counts counts;
    bool broken;        /* unusable: shared memory was truncated */
    bool in_session;    /* of the rig, told by its server: with a codec, strangers may only greet meanwhile */
    bool from_stranger; /* the HELLO received last; nothing else of strangers is received */
};

struct yk_link_ops {
    void (*send)(struct yk_link *link, const struct yk_message *m) YK_RT; /* never blocks */
    /* The next message, or the newest one; waits for it until until_ns (past: does not wait). */
    bool (*receive)(struct yk_link *link, struct yk_message *m, int64_t until_ns) YK_RT;
    /* Rig side: replies to the sender of the last message, whoever it is; adopts that sender as the peer. */
    void (*reply)(struct yk_link *link, const struct yk_message *m);
    void (*adopt_sender)(struct yk_link *link);
    void (*close)(struct yk_link *link);
    /* Brings counts up to date, outside the loop. May be NULL. */
    void (*update_counts)(struct yk_link *link);
    bool exclusive; /* one commanding side at a time: a new session means that the last one is over */
};

/* Rig side. UDP: *port 0 takes a free port and returns its number. */
enum yk_status yk_link_udp_serve(struct yk_link *link, const char *host, int *port, struct yk_err *err);
enum yk_status yk_link_shm_serve(struct yk_link *link, const char *name, struct yk_err *err);
/* Can a rig in shared memory have this name? */
enum yk_status yk_link_shm_check(const char *name, struct yk_err *err);
/* Commanding side; own_port 0: any that is free. Waits at most patience_s for shared memory that does not exist yet. */
enum yk_status yk_link_udp_connect(struct yk_link *link, const char *host, int port, int own_port, struct yk_err *err);
enum yk_status yk_link_shm_connect(struct yk_link *link, const char *name, double spin_s, double patience_s,
                                   struct yk_err *err);

#endif
