/* The messages of OpenFresco 2.8 and of the OpenSees elements genericClient and adapter, as bytes. docs/opensees.md
 *
 * The client sends vectors of a fixed number of doubles whose first one is an action; for some actions the server
 * returns a vector of the same length. There are no lengths, check sums or numbers on the wire: both sides must count
 * bytes. All numbers are little-endian. */
#ifndef YOKE_FRESCO_H
#define YOKE_FRESCO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

enum {
    YK_FRESCO_DATA = 256,         /* doubles in a vector, unless more are needed */
    YK_FRESCO_MOST = 16384,       /* that are taken */
    YK_FRESCO_SIZES_BYTES = 44,   /* of the sizes that open a session */
    YK_FRESCO_SETUP_BYTES = 40,   /* of the sizes behind a setup */
    YK_FRESCO_TEXT_BYTES = 16385, /* of a line of an initialisation file */
    YK_FRESCO_DATAGRAM = 9126,    /* most bytes of a vector in one datagram */
};
#define YK_FRESCO_VERSION 2.8

/* Blocks of a vector, in this order. */
enum yk_fresco_block {
    YK_FRESCO_DISP,
    YK_FRESCO_VEL,
    YK_FRESCO_ACCEL,
    YK_FRESCO_FORCE,
    YK_FRESCO_TIME,
    YK_FRESCO_BLOCKS
};

/* How many doubles each block has. ctrl: from the client, behind the action. daq: from the server. */
struct yk_fresco_sizes {
    int ctrl[YK_FRESCO_BLOCKS], daq[YK_FRESCO_BLOCKS];
    int data; /* doubles in every vector */
};

/* X(id, action in tenths): 4.1, 4.2 and 4.3 are actions too */
#define YK_FRESCO_ACTION_LIST(X)                                                                                       \
    X(OPEN, 10)                                                                                                        \
    X(SETUP, 20)                                                                                                       \
    X(TRIAL, 30)                                                                                                       \
    X(EXECUTE, 40)                                                                                                     \
    X(READY, 41) /* SimSimulink: may the predictor be switched? */                                                     \
    X(SWITCH, 42)                                                                                                      \
    X(SWITCHED, 43)                                                                                                    \
    X(COMMIT, 50)                                                                                                      \
    X(GET_DAQ, 60)                                                                                                     \
    X(GET_DISP, 70)                                                                                                    \
    X(GET_VEL, 80)                                                                                                     \
    X(GET_ACCEL, 90)                                                                                                   \
    X(GET_FORCE, 100)                                                                                                  \
    X(GET_TIME, 110)                                                                                                   \
    X(GET_INITIAL_STIFF, 120)                                                                                          \
    X(GET_TANGENT_STIFF, 130)                                                                                          \
    X(GET_DAMP, 140)                                                                                                   \
    X(GET_MASS, 150)                                                                                                   \
    X(DIE, 990)
enum yk_fresco_action {
    YK_FRESCO_UNKNOWN, /* a whole number that means nothing here: not answered */
#define X(id, tenths) YK_FRESCO_##id = tenths,
    YK_FRESCO_ACTION_LIST(X)
#undef X
};

/* ---- bytes ---- */

void yk_fresco_put_sizes(const struct yk_fresco_sizes *sizes, unsigned char bytes[YK_FRESCO_SIZES_BYTES]);
struct yk_fresco_sizes yk_fresco_get_sizes(const unsigned char bytes[YK_FRESCO_SIZES_BYTES]);
void yk_fresco_put_ints(const int *values, size_t count, unsigned char *bytes);
void yk_fresco_put_doubles(const double *values, size_t count, unsigned char *bytes) YK_RT;
void yk_fresco_get_doubles(const unsigned char *bytes, size_t count, double *values) YK_RT;
/* The double of an action. */
double yk_fresco_code(enum yk_fresco_action action) YK_RT;

/* Index of the first double of a block in a vector of the server, or of the client (`behind` 1: the action). */
size_t yk_fresco_place(const int *sizes, enum yk_fresco_block block, size_t behind) YK_RT;
/* Do both vectors have room for their blocks, and is no size absurd? */
bool yk_fresco_sizes_are_sane(const struct yk_fresco_sizes *sizes);

/* ---- what a client sends, as a stream of bytes ---- */

enum yk_fresco_dialect {
    YK_FRESCO_GENERIC,  /* genericClient of OpenSees, GenericTCP and SimDomain of OpenFresco */
    YK_FRESCO_ACTOR,    /* ShadowSite of OpenFresco: we are its ActorSite */
    YK_FRESCO_SIMULINK, /* SimSimulink of OpenFresco: answers begin with a flag */
};

enum yk_fresco_event {
    YK_FRESCO_NOTHING,  /* more bytes are needed */
    YK_FRESCO_GREETING, /* the byte order of a ShadowSite: answer with the same four bytes */
    YK_FRESCO_SIZES,    /* `sizes` is filled */
    YK_FRESCO_TEXT,     /* a line of an initialisation file, in `text` */
    YK_FRESCO_VECTOR,   /* `action` and `values` are filled */
    YK_FRESCO_BAD,      /* not this protocol; see `problem` */
};

struct yk_fresco_reader {
    enum yk_fresco_dialect dialect;
    struct yk_fresco_sizes sizes; /* data 0: not told yet */
    enum yk_fresco_action action;
    double values[YK_FRESCO_MOST]; /* sizes.data of them; the action first */
    char text[128];                /* begin of the last line, printable */
    const char *problem;

    /* private */
    bool greeted, sized;
    size_t length, filled;
    unsigned char bytes[8 * YK_FRESCO_MOST];
};
/* `greets`: over TCP a ShadowSite begins with its byte order. */
void yk_fresco_reader_init(struct yk_fresco_reader *r, enum yk_fresco_dialect dialect, bool greets);
/* Takes bytes up to the end of a message; returns how many were taken. Takes none after YK_FRESCO_BAD. */
size_t yk_fresco_feed(struct yk_fresco_reader *r, const unsigned char *bytes, size_t size, enum yk_fresco_event *event);
/* Has part of a message come? */
bool yk_fresco_is_amid(const struct yk_fresco_reader *r);

#endif
