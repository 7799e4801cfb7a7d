/* Experiments that must be refused: with their status, the place, and words that tell what to change.
 *
 * An '@' in the text marks the place the message must name; it is taken out before the text is read. */
#include "support/check.h"
#include "support/scratch.h"

#include "experiment/experiment.h"
#include "transfer/station.h"

#include <stdlib.h>
#include <time.h>

#define TIME      "time: {step: 0.1, end: 1}\n"
#define METHOD    "method: {integrator: lsrt2}\n"
#define HEAD      TIME METHOD
#define ONE       "substructures: {a: {dofs: [x], mass: [1], stiffness: [4]}}\n"
#define LINEAR(x) HEAD "substructures:\n  a: {dofs: [x, y], " x "}\n"
#define GOOD      HEAD ONE
/* two substructures a and b with one degree of freedom x each */
#define TWO                                                                                                            \
    HEAD "substructures:\n  a: {dofs: [x], mass: [1], stiffness: [4]}\n  b: {dofs: [x], mass: [1], stiffness: [4]}\n"
#define ELEMENT(x)                                                                                                     \
    HEAD "substructures:\n  s:\n    kind: assembled\n    nodes: {n1: {mass: 2}, n2: {mass: 1}}\n    elements:\n"       \
         "    - {kind: spring, between: [ground, n1.x], stiffness: 10}\n    - " x "\n"
#define NODE(x) HEAD "substructures:\n  s:\n    kind: assembled\n    nodes:\n      n1: " x "\n    elements: []\n"
/* a plane frame of one cantilever; m: its member, more: further keys */
#define FRAME(nodes, m, more) FRAME_KEY("b", nodes, m, more)
#define FRAME_KEY(b, nodes, m, more)                                                                                   \
    HEAD "substructures:\n  f:\n    kind: frame\n    sections: {s: {E: 2e11, A: 1e-3, Iz: 1e-6, density: 7850}}\n"     \
         "    nodes: {a: {at: [0, 0], fixed: all}, " b ": " nodes "}\n    members:\n    - " m "\n" more
/* the same, where the place is that of node b */
#define FRAME_AT_B(nodes, m, more) FRAME_KEY("@b", nodes, m, more)
#define MEMBER(m)                  FRAME("[2, 0]", m, "")
#define LINK(x)                                                                                                        \
    FRAME("[2, 0], c: [2, 1], d: {at: [3, 1], fixed: [y]}", "{between: [a, b], section: s}",                           \
          "    links:\n    - " x "\n")
#define LOAD(x)     GOOD "loads:\n- " x "\n"
#define MARKET      "%%MatrixMarket matrix coordinate real "
#define FILE_M(x)   LINEAR("mass: " x ", stiffness: [4, 4]")
#define PENDULUM(x) HEAD "substructures:\n  p: {kind: spring-pendulum, " x "}\n"

struct refusal {
    const char *text;
    enum yk_status status;
    const char *words;
};

struct file_refusal {
    struct refusal refusal;
    const char *file, *content; /* a data file beside the experiment */
};

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

static const struct refusal matrices[] = {
    {LINEAR("mass: [[1, 0], [@0]], stiffness: [1, 1]"), YK_E_INPUT, "row 2 of mass has 1 values, the first has 2"},
    {LINEAR("@mass: [[1, 0]], stiffness: [1, 1]"), YK_E_INPUT, "mass is 1 x 2, but 2 x 2 is expected"},
    {LINEAR("@mass: [1, 2, 3], stiffness: [1, 1]"), YK_E_INPUT, "mass is 3 x 3, but 2 x 2 is expected"},
    {LINEAR("mass: @3, stiffness: [1, 1]"), YK_E_INPUT, "mass is 1 x 1, but 2 x 2 is expected"},
    {LINEAR("@mass: [], stiffness: [1, 1]"), YK_E_INPUT, "mass must be rows"},
    {LINEAR("@mass: [[], []], stiffness: [1, 1]"), YK_E_INPUT, "mass is 2 x 0, but 2 x 2 is expected"},
    {LINEAR("@mass: {x: 1}, stiffness: [1, 1]"), YK_E_INPUT, "mass must be rows"},
    {LINEAR("@mass: , stiffness: [1, 1]"), YK_E_INPUT, "mass must be rows"},
    {LINEAR("mass: [[1, 0], @5], stiffness: [1, 1]"), YK_E_INPUT, "a row of numbers is expected"},
    {LINEAR("mass: [1, [@2]], stiffness: [1, 1]"), YK_E_INPUT, "a number is expected"},
    {LINEAR("@mass: [[1, 0.5], [0.2, 1]], stiffness: [1, 1]"), YK_E_INPUT,
     "mass is not symmetric: entry (2, 1) = 0.2 but (1, 2) = 0.5"},
    {LINEAR("mass: [1, 1], @stiffness: [[1, 2], [3, 4]]"), YK_E_INPUT,
     "stiffness is not symmetric: entry (2, 1) = 3 but (1, 2) = 2"},
    {LINEAR("@mass: [[1, 1], [1, 1]], stiffness: [1, 1]"), YK_E_SINGULAR, "mass is not positive definite"},
    {LINEAR("@mass: [[1, 2], [2, 1]], stiffness: [1, 1]"), YK_E_SINGULAR, "mass is not positive definite"},
    {LINEAR("@mass: [1, 0], stiffness: [1, 1]"), YK_E_SINGULAR,
     "mass is not positive definite: degree of freedom y has no inertia"},
    {LINEAR("@mass: [-1, 1], stiffness: [1, 1]"), YK_E_SINGULAR,
     "mass is not positive definite: degree of freedom x has no inertia"},
    {LINEAR("@mass: [0, 0], stiffness: [1, 1]"), YK_E_SINGULAR,
     "mass is not positive definite: degree of freedom x has no inertia"},
    {LINEAR("mass: [1, @.nan], stiffness: [1, 1]"), YK_E_INPUT, "'.nan' is not a finite number"},
    {LINEAR("mass: [[1, @inf], [0, 1]], stiffness: [1, 1]"), YK_E_INPUT, "'inf' is not a finite number"},
    {LINEAR("mass: [1, 1], stiffness: [1, @1e999]"), YK_E_INPUT, "'1e999' is not a finite number"},
    {LINEAR("mass: [1, 1], stiffness: [1, @1e301]"), YK_E_RANGE, "1e301 is outside"},
    {LINEAR("mass: @nan, stiffness: [1, 1]"), YK_E_INPUT, "'nan' is not a finite number"},
    {LINEAR("mass: [1, 1], stiffness: [1, @2 kg]"), YK_E_UNIT, "'2 kg' is a mass, but a stiffness is expected (N/m)"},
    {LINEAR("mass: [1, @2 kN], stiffness: [1, 1]"), YK_E_UNIT, "'2 kN' is a force, but a mass is expected"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], damping: [1, @1 N/m]"), YK_E_UNIT, "a damping is expected"},
    {LINEAR("mass: [1, @heavy], stiffness: [1, 1]"), YK_E_INPUT, "'heavy' is not a number"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], @damping: [1]"), YK_E_INPUT, "damping is 1 x 1, but 2 x 2 is expected"},
    /* files that are not there */ {FILE_M("@missing.mtx"), YK_E_INPUT, "missing.mtx: cannot be opened"},
    {FILE_M("@."), YK_E_INPUT, "is a folder"},
};

static const struct refusal damping_and_state[] = {
    {LINEAR("mass: [1, 1], stiffness: [1, 1], rayleigh: @0.1"), YK_E_INPUT, "a map is expected for rayleigh"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], rayleigh: {@masss: 1}"), YK_E_INPUT,
     "unknown key 'masss' in rayleigh; did you mean 'mass'?"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], rayleigh: {mass: @-1}"), YK_E_RANGE, "mass = -1 is outside 0 .. "},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], rayleigh: {mass: @1 s}"), YK_E_UNIT, "a rate is expected (1/s)"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], @rayleigh: {ratio: 0.02}"), YK_E_INPUT, "two different `frequencies`"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], @rayleigh: {frequencies: [1, 2]}"), YK_E_INPUT,
     "`ratio` with two different `frequencies`"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], @rayleigh: {ratio: 0.02, frequencies: [1, 1]}"), YK_E_INPUT,
     "two different `frequencies`"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], @rayleigh: {ratio: 0.02, frequencies: [1, 2, 3]}"), YK_E_INPUT,
     "two different `frequencies`"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], @rayleigh: {ratio: 0.02, mass: 1, frequencies: [1, 2]}"), YK_E_INPUT,
     "either"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], rayleigh: {ratio: 0.02, frequencies: [1, @0]}"), YK_E_RANGE,
     "must be positive"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], rayleigh: {ratio: 0.02, frequencies: @1}"), YK_E_INPUT,
     "a list of numbers is expected for frequencies"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], modal_damping: @0.02"), YK_E_INPUT,
     "a list of damping ratios is expected"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], @modal_damping: []"), YK_E_INPUT, "at least one ratio"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], modal_damping: [0.1, @-0.1]"), YK_E_RANGE, "outside 0 .. 10"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], modal_damping: [0.1, 0.1, @0.1]"), YK_E_INPUT,
     "3 ratios for 2 degrees of freedom"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1e300], @damping: [1, 1e300], rayleigh: {stiffness: 1e12}"), YK_E_INPUT,
     "damping"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], initial: @1"), YK_E_INPUT, "a map is expected for initial"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], initial: {@position: {x: 1}}"), YK_E_INPUT,
     "unknown key 'position' in initial"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], initial: {displacement: {@z: 1}}"), YK_E_INPUT,
     "there is no degree of freedom 'z'"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], initial: {displacement: {x: @1 s}}"), YK_E_UNIT, "a length is expected"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], initial: {velocity: {x: @nan}}"), YK_E_INPUT, "not a finite number"},
    {LINEAR("mass: [1, 1], stiffness: [1, 1], initial: {@velocity: [1, 2]}"), YK_E_INPUT,
     "a map of degrees of freedom is expected for velocity"},
};

