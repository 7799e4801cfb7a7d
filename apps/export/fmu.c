/* yoke export FILE --fmu OUT: an experiment for other simulation programs. */
#include "fmu.h"
#include "fmu_archive.h"

#include <string.h>

int export_fmu(const struct yk_words *words, const struct fmu_options *o)
{
    const bool three = o->version && strcmp(o->version, "3") == 0;
    const struct fmu_wish wish = {.version = three ? 3 : 2,
                                  .inputs = o->inputs.text,
                                  .input_count = o->inputs.count,
                                  .outputs = o->outputs.text,
                                  .output_count = o->outputs.count,
                                  .parameters = o->parameters.text,
                                  .parameter_count = o->parameters.count};
    struct yk_model *model;
    struct yk_err err = {0};
    int code = 0;

    if (words->count != 1)
        return yk_misuse(&command_export, "which experiment file?");
    if (o->version && !three && strcmp(o->version, "2") != 0)
        return yk_misuse(&command_export, "--fmi is 2 or 3, not '%s'", o->version);
    if (yk_model_open(&model, words->rest[0], o->set.text, o->set.count, &err))
        return yk_command_fail(&err);
    for (size_t i = 0; yk_model_note(model, i); i++)
        fprintf(stderr, "yoke: note: %s\n", yk_model_note(model, i));
    if (fmu_write(model, &wish, o->out, &err))
        code = yk_command_fail(&err);
    yk_model_close(model);
    return code;
}
