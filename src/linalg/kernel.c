/* The inner loops: products of a dense matrix, or of a piece of one, with a vector.
 *
 * Four columns are taken at a time, so that y is read and written once for four columns of A, and four rows at a time
 * in the lanes of the vector units. On x86 gcc makes each function twice, with and without AVX2, and the
 * loader picks: a package built for any processor loses nothing. Neither version fuses a product with a sum, so that
 * both give the same bits. Up to about order 100 this takes half the time of OpenBLAS's dgemv, which spends the rest on
 * being called; beyond, both wait for memory. */
#include "base/processor.h"
#include "linalg/blas.h"

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

#define AT(x)     (*(const lanes *)(x))
#define AT_PUT(x) (*(lanes *)(x))
#define SUM(v)    (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))

/* y += t0 a + t1 a1 + t2 a2 + t3 a3, the columns `stride` apart */
__attribute__((always_inline)) YK_RT static inline void add_four(size_t rows, size_t stride, const double *a, double t0,
                                                                 double t1, double t2, double t3, double *y)
{
    const double *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
    size_t i = 0;

    for (; i + LANES <= rows; i += LANES)
        AT_PUT(y + i) += (AT(a + i) * t0 + AT(a1 + i) * t1) + (AT(a2 + i) * t2 + AT(a3 + i) * t3);
    for (; i < rows; i++)
        y[i] += (a[i] * t0 + a1[i] * t1) + (a2[i] * t2 + a3[i] * t3);
}

/* y += t a */
__attribute__((always_inline)) YK_RT static inline void add_one(size_t rows, const double *a, double t, double *y)
{
    size_t i = 0;

    for (; i + LANES <= rows; i += LANES)
        AT_PUT(y + i) += AT(a + i) * t;
    for (; i < rows; i++)
        y[i] += a[i] * t;
}

YK_EVERY_PROCESSOR YK_RT void yk_add_columns(size_t rows, size_t cols, size_t stride, double alpha, const double *a,
                                             const double *x, double *y)
{
    size_t j = 0;

    for (; j + 4 <= cols; j += 4)
        add_four(rows, stride, a + j * stride, alpha * x[j], alpha * x[j + 1], alpha * x[j + 2], alpha * x[j + 3], y);
    for (; j < cols; j++)
        add_one(rows, a + j * stride, alpha * x[j], y);
}

YK_EVERY_PROCESSOR YK_RT void yk_add_scaled(size_t n, double alpha, const double *x, double *y)
{
    add_one(n, x, alpha, y);
}

YK_EVERY_PROCESSOR YK_RT void yk_scaled(size_t n, double alpha, const double *x, double *y)
{
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        AT_PUT(y + i) = AT(x + i) * alpha;
    for (; i < n; i++)
        y[i] = x[i] * alpha;
}

YK_EVERY_PROCESSOR YK_RT void yk_diagonal_net(size_t n, const double *f, const double *k, const double *u,
                                              const double *c, const double *v, double *p)
{
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        AT_PUT(p + i) = AT(f + i) - AT(k + i) * AT(u + i) - AT(c + i) * AT(v + i);
    for (; i < n; i++)
        p[i] = f[i] - k[i] * u[i] - c[i] * v[i];
}

YK_EVERY_PROCESSOR YK_RT void yk_multiply_each(size_t n, const double *d, const double *b, double *x)
{
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        AT_PUT(x + i) = AT(b + i) * AT(d + i);
    for (; i < n; i++)
        x[i] = b[i] * d[i];
}

YK_EVERY_PROCESSOR YK_RT double yk_dot(size_t n, const double *x, const double *y)
{
    lanes s0 = {0}, s1 = {0};
    double rest = 0.0;
    size_t i = 0;

    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        s0 += AT(x + i) * AT(y + i);
        s1 += AT(x + i + LANES) * AT(y + i + LANES);
    }
    s0 += s1;
    for (; i < n; i++)
        rest += x[i] * y[i];
    return SUM(s0) + rest;
}

YK_EVERY_PROCESSOR YK_RT void yk_add_rows(size_t rows, size_t cols, size_t stride, double alpha, const double *a,
                                          const double *x, double *y)
{
    size_t j = 0;

    for (; j + 4 <= cols; j += 4, a += 4 * stride) {
        const double *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
        lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, rest = {0};
        size_t i = 0;

        for (; i + LANES <= rows; i += LANES) {
            s0 += AT(a + i) * AT(x + i);
            s1 += AT(a1 + i) * AT(x + i);
            s2 += AT(a2 + i) * AT(x + i);
            s3 += AT(a3 + i) * AT(x + i);
        }
        for (; i < rows; i++)
            rest += (lanes){a[i], a1[i], a2[i], a3[i]} * x[i];
        AT_PUT(y + j) += alpha * ((lanes){SUM(s0), SUM(s1), SUM(s2), SUM(s3)} + rest);
    }
    for (; j < cols; j++, a += stride)
        y[j] += alpha * yk_dot(rows, a, x);
}