static const struct refusal assembled[] = {
    {HEAD "substructures:\n  @s: {kind: assembled, elements: []}\n", YK_E_INPUT, "missing 'nodes'"},
    {HEAD "substructures:\n  @s: {kind: assembled, nodes: {n1: {mass: 1}}}\n", YK_E_INPUT, "missing 'elements'"},
    {HEAD "substructures:\n  s: {kind: assembled, @nodes: [n1], elements: []}\n", YK_E_INPUT,
     "a map of nodes is expected"},
    {HEAD "substructures:\n  s: {kind: assembled, @nodes: {}, elements: []}\n", YK_E_INPUT, "nodes is empty"},
    {HEAD "substructures:\n  s: {kind: assembled, nodes: {n1: {mass: 1}}, elements: @none}\n", YK_E_INPUT,
     "a list of elements is expected"},
    {HEAD "substructures:\n  s: {kind: assembled, nodes: {@ground: {mass: 1}}, elements: []}\n", YK_E_INPUT,
     "'ground' is the ground and cannot be a node"},
    {NODE("@4"), YK_E_INPUT, "a map is expected for n1"},
    {NODE("{mass: 1, @dof: [x]}"), YK_E_INPUT, "unknown key 'dof' in n1; did you mean 'dofs'?"},
    {HEAD "substructures:\n  s:\n    kind: assembled\n    nodes:\n      @n1: {dofs: [x]}\n    elements: []\n",
     YK_E_INPUT, "node 'n1' has no mass"},
    {NODE("{mass: @0}"), YK_E_SINGULAR, "mass of n1.x is zero"},
    {NODE("{mass: @-1}"), YK_E_RANGE, "mass = -1 "},
    {NODE("{mass: @.inf}"), YK_E_INPUT, "not a finite number"},
    {NODE("{mass: @1 m}"), YK_E_UNIT, "'1 m' is a length, but a mass is expected"},
    {NODE("{dofs: [x, z], @mass: {x: 1}}"), YK_E_INPUT, "gives no mass for 'z'"},
    {NODE("{dofs: [x], mass: {x: 1, @y: 1}}"), YK_E_INPUT, "there is no degree of freedom 'y'"},
    {NODE("{mass: 1, fixed: [@y]}"), YK_E_INPUT, "there is no degree of freedom 'y'"},
    {NODE("{mass: 1, fixed: @x}"), YK_E_INPUT, "a list of degrees of freedom is expected"},
    {HEAD "substructures:\n  @s: {kind: assembled, nodes: {n1: {mass: 1, fixed: [x]}}, elements: []}\n", YK_E_INPUT,
     "every degree of freedom is fixed"},
    {HEAD "substructures:\n  s: {kind: assembled, nodes: {floor1: {mass: 2}, @floor7: {mass: 1}}, "
          "elements: [{kind: spring, between: [ground, floor1.x], stiffness: 10}]}\n",
     YK_E_INPUT,
     "nothing is attached to node 'floor7': no element, member, link, interface or load names it; did you mean "
     "'floor1'?"},
    {ELEMENT("@7"), YK_E_INPUT, "an element as a map is expected"},
    {ELEMENT("{@between: [n1.x, n2.x]}"), YK_E_INPUT, "missing 'kind'"},
    {ELEMENT("{kind: @sprung, between: [n1.x, n2.x]}"), YK_E_INPUT,
     "there is no element law 'sprung'; did you mean 'spring'?"},
    {ELEMENT("{@kind: spring, between: [n1.x, n2.x]}"), YK_E_INPUT, "missing 'stiffness'"},
    {ELEMENT("{kind: spring, between: [n1.x, n2.x], stiffness: @5 kg}"), YK_E_UNIT,
     "'5 kg' is a mass, but a stiffness is expected"},
    {ELEMENT("{kind: spring, between: [n1.x, n2.x], stiffness: 5, @dampin: 1}"), YK_E_INPUT, "unknown key 'dampin'"},
    {ELEMENT("{kind: spring, between: [n1.x, n2.x], stiffness: 5, @library: a.so}"), YK_E_INPUT,
     "unknown key 'library'"},
    {ELEMENT("{@kind: spring, stiffness: 5}"), YK_E_INPUT, "between must name the two ends"},
    {ELEMENT("{kind: spring, stiffness: 5, @between: [n1.x]}"), YK_E_INPUT, "between must name the two ends"},
    {ELEMENT("{kind: spring, stiffness: 5, between: @n1.x}"), YK_E_INPUT, "between must name the two ends"},
    {ELEMENT("{kind: spring, stiffness: 5, between: [n1.x, @n3.x]}"), YK_E_INPUT,
     "there is no degree of freedom 'n3.x'; did you mean"},
    {ELEMENT("{kind: spring, stiffness: 5, between: [n1.x, @n1.x]}"), YK_E_INPUT,
     "both ends of the element are the same or held"},
    {ELEMENT("{kind: spring, stiffness: 5, between: [n1.x, [@n2.x]]}"), YK_E_INPUT,
     "ground, a base or node.dof is expected"},
    {ELEMENT("{kind: bouc-wen, k0: 1, @beta: , between: [n1.x, n2.x]}"), YK_E_INPUT, "no value is given"},
    {ELEMENT("{kind: bouc-wen, k0: 1, beta: 1, n: @0.5, between: [n1.x, n2.x]}"), YK_E_RANGE,
     "n = 0.5 is outside 1 .. 10"},
    {ELEMENT("{@kind: bouc-wen, k0: 1, beta: 1, gamma: -2, between: [n1.x, n2.x]}"), YK_E_INPUT,
     "beta + gamma must be positive"},
    {ELEMENT("{@kind: gap, stiffness: 1, gap: 1, preload: 1, between: [n1.x, n2.x]}"), YK_E_INPUT, "set one of them"},
    {ELEMENT("{kind: gap, stiffness: 1, side: @left, between: [n1.x, n2.x]}"), YK_E_INPUT,
     "side = 'left' is not one of: both, positive, negative"},
    {ELEMENT("{@kind: plugin, between: [n1.x, n2.x]}"), YK_E_INPUT, "a plugin needs 'library'"},
    {ELEMENT("{kind: plugin, library: @none.so, between: [n1.x, n2.x]}"), YK_E_INPUT, "cannot load the plugin"},
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

/* a specimen s on a virtual rig, joined to a numerical mass n; what a case changes is handed in */
#define PHYSICAL_TIME   "time: {step: 10 ms, end: 1, control_rate: 1000 Hz}\n"
#define PHYSICAL_METHOD "method: {integrator: lsrt2}\n"
#define PHYSICAL(s)     "substructures:\n  n: {dofs: [x], mass: [1], stiffness: [4]}\n  s: {role: physical" s "}\n"
#define SPECIMEN        PHYSICAL(", dofs: [x], actuators: {x: a1}")
#define PHYSICAL_JOIN   "interfaces: [{join: [n.x, s.x]}]\n"
#define CHAIN(x)        "transfer:\n  a1: {" x "}\n"
#define RIG(actuator, specimen)                                                                                        \
    "rig:\n  backend: virtual\n  actuators:\n    a1: {" actuator "}\n  specimen: {" specimen "}\n"
#define MODEL          "dofs: [x], mass: [0], stiffness: [4]"
#define IDEAL          "plant: {kind: ideal}"
#define PHYSICAL_HEAD  PHYSICAL_TIME PHYSICAL_METHOD SPECIMEN PHYSICAL_JOIN
#define IN_CHAIN(x)    PHYSICAL_HEAD CHAIN(x) RIG(IDEAL, MODEL)
#define IN_ACTUATOR(x) PHYSICAL_HEAD CHAIN("") RIG(x, MODEL)
#define IN_SPECIMEN(x) PHYSICAL_HEAD CHAIN("") RIG(IDEAL, x)
#define IN_TIME(x)                                                                                                     \
    "time: {step: 10 ms, end: 1" x "}\n" PHYSICAL_METHOD SPECIMEN PHYSICAL_JOIN CHAIN("") RIG(IDEAL, MODEL)
#define IN_METHOD(x) PHYSICAL_TIME "method: {" x "}\n" SPECIMEN PHYSICAL_JOIN CHAIN("") RIG(IDEAL, MODEL)
#define IN_PHYSICAL(x)                                                                                                 \
    PHYSICAL_TIME PHYSICAL_METHOD PHYSICAL(x)                                                                          \
    PHYSICAL_JOIN CHAIN("") RIG(IDEAL, MODEL)

static const struct refusal physical[] = {
    /* the substructure */
    {PHYSICAL_TIME PHYSICAL_METHOD "substructures:\n  @s: {role: physical, actuators: {x: a1}}\n", YK_E_INPUT,
     "'s' is physical: 'dofs' is needed"},
    {PHYSICAL_TIME PHYSICAL_METHOD "substructures:\n  @s: {role: physical, dofs: [x]}\n", YK_E_INPUT,
     "'s' is physical: 'actuators' is needed"},
    {IN_PHYSICAL(", dofs: [x], actuators: @a1"), YK_E_INPUT,
     "a map of degree of freedom to actuator is expected for actuators"},
    {IN_PHYSICAL(", dofs: [x, y], @actuators: {x: a1}"), YK_E_INPUT, "no actuator moves 'y'"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: a1, @y: a1}"), YK_E_INPUT, "there is no degree of freedom 'y'"},
    {IN_PHYSICAL(", dofs: [x], actuators: {@x: [a1]}"), YK_E_INPUT, "the name of an actuator is expected"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: @a1.b}"), YK_E_INPUT, "'a1.b' cannot be a name"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: @a2}"), YK_E_INPUT, "actuator 'a2' is not in transfer"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: a1}, @mass: [1]"), YK_E_INPUT, "unknown key 'mass' in s"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: a1}, @estimat: {}"), YK_E_INPUT,
     "unknown key 'estimat' in s; did you mean 'estimate'?"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: a1}, estimate: @4"), YK_E_INPUT, "a map is expected for estimate"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: a1}, estimate: {@stifness: [4]}"), YK_E_INPUT,
     "unknown key 'stifness' in estimate; did you mean 'stiffness'?"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: a1}, estimate: {stiffness: [@4 kg]}"), YK_E_UNIT,
     "'4 kg' is a mass, but a stiffness is expected"},
    {IN_PHYSICAL(", dofs: [x], actuators: {x: a1}, estimate: {@stiffness: [4, 4]}"), YK_E_INPUT,
     "stiffness is 2 x 2, but 1 x 1 is expected"},
    /* time and method */
    {"time: {step: 10 ms, end: 1}\n" PHYSICAL_METHOD
     "substructures:\n  @s: {role: physical, dofs: [x], actuators: {x: a1}}\n",
     YK_E_INPUT, "'s' is physical: time.control_rate is needed, for example 1000 Hz"},
    {IN_TIME(", control_rate: @-1"), YK_E_RANGE, "control_rate = -1 is outside 0 .. 1e+06 Hz"},
    {IN_TIME(", control_rate: @1 kN"), YK_E_UNIT, "a frequency is expected"},
    {IN_TIME(", control_rate: @300"), YK_E_RANGE,
     "control_rate = 300 Hz makes 1.5 ticks between two forces of lsrt2, which are 0.005 s apart; a whole number is "
     "needed, for example 400 Hz"},
    {IN_TIME(", control_rate: @50"), YK_E_RANGE, "makes 0.25 ticks between two forces of lsrt2"},
    {IN_METHOD("integrator: @newmark-newton"), YK_E_UNSUPPORTED,
     "newmark-newton evaluates a force more than once at the same instant, which a specimen cannot do; use lsrt2"},
    {IN_METHOD("integrator: @generalized-alpha"), YK_E_UNSUPPORTED, "which a specimen cannot do; use lsrt2"},
    {PHYSICAL_TIME "method: {coupling: mph}\nsubstructures:\n  n: {dofs: [x], mass: [1], stiffness: [4]}\n"
                   "  @s: {role: physical, dofs: [x], actuators: {x: a1}}\n" PHYSICAL_JOIN CHAIN("") RIG(IDEAL, MODEL),
     YK_E_UNSUPPORTED, "'s' is physical: in a coupling it must have rate: fine"},
    {PHYSICAL_TIME "method: {coupling: mph}\nsubstructures:\n  n: {dofs: [x], mass: [1], stiffness: [4]}\n"
                   "  s: {role: physical, rate: @coarse, dofs: [x], actuators: {x: a1}}\n" PHYSICAL_JOIN CHAIN("")
                       RIG(IDEAL, MODEL),
     YK_E_UNSUPPORTED, "'s' is physical: in a coupling it must have rate: fine"},
    {PHYSICAL_TIME "method: {coupling: mph}\nsubstructures:\n  n: {dofs: [x], mass: [1], stiffness: [4]}\n"
                   "  s: {role: physical, rate: fine, dofs: [x, y], actuators: {x: a1, y: @a1}}\n" PHYSICAL_JOIN CHAIN(
                       "") RIG(IDEAL, MODEL),
     YK_E_INPUT, "actuator 'a1' already moves another degree of freedom"},
    {PHYSICAL_TIME "method: {integrator: cr}\nsubstructures:\n  n: {dofs: [x], mass: [1], stiffness: [4]}\n"
                   "  @s: {role: physical, dofs: [x], actuators: {x: a1}}\n" PHYSICAL_JOIN CHAIN("") RIG(IDEAL, MODEL),
     YK_E_INPUT, "cr computes its coefficients from the stiffness: 's' needs an estimate: { stiffness: ... }"},
    {PHYSICAL_TIME "method: {integrator: alpha-os}\nsubstructures:\n  n: {dofs: [x], mass: [1], stiffness: [4]}\n"
                   "  s: {role: physical, dofs: [x], actuators: {x: a1}, @estimate: {mass: [1]}}\n" PHYSICAL_JOIN CHAIN(
                       "") RIG(IDEAL, MODEL),
     YK_E_INPUT, "alpha-os computes its coefficients from the stiffness: 's' needs an estimate"},
    {"time: {step: 10 ms, substeps: 10, end: 1, control_rate: 1000 Hz}\nmethod: {coupling: efc}\nsubstructures:\n"
     "  n: {dofs: [x], mass: [1], stiffness: [4]}\n  @s: {role: physical, rate: fine, dofs: [x], actuators: {x: "
     "a1}}\n" PHYSICAL_JOIN CHAIN("") RIG(IDEAL, MODEL),
     YK_E_INPUT, "efc computes its coefficients from the stiffness: 's' needs an estimate"},
    /* transfer */
    {PHYSICAL_TIME PHYSICAL_METHOD PHYSICAL(", dofs: [x], actuators: {x: @a1}") RIG(IDEAL, MODEL), YK_E_INPUT,
     "actuator 'a1' is not in transfer, which is missing"},
    {PHYSICAL_HEAD "transfer:\n  a1: @3\n" RIG(IDEAL, MODEL), YK_E_INPUT, "a map is expected for a1"},
    {IN_CHAIN("@compensater: {kind: none}"), YK_E_INPUT,
     "unknown key 'compensater' in a1; did you mean 'compensator'?"},
    {IN_CHAIN("compensator: @velocity"), YK_E_INPUT,
     "a map is expected for compensator, but 'velocity' is a single value; write compensator: { kind: velocity }"},
    {IN_CHAIN("@compensator: {delay: 10 ms}"), YK_E_INPUT, "compensator needs 'kind'; see `yoke list compensators`"},
    {IN_CHAIN("compensator: {@kind: [none]}"), YK_E_INPUT, "a name is expected for kind"},
    {IN_CHAIN("compensator: {kind: @lagrang}"), YK_E_INPUT,
     "there is no compensator 'lagrang'; did you mean 'lagrange'?"},
    {IN_CHAIN("compensator: {kind: @zzz}"), YK_E_INPUT, "see `yoke list compensators`"},
    {IN_CHAIN("compensator: {kind: velocity, delay: @-1 ms}"), YK_E_RANGE, "delay = -1 ms is outside 0 .. 10 s"},
    {IN_CHAIN("compensator: {kind: velocity, delay: @1 mm}"), YK_E_UNIT, "a time is expected"},
    {IN_CHAIN("compensator: {kind: velocity, @delai: 1 ms}"), YK_E_INPUT,
     "unknown key 'delai' in compensator; did you mean 'delay'?"},
    {IN_CHAIN("compensator: {kind: velocity, order: @4}"), YK_E_RANGE, "order = 4 is outside 2 .. 3"},
    {PHYSICAL_TIME "method: {coupling: feedback}\n" PHYSICAL(", rate: fine, dofs: [x], actuators: {x: a1}")
         PHYSICAL_JOIN CHAIN("compensator: {kind: @linear-acceleration}") RIG(IDEAL, MODEL),
     YK_E_UNSUPPORTED,
     "compensator linear-acceleration needs the acceleration at the previous target, which couplings do not know "
     "within a step; use an integrator, or compensator lagrange or velocity"},
    {IN_CHAIN("compensator: {kind: explicit-newmark, data: @stages}"), YK_E_INPUT, "step, stage"},
    {IN_CHAIN("compensator: {kind: lagrange, delay: @5 s}"), YK_E_RANGE,
     "delay = 5 s is 1000 times the 0.005 s between two targets, and lagrange extrapolates from the last few of them: "
     "at most 100"},
    {IN_CHAIN("compensator: {kind: velocity, delay: @200 ms}, estimator: {kind: rls}"), YK_E_RANGE,
     "delay = 0.2 s is longer than estimator rls accepts, tau_max = 0.1 s"},
    {IN_CHAIN("@compensator: {kind: model-inverse, order: 1}"), YK_E_INPUT,
     "actuator a1: model-inverse: order = 1 has no curvature"},
    {IN_CHAIN("estimator: {kind: @rlss}"), YK_E_INPUT, "there is no estimator 'rlss'; did you mean 'rls'?"},
    {IN_CHAIN("estimator: {kind: rls, @roh: 1}"), YK_E_INPUT, "unknown key 'roh' in estimator; did you mean 'rho'?"},
    {IN_CHAIN("estimator: {kind: rls, rho: @2}"), YK_E_RANGE, "rho = 2 is outside 0.5 .. 1"},
    {IN_CHAIN("estimator: {kind: rls, tau_max: @-1 ms}"), YK_E_RANGE, "tau_max = -1 ms is outside 1e-06 .. 10 s"},
    {IN_CHAIN("estimator: {kind: ahmadizadeh, gain: @0}"), YK_E_RANGE, "gain = 0 must be positive"},
    {IN_CHAIN("estimator: {kind: newton-desired, gain: @0}"), YK_E_RANGE, "gain = 0 must be positive"},
    {IN_CHAIN("estimator: {kind: newton-command, gain: @0}"), YK_E_RANGE, "gain = 0 is outside 0.001 .. 1000"},
    {IN_CHAIN("estimator: {kind: darby, cp: @0}"), YK_E_RANGE, "cp = 0 must be positive"},
    {IN_CHAIN("controller: {kind: p, K: @0}"), YK_E_RANGE, "K = 0 is outside 1e-09 .. "},
    {IN_CHAIN("controller: {kind: pi, Ti: @0}"), YK_E_RANGE, "Ti = 0 is outside 1e-09 .. "},
    {IN_CHAIN("controller: {kind: imc, gain: @0}"), YK_E_RANGE, "gain = 0 is outside 1e-06 .. "},
    {IN_CHAIN("controller: {kind: imc, T1: @-5 ms}"), YK_E_RANGE, "T1 = -5 ms is outside 1e-09 .. "},
    {IN_CHAIN("controller: {kind: imc, model: servo, damping: @-1}"), YK_E_RANGE, "damping = -1 must be positive"},
    {IN_CHAIN("feedback: {kind: @optimum}"), YK_E_INPUT, "latest, optimal, corrected"},
    {IN_CHAIN("feedback: {kind: optimal, bound: @-1 ms}"), YK_E_RANGE, "bound = -1 ms is outside 0 .. 10 s"},
    {IN_CHAIN("feedback: {kind: latest, @rule: newest}"), YK_E_INPUT,
     "rule has no effect with kind: latest; it is for kind: optimal"},
    {IN_CHAIN("feedback: {@steps: 1}"), YK_E_INPUT, "steps has no effect with kind: latest; it is for kind: optimal"},
    {IN_CHAIN("compensator: {kind: lagrange, delay: 2 ms}, feedback: {kind: optimal, bound: 5 ms, @factor: 2}"),
     YK_E_INPUT, "factor has no effect with over: bound; it is for over: factor"},
    {IN_CHAIN("feedback: {kind: corrected, samples: @2, x_order: 3}"), YK_E_RANGE,
     "samples = 2 is too few for polynomials of order 3: at least 4"},
    {IN_CHAIN("compensator: {kind: lagrange, delay: 10 ms}, feedback: {kind: optimal, bound: @5 ms}"), YK_E_RANGE,
     "bound = 0.005 s is not above the delay of 0.01 s, so nothing is overcompensated"},
    {IN_CHAIN("compensator: {kind: lagrange, delay: 10 ms}, @feedback: {kind: optimal}"), YK_E_RANGE,
     "bound = 0 s is not above the delay of 0.01 s, so nothing is overcompensated; set it to the largest expected "
     "delay"},
    {IN_CHAIN("compensator: {kind: lagrange, delay: 1 ms}, feedback: {kind: optimal, bound: 30 ms, window: @20 ms}"),
     YK_E_RANGE, "window = 0.02 s is shorter than the 0.029 s by which targets are crossed early"},
    {IN_CHAIN("@feedback: {kind: optimal, bound: 5 ms}"), YK_E_INPUT,
     "feedback optimal needs a compensator, whose lead it increases"},
    {IN_CHAIN("controller: {kind: imc, @frequency: 3 Hz}"), YK_E_INPUT,
     "frequency has no effect with model: lags; it is for model: servo"},
    {IN_CHAIN("controller: {kind: imc2, model: servo, @T1: 3 ms}"), YK_E_INPUT,
     "T1 has no effect with model: servo; it is for model: lags"},
    {IN_CHAIN("controller: {kind: adaptive-inverse, step_size: 0, @bound: 0.2}"), YK_E_INPUT,
     "bound has no effect without step_size"},
    {IN_CHAIN("controller: {kind: pid, Td: 0, @N: 5}"), YK_E_INPUT, "N has no effect without Td"},
    {IN_CHAIN("controller: {kind: pid, Td: 0, @derivative: measurement}"), YK_E_INPUT,
     "derivative has no effect without Td"},
    {IN_CHAIN("compensator: {kind: model-inverse, @time_constant: 5 ms}"), YK_E_INPUT,
     "time_constant has no effect with model: second; it is for model: first"},
    {IN_CHAIN("compensator: {kind: model-inverse, model: first, @frequency: 5 Hz}"), YK_E_INPUT,
     "frequency has no effect with model: first; it is for model: second"},
    {IN_CHAIN("compensator: {kind: model-inverse, model: first, @damping: 0.7}"), YK_E_INPUT,
     "damping has no effect with model: first; it is for model: second"},
    {IN_CHAIN("compensator: {kind: amb, gain: 0, @motion: 1 mm}"), YK_E_INPUT, "motion has no effect without gain"},
    {IN_METHOD("coupling: feedback, loop: exact, @late: step"), YK_E_INPUT,
     "late has no effect with loop: exact; it is for loop: delayed"},
    {IN_METHOD("coupling: gc, gamma_A: @0.4"), YK_E_RANGE, "gamma_A = 0.4 is outside 0.5 .. 1"},
    {IN_METHOD("coupling: pm, beta_B: @-0.5"), YK_E_RANGE, "beta_B = -0.5 is outside 0 .. 0.5"},
    {IN_METHOD("coupling: apnr2, gamma_B: @0.1"), YK_E_RANGE, "gamma_B = 0.1 is outside 0.25 .. 10"},
    {IN_METHOD("coupling: assr1, gamma_A: @0.3"), YK_E_RANGE, "gamma_A = 0.3 is outside 0.5 .. 10"},
    {IN_METHOD("coupling: plsrt2, @gamma: 0.3, gamma_A: 0.4, gamma_B: 0.5"), YK_E_INPUT,
     "gamma has no effect beside gamma_A and gamma_B"},
    {IN_METHOD("coupling: mph, beta_A: 0, gamma_B: 0.5, @beta: 0.25, beta_B: 0.25"), YK_E_INPUT,
     "beta has no effect beside beta_A and beta_B"},
    {IN_CHAIN("controller: {kind: @imcc}"), YK_E_INPUT, "there is no controller 'imcc'; did you mean 'imc'?"},
    {IN_CHAIN("controller: {kind: imc, @filtr: 6 ms}"), YK_E_INPUT,
     "unknown key 'filtr' in controller; did you mean 'filter'?"},
    {IN_CHAIN("controller: {kind: imc, filter: @0}"), YK_E_RANGE, "filter = 0 "},
    {"time: {step: 10 ms, end: 1, control_rate: 20 kHz}\n" PHYSICAL_METHOD SPECIMEN PHYSICAL_JOIN CHAIN(
         "@controller: {kind: imc, dead_time: 100 s}") RIG(IDEAL, MODEL),
     YK_E_RANGE, "actuator a1: dead time 100 s is outside 0 .. 52.4288 s"},
    /* rig */
    {PHYSICAL_TIME PHYSICAL_METHOD PHYSICAL(", dofs: [x], actuators: {x: @a1}")
         CHAIN("") "rig: {backend: virtual, actuators: {}, specimen: {" MODEL "}}\n",
     YK_E_INPUT, "actuator 'a1' is not in rig.actuators"},
    {PHYSICAL_HEAD "transfer: {a1: {}, @a2: {}}\n" RIG(IDEAL, MODEL), YK_E_INPUT,
     "'a2' in transfer moves no degree of freedom of a substructure"},
    {PHYSICAL_HEAD CHAIN("") "rig: {backend: virtual, actuators: {a1: {" IDEAL "}, @a2: {" IDEAL "}}, specimen: {" MODEL
                             "}}\n",
     YK_E_INPUT, "'a2' in rig.actuators moves no degree of freedom of a substructure"},
    {PHYSICAL_HEAD CHAIN("") "rig: {@backnd: virtual, actuators: {a1: {" IDEAL "}}, specimen: {" MODEL "}}\n",
     YK_E_INPUT, "unknown key 'backnd' in rig; did you mean 'backend'?"},
    {PHYSICAL_HEAD CHAIN("") "@rig: {actuators: {a1: {" IDEAL "}}, specimen: {" MODEL "}}\n", YK_E_INPUT,
     "missing 'backend' in rig"},
    {PHYSICAL_TIME PHYSICAL_METHOD "substructures:\n  n: {dofs: [x], mass: [1], stiffness: [4]}\n"
                                   "  @s: {role: physical, dofs: [x], actuators: {x: a1}}\n" PHYSICAL_JOIN CHAIN(
                                       "") "rig: {backend: virtual, actuators: {a1: {" IDEAL "}}}\n",
     YK_E_INPUT, "'s' is physical, but the file has no rig.specimen for it"},
    {PHYSICAL_HEAD CHAIN("") "rig: {backend: @virtuel, actuators: {a1: {" IDEAL "}}, specimen: {" MODEL "}}\n",
     YK_E_INPUT, "there is no backend 'virtuel'; did you mean 'virtual'?"},
    {PHYSICAL_HEAD CHAIN("") "rig:\n  backend: virtual\n  actuators:\n    @a1: {}\n  specimen: {" MODEL "}\n",
     YK_E_INPUT, "missing 'plant'"},
    {IN_ACTUATOR("plant: {kind: @tt2}"), YK_E_INPUT, "there is no plant 'tt2'; did you mean 'tt1'?"},
    {IN_ACTUATOR("@plant: {gain: 1}"), YK_E_INPUT, "plant needs 'kind'; see `yoke list plants`"},
    {IN_ACTUATOR("plant: {kind: ideal}, capacity: {stroke: 1 m}, @limits: {stroke: 1 m}"), YK_E_INPUT,
     "`limits` is the older name of `capacity`; leave one of the two out"},
    {IN_ACTUATOR("plant: {kind: ideal}, capacity: {stroke: @-1 m}"), YK_E_RANGE, "stroke = -1 m"},
    {IN_ACTUATOR("plant: {kind: tt1, @gian: 1}"), YK_E_INPUT, "unknown key 'gian' in plant; did you mean 'gain'?"},
    {IN_ACTUATOR("@plant: {kind: delay}"), YK_E_INPUT, "missing 'delay'"},
    {IN_ACTUATOR("plant: {kind: delay, delay: @-1 ms}"), YK_E_RANGE, "delay = -1 ms is outside 0 .. 100 s"},
    {IN_ACTUATOR("plant: {kind: first-order, time_constant: @0}"), YK_E_RANGE, "time_constant = 0 "},
    {IN_ACTUATOR("plant: {kind: first-order, gain: @0, time_constant: 1 ms}"), YK_E_RANGE, "gain = 0 is outside 1e-06"},
    {IN_ACTUATOR("plant: {kind: second-order, T1: 1 ms, T2: @-1 ms}"), YK_E_RANGE, "T2 = -1 ms is outside 1e-09"},
    {IN_ACTUATOR("plant: {kind: servo, frequency: 10 Hz, damping: @0}"), YK_E_RANGE, "damping = 0 must be positive"},
    {IN_ACTUATOR("plant: {kind: servo, frequency: @0, damping: 1}"), YK_E_RANGE, "frequency = 0 is outside 1e-06"},
    {IN_ACTUATOR("plant: {kind: delay, delay: @200 s}"), YK_E_RANGE, "delay = 200 s is outside 0 .. 100 s"},
    {IN_ACTUATOR(IDEAL ", sensors: {force_gain: @0}"), YK_E_RANGE, "force_gain = 0: such a sensor reads nothing"},
    {IN_ACTUATOR(IDEAL ", sensors: {displacement_gain: @0}"), YK_E_RANGE, "such a sensor reads nothing"},
    {IN_ACTUATOR(IDEAL ", @sensors: {filter: 800 Hz}"), YK_E_RANGE,
     "filter: cut-off of 800 Hz is not between 0 and 500 Hz, half the sampling rate"},
    {IN_ACTUATOR("@plant: {kind: tt1, model: loops, viscous: 1}"), YK_E_RANGE,
     "actuator a1: tt1: viscous = 1 N m s is not below inertia/speed_time"},
    {IN_ACTUATOR("@plant: {kind: hydraulic, valve: 1e25}"), YK_E_RANGE,
     "actuator a1: hydraulic: the actuator oscillates by itself: valve = 1e+25 N/(m s3) is too large"},
    {IN_ACTUATOR("plant: {kind: tt1, @speed_limit: 100 rpm}"), YK_E_INPUT,
     "speed_limit has no effect with model: measured; it is for model: loops"},
    {IN_ACTUATOR("plant: {kind: tt1, model: loops, @T1: 1 ms}"), YK_E_INPUT,
     "T1 has no effect with model: loops; it is for model: measured"},
    {IN_ACTUATOR("plant: {kind: delay, delay: 1 ms, @frequency: 1 Hz}"), YK_E_INPUT,
     "frequency has no effect without swing"},
    {IN_ACTUATOR("plant: {kind: servo, frequency: 9, damping: 1}, limits: {friction: @10 N}"), YK_E_INPUT,
     "friction = 10 N has no effect: a servo is not moved by forces, and capacity.force is not set, so there is "
     "nothing "
     "to overcome"},
    {IN_ACTUATOR("plant: {kind: tt1}, limits: {viscous: @10}"), YK_E_INPUT, "viscous = 10 N s/m has no effect"},
    {IN_ACTUATOR(IDEAL ", sensors: {@filter_order: 4}"), YK_E_INPUT, "filter_order has no effect without filter"},
    {IN_ACTUATOR(IDEAL ", sensors: {filter: 50 Hz, @filter_stop: 60 Hz}"), YK_E_INPUT,
     "filter_stop has no effect with filter_kind: butterworth; it is for filter_kind: elliptic"},
    {IN_ACTUATOR("@plnt: {kind: ideal}"), YK_E_INPUT, "unknown key 'plnt' in a1; did you mean 'plant'?"},
    {IN_ACTUATOR(IDEAL ", sensors: @1"), YK_E_INPUT, "a map is expected for sensors"},
    {IN_ACTUATOR(IDEAL ", sensors: {@force_nois: 1}"), YK_E_INPUT,
     "unknown key 'force_nois' in sensors; did you mean 'force_noise'?"},
    {IN_ACTUATOR(IDEAL ", sensors: {force_noise: @-1}"), YK_E_RANGE, "force_noise = -1 is outside 0 .. "},
    {IN_ACTUATOR(IDEAL ", sensors: {force_noise: @1 mm}"), YK_E_UNIT, "a force is expected"},
    {IN_ACTUATOR(IDEAL ", sensors: {force_dropout: @2}"), YK_E_RANGE, "force_dropout = 2 is outside 0 .. 1"},
    {IN_ACTUATOR(IDEAL ", @sensors: {filter: 600 Hz}"), YK_E_RANGE,
     "sensors: filter: cut-off of 600 Hz is not between 0 and 500 Hz, half the sampling rate"},
    {PHYSICAL_HEAD CHAIN("") "rig:\n  backend: virtual\n  actuators: {a1: {" IDEAL
                             "}}\n  @specimen: {dofs: [y], mass: [0], stiffness: [4]}\n",
     YK_E_INPUT, "the specimen model has no degree of freedom 'x', which 's' has; it has y"},
    {PHYSICAL_HEAD CHAIN(
         "") "rig:\n  backend: virtual\n  actuators: {a1: {" IDEAL
             "}}\n  @specimen: {kind: assembled, nodes: {n: {mass: 1}, m: {mass: 1}}, elements: [{kind: "
             "spring, between: [n.x, m.x], stiffness: 1}]}\n",
     YK_E_INPUT,
     "degree of freedom 'x' of 's' is ambiguous in the specimen model, which has n.x, m.x: write the whole "
     "name in 's'"},
    {PHYSICAL_TIME PHYSICAL_METHOD "substructures:\n  n: {dofs: [x], mass: [1], stiffness: [4]}\n"
                                   "  @s: {role: physical, dofs: [x], actuators: {x: a1}}\n" CHAIN("")
                                       RIG(IDEAL, MODEL),
     YK_E_INPUT, "'x' of 's' is in no interface, so nothing moves it; join it, or give it an estimate.mass"},
    {PHYSICAL_TIME PHYSICAL_METHOD PHYSICAL(", dofs: [x], actuators: {x: a1}, @initial: {displacement: {x: 20 mm}}")
         CHAIN("") RIG(IDEAL ", limits: {stroke: 15 mm}", MODEL),
     YK_E_RANGE, "actuator a1 would begin at 0.02 m, beyond its stroke of 0.015 m"},
    {PHYSICAL_TIME PHYSICAL_METHOD PHYSICAL(", dofs: [x], actuators: {x: a1}, @initial: {displacement: {x: -20 mm}}")
         CHAIN("") RIG(IDEAL, MODEL) "limits: {displacement: 10 mm}\n",
     YK_E_RANGE, "actuator a1 would begin at -0.02 m, beyond limits.displacement of 0.01 m"},
    {PHYSICAL_TIME PHYSICAL_METHOD PHYSICAL(", dofs: [x], @actuators: [a1, a2]") CHAIN("") RIG(IDEAL, MODEL),
     YK_E_INPUT, "a list of actuators needs a 'setup' that says how they are connected"},
    {PHYSICAL_TIME PHYSICAL_METHOD PHYSICAL(", dofs: [@x`], actuators: {x: a1}") CHAIN("") RIG(IDEAL, MODEL),
     YK_E_INPUT, "x`"},
    {PHYSICAL_HEAD CHAIN("") "rig:\n  backend: virtual\n  actuators: {a1: {" IDEAL
                             "}}\n  @specimen: {dofs: [x, y], mass: [1, 0], stiffness: [4, 1]}\n",
     YK_E_SINGULAR, "specimen: no actuator moves y and it has no mass"},
    {IN_SPECIMEN("dofs: [x], mass: [0], @stifness: [4]"), YK_E_INPUT,
     "unknown key 'stifness' in specimen; did you mean 'stiffness'?"},
    {IN_SPECIMEN("dofs: [x], @mass: [-1], stiffness: [4]"), YK_E_RANGE, "mass of x is negative: -1 kg"},
    /* limits */
    {IN_CHAIN("") "limits: @1\n", YK_E_INPUT, "a map is expected for limits"},
    {IN_CHAIN("") "limits: {@displacment: 1}\n", YK_E_INPUT,
     "unknown key 'displacment' in limits; did you mean 'displacement'?"},
    {IN_CHAIN("") "limits: {displacement: @-1 mm}\n", YK_E_RANGE, "displacement = -1 mm is outside 0 .. "},
    {IN_CHAIN("") "limits: {force: @1 mm}\n", YK_E_UNIT, "a force is expected"},
    {IN_CHAIN("") "limits: {missed_deadlines: @1.5}\n", YK_E_RANGE,
     "missed_deadlines = 1.5 must be a whole number: 1 or 2"},
    {IN_CHAIN("") "limits: {missed_deadlines: {limit: @2.5, action: warn}}\n", YK_E_RANGE,
     "limit = 2.5 must be a whole number: 2 or 3"},
    {IN_CHAIN("") "limits: {missed_total: @0.5}\n", YK_E_RANGE, "missed_total = 0.5 must be a whole number: 0 or 1"},
    {IN_CHAIN("") "limits: {on_trip: @stop}\n", YK_E_INPUT, "on_trip = 'stop' is not one of: hold, ramp"},
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

