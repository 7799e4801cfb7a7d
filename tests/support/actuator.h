/* Plants and controllers by name and settings, and the sampled loop of both. */
#ifndef YOKE_TEST_ACTUATOR_H
#define YOKE_TEST_ACTUATOR_H

#include <yoke/transfer.h>

enum { ACTUATOR_SETTINGS = 10 };
struct part {
    const char *name;
    struct {
        const char *key; /* NULL ends the list */
        double value;    /* choices by index */
    } set[ACTUATOR_SETTINGS];
};

/* An `init` that is refused; what it took from the arena `mem` until then is freed. */
#define assert_refused_in_arena(call, status, words)                                                                   \
    do {                                                                                                               \
        struct yk_arena mem = {0};                                                                                     \
                                                                                                                       \
        assert_refused(call, status, words);                                                                           \
        yk_arena_free(&mem);                                                                                           \
    } while (0)

/* A zeroed block with the defaults and the settings of `part`; malloc'd. */
void *part_settings(const struct yk_param *params, size_t size, const struct part *part);

struct plant {
    const struct yk_plant_ops *ops;
    void *self;
    struct yk_arena mem;
};
void plant_open(struct plant *p, const struct part *part, double h);
void plant_close(struct plant *p);
double plant_step(struct plant *p, double u); /* unloaded; the displacement */

struct controller {
    const struct yk_controller_ops *ops;
    void *self;
    struct yk_arena mem;
};
void controller_open(struct controller *c, const struct part *part, double h);
void controller_close(struct controller *c);

/* y[k] = x[k] + disturbance, u[k] = controller(command, y[k]), x[k+1] = plant(u[k]) */
struct loop {
    struct plant plant;
    struct controller controller;
    double x, u;
};
void loop_open(struct loop *l, const struct part *plant, const struct part *controller, double h);
void loop_close(struct loop *l);
double loop_step(struct loop *l, double command, double disturbance); /* y of this tick */

/* Gain and delay [s] of the loop under a sine of 1 mm and the given frequency [Hz],
 * by least squares over a period after `settle` seconds; the delay within a period. The tick must divide the period. */
struct response {
    double gain, delay;
};
struct response loop_response(struct loop *l, double frequency, double h, double settle);

#endif
