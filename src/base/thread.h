/* The priority of the loop; yoke/parallel.h starts threads that work beside it. */
#ifndef YOKE_BASE_THREAD_H
#define YOKE_BASE_THREAD_H

#include <yoke/parallel.h>
#include <yoke/status.h>

/* The priority noted last: a process that works for this thread is to run one below. */
int yk_thread_priority(void) YK_RT;

#endif
