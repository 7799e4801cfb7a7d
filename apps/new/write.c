/* The experiment file and the README of a new test, from its answers and what was found for them. */
#include "new.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OIL                   60 /* 1/s: stiffness of the oil of a damper over its damping, 10 Hz */
#define TEXT(value, quantity) yk_quantity_format(value, quantity, 6).text

static const char *words_of(enum new_kind kind)
{
    static const char *const words[NEW_KINDS] = {"a column that stays elastic", "a brace that yields",
                                                 "a viscous damper", "a fluid damper",
                                                 "bearings of an isolated building"};

    return words[kind];
}

/* Rounded up to 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten. */
static double round_up(double x)
{
    static const double steps[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    const double ten = pow(10, floor(log10(x)));

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * ten >= x * (1 - 1e-12))
            return steps[i] * ten;
    return 10 * ten;
}

/* ---- the structure ---- */

static double tested_part(const struct new_test *t)
{
    return t->kind == NEW_SPRING || t->kind == NEW_BRACE ? t->k : 0;
}

/* Bouc-Wen with half of the loop by beta and half by gamma: k0/(2 beta) is the yield force, at 8 mm. */
static void write_bearing(FILE *out, const char *from, const char *to, double k, double yield)
{
    const double k0 = yield / 0.008;

    fprintf(out, "{ kind: bouc-wen, between: [%s, %s], kh: %s, k0: %s, beta: %.6g, gamma: %.6g }", from, to,
            TEXT(k, YK_PLAIN_STIFFNESS), TEXT(k0, YK_PLAIN_STIFFNESS), k0 / (2 * yield), k0 / (2 * yield));
}

static void write_storeys(const struct new_test *t, FILE *out)
{
    const bool isolated = t->kind == NEW_ISOLATOR;

    fprintf(out,
            "    kind: assembled\n    nodes:                                     # x is the displacement relative to "
            "the ground\n");
    if (isolated)
        fprintf(out, "      base: { mass: %s }\n", TEXT(t->mass[0], YK_PLAIN_MASS));
    for (size_t i = 0; i < t->storeys; i++)
        fprintf(out, "      floor%zu: { mass: %s }\n", i + 1, TEXT(t->mass[i], YK_PLAIN_MASS));
    fprintf(out, "    elements:                                  # the columns of each storey together%s\n",
            tested_part(t) > 0 ? ", less the specimen" : "");
    if (isolated) {
        fprintf(out, "      - ");
        write_bearing(out, "ground", "base.x", t->rest_k, t->rest_yield);
        fprintf(out, "  # the bearings that are not tested\n");
    }
    for (size_t i = 0; i < t->storeys; i++) {
        char from[40];

        if (i)
            snprintf(from, sizeof from, "floor%zu.x", i);
        else
            strcpy(from, isolated ? "base.x" : "ground");
        fprintf(out, "      - { kind: spring, between: [%s, floor%zu.x], stiffness: %s }\n", from, i + 1,
                TEXT(t->stiffness[i] - (i ? 0 : tested_part(t)), YK_PLAIN_STIFFNESS));
    }
}

static void write_structure(const struct new_test *t, FILE *out)
{
    const char *const *file = t->files;

    fprintf(out, "substructures:\n  frame:                                       # computed: first mode %.4g Hz%s\n",
            t->first_Hz,
            t->kind == NEW_ISOLATOR ? " on fixed bearings"
            : tested_part(t) > 0    ? t->storeys ? ", with the specimen" : ", without the specimen"
                                    : "");
    if (t->storeys)
        write_storeys(t, out);
    else
        fprintf(out, "    kind: linear\n    mass: '%s'\n    stiffness: '%s'\n", file[0], file[1]);
    if (t->damping > 0 && t->kind == NEW_ISOLATOR) /* a part of the mass would damp the motion on the bearings */
        fprintf(out, "    rayleigh: { stiffness: %s }\n", TEXT(t->damping / (M_PI * t->first_Hz), YK_TIME));
    else if (t->damping > 0)
        fprintf(out, "    rayleigh: { ratio: %.6g, frequencies: [%s, %s] }\n", t->damping,
                TEXT(t->first_Hz, YK_FREQUENCY), TEXT(5 * t->first_Hz, YK_FREQUENCY));
    fprintf(
        out,
        "  specimen:                                    # in the laboratory: %s\n    role: physical\n    dofs: [x]\n"
        "    actuators: { x: actuator }\n    estimate: ",
        words_of(t->kind));
    if (t->kind == NEW_DAMPER || t->kind == NEW_FLUID_DAMPER)
        fprintf(out, "{ stiffness: [[0 N/m]], damping: [[%s]] }", TEXT(t->c, YK_PLAIN_DAMPING));
    else
        fprintf(out, "{ stiffness: [[%s]] }",
                TEXT(t->kind == NEW_ISOLATOR ? t->k + t->yield / 0.008 : t->k, YK_PLAIN_STIFFNESS));
    fprintf(out, "  # before it yields; the method uses it\n");
}

