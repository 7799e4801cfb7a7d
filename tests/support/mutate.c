/* Files that are damaged at random: see mutate.h. */
#include "support/mutate.h"
#include "support/check.h"
#include "support/patience.h"
#include "support/random.h"

#include "base/clock.h"
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 256, TRIES = 1000, MOST_S = 2 };

struct bytes bytes_of_file(const char *path)
{
    FILE *in = fopen(path, "r");
    struct bytes b = {0};

    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    b.size = (size_t)ftell(in);
    rewind(in);
    b.at = malloc(b.size + 1);
    assert_int_equal(fread(b.at, 1, b.size, in), b.size);
    fclose(in);
    return b;
}

void bytes_to_file(struct bytes b, const char *path)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_int_equal(fwrite(b.at, 1, b.size, out), b.size);
    assert_int_equal(fclose(out), 0);
}

/* ---- damage ---- */

/* A place in a piece of the file that holds something; now and then anywhere. */
static size_t interesting(struct bytes b, uint64_t *seed)
{
    const bool anywhere = random_below(seed, 10) == 0;
    size_t at = 0;

    for (int i = 0; i < TRIES; i++) {
        size_t begin, end;

        at = random_below(seed, b.size);
        begin = at / PIECE * PIECE;
        end = begin + PIECE < b.size ? begin + PIECE : b.size;
        while (begin < end && !b.at[begin])
            begin++;
        if (anywhere || begin < end)
            break;
    }
    return at;
}

static void overwrite(struct bytes b, uint64_t *seed, size_t at, size_t length)
{
    const size_t what = random_below(seed, 3);

    for (size_t i = at; i < at + length && i < b.size; i++)
        b.at[i] = (unsigned char)(what == 0 ? 0 : what == 1 ? 0xff : random_bits(seed) >> 56);
}

/* Moves what follows: `length` bytes are put in as a copy of others, or are taken out. */
static void shift(struct bytes *b, uint64_t *seed, size_t at, size_t length, bool insert)
{
    const size_t most = insert ? length : b->size - at - 1, moved = length < most ? length : most;

    if (insert) {
        b->at = realloc(b->at, b->size + moved);
        memmove(b->at + at + moved, b->at + at, b->size - at);
        for (size_t i = 0; i < moved; i++)
            b->at[at + i] = b->at[(at + moved + i) % (b->size + moved)];
        b->size += moved;
    } else {
        memmove(b->at + at, b->at + at + moved, b->size - at - moved);
        b->size -= moved;
    }
}

static void damage(struct bytes *b, uint64_t *seed)
{
    const size_t at = interesting(*b, seed);

    switch (random_below(seed, 10)) {
    case 0:
    case 1:
    case 2:
        b->at[at] ^= (unsigned char)(1u << random_below(seed, 8));
        break;
    case 3:
    case 4:
        b->at[at] = (unsigned char)random_bits(seed);
        break;
    case 5:
        overwrite(*b, seed, at, 8);
        break;
    case 6:
        overwrite(*b, seed, at, 1 + random_below(seed, 600));
        break;
    case 7:
        shift(b, seed, at, 1 + random_below(seed, 64), true);
        break;
    case 8:
        shift(b, seed, at, 1 + random_below(seed, 64), false);
        break;
    default:
        b->size = at + 1;
    }
}

struct bytes bytes_mutated(struct bytes original, uint64_t seed)
{
    struct bytes b = {malloc(original.size + 1), original.size};
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;

    memcpy(b.at, original.at, original.size);
    for (size_t i = 1 + random_below(&state, 3); i > 0; i--)
        damage(&b, &state);
    if (b.size == original.size && memcmp(b.at, original.at, b.size) == 0)
        b.at[random_below(&state, b.size)] ^= 1; /* zeros over zeros are no damage */
    return b;
}

/* ---- what readers make of it ---- */

