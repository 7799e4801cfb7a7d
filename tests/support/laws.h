/* Samples of every element law, and a bench to try one on: for the tests of what holds for all of them. */
#ifndef YOKE_TEST_LAWS_H
#define YOKE_TEST_LAWS_H

#include <stdint.h>
#include <yoke/law.h>

/* Settings to try, at least one line per law, with the scales of motion on which they are interesting. */
struct law_sample {
    const char *law;
    struct {
        const char *name;
        double value;
    } set[18];
    double d_scale, w_scale; /* m, m/s */
    double k_scale, c_scale; /* largest stiffness N/m and damping N s/m, for tolerances */
    double steps;            /* how far the force may depend on the steps, over the largest; 0: exact, 1e-12 */
    double time;             /* of a leg [s], for laws that count it */
    const double *points[2]; /* three pairs of force and deformation for a backbone: `positive`, `negative` */
};

#define LAW_SCALES(d, w, k, c) .d_scale = (d), .w_scale = (w), .k_scale = (k), .c_scale = (c)

/* Places of the samples that tests ask for by name. */
enum {
    LAW_GAP = 5,
    LAW_GAP_POSITIVE = 6,
    LAW_GAP_NEGATIVE_PRELOADED = 7,
    LAW_GAP_PRELOADED = 8,
    LAW_FRICTION = 9,
    LAW_SATURATING_DAMPER = 11,
    LAW_BOUC_WEN = 12,
    LAW_BOUC_WEN_LAST_EXACT = 15,
    LAW_BOUC_WEN_SQUARE = 16,
    LAW_PIER = 19,
    LAW_PIER_ELASTIC = 21,
    LAW_BILINEAR = 22,
    LAW_PINCHING = 24,
    LAW_PINCHING_DAMAGE = 25,
    LAW_IMK_BILINEAR = 29,
    LAW_IMK_PEAK = 30,
    LAW_IMK_PINCHING = 31,
};

extern const struct law_sample law_samples[]; /* a line without a law at the end */

enum { LAW_STATE = 24 };

/* A law with its settings, ready to be asked. */
struct law_bench {
    const struct yk_law_ops *ops;
    union {
        double align;
        char bytes[1024];
    } settings;
    double committed[LAW_STATE];
};

enum yk_status law_set_up(struct law_bench *b, const struct law_sample *s, struct yk_err *err);
struct law_bench law_bilinear(double stiffness, double hardening, double yield); /* yield: a force */
void *law_settings(const struct law_bench *b);                   /* a copy to give away, ready for use */
double law_force(const struct law_bench *b, double d, double w); /* leaves the memory alone */
double law_commit(struct law_bench *b, double d, double w);
double law_commit_after(struct law_bench *b, double d, double w, double h);
double law_stiffness(const struct law_bench *b, double d, double w);
double law_damping(const struct law_bench *b, double d, double w);
/* Uniform in [-1, 1): the same numbers on every machine. */
double law_uniform(uint64_t *seed);
void law_wander(struct law_bench *b, const struct law_sample *s, int moves, uint64_t *seed);
/* Work of a motion that starts at rest and returns to d = 0: a law that has no stored energy left cannot give any. */
double law_work_of_cycles(struct law_bench *b, double amplitude, double omega, int cycles);

#endif
