/* The parts of an experiment, for the files that look into them. */
#ifndef YOKE_DOOR_PARTS_H
#define YOKE_DOOR_PARTS_H

#include "experiment/experiment.h"
#include <yoke/parts.h>

struct yk_parts {
    struct yk_model *model;
};

#endif
