/* Time limits on a machine that is slow or busy. A limit of a test is meant for a quiet machine; here it lasts longer
 * by the factor of patience(). It ends a wait for something that never comes. It never judges how fast something was.
 */
#ifndef YOKE_TEST_PATIENCE_H
#define YOKE_TEST_PATIENCE_H

/* How many times longer than on a quiet machine of 2022 a computation takes at this moment, at least 1: the time of a
 * fixed amount of work, measured once, times the processes that share a processor. */
double patience(void);

/* Sleeps between two looks at a condition, longer on a slow machine: a limited number of looks is then a limit that
 * scales. */
void patience_sleep(double seconds);

#endif
