/* Any text as the calibration file of a rig gives zeros within the limits, which are read again as they were written;
 * or it is refused with a message and no remains. */
#include "fuzz.h"

#include "experiment/experiment.h"
#include "transfer/station.h"

#include <sys/mman.h>

static const char base[] = "title: base\n"
                           "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
                           "method: {integrator: lsrt2}\n"
                           "substructures:\n"
                           "  a: {dofs: [x], mass: [1], stiffness: [[4]]}\n"
                           "  s: {role: physical, dofs: [x], actuators: {x: a1}}\n"
                           "interfaces: [{join: [a.x, s.x]}]\n"
                           "transfer: {a1: {}}\n"
                           "rig:\n"
                           "  backend: virtual\n"
                           "  actuators: {a1: {plant: {kind: first-order, time_constant: 10 ms}}}\n"
                           "  sensors: {strain: {unit: um/m, measures: x.u}}\n"
                           "  specimen: {dofs: [x], mass: [0], stiffness: [[3]]}\n"
                           "limits: {displacement: 100 mm, force: 60 kN, sensors: {strain: 1000}}\n";

/* The experiment with the calibration file `path`; NULL after a refusal. */
static struct yk_model *read_with(const char *path, struct yk_err *err)
{
    struct yk_model *e = NULL;
    char setting[96];

    snprintf(setting, sizeof setting, "calibration=%s", path);
    const enum yk_status st =
        yk_model_parse(&e, "/no/such/folder/fuzz.yaml", base, strlen(base), (const char *const[]){setting}, 1, err);
    fuzz_check(st ? err->wording[0] != 0 && !e : e != NULL);
    return e;
}

static void check_again(const struct yk_model *e)
{
    struct yk_err err = {0};
    char path[64];

    snprintf(path, sizeof path, "/dev/shm/fuzz-zeros-%d.yaml", (int)getpid());
    fuzz_check(!yk_zeros_write(path, e->zeros, e->zero_count, &err));
    struct yk_model *again = read_with(path, &err);

    unlink(path);
    fuzz_check(again && again->zero_count == e->zero_count);
    for (size_t i = 0; i < e->zero_count; i++) {
        const struct yk_taken_zero *z = &e->zeros[i], *y = &again->zeros[i];

        fuzz_check(y->zero == z->zero && y->command == z->command && strcmp(y->channel, z->channel) == 0 &&
                   strcmp(y->date, z->date) == 0);
    }
    yk_model_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("zeros", MFD_CLOEXEC);
    struct yk_err err = {0};
    char path[64];

    fuzz_check(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct yk_model *e = read_with(path, &err);

    close(file);
    for (size_t i = 0; e && i < e->zero_count; i++) {
        const struct yk_taken_zero *z = &e->zeros[i];
        const double limit = strstr(z->channel, ".force") ? 60e3 : strstr(z->channel, "sensor.") ? 1000 : 0.1;

        fuzz_check(fabs(z->zero) <= limit && isfinite(z->command));
    }
    if (e && e->zero_count)
        check_again(e);
    yk_model_close(e);
    return 0;
}
