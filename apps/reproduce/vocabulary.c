/* The words of claims and figures, from the tables that read them. */
#include "curve.h"
#include "quantity.h"

#include "reproduce.h"

static void print_settings(FILE *out, const struct yk_param *p)
{
    for (; p && p->name; p++)
        fprintf(out, "  - `%s`: %s%s%s%s\n", p->name, p->type == YK_PARAM_CHOICE ? p->choices : "",
                p->type == YK_PARAM_CHOICE ? ": " : "", p->help, isnan(p->fallback) ? " (required)" : "");
}

void yk_reproduce_vocabulary(FILE *out)
{
    fputs("### Quantities\n\n", out);
    for (const struct yk_quantity_ops *const *q = yk_quantities; *q; q++) {
        fprintf(out, "- `%s`: %s\n", (*q)->name, (*q)->summary);
        print_settings(out, (*q)->params);
    }
    fputs("\n### Curves\n\n", out);
    for (const struct yk_curve_ops *const *c = yk_curves; *c; c++) {
        fprintf(out, "- `%s`: %s\n", (*c)->name, (*c)->summary);
        print_settings(out, (*c)->params);
    }
}
