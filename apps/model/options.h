/* Options of `yoke model`. */
#ifndef YOKE_MODEL_OPTIONS_H
#define YOKE_MODEL_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_model;

struct model_options {
    struct yk_text_list set;
    const char *substructure, *plot, *vtk;
    const char *length, *force; /* of an import */
    long modes;
    bool json;
};

#endif
