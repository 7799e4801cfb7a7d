/* Frames of OpenSees as experiment files. */
#ifndef YOKE_MODEL_OPENSEES_H
#define YOKE_MODEL_OPENSEES_H

#include <yoke/text.h>

/* A frame from a list of OpenSees commands, with hinges and fibre sections, as the text of an experiment file
 * (malloc'd). The commands are in units of length [m] and force [N], and seconds. */
enum yk_status opensees_import(const struct yk_text *text, double length_m, double force_N, char **yaml,
                               struct yk_err *err);

#endif
