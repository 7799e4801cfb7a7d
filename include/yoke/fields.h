/* Typed reading of tree nodes: numbers with units, choices, lists, matrices and whole settings tables. Every refusal
 * names file:line:column, what was found and what is allowed. */
#ifndef YOKE_FIELDS_H
#define YOKE_FIELDS_H

#include <yoke/linalg.h>
#include <yoke/param.h>
#include <yoke/suggest.h>
#include <yoke/tree.h>

struct yk_notes; /* of the library */

enum yk_status yk_field_type(const struct yk_node *node, enum yk_node_type type, const char *what, struct yk_err *err);
enum yk_status yk_field_real(const struct yk_node *node, enum yk_quantity quantity, double min, double max,
                             double *value, struct yk_err *err);
/* Every key of the map must be in one of the tables (either may be NULL); otherwise the nearest one is suggested. */
enum yk_status yk_field_known(const struct yk_node *map, const struct yk_param *first, const struct yk_param *second,
                              struct yk_err *err);

struct yk_field_context {
    const char *directory;        /* data files are relative to it */
    enum yk_quantity force_means; /* what YK_FORCE means: YK_FORCE, or YK_ACCELERATION in a ground motion */
    enum yk_sense sense;          /* of the motion that the settings act on */
    enum yk_quantity commanded;   /* what YK_DISPLACEMENT means to an actuator that is commanded otherwise; YK_NUMBER:
                                     a displacement. The ranges are those of displacements, so only 0 bounds it */
    struct yk_notes *notes;       /* for what the user should know of the values; NULL: not kept */
};
/* Fills settings from the map by the table: defaults first, then the keys of the map; checks ranges and missing keys.
 * Lists, texts and series are allocated; yk_param_free frees them. */
enum yk_status yk_field_settings(const struct yk_node *map, const struct yk_param *params, void *settings,
                                 const struct yk_field_context *context, struct yk_err *err);

/* Rows [[..],[..]], a diagonal [a, b], one number, or the name of a Matrix Market or CSV file. n > 0: required size;
 * senses (n, may be NULL) of the degrees of freedom decide which form of the quantity an entry has. */
enum yk_status yk_field_matrix(const struct yk_node *node, enum yk_quantity quantity, size_t n,
                               const enum yk_sense *senses, const struct yk_field_context *context,
                               struct yk_matrix *out, struct yk_err *err);

/* A word that names a file rather than a number with its unit. */
bool yk_field_names_file(const struct yk_node *node);

/* directory/name, or name itself where it is absolute; malloc'd, NULL when out of memory */
char *yk_field_path(const char *directory, const char *name);

#endif
