/* Scaling of records to a target spectrum: one factor for each record, and one for a suite. docs/ground-motions.md. */
#include <yoke/motion.h>

#include <math.h>

void yk_scaling_periods(double from_s, double to_s, double periods[YK_SCALING_PERIODS])
{
    for (int i = 0; i < YK_SCALING_PERIODS; i++)
        periods[i] = from_s * pow(to_s / from_s, (double)i / (YK_SCALING_PERIODS - 1));
}

struct yk_scaling yk_scaling_fit(size_t count, const double *target, const double *Sa, enum yk_scaling_fit fit)
{
    double logs = 0, mixed = 0, squares = 0, misfit = 0;

    for (size_t i = 0; i < count; i++) {
        logs += log(target[i] / Sa[i]) / (double)count;
        mixed += target[i] * Sa[i];
        squares += Sa[i] * Sa[i];
    }
    const double factor = fit == YK_FIT_LOG ? exp(logs) : mixed / squares;
    for (size_t i = 0; i < count; i++)
        misfit += pow(log(factor * Sa[i] / target[i]), 2) / (double)count;
    return (struct yk_scaling){.factor = factor, .misfit = sqrt(misfit)};
}

double yk_scaling_common(size_t records, size_t count, const double *target, const double *Sa, double floor,
                         double *least, size_t *at)
{
    *least = INFINITY;
    *at = 0;
    for (size_t i = 0; i < count; i++) {
        double mean = 0;

        for (size_t r = 0; r < records; r++)
            mean += Sa[r * count + i] / (double)records;
        if (mean / target[i] < *least) {
            *least = mean / target[i];
            *at = i;
        }
    }
    return floor / *least > 1 ? floor / *least : 1;
}
