/* Experiments that must be refused: files that are none, sections, methods, interfaces and loads. */

#include "support/check.h"
#include "support/refused.h"
#include "support/scratch.h"

#include "experiment/experiment.h"

#include <stdlib.h>
#include <time.h>

static const struct refusal whole_files[] = {
    {"@", YK_E_INPUT, "empty"},
    {"@# only a comment\n\n", YK_E_INPUT, "empty"},
    {"@   \n\n", YK_E_INPUT, "empty"},
    {"@- time\n- method\n", YK_E_INPUT, "a map of keys is expected, but this is a list"},
    {"@just words\n", YK_E_INPUT, "a map of keys is expected, but this is a single value"},
    {"time:\n@\tstep: 0.1\n", YK_E_INPUT, "tab"},
    {"time: {step: 0.1, end: 1\nmethod@: {integrator: lsrt2}\n", YK_E_INPUT, ""},
    {TIME "@time: {step: 0.2, end: 1}\n", YK_E_INPUT, "duplicate"},
    {HEAD "substructures:\n  a: {dofs: [x], mass: [1], stiffness: [4], @mass: [2]}\n", YK_E_INPUT, "duplicate"},
    {"@[a, b]: 3\n" HEAD, YK_E_INPUT, "a key must be a plain word"},
    {"title: @\"open\n" HEAD, YK_E_INPUT, ""},
    {TIME "method: *@nothing\n", YK_E_INPUT, "nothing"},
    {GOOD "---\n" GOOD, YK_E_INPUT, "one document"},
    {"title: a@\xff\xfe\n" HEAD, YK_E_INPUT, "UTF-8"},
    {"title: \"@a\\e[2J\"\n" HEAD, YK_E_INPUT, "control character 0x1b"},
    {"title: \"@a\\x9b2J\"\n" HEAD, YK_E_INPUT, "control character 0x9b"},
    {"title: \"@a\\0b\"\n" HEAD, YK_E_INPUT, "control character 0x00"},
    {"\"@title\\0x\": a\n" HEAD, YK_E_INPUT, "control character 0x00"},
    {"title: a@\x01"
     "b\n" HEAD,
     YK_E_INPUT, ""},
};

