#include "support/lattice.h"

#include "support/check.h"

#include <stdint.h>
#include <stdlib.h>

void *settings_of(const struct yk_law_ops *law, const char *const *names, const double *values, size_t count)
{
    void *settings = calloc(1, law->settings_size);

    assert_non_null(settings);
    yk_param_defaults(law->params, settings);
    for (size_t i = 0; i < count; i++)
        assert_ok(yk_param_set(law->params, settings, names[i], values[i], &err));
    if (law->prepare)
        assert_ok(law->prepare(settings, &err));
    return settings;
}

static struct yk_element spring(long from, long to, bool hysteretic)
{
    const struct yk_law_ops *law = yk_law_find(hysteretic ? "bouc-wen" : "spring");
    struct yk_element e = {.law = law, .from = from, .to = to};

    if (hysteretic)
        e.settings = settings_of(law, (const char *[]){"kh", "k0", "beta", "gamma"},
                                 (double[]){1e6, 1e8, 600 + (double)(to % 7), 400}, 4);
    else
        e.settings = settings_of(law, (const char *[]){"stiffness"}, (double[]){1e8}, 1);
    return e;
}

void masses_alone(struct yk_structure_parts *parts, size_t n, double mass)
{
    assert_ok(yk_matrix_init(&parts->M, YK_DIAGONAL, n, n, &err));
    assert_ok(yk_matrix_init(&parts->C, YK_DIAGONAL, n, n, &err));
    assert_ok(yk_matrix_init(&parts->K, YK_DIAGONAL, n, n, &err));
    for (size_t i = 0; i < n; i++)
        parts->M.x[i] = mass;
}

struct yk_system *lattice_create(const struct lattice *l)
{
    const size_t n = l->width * l->height;
    struct yk_structure_parts parts = {0};
    struct yk_system *system;
    size_t count = 0;

    masses_alone(&parts, n, 1000);
    parts.elements = calloc(3 * n + 1, sizeof *parts.elements);
    assert_non_null(parts.elements);
    for (size_t i = 0; i < n; i++)
        parts.C.x[i] = 2000;
    for (size_t i = 0; i < n; i++) {
        const long left = i % l->width ? (long)i - 1 : -1;

        parts.elements[count] = spring(left, (long)i, count < l->hysteretic);
        count++;
        if (i >= l->width) {
            parts.elements[count] = spring((long)(i - l->width), (long)i, count < l->hysteretic);
            count++;
        }
    }
    if (l->lever) {
        struct yk_element e = {.law = yk_law_find("damper"), .from = -1, .to = 0, .lever_count = 1};

        e.settings = settings_of(e.law, (const char *[]){"damping"}, (double[]){1e5}, 1);
        e.levers[0] = (struct yk_lever){.dof = n - 1, .arm = 0.5, .exact = true};
        parts.elements[count++] = e;
    }
    parts.element_count = count;
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    return system;
}
