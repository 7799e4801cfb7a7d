/* A master of an EtherCAT bus: single exchanges, discovery, states, objects, process data, clocks, and the cyclic
 * frame.
 *
 * Preparation goes discover -> states and objects -> map -> (clock) -> SAFEOP; then `yk_ec_cycle` once a tick. Slaves
 * count from 0 in the order in which frames pass them. A bus is a line: branches are refused. */
#ifndef YOKE_ETHERCAT_MASTER_H
#define YOKE_ETHERCAT_MASTER_H

#include <yoke/claim.h>
#include <yoke/ethercat.h>
#include <yoke/ethercat_clock.h>
#include <yoke/ethercat_coe.h>
#include <yoke/ethercat_sii.h>

/* A master claims the interface before it opens it: a bus has one. */
enum yk_status yk_ec_claim(struct yk_claim *claim, const char *interface, struct yk_err *err);

enum {
    YK_EC_SLAVES_MOST = 200,
    YK_EC_FIRST_STATION = 0x1001,
    YK_EC_PLACED = 96,          /* entries of a slave */
    YK_EC_LOGICAL = 0x00010000, /* start of the process image */
    YK_EC_IMAGE_MOST = 1400     /* bytes of process data: one frame carries all */
};

/* An entry of process data, and its bit among those of its direction. */
struct yk_ec_placed {
    struct yk_ec_entry entry;
    uint16_t pdo;
    size_t bit;
    bool to_slave;
};

struct yk_ec_slave {
    char name[48]; /* for messages: "slave 2 (axis)" */
    uint16_t station, features, dl_status;
    uint8_t fmmus, sms, ports;
    struct yk_ec_sii sii;
    bool has_clock;
    uint8_t mail_sent, mail_got; /* counters of the mailboxes */
    struct yk_ec_emergency emergency;
    bool mail_fits; /* beside the process data in one frame: emergencies are read in the cycle */
    size_t placed_count;
    struct yk_ec_placed placed[YK_EC_PLACED];
    size_t out_bits, in_bits;
    size_t out_at, in_at;        /* bytes of the image */
    uint16_t al_status, al_code; /* as last seen */
    uint16_t found_in;           /* state before the discovery */
    int32_t delay_ns;
    double counts_per_turn, metres_per_count; /* of a drive, as its objects tell; 0: they do not. By yk_ec_scan */
};

/* Result of a cyclic frame. */
enum yk_ec_result {
    YK_EC_ARRIVED,
    YK_EC_MISSING, /* no answer in time */
    YK_EC_MISCOUNT /* wrong working counter: the inputs were not taken */
};

struct yk_ec_counts {
    uint64_t frames, missing, miscounts;
    uint64_t stray; /* late, double, foreign or damaged frames */
};

struct yk_ec_master {
    struct yk_ec_wire wire; /* open before discovery */
    size_t count;
    struct yk_ec_slave *slaves;
    struct yk_ec_counts counts;

    /* process image: outputs of all slaves, then inputs of all */
    size_t out_size, size;
    uint8_t outputs[YK_EC_IMAGE_MOST], inputs[YK_EC_IMAGE_MOST];
    bool split; /* a slave cannot LRW: LWR and LRD instead */
    uint16_t expected, expected_reads, expected_writes;

    /* clock */
    bool has_clock, clock_runs;
    size_t reference;
    uint16_t clock_count; /* working counter of ARMW with all slaves well */

    /* of the last cyclic frame */
    uint16_t wkc, al_or, al_wkc;
    uint64_t time;             /* of the reference clock; 0: none */
    size_t asked, asked_count; /* slaves whose AL status goes with the next frame */
    size_t mail_of;            /* slave whose mailbox goes with the next frame */
    bool mail_waits;           /* the message itself, which is there; otherwise the state of the mailbox */

    /* private */
    uint8_t index;
    struct yk_ec_frame out;
    uint8_t in[YK_EC_FRAME_MOST];
    struct yk_ec_datagram found[YK_EC_DATAGRAMS];
    size_t found_count;
    struct yk_ec_sdo sdo;
};

/* State and error of an AL status; its other bits say something else. */
YK_RT static inline uint16_t yk_ec_al_state(const uint8_t *status)
{
    return yk_le16(status) & (YK_EC_STATE_MASK | YK_EC_STATE_ERROR);
}

