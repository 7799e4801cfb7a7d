/* A frame of two members that yield, for files of tests: a post with fibres and P-Delta under a weight, and a beam that
 * turns on a hinge; damping by committed stiffness. A device on its far end is the fine side. */
#ifndef YOKE_TEST_SMALL_FRAME_H
#define YOKE_TEST_SMALL_FRAME_H

#define SMALL_FRAME(step)                                                                                              \
    "title: small frame\n"                                                                                             \
    "time: {step: " step ", substeps: 2, end: 0.4 s}\n"                                                                \
    "method: {coupling: gc}\n"                                                                                         \
    "substructures:\n"                                                                                                 \
    "  frame:\n"                                                                                                       \
    "    kind: frame\n"                                                                                                \
    "    rate: coarse\n"                                                                                               \
    "    materials: {steel: {kind: steel, E: 200 GPa, fy: 300 MPa, hardening: 0.02, R0: 20, cR1: 0.925, cR2: 0.15}}\n" \
    "    sections:\n"                                                                                                  \
    "      post: {fibres: [{patch: rectangle, material: steel, from: [-50 mm, -20 mm], to: [50 mm, 20 mm],\n"          \
    "                       divide: [8, 1]}]}\n"                                                                       \
    "      arm: {E: 200 GPa, A: 4e-3, Iz: 3.3e-6}\n"                                                                   \
    "    hinges: {h: {kind: bilinear, stiffness: 5e6, yield_slip: 0.002, hardening: 0.05}}\n"                          \
    "    nodes: {a: {at: [0, 0], fixed: all}, b: {at: [0, 2 m], mass: {x: 2 t, y: 2 t, rz: 200}},\n"                   \
    "            c: {at: [2 m, 2 m], fixed: [y], mass: {x: 1 t, rz: 200}}}\n"                                          \
    "    members:\n"                                                                                                   \
    "      - {between: [a, b], section: post, formulation: force, geometry: p-delta}\n"                                \
    "      - {between: [b, c], section: arm, geometry: corotational, hinges: {start: {rz: h}}}\n"                      \
    "    rayleigh: {mass: 0.3, stiffness: 1 ms, stiffness_of: committed}\n"                                            \
    "  device: {kind: assembled, rate: fine, nodes: {m: {mass: 300}},\n"                                               \
    "           elements: [{kind: damper, between: [ground, m.x], damping: 2 kN s/m}]}\n"                              \
    "interfaces: [{join: [frame.c.x, device.m.x]}]\n"                                                                  \
    "loads:\n"                                                                                                         \
    "  - {on: frame.b.y, kind: constant, amplitude: -20 kN, permanent: true}\n"                                        \
    "  - {ground: frame, influence: {x: 1}, kind: sine, amplitude: 6 m/s2, frequency: 3 Hz}\n"

#endif
