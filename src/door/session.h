/* A session from inside. */
#ifndef YOKE_PROGRAM_SESSION_H
#define YOKE_PROGRAM_SESSION_H

#include "engine/engine.h"
#include "engine/loop.h"

/* Forces on a side, or on the one domain: the loads of the file and the forces of the program. */
struct yk_pushed {
    struct yk_loading loads;
    size_t n;
    double *f;
};

/* Moves the specimens along given displacements (follow.c). */
struct yk_follower {
    struct yk_following *along; /* NULL: the method moves them */
    struct yk_driver driver;
    const struct yk_state *state;
    double *room; /* v of a step, and three readings that nobody asks for */
};

struct yk_session {
    const struct yk_model *model;
    struct yk_loop loop;
    struct yk_run_settings settings;
    struct yk_run_control control;
    struct yk_run_result result;
    struct yk_run_channels channels;
    struct yk_rows rows[YK_STREAMS];
    struct yk_provenance provenance;
    json_t *commissioning; /* see yk_commissioning_check */
    int64_t begin_ns;
    bool open, ended;   /* the loop is open; the actuators are at rest and the recording is complete */
    atomic_bool paused; /* by the program */
    bool pushes;        /* the program pushes, or did so once */
    double *pushed;     /* by degree of freedom of all substructures */
    struct yk_pushed side[YK_SIDES];
    bool watches;
    struct yk_follower follower;
    double **watched; /* by substructure: u, v, a of it, which the program looks at; NULL: it does not */
};

enum yk_status yk_follower_open(struct yk_follower *follower, const struct yk_model *model, struct yk_following *along,
                                struct yk_err *err);

/* Pointers from the state to the session: set, and removed before the state is copied. */
void yk_session_attach(struct yk_session *session);
void yk_session_detach(struct yk_session *session);
enum yk_status yk_session_begin_pushing(struct yk_session *session, struct yk_err *err);
void yk_session_distribute(struct yk_session *session);
void yk_session_see_motion(struct yk_session *session);
extern const char *const yk_stream_names[YK_STREAMS]; /* "system", "fine", "ticks" */
/* Number of a stream by name; -1: none. */
int yk_stream_number(const char *name);
struct yk_kept_rows yk_rows_shown(const struct yk_rows *rows); /* NULL: there are none */

#endif
