/* Studies: one experiment run with many settings, each run a row of a table.
 *
 *     design    which settings are varied, and the values of every run
 *     outcome   one run: its figures, or why there are none
 *     table     rows in the order of their numbers, as CSV; appended as the study goes on, so a kill loses nothing
 *     findings  the best run, Sobol indices, a picture: made from the table
 *
 * A run depends on its number and on nothing else: threads, shards and interruptions leave the table as it is, bit by
 * bit. */
#ifndef YOKE_STUDY_H
#define YOKE_STUDY_H

#include <stdint.h>
#include <yoke/random.h>
#include <yoke/variants.h>

/* ---- design ---- */

/* A setting that is varied: a list of values, or a range of numbers. */
struct yk_vary {
    char *key;
    size_t count;     /* of the list; 0: a range */
    char **values;    /* as --set takes them */
    bool log;         /* the range is even in the logarithm */
    double low, high; /* of the range */
    char *unit;       /* behind the numbers of a range; "" for none */
};

enum yk_sampling { YK_SAMPLE_GRID, YK_SAMPLE_LHS, YK_SAMPLE_SOBOL, YK_SAMPLE_SALTELLI, YK_SAMPLE_TUNE };
enum { YK_STUDY_KEYS = 10, YK_STUDY_RUNS = 100000000 }; /* most; Saltelli's design needs two dimensions for each key */

struct yk_design {
    size_t count;
    struct yk_vary vary[YK_STUDY_KEYS];
    enum yk_sampling sampling;
    size_t n;         /* of "lhs:N" */
    uint64_t seed;    /* of the Latin hypercube */
    size_t runs;      /* in all */
    uint32_t *strata; /* of the Latin hypercube: of run i and key k, [k * n + i] */
    double *points;   /* of a search, as it goes on: of run i and key k, [i * count + k], in 0 .. 1 */
};
/* `vary`: words as above. `sample`: "lhs:N", "sobol:N", "saltelli:N", "tune:N" (points that a search chooses); NULL: a
 * grid of lists. Close it even on failure.
 */
enum yk_status yk_design_open(struct yk_design *design, const char *const *vary, size_t count, const char *sample,
                              uint64_t seed, struct yk_err *err);
void yk_design_close(struct yk_design *design);
/* The value of a key in a run, as text; malloc'd, NULL: no memory. */
char *yk_design_value(const struct yk_design *design, size_t run, size_t key);

/* ---- outcome ---- */

struct yk_outcome {
    const char *status; /* "finished", "refused", "stopped", "diverged" */
    char *reason;       /* malloc'd; NULL: none */
    double *figures;    /* by result; NAN: there is none; malloc'd */
};
void yk_outcome_free(struct yk_outcome *outcome);
/* Runs the experiment with the settings. YK_OK even where the run was refused: then the outcome tells why. With
 * `strict`, a result that the summary does not know is an error. */
enum yk_status yk_study_run(struct yk_variants *variants, const char *const *settings, size_t count,
                            const char *const *results, size_t result_count, bool strict, struct yk_outcome *outcome,
                            struct yk_err *err);
/* ---- a study ---- */

/* Constraint of a search: a result of at least, or at most, a value. */
struct yk_bound {
    size_t result;
    bool at_least;
    double value;
};
enum { YK_STUDY_BOUNDS = 16 };

struct yk_study {
    const char *file;
    const char *const *set;
    size_t set_count;
    struct yk_variants *variants;
    const struct yk_design *design;
    const char *const *vary; /* the words of the design, for study.json */
    const char *sample;      /* NULL: grid */
    const char *const *results;
    size_t result_count;  /* 0: default ones */
    size_t shard, shards; /* from 1; 1 of 1: all */
    int jobs;
    const char *folder;
    const char *const *require;    /* words of the bounds, for study.json */
    const struct yk_bound *bounds; /* of a search */
    size_t bound_count;
    bool force;                                                           /* replace another study */
    void (*progress)(void *self, size_t done, size_t before, size_t all); /* one thread at a time; may be NULL */
    void *progress_self;
};
/* Runs what is not in the table of the folder yet. study.json says what the table is of; another study in the folder is
 * refused. */
enum yk_status yk_study_make(const struct yk_study *study, struct yk_err *err);
/* On the processes of mpirun (yoke/mpi.h): rank 0 makes the study, the others help it. Who cannot take part says so
 * before it ends: rank 0 dismisses the others, they excuse themselves. */
enum yk_status yk_study_help(const struct yk_study *study, struct yk_err *err);
void yk_study_dismiss(void);
void yk_study_excuse(const struct yk_err *why);
/* Was the program built with NLopt? */
bool yk_study_can_tune(void);

/* ---- table ---- */

struct yk_table {
    size_t keys, results, rows;
    char **names;    /* keys, then results */
    size_t *run;     /* number of each row */
    char ***values;  /* by row: of the keys */
    double *figures; /* rows x results */
    char **status, **reason;
    char *text; /* where all of it stands */
};
/* Reads table.csv of a folder. */
enum yk_status yk_table_read(struct yk_table *table, const char *folder, size_t keys, struct yk_err *err);
void yk_table_free(struct yk_table *table);
/* The same as HDF5, with study.json as an attribute. */
enum yk_status yk_table_write_h5(const struct yk_table *table, const char *folder, struct yk_err *err);
/* Puts the tables of all shards of one study together, in a new folder. */
enum yk_status yk_study_merge(const char *const *folders, size_t count, const char *to, bool force, struct yk_err *err);
/* study.json of a folder: number of keys, and the sampling; sample is malloc'd. */
struct yk_study_card {
    size_t keys, runs, shard, shards;
    char sample[16]; /* "grid", "lhs", ... */
    char title[200];
    char file[200];
};
enum yk_status yk_study_card(struct yk_study_card *card, const char *folder, struct yk_err *err);

/* ---- findings ---- */

/* Row with the smallest figure of the first result among the finished runs that are not unusable; SIZE_MAX: there is
 * none. */
size_t yk_table_best(const struct yk_table *table);
/* "good", "doubtful" or "unusable", of a table with the result verdict.grade; "": not known. */
const char *yk_table_verdict(const struct yk_table *table, size_t row);
/* First-order and total Sobol indices of a result over Saltelli's design; `first` and `total` have one for each key.
 * `used`: of its n blocks, those whose runs all finished. */
enum yk_status yk_table_indices(const struct yk_table *table, size_t result, double *first, double *total, size_t *used,
                                struct yk_err *err);
/* Writes table.h5, findings.json and study.svg. A picture that cannot be drawn is told in *note (size bytes). */
enum yk_status yk_study_conclude(const char *folder, char *note, size_t size, struct yk_err *err);
enum yk_status yk_study_draw(const struct yk_table *table, const struct yk_study_card *card, const char *path,
                             struct yk_err *err);

#endif
