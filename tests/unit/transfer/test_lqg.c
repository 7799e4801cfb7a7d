/* State feedback with an observer: docs/theory/control.md, eq. (72)-(76). The gains are found here by repeating the two
 * Riccati equations until they stand still, which is slow and needs nothing else. */
#include "support/check.h"
#include "support/method.h"

#include <yoke/transfer.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H        2e-3 /* s: the tick */
#define INTEGRAL 400.0
#define EFFORT   0.05
#define COMMANDS 1e-7
#define READINGS 1e-9

enum { STATES = 3, BOTH = 2, ALL = STATES + BOTH };

/* x+ = F x + G u, y = C x; by rows */
static const double F[STATES][STATES] = {{0.96, 0.02, 0.01}, {-0.03, 0.93, 0}, {0.05, 0, 0.9}};
static const double G[STATES][BOTH] = {{0.04, 0.002}, {0.001, 0.06}, {0.01, -0.01}};
static const double C[BOTH][STATES] = {{1, 0, 0.1}, {0.05, 1, 0}};

/* A (2 x 2) := its inverse */
static void invert(double A[BOTH][BOTH])
{
    const double a = A[0][0], b = A[0][1], c = A[1][0], d = A[1][1], det = a * d - b * c;

    A[0][0] = d / det;
    A[0][1] = -b / det;
    A[1][0] = -c / det;
    A[1][1] = a / det;
}

/* X := Q + R K^T K + (E - B K)^T X (E - B K), which keeps it symmetric and positive */
static void renew(double E[ALL][ALL], double B[ALL][BOTH], double Q[ALL][ALL], double K[BOTH][ALL], double X[ALL][ALL])
{
    double closed[ALL][ALL], XA[ALL][ALL] = {{0}}; /* E - B K; X times it */

    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++)
            closed[i][j] = E[i][j] - B[i][0] * K[0][j] - B[i][1] * K[1][j];
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++)
            for (int k = 0; k < ALL; k++)
                XA[i][j] += X[i][k] * closed[k][j];
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++) {
            X[i][j] = Q[i][j] + EFFORT * (K[0][i] * K[0][j] + K[1][i] * K[1][j]);
            for (int k = 0; k < ALL; k++)
                X[i][j] += closed[k][i] * XA[k][j];
        }
}

/* eq. (74): K and X in turn */
static void find_K(double K[BOTH][ALL])
{
    double E[ALL][ALL] = {{0}}, B[ALL][BOTH] = {{0}}, Q[ALL][ALL] = {{0}}, X[ALL][ALL] = {{0}};

    for (int i = 0; i < STATES; i++) {
        memcpy(E[i], F[i], sizeof F[i]);
        memcpy(B[i], G[i], sizeof G[i]);
        for (int j = 0; j < STATES; j++)
            Q[i][j] = C[0][i] * C[0][j] + C[1][i] * C[1][j];
    }
    for (int k = 0; k < BOTH; k++) {
        for (int j = 0; j < STATES; j++)
            E[STATES + k][j] = -H * C[k][j];
        E[STATES + k][STATES + k] = 1;
        Q[STATES + k][STATES + k] = INTEGRAL;
    }
    for (int round = 0; round < 60000; round++) {
        double XE[ALL][ALL] = {{0}}, BtX[BOTH][ALL] = {{0}}, S[BOTH][BOTH] = {{EFFORT, 0}, {0, EFFORT}};
        double BtXE[BOTH][ALL] = {{0}};

        for (int i = 0; i < ALL; i++)
            for (int j = 0; j < ALL; j++)
                for (int k = 0; k < ALL; k++)
                    XE[i][j] += X[i][k] * E[k][j];
        for (int i = 0; i < BOTH; i++)
            for (int j = 0; j < ALL; j++)
                for (int k = 0; k < ALL; k++) {
                    BtX[i][j] += B[k][i] * X[k][j];
                    BtXE[i][j] += B[k][i] * XE[k][j];
                }
        for (int i = 0; i < BOTH; i++)
            for (int j = 0; j < BOTH; j++)
                for (int k = 0; k < ALL; k++)
                    S[i][j] += BtX[i][k] * B[k][j];
        invert(S);
        for (int i = 0; i < BOTH; i++)
            for (int j = 0; j < ALL; j++)
                K[i][j] = S[i][0] * BtXE[0][j] + S[i][1] * BtXE[1][j];
        renew(E, B, Q, K, X);
    }
}

