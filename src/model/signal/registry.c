/* The signals there are. */
#include <yoke/signal.h>

#include <string.h>

#define YK_SIGNAL(id) extern const struct yk_signal_ops yk_signal_##id;
#include "signals.def"
#undef YK_SIGNAL

const struct yk_signal_ops *const yk_signals[] = {
#define YK_SIGNAL(id) &yk_signal_##id,
#include "signals.def"
#undef YK_SIGNAL
    NULL};

const struct yk_signal_ops *yk_signal_find(const char *name)
{
    for (const struct yk_signal_ops *const *s = yk_signals; *s; s++)
        if (strcmp((*s)->name, name) == 0)
            return *s;
    return NULL;
}
