/* An FMU (functional mock-up unit, FMI 2.0 or 3.0) of another program: its description, the variables that are used,
 * and the process that it runs in. Experiments use it as `kind: fmu` (docs/fmi.md); this is for programs that look into
 * one or step it alone. The binary interface of FMI: yoke/fmi2.h, yoke/fmi3.h.
 *
 *     yk_fmu_open(&fmu, "absorber.fmu", "absorber", &err);          unpacked and described
 *     yk_fmu_choose(fmu, YK_FMU_ANY_INTERFACE, true, &err);
 *     yk_fmu_input(fmu, "x", YK_DISPLACEMENT, &err);                the variables that go in and out, in this order
 *     yk_fmu_output(fmu, "F", YK_FORCE, &err);
 *     yk_fmu_start(fmu, &start, in, &number, out, NULL, &err);      in a process of its own; the state `number`
 *     yk_fmu_ask(fmu, &ask, out, NULL);                             a step from it */
#ifndef YOKE_PUBLIC_FMU_H
#define YOKE_PUBLIC_FMU_H

#include <stdbool.h>
#include <stdint.h>
#include <yoke/status.h>
#include <yoke/units.h>

/* ---- what it is ---- */

enum yk_fmu_type {
    YK_FMU_REAL, /* Real of FMI 2, Float64 of FMI 3 */
    YK_FMU_FLOAT32,
    YK_FMU_INTEGER, /* Integer and Enumeration of FMI 2, Int32 of FMI 3 */
    YK_FMU_INT64,   /* Int64 and Enumeration of FMI 3 */
    YK_FMU_UINT64,
    YK_FMU_BOOLEAN,
    YK_FMU_OTHER /* strings, binaries, clocks, short integers: listed, not used */
};
#define YK_FMU_CAUSALITIES   "local|parameter|calculatedParameter|input|output|independent|structuralParameter"
#define YK_FMU_VARIABILITIES "continuous|constant|fixed|tunable|discrete"
enum yk_fmu_causality {
    YK_FMU_LOCAL,
    YK_FMU_PARAMETER,
    YK_FMU_CALCULATED_PARAMETER,
    YK_FMU_INPUT,
    YK_FMU_OUTPUT,
    YK_FMU_INDEPENDENT,
    YK_FMU_STRUCTURAL_PARAMETER
};
enum yk_fmu_variability { YK_FMU_CONTINUOUS, YK_FMU_CONSTANT, YK_FMU_FIXED, YK_FMU_TUNABLE, YK_FMU_DISCRETE };

/* A variable. Arrays have one value reference and `size` elements. */
struct yk_fmu_variable {
    char *name, *description, *unit, *declared; /* "" where not given */
    uint32_t vr;
    enum yk_fmu_type type;
    enum yk_fmu_causality causality;
    enum yk_fmu_variability variability;
    bool has_start, intermediate, listed; /* listed: among the outputs of ModelStructure */
    double start, min, max, nominal;
    size_t size;
    long derivative; /* FMI 2: position from 1, FMI 3: value reference of what it is the derivative of; -1: of none */
};

struct yk_fmu_unit {
    char *name;
    bool has_base;
    int power[8]; /* kg m s A K mol cd rad */
    double factor, offset;
};

/* An interface that the FMU has, and its flags. */
struct yk_fmu_interface {
    bool offered;
    char *identifier; /* of the shared object */
    bool needs_tool, only_once, saves, serializes, differentiates, variable_step, interpolates, completes,
        no_completion, intermediate, event_mode;
    double internal_step; /* FMI 3; 0: not fixed */
};

enum { YK_FMU_EXCHANGE, YK_FMU_COSIMULATION, YK_FMU_INTERFACES };

struct yk_fmu_description {
    int version; /* 2 or 3 */
    char *version_text, *model, *token, *description, *tool;
    struct yk_fmu_interface interface[YK_FMU_INTERFACES];
    size_t indicators;
    double start, stop, step, tolerance; /* of the default experiment; NAN where not given */
    struct yk_fmu_variable *variables;
    size_t variable_count;
    struct yk_fmu_unit *units;
    size_t unit_count;
    long *derivatives; /* of ModelStructure: variables, by their place in the table */
    size_t derivative_count;
    bool has_clocks;
};

/* The variable of a name, and its element if the name ends with one ("z[2]" counts from 1); NULL: there is none. */
const struct yk_fmu_variable *yk_fmu_variable(const struct yk_fmu_description *d, const char *name, size_t *element);
/* The state that derivative k belongs to; NULL: the description does not say. */
const struct yk_fmu_variable *yk_fmu_state(const struct yk_fmu_description *d, size_t k);

/* SI value = factor x value + offset, for the unit of a variable; refused if it is not one of the quantity. `given`: a
 * unit from the experiment file, which goes first; NULL: none. *assumed: no unit is known, SI is taken. */
enum yk_status yk_fmu_unit_of(const struct yk_fmu_description *d, const struct yk_fmu_variable *v,
                              enum yk_quantity quantity, double *factor, double *offset, bool *assumed,
                              struct yk_err *err);

/* ---- opening one ---- */

#define YK_FMU_INTERFACE_CHOICES "auto|co-simulation|model-exchange"
#define YK_FMU_ISOLATION_CHOICES "process|none"
#define YK_FMU_EVENT_CHOICES     "step|locate|refuse"
enum yk_fmu_wish { YK_FMU_ANY_INTERFACE, YK_FMU_WANTS_COSIMULATION, YK_FMU_WANTS_EXCHANGE };
enum yk_fmu_events { YK_FMU_EVENTS_AT_STEPS, YK_FMU_EVENTS_LOCATED, YK_FMU_EVENTS_REFUSED };