static const struct file_refusal data_files[] = {
    {{FILE_M("@M.mtx"), YK_E_INPUT, "M.mtx"}, "M.mtx", ""},
    {{FILE_M("@M.mtx"), YK_E_INPUT, "M.mtx:1"}, "M.mtx", "not a matrix\n"},
    {{FILE_M("@M.mtx"), YK_E_INPUT, "M.mtx:"}, "M.mtx", MARKET "general\n"},
    {{FILE_M("@M.mtx"), YK_E_INPUT, "M.mtx:"}, "M.mtx", MARKET "general\n2 2 4\n1 1 1\n"},
    {{FILE_M("@M.mtx"), YK_E_RANGE, "M.mtx:3"}, "M.mtx", MARKET "general\n2 2 1\n3 1 1\n"},
    {{FILE_M("@M.mtx"), YK_E_INPUT, "M.mtx:3"}, "M.mtx", MARKET "general\n2 2 1\n1 1 nan\n"},
    {{FILE_M("@M.mtx"), YK_E_INPUT, "M.mtx:3"}, "M.mtx", MARKET "general\n2 2 1\n1 1 1e999\n"},
    {{FILE_M("@M.mtx"), YK_E_INPUT, "mass is 2 x 3, but 2 x 2 is expected"}, "M.mtx", MARKET "general\n2 3 1\n1 1 1\n"},
    {{FILE_M("@M.mtx"), YK_E_INPUT, "mass is not symmetric: entry (2, 1) = 0.5 but (1, 2) = 0"},
     "M.mtx",
     MARKET "general\n2 2 3\n1 1 1\n2 2 1\n2 1 0.5\n"},
    {{FILE_M("@M.mtx"), YK_E_SINGULAR, "mass is not positive definite: degree of freedom y has no inertia"},
     "M.mtx",
     MARKET "symmetric\n2 2 1\n1 1 1\n"},
    {{FILE_M("@M.mtx"), YK_E_SINGULAR, "mass is not positive definite"},
     "M.mtx",
     MARKET "symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n"},
    {{FILE_M("@M.csv"), YK_E_INPUT, "M.csv:2"}, "M.csv", "1, 0\n0, 1, 5\n"},
    {{FILE_M("@M.csv"), YK_E_INPUT, "M.csv:2"}, "M.csv", "1, 0\n0, x\n"},
    {{FILE_M("@M.csv"), YK_E_INPUT, "M.csv: no numbers"}, "M.csv", "# nothing\n"},
    {{FILE_M("@M.csv"), YK_E_INPUT, "mass is 1 x 2, but 2 x 2 is expected"}, "M.csv", "1, 0\n"},
    {{FILE_M("@M.mat"), YK_E_INPUT, "M.mat: cannot be opened as a MATLAB file"}, "M.mat", "MATLAB 5.0 MAT-file, x"},
    {{HEAD "substructures:\n  p: {kind: plugin, library: @p.so}\n", YK_E_INPUT, "cannot load the plugin"},
     "p.so",
     "junk"},
    {{LOAD("{on: a.x, kind: file, file: @g.csv}"), YK_E_INPUT, "g.csv:1"}, "g.csv", "1\n2\n"},
    {{LOAD("{on: a.x, kind: file, file: @g.csv}"), YK_E_INPUT, "time does not increase"}, "g.csv", "0,1\n1,1\n1,2\n"},
    {{LOAD("{on: a.x, kind: file, file: @g.csv}"), YK_E_INPUT, "g.csv:2"}, "g.csv", "0,1\n1,nan\n"},
    {{LOAD("{on: a.x, kind: file, file: @g.csv}"), YK_E_UNIT, "g.csv:1: column 2: '1 mm' is a length, but a force"},
     "g.csv",
     "t [ms], F [mm]\n0,1\n1,1\n"},
    {{LOAD("{on: a.x, kind: file, file: @g.csv}"), YK_E_UNIT, "column 1: '1 N' is a force, but a time"},
     "g.csv",
     "t [N] F [N]\n0 1\n1 1\n"},
    {{LOAD("{ground: a, kind: record, file: @g.csv}"), YK_E_UNIT,
      "g.csv does not state its unit, and its peak of 0.31 may be in g or in m/s2; add `unit: g` or `unit: m/s2`"},
     "g.csv",
     "0,0.1\n1,-0.31\n"},
    {{LOAD("{ground: a, kind: file, file: @g.csv}"), YK_E_UNIT, "its peak of 4.9 may be in g or in m/s2"},
     "g.csv",
     "0,0.1\n1,4.9\n"},
    {{LOAD("{ground: a, kind: record, file: g.csv, unit: @m/s}"), YK_E_UNIT, "'1 m/s' is a velocity"},
     "g.csv",
     "0,0.1\n1,0.3\n"},
    {{LOAD("{ground: a, kind: record, file: g.csv, unit: @g}"), YK_E_INPUT, "contains the unit of its values"},
     "g.csv",
     "t [s], a [g]\n0,0.1\n1,0.3\n"},
    {{LOAD("{ground: a, kind: record, file: r.at2, unit: @g}"), YK_E_INPUT, "contains the unit of its values"},
     "r.at2",
     "PEER\nx\nACCELERATION IN UNITS OF G\nNPTS= 2, DT= .01\n0.1 0.2\n"},
    {{LOAD("{ground: a, kind: record, file: @r.at2, step: 0.1}"), YK_E_INPUT, "contains its step"},
     "r.at2",
     "PEER\nX\nUNITS OF G\nNPTS= 2, DT= .01 SEC\n1 2\n"},
    {{LOAD("{ground: a, kind: record, file: @r.at2}"), YK_E_INPUT, "NPTS and DT not found"}, "r.at2", "PEER\n1 2 3\n"},
    {{LOAD("{ground: a, kind: record, file: @r.at2}"), YK_E_INPUT, "ends before the first value"},
     "r.at2",
     "PEER\nACCELERATION IN UNITS OF G\nNPTS= 4, DT= .01 SEC\n"},
    {{LOAD("{ground: a, kind: record, file: @r.at2}"), YK_E_UNIT, "a velocity"},
     "r.at2",
     "PEER\nVELOCITY IN UNITS OF CM/S\nNPTS= 2, DT= .01 SEC\n1 2\n"},
};

