/* Shared by the laws of concrete: settings, and the curve of first compression. docs/theory/laws.md, eq. (21).
 *
 * Settings are magnitudes; strains and stresses of compression are negative. */
#ifndef YOKE_CONCRETE_H
#define YOKE_CONCRETE_H

#include "base/processor.h"
#include "model/law/elementary.h"

#include <yoke/law.h>

struct yk_concrete {
    double fc, ec, fu, eu;
    double E0;   /* 2 fc/ec */
    double fall; /* slope between (-ec, -fc) and (-eu, -fu), not positive */
};

#define YK_MAGNITUDE "; give magnitudes; compression is negative inside"
#define YK_CONCRETE_PARAMS                                                                                             \
    YK_REAL(struct yk_concrete, fc, YK_FORCE, YK_REQUIRED, YK_TINY, 1e15,                                              \
            YK_HINT(YK_MAGNITUDE, "largest compressive stress, positive")),                                            \
        YK_REAL(struct yk_concrete, ec, YK_DISPLACEMENT, YK_REQUIRED, YK_TINY, 1e6,                                    \
                YK_HINT(YK_MAGNITUDE, "strain at fc, positive")),                                                      \
        YK_REAL(struct yk_concrete, fu, YK_FORCE, YK_REQUIRED, 0, 1e15,                                                \
                YK_HINT(YK_MAGNITUDE, "compressive stress left when crushed, at most fc")),                            \
        YK_REAL(struct yk_concrete, eu, YK_DISPLACEMENT, YK_REQUIRED, YK_TINY, 1e6,                                    \
                YK_HINT(YK_MAGNITUDE, "strain from which fu is left, above ec"))

/* Derives the constants; `law` begins the message. */
enum yk_status yk_concrete_prepare(struct yk_concrete *s, const char *law, struct yk_err *err);

/* Stress of first loading at e, and its slope; tension is that of the parabola continued, which nobody asks for. */
YK_RT YK_PART double yk_concrete_backbone(const struct yk_concrete *s, double e, double *slope)
{
    const double x = -e / s->ec;
    const bool rising = e >= -s->ec, falling = e > -s->eu;

    *slope = yk_select(rising, s->E0 * (1 - x), yk_select(falling, s->fall, 0));
    return yk_select(rising, -s->fc * x * (2 - x), yk_select(falling, -s->fc + s->fall * (e + s->ec), -s->fu));
}

#endif