/* eq. (75): L and P in turn */
static void find_L(double L[STATES][BOTH])
{
    double P[STATES][STATES] = {{0}};

    for (int round = 0; round < 20000; round++) {
        double PC[STATES][BOTH] = {{0}}, S[BOTH][BOTH] = {{READINGS, 0}, {0, READINGS}}, rest[STATES][STATES];

        for (int i = 0; i < STATES; i++)
            for (int k = 0; k < BOTH; k++)
                for (int j = 0; j < STATES; j++)
                    PC[i][k] += P[i][j] * C[k][j];
        for (int i = 0; i < BOTH; i++)
            for (int k = 0; k < BOTH; k++)
                for (int j = 0; j < STATES; j++)
                    S[i][k] += C[i][j] * PC[j][k];
        invert(S);
        for (int i = 0; i < STATES; i++)
            for (int k = 0; k < BOTH; k++)
                L[i][k] = PC[i][0] * S[0][k] + PC[i][1] * S[1][k];
        for (int i = 0; i < STATES; i++)
            for (int j = 0; j < STATES; j++)
                rest[i][j] = P[i][j] - L[i][0] * PC[j][0] - L[i][1] * PC[j][1];
        for (int i = 0; i < STATES; i++)
            for (int j = 0; j < STATES; j++) {
                P[i][j] = COMMANDS * (G[i][0] * G[j][0] + G[i][1] * G[j][1]);
                for (int k = 0; k < STATES; k++)
                    for (int m = 0; m < STATES; m++)
                        P[i][j] += F[i][k] * rest[k][m] * F[j][m];
            }
    }
}

struct lqg {
    const struct yk_controller_ops *ops;
    void *self;
    struct yk_arena mem;
};

static struct lqg make(void)
{
    struct lqg c = {.ops = yk_controller_find("lqg")};
    const struct setting set[] = {{"time", 1},
                                  {"integral", INTEGRAL},
                                  {"effort", EFFORT},
                                  {"command_noise", COMMANDS},
                                  {"reading_noise", READINGS}};

    assert_non_null(c.ops);
    assert_ok(yk_param_settings(c.ops->params, c.ops->size, &c.self, &err));
    set_reals(c.ops->params, c.self, "A", *F, STATES * STATES);
    set_reals(c.ops->params, c.self, "B", *G, STATES * BOTH);
    set_reals(c.ops->params, c.self, "C", *C, BOTH * STATES);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_ok(yk_param_set(c.ops->params, c.self, set[i].name, set[i].value, &err));
    assert_ok(c.ops->joint->init(c.self, BOTH, H, &c.mem, &err));
    return c;
}

static void finish(struct lqg *c)
{
    yk_param_free(c->ops->params, c->self);
    free(c->self);
    yk_arena_free(&c->mem);
}

/* eq. (72), (73) tick by tick, with commands and readings of no sense; every fifth command is clipped. */
static void commands_are_those_of_the_equations(void **state)
{
    const double zero[BOTH] = {0};
    double K[BOTH][ALL], L[STATES][BOTH], ahead[STATES] = {0}, q[BOTH] = {0};
    struct lqg c = make();

    find_K(K);
    find_L(L);
    c.ops->joint->reset(c.self, zero);
    for (int k = 0; k < 400; k++) {
        const double r[BOTH] = {0.01 * sin(0.07 * k), 0.02 * cos(0.031 * k)},
                     y[BOTH] = {0.012 * sin(0.05 * k), 0.015 * sin(0.04 * k + 1)};
        double z[STATES], u[BOTH], sent[BOTH];

        for (int i = 0; i < STATES; i++) {
            z[i] = ahead[i];
            for (int m = 0; m < BOTH; m++)
                z[i] += L[i][m] * (y[m] - C[m][0] * ahead[0] - C[m][1] * ahead[1] - C[m][2] * ahead[2]);
        }
        for (int m = 0; m < BOTH; m++)
            u[m] = -K[m][0] * z[0] - K[m][1] * z[1] - K[m][2] * z[2] - K[m][3] * q[0] - K[m][4] * q[1];
        c.ops->joint->step(c.self, r, y, sent);
        for (int m = 0; m < BOTH; m++) {
            assert_near(sent[m], u[m], 1e-9 * (1 + fabs(u[m])));
            q[m] += H * (r[m] - C[m][0] * z[0] - C[m][1] * z[1] - C[m][2] * z[2]);
            if (k % 5 == 4)
                u[m] *= 0.7;
        }
        if (k % 5 == 4)
            c.ops->joint->clipped(c.self, u);
        for (int i = 0; i < STATES; i++)
            ahead[i] = F[i][0] * z[0] + F[i][1] * z[1] + F[i][2] * z[2] + G[i][0] * u[0] + G[i][1] * u[1];
    }
    finish(&c);
}

/* eq. (76): the plant at rest in x0 stays there under a command of x0. */
static void it_stands_still_where_it_was_reset(void **state)
{
    const double x0[BOTH] = {0.03, -0.01};
    double x[STATES] = {0}, u[BOTH] = {0};
    struct lqg c = make();

    c.ops->joint->reset(c.self, x0);
    for (int k = 0; k < 500; k++) {
        c.ops->joint->step(c.self, x0, x0, u);
        for (int i = 0; i < STATES && k == 0; i++) /* the state that this command holds, by repetition */
            x[i] = 0;
        for (int n = 0; n < 2000 && k == 0; n++) {
            const double old[STATES] = {x[0], x[1], x[2]};

            for (int i = 0; i < STATES; i++)
                x[i] = F[i][0] * old[0] + F[i][1] * old[1] + F[i][2] * old[2] + G[i][0] * u[0] + G[i][1] * u[1];
        }
        for (int m = 0; m < BOTH; m++)
            assert_near(C[m][0] * x[0] + C[m][1] * x[1] + C[m][2] * x[2], x0[m], 1e-10);
    }
    finish(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_those_of_the_equations),
        cmocka_unit_test(it_stands_still_where_it_was_reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
