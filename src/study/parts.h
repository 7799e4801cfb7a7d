/* What the files of a study share. */
#ifndef YOKE_STUDY_PARTS_H
#define YOKE_STUDY_PARTS_H

#include "study/study.h"

#include <stdio.h>

/* "folder/name"; malloc'd, NULL: no memory. */
char *yk_study_path(const char *folder, const char *name);
/* All of a file as text; malloc'd. */
enum yk_status yk_study_slurp(const char *path, char **text, struct yk_err *err);
/* Writes a file at once, under its name when it is whole. */
enum yk_status yk_study_write(const char *folder, const char *name, const char *text, struct yk_err *err);

void yk_csv_field(FILE *out, const char *text);
/* Lines with their end; malloc'd. */
char *yk_csv_header(const struct yk_study *study);
char *yk_csv_row(size_t run, size_t keys, char *const *values, size_t results, const struct yk_outcome *outcome);

/* "21 ms": 21, and where its unit begins. False: no number. */
bool yk_value_number(const char *text, double *x, const char **unit);

#endif
