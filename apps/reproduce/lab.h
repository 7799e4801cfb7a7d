/* Experiments of a published case: files with overrides, run and analysed through yoke/yoke.h, each run once. */
#ifndef YOKE_LAB_H
#define YOKE_LAB_H

#include <jansson.h>
#include <yoke/analysis.h>
#include <yoke/fields.h>
#include <yoke/stepping.h>

/* An experiment file and the settings that replace values in it. */
enum { YK_VARIANT_SETTINGS = 64 };
struct yk_variant {
    char *file;
    size_t count;
    char *set[YK_VARIANT_SETTINGS]; /* "key=value" */
};

/* The rows of a stream of a run. */
struct yk_table {
    size_t rows, width;
    double *x;          /* row by row */
    char *text, **name; /* of the channels */
};

enum yk_table_number { YK_TABLE_SYSTEM, YK_TABLE_FINE, YK_TABLES }; /* rows of system steps, of fine steps */

/* A completed run: its rows and its summary. */
struct yk_outcome {
    char *key; /* file and settings */
    struct yk_table table[YK_TABLES];
    json_t *summary; /* as `yoke run` writes it */
    double end;      /* requested [s] */
};

struct yk_lab {
    const char *folder;             /* of the case; files are relative to it */
    const char *file;               /* the default experiment */
    const struct yk_node *set;      /* settings of every variant; NULL: none */
    const struct yk_node *variants; /* named settings; NULL: none */
    const char *also;               /* a variant that currently applies to everything; NULL: none */
    const char *key;                /* a setting that currently applies to everything; NULL: none */
    double key_value;
    struct yk_outcome **outcomes;
    size_t outcome_count;
    struct yk_lab_reduction **reductions;
    size_t reduction_count;
    const struct yk_node *reduce; /* what experiments of kind `reduced` are made of; NULL: none */
    char *reduced_path;           /* made by it, until the lab ends */
    json_t *told;                 /* answers of commands, by their words */
};
void yk_lab_fini(struct yk_lab *lab);

extern const struct yk_param yk_keys_reduce[];

/* The variant that a map of the case selects by `file`, `with` (names of variants, applied in order) and `set`.
 * `among`: names of variants applied after those of `with`; may be NULL. */
enum yk_status yk_lab_variant(const struct yk_lab *lab, const struct yk_node *map, const char *const *among,
                              size_t among_count, struct yk_variant *out, struct yk_err *err);
void yk_variant_free(struct yk_variant *variant);

/* The file and all settings, as one text; malloc'd. */
char *yk_variant_key(const struct yk_variant *variant);

/* The parts of the variant, for analyses that need no prepared method. */
enum yk_status yk_lab_parts(struct yk_lab *lab, const struct yk_variant *variant, struct yk_parts **parts,
                            struct yk_err *err);
/* Its method prepared. */
enum yk_status yk_lab_model(struct yk_lab *lab, const struct yk_variant *variant, struct yk_model **model,
                            struct yk_err *err);
/* A stepping of the variant; settled: with a control loop inside the method that has settled
 * (yk_stepping_open_settled).
 */
struct yk_stepped {
    struct yk_model *model;
    struct yk_stepping *stepping;
};
enum yk_status yk_lab_stepping(struct yk_lab *lab, const struct yk_variant *variant, bool settled,
                               struct yk_stepped *out, struct yk_err *err);
void yk_stepped_close(struct yk_stepped *stepped);
/* Runs the variant, or finds the run made before. A run that stops early is an outcome like any other. */
enum yk_status yk_lab_run(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_outcome **out,
                          struct yk_err *err);
/* Values of a channel, or of a sum such as "A.x.u - B.x.u" or "0.5*A.x.u + B.x.u", along a stream; malloc'd, *count of
 * them. */
enum yk_status yk_outcome_values(const struct yk_outcome *outcome, int stream, const char *channel, double **values,
                                 size_t *count, struct yk_err *err);

#endif