static const struct refusal sections[] = {
    {"@method: {integrator: lsrt2}\n" ONE, YK_E_INPUT, "missing 'time'"},
    {"@" TIME ONE, YK_E_INPUT, "missing 'method'"},
    {"@" HEAD, YK_E_INPUT, "missing 'substructures'"},
    {GOOD "@lods: []\n", YK_E_INPUT, "unknown key 'lods'; did you mean 'loads'?"},
    {GOOD "@zzzzzzzz: 1\n", YK_E_INPUT, "unknown key 'zzzzzzzz'"},
    {GOOD "@Title: x\n", YK_E_INPUT, "did you mean 'title'?"},
    {GOOD "@title: [a, b]\n", YK_E_INPUT, "a single value is expected for title, but this is a list"},
    {GOOD "reference: @exactly\n", YK_E_INPUT, "reference = 'exactly' is not one of: none, monolithic"},
    {GOOD "@reference:\n", YK_E_INPUT, "is not one of: none, monolithic"},
    /* time */
    {"time: @0.1\n" METHOD ONE, YK_E_INPUT, "a map is expected for time, but this is a single value"},
    {"@time: []\n" METHOD ONE, YK_E_INPUT, "a map is expected for time, but this is a list"},
    {"@time: {step: 0.1}\n" METHOD ONE, YK_E_INPUT, "missing 'end'"},
    {"@time: {end: 1}\n" METHOD ONE, YK_E_INPUT, "missing 'step'"},
    {"time: {@stp: 0.1, end: 1}\n" METHOD ONE, YK_E_INPUT, "unknown key 'stp' in time; did you mean 'step'?"},
    {"time: {step: @0, end: 1}\n" METHOD ONE, YK_E_RANGE, "step = 0 must be positive"},
    {"time: {step: @-0.1, end: 1}\n" METHOD ONE, YK_E_RANGE, "step = -0.1 must be positive"},
    {"time: {step: @1e7, end: 1e8}\n" METHOD ONE, YK_E_RANGE, "step = 1e7 is outside 0 .. 1e+06 s"},
    {"time: {step: 0.1, end: @0}\n" METHOD ONE, YK_E_RANGE, "end = 0 must be positive"},
    {"time: {step: 0.3, end: @1}\n" METHOD ONE, YK_E_RANGE,
     "end = 1 s is not a whole number of steps of 0.3 s; the nearest is 0.9 s"},
    {"time: {step: 1, end: @0.1}\n" METHOD ONE, YK_E_RANGE, "end = 0.1 s is shorter than one step of 1 s"},
    {"time: {step: 1e-6, end: @1e9}\n" METHOD ONE, YK_E_RANGE, "1e+15 steps"},
    {"time: {step: @.nan, end: 1}\n" METHOD ONE, YK_E_INPUT, "'.nan' is not a finite number"},
    {"time: {step: @nan, end: 1}\n" METHOD ONE, YK_E_INPUT, "'nan' is not a finite number"},
    {"time: {step: 0.1, end: @inf}\n" METHOD ONE, YK_E_INPUT, "'inf' is not a finite number"},
    {"time: {step: 0.1, end: @-.Inf}\n" METHOD ONE, YK_E_INPUT, "is not a finite number"},
    {"time: {step: 0.1, end: @1e999}\n" METHOD ONE, YK_E_INPUT, "'1e999' is not a finite number"},
    {"time: {step: @soon, end: 1}\n" METHOD ONE, YK_E_INPUT, "'soon' is not a number"},
    {"time: {@step: , end: 1}\n" METHOD ONE, YK_E_INPUT, "step: no value is given"},
    {"time: {step: @2 kg, end: 4}\n" METHOD ONE, YK_E_UNIT, "'2 kg' is a mass, but a time is expected (s)"},
    {"time: {step: @10 msec, end: 4}\n" METHOD ONE, YK_E_UNIT, "did you mean 'ms'?"},
    {"time: {@step: [0.1], end: 4}\n" METHOD ONE, YK_E_INPUT,
     "a single value is expected for step, but this is a list"},
    /* method */
    {"time: {step: 0.1, end: 1}\nmethod: {@integrater: lsrt2}\nsubstructures: {a: {dofs: [x], mass: 1, stiffness: "
     "4}}\n",
     YK_E_INPUT, "unknown key 'integrater' in method; did you mean 'integrator'?"},
    {TIME "@method: {gamma: 1}\n" ONE, YK_E_INPUT, "method needs either 'integrator'"},
    {TIME "method: @lsrt2\n" ONE, YK_E_INPUT, "a map is expected for method, but this is a single value"},
    {TIME "method: {integrator: @lsrt22}\n" ONE, YK_E_INPUT, "there is no integrator 'lsrt22'; did you mean 'lsrt2'?"},
    {TIME "method: {integrator: @rungekuttafehlberg}\n" ONE, YK_E_INPUT, "see `yoke list integrators`"},
    {TIME "method: {@integrator: [lsrt2]}\n" ONE, YK_E_INPUT, "the name of a method is expected for integrator"},
    {TIME "method: {integrator: lsrt2, @gama: 1}\n" ONE, YK_E_INPUT,
     "unknown key 'gama' in method; did you mean 'gamma'?"},
    {TIME "method: {integrator: lsrt2, gamma: @-1}\n" ONE, YK_E_RANGE, "gamma = -1 "},
    {TIME "method: {integrator: lsrt2, gamma: @half}\n" ONE, YK_E_INPUT, "gamma: 'half' is not a number"},
    {TIME "method: {integrator: newmark, @alpha: 1}\n" ONE, YK_E_INPUT, "unknown key 'alpha' in method"},
    {TIME "method: {integrator: lsrt2, stability: @maybe}\n" ONE, YK_E_INPUT,
     "stability = 'maybe' is not one of: refuse, warn"},
    /* substructures */
    {HEAD "substructures: @7\n", YK_E_INPUT, "a map of substructures is expected"},
    {HEAD "@substructures: {}\n", YK_E_INPUT, "substructures is empty"},
    {HEAD "@substructures:\n", YK_E_INPUT, "a map of substructures is expected"},
    {HEAD "substructures: {a: @1}\n", YK_E_INPUT, "a substructure as a map is expected"},
    {HEAD "substructures: {@a b: {dofs: [x]}}\n", YK_E_INPUT, "'a b' cannot be a name"},
    {HEAD "substructures: {@a.b: {dofs: [x]}}\n", YK_E_INPUT, "'a.b' cannot be a name"},
    {HEAD "substructures: {a: {kind: @liner}}\n", YK_E_INPUT,
     "there is no kind of substructure 'liner'; did you mean 'linear'?"},
    {HEAD "substructures: {a: {@kind: [linear]}}\n", YK_E_INPUT, "the name of a kind is expected"},
    {HEAD "substructures: {@a: {role: physical}}\n", YK_E_INPUT, "'a' is physical: time.control_rate is needed"},
    {HEAD "substructures: {a: {role: @virtual}}\n", YK_E_INPUT, "role = 'virtual' is not one of: numerical, physical"},
    {HEAD "substructures: {@a: {mass: [1], stiffness: [1]}}\n", YK_E_INPUT, "missing 'dofs'"},
    {HEAD "substructures: {@a: {dofs: [x], stiffness: [1]}}\n", YK_E_INPUT, "missing 'mass'"},
    {HEAD "substructures: {@a: {dofs: [x], mass: [1]}}\n", YK_E_INPUT, "missing 'stiffness'"},
    {HEAD "substructures: {a: {dofs: [x], mass: [1], @stifness: [1]}}\n", YK_E_INPUT,
     "unknown key 'stifness' in a; did you mean 'stiffness'?"},
    {HEAD "substructures: {a: {dofs: @x, mass: [1], stiffness: [1]}}\n", YK_E_INPUT,
     "a list of names, or { count: N, prefix: d }, is expected for dofs"},
    {HEAD "substructures: {a: {@dofs: [], mass: [1], stiffness: [1]}}\n", YK_E_INPUT, "dofs is empty"},
    {HEAD "substructures: {a: {dofs: [x, @x], mass: [1, 1], stiffness: [1, 1]}}\n", YK_E_INPUT,
     "degree of freedom 'x' is named twice"},
    {HEAD "substructures: {a: {dofs: [@x.y], mass: [1], stiffness: [1]}}\n", YK_E_INPUT, "'x.y' cannot be a name"},
    {HEAD "substructures: {a: {dofs: [@abcdefghijabcdefghijabcdefghijabcdefghij], mass: [1], stiffness: [1]}}\n",
     YK_E_INPUT, "fewer than 40"},
};

