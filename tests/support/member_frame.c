#include "support/member_frame.h"

#include "linalg/step_cut.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

enum { END = 6, SIZE = YK_MEMBER_DOFS };

struct member_frame *frame_create(size_t nodes, bool plane)
{
    struct member_frame *frame = calloc(1, sizeof *frame);

    assert_non_null(frame);
    assert_true(nodes * END <= FRAME_DOFS);
    frame->nodes = nodes;
    for (size_t i = 0; plane && i < nodes; i++)
        frame_hold(frame, i, 1u << 2 | 1u << 3 | 1u << 4);
    return frame;
}

void frame_destroy(struct member_frame *frame)
{
    for (size_t i = 0; i < frame->members; i++) {
        yk_member_fini(&frame->member[i]);
        free(frame->memory[i][0]);
        free(frame->memory[i][1]);
    }
    free(frame);
}

void frame_add(struct member_frame *frame, struct yk_member member, size_t from, size_t to)
{
    const size_t i = frame->members++;

    assert_true(i < FRAME_MEMBERS);
    frame->member[i] = member;
    for (size_t d = 0; d < SIZE; d++)
        frame->dof[i][d] = (d < END ? from : to) * END + d % END;
    for (int j = 0; j < 2; j++) {
        frame->memory[i][j] = calloc(yk_member_memory(&member) + 1, sizeof(double));
        assert_non_null(frame->memory[i][j]);
    }
    yk_member_rest(&member, frame->memory[i][0]);
}

void frame_add_spring(struct member_frame *frame, const struct yk_law_ops *law, const void *settings, size_t from,
                      size_t to)
{
    struct frame_spring *s = &frame->spring[frame->springs++];

    *s = (struct frame_spring){.law = law, .settings = settings, .dof = {from, to}};
    if (law->rest)
        law->rest(settings, 0, s->memory[0]);
}

void frame_hold(struct member_frame *frame, size_t node, unsigned dofs)
{
    for (size_t d = 0; d < END; d++)
        if (dofs >> d & 1)
            frame->held[node * END + d] = true;
}

/* ---- forces and tangent ---------------------------------------------------------------------------------------- */

/* f and K (dense, of all degrees of freedom) at u */
static void evaluate(struct member_frame *frame, double *K)
{
    const size_t n = frame->nodes * END;

    memset(frame->f, 0, sizeof frame->f);
    memset(K, 0, n * n * sizeof *K);
    frame->bounded = false;
    for (size_t i = 0; i < frame->members; i++) {
        double u[SIZE], f[SIZE], k[SIZE * SIZE];
        double *scratch = calloc(yk_member_scratch(&frame->member[i]) + 1, sizeof *scratch);
        const size_t *at = frame->dof[i];

        for (size_t j = 0; j < SIZE; j++)
            u[j] = frame->u[at[j]];
        if (!yk_member_state(&frame->member[i], frame->memory[i][0], u, 0, frame->memory[i][1], f, k, scratch))
            frame->bounded = true;
        for (size_t j = 0; j < SIZE; j++) {
            frame->f[at[j]] += f[j];
            for (size_t l = 0; l < SIZE; l++)
                K[at[l] + at[j] * n] += k[l + j * SIZE];
        }
        free(scratch);
    }
    for (size_t i = 0; i < frame->springs; i++) {
        struct frame_spring *s = &frame->spring[i];
        const double d = frame->u[s->dof[1]] - frame->u[s->dof[0]];
        const double force = s->law->force(s->settings, s->memory[0], d, 0, 0, s->memory[1]);
        double k, c;

        s->law->tangent(s->settings, s->memory[0], d, 0, 0, &k, &c);
        frame->f[s->dof[0]] -= force;
        frame->f[s->dof[1]] += force;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                K[s->dof[a] + s->dof[b] * n] += a == b ? k : -k;
    }
}

/* ---- equilibrium ----------------------------------------------------------------------------------------------- */

enum { FULL_STEPS = 8, MOST_STEPS = 60 };

