/* yoke export FILE --fmu OUT: an experiment for other simulation programs. */
#include "cli/export_fmu.h"

#include "wrap/write.h"

#include <string.h>

int export_fmu(const struct words *words, const struct fmu_options *o)
{
    const bool three = o->version && strcmp(o->version, "3") == 0;
    const struct yk_wrap_wish wish = {.version = three ? 3 : 2,
                                      .inputs = o->inputs.text,
                                      .input_count = o->inputs.count,
                                      .outputs = o->outputs.text,
                                      .output_count = o->outputs.count,
                                      .parameters = o->parameters.text,
                                      .parameter_count = o->parameters.count};
    struct yk_plan *plan;
    struct yk_err err = {0};
    int code = 0;

    if (words->count != 1)
        return usage_error(&command_export, "which experiment file?");
    if (o->version && !three && strcmp(o->version, "2") != 0)
        return usage_error(&command_export, "--fmi is 2 or 3, not '%s'", o->version);
    if (yk_plan_open(&plan, words->rest[0], o->set.text, o->set.count, &err))
        return report_failure(&err);
    for (size_t i = 0; yk_plan_note(plan, i); i++)
        fprintf(stderr, "yoke: note: %s\n", yk_plan_note(plan, i));
    if (yk_wrap_write(plan, &wish, o->out, &err))
        code = report_failure(&err);
    yk_plan_close(plan);
    return code;
}
