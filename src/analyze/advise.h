/* Which compensator suits an actuator: the test rehearsed with several of them on the virtual rig. */
#ifndef YOKE_ADVISE_H
#define YOKE_ADVISE_H

#include "analyze/judge.h"
#include "state/state.h"

enum { YK_CANDIDATES = 9, YK_INVERSE_TERMS = 4 };

struct yk_candidate {
    char section[320]; /* "{ kind: lagrange, order: 2, delay: 12 ms }" */
    bool own;          /* of the file */
    bool tried;        /* false: `refused` says why */
    bool finished;     /* the rehearsal came to its end */
    double nrms;       /* rms of the tracking error over that of the target; NAN where it did not finish */
    char refused[200];
    enum yk_level level; /* of the rehearsal */
    char reason[240];    /* the first one, where that is not good */
};

struct yk_advice {
    /* The actuator with its controller and without a compensator, at the frequency of the structure. */
    double frequency_Hz, gain, delay_s;
    double delay_high_s;              /* at four times that frequency: equal to delay_s where the lag is a pure delay */
    double inverse[YK_INVERSE_TERMS]; /* of x, x', x'', x''' in the command that makes up for it */
    double lag_gain, lag_s, lag_delay_s; /* one lag with a dead time: gain, time constant, delay at low frequency */
    struct yk_candidate candidates[YK_CANDIDATES];
    size_t count, best; /* best: of those that finished; count: none did */
};
/* Is there one whose rehearsal was good? Nothing is recommended from another. */
bool yk_advice_stands(const struct yk_advice *advice);
/* `actuator`: its index. `frequency_Hz`: about which the structure moves. budget_s: of CPU time, for each rehearsal. */
enum yk_status yk_compare_compensators(const struct yk_model *model, size_t actuator, double frequency_Hz,
                                       double budget_s, struct yk_advice *advice, struct yk_err *err);

#endif
