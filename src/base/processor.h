/* A function in versions for several processors, of which the loader picks one: a package built for any processor loses
 * nothing. Mostly not with AVX-512: older processors then stop for microseconds to change their frequency. The versions
 * give the same bits, since products and sums are never fused (-ffp-contract=off). */
#ifndef YOKE_BASE_PROCESSOR_H
#define YOKE_BASE_PROCESSOR_H

/* Not with clang, which names such functions differently from file to file, nor with a sanitizer, which is not ready
 * when the loader chooses. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define YK_EVERY_PROCESSOR __attribute__((target_clones("avx2", "default")))
/* The same with vectors of eight, for a loop that takes most of a step: it pays for the pause of older processors. */
#define YK_WIDE_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define YK_EVERY_PROCESSOR
#define YK_WIDE_PROCESSOR
#endif

/* A part of such a function, or of a loop over arrays, that must become one with it. */
#define YK_PART static inline __attribute__((always_inline))

/* Before a loop over arrays: what an iteration writes, no other one reads or writes. */
#if defined(__clang__)
#define YK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define YK_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif
