/* The list of channels.def. */
#include "engine/channel_families.h"

const struct yk_channel_family *const yk_channel_families[] = {
#define FAMILY(name) &yk_channels_of_##name,
#include "engine/channels.def"
#undef FAMILY
    NULL};
