/* Any lines, as --set words on top of a good experiment, change it or are refused with a message and no remains. */
#include "fuzz.h"

#include "experiment/experiment.h"

#include <ctype.h>

static const char base[] = "title: base\n"
                           "time: {step: 0.01, end: 1}\n"
                           "method: {integrator: lsrt2}\n"
                           "substructures:\n"
                           "  a: {dofs: [x, y], mass: [1, 2], stiffness: [[4, -1], [-1, 3]], rayleigh: {mass: 0.1},\n"
                           "      initial: {displacement: {x: 1}}}\n"
                           "  s: {kind: assembled, nodes: {n1: {mass: 2}},\n"
                           "      elements: [{kind: bouc-wen, k0: 5, beta: 1, between: [ground, n1.x]}]}\n"
                           "interfaces: [{row: {a.y: 1, s.n1.x: -1}}]\n"
                           "loads: [{on: a.x, kind: sine, amplitude: 1, frequency: 2 Hz}]\n";

enum { MOST = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_text text = fuzz_text(data, size);
    const char *settings[MOST];
    struct yk_model *e = NULL;
    struct yk_err err = {0};
    size_t count = 0;

    for (char *line = text.data, *end; count < MOST && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = 0;
        for (const char *slash = line; (slash = strchr(slash, '/')); slash++)
            if (slash == line || !isalnum((unsigned char)slash[-1]))
                goto end; /* a file at the root */
        settings[count++] = line;
    }
    enum yk_status st = yk_model_parse(&e, "/no/such/folder/fuzz.yaml", base, strlen(base), settings, count, &err);
    fuzz_check(st ? err.wording[0] != 0 && !e : e != NULL && e->overrides);
    yk_model_close(e);
end:
    yk_text_free(&text);
    return 0;
}
