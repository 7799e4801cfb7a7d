/* A stepping, for the files that make one. */
#ifndef YOKE_DOOR_STEPPING_H
#define YOKE_DOOR_STEPPING_H

#include "state/state.h"
#include <yoke/stepping.h>

struct yk_stepping {
    struct yk_state state;
};

#endif
