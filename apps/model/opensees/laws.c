/* Uniaxial materials of OpenSees as laws of an experiment file: fibres, hinges and springs. */
#include "frame.h"

#include <math.h>

static void elastic(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p)
{
    if (c->count > 4 && opensees_word_number(f, c, 4) != 0)
        opensees_word_refuse(f, c, "viscous damping is not taken: eta = ", c->word[4]);
    fprintf(f->out, "kind: spring, stiffness: %.12g", opensees_word_number(f, c, 3) * p.force / p.deformation);
}

static void elastic_plastic(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p)
{
    const double positive = opensees_word_number(f, c, 4), negative = fabs(opensees_word_optional(f, c, 5, positive));

    fprintf(f->out, "kind: elastoplastic, stiffness: %.12g, yield_positive: %.12g, yield_negative: %.12g",
            opensees_word_number(f, c, 3) * p.force / p.deformation, (p.turned ? negative : positive) * p.deformation,
            (p.turned ? positive : negative) * p.deformation);
    if (opensees_word_optional(f, c, 6, 0) != 0)
        fprintf(f->out, ", offset: %.12g", (p.turned ? -1 : 1) * opensees_word_number(f, c, 6) * p.deformation);
}

static void steel01(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p)
{
    const double fy = opensees_word_number(f, c, 3), E = opensees_word_number(f, c, 4);

    if (opensees_word_optional(f, c, 6, 0) != 0 || opensees_word_optional(f, c, 8, 0) != 0)
        opensees_word_refuse(f, c, "isotropic hardening of Steel01 is not taken: ",
                             c->word[opensees_word_optional(f, c, 6, 0) != 0 ? 6 : 8]);
    fprintf(f->out, "kind: bilinear, stiffness: %.12g, yield_slip: %.12g, hardening: %.12g",
            E * p.force / p.deformation, fy / E * p.deformation, opensees_word_number(f, c, 5));
}

static void steel02(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p)
{
    static const char *const names[] = {"R0", "cR1", "cR2", "a1", "a2", "a3", "a4"};

    if (opensees_word_optional(f, c, 13, 0) != 0)
        opensees_word_refuse(f, c, "an initial stress is not taken: ", c->word[13]);
    fprintf(f->out, "kind: steel, E: %.12g, fy: %.12g, hardening: %.12g",
            opensees_word_number(f, c, 4) * p.force / p.deformation, opensees_word_number(f, c, 3) * p.force,
            opensees_word_number(f, c, 5));
    for (size_t i = 6; i < 13 && i < c->count; i++)
        fprintf(f->out, ", %s: %.12g", names[i - 6], opensees_word_number(f, c, i));
}

static void concrete(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p)
{
    const bool tension = yk_piece_is(c->word[1], "Concrete02");

    if (p.turned)
        opensees_word_refuse(f, c, "a hinge is not made of ", c->word[1]);
    fprintf(f->out, "kind: %s, fc: %.12g, ec: %.12g, fu: %.12g, eu: %.12g", tension ? "concrete-tension" : "concrete",
            fabs(opensees_word_number(f, c, 3)) * p.force, fabs(opensees_word_number(f, c, 4)) * p.deformation,
            fabs(opensees_word_number(f, c, 5)) * p.force, fabs(opensees_word_number(f, c, 6)) * p.deformation);
    if (tension)
        fprintf(f->out, ", lambda: %.12g, ft: %.12g, softening: %.12g", opensees_word_number(f, c, 7),
                opensees_word_number(f, c, 8) * p.force, opensees_word_number(f, c, 9) * p.force / p.deformation);
}

/* A side of Hysteretic: two or three points; of two, the second stands in the middle. */
static void hysteretic_side(struct opensees_frame *f, const struct opensees_command *c, size_t from, size_t points,
                            double sign, struct opensees_place p)
{
    double y[3] = {0}, x[3] = {0};

    for (size_t i = 0; i < points; i++) {
        const size_t to = points == 2 ? 2 * i : i;

        y[to] = sign * opensees_word_number(f, c, from + 2 * i);
        x[to] = sign * opensees_word_number(f, c, from + 2 * i + 1);
        if (!f->st && !(y[to] >= 0 && x[to] >= 0))
            opensees_word_refuse(f, c, "this point lies on the other side: ", c->word[from + 2 * i + (x[to] < 0)]);
    }
    if (f->st)
        return;
    if (points == 2) {
        y[1] = 0.5 * (y[0] + y[2]);
        x[1] = 0.5 * (x[0] + x[2]);
    }
    fprintf(f->out, "[[%.12g, %.12g], [%.12g, %.12g], [%.12g, %.12g]]", y[0] * p.force, x[0] * p.deformation,
            y[1] * p.force, x[1] * p.deformation, y[2] * p.force, x[2] * p.deformation);
}

