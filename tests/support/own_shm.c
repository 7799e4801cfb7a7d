#include "support/own_shm.h"

#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>

/* Keeps later mounts within this process. In a chroot the root may be no mount point; then it is enough that the place
 * itself is one. */
static bool keep_mounts(void)
{
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ||
           mount("none", "/dev/shm", NULL, MS_PRIVATE, NULL) == 0;
}

bool own_shm(void)
{
    return unshare(CLONE_NEWNS) == 0 && keep_mounts() && mount("none", "/dev/shm", "tmpfs", 0, "mode=1777") == 0;
}
