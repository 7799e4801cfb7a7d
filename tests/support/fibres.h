/* Fibre sections for tests: materials by name, and the sections and columns of the reference results. */
#ifndef YOKE_TEST_FIBRES_H
#define YOKE_TEST_FIBRES_H

#include "substructure/member/fibre_element.h"
#include "support/laws.h"
#include "support/member_frame.h"

size_t fibres_material(struct yk_fibre_section *section, const struct law_sample *sample);
/* One rectangle of `rows` by `columns` fibres, centred at (y, z). Not finished. */
struct yk_fibre_section *fibres_rectangle(const struct law_sample *sample, double depth, double width, double y,
                                          double z, size_t rows, size_t columns);

/* The sections of the reference results: reinforced concrete 500 x 400 mm, and an I of steel 300 mm deep. Finished. */
struct yk_fibre_section *fibres_rc(bool plane);
struct yk_fibre_section *fibres_i(bool plane);

/* A cantilever of 3 m with a section of its own, whose share is given away, in equal elements; upright along y in the
 * plane and along z in space, under an axial load applied in ten steps. The tip is the last node; in the plane its x,
 * in space its x and y are held. */
struct member_frame *fibres_column(struct yk_fibre_section *section, struct yk_fibre_element settings, size_t elements,
                                   enum yk_geometry geometry, double compression);
/* Moves degree of freedom `dof` of the tip and commits; returns the force there. */
double fibres_push(struct member_frame *column, size_t dof, double to);

#endif
