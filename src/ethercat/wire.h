/* The interface of a master. */
#ifndef YOKE_ETHERCAT_WIRE_H
#define YOKE_ETHERCAT_WIRE_H

#include "base/claim.h"
#include <yoke/ethercat.h>

/* A master claims the interface before it opens it: a bus has one. */
enum yk_status yk_ec_claim(struct yk_claim *claim, const char *interface, struct yk_err *err);

#endif