/* `transfer` from a file: what is wrong in it is told with its own place. */
#define INCLUDED(x) PHYSICAL_HEAD "transfer: " x "\n" RIG(IDEAL, MODEL)
static const struct file_refusal included_files[] = {
    {{INCLUDED("@t.yaml"), YK_E_INPUT, "t.yaml: cannot be opened: No such file"}, NULL, NULL},
    {{INCLUDED("@."), YK_E_INPUT, "is a folder, a file is expected"}, NULL, NULL},
    {{INCLUDED("t.yaml"), YK_E_INPUT, "t.yaml:1:1: the file is empty"}, "t.yaml", ""},
    {{INCLUDED("t.yaml"), YK_E_INPUT, "t.yaml:1:1: a file that transfer names has one section, 'transfer'"},
     "t.yaml",
     "a1: {}\n"},
    {{INCLUDED("t.yaml"), YK_E_INPUT, "t.yaml:2:1: a file that transfer names has one section"},
     "t.yaml",
     "transfer: {a1: {}}\nrig: {}\n"},
    {{INCLUDED("[t.yaml, t.yaml]"), YK_E_INPUT, "t.yaml:1:12: 'a1' is in transfer already, by another file"},
     "t.yaml",
     "transfer: {a1: {}}\n"},
    {{INCLUDED("t.yaml"), YK_E_INPUT, "t.yaml:1:37: there is no compensator 'velosity'"},
     "t.yaml",
     "transfer: {a1: {compensator: {kind: velosity}}}\n"},
    {{INCLUDED("[{@a: 1}]"), YK_E_INPUT, "the name of a file is expected"}, NULL, NULL},
};

