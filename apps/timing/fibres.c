/* Fibres of steel and frames made of them, against a plain loop over the same number of fibres. */
#include "fibres.h"

#include "measure.h"
#include "modal.h"

#include <yoke/law.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIBRES = 1000, POINTS = 5, SECTION = 20, WAVE = 64 };

#define MODULUS   210e9
#define YIELD     275e6
#define HARDENING 0.01
#define R0        20.0
#define CR1       0.925
#define CR2       0.15

/* Strains at step k: cycles to six times the yield strain, each fibre with another amplitude. */
static void strains(double *d, const double *wave, long k)
{
    const double s = 6 * YIELD / MODULUS * wave[k % WAVE] / FIBRES;

    for (size_t i = 0; i < FIBRES; i++)
        d[i] = s * (double)(i + 1);
}

static void fill_wave(double *wave)
{
    for (int k = 0; k < WAVE; k++)
        wave[k] = sin(2 * 3.14159265358979323846 * k / WAVE);
}

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for a benchmark");
}

/* ---- a plain loop ------------------------------------------------------------------------------------------------ */

struct plain_fibre {
    double d, f, way, emax, emin, er, sr, e0, s0, R;
};

struct plain {
    long rounds; /* over the fibres, for one run */
    long k;
    double wave[WAVE], d[FIBRES], force[FIBRES], slope[FIBRES];
    struct plain_fibre memory[2][FIBRES];
};

/* The law as its formulas are printed. */
static void plain_state(const struct plain_fibre *old, double d, struct plain_fibre *b, double *force, double *slope)
{
    const double ey = YIELD / MODULUS, H = HARDENING * MODULUS;

    *b = *old;
    if (old->way == 0 && d != old->d) {
        b->way = d > old->d ? 1 : -1;
        b->e0 = b->way * ey;
        b->s0 = b->way * YIELD;
        b->R = R0;
    } else if ((d - old->d) * old->way < 0) {
        const double way = -old->way, y = way * YIELD;

        if (way < 0)
            b->emax = fmax(b->emax, old->d);
        else
            b->emin = fmin(b->emin, old->d);
        b->e0 = (y - H * y / MODULUS - old->f + MODULUS * old->d) / (MODULUS - H);
        b->s0 = y + H * (b->e0 - y / MODULUS);
        const double xi = fabs(((way > 0 ? b->emax : b->emin) - b->e0) / ey);
        b->R = R0 * (1 - CR1 * xi / (CR2 + xi));
        b->er = old->d;
        b->sr = old->f;
        b->way = way;
    }
    b->d = d;
    if (b->way == 0) {
        *slope = MODULUS;
        *force = 0;
        return;
    }
    const double x = (d - b->er) / (b->e0 - b->er), g = 1 + pow(fabs(x), b->R), root = pow(g, -1 / b->R);

    *slope = (HARDENING + (1 - HARDENING) * root / g) * (b->s0 - b->sr) / (b->e0 - b->er);
    *force = b->f = b->sr + (HARDENING * x + (1 - HARDENING) * x * root) * (b->s0 - b->sr);
}

static void plain_run(void *self, long count)
{
    struct plain *p = self;

    for (long c = 0; c < count * p->rounds; c++) {
        const struct plain_fibre *const committed = p->memory[p->k % 2];
        struct plain_fibre *const trial = p->memory[(p->k + 1) % 2];

        strains(p->d, p->wave, ++p->k);
        for (size_t i = 0; i < FIBRES; i++)
            plain_state(&committed[i], p->d[i], &trial[i], &p->force[i], &p->slope[i]);
    }
}

/* malloc'd; NULL: no memory. Fibres beyond the first thousand are further rounds over these, which stay in the cache.
 */
static struct plain *open_plain(long rounds)
{
    struct plain *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->rounds = rounds;
    fill_wave(p->wave);
    for (size_t i = 0; i < FIBRES; i++)
        p->memory[0][i] = (struct plain_fibre){.emax = YIELD / MODULUS, .emin = -YIELD / MODULUS};
    return p;
}

/* ---- many at once ------------------------------------------------------------------------------------------------ */

struct crowd {
    const struct yk_law_ops *law;
    void *settings;
    long k;
    double wave[WAVE], *d, *force, *slope, *committed, *trial;
};

