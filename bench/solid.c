/* Writes a clamped bar of 8-node bricks, as CalculiX would store its matrices, and an experiment file that reads it: a
 * model of any size for `yoke reduce` (`make million`).
 *
 * usage: solid NX NY NZ DIR        elements across, across and along; 3 (NX + 1) (NY + 1) NZ degrees of freedom
 *
 * Bricks of 0.1 m, steel, full integration (2 x 2 x 2 points), mass in equal parts at the nodes. Nodes are numbered
 * across first, from the clamped end, which is left out, to the tip; a corner of the tip is the interface. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EDGE    0.1    /* m */
#define MODULUS 210e9  /* Pa */
#define RATIO   0.3    /* of Poisson */
#define DENSITY 7850.0 /* kg/m3 */

/* Corner a of the brick stands at (a & 1, a >> 1 & 1, a >> 2). */
static double side(int a, int axis)
{
    return a >> axis & 1 ? 1 : -1;
}

/* k += w B^T D B at one point of the brick (coordinates within -1 .. 1) */
static void add_point(double k[24][24], const double at[3], double weight)
{
    const double lambda = MODULUS * RATIO / ((1 + RATIO) * (1 - 2 * RATIO)), mu = MODULUS / (2 * (1 + RATIO));
    double g[8][3]; /* gradients of the shape functions */

    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++) {
            g[a][i] = side(a, i) / 8 * 2 / EDGE;
            for (int j = 0; j < 3; j++)
                g[a][i] *= j == i ? 1 : 1 + side(a, j) * at[j];
        }
    /* lambda div(u) div(v) + 2 mu eps(u) : eps(v) */
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double dot = 0;

                    for (int l = 0; l < 3; l++)
                        dot += g[a][l] * g[b][l];
                    k[3 * a + i][3 * b + j] +=
                        weight * (lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + (i == j ? mu * dot : 0));
                }
}

static void brick(double k[24][24])
{
    for (int p = 0; p < 8; p++) {
        const double at[3] = {side(p, 0) / sqrt(3), side(p, 1) / sqrt(3), side(p, 2) / sqrt(3)};

        add_point(k, at, EDGE * EDGE * EDGE / 8);
    }
}

struct mesh {
    long count[3]; /* elements */
    double k[24][24];
};

static long node_count(const struct mesh *m, int axis)
{
    return m->count[axis] + 1;
}

static int inside(const struct mesh *m, const long e[3])
{
    for (int i = 0; i < 3; i++)
        if (e[i] < 0 || e[i] >= m->count[i])
            return 0;
    return 1;
}

/* The 3 x 3 block of two nodes that are `step` apart: the sum over the elements that hold both. Returns how many. */
static int block(const struct mesh *m, const long node[3], const long step[3], double K[3][3])
{
    int found = 0;

    for (int i = 0; i < 9; i++)
        K[i / 3][i % 3] = 0;
    for (int a = 0; a < 8; a++) {
        const long e[3] = {node[0] - (a & 1), node[1] - (a >> 1 & 1), node[2] - (a >> 2)};
        const long at[3] = {(a & 1) + step[0], (a >> 1 & 1) + step[1], (a >> 2) + step[2]};
        const long b = at[0] + 2 * at[1] + 4 * at[2];

        if (!inside(m, e) || at[0] < 0 || at[0] > 1 || at[1] < 0 || at[1] > 1 || at[2] < 0 || at[2] > 1)
            continue;
        found++;
        for (int i = 0; i < 9; i++)
            K[i / 3][i % 3] += m->k[3 * a + i / 3][3 * b + i % 3];
    }
    return found;
}

/* Number of a node, from 0; below 0: clamped. */
static long number(const struct mesh *m, const long node[3])
{
    return node[0] + node_count(m, 0) * (node[1] + node_count(m, 1) * (node[2] - 1));
}

/* One triangle of the columns of a node. */
static void write_node(const struct mesh *m, const long node[3], FILE *stiffness, FILE *mass, FILE *dofs)
{
    const long own = number(m, node);
    double K[3][3];

    for (int s = 0; s < 27; s++) {
        const long step[3] = {s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1};
        const long other[3] = {node[0] + step[0], node[1] + step[1], node[2] + step[2]};
        const int shared = block(m, node, step, K);

        if (!shared || other[2] < 1 || number(m, other) < own)
            continue;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                if ((number(m, other) > own || j >= i) && fabs(K[i][j]) > 1e-6 * MODULUS * EDGE)
                    fprintf(stiffness, "%ld %ld %.17g\n", 3 * number(m, other) + j + 1, 3 * own + i + 1, K[i][j]);
        for (int i = 0; i < 3 && number(m, other) == own; i++) {
            fprintf(mass, "%ld %ld %.17g\n", 3 * own + i + 1, 3 * own + i + 1,
                    shared * DENSITY * EDGE * EDGE * EDGE / 8);
            fprintf(dofs, "%ld.%d\n", own + 1, i + 1);
        }
    }
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!(out = fopen(path, "w"))) {
        perror(path);
        exit(1);
    }
    return out;
}

int main(int argc, char **argv)
{
    struct mesh m = {{0}, {{0}}};

    if (argc != 5) {
        fputs("usage: solid NX NY NZ DIR\n", stderr);
        return 2;
    }
    for (int i = 0; i < 3; i++)
        if ((m.count[i] = strtol(argv[1 + i], NULL, 10)) < 1) {
            fprintf(stderr, "solid: %s elements, at least 1 is needed\n", argv[1 + i]);
            return 2;
        }
    FILE *stiffness = open_in(argv[4], "solid.sti"), *mass = open_in(argv[4], "solid.mas");
    FILE *dofs = open_in(argv[4], "solid.dof"), *experiment = open_in(argv[4], "solid.yaml");
    long last = 0;

    brick(m.k);
    for (long z = 1; z < node_count(&m, 2); z++)
        for (long y = 0; y < node_count(&m, 1); y++)
            for (long x = 0; x < node_count(&m, 0); x++) {
                const long node[3] = {x, y, z};

                write_node(&m, node, stiffness, mass, dofs);
                last = number(&m, node) + 1;
            }
    fprintf(experiment,
            "title: A clamped bar of bricks, %ld degrees of freedom\n"
            "time: { step: 1 ms, end: 10 ms }\n"
            "method: { integrator: newmark }\n"
            "substructures: { bar: { model: solid.sti } }\n"
            "loads: [ { on: bar.%ld.x, kind: constant, amplitude: 1 } ]\n",
            3 * last, last);
    printf("%ld degrees of freedom; interface %ld.x,%ld.y,%ld.z\n", 3 * last, last, last, last);
    return fclose(stiffness) || fclose(mass) || fclose(dofs) || fclose(experiment);
}
