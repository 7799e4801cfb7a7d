/* Parts of `yoke section`. */
#ifndef YOKE_SECTION_APP_H
#define YOKE_SECTION_APP_H

#include "options.h"

#include <yoke/cross_section.h>

int section_describe(const struct section_options *options, const struct yk_cross_section *section);
int section_expand(const struct yk_cross_section *section);
int section_sketch(const char *path, const struct yk_cross_section *section);
int section_bend(const struct section_options *options, const struct yk_cross_section *section, double N);
int section_interact(const struct section_options *options, const struct yk_cross_section *section, size_t count,
                     const double *N);

#endif
