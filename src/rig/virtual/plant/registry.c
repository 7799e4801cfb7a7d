/* The list of plants, from plants.def. */
#include <yoke/transfer.h>

#include <string.h>

#define YK_PLANT(plant) extern const struct yk_plant_ops yk_plant_##plant;
#include "plants.def"
#undef YK_PLANT

const struct yk_plant_ops *const yk_plants[] = {
#define YK_PLANT(plant) &yk_plant_##plant,
#include "plants.def"
#undef YK_PLANT
    NULL,
};

const struct yk_plant_ops *yk_plant_find(const char *name)
{
    for (const struct yk_plant_ops *const *plant = yk_plants; *plant; plant++)
        if (strcmp((*plant)->name, name) == 0)
            return *plant;
    return NULL;
}
