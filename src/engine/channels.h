/* What the engine and the channel names share. */
#ifndef YOKE_CHANNELS_H
#define YOKE_CHANNELS_H

#include "engine/engine.h"

enum { YK_ENERGIES = 5 };
#define YK_TICK_CHANNELS(actuators) (2 + 4 * (actuators))

/* Degrees of freedom of all substructures, or of the fine ones. */
size_t yk_dof_count(const struct yk_experiment *experiment, bool only_fine);

/* A load of the file that acts on several substructures is several loads with one signal: is this the first of them? */
bool yk_is_first_of_entry(const struct yk_experiment *experiment, size_t load);
size_t yk_signal_count(const struct yk_experiment *experiment);

/* Channels of all actuators; one that estimates its gain has one more. */
size_t yk_actuator_channel_count(const struct yk_experiment *experiment);

#endif