/* two sides: a coarse, b fine */
#define SIDES(time, method, a, b)                                                                                      \
    "time: {step: 0.1, end: 1" time "}\nmethod: {" method "}\n"                                                        \
    "substructures:\n  a: {dofs: [x], mass: [1], stiffness: [4]" a "}\n"                                               \
    "  b: {dofs: [x], mass: [1], stiffness: [4]" b "}\n"
#define JOINED "interfaces: [{join: [a.x, b.x]}]\n"

static const struct refusal couplings[] = {
    {SIDES("", "coupling: @apnr", "", ", rate: fine") JOINED, YK_E_INPUT,
     "there is no coupling 'apnr'; did you mean 'apnr1'?"},
    {SIDES("", "coupling: @something-else", "", ", rate: fine") JOINED, YK_E_INPUT, "see `yoke list couplings`"},
    {"time: {step: 0.1, end: 1}\n@method: {integrator: lsrt2, coupling: apnr2}\n" ONE, YK_E_INPUT,
     "method needs either 'integrator' (one domain) or 'coupling'"},
    {SIDES("", "coupling: apnr2, @gama: 1", "", ", rate: fine") JOINED, YK_E_INPUT, "unknown key 'gama' in method"},
    {SIDES(", substeps: 4", "integrator: @lsrt2", "", "") JOINED, YK_E_INPUT, "time.substeps = 4 needs a coupling"},
    {SIDES(", substeps: @0", "coupling: apnr2", "", ", rate: fine") JOINED, YK_E_RANGE,
     "substeps = 0 is outside 1 .. "},
    {SIDES(", substeps: @2.5", "coupling: apnr2", "", ", rate: fine") JOINED, YK_E_RANGE, "must be a whole number"},
    {SIDES(", substeps: @1e99", "coupling: apnr2", "", ", rate: fine") JOINED, YK_E_RANGE, "is outside"},
    {SIDES("", "coupling: apnr2", "", ", rate: @quick") JOINED, YK_E_INPUT,
     "rate = 'quick' is not one of: coarse, fine"},
};

