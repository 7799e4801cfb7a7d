/* The current stage of a long preparation, for programs that show it. The library never prints. */
#ifndef YOKE_BASE_PROGRESS_H
#define YOKE_BASE_PROGRESS_H

#include <yoke/progress.h>

/* Sets the stage, a static text; NULL: nothing that takes long. Returns the previous one, to be restored at the end.
 * There is one stage for the whole process. */
const char *yk_progress(const char *what);
#endif