static const struct refusal frames[] = {
    {HEAD "substructures: {@f: {kind: frame, nodes: {a: [0, 0]}, members: []}}\n", YK_E_INPUT, "missing 'sections'"},
    {HEAD "substructures: {f: {kind: frame, sections: @3, nodes: {a: [0, 0]}, members: []}}\n", YK_E_INPUT,
     "a map of sections is expected"},
    {HEAD "substructures: {f: {kind: frame, sections: {}, @nodes: {}, members: []}}\n", YK_E_INPUT, "nodes is empty"},
    {HEAD "substructures: {f: {kind: frame, sections: {s: {E: 1, A: @-1}}, nodes: {a: [0, 0]}, members: []}}\n",
     YK_E_RANGE, "A = -1 must be positive"},
    {HEAD "substructures: {f: {kind: frame, sections: {s: {E: @2 kN, A: 1}}, nodes: {a: [0, 0]}, members: []}}\n",
     YK_E_UNIT, "'2 kN' is a force, but a pressure is expected (Pa, MPa, GPa, N/m2)"},
    {HEAD "substructures: {f: {kind: frame, sections: {@s: {E: 2}}, nodes: {a: [0, 0]}, members: []}}\n", YK_E_INPUT,
     "missing 'A'"},
    {FRAME_AT_B("[2]", "{between: [a, b], section: s}", ""), YK_E_INPUT,
     "node 'b' has 1 coordinates; two make a plane"},
    {FRAME_AT_B("[2, 0, 0]", "{between: [a, b], section: s}", ""), YK_E_INPUT,
     "node 'b' has 3 coordinates, the nodes before it have 2"},
    {FRAME("[2, @up]", "{between: [a, b], section: s}", ""), YK_E_INPUT, "'up' is not a number"},
    {FRAME_AT_B("{mass: 2}", "{between: [a, b], section: s}", ""), YK_E_INPUT,
     "missing 'at' (coordinates of node 'b')"},
    {FRAME("@7", "{between: [a, b], section: s}", ""), YK_E_INPUT, "coordinates or a map is expected for b"},
    {FRAME("{at: [2, 0], fixed: [@z]}", "{between: [a, b], section: s}", ""), YK_E_INPUT,
     "'z' is no degree of freedom of a node in the plane: x, y, rz"},
    {FRAME("{at: [2, 0], mass: {@q: 2}}", "{between: [a, b], section: s}", ""), YK_E_INPUT,
     "'q' is no degree of freedom"},
    {FRAME("{at: [2, 0], mass: @-2}", "{between: [a, b], section: s}", ""), YK_E_RANGE, "mass = -2 is outside"},
    {FRAME("{at: [2, 0], @fix: [x]}", "{between: [a, b], section: s}", ""), YK_E_INPUT, "did you mean 'fixed'?"},
    {FRAME("[0, 0]", "{@between: [a, b], section: s}", ""), YK_E_INPUT,
     "member a-b: its two ends are at the same place"},
    {MEMBER("{between: [a, b], section: @t}"), YK_E_INPUT, "there is no section 't'"},
    {MEMBER("{between: [a, @bb], section: s}"), YK_E_INPUT, "there is no node 'bb'; did you mean 'b'?"},
    {MEMBER("{@between: [a], section: s}"), YK_E_INPUT, "between must name the two nodes"},
    {MEMBER("{@between: [a, b]}"), YK_E_INPUT, "missing 'section'"},
    {MEMBER("{between: [a, b], section: s, divide: @0}"), YK_E_RANGE, "divide = 0 is outside 1 .. 1000"},
    {MEMBER("{between: [a, b], section: s, theory: @bernoulli}"), YK_E_INPUT,
     "theory = 'bernoulli' is not one of: euler-bernoulli, timoshenko, truss"},
    {MEMBER("{@between: [a, b], section: s, theory: timoshenko}"), YK_E_INPUT,
     "member a-b: its section has no shear_y, which a Timoshenko beam needs"},
    {MEMBER("{between: [a, b], section: s, @up: [1, 0]}"), YK_E_INPUT, "up has 2 components"},
    {MEMBER("{between: [a, b], section: s, release: {@middle: [rz]}}"), YK_E_INPUT, "unknown key 'middle' in release"},
    {MEMBER("{@between: [a, b], section: s, release: {start: [y], end: [y]}}"), YK_E_SINGULAR,
     "its releases make it a mechanism: y is free at its second end"},
    {MEMBER("{between: [a, b], section: s, divide: 2}\n    - {between: [a, b], section: s, divide: 2}"), YK_E_INPUT,
     "two nodes are called 'a-b-1': give one of the members that are divided a `name`"},
    {FRAME("[2, 0], @c: [3, 0]", "{between: [a, b], section: s}", ""), YK_E_INPUT, "nothing is attached to node 'c'"},
    {LINK("{master: b, slaves: [@e]}"), YK_E_INPUT, "there is no node 'e'"},
    {LINK("{master: @q, slaves: [c]}"), YK_E_INPUT, "there is no node 'q'"},
    {LINK("{master: b, slaves: [c, @d]}"), YK_E_INPUT, "d.y is both fixed and tied to 'b'"},
    {LINK("{master: b, slaves: [c, @c]}"), YK_E_INPUT, "c.x is tied twice"},
    {LINK("{master: b, slaves: [@b]}"), YK_E_INPUT, "node 'b' is tied to itself"},
    {LINK("{master: b, slaves: [c], dofs: [@rx]}"), YK_E_INPUT, "'rx' is no degree of freedom"},
    {HEAD
     "substructures:\n  f:\n    kind: frame\n    sections: {s: {E: 2e11, A: 1e-3, Iz: 1e-6}}\n"
     "    nodes: {a: {at: [0, 0], fixed: all}, b: {at: [1, 0], mass: 3}}\n    members: [{between: [a, b], section: "
     "s}]\n",
     YK_E_SINGULAR, "f: the mass matrix is singular at b.rz: nothing gives it inertia; give a section"},
    {FRAME("[2, 0]", "{between: [a, b], section: s}",
           "    elements:\n    - {kind: spring, between: [ground, @b.z], stiffness: 3}\n"),
     YK_E_INPUT, "there is no degree of freedom 'b.z'"},
};

