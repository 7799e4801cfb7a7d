/* Shared by the files of `yoke new`. Units: N, m, s, kg. */
#ifndef NEW_NEW_H
#define NEW_NEW_H

#include "options.h"

#include <yoke/motion.h>
#include <yoke/sizing.h>
#include <yoke/yoke.h>

enum new_kind { NEW_SPRING, NEW_BRACE, NEW_DAMPER, NEW_FLUID_DAMPER, NEW_ISOLATOR, NEW_KINDS };
extern const char *const new_kind_names[NEW_KINDS];
enum { NEW_STOREYS = 40, NEW_TEXT = 256, NEW_FILES = 8 };
#define NEW_FLUID_SPEED 0.1 /* m/s, at which a fluid damper has the force of the damper */

/* The test: answers first, then what follows from them. 0 or NAN: not given. */
struct new_test {
    char folder[1024], name[64]; /* name: of the folder and the file in it */

    size_t storeys; /* 0: matrices */
    double mass[NEW_STOREYS], stiffness[NEW_STOREYS], period, damping;
    const char *matrix_file[2]; /* mass, stiffness */
    char at[64];                /* name of the degree of freedom that the specimen moves */
    enum new_kind kind;
    double share, k, c, yield; /* of the specimen */
    char record[NEW_TEXT];     /* file, "synthetic" */
    const char *record_unit;
    double record_step, peak, rate;

    double first_Hz, weight;   /* of the structure with the specimen; of an isolated one on fixed bearings */
    double modal_ratio;        /* modal mass of the first mode over the square of the specimen's stroke in it [kg] */
    double rest_k, rest_yield; /* bearings that are not tested */
    struct yk_motion motion;   /* n = 0: synthetic */
    double step, end;
    const char *actuator; /* name of the row; NULL: ideal */
    char plant[300], compensator[120];
    double delay, stroke, force, speed, capacity, travel; /* demand; capacity and travel: of the actuator */
    const char *files[NEW_FILES];                         /* data files in the folder, malloc'd */
    size_t file_count;
};

/* questions.c: reads the options and asks for the others. */
enum yk_status new_answer(struct new_test *t, const struct new_options *o, bool ask, struct yk_err *err);
/* structure.c: what follows from the answers about the structure. */
enum yk_status new_complete(struct new_test *t, const char *folder, struct yk_err *err);
/* data.c: the record; copies of records and matrices into `folder`. */
enum yk_status new_read_record(struct new_test *t, struct yk_err *err);
enum yk_status new_write_data(struct new_test *t, const char *folder, struct yk_err *err);
/* write.c: the experiment file, malloc'd; NULL: out of memory. The README. */
char *new_experiment(const struct new_test *t);
char *new_readme(const struct new_test *t, const char *level);
/* choose.c: actuator and compensator. *verdict: of the best rehearsal, as in summaries. *found: is it usable? */
struct new_choice {
    struct json_t *verdict;
    bool found;
    size_t tried; /* actuators that were rehearsed */
};
enum yk_status new_choose(struct new_test *t, const struct yk_actuator_table *table, const char *folder,
                          struct new_choice *choice, struct yk_err *err);
/* copy.c: the examples. */
int new_list(bool json);
enum yk_status new_copy(const char *example, const char *folder, struct yk_err *err);
/* Folder of the examples, or NULL; the record of that name among them, or NULL. Both valid until the next call. */
const char *new_examples(void);
/* A shipped file: of the installation (libexec/yoke), or of the source tree with its build folder. NULL: none. */
const char *new_shipped(const char *installed, const char *in_tree);
enum yk_status new_copy_file(const char *from, const char *to, struct yk_err *err);

#endif