/* Eight rows of four columns at a time stay in registers while the products are added up. */
__attribute__((always_inline)) YK_RT static inline void multiply_four(size_t rows, size_t width, size_t stride,
                                                                      const double *a, const double *x, double *c)
{
    const double *x1 = x + width, *x2 = x1 + width, *x3 = x2 + width;
    double *c1 = c + rows, *c2 = c1 + rows, *c3 = c2 + rows;
    size_t i = 0;

    for (; i + 2 * LANES <= rows; i += 2 * LANES) {
        lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};

        for (size_t k = 0; k < width; k++) {
            const lanes p = AT(a + i + k * stride), q = AT(a + i + LANES + k * stride);

            s0 += p * x[k];
            t0 += q * x[k];
            s1 += p * x1[k];
            t1 += q * x1[k];
            s2 += p * x2[k];
            t2 += q * x2[k];
            s3 += p * x3[k];
            t3 += q * x3[k];
        }
        AT_PUT(c + i) = s0;
        AT_PUT(c + i + LANES) = t0;
        AT_PUT(c1 + i) = s1;
        AT_PUT(c1 + i + LANES) = t1;
        AT_PUT(c2 + i) = s2;
        AT_PUT(c2 + i + LANES) = t2;
        AT_PUT(c3 + i) = s3;
        AT_PUT(c3 + i + LANES) = t3;
    }
    for (; i < rows; i++) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;

        for (size_t k = 0; k < width; k++) {
            const double p = a[i + k * stride];

            s0 += p * x[k];
            s1 += p * x1[k];
            s2 += p * x2[k];
            s3 += p * x3[k];
        }
        c[i] = s0;
        c1[i] = s1;
        c2[i] = s2;
        c3[i] = s3;
    }
}

YK_EVERY_PROCESSOR YK_RT void yk_multiply(size_t rows, size_t cols, size_t width, size_t stride, const double *a,
                                          const double *x, double *c)
{
    size_t j = 0;

    for (; j + 4 <= cols; j += 4)
        multiply_four(rows, width, stride, a, x + j * width, c + j * rows);
    for (; j < cols; j++) {
        for (size_t i = 0; i < rows; i++)
            c[i + j * rows] = 0;
        for (size_t k = 0; k < width; k++)
            add_one(rows, a + k * stride, x[k + j * width], c + j * rows);
    }
}

/* Both halves from one reading: column j below the diagonal adds to y below j, and as row j to y[j]. */
YK_EVERY_PROCESSOR YK_RT void yk_add_symmetric(size_t n, double alpha, const double *a, const double *x, double *y)
{
    size_t j = 0;

    for (; j + 4 <= n; j += 4, a += 4 * n) {
        const double *a1 = a + n, *a2 = a1 + n, *a3 = a2 + n;
        const double t0 = alpha * x[j], t1 = alpha * x[j + 1], t2 = alpha * x[j + 2], t3 = alpha * x[j + 3];
        lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, rest = {0};
        size_t i = j + 4;

        /* the four by four block on the diagonal is stored whole */
        AT_PUT(y + j) += (AT(a + j) * t0 + AT(a1 + j) * t1) + (AT(a2 + j) * t2 + AT(a3 + j) * t3);
        for (; i + LANES <= n; i += LANES) {
            const lanes c0 = AT(a + i), c1 = AT(a1 + i), c2 = AT(a2 + i), c3 = AT(a3 + i), xi = AT(x + i);

            AT_PUT(y + i) += (c0 * t0 + c1 * t1) + (c2 * t2 + c3 * t3);
            s0 += c0 * xi;
            s1 += c1 * xi;
            s2 += c2 * xi;
            s3 += c3 * xi;
        }
        for (; i < n; i++) {
            y[i] += (a[i] * t0 + a1[i] * t1) + (a2[i] * t2 + a3[i] * t3);
            rest += (lanes){a[i], a1[i], a2[i], a3[i]} * x[i];
        }
        AT_PUT(y + j) += alpha * ((lanes){SUM(s0), SUM(s1), SUM(s2), SUM(s3)} + rest);
    }
    for (; j < n; j++, a += n) {
        y[j] += alpha * a[j] * x[j];
        for (size_t i = j + 1; i < n; i++) {
            y[i] += alpha * a[i] * x[j];
            y[j] += alpha * a[i] * x[i];
        }
    }
}

