/* Strain planes and the forces of fibres; the outline. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum yk_status section_fibres_open(struct fibres *f, const struct yk_cross_section *section, struct yk_err *err)
{
    f->section = section;
    f->memory = yk_fibre_section_memory(section->fibres, 1);
    f->committed = calloc(f->memory + 1, sizeof(double));
    f->trial = calloc(f->memory + 1, sizeof(double));
    f->scratch = calloc(yk_fibre_section_scratch(section->fibres, 1) + 1, sizeof(double));
    if (!f->committed || !f->trial || !f->scratch) {
        section_fibres_close(f);
        return yk_fail(err, YK_E_MEMORY, "out of memory for fibres");
    }
    section_fibres_rest(f);
    return YK_OK;
}

void section_fibres_close(struct fibres *f)
{
    free(f->committed);
    free(f->trial);
    free(f->scratch);
    f->committed = f->trial = f->scratch = NULL;
}

void section_fibres_rest(struct fibres *f)
{
    yk_fibre_section_rest(f->section->fibres, 1, f->committed);
}

void section_fibres_at(struct fibres *f, const struct plane *p, struct forces *out)
{
    double e[3][YK_POINTS] = {{0}}, s[3][YK_POINTS] = {{0}}, ks[6][YK_POINTS] = {{0}};

    e[0][0] = p->eps;
    e[1][0] = p->kz;
    e[2][0] = p->ky;
    yk_fibre_section_state(f->section->fibres, 1, f->committed, e, 0, f->trial, s, ks, f->scratch);
    *out = (struct forces){.N = s[0][0], .Mz = s[1][0], .My = s[2][0]};
    for (int i = 0; i < 6; i++)
        out->k[i] = ks[i][0];
}

void section_fibres_commit(struct fibres *f)
{
    memcpy(f->committed, f->trial, f->memory * sizeof(double));
}

static void look(const struct plane *p, double y, double z, double *least, double *most)
{
    const double strain = p->eps - y * p->kz + z * p->ky;

    *least = fmin(*least, strain);
    *most = fmax(*most, strain);
}

void section_outline_strains(const struct yk_cross_section *s, const struct plane *p, double *least, double *most)
{
    const double slope = hypot(p->kz, p->ky);

    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < s->patches; i++) {
        const struct yk_cross_patch *q = &s->patch[i];

        for (int k = 0; k < 4 && q->kind == YK_CROSS_POLYGON; k++)
            look(p, q->corners[k][0], q->corners[k][1], least, most);
        if (q->kind == YK_CROSS_RING && fabs(q->angles[1] - q->angles[0]) > 6.28) {
            const double c = p->eps - q->centre[0] * p->kz + q->centre[1] * p->ky;

            *least = fmin(*least, c - slope * q->radii[1]);
            *most = fmax(*most, c + slope * q->radii[1]);
        } else if (q->kind == YK_CROSS_RING) {
            for (int k = 0; k <= 360; k++) {
                const double a = q->angles[0] + (q->angles[1] - q->angles[0]) * k / 360;

                look(p, q->centre[0] + q->radii[1] * cos(a), q->centre[1] + q->radii[1] * sin(a), least, most);
            }
        }
    }
}
