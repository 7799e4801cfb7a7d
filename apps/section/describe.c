/* Properties of a section and its materials; shapes as patches and layers for a file. */
#include "section.h"

#include <jansson.h>
#include <math.h>

static json_t *confined_json(const struct yk_confined *c)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "ke", c->ke, "rho_s", c->rho_s, "fly",
                     c->fly, "flz", c->flz, "fcc", c->fcc, "ecc", c->ecc, "ecu", c->ecu, "fu", c->fu, "Ec", c->Ec, "E0",
                     c->E0);
}

static int print_json(const struct yk_cross_section *s)
{
    const struct yk_fibre_summary *sum = yk_fibre_section_summary(s->fibres);
    json_t *materials = json_array(), *out;

    for (size_t i = 0; i < s->materials; i++) {
        const struct yk_cross_material *m = &s->material[i];

        json_array_append_new(materials, json_pack("{s:s, s:s, s:o}", "name", m->name, "law", m->law, "confined",
                                                   m->is_confined ? confined_json(&m->confined) : json_null()));
    }
    out = json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "name", s->name, "fibres",
                    (json_int_t)sum->given, "bars", (json_int_t)s->bars, "area", sum->area, "EA", sum->EA, "EIz",
                    sum->EIz, "EIy", sum->EIy, "centroid_y", sum->y, "centroid_z", sum->z, "depth",
                    s->high[0] - s->low[0], "width", s->high[1] - s->low[1], "materials", materials);
    if (*s->shape.shape)
        json_object_update_new(out, json_pack("{s:s, s:f, s:f, s:f, s:f, s:o, s:f}", "shape", s->shape.shape, "A",
                                              s->shape.A, "Iz", s->shape.Iz, "Iy", s->shape.Iy, "Wz", s->shape.Wz, "J",
                                              yk_json_number(s->shape.J), "back", s->shape.back));
    return yk_print_json(out);
}

static void print_confined(const struct yk_confined *c)
{
    printf("    confined: ke %.9g, lateral pressure %.7g and %.7g MPa, volume of hoops %.4g %%\n", c->ke, 1e-6 * c->fly,
           1e-6 * c->flz, 100 * c->rho_s);
    printf("    fcc %.10g MPa at %.10g; %.10g MPa at the ultimate strain %.10g\n", 1e-6 * c->fcc, c->ecc, 1e-6 * c->fu,
           c->ecu);
    printf("    initial modulus: 2 fcc/ecc = %.4g GPa of the law, %.4g GPa of the curve\n", 1e-9 * c->E0, 1e-9 * c->Ec);
}

int section_describe(const struct section_options *o, const struct yk_cross_section *s)
{
    const struct yk_fibre_summary *sum = yk_fibre_section_summary(s->fibres);

    if (o->json)
        return print_json(s);
    printf("section %s: %zu fibres, %zu bars, depth %.6g m, width %.6g m\n", s->name, sum->given, s->bars,
           s->high[0] - s->low[0], s->high[1] - s->low[1]);
    if (*s->shape.shape) {
        printf("  shape %s\n  A  %.10g m2\n  Iz %.10g m4\n  Iy %.10g m4\n  Wz %.10g m3, plastic modulus about z\n",
               s->shape.shape, s->shape.A, s->shape.Iz, s->shape.Iy, s->shape.Wz);
        printf("  J  %.10g m4\n", s->shape.J);
        if (s->shape.back > 0)
            printf("  centroid %.10g mm from the back (or the lower edge), where the axes begin\n",
                   1e3 * s->shape.back);
    }
    printf("  of the fibres: area %.8g m2, EA %.8g N, EIz %.8g N m2, EIy %.8g N m2\n", sum->area, sum->EA, sum->EIz,
           sum->EIy);
    printf("  elastic centroid at y = %.6g m, z = %.6g m\n", fabs(sum->y) > 1e-12 ? sum->y : 0,
           fabs(sum->z) > 1e-12 ? sum->z : 0);
    for (size_t i = 0; i < s->materials; i++) {
        printf("  material %s: %s\n", s->material[i].name, s->material[i].law);
        if (s->material[i].is_confined)
            print_confined(&s->material[i].confined);
    }
    return 0;
}

int section_expand(const struct yk_cross_section *s)
{
    for (size_t i = 0; i < s->materials; i++) {
        const struct yk_cross_material *m = &s->material[i];

        if (m->is_confined)
            printf("# material %s\n%s: { kind: %s, fc: %.10g MPa, ec: %.10g, fu: %.10g MPa, eu: %.10g }\n", m->name,
                   m->name, m->law, 1e-6 * m->fc, m->ec, 1e-6 * m->fu, m->eu);
    }
    if (!s->expanded) {
        printf("# section %s has fibres already\n", s->name);
        return 0;
    }
    printf("# section %s\nfibres:\n", s->name);
    for (const char *p = s->expanded; *p;) {
        int n = 0;

        while (p[n] && p[n] != '\n')
            n++;
        printf("  %.*s\n", n, p);
        p += n + (p[n] == '\n');
    }
    return 0;
}
