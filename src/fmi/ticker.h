/* An FMU that makes one step a tick and is never asked twice: controllers, plants, loads. Its inputs are held during
 * the tick. A struct of this kind lies in the memory of its owner, so copies of it are states of their own. */
#ifndef YOKE_FMI_TICKER_H
#define YOKE_FMI_TICKER_H

#include <yoke/arena.h>
#include <yoke/fmu.h>
#include <yoke/param.h>

struct yk_fmu_ticker {
    /* settings */
    char *file, *parameters;
    int interface, isolation;
    double timeout, settle;

    /* private */
    struct yk_fmu *fmu;
    double h;
    long ticks, settling;
    int substeps;
    uint64_t number;
    bool fresh;
    size_t inputs, outputs;
    double *in, *out, *first_in, *first_out, *z, *first_z;
    uint64_t first;
};

/* Entries shared by the tables of settings. */
#define YK_FMU_TICKER_PARAMS(owner, at)                                                                                \
    {.name = "file",                                                                                                   \
     .type = YK_PARAM_FILE,                                                                                            \
     .offset = offsetof(owner, at.file),                                                                               \
     .fallback = YK_REQUIRED,                                                                                          \
     .help = "the FMU: an archive, or an unpacked folder"},                                                            \
        {.name = "parameters",                                                                                         \
         .type = YK_PARAM_TEXT,                                                                                        \
         .offset = offsetof(owner, at.parameters),                                                                     \
         .help = "parameters of the FMU, such as `K=2, T=10 ms`"},                                                     \
        {.name = "interface",                                                                                          \
         .type = YK_PARAM_CHOICE,                                                                                      \
         .offset = offsetof(owner, at.interface),                                                                      \
         .choices = YK_FMU_INTERFACE_CHOICES,                                                                          \
         .help = "interface of the FMU; auto: co-simulation if it has it"},                                            \
        {.name = "isolation",                                                                                          \
         .type = YK_PARAM_CHOICE,                                                                                      \
         .offset = offsetof(owner, at.isolation),                                                                      \
         .choices = YK_FMU_ISOLATION_CHOICES,                                                                          \
         .help = "process: in a process of its own, which may crash; none: in this program"},                          \
    {                                                                                                                  \
        .name = "timeout", .type = YK_PARAM_REAL, .offset = offsetof(owner, at.timeout), .quantity = YK_TIME,          \
        .fallback = 1, .min = 1e-6, .max = 3600, .help = "longest time of one call"                                    \
    }
#define YK_FMU_TICKER_SETTLE(owner, at, help_)                                                                         \
    {                                                                                                                  \
        .name = "settle", .type = YK_PARAM_REAL, .offset = offsetof(owner, at.settle), .quantity = YK_TIME, .min = 0,  \
        .max = 1e4, .help = help_                                                                                      \
    }
#define YK_FMU_VARIABLE(owner, field, fallback_, help_)                                                                \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_TEXT, .offset = offsetof(owner, field), .fallback = (fallback_),              \
        .help = help_                                                                                                  \
    }

/* A variable of the FMU; a name of NULL: it is not connected. */
struct yk_fmu_wire {
    const char *key, *name;
    enum yk_quantity quantity;
};
/* Opens the FMU and connects it. Inputs that are not connected are kept in `in`, but not set; outputs must be. end_s:
 * of the run, 0: unknown. */
enum yk_status yk_fmu_ticker_open(struct yk_fmu_ticker *t, const char *name, const struct yk_fmu_wire *inputs,
                                  size_t input_count, const struct yk_fmu_wire *outputs, size_t output_count, double h,
                                  double end_s, struct yk_arena *mem, struct yk_err *err);
/* At its start, with these inputs since ever (for `settle` seconds). */
void yk_fmu_ticker_reset(struct yk_fmu_ticker *t) YK_RT;
/* One tick with the inputs in `in`; the outputs are in `out`, NaN after a failure. */
void yk_fmu_ticker_step(struct yk_fmu_ticker *t) YK_RT;
/* For tables of functions: `self` is a ticker, or a struct that begins with one. */
void yk_fmu_ticker_close(void *self);
bool yk_fmu_ticker_fault(const void *self, char *text, size_t size);

#endif
