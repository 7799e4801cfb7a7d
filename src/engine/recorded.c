/* Whole runs, recorded to a file. */
#include "engine/engine.h"

#include <stdlib.h>

enum yk_status yk_run_recorded(const struct yk_model *model, const struct yk_run_settings *settings,
                               struct yk_run_control *control, const struct yk_provenance *provenance, const char *path,
                               const struct yk_run_channels *channels, struct yk_run_result *result, struct yk_err *err)
{
    struct yk_recorder *recorder = NULL;
    struct yk_stream streams[YK_STREAMS];
    char *method = yk_method_text(model), *description = path ? yk_run_description(model) : NULL, *summary;
    const struct yk_recording_info info = yk_run_info(model, method, description, provenance);
    enum yk_status st = method && (description || !path) ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory"), closed;

    *result = (struct yk_run_result){0};
    if (!st && path)
        st = yk_recorder_open(&recorder, path, &info, streams, yk_run_streams(channels, streams), err);
    if (!st)
        st = yk_run(model, settings, recorder, control, result, err);
    result->provenance = provenance;
    if (recorder) {
        summary = st ? NULL : yk_run_summary(model, channels, result);
        closed = yk_recorder_close(recorder, result->finished, summary ? summary : "{}", st ? NULL : err);
        st = st ? st : closed;
        free(summary);
    }
    free(description);
    free(method);
    return st;
}
