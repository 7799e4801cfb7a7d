/* The dashboard of `yoke run --live`. */
#ifndef YOKE_CLI_LIVE_H
#define YOKE_CLI_LIVE_H

/* Starts `yoke dash --run NAME` as a process of its own and of low priority. It prints its address, and ends when the
 * run has ended and nobody looks any more. A run whose dashboard does not start is run all the same. */
void live_start(const char *name);

#endif
