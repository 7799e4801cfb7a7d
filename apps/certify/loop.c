/* The loop of the file as a family: realised once for the keys that act through ports, and again for each set of values
 * of the others. Whether ports tell the effect of a key is not assumed but tried: closed by them, the loop must have
 * the motions of the experiment that was read with another value. */
#include "certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST  1e-6 /* of the largest: weaker effects of ports are rounding of the realised loop */
#define ALIKE  1e-5 /* distance of two roots that are the same */
#define SLOW   0.8  /* moduli below it are not compared */
#define STATIC 1e-2 /* nor roots so near to 1: double ones are known to the square root of rounding */

/* A family that was realised, by its deviations. */
struct certify_entry {
    double delta[YK_CERTIFY_PARAMETERS];
    struct yk_family family;
};

/* The experiment with these deviations; NaN: as in the file. */
static enum yk_status vary(const struct certify_loop *loop, const double *delta, struct yk_model **model,
                           struct yk_err *err)
{
    static const enum yk_status none = YK_OK;
    char(*text)[CERTIFY_TEXT] = malloc(loop->count * sizeof *text + 1);
    const char *settings[YK_CERTIFY_PARAMETERS];
    size_t count = 0;
    enum yk_status st = text ? none : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t i = 0; i < loop->count && !st; i++) {
        if (delta[i] == 0)
            continue;
        if (!certify_setting(&loop->key[i], delta[i], text[count], CERTIFY_TEXT))
            st = yk_fail(err, YK_E_RANGE, "uncertain.%s: its value is too long", loop->key[i].key);
        settings[count] = text[count];
        count++;
    }
    if (!st)
        st = yk_model_vary(model, loop->model, settings, count, err);
    free(text);
    return st;
}

/* The loop with `delta`, and ports for the parameters that act through them. */
static enum yk_status realise(struct certify_loop *loop, const double *delta, bool first, struct yk_loop_ported *out,
                              struct yk_err *err)
{
    struct yk_model *model = NULL, *varied[YK_CERTIFY_PARAMETERS] = {0};
    double one[YK_CERTIFY_PARAMETERS];
    enum yk_status st = vary(loop, delta, &model, err);

    for (size_t i = 0; i < loop->count && !st; i++) {
        if (loop->of[i].varied)
            continue;
        memcpy(one, delta, sizeof one);
        one[i] = 1;
        st = vary(loop, one, &varied[i], err);
    }
    if (!st)
        st = yk_model_loop_ports(model, (const struct yk_model *const *)varied, loop->count, !first, out, err);
    for (size_t i = 0; i < loop->count; i++)
        yk_model_close(varied[i]);
    yk_model_close(model);
    return st;
}

/* Keeps a realised loop as an entry. */
static enum yk_status add(struct certify_loop *loop, const double *delta, struct yk_loop_ported *ported,
                          struct yk_err *err)
{
    struct certify_entry *more = realloc(loop->entries, (loop->entry_count + 1) * sizeof *more), *e;
    enum yk_status st;

    if (!more)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    loop->entries = more;
    e = &more[loop->entry_count];
    memcpy(e->delta, delta, sizeof e->delta);
    if ((st = yk_family_make(&e->family, ported->states, ported->ports, err)))
        return st;
    const size_t n = ported->states, m = ported->ports;

    memcpy(e->family.A, ported->A, (n * n + 2 * n * m + m * m) * sizeof *ported->A);
    memcpy(e->family.parameter, ported->parameter, m * sizeof *ported->parameter);
    if ((st = yk_family_compress(&e->family, loop->count, LEAST, err))) {
        yk_family_free(&e->family);
        return st;
    }
    loop->entry_count++;
    return YK_OK;
}

enum yk_status certify_family(void *user, const double *delta, const struct yk_family **family, struct yk_err *err)
{
    struct certify_loop *loop = user;
    double own[YK_CERTIFY_PARAMETERS] = {0};
    struct yk_loop_ported ported;
    enum yk_status st;

    for (size_t i = 0; i < loop->count; i++)
        own[i] = loop->of[i].varied ? delta[i] : 0;
    for (size_t i = 0; i < loop->entry_count; i++)
        if (memcmp(loop->entries[i].delta, own, loop->count * sizeof *own) == 0) {
            *family = &loop->entries[i].family;
            return YK_OK;
        }
    if ((st = realise(loop, own, false, &ported, err)))
        return st;
    if (!ported.told)
        st =
            yk_fail(err, YK_E_UNSUPPORTED, "the answers of the loop do not identify it to 1e-7 for some of the values");
    else
        st = add(loop, own, &ported, err);
    yk_loop_ported_free(&ported);
    if (!st)
        *family = &loop->entries[loop->entry_count - 1].family;
    return st;
}

/* ---- do ports tell the effect? ---- */

