#include "support/twins.h"

void twins_write(FILE *out, int nodes, int times)
{
    fputs("time: {step: 1 ms, end: 1 ms}\nmethod: {coupling: mph}\nsubstructures:\n", out);
    for (int s = 0; s < 2; s++) {
        fprintf(out, "  %c:\n    kind: assembled\n    rate: %s\n    nodes:\n", "ab"[s], s ? "fine" : "coarse");
        for (int i = 0; i < nodes; i++)
            fprintf(out, "      n%d: {mass: 1}\n", i);
        fputs("    elements:\n      - {kind: spring, between: [ground, n0.x], stiffness: 1e3}\n", out);
        for (int i = 1; i < nodes; i++)
            fprintf(out, "      - {kind: spring, between: [n%d.x, n%d.x], stiffness: 1e3}\n", i - 1, i);
    }
    fputs("interfaces:\n", out);
    for (int i = 0; i < times * nodes; i++)
        fprintf(out, "  - {join: [a.n%d.x, b.n%d.x]}\n", i / times, i / times);
}