static const struct refusal interfaces_and_kinds[] = {
    {TWO "interfaces: @3\n", YK_E_INPUT, "a list of interfaces is expected"},
    {TWO "@interfaces: {join: [a.x, b.x]}\n", YK_E_INPUT, "a list of interfaces is expected"},
    {TWO "interfaces: [@a.x]\n", YK_E_INPUT, "an interface as a map is expected"},
    {TWO "@interfaces: [{}]\n", YK_E_INPUT, "an interface has either 'join' or 'row'"},
    {TWO "interfaces: [{@joint: [a.x, b.x]}]\n", YK_E_INPUT, "unknown key 'joint'; did you mean 'join'?"},
    {TWO "interfaces: [{@join: [a.x, b.x], row: {a.x: 1, b.x: 1}}]\n", YK_E_INPUT, "either 'join' or 'row'"},
    {TWO "interfaces: [{@join: [a.x]}]\n", YK_E_INPUT, "join must name two degrees of freedom"},
    {TWO "interfaces: [{@join: [a.x, a.x]}]\n", YK_E_INPUT, "'a.x' is joined with itself"},
    {TWO "interfaces: [{join: [a.x, @c.x]}]\n", YK_E_INPUT, "there is no substructure 'c'; did you mean"},
    {TWO "interfaces: [{join: [a.x, @b.y]}]\n", YK_E_INPUT, "b has no degree of freedom 'y'; did you mean 'x'?"},
    {TWO "interfaces: [{join: [a.x, @b]}]\n", YK_E_INPUT, "'b' must name a substructure and a degree of freedom"},
    {TWO "interfaces: [{@row: {a.x: 1}}]\n", YK_E_INPUT, "row must be a map of at least two"},
    {TWO "interfaces: [{@row: [a.x, b.x]}]\n", YK_E_INPUT, "row must be a map of at least two"},
    {TWO "interfaces: [{row: {a.x: 1, b.x: @0}}]\n", YK_E_RANGE, "factor of b.x is zero"},
    {TWO "interfaces: [{row: {a.x: 1, b.x: @1 m}}]\n", YK_E_UNIT, "a number is expected"},
    {TWO "interfaces: [{row: {a.x: 1, @d.x: 1}}]\n", YK_E_INPUT, "there is no substructure 'd'"},
    {TWO "@interfaces: [{row: {a.x: 1, b.x: 1}}, {join: [a.x, b.x]}]\n", YK_E_INPUT, "the interfaces together fix"},
    {HEAD "substructures:\n  a: {dofs: [x], mass: [1], stiffness: [4], initial: {displacement: {x: 1}}}\n"
          "  b: {dofs: [x], mass: [1], stiffness: [4]}\n@interfaces: [{join: [a.x, b.x]}]\n",
     YK_E_INPUT, "joined degrees of freedom must start together"},
    {PENDULUM("@masss: 1"), YK_E_INPUT, "unknown key 'masss' in p; did you mean 'mass'?"},
    {HEAD "substructures:\n  @p: {kind: spring-pendulum, mass: 1}\n", YK_E_INPUT, "missing 'platform_mass'"},
    {PENDULUM("platform_mass: 1, platform_stiffness: 1, mass: 1, stiffness: 1, length: @0"), YK_E_RANGE,
     "length = 0 must be positive"},
    {PENDULUM(
         "platform_mass: 1, platform_stiffness: 1, mass: 1, stiffness: 1, length: 1, initial: {velocity: {@x: 1}}"),
     YK_E_INPUT, "there is no degree of freedom 'x'"},
    {PENDULUM("platform_mass: 1, platform_stiffness: 1, mass: 1, stiffness: 1, length: 1, @library: a.so"), YK_E_INPUT,
     "unknown key 'library'"},
    {HEAD "substructures:\n  @p: {kind: plugin}\n", YK_E_INPUT, "a plugin needs 'library'"},
};

