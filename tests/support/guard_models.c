/* Models of tests are read-only between the function that makes them and yk_model_close: the linker leads the calls
 * here
 * (--wrap), and guard.c gives them pages of their own. A test that writes into a model dies of a segmentation fault. */
#include "support/guard.h"

#include "state/state.h"
#include <yoke/fmu.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 }; /* models at the same time; later ones are not guarded */

static struct {
    const struct yk_model *model;
    struct guard_part part;
} sealed[MOST];
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER; /* a thread makes a model that is guarded */
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static bool begin(void)
{
    const char *wish = getenv("YOKE_GUARD");

    if (!guard_works() || guard_is_on() || (wish && strcmp(wish, "off") == 0) || pthread_mutex_trylock(&busy))
        return false;
    guard_begin();
    return true;
}

static void end(const struct yk_model *model)
{
    const struct guard_part part = guard_seal();
    size_t i = 0;

    pthread_mutex_lock(&table);
    while (i < MOST && sealed[i].model)
        i++;
    if (model && i < MOST) {
        sealed[i].model = model;
        sealed[i].part = part;
    } else {
        guard_open(part);
    }
    pthread_mutex_unlock(&table);
    pthread_mutex_unlock(&busy);
}

/* Makes a model by the real function. */
#define MAKE(call, made)                                                                                               \
    const bool guards = begin();                                                                                       \
    const enum yk_status st = call;                                                                                    \
                                                                                                                       \
    if (guards)                                                                                                        \
        end(st ? NULL : (made));                                                                                       \
    return st

enum yk_status __real_yk_model_open(struct yk_model **model, const char *path, const char *const *set, size_t count,
                                    struct yk_err *err);
enum yk_status __wrap_yk_model_open(struct yk_model **model, const char *path, const char *const *set, size_t count,
                                    struct yk_err *err);
enum yk_status __wrap_yk_model_open(struct yk_model **model, const char *path, const char *const *set, size_t count,
                                    struct yk_err *err)
{
    MAKE(__real_yk_model_open(model, path, set, count, err), *model);
}

enum yk_status __real_yk_model_read(struct yk_model **model, const struct yk_model_source *source, struct yk_err *err);
enum yk_status __wrap_yk_model_read(struct yk_model **model, const struct yk_model_source *source, struct yk_err *err);
enum yk_status __wrap_yk_model_read(struct yk_model **model, const struct yk_model_source *source, struct yk_err *err)
{
    MAKE(__real_yk_model_read(model, source, err), *model);
}

enum yk_status __real_yk_model_vary(struct yk_model **model, const struct yk_model *of, const char *const *set,
                                    size_t count, struct yk_err *err);
enum yk_status __wrap_yk_model_vary(struct yk_model **model, const struct yk_model *of, const char *const *set,
                                    size_t count, struct yk_err *err);
enum yk_status __wrap_yk_model_vary(struct yk_model **model, const struct yk_model *of, const char *const *set,
                                    size_t count, struct yk_err *err)
{
    MAKE(__real_yk_model_vary(model, of, set, count, err), *model);
}

enum yk_status __real_yk_model_on_rig(struct yk_model **model, const struct yk_model *of, struct yk_err *err);
enum yk_status __wrap_yk_model_on_rig(struct yk_model **model, const struct yk_model *of, struct yk_err *err);
enum yk_status __wrap_yk_model_on_rig(struct yk_model **model, const struct yk_model *of, struct yk_err *err)
{
    MAKE(__real_yk_model_on_rig(model, of, err), *model);
}

enum yk_status __real_yk_model_create(struct yk_model **model, const struct yk_model *of, double dt,
                                      struct yk_err *err);
enum yk_status __wrap_yk_model_create(struct yk_model **model, const struct yk_model *of, double dt,
                                      struct yk_err *err);
enum yk_status __wrap_yk_model_create(struct yk_model **model, const struct yk_model *of, double dt, struct yk_err *err)
{
    MAKE(__real_yk_model_create(model, of, dt, err), *model);
}

enum yk_status __real_yk_model_create_complete(struct yk_model **model, const struct yk_model *of, struct yk_err *err);
enum yk_status __wrap_yk_model_create_complete(struct yk_model **model, const struct yk_model *of, struct yk_err *err);
enum yk_status __wrap_yk_model_create_complete(struct yk_model **model, const struct yk_model *of, struct yk_err *err)
{
    MAKE(__real_yk_model_create_complete(model, of, err), *model);
}

enum yk_status __real_yk_model_prepare(struct yk_model *model, double dt, struct yk_err *err);
enum yk_status __wrap_yk_model_prepare(struct yk_model *model, double dt, struct yk_err *err);
enum yk_status __wrap_yk_model_prepare(struct yk_model *model, double dt, struct yk_err *err)
{
    MAKE(__real_yk_model_prepare(model, dt, err), model);
}

enum yk_status __real_yk_model_complete(struct yk_model *model, struct yk_err *err);
enum yk_status __wrap_yk_model_complete(struct yk_model *model, struct yk_err *err);
enum yk_status __wrap_yk_model_complete(struct yk_model *model, struct yk_err *err)
{
    MAKE(__real_yk_model_complete(model, err), model);
}

/* The list of loaded plugins changes with every other one. */
void *__real_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags)
{
    const bool guards = guard_is_on();

    guard_switch(false);
    void *object = __real_dlopen(path, flags);
    guard_switch(guards);
    return object;
}

/* The FMU itself is outside of the model: a process, and the numbers of the requests to it. */
enum yk_status __real_yk_fmu_open(struct yk_fmu **fmu, const char *path, const char *name, struct yk_err *err);
enum yk_status __wrap_yk_fmu_open(struct yk_fmu **fmu, const char *path, const char *name, struct yk_err *err);
enum yk_status __wrap_yk_fmu_open(struct yk_fmu **fmu, const char *path, const char *name, struct yk_err *err)
{
    const bool guards = guard_is_on();

    guard_switch(false);
    const enum yk_status st = __real_yk_fmu_open(fmu, path, name, err);
    guard_switch(guards);
    return st;
}

enum yk_status __real_yk_fmu_start(struct yk_fmu *fmu, const struct yk_fmu_start *start, const double *inputs,
                                   uint64_t *number, double *outputs, double *z, struct yk_err *err);
enum yk_status __wrap_yk_fmu_start(struct yk_fmu *fmu, const struct yk_fmu_start *start, const double *inputs,
                                   uint64_t *number, double *outputs, double *z, struct yk_err *err);
enum yk_status __wrap_yk_fmu_start(struct yk_fmu *fmu, const struct yk_fmu_start *start, const double *inputs,
                                   uint64_t *number, double *outputs, double *z, struct yk_err *err)
{
    const bool guards = guard_is_on();

    guard_switch(false);
    const enum yk_status st = __real_yk_fmu_start(fmu, start, inputs, number, outputs, z, err);
    guard_switch(guards);
    return st;
}

void __real_yk_model_close(struct yk_model *model);
void __wrap_yk_model_close(struct yk_model *model);
void __wrap_yk_model_close(struct yk_model *model)
{
    pthread_mutex_lock(&table);
    for (size_t i = 0; model && i < MOST; i++)
        if (sealed[i].model == model) {
            guard_open(sealed[i].part);
            sealed[i].model = NULL;
        }
    pthread_mutex_unlock(&table);
    __real_yk_model_close(model);
}
