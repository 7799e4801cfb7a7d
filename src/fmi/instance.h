/* One living copy of the model of an FMU, and the requests it answers. It runs in the host process or in the program
 * itself; the messages are the same.
 *
 * A trial starts from a saved state and changes none: `from` names the state by its number. So a motion of Yoke holds
 * the numbers of its states, and copying a motion copies them. The newest states are kept; the first one always. */
#ifndef YOKE_FMI_INSTANCE_H
#define YOKE_FMI_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <yoke/fmu.h>

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
    double value;  /* of a parameter, SI */
    bool absent;   /* an input that the model does not have: it is not set */
    bool discrete; /* an input that changes at events only */
};

/* Object to be loaded, with its settings and variables. Plain data in shared memory. */
struct yk_fmu_job {
    int version, interface;
    char object[768], resources[768], token[512], name[64]; /* resources: a folder; "": there is none */
    bool saves, variable_step, interpolates, intermediate, completes;
    bool locates;                  /* events: at the instant they happen, not at the end of the step */
    double tolerance, start, stop; /* NAN: not given */
    uint32_t inputs, outputs, parameters, states, indicators;
    struct yk_fmu_port input[YK_FMU_MOST_INPUTS], output[YK_FMU_MOST_OUTPUTS], parameter[YK_FMU_MOST_PARAMETERS];
};

/* Messages are rows of 64-bit words. */
enum { YK_FMU_REQUEST_HEAD = 6, YK_FMU_ANSWER_HEAD = 5 };
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
 * Answer: outcome, warnings, time [ns], heap calls, end of a step that ended early, outputs..., z... */

struct yk_fmu_instance;
/* Loads the object and looks up its functions. `where` (32 bytes) is kept up to date with the name of the function that
 * is being called; `text` (YK_FMU_TEXT bytes) gets what the FMU logs: its last error, or its first warning. */
enum yk_status yk_fmu_instance_open(struct yk_fmu_instance **instance, const struct yk_fmu_job *job, char *where,
                                    char *text, struct yk_err *err);
void yk_fmu_instance_answer(struct yk_fmu_instance *instance, const union yk_fmu_word *request,
                            union yk_fmu_word *answer);
void yk_fmu_instance_close(struct yk_fmu_instance *instance);

#endif