/* ---- single exchanges (preparation) ---- */

/* One datagram, three tries; the working counter, or -1 if no frame came back. `data` is read into and written from. */
int yk_ec_exchange(struct yk_ec_master *m, enum yk_ec_command command, uint32_t address, void *data, size_t size);

/* Completes m->out, sends it and waits for its answer; for frames of several datagrams. */
bool yk_ec_send_and_await(struct yk_ec_master *m);
/* Waits for the answer to m->out until then; it is in m->found. */
bool yk_ec_await(struct yk_ec_master *m, int64_t until_ns) YK_RT;

/* ---- preparation; each reports in err which slave is at fault ---- */

/* Finds the slaves, brings them to INIT, gives them station addresses and reads their SII. */
enum yk_status yk_ec_discover(struct yk_ec_master *m, double patience_s, struct yk_err *err);
void yk_ec_forget(struct yk_ec_master *m); /* frees what discovery made; the wire stays */
/* Slave k to a state, with one acknowledge and retry if it refuses. */
enum yk_status yk_ec_change_state(struct yk_ec_master *m, size_t k, enum yk_ec_state state, double patience_s,
                                  struct yk_err *err);
/* Reads AL status and code of slave k into it; false: no answer. */
bool yk_ec_read_state(struct yk_ec_master *m, size_t k);
/* SyncManagers of the mailboxes; before PREOP. */
enum yk_status yk_ec_open_mailbox(struct yk_ec_master *m, size_t k, struct yk_err *err);
/* Objects; the result of an upload is in m->sdo. An abort is YK_E_UNSUPPORTED, and m->sdo.code has its code. */
enum yk_status yk_ec_upload(struct yk_ec_master *m, size_t k, uint16_t index, uint8_t subindex, struct yk_err *err);
enum yk_status yk_ec_download(struct yk_ec_master *m, size_t k, uint16_t index, uint8_t subindex, uint64_t value,
                              size_t bytes, struct yk_err *err);

/* Carries m->sdo, which was begun, to its end. */
enum yk_status yk_ec_transfer(struct yk_ec_master *m, size_t k, struct yk_err *err);

/* ---- process data ---- */

/* The mapping of slave k: what `setup` asks for, or what the slave has (its objects, or its SII). `setup` may be NULL.
 * In PREOP. */
enum yk_status yk_ec_map(struct yk_ec_master *m, size_t k, const struct yk_ec_slave_setup *setup, struct yk_err *err);
/* The entry of slave k; NULL: it is not mapped. */
const struct yk_ec_placed *yk_ec_find(const struct yk_ec_master *m, size_t k, uint16_t index, uint8_t subindex,
                                      bool to_slave);
/* Places all entries in one image. */
enum yk_status yk_ec_lay_out(struct yk_ec_master *m, struct yk_err *err);
/* SyncManagers and FMMUs of slave k, and its watchdog; before SAFEOP. */
enum yk_status yk_ec_configure(struct yk_ec_master *m, size_t k, double watchdog_s, struct yk_err *err);

/* ---- clocks ---- */

/* Measures delays, sets offsets and waits until the clocks agree to 1 us. YK_OK without a clock: has_clock is false. */
enum yk_status yk_ec_start_clocks(struct yk_ec_master *m, double patience_s, struct yk_err *err);
enum yk_status yk_ec_start_sync(struct yk_ec_master *m, size_t k, uint32_t cycle_ns, uint32_t shift_ns,
                                struct yk_err *err);

/* ---- the cycle ---- */

/* One datagram more asks for the mailbox of one slave after the other; a message that is there comes with the next
 * frame, and an emergency is then in `emergency` of its slave. No other message is expected while the cycle runs. */
/* Sends outputs and waits for the frame until then (time of the wire). Inputs are taken if the working counter is that
 * expected, or `short_of` less. */
enum yk_ec_result yk_ec_cycle(struct yk_ec_master *m, int64_t until_ns, uint16_t short_of) YK_RT;
/* A frame that only reads the inputs. */
enum yk_ec_result yk_ec_read_inputs(struct yk_ec_master *m, int64_t until_ns) YK_RT;
/* Sends outputs and does not wait. */
void yk_ec_send_outputs(struct yk_ec_master *m) YK_RT;

#endif
