#include "support/check.h"

#include <math.h>

void check_near(double x, double y, double tolerance, const char *what, const char *file, int line)
{
    if (!(fabs(x - y) <= tolerance)) {
        print_error("%s:%d: %s = %.12g, wanted %.12g within %.3g (off by %.3g)\n", file, line, what, x, y, tolerance,
                    fabs(x - y));
        fail();
    }
}
