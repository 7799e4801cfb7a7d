/* Two chains of unit masses, coarse and fine, joined node by node. */
#ifndef YOKE_TEST_TWINS_H
#define YOKE_TEST_TWINS_H

#include <stdio.h>

/* As an experiment for `coupling: mph`; each row `times` times. */
void twins_write(FILE *out, int nodes, int times);

#endif
