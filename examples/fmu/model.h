/* Small FMUs in C. A model is a table of variables and a few functions; fmi2.c and fmi3.c put the interface around it.
 * The tests of Yoke use them, too. */
#ifndef TEST_FMU_MODEL_H
#define TEST_FMU_MODEL_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_VALUES = 32 };

/* The whole state of an instance: copied to save it. */
struct model {
    double x[MOST_VALUES];     /* by value reference */
    double slope[MOST_VALUES]; /* of inputs during a step */
    double t;
    bool initialized;
};

/* Behaviour of a model: its states and its functions. */
struct model_behaviour {
    const char *token; /* that it accepts; NULL: any */
    int states[4], derivatives[4], state_count, indicator_count;
    void (*start)(struct model *m);
    void (*evaluate)(struct model *m);                /* outputs and derivatives from states and inputs */
    int (*step)(struct model *m, double t, double h); /* co-simulation; a status of FMI */
    void (*indicators)(const struct model *m, double *values);
    bool (*event)(struct model *m); /* true: states changed */
    bool saves_nothing;             /* a state that is saved is not restored */
};
extern const struct model_behaviour model_behaviour;

/* Co-simulation of what evaluate() gives: Runge-Kutta of order 4, inputs on their slopes. So fine that a linear model
 * is solved to 12 digits in steps of 5 ms. */
static inline int model_integrate(struct model *m, double h, int n)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, w[4] = {1, 2, 2, 1};
    const struct model_behaviour *b = &model_behaviour;

    for (int q = 0; q < n; q++) {
        const struct model from = *m;
        double sum[4] = {0}, k[4] = {0};

        for (int r = 0; r < 4; r++) {
            struct model at = from;

            for (int i = 0; i < MOST_VALUES; i++)
                at.x[i] += c[r] * h / n * at.slope[i];
            for (int i = 0; i < b->state_count; i++)
                at.x[b->states[i]] = from.x[b->states[i]] + c[r] * h / n * k[i];
            at.t += c[r] * h / n;
            b->evaluate(&at);
            for (int i = 0; i < b->state_count; i++) {
                k[i] = at.x[b->derivatives[i]];
                sum[i] += w[r] * k[i];
            }
        }
        for (int i = 0; i < MOST_VALUES; i++)
            m->x[i] += h / n * m->slope[i];
        for (int i = 0; i < b->state_count; i++)
            m->x[b->states[i]] = from.x[b->states[i]] + h / n / 6 * sum[i];
        m->t += h / n;
    }
    b->evaluate(m);
    return 0;
}

#endif
