/* A step of the reduced vehicle: dense matrices of 34 coordinates, four masses with a spring and a saturating damper to
 * a moving base each, joined at four degrees of freedom. The matrices are random, the suspensions those of
 * examples/vehicle. Units: N, m, s. */
#include "vehicle.h"

#include "measure.h"

#include <yoke/coupling.h>

#include <stdlib.h>

enum { COORDINATES = 34, CORNERS = 4, ALL = COORDINATES + CORNERS, SINES = 6 };
#define STEP 1e-3

struct vehicle {
    struct yk_substructure subs[YK_SIDES];
    struct yk_coupled *problem;
    struct yk_coupling coupling;
    struct yk_matrix A; /* of the reference */
    double x[ALL], y[ALL];
};

/* Names and values of the settings of a law or signal. */
struct setting {
    const char *name;
    double value;
};

static enum yk_status fill(const struct yk_param *params, size_t size, const struct setting *set, void **settings,
                           struct yk_err *err)
{
    enum yk_status st = yk_param_settings(params, size, settings, err);

    for (; set->name && !st; set++)
        st = yk_param_set(params, *settings, set->name, set->value, err);
    return st;
}

static enum yk_status add_signal(struct yk_base *base, const char *name, const struct setting *set, struct yk_err *err)
{
    struct yk_base_signal *s = &base->signals[base->count++];
    enum yk_status st;

    s->ops = yk_signal_find(name);
    st = fill(s->ops->params, s->ops->settings_size, set, &s->settings, err);
    return !st && s->ops->prepare ? s->ops->prepare(s->settings, 1, err) : st;
}

static enum yk_status make_road(struct yk_base *base, size_t corner, struct yk_err *err)
{
    static const double frequency[SINES] = {2, 5, 9, 14, 23, 37};
    enum yk_status st;

    *base = (struct yk_base){.fade_in = 0.05, .signals = calloc(SINES + 1, sizeof *base->signals)};
    if (!base->signals)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = add_signal(base, "noise",
                    (const struct setting[]){{"rms", 1e-4}, {"high", 200}, {"seed", (double)corner + 1}, {0}}, err);
    for (int k = 0; k < SINES && !st; k++)
        st = add_signal(base, "sine", (const struct setting[]){{"amplitude", 1e-3}, {"frequency", frequency[k]}, {0}},
                        err);
    return st;
}

static enum yk_status make_element(struct yk_element *e, const char *law, const struct setting *set, size_t corner,
                                   struct yk_err *err)
{
    *e = (struct yk_element){.law = yk_law_find(law), .from = -2 - (long)corner, .to = (long)corner};
    return fill(e->law->params, e->law->settings_size, set, &e->settings, err);
}

static enum yk_status make_suspensions(struct yk_system **system, struct yk_err *err)
{
    struct yk_structure_parts p = {.elements = calloc(2 * CORNERS, sizeof *p.elements),
                                   .bases = calloc(CORNERS, sizeof *p.bases)};
    enum yk_status st = YK_OK;

    if (!p.elements || !p.bases)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st || (st = yk_matrix_init(&p.M, YK_DIAGONAL, CORNERS, CORNERS, err)) ||
        (st = yk_matrix_init(&p.C, YK_DIAGONAL, CORNERS, CORNERS, err)) ||
        (st = yk_matrix_init(&p.K, YK_DIAGONAL, CORNERS, CORNERS, err))) {
        yk_structure_parts_free(&p);
        return st;
    }
    for (size_t k = 0; k < CORNERS && !st; k++) {
        p.M.x[k] = 0.16;
        p.base_count++;
        p.element_count += 2;
        if (!(st = make_road(&p.bases[k], k, err)) &&
            !(st =
                  make_element(&p.elements[2 * k], "spring", (const struct setting[]){{"stiffness", 35}, {0}}, k, err)))
            st = make_element(&p.elements[2 * k + 1], "saturating-damper",
                              (const struct setting[]){{"linear", 0.65}, {"limit", 10}, {"knee", 0.55}, {0}}, k, err);
    }
    if (st) {
        yk_structure_parts_free(&p);
        return st;
    }
    return yk_structure_create(system, &p, NULL, err);
}

static enum yk_status make_coupling(struct vehicle *v, struct yk_err *err)
{
    const struct yk_coupling_ops *ops = yk_coupling_find("state-space");
    void *settings;
    enum yk_status st;

    if ((st = yk_param_settings(ops->params, ops->size, &settings, err)))
        return st;
    st = yk_coupling_create(&v->coupling, ops, settings, v->problem, NULL, err);
    free(settings);
    return st;
}

static enum yk_status make_vehicle(struct vehicle *v, struct yk_err *err)
{
    static char *name[YK_SIDES] = {"frame", "suspension"}, *dofs[COORDINATES] = {0};
    size_t ends[YK_SIDES] = {YK_COARSE, YK_FINE}, dof[CORNERS][YK_SIDES];
    double coefficient[YK_SIDES] = {1, -1};
    struct yk_row rows[CORNERS];
    enum yk_status st;

    for (int s = 0; s < YK_SIDES; s++)
        v->subs[s] = (struct yk_substructure){name[s], dofs, NULL, s == YK_FINE};
    for (size_t r = 0; r < CORNERS; r++) {
        dof[r][YK_COARSE] = COORDINATES - CORNERS + r;
        dof[r][YK_FINE] = r;
        rows[r] = (struct yk_row){YK_SIDES, ends, dof[r], coefficient, YK_NOWHERE};
    }
    if ((st = yk_random_structure(&v->subs[YK_COARSE].system, COORDINATES, COORDINATES, 1, err)) ||
        (st = make_suspensions(&v->subs[YK_FINE].system, err)) ||
        (st = yk_coupled_create(&v->problem,
                                &(struct yk_coupled_parts){.substructures = v->subs,
                                                           .count = YK_SIDES,
                                                           .rows = rows,
                                                           .row_count = CORNERS,
                                                           .dt = STEP,
                                                           .substeps = 1},
                                NULL, err)))
        return st;
    return make_coupling(v, err);
}

static void destroy(struct vehicle *v)
{
    yk_coupling_destroy(&v->coupling);
    yk_coupled_destroy(v->problem);
    for (int s = 0; s < YK_SIDES; s++)
        yk_system_destroy(v->subs[s].system);
    yk_matrix_fini(&v->A);
}

static void start(void *self)
{
    yk_coupling_start(&((struct vehicle *)self)->coupling, NULL, NULL);
}

static void step(void *self, long count)
{
    struct vehicle *v = self;

    for (long k = 0; k < count; k++)
        yk_coupling_step(&v->coupling);
}

static void clear(void *self)
{
    struct vehicle *v = self;

    for (size_t i = 0; i < ALL; i++) {
        v->x[i] = 1 + (double)i;
        v->y[i] = 0;
    }
}

static void multiply(void *self, long count)
{
    struct vehicle *v = self;

    for (long k = 0; k < count; k++)
        yk_matrix_add_product(&v->A, 1, v->x, v->y);
}

enum yk_status yk_bench_vehicle(struct yk_bench_result *out, struct yk_err *err)
{
    struct vehicle *v = calloc(1, sizeof *v); /* moves with the rest of what is measured */
    enum yk_status st;

    if (!v)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = make_vehicle(v, err)) && !(st = yk_random_matrix(&v->A, ALL, ALL, 1, 3, err)))
        yk_measure(&(struct yk_task){start, step, v}, &(struct yk_task){clear, multiply, v}, out);
    destroy(v);
    free(v);
    return st;
}
