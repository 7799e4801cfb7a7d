/* Frames of a bus into a file (pcapng), beside the loop.
 *
 * The capture stands between a master and its wire. Every frame that is sent or received is copied into a ring; a
 * thread of normal priority writes it. Either all frames are written, or the last ones before each event and some
 * after it. */
#ifndef YOKE_ETHERCAT_CAPTURE_H
#define YOKE_ETHERCAT_CAPTURE_H

#include <yoke/ethercat.h>

struct yk_ec_capture; /* opaque: owns a thread and a file */

#define YK_EC_CAPTURE_CHOICES "none|all|event"
enum yk_ec_capture_mode { YK_EC_CAPTURE_NONE, YK_EC_CAPTURE_ALL, YK_EC_CAPTURE_EVENT };
enum {
    YK_EC_CAPTURE_RING = 4096,   /* frames that wait for the thread; more are dropped and counted */
    YK_EC_CAPTURE_BEFORE = 8192, /* frames before an event */
    YK_EC_CAPTURE_AFTER = 2048   /* and after it */
};

/* Takes the wire over: `wire` is then that of the capture, and closing it ends the capture. Without a file nothing is
 * written. */
enum yk_status yk_ec_capture_begin(struct yk_ec_capture **capture, struct yk_ec_wire *wire,
                                   enum yk_ec_capture_mode mode, struct yk_err *err);
/* Writes to a new file from now on, with what the ring holds. `interface` is its name in the file. */
enum yk_status yk_ec_capture_write(struct yk_ec_capture *c, const char *path, const char *interface,
                                   struct yk_err *err);
/* Something happened. */
void yk_ec_capture_mark(struct yk_ec_capture *c) YK_RT;
/* The file could not be written to its end: told once. */
bool yk_ec_capture_failed(struct yk_ec_capture *c) YK_RT;

#endif