struct yk_fmu; /* opaque: owns a folder, and a process or a loaded object */

/* Unpacks and reads; nothing of the FMU runs yet. `path`: an archive or an unpacked folder; `name` of the instance. */
enum yk_status yk_fmu_open(struct yk_fmu **fmu, const char *path, const char *name, struct yk_err *err);
void yk_fmu_close(struct yk_fmu *fmu);
const struct yk_fmu_description *yk_fmu_description(const struct yk_fmu *fmu);
const char *yk_fmu_path(const struct yk_fmu *fmu);

/* The interface to use; the first to call. Auto: model exchange if the FMU has it (FMI 2), unless `ticks`. */
enum yk_status yk_fmu_choose(struct yk_fmu *fmu, enum yk_fmu_wish wish, bool ticks, struct yk_err *err);
int yk_fmu_chosen(const struct yk_fmu *fmu);
const struct yk_fmu_interface *yk_fmu_flags(const struct yk_fmu *fmu); /* of the chosen interface */
enum yk_status yk_fmu_handle_events(struct yk_fmu *fmu, enum yk_fmu_events events, struct yk_err *err);

/* Variables by name, in the order that values have in requests. input: "" is an input that the model does not have.
 * Suggests the nearest name where there is none. */
enum yk_status yk_fmu_input(struct yk_fmu *fmu, const char *name, enum yk_quantity quantity, struct yk_err *err);
enum yk_status yk_fmu_output(struct yk_fmu *fmu, const char *name, enum yk_quantity quantity, struct yk_err *err);
/* The unit of a variable that declares none, or one that Yoke does not know; before it is used. */
enum yk_status yk_fmu_unit(struct yk_fmu *fmu, const char *name, const char *unit, struct yk_err *err);
/* A value with its unit, "2 kN/m"; checked against the unit that the FMU declares. */
enum yk_status yk_fmu_parameter(struct yk_fmu *fmu, const char *name, const char *value, struct yk_err *err);
/* "k=2 kN/m, c=60": the same, several of them. */
enum yk_status yk_fmu_parameters(struct yk_fmu *fmu, const char *list, struct yk_err *err);

/* Another token than its own, to see whether the FMU refuses it; before the start. */
void yk_fmu_pretend(struct yk_fmu *fmu, const char *token);

/* Starts the host (or loads the object into this process) and initializes the model with these inputs. end: of the run
 * [s]. outputs and z (yk_fmu_states numbers) may be NULL. */
struct yk_fmu_start {
    bool in_process;
    double timeout_s, end_s;
    bool no_saving; /* even if the FMU could */
};
enum yk_status yk_fmu_start(struct yk_fmu *fmu, const struct yk_fmu_start *start, const double *inputs,
                            uint64_t *number, double *outputs, double *z, struct yk_err *err);
bool yk_fmu_saves(const struct yk_fmu *fmu);
size_t yk_fmu_states(const struct yk_fmu *fmu);
bool yk_fmu_has_events(const struct yk_fmu *fmu); /* or wants to know of accepted steps: commits matter */

/* ---- steps ---- */

/* Kind of a request. A trial starts from a saved state and changes none: `from` names the state by its number. The
 * newest 256 states are kept; the first one always. */
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

/* A request; arrays of the size of the inputs, outputs and states. */
struct yk_fmu_ask {
    enum yk_fmu_request what;
    enum yk_fmu_course course;
    int substeps;
    bool keep; /* the result is a state at once */
    uint64_t from, as;
    double t, h;
    const double *begin, *end, *z;
};
/* May be called from any thread, one at a time: others wait. The only system calls are those of the wait, which ends
 * after the timeout. Failures are kept for yk_fmu_fault, except YK_FMU_STATE_GONE. */
enum yk_fmu_outcome yk_fmu_ask(struct yk_fmu *fmu, const struct yk_fmu_ask *ask, double *outputs, double *z) YK_RT;
uint64_t yk_fmu_number(struct yk_fmu *fmu) YK_RT; /* for a new state or trial */
/* Again from the start, with these inputs: the state gets a new number. Starts the host again if it is gone. */
enum yk_fmu_outcome yk_fmu_again(struct yk_fmu *fmu, const double *inputs, uint64_t *number, double *outputs,
                                 double *z);

/* Did something go wrong since the last start? What did first, in words; false: nothing. */
bool yk_fmu_has_failed(const struct yk_fmu *fmu) YK_RT;
bool yk_fmu_fault(const struct yk_fmu *fmu, char *text, size_t size);
/* The caller has overcome the failure: a trial that the model discarded, say. */
void yk_fmu_forgive(struct yk_fmu *fmu);
/* Time of that, from the start; where the FMU ended itself, the last time that it reached. */
double yk_fmu_stopped_at(const struct yk_fmu *fmu);
/* Heap calls and time [ns] of the last request, warnings so far. */
void yk_fmu_costs(const struct yk_fmu *fmu, uint64_t *heap, uint64_t *ns, uint64_t *warnings);

/* An input course of a co-simulation step: the best that the FMU can do. */
enum yk_fmu_course yk_fmu_best_course(const struct yk_fmu *fmu, bool feedthrough_known);

/* Derivatives of the outputs by the inputs at the start (outputs x inputs, by columns): by directional derivatives, by
 * differences for model exchange, or for co-simulation over a step of `tiny` seconds. YK_E_UNSUPPORTED: unknown. */
enum yk_status yk_fmu_feedthrough(struct yk_fmu *fmu, uint64_t from, const double *inputs, const double *z,
                                  const double *by, double tiny, double *D, struct yk_err *err);

#endif
