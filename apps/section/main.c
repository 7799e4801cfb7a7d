/* yoke section: cross-sections by themselves. */
#include "section.h"

#include <yoke/number.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORCES = 64 };

/* "-2MN,-800kN,0" */
static int read_axial(const char *text, double *N, size_t *count)
{
    char word[64];
    struct yk_err err = {0};

    for (*count = 0; text && *text; ++*count) {
        const char *end = yk_value_end(text);

        if (*count == FORCES || (size_t)(end - text) >= sizeof word)
            return yk_misuse(&command_section, "--axial '%s' should be a list of at most %d forces", text, FORCES);
        snprintf(word, sizeof word, "%.*s", (int)(end - text), text);
        if (yk_quantity_parse(word, YK_PLAIN_FORCE, &N[*count], &err)) {
            yk_fail_within(&err, YK_NOWHERE, "--axial: ");
            return yk_command_fail(&err);
        }
        text = *end ? end + 1 : end;
    }
    return 0;
}

static int act(const struct section_options *o, const struct yk_cross_section *s)
{
    double N[FORCES];
    size_t count;
    int code = read_axial(o->axial, N, &count);

    if (code)
        return code;
    if (o->sketch && (code = section_sketch(o->sketch, s)))
        return code;
    if (o->expand)
        return section_expand(s);
    if (o->interaction || o->surface)
        return section_interact(o, s, count, N);
    if (o->curvature != 0)
        return count > 1 ? yk_misuse(&command_section, "one axial force at a time with --curvature")
                         : section_bend(o, s, count ? N[0] : 0);
    if (count)
        return yk_misuse(&command_section, "--axial goes with --curvature K or --interaction");
    return o->sketch ? 0 : section_describe(o, s);
}

static int run(int argc, char **argv)
{
    const struct yk_cross_bending usual = yk_cross_bending_defaults();
    struct section_options o = {.step = usual.step, .drop = usual.drop, .nominal = usual.nominal, .ec = NAN, .es = NAN};
    struct yk_cross_section section;
    struct yk_words words;
    struct yk_err err = {0};
    int code;

    if (!yk_take_options(&command_section, argc, argv, &o, &words))
        return 2;
    if (o.json)
        yk_command_fail_in_json();
    if (words.count != 2)
        return yk_misuse(&command_section, words.count == 1 ? "which section of %s?" : "which file and section?",
                         words.count == 1 ? words.rest[0] : "");
    if (o.interaction && o.curvature != 0)
        return yk_misuse(&command_section, "--curvature and --interaction exclude each other");
    if (yk_cross_read(&section, words.rest[0], words.rest[1], o.set.text, o.set.count, &err))
        return yk_command_fail(&err);
    code = act(&o, &section);
    yk_cross_free(&section);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_section, run, argc, argv);
}
