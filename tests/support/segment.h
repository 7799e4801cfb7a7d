/* A simulated EtherCAT segment and a master of single datagrams, written from the description of the protocol and not
 * from the master of the library. */
#ifndef YOKE_TEST_SEGMENT_H
#define YOKE_TEST_SEGMENT_H

#include "segment/sim.h"

/* Commands of datagrams (IEC 61158-4-12). */
enum { APRD = 1, APWR, APRW, FPRD, FPWR, FPRW, BRD, BWR, BRW, LRD, LWR, LRW, ARMW, FRMW };

enum { SEGMENT_TICK_NS = 1000000, LOGICAL = 0x00010000 };

/* A plan of n actuators by displacement, 1 kHz; no rig: drives follow exactly. */
struct yk_rig_plan segment_plan(size_t n);
struct yk_sim_segment *segment_empty(size_t drives);
/* n drives of counts, then a coupler, as in the vectors. */
struct yk_sim_segment *segment_of_drives(size_t n);
/* The slaves that `yoke serve` makes. */
struct yk_sim_segment *segment_for(const struct yk_sim_settings *settings, const struct yk_rig_plan *plan);

/* One datagram in a frame of its own; returns the working counter. `data` is sent and replaced. */
unsigned segment_do(struct yk_sim_segment *g, unsigned command, unsigned adp, unsigned ado, void *data, size_t n);
unsigned segment_read(struct yk_sim_segment *g, unsigned station, unsigned ado, int bytes, uint64_t *value);
unsigned segment_write(struct yk_sim_segment *g, unsigned station, unsigned ado, int bytes, uint64_t value);
/* Lets time pass, in steps of 0.1 ms. */
void segment_wait(struct yk_sim_segment *g, int64_t ns);

/* Station addresses 0x1001, ... */
void segment_address(struct yk_sim_segment *g);
/* Asks for a state and waits; returns the AL status, with the code in the upper half. */
unsigned segment_ask(struct yk_sim_segment *g, unsigned station, unsigned state);
/* SyncManagers and FMMUs by what the slaves are: outputs of all from LOGICAL on, then inputs. Returns the size of the
 * image. */
size_t segment_map(struct yk_sim_segment *g, size_t *inputs);
/* All slaves to OP; returns the size of the image. */
size_t segment_to_op(struct yk_sim_segment *g, size_t *inputs);
unsigned segment_lrw(struct yk_sim_segment *g, uint8_t *image, size_t size);
/* An SDO by the mailbox: the answer, without its mailbox and CoE headers, or 0 bytes. */
size_t segment_sdo(struct yk_sim_segment *g, unsigned station, const uint8_t *request, size_t size, uint8_t *answer);

#endif
