/* A /dev/shm of its own for this process and those it starts: what a killed process leaves behind stays there until the
 * test looks at it, since nobody else's run sweeps it away. */
#ifndef YOKE_TEST_OWN_SHM_H
#define YOKE_TEST_OWN_SHM_H

#include <stdbool.h>

/* False where this user is not allowed to. */
bool own_shm(void);

#endif
