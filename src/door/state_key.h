/* The check sum of saved states. It has a key of the user: words of a state are trusted as a program is, so those that
 * a stranger made, or changed, must not be taken for own ones. */
#ifndef YOKE_STATE_KEY_H
#define YOKE_STATE_KEY_H

#include <stddef.h>
#include <stdint.h>

/* Two words of this user, made at the first use and kept in $XDG_STATE_HOME/yoke/state.key or
 * ~/.local/state/yoke/state.key, which nobody else can read. Where that is not possible: of this process. */
const uint64_t *yk_state_key(void);

/* SipHash-2-4 of whole words, with zeros behind the last; `sum` is 0, or the result for the bytes before. */
uint64_t yk_state_sum(uint64_t sum, const void *bytes, size_t size);

#endif
