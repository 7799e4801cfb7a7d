/* A model of another program: any text is either a model of finite matrices with names, or is refused with a message.
 * What stands before a line "---" is the file that names the degrees of freedom. */
#ifndef YOKE_FUZZ_IMPORT_H
#define YOKE_FUZZ_IMPORT_H

#include "fuzz.h"

#include "model/import.h"

enum { MOST_CONDENSED = 60 };

static inline void fuzz_model(const struct yk_imported *model)
{
    for (int p = 0; p < YK_PART_COUNT; p++)
        fuzz_check(model->part[p].rows == 0 ||
                   (model->part[p].rows == model->n && yk_matrix_is_finite(&model->part[p])));
    for (size_t i = 0; model->dofs && i < model->n; i++)
        fuzz_check(model->dofs[i] && strrchr(model->dofs[i], '.'));
}

/* Uses of an imported model, which must not fail badly either. */
static inline void fuzz_use(struct yk_imported *model)
{
    struct yk_err err = {0};

    if (model->n > MOST_CONDENSED || !model->part[YK_PART_STIFFNESS].rows || !model->part[YK_PART_MASS].rows)
        return;
    yk_imported_scale(model, 1e-3, 1);
    fuzz_check(!yk_imported_condense(model, &err) || err.wording[0] != 0);
}

static inline void fuzz_import_part(const struct yk_import_format *format, enum yk_matrix_part part,
                                    const struct yk_text *text, const struct yk_text *map)
{
    struct yk_imported model;
    struct yk_err err = {0};
    const enum yk_status st = yk_import_text(&model, format, part, text, map, &err);

    fuzz_check(st ? err.wording[0] != 0 && !model.dofs && !model.n : model.n > 0);
    if (st)
        return;
    fuzz_model(&model);
    fuzz_use(&model);
    yk_imported_free(&model);
}

static inline int fuzz_import(const char *name, const uint8_t *data, size_t size)
{
    static const char line[] = "---\n";
    const struct yk_import_format *format = yk_import_format_find(name);
    const uint8_t *cut = format->read_map ? memmem(data, size, line, 4) : NULL;
    const uint8_t *begin = cut ? cut + 4 : data;
    struct yk_text map = fuzz_text(data, cut ? (size_t)(cut - data) : 0);
    struct yk_text text = fuzz_text(begin, (size_t)(data + size - begin));

    fuzz_import_part(format, YK_PART_ALL, &text, cut ? &map : NULL);
    fuzz_import_part(format, YK_PART_MASS, &text, cut ? &map : NULL);
    if (format->recognise)
        format->recognise(&text);
    yk_text_free(&map);
    yk_text_free(&text);
    return 0;
}

#endif
