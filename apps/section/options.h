/* The words of `yoke section`. */
#ifndef YOKE_SECTION_OPTIONS_H
#define YOKE_SECTION_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_section;

struct section_options {
    const char *axial, *sketch, *out, *at;
    double curvature, step, angle, drop, rupture, eu, nominal, ec, es;
    bool interaction, expand, fixed_axis, json;
    long surface;
    struct yk_text_list set;
};

#endif