static const struct refusal loads[] = {
    {GOOD "loads: @sine\n", YK_E_INPUT, "a list of loads is expected"},
    {GOOD "@loads: {on: a.x}\n", YK_E_INPUT, "a list of loads is expected"},
    {LOAD("@5"), YK_E_INPUT, "a load as a map is expected"},
    {LOAD("{@kind: sine}"), YK_E_INPUT, "a load has either 'on'"},
    {LOAD("{@on: a.x, ground: a, kind: sine}"), YK_E_INPUT, "a load has either 'on'"},
    {LOAD("{@on: a.x}"), YK_E_INPUT, "missing 'kind'"},
    {LOAD("{on: a.x, kind: @sinus, amplitude: 1}"), YK_E_INPUT, "there is no signal 'sinus'; did you mean 'sine'?"},
    {LOAD("{on: @a.y, kind: constant, amplitude: 1}"), YK_E_INPUT, "a has no degree of freedom 'y'"},
    {LOAD("{on: @ab.x, kind: constant, amplitude: 1}"), YK_E_INPUT, "there is no substructure 'ab'; did you mean 'a'?"},
    {LOAD("{@on: [a.x], kind: constant, amplitude: 1}"), YK_E_INPUT, "substructure.dof is expected"},
    {LOAD("{on: a.x, kind: constant, amplitude: @1 m}"), YK_E_UNIT, "'1 m' is a length, but a force is expected"},
    {LOAD("{ground: a, kind: constant, amplitude: @1 N}"), YK_E_UNIT,
     "'1 N' is a force, but an acceleration is expected"},
    {LOAD("{@on: a.x, kind: constant}"), YK_E_INPUT, "missing 'amplitude'"},
    {LOAD("{on: a.x, kind: constant, amplitude: @1 N m}"), YK_E_UNIT,
     "'1 N m' is an energy or a moment, but a force is expected (N)"},
    {FRAME("[2, 0]", "{between: [a, b], section: s}", "loads:\n- {on: f.b.rz, kind: constant, amplitude: @2 kN}\n"),
     YK_E_UNIT, "'2 kN' is a force, but a moment is expected (N m)"},
    {FRAME("[2, 0]", "{between: [a, b], section: s}", "    initial: {displacement: {b.rz: 1 deg, b.y: @1 rad}}\n"),
     YK_E_UNIT, "'1 rad' is an angle, but a length is expected (m)"},
    {FRAME("[2, 0]", "{between: [a, b], section: s}", "    initial: {displacement: {b.rz: @1 mm}}\n"), YK_E_UNIT,
     "'1 mm' is a length, but an angle is expected"},
    {FRAME("[2, 0]", "{between: [a, b], section: s}", "    initial: {velocity: {b.rz: 3 rpm, b.x: @3 rpm}}\n"),
     YK_E_UNIT, "'3 rpm' is an angular velocity, but a speed is expected (m/s)"},
    {FRAME("[2, 0]", "{between: [a, b], section: s}", "    initial: {velocity: {b.x: 1 mm/s, b.rz: @1 mm/s}}\n"),
     YK_E_UNIT, "'1 mm/s' is a velocity, but an angular velocity is expected (rad/s)"},
    {LOAD("{ground: a, @influence: {}, kind: constant, amplitude: 1}"), YK_E_INPUT, "names no degree of freedom"},
    {LOAD("{ground: [a, @a], kind: constant, amplitude: 1}"), YK_E_INPUT, "'a' is named twice"},
    {LOAD("{on: a.x, kind: constant, amplitude: @inf}"), YK_E_INPUT, "not a finite number"},
    {LOAD("{on: a.x, kind: sine, amplitude: 1, frequency: @-1}"), YK_E_RANGE, "frequency = -1 "},
    {LOAD("{on: a.x, kind: sine, amplitude: 1, frequency: 1, @freq: 1}"), YK_E_INPUT, "unknown key 'freq'"},
    {LOAD("{on: a.x, @influence: {x: 1}, kind: constant, amplitude: 1}"), YK_E_INPUT,
     "'influence' is for a ground motion"},
    {LOAD("{ground: a, influence: {@y: 1}, kind: constant, amplitude: 1}"), YK_E_INPUT, "no degree of freedom 'y'"},
    {LOAD("{ground: a, influence: @1, kind: constant, amplitude: 1}"), YK_E_INPUT, "a map of degrees of freedom"},
    {LOAD("{ground: a, influence: {x: @nan}, kind: constant, amplitude: 1}"), YK_E_INPUT, "not a finite number"},
    {LOAD("{ground: @b, kind: constant, amplitude: 1}"), YK_E_INPUT, "there is no substructure 'b'"},
    {LOAD("{@ground: [], kind: constant, amplitude: 1}"), YK_E_INPUT, "ground names no substructure"},
    {LOAD("{@ground: {a: 1}, kind: constant, amplitude: 1}"), YK_E_INPUT, "the name of a substructure is expected"},
    {LOAD("{@on: a.x, kind: ramp, amplitude: 1, from: 2, to: 1}"), YK_E_RANGE, "ramp: to = 1 s is not after from"},
    {LOAD("{@on: a.x, kind: sweep, amplitude: 1, from: 0, to: 1, spacing: log}"), YK_E_RANGE, "frequencies above zero"},
    {LOAD("{@on: a.x, kind: multi-sine, amplitudes: [1, 2], frequencies: [1]}"), YK_E_INPUT,
     "2 amplitudes but 1 frequencies"},
    {LOAD("{on: a.x, kind: noise, rms: 1, high: 1, lines: @1.5}"), YK_E_RANGE, "lines = 1.5 must be a whole number"},
    {LOAD("{@on: a.x, kind: noise, rms: 1, low: 2, high: 1}"), YK_E_RANGE, "noise: high = 1 Hz is not above"},
    {LOAD("{on: a.x, kind: file, file: @f.csv}"), YK_E_INPUT, "f.csv: cannot be opened"},
    {LOAD("{@ground: a, kind: earthquake, peak: 1, step: 1, frequency: 2}"), YK_E_RANGE, "earthquake: step"},
    {HEAD "substructures:\n  p: {kind: spring-pendulum, platform_mass: 1, platform_stiffness: 1, mass: 1, stiffness: 1,"
          " length: 1}\nloads:\n- {@ground: p, influence: {y: 1}, kind: constant, amplitude: 1}\n",
     YK_E_UNSUPPORTED, "its mass depends on its configuration"},
    {HEAD "substructures:\n  a: {dofs: [x, theta], mass: [1, 1], stiffness: [4, 4]}\n"
          "loads:\n- {@ground: a, kind: constant, amplitude: 1}\n",
     YK_E_INPUT, "say which move with the ground"},
};

