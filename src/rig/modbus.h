/* The private struct of the backend `modbus`: the reader of the file fills the map. */
#ifndef YOKE_MODBUS_H
#define YOKE_MODBUS_H

#include "rig/modbus_map.h"

struct yk_modbus_rig {
    char *host;
    int port, unit, word_order;
    bool combine;
    double patience, wait, silence;
    struct yk_modbus_map map;
    struct yk_modbus_device *device; /* private */
};
extern const struct yk_rig_ops yk_rig_modbus;

#endif
