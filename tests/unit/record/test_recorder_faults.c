/* Recorder under attack: SIGKILL at random moments, a full disk, more data than memory. What may kill or use up the
 * process happens in children. */
#include "support/check.h"
#include "support/scratch.h"

#include "base/clock.h"
#include "record/record.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KILLED = 10, STORMS = 12, MS = 1000000 };

static const struct yk_channel channels[] = {
    {.name = "time", .unit = "s"}, {.name = "a", .unit = "m"}, {.name = "b", .unit = "N"}, {.name = "c", .unit = ""}};
static const struct yk_stream stream = {"system", 4, channels};
static const struct yk_recording_info info = {.title = "t",
                                              .experiment = "experiment text",
                                              .experiment_path = "e.yaml",
                                              .overrides = "",
                                              .build = "b",
                                              .method = "m"};

static void fill(double *row, uint64_t i)
{
    row[0] = (double)i * 1e-3;
    row[1] = (double)i;
    row[2] = -(double)i;
    row[3] = 1.0 / (double)(i + 1);
}

/* Number of rows, after checking that they count from 0 without a gap and without garbage. */
static uint64_t assert_contiguous(const char *path, bool may_be_finished)
{
    struct yk_recording *recording;
    double *rows, want[4];
    uint64_t count, wrong = 0;

    assert_ok(yk_recording_open(&recording, path, &err));
    if (!may_be_finished)
        assert_false(yk_recording_finished(recording));
    assert_string_equal(yk_recording_text(recording, "experiment"), "experiment text");
    count = yk_recording_rows(recording, 0);
    rows = calloc(count + 1, 4 * sizeof *rows);
    assert_ok(yk_recording_read(recording, 0, 0, count, rows, &err));
    for (uint64_t i = 0; i < count; i++) {
        fill(want, i);
        wrong += memcmp(rows + 4 * i, want, sizeof want) != 0;
    }
    assert_int_equal(wrong, 0);
    free(rows);
    yk_recording_close(recording);
    return count;
}

static void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    return memory;
}

static const char *numbered(const char *name, int i)
{
    char file[64];

    snprintf(file, sizeof file, "%s%d.h5", name, i);
    return scratch_path(file);
}

