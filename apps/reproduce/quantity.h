/* The vocabulary of claims: each quantity is a line in quantities.def and a table as below, based on what `run` and
 * `analyze` compute. */
#ifndef YOKE_QUANTITY_H
#define YOKE_QUANTITY_H

#include "lab.h"

/* Settings of a quantity or a curve; each lists the fields it reads in its table. */
struct yk_ask {
    double step;      /* of the method [s]; 0: that of the experiment */
    char *steps;      /* several: "0.1,1,10", "from:to:count", "from:to:countlog" */
    int rank;         /* of an eigenvalue, from 1; of a mode */
    int of;           /* which result of the quantity */
    double threshold; /* what a radius may exceed 1 by */
    char *channel, *against;
    int stream, take;
    double from, to, at; /* of time [s] */
    char *actuator;
    double frequency, amplitude;
    char *frequencies;
    int halvings;
    char *x, *y; /* channels of a curve */
    struct yk_reals points_x, points_y;
    char *key, *values; /* of a setting that is varied */
    char *substructure; /* that is reduced */
    int modes;          /* that are kept */
    double low, high, level;
    char *node;
    double disturbance, disturbed;
    int signal;
    char *run, *pick; /* of a command; the number of its answer */
};

struct yk_quantity_ops {
    const char *name;
    const char *summary;
    const struct yk_param *params; /* into struct yk_ask; may be NULL */
    /* `map`: the entry in the case, for keys that are not in the table */
    enum yk_status (*value)(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                            const struct yk_node *map, double *value, struct yk_err *err);
};

#define QUANTITY(name) extern const struct yk_quantity_ops yk_obtain_##name;
#include "quantities.def"
#undef QUANTITY
extern const struct yk_quantity_ops *const yk_quantities[]; /* NULL at the end */

/* The value of a map with `quantity`, its settings and the keys common to all quantities: `file`, `with`, `set`,
 * `among`, `take`, `minus`, `over`, `scale`. */
enum yk_status yk_obtain(struct yk_lab *lab, const struct yk_node *map, double *value, struct yk_err *err);
/* Checks the words without computing anything. */
enum yk_status yk_obtain_check(const struct yk_lab *lab, const struct yk_node *map, struct yk_err *err);

/* Values over time. */
struct yk_history {
    double *t, *y; /* malloc'd */
    size_t n;
};
enum yk_status yk_history_open(struct yk_history *h, size_t n, struct yk_err *err); /* of zeros */
void yk_history_free(struct yk_history *h);
/* On the straight line between the samples; the ends outside. */
double yk_history_at(const struct yk_history *h, double t);
/* The number that ASK_MEASURE selects. */
enum yk_status yk_history_measure(const struct yk_history *h, const struct yk_ask *ask, const struct yk_node *map,
                                  double *value, struct yk_err *err);

/* The actuator of that name, or the first if it is NULL. */
enum yk_status yk_lab_actuator(const struct yk_station *station, const struct yk_variant *variant, const char *name,
                               size_t *index, struct yk_err *err);
/* Measured displacement over ask->amplitude after a step of the target, tick by tick. */
enum yk_status yk_lab_step_response(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                    struct yk_history *h, struct yk_err *err);
/* Link displacement at ask->node at the system steps. */
enum yk_status yk_lab_link(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                           const struct yk_node *map, struct yk_history *h, struct yk_err *err);
/* Displacement of ask->node with a method whose control loop has settled at the end of every step. */
enum yk_status yk_lab_settled(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_history *h, struct yk_err *err);

/* Frequency response of ask->actuator at ask->amplitude. */
struct yk_response;
enum yk_status yk_lab_response(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               size_t count, const double *frequency_Hz, struct yk_response *response,
                               struct yk_err *err);

/* A list of numbers in one of the forms of struct yk_ask.steps; malloc'd. */
enum yk_status yk_ask_numbers(const char *text, double **values, size_t *count, struct yk_err *err);

#define ASK_STEP              YK_REAL(struct yk_ask, step, YK_TIME, 0, 0, 1e9, "step of the method; 0: that of the experiment")
#define ASK_STEPS             YK_TEXT(struct yk_ask, steps, 0, "several steps: \"0.1,1\", from:to:count or from:to:countlog")
#define ASK_OF(choices, help) YK_CHOICE(struct yk_ask, of, choices, 0, help)
#define ASK_RANK(help)        YK_COUNT(struct yk_ask, rank, 1, 1, 10000, help)
#define ASK_FROM              YK_REAL(struct yk_ask, from, YK_TIME, 0, 0, 1e9, "ignores rows before this time")
#define ASK_TO                YK_REAL(struct yk_ask, to, YK_TIME, 1e9, 0, 1e9, "ignores rows after this time")
#define ASK_STREAM            YK_CHOICE(struct yk_ask, stream, "system|fine", 0, "rows of system steps or of fine steps")
#define ASK_ACTUATOR          YK_TEXT(struct yk_ask, actuator, 0, "its name; default: the first")
#define ASK_CHANNEL           YK_TEXT(struct yk_ask, channel, YK_REQUIRED, "a channel, or a sum such as A.x.u - B.x.u")
#define ASK_MEASURE                                                                                                    \
    ASK_OF("final|peak|max|min|mean|rms|at|roughness|integral|share|rise|component",                                   \
           "last value, largest modulus, ..., value at the time `at`, rms of the second difference, integral of the "  \
           "modulus, share of rows with a modulus of at most `level`, first time at which the modulus exceeds "        \
           "`level`, amplitude at `frequency`"),                                                                       \
        ASK_FROM, ASK_TO, YK_REAL(struct yk_ask, at, YK_TIME, 0, 0, 1e9, "time of the value"),                         \
        YK_REAL(struct yk_ask, level, YK_NUMBER, 0, 0, 1e300, "for `share` and `rise`"),                               \
        YK_REAL(struct yk_ask, frequency, YK_FREQUENCY, 1, YK_TINY, 1e9, "for `component`")
#define ASK_STEP_RESPONSE                                                                                              \
    ASK_ACTUATOR, YK_REAL(struct yk_ask, amplitude, YK_LENGTH, 0.010, YK_TINY, 1e3, "of the step"),                    \
        YK_REAL(struct yk_ask, high, YK_TIME, 0.4, YK_TINY, 1e3, "duration"),                                          \
        YK_REAL(struct yk_ask, disturbance, YK_NUMBER, 0, -1e3, 1e3,                                                   \
                "added to the reading, as a fraction of the step"),                                                    \
        YK_REAL(struct yk_ask, disturbed, YK_TIME, 0.2, 0, 1e3, "start of the disturbance"),                           \
        YK_CHOICE(struct yk_ask, signal, "response|error", 0, "measured displacement over step, or 1 minus that")
#define ASK_NODE            YK_TEXT(struct yk_ask, node, YK_REQUIRED, "substructure.dof")
#define ASK_HALVINGS(count) YK_COUNT(struct yk_ask, halvings, count, 0, 16, "of the step")

#endif