static void files_that_are_no_experiment_are_refused(void **state)
{
    CHECK_ALL(whole_files);
}

static void sections_are_refused_at_the_place(void **state)
{
    CHECK_ALL(sections);
}

static void couplings_are_refused_at_the_place(void **state)
{
    CHECK_ALL(couplings);
}

static void interfaces_and_kinds_are_refused_at_the_place(void **state)
{
    CHECK_ALL(interfaces_and_kinds);
}

static void loads_are_refused_at_the_place(void **state)
{
    CHECK_ALL(loads);
}

static void binary_junk_is_refused(void **state)
{
    static const char junk[] = "\x89HDF\r\n\x1a\n\0\0\0\0\0\b\b\0\4\0\20";
    struct yk_model *e;

    assert_refused(yk_model_parse(&e, "junk.h5", junk, sizeof junk, NULL, 0, &err), YK_E_INPUT, "junk.h5:1:1: ");
    assert_refused(yk_model_parse(&e, "junk.h5", junk, sizeof junk, NULL, 0, &err), YK_E_INPUT, "not UTF-8 text");
    assert_refused(yk_model_parse(&e, "nul.yaml", "a: b\0c\n", 7, NULL, 0, &err), YK_E_INPUT, "not a text file");
}

/* Five levels of ten aliases each would make a hundred thousand values out of a few bytes. */
static void aliases_cannot_multiply_without_end(void **state)
{
    char text[1024] = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    struct yk_model *e;

    for (char level = 'b'; level < 'j'; level++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", level, level, level - 1, level - 1,
                 level - 1, level - 1, level - 1, level - 1, level - 1, level - 1, level - 1, level - 1);
    assert_refused(yk_model_parse(&e, "laughs.yaml", text, strlen(text), NULL, 0, &err), YK_E_INPUT, "aliases");
    assert_refused(yk_model_parse(&e, "loop.yaml", "a: &a {b: *a}\n", 14, NULL, 0, &err), YK_E_INPUT, "loop.yaml:1:");
}

