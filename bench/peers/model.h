/* Common part of the peers: a linear model in a folder that `yoke bench --model NAME -o DIR` wrote, and the line they
 * print.
 *
 * A peer is a program of its own that steps the same model with another library, from rest under a constant force on
 * every degree of freedom. It prints {"program": ..., "seconds_per_step": ..., "peak_m": ...}: the median over ten
 * parts of the run, and the largest displacement, which shows that it computed the same. */
#ifndef PEER_MODEL_H
#define PEER_MODEL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARTS = 10 };

struct triangle { /* lower triangle, by columns as written, counted from 0 */
    long count;
    int *row, *col;
    double *value;
};

struct model {
    int n;
    long steps;
    double h, force;
    struct triangle M, C, K;
};

static void give_up(const char *what, const char *about)
{
    fprintf(stderr, "%s: %s\n", about, what);
    exit(1);
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    FILE *in;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!(in = fopen(path, "r")))
        give_up("cannot be opened", path);
    return in;
}

static struct triangle read_triangle(const char *folder, const char *name)
{
    FILE *in = open_in(folder, name);
    struct triangle t = {0};
    long rows, cols;

    if (fscanf(in, "%*[^\n]\n%ld %ld %ld", &rows, &cols, &t.count) != 3)
        give_up("is no matrix", name);
    t.row = malloc((size_t)t.count * sizeof *t.row);
    t.col = malloc((size_t)t.count * sizeof *t.col);
    t.value = malloc((size_t)t.count * sizeof *t.value);
    for (long k = 0; k < t.count; k++) {
        if (fscanf(in, "%d %d %lf", &t.row[k], &t.col[k], &t.value[k]) != 3)
            give_up("ends too soon", name);
        t.row[k]--;
        t.col[k]--;
    }
    fclose(in);
    return t;
}

static struct model read_model(const char *folder)
{
    FILE *in = open_in(folder, "model.txt");
    struct model m;

    if (fscanf(in, "dofs %d step %lf steps %ld force %lf", &m.n, &m.h, &m.steps, &m.force) != 4)
        give_up("is not what yoke bench --model writes", folder);
    fclose(in);
    m.M = read_triangle(folder, "mass.mtx");
    m.C = read_triangle(folder, "damping.mtx");
    m.K = read_triangle(folder, "stiffness.mtx");
    return m;
}

/* CPU time: a busy machine interrupts long steps more often than short ones. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the measurement: called after every step ---- */

struct clock {
    long steps, made, parts;
    double begin, part[PARTS], peak;
};

static void start_clock(struct clock *c, long steps)
{
    *c = (struct clock){.steps = steps, .begin = now()};
}

/* The peak is looked for outside the time that counts. */
static void count_step(struct clock *c, int n, const double *u)
{
    const double paused = now();

    for (int i = 0; i < n; i++)
        c->peak = fmax(c->peak, fabs(u[i]));
    c->begin += now() - paused;
    if (++c->made % (c->steps / PARTS) == 0 && c->parts < PARTS) {
        c->part[c->parts++] = (now() - c->begin) / (double)(c->steps / PARTS);
        c->begin = now();
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_result(struct clock *c, const char *program)
{
    if (c->parts == 0)
        give_up("made no step", program);
    qsort(c->part, (size_t)c->parts, sizeof *c->part, ascending);
    printf("{\"program\": \"%s\", \"seconds_per_step\": %.6g, \"peak_m\": %.10g}\n", program, c->part[c->parts / 2],
           c->peak);
}

#endif
