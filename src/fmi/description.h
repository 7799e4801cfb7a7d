/* modelDescription.xml: what an FMU is, can do and has. FMI 2.0 and 3.0 in one form. */
#ifndef YOKE_FMI_DESCRIPTION_H
#define YOKE_FMI_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>
#include <yoke/status.h>
#include <yoke/units.h>

enum yk_fmu_type {
    YK_FMU_REAL, /* Real of FMI 2, Float64 of FMI 3 */
    YK_FMU_FLOAT32,
    YK_FMU_INTEGER, /* Integer and Enumeration of FMI 2, Int32 of FMI 3 */
    YK_FMU_INT64,   /* Int64 and Enumeration of FMI 3 */
    YK_FMU_UINT64,
    YK_FMU_BOOLEAN,
    YK_FMU_OTHER /* strings, binaries, clocks, short integers: listed, not used */
};
#define YK_FMU_CAUSALITIES   "local|parameter|calculatedParameter|input|output|independent|structuralParameter"
#define YK_FMU_VARIABILITIES "continuous|constant|fixed|tunable|discrete"
enum yk_fmu_causality {
    YK_FMU_LOCAL,
    YK_FMU_PARAMETER,
    YK_FMU_CALCULATED_PARAMETER,
    YK_FMU_INPUT,
    YK_FMU_OUTPUT,
    YK_FMU_INDEPENDENT,
    YK_FMU_STRUCTURAL_PARAMETER
};
enum yk_fmu_variability { YK_FMU_CONTINUOUS, YK_FMU_CONSTANT, YK_FMU_FIXED, YK_FMU_TUNABLE, YK_FMU_DISCRETE };

/* A variable. Arrays have one value reference and `size` elements. */
struct yk_fmu_variable {
    char *name, *description, *unit, *declared; /* "" where not given */
    uint32_t vr;
    enum yk_fmu_type type;
    enum yk_fmu_causality causality;
    enum yk_fmu_variability variability;
    bool has_start, intermediate, listed; /* listed: among the outputs of ModelStructure */
    double start, min, max, nominal;
    size_t size;
    long derivative; /* FMI 2: position from 1, FMI 3: value reference of what it is the derivative of; -1: of none */
};

struct yk_fmu_unit {
    char *name;
    bool has_base;
    int power[8]; /* kg m s A K mol cd rad */
    double factor, offset;
};

/* An interface that the FMU has, and its flags. */
struct yk_fmu_interface {
    bool offered;
    char *identifier; /* of the shared object */
    bool needs_tool, only_once, saves, serializes, differentiates, variable_step, interpolates, completes,
        no_completion, intermediate, event_mode;
    double internal_step; /* FMI 3; 0: not fixed */
};

enum { YK_FMU_EXCHANGE, YK_FMU_COSIMULATION, YK_FMU_INTERFACES };

struct yk_fmu_description {
    int version; /* 2 or 3 */
    char *version_text, *model, *token, *description, *tool;
    struct yk_fmu_interface interface[YK_FMU_INTERFACES];
    size_t indicators;
    double start, stop, step, tolerance; /* of the default experiment; NAN where not given */
    struct yk_fmu_variable *variables;
    size_t variable_count;
    struct yk_fmu_unit *units;
    size_t unit_count;
    long *derivatives; /* of ModelStructure: variables, by their place in the table */
    size_t derivative_count;
    bool has_clocks;
};

/* Parses a description; `name` is used in messages. Refuses what is not well-formed, a DOCTYPE, and what breaks the
 * rules that Yoke relies on. */
enum yk_status yk_fmu_describe(struct yk_fmu_description *d, const char *text, size_t size, const char *name,
                               struct yk_err *err);
void yk_fmu_description_free(struct yk_fmu_description *d);

/* The variable of a name, and its element if the name ends with one ("z[2]" counts from 1); NULL: there is none. */
const struct yk_fmu_variable *yk_fmu_variable(const struct yk_fmu_description *d, const char *name, size_t *element);
/* The state that derivative k belongs to; NULL: the description does not say. */
const struct yk_fmu_variable *yk_fmu_state(const struct yk_fmu_description *d, size_t k);

/* SI value = factor x value + offset, for the unit of a variable; refused if it is not one of the quantity. `given`: a
 * unit from the experiment file, which goes first; NULL: none. *assumed: no unit is known, SI is taken. */
enum yk_status yk_fmu_unit_of(const struct yk_fmu_description *d, const struct yk_fmu_variable *v,
                              enum yk_quantity quantity, double *factor, double *offset, bool *assumed,
                              struct yk_err *err);

#endif
