/* One living copy of the model of an FMU, and the requests it answers. It runs in the host process or in the program
 * itself; the messages are the same.
 *
 * A trial starts from a saved state and changes none: `from` names the state by its number. So a motion of Yoke holds
 * the numbers of its states, and copying a motion copies them. The newest states are kept; the first one always. */
#ifndef YOKE_FMI_INSTANCE_H
#define YOKE_FMI_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <yoke/status.h>

enum {
    YK_FMU_MOST_INPUTS = 256,
    YK_FMU_MOST_OUTPUTS = 4096,
    YK_FMU_MOST_PARAMETERS = 1024,
    YK_FMU_MOST_STATES = 4096,
    YK_FMU_STATES_KEPT = 256,
    YK_FMU_TEXT = 256
};

/* A variable, or one element of an array, that goes in or out; SI value = factor x value + offset. */
struct yk_fmu_port {
    uint32_t vr;
    int32_t type; /* enum yk_fmu_type */
    uint32_t size, element;
    double factor, offset;
    double value; /* of a parameter, SI */
    bool absent;  /* an input that the model does not have: it is not set */
};

/* What is to be loaded, and with what. Plain data in shared memory. */
struct yk_fmu_job {
    int version, interface;
    char object[768], resources[768], token[512], name[64]; /* resources: a folder; "": there is none */
    bool saves, variable_step, interpolates, intermediate, completes;
    bool locates;                  /* events: at the instant they happen, not at the end of the step */
    double tolerance, start, stop; /* NAN: not given */
    uint32_t inputs, outputs, parameters, states, indicators;
    struct yk_fmu_port input[YK_FMU_MOST_INPUTS], output[YK_FMU_MOST_OUTPUTS], parameter[YK_FMU_MOST_PARAMETERS];
};

enum yk_fmu_request {
    YK_FMU_INIT = 1, /* a fresh instance with the inputs `end` at the start; saved as `as` */
    YK_FMU_STEP,     /* from the state `from` over h: a trial */
    YK_FMU_KEEP,     /* the last trial is accepted as the state `as` */
    YK_FMU_COMMIT,   /* model exchange: a step is accepted, with its events, as the state `as` */
    YK_FMU_DERIVE,   /* derivatives of the outputs by input number `as` */
    YK_FMU_END
};

/* How inputs run during a step. */
enum yk_fmu_course {
    YK_FMU_HELD,    /* at their values of the end */
    YK_FMU_LINEAR,  /* a straight line */
    YK_FMU_MEAN,    /* the mean of begin and end */
    YK_FMU_HERMITE, /* model exchange: the first half are displacements, the second their velocities */
};

enum yk_fmu_outcome {
    YK_FMU_FINE,
    YK_FMU_DISCARDED,  /* the step or value was refused by the model */
    YK_FMU_FAILED,     /* fmi2Error, fmi3Error */
    YK_FMU_FATAL,      /* nothing may be called any more */
    YK_FMU_NOT_FINITE, /* an output is NaN or infinite */
    YK_FMU_STATE_GONE, /* the state is not kept any more */
    YK_FMU_REPEATED,   /* a second trial without saved states */
    YK_FMU_WANTS_END,  /* the model asked to stop */
    YK_FMU_EVENTS,     /* too many events in a step */
    YK_FMU_DIED,       /* the host: of a signal, by an exit, or silent for too long */
    YK_FMU_EXITED,
    YK_FMU_SILENT
};

/* Messages are rows of 64-bit words. */
enum { YK_FMU_REQUEST_HEAD = 6, YK_FMU_ANSWER_HEAD = 4 };
static inline size_t yk_fmu_request_words(const struct yk_fmu_job *j)
{
    return YK_FMU_REQUEST_HEAD + 2 * j->inputs + j->states;
}
static inline size_t yk_fmu_answer_words(const struct yk_fmu_job *j)
{
    return YK_FMU_ANSWER_HEAD + j->outputs + j->states;
}
union yk_fmu_word {
    uint64_t n;
    double x;
};
/* Request: what | course << 8 | substeps << 16, from, as, t, h, 0, begin..., end..., z...
 * Answer: outcome, warnings, time [ns], heap calls, outputs..., z... */

struct yk_fmu_instance;
/* Loads the object and looks up its functions. `where` (32 bytes) is kept up to date with the name of the function that
 * is being called; `text` (YK_FMU_TEXT bytes) gets what the FMU logs: its last error, or its first warning. */
enum yk_status yk_fmu_instance_open(struct yk_fmu_instance **instance, const struct yk_fmu_job *job, char *where,
                                    char *text, struct yk_err *err);
void yk_fmu_instance_answer(struct yk_fmu_instance *instance, const union yk_fmu_word *request,
                            union yk_fmu_word *answer);
void yk_fmu_instance_close(struct yk_fmu_instance *instance);

#endif
