/* State and process image of the backend `ethercat`, shared by its parts. */
#ifndef YOKE_RIG_ETHERCAT_PARTS_H
#define YOKE_RIG_ETHERCAT_PARTS_H

#include "rig/ethercat.h"

#include "ethercat/capture.h"
#include "ethercat/drive.h"
#include <yoke/ethercat_setup.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* Place of a number in the process image. */
struct yk_ec_place {
    size_t bit;
    enum yk_ec_type type;
    int bits; /* 0: nowhere */
};

struct yk_ec_wired {
    const struct yk_ec_channel *told;
    struct yk_ec_place at, status;
    size_t item; /* actuator, sensor or line */
    int drive;   /* that moves it; -1: none */
    bool is_output;
};

struct yk_ec_axis {
    size_t slave;
    struct yk_ec_place control, status, mode, mode_shown, actual, error;
    uint8_t mode_command, mode_second; /* second control mode; 0: none */
    uint8_t mode_sent;
    size_t item; /* with a second mode: the actuator */
    uint16_t sent;
    uint16_t told;      /* bits of the status word that were told as warnings and have not gone since */
    uint64_t stands_at; /* in a quick stop: its position, in counts */
    int still;          /* ticks for which it has stood there */
    int homes;          /* it looks for its zero: ticks since; 0: it does not */
};

/* Remarks queued until they are asked for; if there is no room, they are lost. */
enum { YK_EC_NOTICES = 8, YK_EC_WORDS = 256 };
struct yk_ec_notices {
    unsigned first, count;
    char words[YK_EC_NOTICES][YK_EC_WORDS];
};

/* The state of an open bus. There is one, on the heap: states of a plan that are copied share it, as they share the
 * hardware. */
struct yk_ec_rig {
    struct yk_ec_setup setup; /* as in struct yk_ec_backend, which owns its lists */
    struct yk_ec_master master;
    struct yk_claim claim;         /* of the interface: a bus has one master */
    struct yk_ec_capture *capture; /* of its frames, which owns the wire; NULL: none */
    struct yk_rig_plan plan;
    size_t channel_count, drive_count;
    struct yk_ec_wired *channels;
    struct yk_ec_axis *drives;
    enum yk_drive_goal goal;
    bool follows; /* commands go out; otherwise the drives stay where they are */

    int64_t period_ns, wait_ns, silence_ns;
    int64_t due_ns; /* when the last tick was due */
    int64_t good_ns;
    struct yk_ec_phase phase;
    bool paced, aligned; /* pace was called for this tick; and for the first of the run */
    bool operates, lost, finding;
    char words[YK_EC_WORDS]; /* why it was lost, or what is wrong */
    struct yk_ec_notices notices;
    char *says; /* the words that are being made: one of the above */
    size_t said;
    unsigned *emergencies; /* of each slave: how many were told */

    struct yk_reading *readings;
    double *positions; /* of the drives, as commands; NaN: not commanded by position */
    double *sensors;
    uint32_t lines;
    uint64_t modes; /* bit i: actuator i, as its drive shows, is in its second mode */

    bool keeps;
    atomic_bool stop_keeping, has_stopped;
    pthread_t keeper;

    /* a cut: the thread is there while the drives are enabled, and sleeps until it is needed */
    bool has_braker, was_cut;
    uint32_t sent_lines, cut_lines; /* levels of the outputs: as last sent; after the quick stop */
    sem_t cut_now;
    pthread_t braker;
};

/* Private struct of the backend. */
struct yk_ec_backend {
    struct yk_ec_setup setup; /* first: the settings */
    struct yk_ec_wire wire;   /* instead of the interface, where one was given */
    struct yk_ec_rig *rig;    /* NULL: not open */
};

/* ---- the process image: ethercat_image.c ---- */

/* The nearest number of the type of the place; values out of range are clipped. */
void yk_ec_place_put(uint8_t *image, const struct yk_ec_place *p, double value) YK_RT;
/* The word at a place of the inputs; 0 if it is nowhere. */
uint16_t yk_ec_rig_word(const struct yk_ec_rig *r, const struct yk_ec_place *p) YK_RT;
/* Does the drive show the commanded mode? A drive that does not send its mode was asked before the run. */
bool yk_ec_rig_mode_is_right(const struct yk_ec_rig *r, const struct yk_ec_axis *d) YK_RT;
/* Is it in its second mode? */
bool yk_ec_rig_is_second(const struct yk_ec_rig *r, const struct yk_ec_axis *d) YK_RT;
/* Is the drive enabled in its mode, and does it follow its target? */
bool yk_ec_rig_follows(const struct yk_ec_rig *r, const struct yk_ec_axis *d) YK_RT;
/* Begins, or goes on, to let a drive look for its zero; before the outputs. `words` say why one cannot. */
enum yk_homing_answer yk_ec_rig_home(struct yk_ec_rig *r, const struct yk_homing *homing) YK_RT;
/* Control words, targets and lines into the outputs. `out` NULL: drives stay where they are, lines as they are. */
void yk_ec_rig_fill(struct yk_ec_rig *r, const struct yk_rig_out *out) YK_RT;
/* The levels of the output lines alone. */
void yk_ec_rig_put_lines(struct yk_ec_rig *r, uint32_t lines) YK_RT;
/* Inputs into the readings; readings to the caller. */
void yk_ec_rig_take(struct yk_ec_rig *r) YK_RT;
void yk_ec_rig_hand_over(const struct yk_ec_rig *r, struct yk_rig_in *in) YK_RT;

/* ---- preparation: ethercat_open.c ---- */

/* Does every channel belong to something of the plan? Does every actuator have a command, the reading that it is
 * commanded in, its displacement and its force, every sensor and line its channel? A substructure without a force would
 * be integrated on 0 N. */
enum yk_status yk_ec_setup_check(const struct yk_ec_setup *setup, const struct yk_rig_plan *plan, struct yk_err *err);
/* From the discovery of the slaves to SAFEOP; refuses a bus that differs from the file. */
enum yk_status yk_ec_rig_prepare(struct yk_ec_rig *r, const struct yk_rig_plan *plan, struct yk_err *err);

#endif
