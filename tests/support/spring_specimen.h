/* A frame with a spring specimen on one TT1 actuator, as the tests of faults use it; time, title and limits are theirs.
 */
#ifndef YOKE_TEST_SPRING_SPECIMEN_H
#define YOKE_TEST_SPRING_SPECIMEN_H

#define SPRING_SPECIMEN_CHAIN                                                                                          \
    "{compensator: {kind: velocity, order: 2, delay: 21 ms}, controller: {kind: imc, filter: 6 ms}}"
#define SPRING_SPECIMEN                                                                                                \
    "method: {integrator: lsrt2}\n"                                                                                    \
    "substructures:\n"                                                                                                 \
    "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"                                 \
    "  specimen: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[35530]]}}\n"                  \
    "interfaces: [{join: [frame.x, specimen.x]}]\n"                                                                    \
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz}]\n"                                       \
    "transfer: {a1: " SPRING_SPECIMEN_CHAIN "}\n"                                                                      \
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: tt1}}},\n"                                                 \
    "      specimen: {dofs: [x], mass: [0], stiffness: [[35530]]}}\n"

#endif
