/* Butterworth low-pass filters. docs/theory/control.md, eq. (25), (26); Butterworth 1930. Units: Hz, s. */
#include "transfer/dynamics.h"
#include "transfer/filter/filter.h"

#include <string.h>

#define PI 3.14159265358979323846

/* eq. (25): pairs of poles on the unit circle, scaled to the prewarped edge; a single one where the order is odd. */
static void bilinear(struct yk_filter *f, int order, double cutoff_Hz, double h)
{
    const double c = 1 / tan(PI * cutoff_Hz * h); /* the edge lies at 1 rad/s */

    for (int k = 0; k < order / 2; k++) {
        const double angle = PI * (2 * k + 1) / (2 * order);

        yk_filter_add(f, &(struct yk_section){{1, 0, 0}, {1, 2 * sin(angle), 1}}, c);
    }
    if (order % 2)
        yk_filter_add(f, &(struct yk_section){{1, 0, 0}, {1, 1, 0}}, c);
}

/* eq. (26): the analogue filter behind a hold, of order 1 or 2. */
static void held(struct yk_filter *f, int order, double cutoff_Hz, double h)
{
    const double w = 2 * PI * cutoff_Hz;
    const struct yk_second_order model = yk_second_order_servo(1, w, sqrt(0.5), 0);
    double A[4], B[2], *b = f->b[0], *a = f->a[0];

    f->sections = 1;
    if (order == 1) {
        a[0] = -exp(-w * h);
        b[1] = 1 + a[0];
        return;
    }
    yk_second_order_discretise(&model, h, A, B);
    a[0] = -(A[0] + A[3]);
    a[1] = A[0] * A[3] - A[1] * A[2];
    b[1] = B[0];
    b[2] = A[1] * B[1] - A[3] * B[0];
}

enum yk_status yk_filter_butterworth(struct yk_filter *f, int order, double cutoff_Hz, double h, bool exact,
                                     struct yk_err *err)
{
    const int most = exact ? 2 : 2 * YK_FILTER_SECTIONS;
    enum yk_status st = yk_filter_check(cutoff_Hz, "cut-off", h, err);

    if (st)
        return st;
    if (!(order >= 1 && order <= most))
        return yk_fail(err, YK_E_RANGE, "filter: order %d is outside 1 .. %d%s", order, most,
                       exact ? ", as far as the exact form goes" : "");
    memset(f, 0, sizeof *f);
    if (exact)
        held(f, order, cutoff_Hz, h);
    else
        bilinear(f, order, cutoff_Hz, h);
    yk_filter_finish(f, h);
    return YK_OK;
}
