/* The reader of every text input: whatever a path names, all of it comes or a message does, and soon. */
#include "support/check.h"
#include "support/scratch.h"

#include "model/import.h"
#include "model/read.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Letters that tell where they stand. */
static char letter(size_t i)
{
    return (char)('a' + (i + i / 251) % 23);
}

struct writer {
    size_t size, piece;
    const char *path;
    pthread_t thread;
};

static void *write_pieces(void *arg)
{
    const struct writer *w = arg;
    char *text = malloc(w->size + 1);
    const int fd = open(w->path, O_WRONLY);

    for (size_t i = 0; i < w->size; i++)
        text[i] = letter(i);
    for (size_t at = 0; at < w->size;) {
        const size_t left = w->size - at;
        const ssize_t put = write(fd, text + at, left < w->piece ? left : w->piece);

        if (put <= 0)
            break; /* the reader has seen enough */
        at += (size_t)put;
    }
    close(fd);
    free(text);
    return NULL;
}

static void start_writer(struct writer *w, const char *name, size_t size, size_t piece)
{
    *w = (struct writer){size, piece, scratch_path(name), 0};
    unlink(w->path);
    assert_int_equal(mkfifo(w->path, 0600), 0);
    assert_int_equal(pthread_create(&w->thread, NULL, write_pieces, w), 0);
}

/* Sizes around the room that the reader begins with and its multiples, in large and in small pieces. */
static void text_through_a_pipe_comes_whole(void **state)
{
    static const size_t sizes[] = {1, 100, 4094, 4095, 4096, 4097, 8191, 8192, 12289, 65536, 300001};
    static const size_t pieces[] = {1 << 20, 777};
    struct writer w;
    struct yk_text text;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t p = 0; p < 2; p++) {
            size_t wrong = 0;

            start_writer(&w, "pipe", sizes[i], pieces[p]);
            assert_ok(yk_text_load(&text, w.path, &err));
            pthread_join(w.thread, NULL);
            assert_int_equal(text.size, sizes[i]);
            for (size_t k = 0; k < text.size; k++)
                wrong += text.data[k] != letter(k);
            assert_int_equal(wrong, 0);
            assert_int_equal(text.data[text.size], 0);
            yk_text_free(&text);
        }
}

/* A log that grows while it is read claims fewer bytes than there are; files of the kernel claim none. */
static void the_claimed_size_is_only_a_guess(void **state)
{
    struct yk_text text;

    assert_ok(yk_text_load(&text, "/proc/self/smaps", &err));
    assert_true(text.size > 4096);
    assert_int_equal(strlen(text.data), text.size);
    yk_text_free(&text);
}

static void what_is_larger_than_the_limit_is_refused(void **state)
{
    struct yk_text_limits limits = yk_text_limits();
    struct yk_text text;
    struct writer w;
    char *many = malloc((3 << 20) + 1);

    assert_int_equal(limits.bytes, 1 << 30);
    limits.bytes = 1 << 20;
    memset(many, 'x', 3 << 20);
    many[3 << 20] = 0;
    assert_refused(yk_text_load_limited(&text, scratch_write("large", many), &limits, &err), YK_E_INPUT,
                   "large: larger than 1 MiB");
    many[1 << 20] = 0;
    assert_ok(yk_text_load_limited(&text, scratch_write("fits", many), &limits, &err));
    assert_int_equal(text.size, 1 << 20);
    yk_text_free(&text);
    free(many);
    start_writer(&w, "pipe", (1 << 20) + 1, 1 << 20);
    assert_refused(yk_text_load_limited(&text, w.path, &limits, &err), YK_E_INPUT, "pipe: larger than 1 MiB");
    pthread_join(w.thread, NULL);
    start_writer(&w, "pipe", 1 << 20, 1 << 20);
    assert_ok(yk_text_load_limited(&text, w.path, &limits, &err));
    pthread_join(w.thread, NULL);
    yk_text_free(&text);
}

static void devices_and_sockets_are_refused(void **state)
{
    static const char *const devices[] = {"/dev/zero", "/dev/full", "/dev/null", "/dev/random"};
    struct yk_text text;

    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        assert_refused(yk_text_load(&text, devices[i], &err), YK_E_IO,
                       "is a device or a socket, a file or a pipe is expected");
}

static void a_pipe_that_nobody_writes_to_is_given_up(void **state)
{
    struct yk_text_limits limits = {.bytes = 1000, .writer_s = 0.05, .silence_s = 0.05};
    const char *path = scratch_path("silent");
    struct yk_text text;
    int writer;

    assert_true(yk_text_limits().writer_s <= 5 && yk_text_limits().silence_s <= 60);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(yk_text_load_limited(&text, path, &limits, &err), YK_E_IO,
                   "silent: nothing was written to this pipe (waited up to 0.05 s)");
    /* one that is open at the other end and stays silent, from the beginning or after a while */
    writer = open(path, O_RDWR);
    assert_refused(yk_text_load_limited(&text, path, &limits, &err), YK_E_IO,
                   "silent: stays open, but nothing was written to it for 0.05 s");
    assert_int_equal(write(writer, "1 2", 3), 3);
    assert_refused(yk_text_load_limited(&text, path, &limits, &err), YK_E_IO, "stays open, but nothing was written");
    close(writer);
}

/* Content tells the format, but a pipe can be read only once: the reader must find all of it. */
static void asking_for_the_format_leaves_a_pipe_unread(void **state)
{
    const char *path = scratch_path("K");
    struct yk_matrix A;
    int end;

    assert_int_equal(mkfifo(path, 0600), 0);
    end = open(path, O_RDWR);
    assert_int_equal(write(end, "%%MatrixMarket matrix array real general\n1 1\n2\n", 47), 47);
    assert_null(yk_import_recognise(path));
    const int reader = open(path, O_RDONLY);
    close(end);
    assert_ok(yk_read_matrix(path, &A, &err));
    assert_near(A.x[0], 2, 0);
    yk_matrix_fini(&A);
    close(reader);
}

/* Libraries that open a path by themselves would wait for a writer for ever. */
static void a_pipe_in_place_of_a_matlab_file_is_refused(void **state)
{
    const char *path = scratch_path("K.mat");
    struct yk_matrix A;

    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(yk_read_mat(path, &A, &err), YK_E_INPUT, "K.mat: is not a regular file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_through_a_pipe_comes_whole),
        cmocka_unit_test(the_claimed_size_is_only_a_guess),
        cmocka_unit_test(what_is_larger_than_the_limit_is_refused),
        cmocka_unit_test(devices_and_sockets_are_refused),
        cmocka_unit_test(a_pipe_that_nobody_writes_to_is_given_up),
        cmocka_unit_test(asking_for_the_format_leaves_a_pipe_unread),
        cmocka_unit_test(a_pipe_in_place_of_a_matlab_file_is_refused),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