/* The text without its mark, and the line and column where it stood (column in characters, as editors count). */
static char *unmark(const char *marked, int *line, int *column)
{
    const char *at = strchr(marked, '@');
    char *text = strdup(marked);

    assert_non_null(text);
    *line = *column = 0;
    if (!at)
        return text;
    *line = *column = 1;
    for (const char *c = marked; c < at; c++) {
        *column = *c == '\n' ? 1 : *column + 1;
        *line += *c == '\n';
    }
    memmove(text + (at - marked), at + 1, strlen(at));
    return text;
}

static int check_refusal(const struct refusal *c)
{
    struct yk_experiment *e = NULL;
    struct yk_err err = {0};
    char path[512];
    int line, column;
    char *text = unmark(c->text, &line, &column);

    snprintf(path, sizeof path, "%s", scratch_path("bad.yaml"));
    enum yk_status st = yk_experiment_parse(&e, path, text, strlen(text), NULL, 0, &err);
    const bool placed = strcmp(err.file, path) == 0 && (!line || (err.line == line && err.column == column));
    const bool good = st == c->status && err.status == st && !e && placed && strstr(yk_err_line(&err).text, c->words);
    if (!good)
        print_error("%s\n  got    %s (%s)\n  wanted :%d:%d: ..%s.. (%s)\n", text,
                    yk_err_line(&err).text + (strcmp(err.file, path) == 0 ? strlen(path) : 0), yk_status_text(st), line,
                    column, c->words, yk_status_text(c->status));
    yk_experiment_destroy(e);
    free(text);
    return !good;
}

