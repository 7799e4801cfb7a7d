/* The end of a signal, whatever it is: for all who own one. */
#include <yoke/signal.h>

#include <stdlib.h>

void yk_signal_free(const struct yk_signal_ops *ops, void *settings)
{
    if (!settings)
        return;
    if (ops->fini)
        ops->fini(settings);
    yk_param_free(ops->params, settings);
    free(settings);
}
