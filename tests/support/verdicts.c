#include "support/verdicts.h"

#include "support/check.h"

#include <stdio.h>
#include <string.h>
#include <yoke/yoke.h>

const char *healthy_test(double end_s)
{
    static char text[2000];

    snprintf(
        text, sizeof text,
        "title: Two storeys, the first column is a specimen\n"
        "time: { step: 5 ms, end: %g s, control_rate: 1200 Hz }\n"
        "method: { integrator: chang }\n"
        "substructures:\n"
        "  frame:\n"
        "    dofs: [x1, x2]\n"
        "    mass: [[2000, 0], [0, 2000]]\n"
        "    damping: [[1600, -800], [-800, 800]]\n"
        "    stiffness: [[200e3, -200e3], [-200e3, 200e3]]\n"
        "  column: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[200e3]] } }\n"
        "interfaces: [ { join: [frame.x1, column.x] } ]\n"
        "loads: [ { ground: frame, kind: earthquake, peak: 0.2 g, frequency: 2 Hz, rise: 2 s, strong: 8 s, decay: 6 s, "
        "seed: 5 } ]\n"
        "transfer: { a1: { compensator: { kind: lagrange, order: 3, delay: 12.3 ms }, feedback: { kind: latest } } }\n"
        "rig:\n"
        "  backend: virtual\n"
        "  actuators:\n"
        "    a1:\n"
        "      plant: { kind: servo, frequency: 20 Hz, damping: 0.75 }\n"
        "      capacity: { stroke: 150 mm, speed: 1 m/s, force: 30 kN }\n"
        "  specimen: { dofs: [x], mass: [0], stiffness: [200 kN/m] }\n"
        "reference: monolithic\n",
        end_s);
    return text;
}

json_t *judged_test(const char *text, const char *const *set, size_t count, bool rehearsed)
{
    const struct yk_model_source source = {
        .path = "judged.yaml", .text = text, .size = strlen(text), .overrides = set, .override_count = count};
    struct yk_model *model;
    char *answer = NULL;

    assert_ok(yk_model_read(&model, &source, &err));
    if (rehearsed)
        assert_ok(yk_model_analyze(model, "verdict", NULL, &answer, &err));
    else
        yk_model_run(model, NULL, &answer, NULL); /* some are stopped by a limit */
    json_t *all = json_loads(answer, 0, NULL),
           *verdict = rehearsed ? json_incref(all) : json_incref(json_object_get(all, "verdict"));

    assert_non_null(verdict);
    json_decref(all);
    yk_free(answer);
    yk_model_close(model);
    return verdict;
}

const char *level_of(const json_t *verdict)
{
    return json_string_value(json_object_get(verdict, "level"));
}

const char *first_of(const json_t *verdict)
{
    const json_t *first = json_array_get(json_object_get(verdict, "reasons"), 0);

    return first ? json_string_value(json_object_get(first, "criterion")) : "";
}

bool is_one_of(const char *word, const char *words)
{
    const size_t length = strlen(word);

    for (const char *at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strcspn(at, "|") == length && strncmp(at, word, length) == 0)
            return true;
    return false;
}
