/* Finding the actuator that a command is about, and quantities of its options. */
#include "cli/cli.h"

bool find_actuator(const struct yk_experiment *e, const char *name, size_t *index)
{
    const long found = e->station ? name ? yk_station_find(e->station, name) : 0 : -1;

    *index = found < 0 ? 0 : (size_t)found;
    if (found >= 0)
        return true;
    if (!e->station) {
        fprintf(stderr,
                "yoke: %s: no substructure is physical, so there is no actuator; give one 'role: physical' and a "
                "'rig'\n",
                e->path);
        return false;
    }
    fprintf(stderr, "yoke: %s: there is no actuator '%s'; there are:", e->path, name);
    for (size_t i = 0; i < yk_station_count(e->station); i++)
        fprintf(stderr, " %s", yk_station_name(e->station, i));
    fputc('\n', stderr);
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
