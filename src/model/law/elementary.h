/* exp and log for loops over arrays: plain arithmetic without branches, tables or calls, so that the compiler makes
 * vectors of it, and the same bits wherever an element stands in its array and on every processor.
 *
 * Polynomials: least largest error (Remez), 6e-18 for exp, 3e-18 for log, 2e-17 for log1p. With the rounding errors the
 * functions are good to 2e-16 relative (exp), 3e-16 (log, of the larger of the result and 1) and 2e-16 absolute
 * (log1p). tests/unit/model/law/test_elementary.c. */
#ifndef YOKE_ELEMENTARY_H
#define YOKE_ELEMENTARY_H

#include "base/processor.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t yk_bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double yk_of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* yes or no, without a branch also where the compiler would like one. */
static inline double yk_select(bool condition, double yes, double no)
{
    const uint64_t mask = -(uint64_t)condition;

    return yk_of_bits((yk_bits_of(yes) & mask) | (yk_bits_of(no) & ~mask));
}

/* e^x for x <= 0; below -700 that of -700, so that nothing is denormal. e^x = 2^n e^r with |r| <= log(2)/2. */
YK_PART double yk_exp_negative(double x)
{
    const double shift = 0x1.8p52; /* adding it rounds to a whole number, which then stands in the low bits */
    const double clipped = yk_select(x > -700, x, -700);
    const double turned = clipped * 0x1.71547652b82fep0 + shift;
    const double n = turned - shift;
    const double r = (clipped - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
    const double r2 = r * r, r4 = r2 * r2;
    const double low =
        (0x1.555555555555cp-3 + r * 0x1.5555555553168p-5) + r2 * (0x1.111111110e579p-7 + r * 0x1.6c16c17cf4fdfp-10);
    const double high = (0x1.a01a01b674dc3p-13 + r * 0x1.a019aa92c4fb3p-16) +
                        r2 * (0x1.71dde87bcecb2p-19 + r * 0x1.28a021d09e142p-22) + r4 * 0x1.af793be4dbe89p-26;

    return yk_of_bits((yk_bits_of(turned) + 1023) << 52) * (1 + (r + r2 * (0.5 + r * (low + r4 * high))));
}

/* log of x >= 0; of 0 and denormal numbers something near -709. x = 2^n m with m between sqrt(1/2) and sqrt(2);
 * log m = 2 artanh s, s = (m - 1)/(m + 1). */
YK_PART double yk_log(double x)
{
    const uint64_t bits = yk_bits_of(x), half = 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
    const uint64_t up = bits - half + (UINT64_C(1) << 62);           /* n + 1024 in the exponent, without sign */
    const double n = yk_of_bits((up >> 52) | 0x4330000000000000u) - (0x1p52 + 1024);
    const double m = yk_of_bits(bits - (up & 0xfff0000000000000u) + (UINT64_C(1) << 62));
    const double a = m - 1, s = a / (m + 1), z = s * s, z2 = z * z;
    const double p = (0x1.5555555555593p-1 + z * 0x1.999999997fc9dp-2) +
                     z2 * ((0x1.24924942027fbp-2 + z * 0x1.c71c51fa00459p-3) +
                           z2 * ((0x1.7466424bc4278p-3 + z * 0x1.39a15d9d56935p-3) + z2 * 0x1.2f0943a97bd90p-3));
    const double h = 0.5 * a * a;

    /* 2 s = a - s a, and a = m - 1 is exact: only small terms are rounded */
    return n * 0x1.62e42fefa38p-1 + (a - (h - (s * (h + z * p) + n * 0x1.ef35793c7673p-45)));
}

/* log(1 + w) for 0 <= w <= 1: 2 artanh s, s = w/(2 + w). */
YK_PART double yk_log1p(double w)
{
    const double s = w / (2 + w), z = s * s, z2 = z * z, z4 = z2 * z2;
    const double p =
        ((0x1.5555555555f49p-1 + z * 0x1.999999983ddfap-2) + z2 * (0x1.249249b1b7ddep-2 + z * 0x1.c71c37318d5f9p-3)) +
        z4 * (((0x1.746423d25a9b5p-3 + z * 0x1.3a8ec3496ecaep-3) +
               z2 * (0x1.171f7e9524475p-3 + z * 0x1.8d8cc221f7522p-4)) +
              z4 * 0x1.731a56d55578bp-3);

    return 2 * s + s * (z * p);
}

#endif
