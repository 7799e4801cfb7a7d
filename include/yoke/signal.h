/* Signals: scalar functions of time that drive loads and ground motions. */
#ifndef YOKE_SIGNAL_H
#define YOKE_SIGNAL_H

#include <yoke/param.h>

struct yk_signal_ops {
    const char *name;              /* key in experiment files: "sine"      */
    const char *summary;           /* one line with the formula            */
    const char *reference;         /* where it comes from, may be ""       */
    const struct yk_param *params; /* settings, ended by YK_PARAM_END      */
    size_t settings_size;

    /* Optional preparation after the settings are filled; may allocate (freed by fini). `end_s` is the end of the run.
     */
    enum yk_status (*prepare)(void *settings, double end_s, struct yk_err *err);
    void (*fini)(void *settings);
    double (*value)(const void *settings, double t) YK_RT;
    double (*rate)(const void *settings, double t) YK_RT; /* its derivative; NULL: taken numerically where needed */
    void *user;                                           /* see plugin.h */
};

/* Quantities called YK_FORCE in a signal's table are read as accelerations when the signal is a ground motion. */
extern const struct yk_signal_ops *const yk_signals[]; /* NULL at the end */
const struct yk_signal_ops *yk_signal_find(const char *name);
/* Frees the settings of a signal and what they own; they may be NULL. */
void yk_signal_free(const struct yk_signal_ops *ops, void *settings);

/* Value of a sampled function: straight lines between samples, zero outside. Bounded time (bisection). */
double yk_series_value(const struct yk_series *series, double t) YK_RT;

#endif
