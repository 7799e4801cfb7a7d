/* Structures that must be refused: matrices, damping, initial states, elements, frames, and data files. */

#include "support/check.h"
#include "support/refused.h"
#include "support/scratch.h"

#include "experiment/experiment.h"

#include <stdlib.h>

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
    {NODE("{mass: 1, fixed: [@yaw]}"), YK_E_INPUT, "there is no degree of freedom 'yaw'; known: x"},
    {NODE("{mass: 1, fixed: @x}"), YK_E_INPUT, "a list of degrees of freedom is expected"},
    {HEAD "substructures:\n  @s: {kind: assembled, nodes: {n1: {mass: 1, fixed: [x]}}, elements: []}\n", YK_E_INPUT,
     "every degree of freedom is fixed"},
    {HEAD "substructures:\n  s: {kind: assembled, nodes: {floor1: {mass: 2}, @floor7: {mass: 1}}, "
          "elements: [{kind: spring, between: [ground, floor1.x], stiffness: 10}]}\n",
     YK_E_INPUT,
     "nothing is attached to node 'floor7': no element, member, link, interface or load names it; did you mean "
     "'floor1'?"},
/* points of a backbone */
#define PINCHING(points) ELEMENT("{kind: pinching, between: [n1.x, n2.x], " points "}")
    {PINCHING("positive: @3"), YK_E_INPUT, "a list of points [force, deformation] is expected for positive"},
    {PINCHING("positive: [@3]"), YK_E_INPUT, "point 1 of positive must be [force, deformation]"},
    {PINCHING("positive: [[3 kN, 1 mm], [@1, 2, 3]]"), YK_E_INPUT, "point 2 of positive must be [force, deformation]"},
    {PINCHING("positive: [[@3 kN m, 1 mm]]"), YK_E_UNIT, "a force is expected (N)"},
    {PINCHING("positive: [[3 kN, @1 deg]]"), YK_E_UNIT, "a length is expected (m)"},
    {PINCHING("positive: [[@-3 kN, 1 mm]]"), YK_E_RANGE, "is outside 0 .. "},
    {PINCHING("positive: [[1, 1], [2, 2], [3, 3]], negative: @same"), YK_E_INPUT,
     "negative = 'same' is neither a list of points nor 'mirror'"},
    {ELEMENT("{@kind: pinching, between: [n1.x, n2.x], positive: [[1, 1], [2, 2]]}"), YK_E_INPUT,
     "pinching: positive has 2 points; it needs 3, each a force and a deformation"},
    {ELEMENT("{@kind: pinching, between: [n1.x, n2.x], positive: [[1, 1], [2, 1], [3, 3]]}"), YK_E_RANGE,
     "deformation 2 of positive, 1, must be above 1, the one before"},
    {ELEMENT("{@kind: pinching, between: [n1.x, n2.x], negative: mirror}"), YK_E_INPUT, "missing 'positive'"},
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

static void data_files_are_refused_with_both_places(void **state)
{
    check_files(data_files, sizeof data_files / sizeof *data_files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_refused_at_the_place),
        cmocka_unit_test(damping_and_start_values_are_refused_at_the_place),
        cmocka_unit_test(nodes_and_elements_are_refused_at_the_place),
        cmocka_unit_test(frames_are_refused_at_the_place),
        cmocka_unit_test(data_files_are_refused_with_both_places),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
