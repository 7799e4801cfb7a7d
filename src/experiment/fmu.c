/* The kind `fmu`: a model of another program, in the exchange format of FMI. docs/fmi.md */
#include "experiment/build.h"

#include "substructure/fmu.h"

#include <stdlib.h>
#include <string.h>

struct fmu {
    int interface, inputs, trials, events, sign, isolation, substeps;
    double timeout;
};

static const struct yk_param keys[] = {
    YK_NODE("file", "file or folder", YK_REQUIRED, "the FMU: an archive, or an unpacked folder"),
    YK_NODE("dofs", "map of degree of freedom to variables", YK_REQUIRED,
            "for each degree of freedom the names of its variables in the FMU"),
    YK_NODE("mass", "matrix [kg]", 0, "at the degrees of freedom, beside what is in the FMU; rows or a diagonal"),
    YK_NODE("parameters", "map of variable to value", 0, "parameters and start values of the FMU, with units"),
    YK_NODE("units", "map of variable to unit", 0, "units of variables that the FMU declares without one"),
    YK_CHOICE(struct fmu, interface, YK_FMU_INTERFACE_CHOICES, 0,
              "interface of the FMU; auto: model exchange if it has it (FMI 2.0), otherwise co-simulation"),
    YK_CHOICE(struct fmu, inputs, YK_FMU_INPUT_CHOICES, 0,
              "how inputs run during a step of co-simulation: on a line or held at their mean (second order), or at "
              "the end (first order); auto: the first of these that the FMU can do"),
    YK_CHOICE(struct fmu, trials, YK_FMU_TRIAL_CHOICES, 0,
              "save: every trial starts from a saved state; none: each force is asked once, as of a specimen"),
    YK_CHOICE(struct fmu, events, YK_FMU_EVENT_CHOICES, 0,
              "events of model exchange: handled at the end of a step, located within it (takes longer: not for paced "
              "runs), or "
              "refused"),
    YK_COUNT(struct fmu, substeps, 4, 1, 1000, "Runge-Kutta steps of the hidden states in a step; model exchange"),
    YK_CHOICE(struct fmu, sign, "resists|action", 0,
              "the force of the FMU resists a positive motion, or is the action on the structure"),
    YK_NODE("feedthrough", "map of stiffness, damping", 0,
            "derivative of the force by displacement and velocity at once, if the FMU cannot tell it"),
    YK_CHOICE(struct fmu, isolation, YK_FMU_ISOLATION_CHOICES, 0,
              "process: in a process of its own, which may crash; none: in this program, faster, only for FMUs you "
              "trust"),
    YK_REAL(struct fmu, timeout, YK_TIME, 1, 1e-6, 3600, "longest time of one call; after it the FMU counts as hung"),
    YK_PARAM_END,
};

static const struct yk_param dof_keys[] = {
    YK_NODE("displacement", "variable", YK_REQUIRED,
            "input that takes the displacement; or a state: the FMU then has this degree of freedom with its mass"),
    YK_NODE("velocity", "variable", 0, "input that takes the velocity; default: the FMU has none; or a state"),
    YK_NODE("force", "variable", YK_REQUIRED,
            "output with the force; or, beside states, the input that takes the force"),
    YK_PARAM_END,
};

static const struct yk_param feedthrough_keys[] = {
    YK_NODE("stiffness", "matrix [N/m]", 0, "rows or a diagonal"),
    YK_NODE("damping", "matrix [N s/m]", 0, "rows or a diagonal"),
    YK_PARAM_END,
};

/* The model while it is read, and the map that describes it. */
struct reading {
    const struct yk_model *e;
    const struct yk_node *map;
    struct yk_field_context context;
    struct yk_dofs *d;
    struct yk_fmu_parts parts;
};