/* Residual forces r at the free degrees of freedom; returns the largest. */
static double unbalanced(const struct member_frame *frame, double *r)
{
    double largest = 0;

    for (size_t i = 0; i < frame->nodes * END; i++) {
        r[i] = frame->held[i] ? 0 : frame->load[i] - frame->f[i];
        largest = fmax(largest, fabs(r[i]));
    }
    return largest;
}

/* How the free ones move, if the held ones do as `step` says. */
static bool newton(const struct member_frame *frame, const double *K, const double *r, double *step)
{
    const size_t n = frame->nodes * END;
    size_t count = 0, place[FRAME_DOFS];
    struct yk_matrix A;
    struct yk_factor *factor = NULL;
    double *x;
    bool solved;

    for (size_t i = 0; i < n; i++)
        if (!frame->held[i])
            place[count++] = i;
    assert_ok(yk_matrix_init(&A, YK_DENSE, count, count, &err));
    x = calloc(count + 1, sizeof *x);
    for (size_t i = 0; i < count; i++) {
        x[i] = r[place[i]];
        for (size_t j = 0; j < n; j++)
            x[i] -= frame->held[j] ? K[place[i] + j * n] * step[j] : 0;
        for (size_t j = 0; j < count; j++)
            A.x[i + j * count] = K[place[i] + place[j] * n];
    }
    solved = count == 0 || yk_factor_create(&factor, &A, NULL, NULL) == YK_OK;
    if (factor)
        yk_factor_solve(factor, x);
    for (size_t i = 0; i < count && solved; i++)
        step[place[i]] = x[i];
    yk_factor_destroy(factor);
    yk_matrix_fini(&A);
    free(x);
    return solved;
}

static void move(struct member_frame *frame, const double *step)
{
    for (size_t i = 0; i < frame->nodes * END; i++)
        frame->u[i] += step[i];
}

/* Full steps first; then those that go too far are cut, and those to more energy are turned round. */
static bool iterate(struct member_frame *frame, double *K, double tolerance)
{
    const size_t n = frame->nodes * END;
    double r[FRAME_DOFS], step[FRAME_DOFS] = {0};
    struct yk_step_cut cut = {0};

    for (size_t i = 0; i < MOST_STEPS; i++) {
        frame->most_iterations = i > frame->most_iterations ? i : frame->most_iterations;
        evaluate(frame, K);
        if (unbalanced(frame, r) <= tolerance)
            return true;
        if (i > FULL_STEPS && yk_step_again(&cut, n, r, step, frame->u))
            continue;
        memset(step, 0, sizeof step);
        if (!newton(frame, K, r, step))
            return false;
        if (i >= FULL_STEPS)
            yk_step_begin(&cut, n, r, step);
        move(frame, step);
    }
    return false;
}

bool frame_solve(struct member_frame *frame, double tolerance)
{
    const size_t n = frame->nodes * END;
    double *K = calloc(n * n, sizeof *K), r[FRAME_DOFS], step[FRAME_DOFS];
    bool done;

    /* the first step follows the tangent of the committed state */
    for (size_t i = 0; i < n; i++) {
        step[i] = frame->held[i] ? frame->u[i] - frame->last[i] : 0;
        frame->u[i] = frame->last[i];
    }
    evaluate(frame, K);
    unbalanced(frame, r);
    if ((done = newton(frame, K, r, step))) {
        move(frame, step);
        done = iterate(frame, K, tolerance);
    }
    free(K);
    return done;
}

void frame_commit(struct member_frame *frame)
{
    memcpy(frame->last, frame->u, sizeof frame->last);
    for (size_t i = 0; i < frame->members; i++) {
        double *committed = frame->memory[i][0];

        frame->memory[i][0] = frame->memory[i][1];
        frame->memory[i][1] = committed;
    }
    for (size_t i = 0; i < frame->springs; i++)
        memcpy(frame->spring[i].memory[0], frame->spring[i].memory[1], sizeof frame->spring[i].memory[0]);
}

void frame_step(struct member_frame *frame, double tolerance)
{
    if (!frame_solve(frame, tolerance))
        fail_msg("no equilibrium");
    frame_commit(frame);
}
