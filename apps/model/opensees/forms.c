/* Forms of the commands that are read: how many words stand before the first option, and the options. Whatever a form
 * does not have is refused with its line, so that no word of a script is dropped in silence. */
#include "frame.h"

#include <stdio.h>
#include <string.h>

/* Options: "name:count", * for any number of words up to the next option; kind NULL: whatever the command makes. */
static const struct form {
    const char *name, *kind;
    size_t most; /* words before the first option, the name included; 0: any number */
    const char *options;
} forms[] = {
    {"model", NULL, 2, "-ndm:1 -ndf:1"},
    {"node", NULL, 5, "-mass:*"},
    {"fix", NULL, 8, ""},
    {"mass", NULL, 8, ""},
    {"geomTransf", NULL, 6, "-jntOffset:*"},
    {"element", "elasticBeamColumn", 0, "-mass:1 -cMass:0 -lMass:0"},
    {"element", "dispBeamColumn", 0, "-mass:1 -cMass:0 -lMass:0 -integration:1"},
    {"element", "forceBeamColumn", 0, "-mass:1 -cMass:0 -lMass:0 -iter:2 -integration:1"},
    {"element", "nonlinearBeamColumn", 0, "-mass:1 -cMass:0 -lMass:0 -iter:2 -integration:1"},
    {"element", "truss", 7, "-rho:1 -doRayleigh:1"},
    {"element", "Truss", 7, "-rho:1 -doRayleigh:1"},
    {"element", "corotTruss", 7, "-rho:1 -doRayleigh:1"},
    {"element", "zeroLength", 5, "-mat:* -dir:* -orient:* -doRayleigh:1"},
    {"section", "Fiber", 3, "-GJ:1 -noCentroid:0"},
    {"section", "FiberSection", 3, "-GJ:1 -noCentroid:0"},
    {"section", "Elastic", 9, ""},
    {"patch", "rect", 9, ""},
    {"patch", "quad", 13, ""},
    {"patch", "quadr", 13, ""},
    {"patch", "circ", 11, ""},
    {"layer", "straight", 9, ""},
    {"layer", "circ", 10, ""},
    {"fiber", NULL, 5, ""},
    {"beamIntegration", NULL, 5, ""},
    {"uniaxialMaterial", "Elastic", 5, ""},
    {"uniaxialMaterial", "ElasticPP", 7, ""},
    {"uniaxialMaterial", "Steel01", 10, ""},
    {"uniaxialMaterial", "Steel02", 14, ""},
    {"uniaxialMaterial", "Concrete01", 7, ""},
    {"uniaxialMaterial", "Concrete02", 10, ""},
    {"uniaxialMaterial", "Hysteretic", 20, ""},
    {"rigidLink", NULL, 4, ""},
    {"rayleigh", NULL, 5, ""},
};

static const struct form *form_of(const struct opensees_command *c)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (opensees_is(c, forms[i].name, forms[i].kind))
            return &forms[i];
    return NULL;
}

static bool is_option(struct yk_piece word)
{
    return word.end - word.begin > 1 && *word.begin == '-' && (word.begin[1] | 32) >= 'a' &&
           (word.begin[1] | 32) <= 'z';
}

/* How many words follow an option; -1: the form does not have it; -2: any number. */
static int words_after(const struct form *form, struct yk_piece word)
{
    const char *at = form->options;
    const size_t length = (size_t)(word.end - word.begin);

    while (*at) {
        const size_t name = strcspn(at, ":");

        if (name == length && strncmp(at, word.begin, length) == 0)
            return at[name + 1] == '*' ? -2 : at[name + 1] - '0';
        at += name + 2;
        at += strspn(at, " ");
    }
    return -1;
}

/* "-builder", which some write instead of the word BasicBuilder, and the builder itself mean nothing here. */
static size_t first_word(const struct opensees_command *c)
{
    return opensees_is(c, "model", NULL) && c->count > 1 && !yk_piece_is(c->word[1], "-ndm") ? 2 : 1;
}

void opensees_check_forms(struct opensees_frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];
        const struct form *form = form_of(c);
        size_t k = first_word(c);

        for (; form && k < c->count && !is_option(c->word[k]); k++)
            if (form->most && k >= form->most)
                opensees_word_refuse(f, c, "there are more words than are known here, from ", c->word[k]);
        while (form && k < c->count && !f->st) {
            const int after = words_after(form, c->word[k]);
            size_t end = k + 1;

            if (after == -1) {
                opensees_word_refuse(f, c, "this option is not known here: ", c->word[k]);
                return;
            }
            while (end < c->count && !is_option(c->word[end]) && (after == -2 || end < k + 1 + (size_t)after))
                end++;
            if (end < c->count && !is_option(c->word[end]))
                opensees_word_refuse(f, c, "there are more words than are known here, from ", c->word[end]);
            if (after >= 0 && end - k - 1 != (size_t)after)
                opensees_word_refuse(f, c, "words are missing after ", c->word[k]);
            k = end;
        }
    }
}

/* Trusses and springs of no length take no part in Rayleigh damping in OpenSees, unless they say so. */
void opensees_note_damping(struct opensees_frame *f)
{
    double stiffness = 0;
    size_t without = 0;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];
        const size_t says = opensees_option(c, "-doRayleigh");

        if (opensees_is(c, "rayleigh", NULL))
            stiffness = opensees_word_number(f, c, 3) + opensees_word_number(f, c, 4);
        without += (opensees_is_truss(c) || opensees_is(c, "element", "zeroLength")) &&
                   (!says || opensees_word_number(f, c, says + 1) == 0);
    }
    if (stiffness != 0 && without)
        fprintf(
            f->out,
            "# rayleigh: here the part of the stiffness also damps %zu trusses and zeroLength elements, in OpenSees "
            "only with -doRayleigh 1\n",
            without);
}
