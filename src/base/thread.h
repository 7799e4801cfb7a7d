/* The priority of the loop; yoke/parallel.h starts threads that work beside it. */
#ifndef YOKE_BASE_THREAD_H
#define YOKE_BASE_THREAD_H

#include <yoke/parallel.h>
#include <yoke/status.h>

/* Notes the real-time priority of the calling thread; 0: normal. */
void yk_thread_note_priority(int priority);
/* The priority noted last: a process that works for this thread is to run one below. */
int yk_thread_priority(void) YK_RT;

#endif
