/* yoke study --ida. */
#ifndef YOKE_STUDY_IDA_H
#define YOKE_STUDY_IDA_H

#include "options.h"

int study_ida(const struct study_options *options, const char *file);

#endif
