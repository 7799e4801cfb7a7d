/* Files that are damaged at random, the same in every run, and what a reader makes of them. */
#ifndef YOKE_TEST_MUTATE_H
#define YOKE_TEST_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    unsigned char *at;
    size_t size;
};

struct bytes bytes_of_file(const char *path);
void bytes_to_file(struct bytes b, const char *path);
/* A damaged copy: bits and bytes changed, numbers made huge, pieces zeroed, copied, removed or put in, the end cut off.
 * Most changes hit places where the original is not all zeros. */
struct bytes bytes_mutated(struct bytes original, uint64_t seed);

/* Outcome of a reader with one file. It may read it or refuse it with a message; anything else is a fault. */
enum verdict { READ_IT, REFUSED_IT, WITHOUT_A_WORD, CRASHED, HUNG };
/* The reader runs in a child process; more than 2 s is a hang, and the child is ended. */
enum verdict verdict_of(enum verdict (*reader)(const char *path), const char *path, double *wall_s);

struct tally {
    size_t count[HUNG + 1];
    double longest_s;
};
/* Feeds `count` mutants of an original to the reader, by a file or through a pipe, and adds up. Faults are printed with
 * their seed, and the file is kept. */
void tally_mutants(struct tally *t, struct bytes original, enum verdict (*reader)(const char *path), size_t count,
                   uint64_t first_seed, int through_a_pipe, const char *path);
/* No fault; prints the numbers. */
void assert_no_fault(const struct tally *t, const char *what);
/* `complete` of them under the address sanitizer or with YOKE_MUTANTS=all, else a tenth. */
size_t mutant_count(size_t complete);

#endif
