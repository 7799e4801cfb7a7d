/* The families of channels.def. */
#ifndef YOKE_CHANNEL_FAMILIES_H
#define YOKE_CHANNEL_FAMILIES_H

#include "engine/channels.h"

#define FAMILY(name) extern const struct yk_channel_family yk_channels_of_##name;
#include "engine/channels.def"
#undef FAMILY

/* Adds the first `length` letters of a name to the words of an owner: "floor 1" for "floor1", "left wheel" for
 * "left_wheel"; "x1" and "a1" stay as they are. */
void yk_channel_add_words(struct yk_channel_owner *owner, const char *name, size_t length);

#endif
