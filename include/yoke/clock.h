/* The clock that measures how long something takes. */
#ifndef YOKE_PUBLIC_CLOCK_H
#define YOKE_PUBLIC_CLOCK_H

#include <stdint.h>
#include <yoke/status.h>

/* Time since some instant in the past; never set back [ns]. */
int64_t yk_clock_now_ns(void) YK_RT;

#endif
