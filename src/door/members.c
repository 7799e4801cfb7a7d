/* Check of frames with nonlinear members: how many fibres and hinges, and their sections. */
#include "base/json.h"
#include "door/answers.h"

#include <math.h>

void yk_members_tally(const struct yk_state *m, struct yk_tally *all)
{
    *all = (struct yk_tally){0};
    for (size_t k = 0; k < m->model->substructure_count; k++) {
        const struct yk_tally one = yk_tally_members(m->substructures[k].system);

        all->members += one.members;
        all->hinges += one.hinges;
        all->sections += one.sections;
        all->fibres += one.fibres;
        all->evaluations = one.evaluations > all->evaluations ? one.evaluations : all->evaluations;
    }
}

json_t *yk_members_json(const struct yk_findings *f)
{
    const struct yk_tally *t = &f->tally;

    return json_pack("{s:I, s:I, s:I, s:I, s:f}", "nonlinear", (json_int_t)t->members, "hinges", (json_int_t)t->hinges,
                     "sections", (json_int_t)t->sections, "fibres", (json_int_t)t->fibres, "evaluations_per_step",
                     f->evaluations);
}

void yk_members_print(const struct yk_model *model, const struct yk_findings *f, FILE *out)
{
    const struct yk_tally *t = &f->tally;

    if (!t->members)
        return;
    fprintf(out, "  members       %zu nonlinear", t->members);
    if (t->fibres)
        fprintf(out, ", %zu fibres in %zu sections", t->fibres, t->sections);
    if (t->hinges)
        fprintf(out, ", %zu hinge%s", t->hinges, t->hinges == 1 ? "" : "s");
    fprintf(out, "; %.3g state determination%s per step\n", f->evaluations,
            fabs(f->evaluations - 1) < 0.005 ? "" : "s");
    for (size_t k = 0; k < model->substructure_count; k++)
        for (size_t i = 0; i < model->parts[k].sections.count; i++) {
            const struct yk_fibre_summary *s = yk_fibre_section_summary(model->parts[k].sections.items[i].fibres);

            fprintf(out, "                section %s.%s: its cells make EIz %.2g %% too small",
                    model->substructures[k].name, model->parts[k].sections.items[i].name, 100 * s->short_z);
            if (!s->plane)
                fprintf(out, ", EIy %.2g %%", 100 * s->short_y);
            fputc('\n', out);
        }
}

/* Is the elastic centroid off the axis of the member by more than a thousandth of the depth? */
static bool is_eccentric(const struct yk_fibre_summary *s)
{
    return fabs(s->y) > 1e-3 * s->depth || fabs(s->z) > 1e-3 * s->width;
}

json_t *yk_sections_json(const struct yk_named_sections *sections)
{
    json_t *list = json_array();

    for (size_t i = 0; i < sections->count; i++) {
        const struct yk_fibre_summary *s = yk_fibre_section_summary(sections->items[i].fibres);

        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:o, s:f, s:f, s:b}", "name",
                                              sections->items[i].name, "fibres", (json_int_t)s->fibres, "materials",
                                              (json_int_t)s->materials, "area_m2", s->area, "EA_N", s->EA, "EIz_Nm2",
                                              s->EIz, "missing_EIz", s->short_z, "EIy_Nm2",
                                              s->plane ? json_null() : yk_json_number(s->EIy), "missing_EIy",
                                              s->plane ? json_null() : yk_json_number(s->short_y), "centroid_y_m", s->y,
                                              "centroid_z_m", s->z, "eccentric", is_eccentric(s)));
    }
    return list;
}

/* A length as text; 0 if it is rounding against the size of the section. */
static struct yk_quantity_text length_of(double x, double size)
{
    return yk_quantity_format(fabs(x) > 1e-9 * size ? x : 0, YK_LENGTH, 4);
}

void yk_sections_print(const struct yk_named_sections *sections, const char *indent, FILE *out)
{
    for (size_t i = 0; i < sections->count; i++) {
        const struct yk_fibre_summary *s = yk_fibre_section_summary(sections->items[i].fibres);

        fprintf(out, "%ssection %s: %zu fibres of %zu material%s, EA %s, EIz %.4g N m2", indent,
                sections->items[i].name, s->fibres, s->materials, s->materials == 1 ? "" : "s",
                yk_quantity_format(s->EA, YK_PLAIN_FORCE, 4).text, s->EIz);
        if (!s->plane)
            fprintf(out, ", EIy %.4g N m2", s->EIy);
        fprintf(out, "\n%s        elastic centroid at y = %s", indent, length_of(s->y, s->depth).text);
        if (!s->plane)
            fprintf(out, ", z = %s", length_of(s->z, s->width).text);
        fprintf(out, "%s\n",
                is_eccentric(s) ? "; WARNING: off the axis of the member, so that an axial force bends it" : "");
    }
}