static void check_all(const struct refusal *cases, size_t count)
{
    int bad = 0;

    for (size_t i = 0; i < count; i++)
        bad += check_refusal(&cases[i]);
    assert_int_equal(bad, 0);
}
#define CHECK_ALL(table) check_all(table, sizeof table / sizeof *table)

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

static void matrices_are_refused_at_the_place(void **state)
{
    CHECK_ALL(matrices);
}

static void damping_and_start_values_are_refused_at_the_place(void **state)
{
    CHECK_ALL(damping_and_state);
}

static void nodes_and_elements_are_refused_at_the_place(void **state)
{
    CHECK_ALL(assembled);
}

static void frames_are_refused_at_the_place(void **state)
{
    CHECK_ALL(frames);
}

static void interfaces_and_kinds_are_refused_at_the_place(void **state)
{
    CHECK_ALL(interfaces_and_kinds);
}

static void specimens_and_rigs_are_refused_at_the_place(void **state)
{
    CHECK_ALL(physical);
}

/* The tables change one thing in a file that is right, and `kind: none` switches off what stands beside it. */
static void the_specimen_of_the_cases_is_right(void **state)
{
    static const char *const good[] = {
        IN_CHAIN(""),
        IN_CHAIN("compensator: {kind: none, order: 2, delay: 21 ms}, estimator: {kind: none, rho: 1}, "
                 "controller: {kind: none, filter: 6 ms}"),
        IN_CHAIN("compensator: {kind: velocity, delay: 1 ms}, estimator: {kind: rls}, controller: {kind: imc}"),
    };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct yk_experiment *e;

        assert_ok(yk_experiment_parse(&e, scratch_path("good.yaml"), good[i], strlen(good[i]), NULL, 0, &err));
        yk_experiment_destroy(e);
    }
}

