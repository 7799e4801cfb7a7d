/* Experiments that must be refused: with their status, the place, and words that tell what to change.
 *
 * An '@' in the text marks the place the message must name; it is taken out before the text is read. */
#ifndef YOKE_TEST_REFUSED_H
#define YOKE_TEST_REFUSED_H

#include "support/check.h"

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

/* The text without its mark, and the line and column where it stood (column in characters, as editors count). */
char *unmark(const char *marked, int *line, int *column);

int check_refusal(const struct refusal *c);

void check_all(const struct refusal *cases, size_t count);

/* With a data file beside the experiment, in the scratch folder. */
void check_files(const struct file_refusal *cases, size_t count);

#define CHECK_ALL(table) check_all(table, sizeof table / sizeof *table)

#endif