/* x - x is 0 when x is finite, otherwise not a number, and stays so in the sum. */
YK_EVERY_PROCESSOR YK_RT bool yk_all_finite(size_t n, const double *x)
{
    lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    double rest = 0.0;
    size_t i = 0;

    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        const lanes x0 = AT(x + i), x1 = AT(x + i + LANES), x2 = AT(x + i + 2 * LANES), x3 = AT(x + i + 3 * LANES);

        s0 += x0 - x0; /* NOLINT(misc-redundant-expression) */
        s1 += x1 - x1; /* NOLINT(misc-redundant-expression) */
        s2 += x2 - x2; /* NOLINT(misc-redundant-expression) */
        s3 += x3 - x3; /* NOLINT(misc-redundant-expression) */
    }
    s0 = (s0 + s1) + (s2 + s3);
    for (; i < n; i++)
        rest += x[i] - x[i];
    return SUM(s0) + rest == 0.0;
}

YK_EVERY_PROCESSOR YK_RT void yk_sweep_down(size_t n, size_t cols, const double *l, double *x)
{
    size_t k = 0;

    for (; k + 4 <= cols; k += 4) {
        const double *l0 = l + k * n + k, *l1 = l0 + n, *l2 = l1 + n;
        const double x0 = x[k], x1 = x[k + 1] - l0[1] * x0, x2 = x[k + 2] - l0[2] * x0 - l1[2] * x1;
        const double x3 = x[k + 3] - l0[3] * x0 - l1[3] * x1 - l2[3] * x2;

        x[k + 1] = x1;
        x[k + 2] = x2;
        x[k + 3] = x3;
        add_four(n - k - 4, n, l0 + 4, -x0, -x1, -x2, -x3, x + k + 4);
    }
    for (; k < cols; k++)
        add_one(n - k - 1, l + k * n + k + 1, -x[k], x + k + 1);
}

YK_EVERY_PROCESSOR YK_RT void yk_sweep_up(size_t n, const double *u, double *x)
{
    size_t k = n;

    for (; k % 4; k--) {
        const double *last = u + (k - 1) * n;

        x[k - 1] /= last[k - 1];
        add_one(k - 1, last, -x[k - 1], x);
    }
    for (; k; k -= 4) {
        const double *u0 = u + (k - 4) * n, *d0 = u0 + (k - 4), *d1 = d0 + n, *d2 = d1 + n, *d3 = d2 + n;
        double *b = x + k - 4;
        const double x3 = b[3] / d3[3], x2 = (b[2] - d3[2] * x3) / d2[2];
        const double x1 = (b[1] - d3[1] * x3 - d2[1] * x2) / d1[1];
        const double x0 = (b[0] - d3[0] * x3 - d2[0] * x2 - d1[0] * x1) / d0[0];

        b[0] = x0;
        b[1] = x1;
        b[2] = x2;
        b[3] = x3;
        add_four(k - 4, n, u0, -x0, -x1, -x2, -x3, x);
    }
}

YK_EVERY_PROCESSOR YK_RT void yk_sweep_back(size_t n, size_t cols, const double *l, double *x)
{
    size_t k = cols;

    for (; k % 4; k--) {
        const double *c = l + (k - 1) * n;
        double s = 0;

        for (size_t i = k; i < n; i++)
            s += c[i] * x[i];
        x[k - 1] = x[k - 1] * c[k - 1] - s;
    }
    for (; k; k -= 4) {
        const double *c0 = l + (k - 4) * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
        double *b = x + k - 4, x0, x1, x2, x3;
        lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s = {0};
        size_t i = k;

        for (; i + LANES <= n; i += LANES) {
            const lanes xi = AT(x + i);

            s0 += AT(c0 + i) * xi;
            s1 += AT(c1 + i) * xi;
            s2 += AT(c2 + i) * xi;
            s3 += AT(c3 + i) * xi;
        }
        for (; i < n; i++)
            s += (lanes){c0[i], c1[i], c2[i], c3[i]} * x[i];
        s += (lanes){SUM(s0), SUM(s1), SUM(s2), SUM(s3)};
        c0 += k - 4, c1 += k - 4, c2 += k - 4, c3 += k - 4; /* the triangle */
        x3 = b[3] * c3[3] - s[3];
        x2 = b[2] * c2[2] - s[2] - c2[3] * x3;
        x1 = b[1] * c1[1] - s[1] - c1[2] * x2 - c1[3] * x3;
        x0 = b[0] * c0[0] - s[0] - c0[1] * x1 - c0[2] * x2 - c0[3] * x3;
        b[0] = x0;
        b[1] = x1;
        b[2] = x2;
        b[3] = x3;
    }
}
