/* What a long preparation is doing now, for a program that shows it. The library never prints. */
#ifndef YOKE_BASE_PROGRESS_H
#define YOKE_BASE_PROGRESS_H

/* Names what is being done, a text that lasts; NULL: nothing that takes long. Returns what was named before, to be put
 * back at the end. One name for the whole process: whoever shows it sees the last. */
const char *yk_progress(const char *what);
/* What is named now. */
const char *yk_progress_now(void);

#endif
