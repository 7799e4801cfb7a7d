/* Whole runs of a plan, for programs. */
#include "engine/engine.h"
#include "plan/plan.h"

#include <stdlib.h>

enum yk_status yk_plan_run(const struct yk_plan *plan, const char *recording, char **summary, struct yk_err *err)
{
    struct yk_session *session;
    enum yk_status st, ended;
    long made;

    if (summary)
        *summary = NULL;
    if ((st = yk_session_begin(&session, plan, &(struct yk_session_settings){.recording = recording, .threads = 1},
                               err)))
        return st;
    st = yk_session_advance(session, yk_plan_steps(plan), 0, &made, err);
    ended = yk_session_end(session, st ? NULL : err);
    st = st ? st : ended;
    if (summary && !(*summary = yk_session_summary(session)) && !st)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for the summary");
    yk_session_close(session);
    return st;
}
