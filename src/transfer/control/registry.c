/* The list of controllers, from controllers.def. */
#include <yoke/transfer.h>

#include <string.h>

#define YK_CONTROLLER(controller) extern const struct yk_controller_ops yk_controller_##controller;
#include "controllers.def"
#undef YK_CONTROLLER

const struct yk_controller_ops *const yk_controllers[] = {
#define YK_CONTROLLER(controller) &yk_controller_##controller,
#include "controllers.def"
#undef YK_CONTROLLER
    NULL,
};

const struct yk_controller_ops *yk_controller_find(const char *name)
{
    for (const struct yk_controller_ops *const *controller = yk_controllers; *controller; controller++)
        if (strcmp((*controller)->name, name) == 0)
            return *controller;
    return NULL;
}
