/* What the engine and the channel names share. */
#ifndef YOKE_CHANNELS_H
#define YOKE_CHANNELS_H

#include <yoke/engine.h>

#include <stdarg.h>

enum { YK_ENERGIES = 5 };

/* Degrees of freedom of all substructures, or of the fine ones. */
size_t yk_dof_count(const struct yk_experiment *experiment, bool only_fine);

#endif
