/* Finding the actuator that a command is about, and quantities of its options. */
#include "cli/cli.h"

#include <string.h>

static void say_unknown(const struct yk_experiment *e, const char *name)
{
    fprintf(stderr, "%s: there is no actuator '%s'; there are:", e->path, name);
    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_physical *p = yk_physical_of(e->substructures[k].system);

        for (size_t i = 0; p && i < yk_physical_count(p); i++)
            fprintf(stderr, " %s", yk_physical_name(p, i));
    }
    fputc('\n', stderr);
}

bool find_actuator(const struct yk_experiment *e, const char *name, struct rig_actuator *found)
{
    bool any = false;

    for (size_t k = 0; k < e->substructure_count; k++) {
        struct yk_system *s = e->substructures[k].system;
        struct yk_physical *p = yk_physical_of(s);

        for (size_t i = 0; p && i < yk_physical_count(p); i++) {
            any = true;
            if (name && strcmp(name, yk_physical_name(p, i)) != 0)
                continue;
            *found = (struct rig_actuator){s, p, i, yk_physical_name(p, i)};
            return true;
        }
    }
    if (any)
        say_unknown(e, name);
    else
        fprintf(stderr,
                "%s: no substructure is physical, so there is no actuator; give one 'role: physical' and a "
                "'rig'\n",
                e->path);
    return false;
}

bool parse_quantity(const struct command *command, const char *option, const char *text, enum yk_quantity quantity,
                    double min, double max, double *value)
{
    struct yk_err err = {0};
    double x;

    if (!text)
        return true;
    if (yk_quantity_parse(text, quantity, &x, &err))
        usage_error(command, "%s: %s", option, err.text);
    else if (!(x >= min && x <= max))
        usage_error(command, "%s '%s' is outside %g .. %g %s", option, text, min, max, yk_quantity_unit(quantity));
    else
        return *value = x, true;
    return false;
}
