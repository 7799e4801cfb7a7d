/* An integrator with settings, and small linear models to run it on. */
#ifndef YOKE_TEST_METHOD_H
#define YOKE_TEST_METHOD_H

#include <yoke/integrator.h>

struct setting {
    const char *name; /* NULL ends the list */
    double value;     /* choices by index */
};

enum { METHOD_SETTINGS = 4 };

struct method {
    const char *integrator;
    struct setting set[METHOD_SETTINGS];
};

/* Sets a list of numbers by its name; yk_param_free frees it. */
void set_reals(const struct yk_param *params, void *settings, const char *name, const double *x, size_t n);
/* A zeroed settings block with the defaults and `set`; malloc'd. */
void *method_settings(const struct yk_integrator_ops *ops, const struct setting *set);
const struct yk_integrator_ops *method_ops(const struct method *method);
/* "lsrt2 gamma=0.25", for messages; valid until the next call. */
const char *method_label(const struct method *method);

/* Opens a domain and puts it at the system's initial state. */
void method_open(struct yk_domain *d, const struct method *method, struct yk_system *system, struct yk_loading loading,
                 double dt);

static const struct yk_loading no_load = {0};

/* One degree of freedom of 1 kg: u'' + 2 xi omega u' + omega^2 u = f. */
struct yk_system *oscillator_create(double omega, double xi, double u0, double v0);

/* n masses m between two walls, joined by n + 1 springs k, C = a M + b K, in the given form. */
struct chain {
    size_t n;
    double m, k, a, b;
};
void chain_matrices(const struct chain *chain, enum yk_form form, struct yk_matrix *M, struct yk_matrix *C,
                    struct yk_matrix *K);

#endif
