/* Ranking of cuts: six masses in a row, against an independent program (docs/theory/certificates.md, case A6). */
#include "support/check.h"

#include <yoke/certify.h>

#include <math.h>
#include <string.h>

enum { N = 6 };

/* ms: nominal, found, certified; above by displacement, by force, below by displacement, by force */
static const double known[N - 1][4][3] = {
    {{16.372, 15.240, 15.117}, {9.895, 8.591, 7.985}, {9.895, 8.334, 7.672}, {16.372, 15.347, 15.301}},
    {{16.556, 14.683, 14.416}, {5.409, 4.966, 4.673}, {5.409, 4.880, 4.356}, {16.556, 14.870, 14.807}},
    {{10.190, 10.188, 9.963}, {4.307, 4.142, 3.913}, {4.307, 4.110, 3.585}, {10.190, 10.188, 10.054}},
    {{16.556, 14.359, 14.262}, {4.307, 4.260, 4.030}, {4.307, 4.251, 3.648}, {16.556, 14.167, 13.981}},
    {{16.372, 14.191, 14.149}, {5.409, 5.406, 5.114}, {5.409, 5.406, 4.597}, {16.372, 14.085, 13.972}},
};

static void cuts_of_a_chain_are_ranked_by_certified_delay(void **state)
{
    double M[N * N] = {0}, C[N * N] = {0}, K[N * N] = {0};
    struct yk_cut_list list;

    for (int i = 0; i < N; i++) {
        M[i + i * N] = 1000;
        K[i + i * N] = i + 1 < N ? 800e3 : 400e3;
        if (i + 1 < N)
            K[i + (i + 1) * N] = K[i + 1 + i * N] = -400e3;
    }
    for (int i = 0; i < N * N; i++)
        C[i] = 0.003 * K[i];
    const struct yk_cuts q = {.n = N, .M = M, .C = C, .K = K, .least = 0.8, .most = 1.2, .low = 0.5, .high = 60};

    assert_ok(yk_cuts_rank(&q, &list, &err));
    for (size_t i = 0; i < list.count; i++) {
        const struct yk_cut *c = &list.cut[i];

        if (c->interface >= N - 1)
            continue;
        const double *want = known[c->interface][(c->above ? 0 : 2) + c->force];

        print_message("%zu %s %s: %.3f %.3f %.3f\n", c->interface + 1, c->above ? "above" : "below",
                      c->force ? "force" : "displacement", 1e3 * c->nominal_s, 1e3 * c->found_s, 1e3 * c->certified_s);
        assert_near(1e3 * c->nominal_s, want[0], 1.1e-3);
        assert_near(1e3 * c->found_s, want[1], 1.1e-3);
        assert_true(c->certified_s >= 0.85 * c->found_s && c->certified_s <= c->found_s);
        for (size_t k = 0; k < i; k++) /* the order is that of the delays that were found */
            if (list.cut[k].interface < N - 1 && fabs(list.cut[k].found_s / c->found_s - 1) > 0.1)
                assert_true(list.cut[k].found_s > c->found_s);
    }
    assert_true(list.count >= 20);
    yk_cuts_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cuts_of_a_chain_are_ranked_by_certified_delay)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
