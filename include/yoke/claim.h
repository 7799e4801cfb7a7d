/* One process of this machine commands a device at a time, where the device itself does not know its commander. */
#ifndef YOKE_CLAIM_H
#define YOKE_CLAIM_H

#include <stdbool.h>
#include <yoke/status.h>

struct yk_claim {
    bool held;
    int fd;
};

/* Claims a device by its name ("modbus 192.168.7.2:502"), until it is dropped or the process ends, however it ends.
 * Refuses a name that is claimed already. The claim holds for the network namespace of the process. */
enum yk_status yk_claim_take(struct yk_claim *claim, const char *device, struct yk_err *err);
void yk_claim_drop(struct yk_claim *claim); /* also where it was never taken */

#endif
