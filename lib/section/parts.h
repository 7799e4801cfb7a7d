/* State of the fibres of a cross-section: forces at a strain plane, from a committed memory. */
#ifndef YOKE_SECTION_PARTS_H
#define YOKE_SECTION_PARTS_H

#include <yoke/cross_section.h>

/* Strain of a fibre: eps - y kz + z ky. */
struct plane {
    double eps, kz, ky;
};
struct forces {
    double N, Mz, My, k[6]; /* k: dN/deps, dN/dkz, dMz/dkz, dN/dky, dMz/dky, dMy/dky */
};
struct fibres {
    const struct yk_cross_section *section;
    double *committed, *trial, *scratch;
    size_t memory;
};

enum yk_status section_fibres_open(struct fibres *fibres, const struct yk_cross_section *section, struct yk_err *err);
void section_fibres_close(struct fibres *fibres);
void section_fibres_rest(struct fibres *fibres);
void section_fibres_at(struct fibres *fibres, const struct plane *plane, struct forces *forces);
void section_fibres_commit(struct fibres *fibres);
/* Largest and smallest strain of the outline. */
void section_outline_strains(const struct yk_cross_section *section, const struct plane *plane, double *least,
                             double *most);

#endif
