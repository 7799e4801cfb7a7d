/* Looks at the members of a structure, for recordings: end forces, hinges, sections, fibres. They change nothing that a
 * method or an account reads.
 *
 * Names follow that of the member. In the plane N, M1, M2; hinge1.rotation, hinge1.moment; p2.strain, p2.curvature,
 * p2.N, p2.M for the section at the second point. In space N, Mz1, Mz2, My1, My2, T; hinge1z.rotation; p2.curvature_z,
 * p2.Mz and so on. p2.fibre17.strain, p2.fibre17.stress: fibres in the order in which they were given. */
#ifndef YOKE_LOOK_H
#define YOKE_LOOK_H

#include <yoke/substructure.h>

enum yk_look_kind {
    YK_LOOK_END_FORCE,
    YK_LOOK_ROTATION,
    YK_LOOK_MOMENT,
    YK_LOOK_STRAIN,
    YK_LOOK_SECTION_FORCE,
    YK_LOOK_FIBRE_STRAIN,
    YK_LOOK_FIBRE_STRESS
};

struct yk_look {
    enum yk_look_kind kind;
    size_t member;
    size_t component;     /* of the end forces, or of the section: (eps, kz, ky) and (N, Mz, My); axis of a hinge */
    size_t point;         /* of sections; end of a hinge */
    size_t fibre, number; /* computed, and the number it was given with */
};

/* All looks at a structure, in the order of its members; NULL: how many. Those at fibres are many: only on request.
 */
size_t yk_looks_of(const struct yk_system *structure, bool fibres, struct yk_look *looks);

/* How many there are, and how often they were evaluated since the structure was made. */
struct yk_tally {
    size_t members, hinges, sections, fibres; /* sections: points of all members; fibres: of all sections */
    size_t evaluations;
};
struct yk_tally yk_tally_members(const struct yk_system *structure);

/* Name, words and unit, after those of the member. */
struct yk_look_words {
    char name[120], words[120];
    const char *unit;
};
void yk_look_describe(const struct yk_system *structure, const struct yk_look *look, struct yk_look_words *out);
const char *yk_look_member(const struct yk_system *structure, const struct yk_look *look);

/* Its value in displacement u, reached from the committed state. */
double yk_look_now(const struct yk_system *structure, const struct yk_look *look, const double *u) YK_RT;
/* Marks the degrees of freedom whose u that needs: needed[i] |= mark. */
void yk_look_touch(const struct yk_system *structure, const struct yk_look *look, unsigned char mark,
                   unsigned char *needed);

#endif