/* Does every fast root of one list have a partner in the other? */
static bool has_partners(size_t n, const double *re, const double *im, size_t m, const double *re_m, const double *im_m)
{
    for (size_t i = 0; i < n; i++) {
        double least = INFINITY;

        if (hypot(re[i], im[i]) < SLOW || hypot(re[i] - 1, im[i]) < STATIC)
            continue;
        for (size_t j = 0; j < m; j++)
            least = fmin(least, hypot(re[i] - re_m[j], im[i] - im_m[j]));
        if (!(least < ALIKE))
            return false;
    }
    return true;
}

static enum yk_status compare(struct certify_loop *loop, size_t k, bool *alike, struct yk_err *err)
{
    double delta[YK_CERTIFY_PARAMETERS] = {0}, det, *re, *im, *re_m, *im_m;
    const struct yk_family *f = &loop->entries[0].family;
    struct yk_loop_ported other = {0};
    struct yk_model *model;
    struct yk_family real = {0};
    enum yk_status st;

    *alike = false;
    delta[k] = loop->of[k].up > 0 || loop->of[k].down == 0 ? 0.7 : -0.7;
    if ((st = vary(loop, delta, &model, err)))
        return st;
    st = yk_model_loop_ports(model, NULL, 0, true, &other, err);
    yk_model_close(model);
    if (st || !other.told) {
        yk_loop_ported_free(&other);
        return st;
    }
    re = malloc(2 * (f->states + other.states + 1) * sizeof *re);
    if (!re || yk_family_make(&real, other.states, 0, err)) {
        free(re);
        yk_loop_ported_free(&other);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    im = re + f->states;
    re_m = im + f->states;
    im_m = re_m + other.states;
    memcpy(real.A, other.A, other.states * other.states * sizeof *real.A);
    if (!(st = yk_family_close(f, delta, &det, re, im, err)) &&
        !(st = yk_family_close(&real, delta, &det, re_m, im_m, err)))
        *alike = has_partners(f->states, re, im, real.states, re_m, im_m) &&
                 has_partners(real.states, re_m, im_m, f->states, re, im);
    free(re);
    yk_family_free(&real);
    yk_loop_ported_free(&other);
    return st;
}

static void forget_entries(struct certify_loop *loop)
{
    for (size_t i = 0; i < loop->entry_count; i++)
        yk_family_free(&loop->entries[i].family);
    free(loop->entries);
    loop->entries = NULL;
    loop->entry_count = 0;
}

/* Both ends of the limits must make an experiment. */
static enum yk_status check_ends(struct certify_loop *loop, struct yk_err *err)
{
    for (size_t i = 0; i < loop->count; i++)
        for (int side = -1; side <= 1; side += 2) {
            const struct yk_uncertain *of = &loop->of[i];
            const bool plain = of->down == 0 && of->up == 0;
            double delta[YK_CERTIFY_PARAMETERS] = {0};
            struct yk_model *model;
            enum yk_status st;

            delta[i] = side * (plain ? 1 : side < 0 ? of->down : of->up);
            if ((st = vary(loop, delta, &model, err)))
                return st == YK_E_MEMORY
                           ? st
                           : yk_fail_within(err, loop->key[i].said->where,
                                            "uncertain.%s: the %s end of its limits makes no experiment: ",
                                            loop->key[i].key, side < 0 ? "lower" : "upper");
            yk_model_close(model);
        }
    return YK_OK;
}

enum yk_status certify_open(struct certify_loop *loop, struct yk_err *err)
{
    const double zero[YK_CERTIFY_PARAMETERS] = {0};
    struct yk_loop_ported ported;
    bool again = false;
    enum yk_status st = check_ends(loop, err);

    if (st || (st = realise(loop, zero, true, &ported, err)))
        return st;
    loop->linear = ported.linear;
    loop->decay = ported.decay;
    loop->cycle_s = ported.cycle_s;
    if (!ported.linear || !(ported.decay > 0)) { /* nothing to certify */
        yk_loop_ported_free(&ported);
        return YK_OK;
    }
    if (!ported.told) {
        yk_loop_ported_free(&ported);
        return yk_fail_at(
            err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(loop->parts)),
            "no certificate: the answers of the loop do not identify it to 1e-7 (too many ticks in a step, "
            "or too many hidden states)");
    }
    for (size_t i = 0; i < loop->count; i++)
        loop->of[i].varied = !ported.acts[i];
    st = add(loop, zero, &ported, err);
    yk_loop_ported_free(&ported);
    for (size_t i = 0; i < loop->count && !st; i++) {
        bool alike = true;

        if (!loop->of[i].varied && !(st = compare(loop, i, &alike, err)) && !alike)
            loop->of[i].varied = again = true;
    }
    if (again)
        forget_entries(loop);
    return st;
}

void certify_close(struct certify_loop *loop)
{
    forget_entries(loop);
    yk_model_close(loop->model);
    loop->model = NULL;
}
