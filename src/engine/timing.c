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

/* The upper edge of a bucket [ns]. */
static double edge_of(int b)
{
    return (double)(PER_OCTAVE + b % PER_OCTAVE + 1) * (double)(1ull << (b / PER_OCTAVE));
}

size_t yk_timing_histogram(const struct yk_timing *timing, double *upper_s, uint64_t *counts)
{
    enum { MERGED = YK_TIMING_BUCKETS / YK_TIMING_BINS };
    size_t first = YK_TIMING_BINS, end = 0;

    for (size_t i = 0; i < YK_TIMING_BINS; i++) {
        uint64_t sum = 0;

        for (size_t b = MERGED * i; b < MERGED * (i + 1); b++)
            sum += timing->bucket[b];
        if (sum && first == YK_TIMING_BINS)
            first = i;
        if (first == YK_TIMING_BINS)
            continue;
        counts[i - first] = sum;
        upper_s[i - first] = 1e-9 * edge_of((int)(MERGED * (i + 1) - 1));
        if (sum)
            end = i - first + 1;
    }
    return end;
}

YK_RT void yk_timing_octaves(const struct yk_timing *timing, int64_t *bins, int count)
{
    for (int i = 0; i < count; i++)
        bins[i] = 0;
    for (int b = 0; b < YK_TIMING_BUCKETS; b++)
        bins[b / PER_OCTAVE < count ? b / PER_OCTAVE : count - 1] += (int64_t)timing->bucket[b];
}

double yk_timing_percentile(const struct yk_timing *timing, double fraction)
{
    const double wanted = fraction * (double)timing->count;
    uint64_t sum = 0;

    for (int b = 0; b < YK_TIMING_BUCKETS; b++) {
        sum += timing->bucket[b];
        if (sum > 0 && (double)sum >= wanted) { /* the upper edge of the bucket, but no more than was seen */
            const double edge = edge_of(b);

            return 1e-9 * (edge < (double)timing->largest_ns ? edge : (double)timing->largest_ns);
        }
    }
    return 0;
}
