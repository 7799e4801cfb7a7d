/* An FMU that is open: its description, the variables that are used, and the process that it runs in. */
#ifndef YOKE_FMI_FMU_H
#define YOKE_FMI_FMU_H

#include "fmi/description.h"
#include "fmi/instance.h"

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
/* Heap calls and time [ns] of the last request, warnings so far. */
void yk_fmu_costs(const struct yk_fmu *fmu, uint64_t *heap, uint64_t *ns, uint64_t *warnings);

/* The path of a file that is installed with the program for FMUs: their host, the objects of exported ones. */
bool yk_fmu_tool(const char *name, char *path, size_t size);

/* An input course of a co-simulation step: the best that the FMU can do. */
enum yk_fmu_course yk_fmu_best_course(const struct yk_fmu *fmu, bool feedthrough_known);

/* Derivatives of the outputs by the inputs at the start (outputs x inputs, by columns): by directional derivatives, by
 * differences for model exchange, or for co-simulation over a step of `tiny` seconds. YK_E_UNSUPPORTED: unknown. */
enum yk_status yk_fmu_feedthrough(struct yk_fmu *fmu, uint64_t from, const double *inputs, const double *z,
                                  const double *by, double tiny, double *D, struct yk_err *err);

#endif
