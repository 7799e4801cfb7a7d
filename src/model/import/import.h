/* Shared by the formats: fields of a line, and the import they fill. */
#ifndef YOKE_MODEL_IMPORT_H
#define YOKE_MODEL_IMPORT_H

#include "model/read/scan.h"

#include "model/import.h"

#include <stdint.h>

/* Takes the next field, separated by blanks or one comma, off the front of `rest`. False at the end of the line. */
bool yk_field_next(struct yk_piece *rest, struct yk_piece *field);
size_t yk_fields_split(struct yk_piece line, struct yk_piece *field, size_t most); /* most + 1: there are more */
bool yk_field_is_number(struct yk_piece field);
/* The whole field as an integer within [min, max]; `what` names it in the message. */
enum yk_status yk_field_integer(const struct yk_lines *lines, struct yk_piece field, const char *what, int64_t min,
                                int64_t max, int64_t *value, struct yk_err *err);

/* ---- filling an import ---- */

/* Index of the degree of freedom of a node; new ones are added. Directions count from 1; 0: a generalised one. */
enum yk_status yk_import_label(struct yk_import *import, int64_t node, int direction, int *index, struct yk_err *err);
/* Names equation `index` (from 0) where a map does it; the first name of an equation stays. */
enum yk_status yk_import_name(struct yk_import *import, size_t index, struct yk_piece node, const char *direction,
                              struct yk_err *err);
const char *yk_direction_name(int direction, char *text, size_t size);
/* Equations that a map has named; 0 without a map. */
size_t yk_import_named(const struct yk_import *import);
/* One entry of a matrix; repeated ones are added. Marks the matrix as given. */
enum yk_status yk_import_entry(struct yk_import *import, enum yk_matrix_part part, int row, int col, double value,
                               struct yk_err *err);
/* The matrix has its entries on both sides of the diagonal; otherwise that is found out. */
void yk_import_full(struct yk_import *import, enum yk_matrix_part part);
enum yk_status yk_import_place(struct yk_import *import, struct yk_piece node, const double *place, struct yk_err *err);

/* "row column value" with indices from 1, as CalculiX, SAP2000 and Abaqus (COORDINATE) write it. */
enum yk_status yk_import_coordinate(struct yk_import *import, const struct yk_lines *lines,
                                    const struct yk_piece field[3], enum yk_matrix_part part, struct yk_err *err);

/* ---- files ---- */

/* Nodes and their coordinates: a table, or the *NODE blocks of an input file. */
enum yk_status yk_import_coordinates(struct yk_import *import, const struct yk_text *text, struct yk_err *err);
bool yk_import_is_part(const char *path, const char *word); /* the word is in the name of the file */
/* The path with `from` in its name exchanged for `to`, if there is such a file; malloc'd. NULL otherwise. */
char *yk_import_companion(const char *path, const char *from, const char *to);

#endif
