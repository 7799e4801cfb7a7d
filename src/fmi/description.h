/* modelDescription.xml: identity, capabilities and variables of an FMU. FMI 2.0 and 3.0 in one form. */
#ifndef YOKE_FMI_DESCRIPTION_H
#define YOKE_FMI_DESCRIPTION_H

#include <yoke/fmu.h>

/* Parses a description; `name` is used in messages. Refuses what is not well-formed, a DOCTYPE, and what breaks the
 * rules that Yoke relies on. */
enum yk_status yk_fmu_describe(struct yk_fmu_description *d, const char *text, size_t size, const char *name,
                               struct yk_err *err);
void yk_fmu_description_free(struct yk_fmu_description *d);

#endif
