/* The backend `ethercat`, for those who give it another wire than an interface: tests and benchmarks. */
#ifndef YOKE_RIG_ETHERCAT_H
#define YOKE_RIG_ETHERCAT_H

#include <yoke/ethercat_master.h>
#include <yoke/rig.h>

/* The state of the backend begins with its settings, a struct yk_ec_setup. */
extern const struct yk_rig_ops yk_rig_ethercat;
/* Before `open`: the wire to use instead of the interface; it is closed with the rig. The last one counts. */
void yk_rig_ethercat_use(void *self, struct yk_ec_wire wire);
/* Master and phase of an open rig. */
const struct yk_ec_master *yk_rig_ethercat_master(const void *self);
const struct yk_ec_phase *yk_rig_ethercat_phase(const void *self);

#endif
