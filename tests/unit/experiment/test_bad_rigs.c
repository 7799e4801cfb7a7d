/* Specimens, rigs and included files that must be refused. */

#include "support/check.h"
#include "support/refused.h"
#include "support/scratch.h"

#include "experiment/experiment.h"
#include "transfer/station.h"

#include <stdlib.h>

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

/* a drive on an EtherCAT bus that turns the specimen */
#define ETHERCAT(channels)                                                                                             \
    PHYSICAL_TIME PHYSICAL_METHOD "substructures:\n  n: {dofs: [theta], mass: [1], stiffness: [4]}\n  s: {role: "      \
                                  "physical, dofs: [theta], actuators: "                                               \
                                  "{theta: a1}}\ninterfaces: [{join: [n.theta, s.theta]}]\n" CHAIN(                    \
                                      "") "rig:\n  backend: ethercat\n  settings:\n    interface: none\n    slaves: "  \
                                          "{d: {vendor: 1, product: 2}}\n"                                             \
                                          "    channels: {" channels "}\n"

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
    /* channels of EtherCAT */
    {ETHERCAT("a1.command: {slave: d, entry: '0x607A:0', scale: @1 um}"), YK_E_UNIT,
     "'1 um' is a length, but an angle is expected"},
    {ETHERCAT("a1.command: {slave: d, entry: '0x607A:0', scale: @0 mrad}"), YK_E_RANGE, "scale = 0 mrad must not be 0"},
    {ETHERCAT("@a2.force: {slave: d, entry: '0x6000:17'}"), YK_E_INPUT, "'a2.force' is not known here"},
    {ETHERCAT("@a1.torque: {slave: d, entry: '0x6000:17'}"), YK_E_INPUT,
     "'a1.torque' is neither command, displacement, force"},
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
     "gamma has no effect if gamma_A and gamma_B are given"},
    {IN_METHOD("coupling: mph, beta_A: 0, gamma_B: 0.5, @beta: 0.25, beta_B: 0.25"), YK_E_INPUT,
     "beta has no effect if beta_A and beta_B are given"},
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
    {IN_ACTUATOR("@plant: {kind: rths-hydraulic, valve: 1e25}"), YK_E_RANGE,
     "actuator a1: rths-hydraulic: the actuator oscillates by itself: valve = 1e+25 N/(m s3) is too large"},
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

/* `transfer` from a file: what is wrong in it is told with its own place. */
#define INCLUDED(x) PHYSICAL_HEAD "transfer: " x "\n" RIG(IDEAL, MODEL)
static const struct file_refusal included_files[] = {
    {{INCLUDED("@t.yaml"), YK_E_INPUT, "t.yaml: cannot be opened: No such file"}, NULL, NULL},
    {{INCLUDED("@."), YK_E_INPUT, "is a folder, a file is expected"}, NULL, NULL},
    {{INCLUDED("t.yaml"), YK_E_INPUT, "t.yaml:1:1: the file is empty"}, "t.yaml", ""},
    {{INCLUDED("t.yaml"), YK_E_INPUT, "t.yaml:1:1: a file that transfer names has one section, 'transfer'"},
     "t.yaml",
     "{}\n"},
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
        struct yk_model *e;

        assert_ok(yk_model_parse(&e, scratch_path("good.yaml"), good[i], strlen(good[i]), NULL, 0, &err));
        yk_model_close(e);
    }
}

/* A slip in the included file is told with the place there, a file that cannot be had with that of its name. */
static void included_files_are_refused_with_their_own_place(void **state)
{
    struct yk_err err = {0};
    int bad = 0;

    for (size_t i = 0; i < sizeof included_files / sizeof *included_files; i++) {
        const struct file_refusal *c = &included_files[i];
        struct yk_model *e = NULL;
        char path[512], words[700];

        if (!c->file) {
            bad += check_refusal(&c->refusal);
            continue;
        }
        scratch_write(c->file, c->content);
        snprintf(path, sizeof path, "%s", scratch_path("bad.yaml"));
        snprintf(words, sizeof words, "%s", scratch_path(c->refusal.words));
        const enum yk_status st = yk_model_parse(&e, path, c->refusal.text, strlen(c->refusal.text), NULL, 0, &err);
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
    struct yk_model *e = NULL;
    const char *const set[] = {"transfer.a1.compensator.delay=3 ms"};

    scratch_write("t.yaml", "# found on a Monday\ntransfer:\n  a1: {compensator: {kind: velocity, delay: 2 ms}}");
    for (size_t i = 0; i < 2; i++) {
        assert_ok(yk_model_parse(&e, scratch_path("good.yaml"), text, strlen(text), set, i, &err));
        assert_near(yk_station_compensated(e->station, 0).lead_s, i ? 3e-3 : 2e-3, 1e-15);
        assert_non_null(strstr(e->text, "t.yaml ---\n# # found on a Monday\n# transfer:\n#   a1: {compensator"));
        yk_model_close(e);
    }
    remove(scratch_path("t.yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specimens_and_rigs_are_refused_at_the_place),
        cmocka_unit_test(the_specimen_of_the_cases_is_right),
        cmocka_unit_test(included_files_are_refused_with_their_own_place),
        cmocka_unit_test(an_included_file_counts_as_if_it_stood_there),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
