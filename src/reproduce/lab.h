/* Where the numbers of a published case come from: experiment files with overrides, run and analysed by the same
 * functions as `yoke run` and `yoke analyze`, each run once. */
#ifndef YOKE_LAB_H
#define YOKE_LAB_H

#include "yaml/fields.h"

#include "engine/engine.h"

/* An experiment file and the settings that replace values in it. */
enum { YK_VARIANT_SETTINGS = 64 };
struct yk_variant {
    char *file;
    size_t count;
    char *set[YK_VARIANT_SETTINGS]; /* "key=value" */
};

/* A completed run: its rows and the report of the engine. */
struct yk_outcome {
    char *key; /* file and settings */
    struct yk_run_channels channels;
    size_t rows[2];   /* of the streams: system, fine */
    double *table[2]; /* row by row */
    struct yk_run_result result;
    double end; /* requested [s] */
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

enum yk_status yk_lab_load(struct yk_lab *lab, const struct yk_variant *variant, struct yk_experiment **out,
                           struct yk_err *err);
/* Its method prepared; for runs, the reference as well. */
enum yk_status yk_lab_plan(struct yk_lab *lab, const struct yk_variant *variant, bool for_runs, struct yk_plan **plan,
                           struct yk_err *err);
/* Runs the variant, or finds the run made before. A run that stops early is an outcome like any other. */
enum yk_status yk_lab_run(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_outcome **out,
                          struct yk_err *err);
/* Values of a channel, or of a sum such as "A.x.u - B.x.u" or "0.5*A.x.u + B.x.u", along a stream; malloc'd, *count of
 * them. */
enum yk_status yk_outcome_values(const struct yk_outcome *outcome, int stream, const char *channel, double **values,
                                 size_t *count, struct yk_err *err);

#endif
