/* An experiment: what a file describes, as objects ready to run. */
#ifndef YOKE_EXPERIMENT_H
#define YOKE_EXPERIMENT_H

#include <stdio.h>
#include <yoke/integrator.h>
#include <yoke/substructure.h>

struct yk_time {
    double step, end; /* s */
};

enum yk_stability_action { YK_REFUSE_UNSTABLE, YK_WARN_UNSTABLE };

struct yk_experiment {
    char *path, *directory;
    char *text;      /* the file as it was read */
    char *overrides; /* --set words, one per line */
    char **labels;   /* of the overrides, for messages; NULL at the end */
    char *title;
    struct yk_time time;
    long steps;

    const struct yk_integrator_ops *integrator;
    void *settings; /* of the integrator */
    int stability;  /* enum yk_stability_action */
    int reference;  /* 0: none, 1: monolithic */
    struct yk_where method_where, step_where;

    size_t substructure_count;
    struct yk_substructure *substructures;
    size_t row_count;
    struct yk_row *rows;
    size_t load_count;
    struct yk_load *loads;

    struct yk_assembly assembly; /* the untorn structure */
    struct yk_load_set *load_set;
    struct yk_node *tree;
};

/* Reads and checks everything; nothing is left half done. `overrides`: count settings "key=value". */
enum yk_status yk_experiment_load(struct yk_experiment **experiment, const char *path, const char *const *overrides,
                                  size_t override_count, struct yk_err *err);
/* The same from text in memory; `path` is used for messages and for the folder of data files. */
enum yk_status yk_experiment_parse(struct yk_experiment **experiment, const char *path, const char *text, size_t size,
                                   const char *const *overrides, size_t override_count, struct yk_err *err);
void yk_experiment_destroy(struct yk_experiment *experiment);

/* A domain of the untorn structure with the experiment's method, load and step (dt > 0 replaces the step). */
enum yk_status yk_experiment_domain(const struct yk_experiment *experiment, double dt, struct yk_domain *domain,
                                    struct yk_err *err);

/* Writes the reference of the experiment file, in Markdown, from the tables the reader uses. */
void yk_experiment_reference(FILE *out);

#endif
