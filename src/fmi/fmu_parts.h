/* Private struct of an open FMU, and what its files share: interface (fmu.c), variables (fmu_variables.c), the process
 * that it runs in (fmu_process.c), requests to it (fmu_requests.c). */
#ifndef YOKE_FMI_FMU_PARTS_H
#define YOKE_FMI_FMU_PARTS_H

#include <yoke/fmu.h>

#include "base/scratch.h"
#include "fmi/archive.h"
#include "fmi/description.h"
#include "fmi/instance.h"
#include "fmi/shared.h"

#include <sys/types.h>

/* First failure of an FMU. Numbers only; words are made later. */
struct yk_fmu_failure {
    enum yk_fmu_outcome outcome;
    int code; /* signal or exit code */
    double t, waited_s;
    char where[32];
};

struct yk_fmu {
    char *path;
    char folder[YK_SCRATCH_PATH]; /* where it is unpacked */
    bool owns_folder;
    struct yk_fmu_description d;
    int chosen;
    struct yk_fmu_job job;
    enum yk_fmu_events events;

    bool in_process, dead;
    int64_t timeout_ns;
    pid_t pid;
    int life;                     /* the host ends when this is closed */
    struct yk_fmu_shared *shared; /* NULL: not started */
    size_t shared_size;
    struct yk_board *requests, *answers;
    struct yk_fmu_instance *instance; /* in this process */
    union yk_fmu_word *request, *answer;
    uint64_t seen;
    double next_event;

    atomic_flag busy;
    atomic_uint_fast64_t number;
    struct yk_fmu_failure fault;
};

/* ---- the process ---- */

/* The path of a file that is installed with the program for FMUs: their host. */
bool yk_fmu_tool(const char *name, char *path, size_t size);

/* Starts the host, and again where it is gone; waits until the FMU is loaded. */
enum yk_status yk_fmu_start_host(struct yk_fmu *f, struct yk_err *err);
void yk_fmu_end_host(struct yk_fmu *f);
/* Is it gone? Takes note of how. */
bool yk_fmu_has_gone(struct yk_fmu *f);
/* Waits for the answer to the request that was posted last. */
bool yk_fmu_await_answer(struct yk_fmu *f, int64_t longest_ns) YK_RT;

/* ---- requests ---- */

void yk_fmu_post_request(struct yk_fmu *f) YK_RT;
/* The fault in words, as the reason why it does not start. */
enum yk_status yk_fmu_refuse_start(const struct yk_fmu *f, struct yk_err *err);

#endif
