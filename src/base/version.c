/* Version and revision of this build; every recording names them. */
#include "version.h"

#include <yoke/yoke.h>

const char *yk_build_id(void)
{
    return YK_BUILD;
}