static void loads_are_refused_at_the_place(void **state)
{
    CHECK_ALL(loads);
}

static void data_files_are_refused_with_both_places(void **state)
{
    int bad = 0;

    for (size_t i = 0; i < sizeof data_files / sizeof *data_files; i++) {
        scratch_write(data_files[i].file, data_files[i].content);
        bad += check_refusal(&data_files[i].refusal);
        remove(scratch_path(data_files[i].file));
    }
    assert_int_equal(bad, 0);
}

/* A slip in the included file is told with the place there, a file that cannot be had with that of its name. */
static void included_files_are_refused_with_their_own_place(void **state)
{
    struct yk_err err = {0};
    int bad = 0;

    for (size_t i = 0; i < sizeof included_files / sizeof *included_files; i++) {
        const struct file_refusal *c = &included_files[i];
        struct yk_experiment *e = NULL;
        char path[512], words[700];

        if (!c->file) {
            bad += check_refusal(&c->refusal);
            continue;
        }
        scratch_write(c->file, c->content);
        snprintf(path, sizeof path, "%s", scratch_path("bad.yaml"));
        snprintf(words, sizeof words, "%s", scratch_path(c->refusal.words));
        const enum yk_status st =
            yk_experiment_parse(&e, path, c->refusal.text, strlen(c->refusal.text), NULL, 0, &err);
        if (st != c->refusal.status || strncmp(yk_err_line(&err).text, words, strlen(words)) != 0) {
            print_error("got    %s\nwanted %s\n", yk_err_line(&err).text, words);
            bad++;
        }
        remove(scratch_path(c->file));
    }
    assert_int_equal(bad, 0);
}

/* Its content counts as if it stood there, settings by --set change it, and the recorded text has it. */
static void an_included_file_counts_as_if_it_stood_there(void **state)
{
    static const char text[] = INCLUDED("[t.yaml]");
    struct yk_experiment *e = NULL;
    const char *const set[] = {"transfer.a1.compensator.delay=3 ms"};

    scratch_write("t.yaml", "# found on a Monday\ntransfer:\n  a1: {compensator: {kind: velocity, delay: 2 ms}}");
    for (size_t i = 0; i < 2; i++) {
        assert_ok(yk_experiment_parse(&e, scratch_path("good.yaml"), text, strlen(text), set, i, &err));
        assert_near(yk_station_compensated(e->station, 0).lead_s, i ? 3e-3 : 2e-3, 1e-15);
        assert_non_null(strstr(e->text, "t.yaml ---\n# # found on a Monday\n# transfer:\n#   a1: {compensator"));
        yk_experiment_destroy(e);
    }
    remove(scratch_path("t.yaml"));
}

static void binary_junk_is_refused(void **state)
{
    static const char junk[] = "\x89HDF\r\n\x1a\n\0\0\0\0\0\b\b\0\4\0\20";
    struct yk_experiment *e;

    assert_refused(yk_experiment_parse(&e, "junk.h5", junk, sizeof junk, NULL, 0, &err), YK_E_INPUT, "junk.h5:1:1: ");
    assert_refused(yk_experiment_parse(&e, "junk.h5", junk, sizeof junk, NULL, 0, &err), YK_E_INPUT, "not UTF-8 text");
    assert_refused(yk_experiment_parse(&e, "nul.yaml", "a: b\0c\n", 7, NULL, 0, &err), YK_E_INPUT, "not a text file");
}

/* Five levels of ten aliases each would make a hundred thousand values out of a few bytes. */
static void aliases_cannot_multiply_without_end(void **state)
{
    char text[1024] = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    struct yk_experiment *e;

    for (char level = 'b'; level < 'j'; level++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", level, level, level - 1, level - 1,
                 level - 1, level - 1, level - 1, level - 1, level - 1, level - 1, level - 1, level - 1);
    assert_refused(yk_experiment_parse(&e, "laughs.yaml", text, strlen(text), NULL, 0, &err), YK_E_INPUT, "aliases");
    assert_refused(yk_experiment_parse(&e, "loop.yaml", "a: &a {b: *a}\n", 14, NULL, 0, &err), YK_E_INPUT,
                   "loop.yaml:1:");
}

static void deep_nesting_is_refused(void **state)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP + 3);
    struct yk_experiment *e;

    assert_non_null(text);
    memcpy(text, "a: ", 3);
    memset(text + 3, '[', DEEP);
    assert_refused(yk_experiment_parse(&e, "deep.yaml", text, DEEP + 3, NULL, 0, &err), YK_E_INPUT, "deep.yaml:1:");
    memset(text, '{', DEEP);
    assert_refused(yk_experiment_parse(&e, "deep.yaml", text, DEEP, NULL, 0, &err), YK_E_INPUT, "deep.yaml:1:");
    for (size_t i = 0; i + 1 < DEEP; i += 2)
        memcpy(text + i, "- ", 2);
    assert_refused(yk_experiment_parse(&e, "deep.yaml", text, DEEP, NULL, 0, &err), YK_E_INPUT, "deep.yaml:1:");
    free(text);
}

/* Fifty thousand keys in one map: minutes if each is compared with each. */
static void large_maps_are_read_at_once(void **state)
{
    enum { KEYS = 50000 };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct yk_experiment *e;
    const clock_t begin = clock();

    assert_non_null(out);
    fputs("a: {k7: 1", out);
    for (int i = 0; i < KEYS; i++)
        fprintf(out, ", k%d: 1", i);
    fputs("}\n", out);
    assert_int_equal(fclose(out), 0);
    assert_refused(yk_experiment_parse(&e, "large.yaml", text, size, NULL, 0, &err), YK_E_INPUT,
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
        struct yk_experiment *e;
        struct yk_err err = {0};
        enum yk_status st = yk_experiment_parse(&e, "set.yaml", text, strlen(text), &settings[i].setting, 1, &err);

        if (st != settings[i].status || !strstr(yk_err_line(&err).text, settings[i].words)) {
            print_error("%s: got '%s' (%s), wanted '%s'\n", settings[i].setting, yk_err_line(&err).text,
                        yk_status_text(st), settings[i].words);
            bad++;
        }
        yk_experiment_destroy(e);
    }
    assert_int_equal(bad, 0);
}

static void files_that_cannot_be_read_are_bad_input(void **state)
{
    struct yk_experiment *e;

    assert_refused(yk_experiment_load(&e, scratch_path("none.yaml"), NULL, 0, &err), YK_E_INPUT, "cannot be opened");
    assert_refused(yk_experiment_load(&e, scratch_path(""), NULL, 0, &err), YK_E_INPUT, "is a folder");
    assert_int_equal(yk_experiment_load(&e, scratch_path("none.yaml"), NULL, 0, NULL), YK_E_INPUT);
}

/* What the reader is told not to report (err == NULL) is refused all the same. */
static void refusals_work_without_a_message(void **state)
{
    struct yk_experiment *e;

    assert_int_equal(yk_experiment_parse(&e, "x.yaml", "a: 1\n", 5, NULL, 0, NULL), YK_E_INPUT);
    assert_null(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_no_experiment_are_refused),
        cmocka_unit_test(sections_are_refused_at_the_place),
        cmocka_unit_test(couplings_are_refused_at_the_place),
        cmocka_unit_test(matrices_are_refused_at_the_place),
        cmocka_unit_test(damping_and_start_values_are_refused_at_the_place),
        cmocka_unit_test(nodes_and_elements_are_refused_at_the_place),
        cmocka_unit_test(frames_are_refused_at_the_place),
        cmocka_unit_test(interfaces_and_kinds_are_refused_at_the_place),
        cmocka_unit_test(specimens_and_rigs_are_refused_at_the_place),
        cmocka_unit_test(the_specimen_of_the_cases_is_right),
        cmocka_unit_test(loads_are_refused_at_the_place),
        cmocka_unit_test(data_files_are_refused_with_both_places),
        cmocka_unit_test(included_files_are_refused_with_their_own_place),
        cmocka_unit_test(an_included_file_counts_as_if_it_stood_there),
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