static void write_loads(const struct new_test *t, FILE *out)
{
    fprintf(out, "interfaces:\n  - { join: [frame.%s%s, specimen.x] }\n",
            !t->storeys               ? t->at
            : t->kind == NEW_ISOLATOR ? "base.x"
                                      : "floor1.x",
            "");
    fprintf(out, "loads:\n");
    if (t->motion.n)
        fprintf(
            out,
            "  - { ground: frame, kind: record, file: record.csv }  # largest acceleration %s; scale: 2 doubles it\n",
            TEXT(t->peak, YK_PLAIN_ACCELERATION));
    else
        fprintf(
            out,
            "  - { ground: frame, kind: earthquake, peak: %s, frequency: 2.5 Hz, rise: 2 s, strong: 8 s, decay: 5 s, "
            "seed: 1 }\n",
            TEXT(t->peak, YK_PLAIN_ACCELERATION));
}

/* ---- the laboratory ---- */

static void write_specimen(const struct new_test *t, FILE *out)
{
    fprintf(out, "  specimen:                                    # its model, for rehearsals\n    kind: assembled\n"
                 "    nodes: { s: { dofs: [x], mass: 0 } }\n    elements:\n      - ");
    if (t->kind == NEW_SPRING)
        fprintf(out, "{ kind: spring, between: [ground, s.x], stiffness: %s }\n", TEXT(t->k, YK_PLAIN_STIFFNESS));
    else if (t->kind == NEW_BRACE)
        fprintf(out, "{ kind: bilinear, between: [ground, s.x], stiffness: %s, hardening: 0.02, yield_slip: %s }\n",
                TEXT(t->k, YK_PLAIN_STIFFNESS), TEXT(t->yield / t->k, YK_LENGTH));
    else if (t->kind == NEW_DAMPER) /* its oil is a spring in series */
        fprintf(out, "{ kind: maxwell, between: [ground, s.x], stiffness: %s, damping: %.6g }\n",
                TEXT(OIL * t->c, YK_PLAIN_STIFFNESS), t->c);
    else if (t->kind == NEW_FLUID_DAMPER) /* the force of the damper at NEW_FLUID_SPEED, with the root of the speed */
        fprintf(out, "{ kind: maxwell, between: [ground, s.x], stiffness: %s, damping: %.6g, exponent: 0.5 }\n",
                TEXT(OIL * t->c, YK_PLAIN_STIFFNESS), t->c * sqrt(NEW_FLUID_SPEED));
    else {
        write_bearing(out, "ground", "s.x", t->k, t->yield);
        fprintf(out, "\n");
    }
}

static void write_limits(const struct new_test *t, FILE *out)
{
    const double stroke = fmin(t->travel, round_up(2 * t->stroke + 1e-3)),
                 force = fmin(t->capacity, round_up(2 * t->force));

    fprintf(out,
            "limits:                                        # what stops the test; it asks for %s, %s and %s\n"
            "  displacement: %s\n  force: %s\n  command_rate: %s\n  tracking_error: %s\n  on_trip: ramp\n",
            yk_quantity_format(t->stroke, YK_LENGTH, 3).text, yk_quantity_format(t->force, YK_PLAIN_FORCE, 3).text,
            yk_quantity_format(t->speed, YK_SPEED, 3).text, TEXT(stroke, YK_LENGTH), TEXT(force, YK_PLAIN_FORCE),
            TEXT(round_up(4 * t->speed + 0.02), YK_SPEED), TEXT(round_up(0.5 * t->stroke + 5e-4), YK_LENGTH));
}