static void crowd_run(void *self, long count)
{
    struct crowd *c = self;

    for (long i = 0; i < count; i++) {
        double *const swap = c->committed;

        strains(c->d, c->wave, ++c->k);
        yk_law_forces(c->law, c->settings, FIBRES, c->committed, c->d, 0, c->trial, c->force, c->slope);
        c->committed = c->trial;
        c->trial = swap;
    }
}

static enum yk_status open_crowd(struct crowd *c, struct yk_err *err)
{
    const struct {
        const char *name;
        double value;
    } set[] = {{"E", MODULUS}, {"fy", YIELD}, {"hardening", HARDENING}, {"R0", R0}, {"cR1", CR1}, {"cR2", CR2}};
    enum yk_status st;
    double one[YK_LAW_VARIABLES];

    *c = (struct crowd){.law = yk_law_find("steel")};
    fill_wave(c->wave);
    st = yk_param_settings(c->law->params, c->law->settings_size, &c->settings, err);
    for (size_t i = 0; i < sizeof set / sizeof *set && !st; i++)
        st = yk_param_set(c->law->params, c->settings, set[i].name, set[i].value, err);
    if (st || (st = c->law->prepare(c->settings, err)))
        return st;
    if (!(c->d = calloc((3 + 2 * c->law->count) * FIBRES, sizeof *c->d)))
        return no_memory(err);
    c->force = c->d + FIBRES;
    c->slope = c->d + 2 * FIBRES;
    c->committed = c->d + 3 * FIBRES;
    c->trial = c->committed + c->law->count * FIBRES;
    c->law->rest(c->settings, 0, one);
    for (size_t j = 0; j < c->law->count; j++)
        for (size_t i = 0; i < FIBRES; i++)
            c->committed[j * FIBRES + i] = one[j];
    return YK_OK;
}

enum yk_status yk_bench_fibres(struct yk_bench_result *out, struct yk_err *err)
{
    struct plain *plain = open_plain(1);
    struct crowd crowd;
    enum yk_status st = open_crowd(&crowd, err);

    if (!st && !plain)
        st = no_memory(err);
    if (!st)
        yk_measure(&(struct yk_task){NULL, crowd_run, &crowd}, &(struct yk_task){NULL, plain_run, plain}, out);
    free(crowd.settings);
    free(crowd.d);
    free(plain);
    return st;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* Columns of 300 mm and beams of 360 mm, as rolled: flanges of 2 fibres each, web of 16. The beams carry floors. */
static const char sections[] =
    "    materials: { s: { kind: steel, E: 210 GPa, fy: 275 MPa, hardening: 0.01 } }\n"
    "    rayleigh: { mass: 0.25, stiffness: 0.002 }\n"
    "    sections:\n"
    "      column:\n"
    "        density: 7850 kg/m3\n"
    "        fibres:\n"
    "          - { patch: rectangle, material: s, from: [0.131, -0.15], to: [0.15, 0.15], divide: [2, 1] }\n"
    "          - { patch: rectangle, material: s, from: [-0.15, -0.15], to: [-0.131, 0.15], divide: [2, 1] }\n"
    "          - { patch: rectangle, material: s, from: [-0.131, -0.0055], to: [0.131, 0.0055], divide: [16, 1] }\n"
    "      beam:\n"
    "        density: 400000 kg/m3\n"
    "        fibres:\n"
    "          - { patch: rectangle, material: s, from: [0.1673, -0.085], to: [0.18, 0.085], divide: [2, 1] }\n"
    "          - { patch: rectangle, material: s, from: [-0.18, -0.085], to: [-0.1673, 0.085], divide: [2, 1] }\n"
    "          - { patch: rectangle, material: s, from: [-0.1673, -0.004], to: [0.1673, 0.004], divide: [16, 1] }\n";

static const struct {
    size_t members;
    int storeys, bays;
} frames[] = {{10, 2, 2}, {100, 20, 2}, {400, 16, 12}};

enum yk_status yk_bench_fibre_frame(const char *integrator, size_t members, struct yk_bench_result *out,
                                    struct yk_err *err)
{
    struct plain *plain = open_plain((long)(members * POINTS * SECTION / FIBRES));
    char *text = NULL;
    enum yk_status st;

    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        if (frames[i].members == members)
            text = yk_bench_storeys(integrator, "auto", "2 ms", sections, frames[i].bays + 1, frames[i].storeys);
    st = plain && text ? yk_bench_motion(text, &(struct yk_task){NULL, plain_run, plain}, out, err) : no_memory(err);
    free(text);
    free(plain);
    return st;
}
