/* The families of channels.def. */
#ifndef YOKE_CHANNEL_FAMILIES_H
#define YOKE_CHANNEL_FAMILIES_H

#include "engine/channels.h"

#define FAMILY(name) extern const struct yk_channel_family yk_channels_of_##name;
#include "engine/channels.def"
#undef FAMILY

#endif
