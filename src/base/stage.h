/* What a long set-up is doing now, for a program that wants to show it. The library never prints. */
#ifndef YOKE_BASE_STAGE_H
#define YOKE_BASE_STAGE_H

/* Names what is being done, a text that lasts; NULL: nothing that takes long. Returns what was named before, to be put
 * back at the end. One name for the whole process: whoever shows it sees the last. */
const char *yk_stage(const char *what);
/* What is named now. */
const char *yk_stage_now(void);

#endif
