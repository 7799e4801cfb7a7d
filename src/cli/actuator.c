/* Finding the actuator that a command is about. */
#include "cli/cli.h"

bool find_actuator(const struct yk_experiment *e, const char *name, size_t *index)
{
    const long found = e->station ? name ? yk_station_find(e->station, name) : 0 : -1;

    *index = found < 0 ? 0 : (size_t)found;
    if (found >= 0)
        return true;
    if (!e->station) {
        fprintf(
            stderr,
            "yoke: %s: no substructure is physical, so there is no actuator; give one of them 'role: physical' and a "
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
