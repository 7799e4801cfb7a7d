/* A test program whose cases wait for most of their time, divided among several tests of ctest that run beside each
 * other. */
#ifndef YOKE_TEST_PARTS_H
#define YOKE_TEST_PARTS_H

#include "support/check.h"

/* Runs every case, or with the word "PART/PARTS" every PARTS-th one from the PART-th on. Exit code of the program. */
int run_part(int argc, char **argv, const struct CMUnitTest *tests, size_t count, CMFixtureFunction set_up,
             CMFixtureFunction tear_down);

#endif