static void deep_nesting_is_refused(void **state)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP + 3);
    struct yk_model *e;

    assert_non_null(text);
    memcpy(text, "a: ", 3);
    memset(text + 3, '[', DEEP);
    assert_refused(yk_model_parse(&e, "deep.yaml", text, DEEP + 3, NULL, 0, &err), YK_E_INPUT, "deep.yaml:1:");
    memset(text, '{', DEEP);
    assert_refused(yk_model_parse(&e, "deep.yaml", text, DEEP, NULL, 0, &err), YK_E_INPUT, "deep.yaml:1:");
    for (size_t i = 0; i + 1 < DEEP; i += 2)
        memcpy(text + i, "- ", 2);
    assert_refused(yk_model_parse(&e, "deep.yaml", text, DEEP, NULL, 0, &err), YK_E_INPUT, "deep.yaml:1:");
    free(text);
}

/* Fifty thousand keys in one map: minutes if each is compared with each. */
static void large_maps_are_read_at_once(void **state)
{
    enum { KEYS = 50000 };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct yk_model *e;
    const clock_t begin = clock();

    assert_non_null(out);
    fputs("a: {k7: 1", out);
    for (int i = 0; i < KEYS; i++)
        fprintf(out, ", k%d: 1", i);
    fputs("}\n", out);
    assert_int_equal(fclose(out), 0);
    assert_refused(yk_model_parse(&e, "large.yaml", text, size, NULL, 0, &err), YK_E_INPUT,
                   "large.yaml:1:61: duplicate key 'k7'");
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
    free(text);
}

