/* Whole runs of a model, for programs. */
#include "engine/engine.h"
#include "state/state.h"

#include <stdlib.h>

enum yk_status yk_model_run(const struct yk_model *model, const char *recording, char **summary, struct yk_err *err)
{
    struct yk_session *session;
    enum yk_status st, ended;
    long made;

    if (summary)
        *summary = NULL;
    if ((st = yk_session_begin(&session, model, &(struct yk_session_settings){.recording = recording, .threads = 1},
                               err)))
        return st;
    st = yk_session_advance(session, yk_model_steps(model), 0, &made, err);
    ended = yk_session_end(session, st ? NULL : err);
    st = st ? st : ended;
    if (summary && !(*summary = yk_session_summary(session)) && !st)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for the summary");
    yk_session_close(session);
    return st;
}
