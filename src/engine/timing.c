/* Histogram of durations with eight buckets to a factor of two. */
#include "engine/engine.h"

enum { PER_OCTAVE = 8, OCTAVES = YK_TIMING_BUCKETS / PER_OCTAVE };

/* Bucket of ns: the octave from the leading bit, the eighth from the three bits behind it. */
YK_RT static int bucket_of(int64_t ns)
{
    const uint64_t n = ns < PER_OCTAVE ? PER_OCTAVE : (uint64_t)ns;
    const int octave = 63 - __builtin_clzll(n);

    return (octave - 3) * PER_OCTAVE + (int)((n >> (octave - 3)) & (PER_OCTAVE - 1));
}

YK_RT void yk_timing_add(struct yk_timing *timing, int64_t ns)
{
    timing->bucket[bucket_of(ns)]++;
    timing->count++;
    if (ns > timing->largest_ns)
        timing->largest_ns = ns;
}

double yk_timing_percentile(const struct yk_timing *timing, double fraction)
{
    const double wanted = fraction * (double)timing->count;
    uint64_t sum = 0;

    for (int b = 0; b < YK_TIMING_BUCKETS; b++) {
        sum += timing->bucket[b];
        if (sum > 0 && (double)sum >= wanted) { /* the upper edge of the bucket, but no more than was seen */
            const int octave = b / PER_OCTAVE, eighth = b % PER_OCTAVE;
            const double edge = (double)(PER_OCTAVE + eighth + 1) * (double)(1ull << octave);

            return 1e-9 * (edge < (double)timing->largest_ns ? edge : (double)timing->largest_ns);
        }
    }
    return 0;
}