enum verdict verdict_of(enum verdict (*reader)(const char *path), const char *path, double *wall_s)
{
    const int64_t begin = yk_clock_now_ns();
    int status = 0;
    pid_t child;

    fflush(NULL);
    if (!(child = fork()))
        _exit(10 + (int)reader(path));
    assert_true(child > 0);
    for (;;) {
        const pid_t done = waitpid(child, &status, WNOHANG);

        *wall_s = 1e-9 * (double)(yk_clock_now_ns() - begin);
        if (done == child)
            break;
        if (*wall_s > MOST_S && *wall_s > MOST_S * patience()) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return HUNG;
        }
        usleep(*wall_s < 0.01 ? 200 : 2000);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) < 10 || WEXITSTATUS(status) > 10 + WITHOUT_A_WORD)
        return CRASHED;
    return (enum verdict)(WEXITSTATUS(status) - 10);
}

/* A child that writes the bytes to a pipe; the reader gets the other end by its name under /proc. */
static enum verdict verdict_through_a_pipe(enum verdict (*reader)(const char *path), struct bytes b, double *wall_s)
{
    enum verdict verdict;
    char path[64];
    int ends[2];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    if (!(child = fork())) {
        close(ends[0]);
        signal(SIGPIPE, SIG_IGN);
        for (size_t at = 0; at < b.size;) {
            const ssize_t put = write(ends[1], b.at + at, b.size - at);

            if (put <= 0)
                break;
            at += (size_t)put;
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    verdict = verdict_of(reader, path, wall_s);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return verdict;
}

void tally_mutants(struct tally *t, struct bytes original, enum verdict (*reader)(const char *path), size_t count,
                   uint64_t first_seed, int through_a_pipe, const char *path)
{
    static const char *const words[] = {"read", "refused", "refused without a word", "crashed", "hung"};
    double whole_s;
    const enum verdict whole = through_a_pipe ? verdict_through_a_pipe(reader, original, &whole_s)
                                              : (bytes_to_file(original, path), verdict_of(reader, path, &whole_s));

    assert_int_equal(whole, READ_IT);
    for (size_t i = 0; i < count; i++) {
        const unsigned long long seed = first_seed + i;
        struct bytes mutant = bytes_mutated(original, seed);
        enum verdict verdict;
        double wall_s;

        if (through_a_pipe) {
            verdict = verdict_through_a_pipe(reader, mutant, &wall_s);
        } else {
            bytes_to_file(mutant, path);
            verdict = verdict_of(reader, path, &wall_s);
        }
        t->count[verdict]++;
        t->longest_s = wall_s > t->longest_s ? wall_s : t->longest_s;
        if (verdict > REFUSED_IT) {
            char kept[64];

            snprintf(kept, sizeof kept, "/tmp/mutant-%llu", seed);
            print_error("mutant %llu: %s after %.3g s\n", seed, words[verdict], wall_s);
            if (getenv("YOKE_KEEP_MUTANTS"))
                bytes_to_file(mutant, kept);
        }
        free(mutant.at);
    }
}

void assert_no_fault(const struct tally *t, const char *what)
{
    print_message("%s: %zu read, %zu refused, %zu refused without a word, %zu crashed, %zu hung; longest %.3f s\n",
                  what, t->count[READ_IT], t->count[REFUSED_IT], t->count[WITHOUT_A_WORD], t->count[CRASHED],
                  t->count[HUNG], t->longest_s);
    assert_true(t->count[REFUSED_IT] > 0); /* or else nothing was damaged */
    assert_int_equal(t->count[WITHOUT_A_WORD] + t->count[CRASHED] + t->count[HUNG], 0);
}

size_t mutant_count(size_t complete)
{
    const char *wanted = getenv("YOKE_MUTANTS");

#ifdef __SANITIZE_ADDRESS__
    return complete;
#endif
    return wanted && strcmp(wanted, "all") == 0 ? complete : complete / 10;
}
