/* Sobol's sequence with the direction numbers of Joe and Kuo, SIAM J. Sci. Comput. 30 (2008) 2635; points in the order
 * of Gray code (Antonov and Saleev 1979), from zero on. */
#include <yoke/random.h>

enum { BITS = 32 };

/* Degree, coefficients and first direction numbers of dimension 1 and on; that of 0 is van der Corput's. */
static const struct {
    unsigned degree, coefficients, m[7];
} joe_kuo[YK_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

static void directions(size_t dimension, uint32_t *v)
{
    if (dimension == 0) {
        for (unsigned i = 0; i < BITS; i++)
            v[i] = 1u << (BITS - 1 - i);
        return;
    }
    const unsigned s = joe_kuo[dimension - 1].degree, a = joe_kuo[dimension - 1].coefficients;

    for (unsigned i = 0; i < BITS; i++) {
        if (i < s) {
            v[i] = joe_kuo[dimension - 1].m[i] << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - s] ^ v[i - s] >> s;
        for (unsigned k = 1; k < s; k++)
            v[i] ^= (a >> (s - 1 - k) & 1) * v[i - k];
    }
}

double yk_sobol(uint64_t point, size_t dimension)
{
    const uint64_t gray = point ^ point >> 1;
    uint32_t v[BITS], x = 0;

    directions(dimension, v);
    for (unsigned i = 0; i < BITS; i++)
        if (gray >> i & 1)
            x ^= v[i];
    return x * 0x1p-32;
}