static void hysteretic(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p)
{
    static const char *const names[] = {"px", "py", "D1", "D2", "beta"};
    const size_t points = c->count >= 19 ? 3 : 2, after = 3 + 4 * points;

    if (!opensees_word_expect(f, c, after + 4))
        return;
    for (int k = 0; k < 2; k++) {
        const bool negative = (k == 1) != p.turned;

        fputs(k == 0 ? "kind: pinching, positive: " : ", negative: ", f->out);
        hysteretic_side(f, c, negative ? 3 + 2 * points : 3, points, negative ? -1 : 1, p);
    }
    for (size_t i = 0; i < 5 && after + i < c->count; i++)
        fprintf(f->out, ", %s: %.12g", names[i], opensees_word_number(f, c, after + i));
}

/* IMKBilin, IMKPeakOriented and IMKPinching: six numbers of each side, capacities, exponents, rates, pinching. */
static void ibarra(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p)
{
    static const char *const names[][6] = {{"plastic", "post_capping", "ultimate", "yield", "capping", "residual"},
                                           {"plastic_negative", "post_capping_negative", "ultimate_negative",
                                            "yield_negative", "capping_negative", "residual_negative"}};
    static const char *const kinds[] = {"bilinear", "peak-oriented", "pinching"};
    static const char losses[] = "SCAK", without[] = "SCK";
    const int kind = yk_piece_is(c->word[1], "IMKBilin") ? 0 : yk_piece_is(c->word[1], "IMKPinching") ? 2 : 1;
    const char *loss = kind ? losses : without;
    const size_t lambdas = kind ? 4 : 3, rates = 16 + 2 * lambdas;

    if (!opensees_word_expect(f, c, rates + (kind == 2 ? 4 : 2)))
        return;
    fprintf(f->out, "kind: imk, hysteresis: %s, stiffness: %.12g", kinds[kind],
            opensees_word_number(f, c, 3) * p.force / p.deformation);
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < 6; i++) {
            const size_t from = (side == 1) != p.turned ? 10 : 4;

            fprintf(f->out, ", %s: %.12g", names[side][i],
                    opensees_word_number(f, c, from + i) * (i < 3    ? p.deformation
                                                            : i == 3 ? p.force
                                                                     : 1));
        }
    for (size_t i = 0; i < lambdas; i++)
        if (opensees_word_number(f, c, 16 + i) > 0)
            fprintf(f->out, ", lambda_%c: %.12g, c_%c: %.12g", loss[i],
                    opensees_word_number(f, c, 16 + i) * p.deformation, loss[i],
                    opensees_word_number(f, c, 16 + lambdas + i));
    fprintf(f->out, ", rate: %.12g, rate_negative: %.12g", opensees_word_number(f, c, rates + p.turned),
            opensees_word_number(f, c, rates + !p.turned));
    if (kind == 2)
        fprintf(f->out, ", kappa_F: %.12g, kappa_D: %.12g", opensees_word_number(f, c, rates + 2),
                opensees_word_number(f, c, rates + 3));
}

static const struct {
    const char *name;
    void (*print)(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p);
} laws[] = {
    {"Elastic", elastic},        {"ElasticPP", elastic_plastic}, {"Steel01", steel01},       {"Steel02", steel02},
    {"Concrete01", concrete},    {"Concrete02", concrete},       {"Hysteretic", hysteretic}, {"IMKBilin", ibarra},
    {"IMKPeakOriented", ibarra}, {"IMKPinching", ibarra},
};
enum { LAWS = sizeof laws / sizeof *laws };

void opensees_print_law(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p)
{
    for (size_t i = 0; c && i < LAWS; i++)
        if (opensees_is(c, "uniaxialMaterial", laws[i].name)) {
            laws[i].print(f, c, p);
            return;
        }
    if (c && opensees_word_expect(f, c, 2))
        opensees_word_refuse(f, c,
                             "Elastic, ElasticPP, Steel01, Steel02, Concrete01, Concrete02, Hysteretic, IMKBilin, "
                             "IMKPeakOriented and IMKPinching are known, not ",
                             c->word[1]);
}