static enum yk_status open_file(struct reading *r, const struct fmu *settings, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(r->map, "file");
    char *path;
    enum yk_status st = yk_field_type(node, YK_SCALAR, "the name of a file", err);

    if (st)
        return st;
    if (!(path = yk_field_path(r->context.directory, node->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_fmu_open(&r->parts.fmu, path, r->map->key ? r->map->key : "specimen", err)) ||
        (st = yk_fmu_choose(r->parts.fmu, (enum yk_fmu_wish)settings->interface, false, err)) ||
        (st = yk_fmu_handle_events(r->parts.fmu, (enum yk_fmu_events)settings->events, err))) {
        yk_fail_within(err, node->where, "file: ");
        st = yk_fail_as(err, err->status == YK_E_IO ? YK_E_INPUT : err->status);
    }
    free(path);
    return st;
}

/* `parameters` and `units`: a function for each entry. */
static enum yk_status each_entry(struct reading *r, const char *key,
                                 enum yk_status (*take)(struct yk_fmu *, const char *, const char *, struct yk_err *),
                                 struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(r->map, key);
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map of variables of the FMU", err) : YK_OK;

    for (size_t i = 0; map && i < map->count && !st; i++) {
        const struct yk_node *item = map->items[i];

        if ((st = yk_field_type(item, YK_SCALAR, "a value", err)))
            break;
        if ((st = take(r->parts.fmu, item->key, item->text, err)))
            yk_fail_within(err, item->where, "%s: ", key);
    }
    return st;
}

static enum yk_status read_names(struct reading *r, struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(r->map, "dofs");
    enum yk_status st;

    if ((st = yk_field_type(dofs, YK_MAP, "a map of degrees of freedom", err)))
        return st;
    if (!(r->d->names = calloc(dofs->count + 1, sizeof *r->d->names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; r->d->n < dofs->count; r->d->n++) {
        const struct yk_node *dof = dofs->items[r->d->n];

        if ((st = yk_check_name(dof, dof->key, err)) ||
            (st = yk_field_type(dof, YK_MAP, "a map of displacement, velocity and force", err)) ||
            (st = yk_field_known(dof, dof_keys, NULL, err)))
            return st;
        if (!(r->d->names[r->d->n] = strdup(dof->key)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    r->parts.n = r->d->n;
    return r->d->n ? YK_OK : yk_fail_at(err, YK_E_INPUT, dofs->where, "dofs is empty: at least one is needed");
}

/* One variable of every degree of freedom. */
static enum yk_status connect_one(struct reading *r, const char *key, enum yk_quantity quantity, bool needed,
                                  enum yk_status (*connect)(struct yk_fmu *, const char *, enum yk_quantity,
                                                            struct yk_err *),
                                  struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(r->map, "dofs");
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < dofs->count && !st; i++) {
        const struct yk_node *name = yk_node_get(dofs->items[i], key);

        if (!name && needed)
            return yk_fail_at(err, YK_E_INPUT, dofs->items[i]->where,
                              "%s needs '%s', the name of a variable of the FMU", dofs->items[i]->key, key);
        if (name && (st = yk_field_type(name, YK_SCALAR, "the name of a variable", err)))
            break;
        if ((st = connect(r->parts.fmu, name ? name->text : "", yk_dofs_quantity(r->d->names[i], quantity), err)))
            yk_fail_within(err, name ? name->where : dofs->items[i]->where, "%s: ", key);
    }
    return st;
}

static enum yk_status read_matrix(const struct reading *r, const struct yk_node *node, enum yk_quantity quantity,
                                  struct yk_matrix *M, struct yk_err *err)
{
    enum yk_sense *senses = yk_dofs_senses(r->d->names, r->d->n);
    enum yk_status st = senses ? yk_field_matrix(node, quantity, r->d->n, senses, &r->context, M, err)
                               : yk_fail(err, YK_E_MEMORY, "out of memory");

    free(senses);
    return st;
}

static enum yk_status read_feedthrough(struct reading *r, struct yk_err *err)
{
    static const enum yk_quantity quantities[] = {YK_STIFFNESS, YK_DAMPING};
    static const char *const names[] = {"stiffness", "damping"};
    double **const to[] = {&r->parts.stiffness, &r->parts.damping};
    const struct yk_node *map = yk_node_get(r->map, "feedthrough");
    enum yk_status st;

    if (!map)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, feedthrough_keys, NULL, err)))
        return st;
    for (int i = 0; i < 2 && !st; i++) {
        const struct yk_node *node = yk_node_get(map, names[i]);
        struct yk_matrix A = {0};

        if (!node || (st = read_matrix(r, node, quantities[i], &A, err)))
            continue;
        if ((*to[i] = calloc(r->d->n * r->d->n, sizeof(double))))
            yk_matrix_to_dense(&A, *to[i]);
        else
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        yk_matrix_fini(&A);
    }
    return st;
}

static enum yk_status read_mass(struct reading *r, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(r->map, "mass");

    return node ? read_matrix(r, node, YK_MASS, &r->parts.M, err)
                : yk_matrix_init(&r->parts.M, YK_DIAGONAL, r->d->n, r->d->n, err);
}

/* ---- degrees of freedom of its own ---- */

/* The number of the state of a name, in the order of the states; -1: it is none. */
static long find_state(const struct yk_fmu_description *d, const char *name)
{
    for (size_t k = 0; k < d->derivative_count; k++)
        if (strcmp(yk_fmu_state(d, k)->name, name) == 0)
            return (long)k;
    return -1;
}

static const char *variable_of(const struct reading *r, size_t dof, const char *key)
{
    const struct yk_node *name = yk_node_get(yk_node_get(r->map, "dofs")->items[dof], key);

    return name && name->type == YK_SCALAR ? name->text : "";
}

/* Is the displacement of the first degree of freedom a state of the FMU? */
static bool has_own_dofs(const struct reading *r)
{
    return r->d->n && yk_fmu_chosen(r->parts.fmu) == YK_FMU_EXCHANGE &&
           find_state(yk_fmu_description(r->parts.fmu), variable_of(r, 0, "displacement")) >= 0;
}

/* The states of one key, whose derivatives become outputs; SI only, since they are set as they are. */
static enum yk_status own_states(struct reading *r, const char *key, enum yk_quantity quantity, size_t **states,
                                 double *start, struct yk_err *err)
{
    const struct yk_fmu_description *d = yk_fmu_description(r->parts.fmu);

    if (!(*states = calloc(r->d->n + 1, sizeof **states)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < r->d->n; i++) {
        const struct yk_node *dof = yk_node_get(r->map, "dofs")->items[i];
        const long k = find_state(d, variable_of(r, i, key));
        const enum yk_quantity own = yk_dofs_quantity(r->d->names[i], quantity);
        double factor, offset;
        bool assumed;
        enum yk_status st;

        if (k < 0)
            return yk_fail_at(err, YK_E_INPUT, dof->where, "%s: '%s' is not a state of the FMU, but other ones are",
                              key, variable_of(r, i, key));
        if ((st = yk_fmu_unit_of(d, yk_fmu_state(d, (size_t)k), own, &factor, &offset, &assumed, err)))
            return yk_fail_within(err, dof->where, "%s: ", key);
        if (factor != 1 || offset != 0)
            return yk_fail_at(err, YK_E_UNSUPPORTED, dof->where, "%s: the state '%s' is not in SI units", key,
                              variable_of(r, i, key));
        (*states)[i] = (size_t)k;
        start[i] = yk_fmu_state(d, (size_t)k)->start;
    }
    return YK_OK;
}

static enum yk_status connect_own(struct reading *r, struct yk_err *err)
{
    const struct yk_fmu_description *d = yk_fmu_description(r->parts.fmu);
    enum yk_status st;

    if (yk_node_get(r->map, "mass"))
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(r->map, "mass")->key_where,
                          "the FMU has degrees of freedom of its own, with their mass");
    if ((st = connect_one(r, "force", YK_FORCE, true, yk_fmu_input, err)) ||
        (st = own_states(r, "displacement", YK_DISPLACEMENT, &r->parts.displacement, r->parts.u0, err)) ||
        (st = own_states(r, "velocity", YK_VELOCITY, &r->parts.velocity, r->parts.v0, err)))
        return st;
    for (size_t i = 0; i < 2 * r->d->n && !st; i++) {
        const size_t state = i < r->d->n ? r->parts.velocity[i] : r->parts.displacement[i - r->d->n];

        st = yk_fmu_output(r->parts.fmu, d->variables[d->derivatives[state]].name, YK_QUANTITY_COUNT, err);
    }
    return st;
}

static enum yk_status connect(struct reading *r, struct yk_err *err)
{
    enum yk_status st;

    if (has_own_dofs(r))
        return connect_own(r, err);
    if ((st = connect_one(r, "displacement", YK_DISPLACEMENT, true, yk_fmu_input, err)) ||
        (st = connect_one(r, "velocity", YK_VELOCITY, false, yk_fmu_input, err)) ||
        (st = connect_one(r, "force", YK_FORCE, true, yk_fmu_output, err)) || (st = read_mass(r, err)))
        return st;
    return read_feedthrough(r, err);
}

/* How the method asks, and how often. */
static void note_method(struct reading *r, bool specimen)
{
    const struct yk_model *e = r->e;
    const struct yk_node *rate = yk_node_get(r->map, "rate");
    const bool fine = rate && rate->type == YK_SCALAR && strcmp(rate->text, "fine") == 0;
    const int stages = e->coupling ? e->coupling->stages : e->integrator ? e->integrator->stages : 1;

    r->parts.method = e->reference ? "reference: monolithic" : yk_model_method(e);
    r->parts.asks_once =
        specimen ||
        (!e->reference && (!e->integrator || !(e->integrator->caps & (YK_INTEG_ITERATES | YK_INTEG_MODELS_ONLY))));
    r->parts.end_s = e->time.end;
    r->parts.step = specimen && e->time.control_rate > 0 ? 1 / e->time.control_rate
                                                         : (fine ? yk_fine_step(e) : e->time.step) / stages;
}

static enum yk_status build(const struct yk_model *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                            struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    struct reading r = {.e = e, .map = map, .context = yk_build_context(e), .d = d};
    struct fmu s;
    enum yk_status st;

    if ((st = yk_field_known(map, keys, yk_keys_substructure, err)) ||
        (st = yk_field_settings(map, keys, &s, &r.context, err)))
        return st;
    note_method(&r, massless);
    r.parts.inputs = (enum yk_fmu_inputs)s.inputs;
    r.parts.trials = (enum yk_fmu_trials)s.trials;
    r.parts.action = s.sign == 1;
    r.parts.in_process = s.isolation == 1;
    r.parts.substeps = s.substeps;
    r.parts.timeout_s = s.timeout;
    if ((st = open_file(&r, &s, err)) || (st = each_entry(&r, "units", yk_fmu_unit, err)) ||
        (st = each_entry(&r, "parameters", yk_fmu_parameter, err)) || (st = read_names(&r, err))) {
        yk_fmu_parts_free(&r.parts);
        return st;
    }
    r.parts.u0 = calloc(d->n, sizeof *r.parts.u0);
    r.parts.v0 = calloc(d->n, sizeof *r.parts.v0);
    if (!r.parts.u0 || !r.parts.v0)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st || (st = connect(&r, err)) || (st = yk_dofs_initial(map, d, r.parts.u0, r.parts.v0, err))) {
        yk_fmu_parts_free(&r.parts);
        return st;
    }
    if ((st = (r.parts.displacement ? yk_fmu_own_system : yk_fmu_system)(system, &r.parts, e->mem, err)))
        yk_fail_within(err, map->where, "%s: ", map->key ? map->key : "specimen");
    return st;
}

static const struct yk_keys_section sections[] = {
    {"Kind `fmu`",
     "A model of another program as a functional mock-up unit (FMI 2.0 co-simulation or model exchange, FMI 3.0\n"
     "co-simulation): its motion goes in, its force comes out. See docs/fmi.md.",
     keys},
    {"A degree of freedom of an FMU", "Names of variables of the FMU; an element of an array is `z[2]`.", dof_keys},
    {"`feedthrough` of an FMU", "", feedthrough_keys},
    {0},
};

const struct yk_builder_ops yk_builder_fmu = {
    .name = "fmu",
    .sections = sections,
    .build = build,
};
