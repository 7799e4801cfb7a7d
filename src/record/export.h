/* Shared by the exporters and their tests. */
#ifndef YOKE_RECORD_EXPORT_H
#define YOKE_RECORD_EXPORT_H

#include "record/record.h"

/* yk_export_mat with the size of a variable, in bytes, from which on version 7.3 is written. */
enum yk_status yk_export_mat_from(struct yk_recording *recording, int stream, const char *path, uint64_t v73_bytes,
                                  struct yk_err *err);

#endif