/* Exit code of a child; -1 when a signal ended it. */
static int exit_code(pid_t child)
{
    int status = 0;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- SIGKILL ---- */

/* Child: one row per millisecond, until killed. */
static void record_at_1khz(const char *path, _Atomic uint64_t *pushed)
{
    struct yk_recorder *recorder;
    int64_t due = yk_clock_now_ns();
    double row[4];

    if (yk_recorder_open(&recorder, path, &info, &stream, 1, NULL))
        _exit(1);
    for (uint64_t i = 0;; i++) {
        fill(row, i);
        if (!yk_recorder_push(recorder, 0, row))
            _exit(2);
        atomic_store(pushed, i + 1);
        yk_clock_sleep_until(due += MS);
    }
}

static void a_killed_recording_opens_and_misses_at_most_a_second(void **state)
{
    _Atomic uint64_t *pushed = shared_memory(KILLED * sizeof *pushed);
    int64_t start, due[KILLED], last = 0;
    pid_t child[KILLED];

    fflush(NULL);
    for (int i = 0; i < KILLED; i++)
        if (!(child[i] = fork()))
            record_at_1khz(numbered("killed", i), &pushed[i]);
    for (int i = 0; i < KILLED; i++) /* a busy machine opens them late */
        for (int tries = 0; tries < 3000 && atomic_load(&pushed[i]) == 0; tries++)
            yk_clock_sleep_until(yk_clock_now_ns() + 10 * MS);
    start = yk_clock_now_ns();
    for (int i = 0; i < KILLED; i++) /* in rising order, 1.2 to 2.5 s after the start */
        due[i] = start + 1200 * (int64_t)MS + 130 * (int64_t)MS * i + rand() % (130 * MS);
    for (int i = 0; i < KILLED; i++) {
        yk_clock_sleep_until(due[i]);
        kill(child[i], SIGKILL);
        assert_int_equal(exit_code(child[i]), -1);
    }
    for (int i = 0; i < KILLED; i++) {
        int64_t put = (int64_t)atomic_load(&pushed[i]), rows = (int64_t)assert_contiguous(numbered("killed", i), false);

        assert_true(put > 500);
        assert_true(rows <= put);
        assert_true(put - rows <= 1000);
        last = put - rows > last ? put - rows : last;
    }
    print_message("%d kills: at most %d rows of 1 ms were missing\n", KILLED, (int)last);
    munmap(pushed, KILLED * sizeof *pushed);
}

/* Child: many short recordings under one name, so that a kill falls into opening, replacing or closing. */
static void record_again_and_again(const char *path)
{
    struct yk_recorder *recorder;
    double row[4];

    for (;;) {
        if (yk_recorder_open(&recorder, path, &info, &stream, 1, NULL))
            _exit(1);
        for (uint64_t i = 0; i < 20; i++) {
            fill(row, i);
            yk_recorder_push_waiting(recorder, 0, row);
        }
        if (yk_recorder_close(recorder, true, "{}", NULL))
            _exit(2);
    }
}

static void a_kill_while_opening_or_closing_leaves_a_whole_file(void **state)
{
    fflush(NULL);
    for (int i = 0; i < STORMS; i++) {
        const char *path = numbered("storm", i % 2);
        pid_t child = fork();

        if (!child)
            record_again_and_again(path);
        yk_clock_sleep_until(yk_clock_now_ns() + 100 * MS + rand() % (60 * MS));
        kill(child, SIGKILL);
        assert_int_equal(exit_code(child), -1);
        assert_true(assert_contiguous(path, true) <= 20);
    }
}

/* ---- full disk ---- */

static int no_space(const char *path, struct yk_recorder **recorder)
{
    struct rlimit limit = {1 << 20, 1 << 20};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    return yk_recorder_open(recorder, path, &info, &stream, 1, NULL);
}

/* Child: 100 MB into 1 MB. Exit code: what went wrong. */
static int fill_the_disk(const char *path)
{
    struct yk_recorder *recorder;
    struct yk_err err = {0};
    enum yk_status st = YK_OK;
    double row[4];
    uint64_t i;

    if (no_space(path, &recorder))
        return 1;
    for (i = 0; i < 3000000 && !st; i++) {
        fill(row, i);
        st = yk_recorder_push_waiting(recorder, 0, row);
    }
    if (st != YK_E_IO || !yk_recorder_failed(recorder))
        return 2;
    for (uint64_t k = 0; k < 300000; k++) /* the real-time producer is not held up; the ring keeps being emptied */
        yk_recorder_push(recorder, 0, row);
    yk_clock_sleep_until(yk_clock_now_ns() + 100 * MS);
    if (!yk_recorder_push(recorder, 0, row))
        return 3;
    if (yk_recorder_close(recorder, true, "{}", &err) != YK_E_IO)
        return 4;
    if (!strstr(yk_err_line(&err).text, path) || !strstr(yk_err_line(&err).text, strerror(EFBIG)))
        return 5;
    return 0;
}

/* Child: all rows fit, the summary does not. */
static int fill_the_disk_at_the_end(const char *path)
{
    struct yk_recorder *recorder;
    struct yk_err err = {0};
    char *summary = calloc(1, 2 << 20);
    enum yk_status st;
    double row[4];

    if (no_space(path, &recorder))
        return 1;
    for (uint64_t i = 0; i < 1000; i++) {
        fill(row, i);
        if (yk_recorder_push_waiting(recorder, 0, row))
            return 2;
    }
    memset(summary, 'x', (2 << 20) - 1);
    st = yk_recorder_close(recorder, true, summary, &err);
    free(summary);
    return st == YK_E_IO && strstr(yk_err_line(&err).text, strerror(EFBIG)) ? 0 : 3;
}

/* Child: not even the structure fits. */
static int fill_the_disk_at_the_start(const char *path)
{
    struct rlimit limit = {1000, 1000};
    struct yk_recorder *recorder;
    struct yk_err err = {0};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (yk_recorder_open(&recorder, path, &info, &stream, 1, &err) != YK_E_IO || recorder)
        return 1;
    return strstr(yk_err_line(&err).text, "cannot be created: File too large") ? 0 : 2;
}

/* Runs `work` in a child that leaves through exit(), as HDF5 does things at exit; its output must stay empty. */
static int in_child(int (*work)(const char *path), const char *path)
{
    const char *log = scratch_path("child.log");
    off_t printed;
    pid_t child;
    int code, fd;

    fflush(NULL);
    if (!(child = fork())) {
        fd = open(log, O_RDWR | O_CREAT | O_TRUNC, 0666);
        dup2(fd, 1);
        dup2(fd, 2);
        signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the next test in the child */
        signal(SIGABRT, SIG_DFL);
        exit(work(path));
    }
    code = exit_code(child);
    fd = open(log, O_RDONLY);
    printed = lseek(fd, 0, SEEK_END);
    close(fd);
    if (code == 0)
        assert_int_equal(printed, 0);
    return code;
}

static void a_full_disk_fails_the_recorder_and_not_the_producer(void **state)
{
    assert_int_equal(in_child(fill_the_disk, scratch_path("full.h5")), 0);
    const uint64_t rows = assert_contiguous(scratch_path("full.h5"), false);

    assert_true(rows <= (1 << 20) / 32);
    assert_true(rows >= (1 << 19) / 32); /* what was written is counted, though the disk is full */
}

static void a_disk_that_fills_at_the_end_leaves_an_unfinished_recording(void **state)
{
    assert_int_equal(in_child(fill_the_disk_at_the_end, scratch_path("end.h5")), 0);
    assert_int_equal(assert_contiguous(scratch_path("end.h5"), false), 1000);
}

static void a_disk_that_is_full_at_the_start_leaves_nothing(void **state)
{
    assert_int_equal(in_child(fill_the_disk_at_the_start, scratch_path("start.h5")), 0);
    assert_int_equal(access(scratch_path("start.h5"), F_OK), -1);
    assert_int_equal(access(scratch_path("start.h5.part"), F_OK), -1);
}

/* ---- memory ---- */

static size_t resident_bytes(void)
{
    unsigned long total = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");

    if (!statm || fscanf(statm, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    if (statm)
        fclose(statm);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

enum { LONG_ROWS = 1000000, WIDTH = 31 };

struct growth {
    size_t bytes;
    double seconds;
};

static struct growth *growth;

/* Child: 248 MB. Exit code: what went wrong. */
static int record_a_lot(const char *path)
{
    static struct yk_channel many[WIDTH];
    const struct yk_stream wide = {"fine", WIDTH, many};
    const size_t before = resident_bytes();
    const int64_t start = yk_clock_now_ns();
    struct yk_recorder *recorder;
    double row[WIDTH] = {0};
    size_t most = 0, now;

    for (int c = 0; c < WIDTH; c++)
        snprintf(many[c].name, sizeof many[c].name, "c%d", c);
    if (yk_recorder_open(&recorder, path, &info, &wide, 1, NULL))
        return 1;
    for (int i = 0; i < LONG_ROWS; i++) {
        row[0] = i;
        if (yk_recorder_push_waiting(recorder, 0, row))
            return 2;
        if (i % 10000 == 0 && (now = resident_bytes()) > most)
            most = now;
    }
    if (yk_recorder_close(recorder, true, "{}", NULL))
        return 3;
    now = resident_bytes();
    growth->bytes = (most > now ? most : now) - before;
    growth->seconds = (double)(yk_clock_now_ns() - start) * 1e-9;
    return 0;
}

static void a_million_rows_of_31_channels_need_little_memory(void **state)
{
    const char *path = scratch_path("lot.h5");
    struct yk_recording *recording;
    double row[WIDTH];

    growth = shared_memory(sizeof *growth);
    assert_int_equal(in_child(record_a_lot, path), 0);
    print_message("248 MB recorded in %.2f s, resident memory grew by %.1f MB\n", growth->seconds,
                  (double)growth->bytes / 1e6);
    assert_true(growth->bytes < 100u << 20);
    munmap(growth, sizeof *growth);

    assert_ok(yk_recording_open(&recording, path, &err));
    assert_int_equal(yk_recording_rows(recording, 0), LONG_ROWS);
    assert_ok(yk_recording_read(recording, 0, LONG_ROWS - 1, 1, row, &err));
    assert_true(row[0] == LONG_ROWS - 1);
    yk_recording_close(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_recording_opens_and_misses_at_most_a_second),
        cmocka_unit_test(a_kill_while_opening_or_closing_leaves_a_whole_file),
        cmocka_unit_test(a_full_disk_fails_the_recorder_and_not_the_producer),
        cmocka_unit_test(a_disk_that_fills_at_the_end_leaves_an_unfinished_recording),
        cmocka_unit_test(a_disk_that_is_full_at_the_start_leaves_nothing),
        cmocka_unit_test(a_million_rows_of_31_channels_need_little_memory),
    };
    srand((unsigned)time(NULL));
    return cmocka_run_group_tests_name("recorder under attack", tests, scratch_create, scratch_remove);
}
