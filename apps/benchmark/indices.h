/* How far one signal is from another: the measures that the benchmarks of hybrid simulation are judged by. */
#ifndef YOKE_BENCHMARK_INDICES_H
#define YOKE_BENCHMARK_INDICES_H

#include <stddef.h>

/* 100 std(y - x)/std(x); means removed. */
double yk_index_rms(const double *x, const double *y, size_t n);
/* 100 max |y - x|/max |x| */
double yk_index_peak(const double *x, const double *y, size_t n);
/* The lag of y behind x, in samples, at which their correlation (means removed) is largest; 0 .. most. */
int yk_index_lag(const double *x, const double *y, size_t n, int most);

/* The same with the product instead of the correlation (means not removed, absolute value), and y may be early:
 * -most .. most. */
int yk_index_lag_both(const double *x, const double *y, size_t n, int most);

#endif