/* --set: the message names the setting itself. */
static const struct {
    const char *setting;
    enum yk_status status;
    const char *words;
} settings[] = {
    {"time.step", YK_E_INPUT, "--set time.step: 'key=value' is expected"},
    {"", YK_E_INPUT, "--set : 'key=value' is expected"},
    {"=1", YK_E_INPUT, "--set =1: 'key=value' is expected"},
    {"time.=1", YK_E_INPUT, "--set time.=1: there is nothing between the dots"},
    {".time=1", YK_E_INPUT, "--set .time=1: there is nothing between the dots"},
    {"time..step=1", YK_E_INPUT, "--set time..step=1: there is nothing between the dots"},
    {"time.step=0", YK_E_RANGE, "--set time.step=0: step = 0 must be positive"},
    {"time.step=[", YK_E_INPUT, "--set time.step=[: "},
    {"time.step=1\nmethod: 2", YK_E_INPUT, "one value is expected"},
    {"time.stop=1", YK_E_INPUT, "--set time.stop=1: unknown key 'stop' in time; did you mean 'step'?"},
    {"time.step.x=1", YK_E_INPUT, "--set time.step.x=1: there is nothing below the value in front of 'x'"},
    {"method.integrator=lsrt", YK_E_INPUT, "--set method.integrator=lsrt: there is no integrator 'lsrt'"},
    {"loads.1.amplitude=1", YK_E_INPUT, "--set loads.1.amplitude=1: '1' is not an index of the list (0 .. 0)"},
    {"loads.-1.amplitude=1", YK_E_INPUT, "'-1' is not an index of the list"},
    {"loads.x=1", YK_E_INPUT, "'x' is not an index of the list"},
    {"loads.0.amplitude=1 kg", YK_E_UNIT, "--set loads.0.amplitude=1 kg: amplitude: '1 kg' is a mass"},
    {"interfaces.0.join=1", YK_E_INPUT, "'0' is not an index of the list: it is empty"},
    {"time={step: 1}", YK_E_INPUT, "--set time={step: 1}: missing 'end'"},
    {"substructures.a.mass.0=-1", YK_E_SINGULAR, "mass is not positive definite"},
    {"extra=1", YK_E_INPUT, "--set extra=1: unknown key 'extra'"},
    {"time.step=", YK_E_INPUT, "--set time.step=: step: no value is given"},
};

static void bad_settings_are_refused_by_their_name(void **state)
{
    static const char text[] = GOOD "interfaces: []\nloads: [{on: a.x, kind: constant, amplitude: 1}]\n";
    int bad = 0;

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct yk_model *e;
        struct yk_err err = {0};
        enum yk_status st = yk_model_parse(&e, "set.yaml", text, strlen(text), &settings[i].setting, 1, &err);

        if (st != settings[i].status || !strstr(yk_err_line(&err).text, settings[i].words)) {
            print_error("%s: got '%s' (%s), wanted '%s'\n", settings[i].setting, yk_err_line(&err).text,
                        yk_status_text(st), settings[i].words);
            bad++;
        }
        yk_model_close(e);
    }
    assert_int_equal(bad, 0);
}

static void files_that_cannot_be_read_are_bad_input(void **state)
{
    struct yk_model *e;

    assert_refused(yk_model_load(&e, scratch_path("none.yaml"), NULL, 0, &err), YK_E_INPUT, "cannot be opened");
    assert_refused(yk_model_load(&e, scratch_path(""), NULL, 0, &err), YK_E_INPUT, "is a folder");
    assert_int_equal(yk_model_load(&e, scratch_path("none.yaml"), NULL, 0, NULL), YK_E_INPUT);
}

/* Bad input is refused also without a place for the message (err == NULL). */
static void refusals_work_without_a_message(void **state)
{
    struct yk_model *e;

    assert_int_equal(yk_model_parse(&e, "x.yaml", "a: 1\n", 5, NULL, 0, NULL), YK_E_INPUT);
    assert_null(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_no_experiment_are_refused),
        cmocka_unit_test(sections_are_refused_at_the_place),
        cmocka_unit_test(couplings_are_refused_at_the_place),
        cmocka_unit_test(interfaces_and_kinds_are_refused_at_the_place),
        cmocka_unit_test(loads_are_refused_at_the_place),
        cmocka_unit_test(binary_junk_is_refused),
        cmocka_unit_test(aliases_cannot_multiply_without_end),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(large_maps_are_read_at_once),
        cmocka_unit_test(bad_settings_are_refused_by_their_name),
        cmocka_unit_test(files_that_cannot_be_read_are_bad_input),
        cmocka_unit_test(refusals_work_without_a_message),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