static void write_laboratory(const struct new_test *t, FILE *out)
{
    fprintf(out, "transfer:\n  actuator:\n");
    if (t->actuator)
        fprintf(
            out,
            "    compensator: { %s, delay: %s }  # found by rehearsals; `yoke check FILE --compensators` compares\n",
            t->compensator, TEXT(t->delay, YK_TIME));
    else
        fprintf(out, "    compensator: { kind: none }\n");
    fprintf(out,
            "rig:\n  backend: virtual                             # a simulated laboratory; yours: docs/backends.md\n"
            "  actuators:\n    actuator:%s%s\n      plant: { %s }\n",
            t->actuator ? "                                  # class " : "", t->actuator ? t->actuator : "",
            t->actuator ? t->plant : "kind: ideal");
    if (t->actuator)
        fprintf(out, "      sensors: { displacement_noise: %s, force_noise: %s }\n",
                TEXT(fmin(5e-6, 1e-3 * t->stroke), YK_LENGTH), TEXT(5e-4 * t->force, YK_PLAIN_FORCE));
    write_specimen(t, out);
    if (t->actuator)
        write_limits(t, out);
    fprintf(out,
            "reference: monolithic                          # the same structure without a laboratory, to measure the "
            "error\n");
}

char *new_experiment(const struct new_test *t)
{
    const char *schema = new_shipped("experiment.schema.json", "build/experiment.schema.json");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    if (schema)
        fprintf(out, "# yaml-language-server: $schema=%s\n", schema);
    fprintf(out, "# Made by `yoke new`. Numbers have units; every key is explained by `yoke reference`.\n");
    if (t->storeys == 1)
        fprintf(out, "title: One storey with %s in the laboratory\n", words_of(t->kind));
    else if (t->storeys)
        fprintf(out, "title: %zu storeys with %s in the laboratory\n", t->storeys, words_of(t->kind));
    else
        fprintf(out, "title: Structure of matrices with %s in the laboratory\n", words_of(t->kind));
    fprintf(out, "time: { step: %.12g ms, end: %.12g s, control_rate: %.12g Hz }\n", 1e3 * t->step, t->end, t->rate);
    fprintf(out, "method: { integrator: chang }                 # explicit and stable; `yoke list integrators`\n");
    write_structure(t, out);
    write_loads(t, out);
    write_laboratory(t, out);
    return fclose(out) ? (free(text), NULL) : text;
}

/* ---- the README ---- */

char *new_readme(const struct new_test *t, const char *level)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(
        out,
        "# %s\n\nA hybrid test, begun by `yoke new`: %s in a simulated laboratory, the rest of the structure "
        "computed.\n"
        "The rehearsal was %s: actuator %s, delay of %s compensated.\n\nThe next three commands, in this folder:\n\n"
        "    yoke check %s.yaml                       # is it stable, what does it ask of the actuator\n"
        "    yoke run %s.yaml -o out/first            # out/first/report.html shows the result\n"
        "    yoke check %s.yaml --compensators        # rehearses it with several compensators\n\n",
        t->name, words_of(t->kind), level, t->actuator, TEXT(t->delay, YK_TIME), t->name, t->name, t->name);
    fprintf(out, "| file | |\n|---|---|\n| %s.yaml | the experiment, with comments; the place to change things |\n",
            t->name);
    for (size_t i = 0; i < t->file_count; i++)
        fprintf(out, "| %s | %s |\n", t->files[i],
                strcmp(t->files[i], "record.csv") == 0 ? "the ground motion, in m/s2"
                : i == 0                               ? "the mass matrix"
                                                       : "the stiffness matrix");
    fprintf(out,
            "\nBefore a real actuator moves: the model of the specimen and the data sheet of the actuator in the file "
            "are yours to\nreplace by what was measured (`yoke identify`), and the limits by what your laboratory "
            "allows. `yoke rig` and its check-list\nbegin there.\n");
    return fclose(out) ? (free(text), NULL) : text;
}
