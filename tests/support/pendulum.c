#include "support/pendulum.h"
#include "support/check.h"

#include <yoke/substructure.h>

#include <stdlib.h>

struct yk_system *pendulum_make(const struct pendulum *s, const double *u0, const double *v0)
{
    const struct yk_kind_ops *kind = yk_kind_find("spring-pendulum");
    const struct {
        const char *name;
        double value;
    } values[] = {{"platform_mass", s->platform_mass},
                  {"platform_damping", s->platform_damping},
                  {"platform_stiffness", s->platform_stiffness},
                  {"mass", s->mass},
                  {"stiffness", s->stiffness},
                  {"length", s->length},
                  {"gravity", s->gravity}};
    void *settings = calloc(1, kind->settings_size);
    struct yk_system *system = NULL;

    assert_non_null(settings);
    yk_param_defaults(kind->params, settings);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_ok(yk_param_set(kind->params, settings, values[i].name, values[i].value, &err));
    assert_ok(kind->create(settings, u0, v0, NULL, &system, &err));
    free(settings);
    return system;
}
