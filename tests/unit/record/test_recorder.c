/* Recorder and recording: what goes in comes out, bit by bit. */
#include "support/check.h"
#include "support/scratch.h"

#include "base/clock.h"
#include "record/record.h"
#include <fcntl.h>
#include <hdf5.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct yk_channel system_channels[] = {{.name = "time", .unit = "s"},
                                                    {.name = "frame.x.u", .unit = "m"},
                                                    {.name = "frame.x.r", .unit = "N"},
                                                    {.name = "ratio", .unit = ""}};
static const struct yk_channel fine_channels[] = {{.name = "time", .unit = "s"},
                                                  {.name = "actuator.command", .unit = "m"}};
static const struct yk_stream streams[] = {{"system", 4, system_channels}, {"fine", 2, fine_channels}};
static const struct yk_recording_info info = {.title = "Frame with \xc3\xa9lan",
                                              .experiment = "title: Frame\n",
                                              .experiment_path = "frame.yaml",
                                              .overrides = "a=1\nb=2\n",
                                              .build = "0.1.0 abc",
                                              .method = "alpha-os"};

static struct yk_recorder *recorder_at(const char *path, const struct yk_recording_info *about)
{
    struct yk_recorder *recorder = NULL;

    assert_ok(yk_recorder_open(&recorder, path, about, streams, 2, &err));
    return recorder;
}

static struct yk_recording *recording_at(const char *path)
{
    struct yk_recording *recording = NULL;

    assert_ok(yk_recording_open(&recording, path, &err));
    return recording;
}

/* Bit patterns of all kinds, among them infinities, NaN with payload, denormals and -0. */
static double pattern(uint64_t row, size_t column)
{
    static const uint64_t special[] = {0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                       0x7ff8000000000123, 0x0000000000000001, 0xffefffffffffffff};
    uint64_t bits = row * 0x9e3779b97f4a7c15u + column * 0xbf58476d1ce4e5b9u;
    double value;

    if (row % 97 == 0)
        bits = special[(row / 97 + column) % 6];
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void fill(double *row, uint64_t index, size_t columns)
{
    for (size_t c = 0; c < columns; c++)
        row[c] = pattern(index, c);
}

/* Rows [first, first + count) of a stream against the pattern, compared as bytes. */
static void assert_rows(struct yk_recording *recording, int stream, uint64_t first, uint64_t count)
{
    const size_t columns = yk_recording_channels(recording, stream);
    double *rows = calloc(count * columns, sizeof *rows), want[8];
    uint64_t wrong = 0;

    assert_ok(yk_recording_read(recording, stream, first, count, rows, &err));
    for (uint64_t i = 0; i < count; i++) {
        fill(want, first + i, columns);
        wrong += memcmp(want, rows + i * columns, columns * sizeof *rows) != 0;
    }
    free(rows);
    assert_int_equal(wrong, 0);
}

enum { SYSTEM_ROWS = 30001, FINE_ROWS = 100003 }; /* several chunks and a bit */

static void *produce_fine(void *recorder)
{
    double row[2];

    for (uint64_t i = 0; i < FINE_ROWS; i++) {
        fill(row, i, 2);
        if (yk_recorder_push_waiting(recorder, 1, row))
            return recorder;
    }
    return NULL;
}

static void all_samples_of_two_streams_come_back_bit_by_bit(void **state)
{
    const char *path = scratch_path("round_trip.h5");
    struct yk_recorder *recorder = recorder_at(path, &info);
    struct yk_recording *recording;
    pthread_t fine;
    void *failure;
    double row[4];

    pthread_create(&fine, NULL, produce_fine, recorder);
    for (uint64_t i = 0; i < SYSTEM_ROWS; i++) {
        fill(row, i, 4);
        assert_int_equal(yk_recorder_push_waiting(recorder, 0, row), YK_OK);
    }
    pthread_join(fine, &failure);
    assert_null(failure);
    assert_int_equal(yk_recorder_dropped(recorder, 0), 0);
    assert_ok(yk_recorder_close(recorder, true, "{}", &err));

    recording = recording_at(path);
    assert_true(yk_recording_finished(recording));
    assert_int_equal(yk_recording_stream(recording, "system"), 0);
    assert_int_equal(yk_recording_stream(recording, "fine"), 1);
    assert_int_equal(yk_recording_stream(recording, "other"), -1);
    assert_int_equal(yk_recording_rows(recording, 0), SYSTEM_ROWS);
    assert_int_equal(yk_recording_rows(recording, 1), FINE_ROWS);
    assert_rows(recording, 0, 0, SYSTEM_ROWS);
    assert_rows(recording, 1, 0, FINE_ROWS);
    assert_rows(recording, 1, 16383, 3); /* across a chunk's end */
    assert_rows(recording, 1, FINE_ROWS, 0);
    yk_recording_close(recording);
}

static void channels_units_and_texts_come_back(void **state)
{
    const char *path = scratch_path("texts.h5");
    struct yk_recording *recording;

    assert_ok(yk_recorder_close(recorder_at(path, &info), true, "{\"peak\": 1}", &err));
    recording = recording_at(path);
    assert_int_equal(yk_recording_channels(recording, 0), 4);
    assert_int_equal(yk_recording_channels(recording, 1), 2);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(yk_recording_channel(recording, 0, i)->name, system_channels[i].name);
        assert_string_equal(yk_recording_channel(recording, 0, i)->unit, system_channels[i].unit);
    }
    assert_int_equal(yk_recording_find(recording, 0, "frame.x.r"), 2);
    assert_int_equal(yk_recording_find(recording, 1, "frame.x.r"), -1);
    assert_string_equal(yk_recording_text(recording, "title"), info.title);
    assert_string_equal(yk_recording_text(recording, "experiment"), info.experiment);
    assert_string_equal(yk_recording_text(recording, "experiment_path"), info.experiment_path);
    assert_string_equal(yk_recording_text(recording, "overrides"), info.overrides);
    assert_string_equal(yk_recording_text(recording, "build"), info.build);
    assert_string_equal(yk_recording_text(recording, "method"), info.method);
    assert_string_equal(yk_recording_text(recording, "summary"), "{\"peak\": 1}");
    assert_null(yk_recording_text(recording, "colour"));
    assert_int_equal(yk_recording_rows(recording, 0), 0);
    yk_recording_close(recording);
}

static char *long_text(size_t length)
{
    char *text = malloc(length + 1);

    for (size_t i = 0; i < length; i++)
        text[i] = (char)('!' + (i * i / 7 + i) % 90);
    text[length] = 0;
    return text;
}

static void texts_far_beyond_64_kilobytes_come_back(void **state)
{
    const char *path = scratch_path("long.h5");
    char *experiment = long_text(3000000), *overrides = long_text(100000), *summary = long_text(200001);
    struct yk_recording_info about = info;
    struct yk_recording *recording;

    about.experiment = experiment;
    about.overrides = overrides;
    about.title = "";
    about.method = NULL;
    assert_ok(yk_recorder_close(recorder_at(path, &about), true, summary, &err));
    recording = recording_at(path);
    assert_string_equal(yk_recording_text(recording, "experiment"), experiment);
    assert_string_equal(yk_recording_text(recording, "overrides"), overrides);
    assert_string_equal(yk_recording_text(recording, "summary"), summary);
    assert_string_equal(yk_recording_text(recording, "title"), "");
    assert_string_equal(yk_recording_text(recording, "method"), "");
    yk_recording_close(recording);
    free(experiment);
    free(overrides);
    free(summary);
}

static void a_stopped_run_is_not_finished_and_has_its_summary(void **state)
{
    const char *path = scratch_path("stopped.h5");
    struct yk_recorder *recorder = recorder_at(path, &info);
    struct yk_recording *recording;

    assert_true(yk_recorder_push(recorder, 1, (double[]){pattern(0, 0), pattern(0, 1)}));
    assert_ok(yk_recorder_close(recorder, false, "{\"why\": \"limit\"}", &err));
    recording = recording_at(path);
    assert_false(yk_recording_finished(recording));
    assert_string_equal(yk_recording_text(recording, "summary"), "{\"why\": \"limit\"}");
    assert_rows(recording, 1, 0, 1);
    yk_recording_close(recording);

    assert_ok(yk_recorder_close(recorder_at(path, &info), true, NULL, &err));
    recording = recording_at(path);
    assert_null(yk_recording_text(recording, "summary"));
    yk_recording_close(recording);
}

static void a_running_recording_can_be_read(void **state)
{
    const char *path = scratch_path("running.h5");
    struct yk_recorder *recorder = recorder_at(path, &info);
    struct yk_recording *recording;
    uint64_t pushed = 0, seen = 0;
    double row[4];

    for (int look = 0; look < 4; look++) {
        for (int i = 0; i < 100; i++, pushed++) {
            fill(row, pushed, 4);
            assert_int_equal(yk_recorder_push_waiting(recorder, 0, row), YK_OK);
        }
        yk_clock_sleep_until(yk_clock_now_ns() + 200000000);
        recording = recording_at(path);
        assert_false(yk_recording_finished(recording));
        assert_true(yk_recording_rows(recording, 0) >= seen && yk_recording_rows(recording, 0) <= pushed);
        seen = yk_recording_rows(recording, 0);
        assert_rows(recording, 0, 0, seen);
        yk_recording_close(recording);
    }
    assert_true(seen >= 100);
    assert_ok(yk_recorder_close(recorder, true, "{}", &err));
    recording = recording_at(path);
    assert_true(yk_recording_finished(recording));
    assert_rows(recording, 0, 0, 400);
    yk_recording_close(recording);
}

static void an_older_recording_stays_until_the_new_one_is_open(void **state)
{
    const struct yk_stream unnamed = {"", 1, system_channels};
    const char *path = scratch_path("older.h5"), *part = scratch_path("older.h5.part");
    struct yk_recorder *recorder = recorder_at(path, &info);
    struct yk_recording *recording;

    yk_recorder_push(recorder, 1, (double[]){pattern(0, 0), pattern(0, 1)});
    assert_ok(yk_recorder_close(recorder, true, "first", &err));
    assert_refused(yk_recorder_open(&recorder, path, &info, &unnamed, 1, &err), YK_E_IO, "cannot be created");
    assert_null(recorder);
    assert_int_equal(access(part, F_OK), -1);
    recording = recording_at(path);
    assert_string_equal(yk_recording_text(recording, "summary"), "first");

    /* a reader of the old file keeps it while a new one takes its name */
    assert_ok(yk_recorder_close(recorder_at(path, &info), true, "second", &err));
    assert_rows(recording, 1, 0, 1);
    yk_recording_close(recording);
    recording = recording_at(path);
    assert_string_equal(yk_recording_text(recording, "summary"), "second");
    yk_recording_close(recording);
}

static void the_real_time_push_drops_and_counts(void **state)
{
    struct yk_recorder *recorder = recorder_at(scratch_path("drops.h5"), &info);
    uint64_t kept = 0, total = 400000;

    for (uint64_t i = 0; i < total; i++)
        kept += yk_recorder_push(recorder, 0, (double[]){(double)i, 0, 0, 0});
    assert_int_equal(kept + yk_recorder_dropped(recorder, 0), total);
    assert_true(kept >= 65536);
    assert_false(yk_recorder_failed(recorder));
    assert_ok(yk_recorder_close(recorder, true, "", &err));
    struct yk_recording *recording = recording_at(scratch_path("drops.h5"));
    assert_int_equal(yk_recording_rows(recording, 0), kept);
    yk_recording_close(recording);
}

static void a_wide_stream_is_recorded(void **state)
{
    enum { WIDE = 40000, ROWS = 30 };
    struct yk_channel *channels = calloc(WIDE, sizeof *channels);
    const struct yk_stream wide = {"wide", WIDE, channels};
    double *rows = calloc(ROWS, WIDE * sizeof *rows), *row = calloc(WIDE, sizeof *row);
    struct yk_recorder *recorder;
    struct yk_recording *recording;

    for (int c = 0; c < WIDE; c++)
        snprintf(channels[c].name, sizeof channels[c].name, "c%d", c);
    assert_ok(yk_recorder_open(&recorder, scratch_path("wide.h5"), &info, &wide, 1, &err));
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < WIDE; c++)
            row[c] = i * WIDE + c;
        assert_int_equal(yk_recorder_push_waiting(recorder, 0, row), YK_OK);
    }
    assert_ok(yk_recorder_close(recorder, true, "", &err));
    recording = recording_at(scratch_path("wide.h5"));
    assert_int_equal(yk_recording_find(recording, 0, "c39999"), 39999);
    assert_ok(yk_recording_read(recording, 0, 0, ROWS, rows, &err));
    for (int i = 0; i < ROWS * WIDE; i++)
        assert_true(rows[i] == i);
    yk_recording_close(recording);
    free(rows);
    free(row);
    free(channels);
}

static void what_cannot_be_recorded_is_refused(void **state)
{
    const struct yk_stream empty = {"empty", 0, NULL};
    struct yk_recorder *recorder;

    assert_refused(yk_recorder_open(&recorder, scratch_path("no/such/a.h5"), &info, streams, 2, &err), YK_E_IO,
                   "no/such/a.h5: the recording cannot be created: No such file or directory");
    assert_refused(yk_recorder_open(&recorder, scratch_path(""), &info, streams, 2, &err), YK_E_IO,
                   "not a regular file");
    assert_refused(yk_recorder_open(&recorder, scratch_path("a.h5"), &info, streams, 0, &err), YK_E_INPUT, "stream");
    assert_refused(yk_recorder_open(&recorder, scratch_path("a.h5"), &info, &empty, 1, &err), YK_E_INPUT,
                   "stream 'empty' has no channel");
    assert_null(recorder);
}

/* Overwrites part of a file. */
static void scribble(const char *path, long offset, const void *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0666);

    assert_int_equal(pwrite(fd, bytes, count, offset), (ssize_t)count);
    close(fd);
}

static void what_is_no_recording_is_refused(void **state)
{
    struct yk_recording *recording;
    hid_t file;

    assert_refused(yk_recording_open(&recording, scratch_path("absent.h5"), &err), YK_E_IO,
                   "absent.h5: cannot be opened as a recording: No such file or directory");
    scribble(scratch_path("text.h5"), 0, "hello", 5);
    assert_refused(yk_recording_open(&recording, scratch_path("text.h5"), &err), YK_E_IO,
                   "text.h5: cannot be opened as a recording: it is not an HDF5 file");
    file = H5Fcreate(scratch_path("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_refused(yk_recording_open(&recording, scratch_path("other.h5"), &err), YK_E_INPUT, "not a recording");
    assert_int_equal(truncate(scratch_path("other.h5"), 300), 0);
    assert_refused(yk_recording_open(&recording, scratch_path("other.h5"), &err), YK_E_IO,
                   "other.h5: the recording is truncated: 300 of its ");
    assert_null(recording);
    yk_recording_close(NULL);
}

/* Byte 11 of superblock 3 holds the marks; 1 alone is "open for writing" without SWMR, as another tool leaves it when
 * it dies. */
static void the_mark_of_a_dead_writer_is_overlooked(void **state)
{
    const char *path = scratch_path("marked.h5");
    struct yk_recorder *recorder = recorder_at(path, &info);
    struct yk_recording *recording;
    struct stat whole;
    char *bytes;
    hid_t file;
    int fd;

    yk_recorder_push(recorder, 1, (double[]){pattern(0, 0), pattern(0, 1)});
    assert_ok(yk_recorder_close(recorder, true, "", &err));
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT); /* marks the file; a copy of it now is what a crash leaves */
    assert_true(file >= 0);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    stat(path, &whole);
    bytes = malloc((size_t)whole.st_size);
    fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, bytes, (size_t)whole.st_size), whole.st_size);
    close(fd);
    H5Fclose(file);
    assert_int_equal(bytes[11], 1);
    scribble(scratch_path("dead.h5"), 0, bytes, (size_t)whole.st_size);
    free(bytes);

    recording = recording_at(scratch_path("dead.h5"));
    assert_rows(recording, 1, 0, 1);
    yk_recording_close(recording);
}

static void rows_beyond_the_end_are_refused(void **state)
{
    const char *path = scratch_path("short.h5");
    struct yk_recorder *recorder = recorder_at(path, &info);
    struct yk_recording *recording;
    double row[4];

    yk_recorder_push(recorder, 0, (double[]){0, 0, 0, 0});
    assert_ok(yk_recorder_close(recorder, true, "", &err));
    recording = recording_at(path);
    assert_refused(yk_recording_read(recording, 0, 0, 2, row, &err), YK_E_RANGE, "stream 'system', which has 1");
    assert_refused(yk_recording_read(recording, 0, 1, UINT64_MAX, row, &err), YK_E_RANGE, "which has 1");
    yk_recording_close(recording);
}

static int handler_calls;

static herr_t count_calls(hid_t stack, void *data)
{
    handler_calls++;
    return 0;
}

static void the_callers_hdf5_handler_is_left_in_place(void **state)
{
    struct yk_recording *recording;
    H5E_auto2_t before, after;
    void *data;

    H5Eget_auto2(H5E_DEFAULT, &before, &data);
    H5Eset_auto2(H5E_DEFAULT, count_calls, NULL);
    yk_recording_open(&recording, scratch_path("absent.h5"), NULL);
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    assert_int_equal(handler_calls, 0);
    assert_true(after == count_calls);
    H5Eset_auto2(H5E_DEFAULT, before, data);
}

static void a_recording_that_is_being_written_is_not_replaced(void **state)
{
    const char *path = scratch_path("twice.h5");
    const double row[4] = {0, 1, 2, 3};
    struct yk_recorder *first, *second = NULL;
    struct yk_recording *recording;

    assert_ok(yk_recorder_open(&first, path, &info, streams, 2, &err));
    assert_refused(yk_recorder_open(&second, path, &info, streams, 2, &err), YK_E_INPUT,
                   "is being written by another run; choose another folder");
    assert_null(second);
    assert_true(yk_recorder_push(first, 0, row));
    assert_ok(yk_recorder_close(first, true, "{}", &err));
    assert_ok(yk_recording_open(&recording, path, &err));
    assert_int_equal(yk_recording_rows(recording, 0), 1);
    yk_recording_close(recording);
    assert_ok(yk_recorder_open(&second, path, &info, streams, 2, &err)); /* now it may */
    assert_ok(yk_recorder_close(second, true, "{}", &err));
}

/* Two that start in the same moment: the second finds the part file of the first, which is not yet a recording. */
static void a_recording_that_is_being_started_is_not_replaced(void **state)
{
    const char *path = scratch_path("same-moment.h5");
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct yk_recorder *r = NULL;
    char part[700];
    struct stat before, after;

    snprintf(part, sizeof part, "%s.part", path);
    const int fd = open(part, O_RDWR | O_CREAT, 0666);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
    assert_int_equal(stat(part, &before), 0);
    assert_refused(yk_recorder_open(&r, path, &info, streams, 2, &err), YK_E_INPUT,
                   "is being written by another run; choose another folder");
    assert_int_equal(stat(part, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    assert_int_equal(write(fd, "remnant", 7), 7);
    close(fd); /* now it is what a killed one left */
    assert_ok(yk_recorder_open(&r, path, &info, streams, 2, &err));
    assert_ok(yk_recorder_close(r, true, "{}", &err));
    assert_int_equal(access(part, F_OK), -1);
}

/* Four processes at once, again and again: one of them gets the recording, and all of its rows are there. */
static void of_many_that_start_at_once_one_records(void **state)
{
    enum { ROUNDS = 30, MANY = 4 };
    const char *path = scratch_path("at-once.h5");
    const double row[4] = {0, 1, 2, 3};

    for (int round = 0; round < ROUNDS; round++) {
        struct yk_recording *recording;
        int go[2], tried[2], won = 0, status;
        char byte = 0;

        assert_int_equal(pipe(go), 0);
        assert_int_equal(pipe(tried), 0);
        for (int i = 0; i < MANY; i++)
            if (fork() == 0) {
                struct yk_recorder *r = NULL;
                struct pollfd all = {.fd = tried[0], .events = POLLHUP};

                close(go[1]);
                if (read(go[0], &byte, 1) != 0)
                    _exit(2);
                const bool mine = yk_recorder_open(&r, path, &info, streams, 2, NULL) == YK_OK;
                close(tried[1]); /* the winner waits until all have tried */
                if (!mine)
                    _exit(1);
                poll(&all, 1, 20000);
                _exit(yk_recorder_push(r, 0, row) && !yk_recorder_close(r, true, "{}", NULL) ? 0 : 2);
            }
        close(tried[0]);
        close(tried[1]);
        close(go[0]);
        close(go[1]); /* off */
        for (int i = 0; i < MANY; i++) {
            assert_true(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) < 2);
            won += WEXITSTATUS(status) == 0;
        }
        assert_int_equal(won, 1);
        assert_ok(yk_recording_open(&recording, path, &err));
        assert_true(yk_recording_finished(recording));
        assert_int_equal(yk_recording_rows(recording, 0), 1);
        yk_recording_close(recording);
    }
}

/* ---- files that others touch ---- */

/* Within a few rounds of the writer, or at the latest when it is closed. */
static void a_recording_that_was_removed_is_noticed(void **state)
{
    static const char refusal[] = "the recording is not complete: it was removed or renamed during the run";
    char *path = strdup(scratch_path("removed.h5"));
    struct yk_recorder *recorder = recorder_at(path, &info);
    int waits = 0;

    assert_int_equal(unlink(path), 0);
    while (!yk_recorder_failed(recorder) && waits++ < 500)
        yk_clock_sleep_until(yk_clock_now_ns() + 10000000);
    assert_true(yk_recorder_failed(recorder));
    assert_refused(yk_recorder_close(recorder, true, "{}", &err), YK_E_IO, refusal);

    recorder = recorder_at(path, &info);
    assert_int_equal(rename(path, scratch_path("renamed.h5")), 0);
    assert_refused(yk_recorder_close(recorder, true, "{}", &err), YK_E_IO, refusal);
    free(path);
}

/* Symbolic or hard, a link under the name that the recording grows under is replaced, and what it names is left alone.
 */
static void links_named_like_the_part_are_not_followed(void **state)
{
    char *path = strdup(scratch_path("linked.h5")), *part = strdup(scratch_path("linked.h5.part"));
    char *victim = strdup(scratch_write("victim", "precious"));

    for (int hard = 0; hard < 2; hard++) {
        char text[16] = "";
        FILE *in;

        assert_int_equal(hard ? link(victim, part) : symlink(victim, part), 0);
        assert_ok(yk_recorder_close(recorder_at(path, &info), true, "{}", &err));
        yk_recording_close(recording_at(path));
        in = fopen(victim, "r");
        assert_non_null(fgets(text, sizeof text, in));
        assert_string_equal(text, "precious");
        fclose(in);
    }
    free(path);
    free(part);
    free(victim);
}

/* Rows are written at normal priority beside a caller with a real-time one. */
static void a_caller_with_a_real_time_policy_records(void **state)
{
    const char *path = scratch_path("fifo.h5");
    double row[4] = {1, 2, 3, 4};

    if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 3}))
        skip(); /* this machine refuses real-time scheduling */
    struct yk_recorder *recorder = NULL;
    struct yk_err refused = {0};
    const enum yk_status opened = yk_recorder_open(&recorder, path, &info, streams, 2, &refused);
    sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    if (opened)
        fail_msg("%s", yk_err_line(&refused).text);
    assert_int_equal(yk_recorder_push_waiting(recorder, 0, row), YK_OK);
    assert_ok(yk_recorder_close(recorder, true, NULL, &err));
    struct yk_recording *recording = recording_at(path);
    assert_int_equal(yk_recording_rows(recording, 0), 1);
    yk_recording_close(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_samples_of_two_streams_come_back_bit_by_bit),
        cmocka_unit_test(channels_units_and_texts_come_back),
        cmocka_unit_test(texts_far_beyond_64_kilobytes_come_back),
        cmocka_unit_test(a_stopped_run_is_not_finished_and_has_its_summary),
        cmocka_unit_test(a_running_recording_can_be_read),
        cmocka_unit_test(an_older_recording_stays_until_the_new_one_is_open),
        cmocka_unit_test(the_real_time_push_drops_and_counts),
        cmocka_unit_test(a_wide_stream_is_recorded),
        cmocka_unit_test(what_cannot_be_recorded_is_refused),
        cmocka_unit_test(what_is_no_recording_is_refused),
        cmocka_unit_test(the_mark_of_a_dead_writer_is_overlooked),
        cmocka_unit_test(rows_beyond_the_end_are_refused),
        cmocka_unit_test(a_recording_that_is_being_written_is_not_replaced),
        cmocka_unit_test(a_recording_that_is_being_started_is_not_replaced),
        cmocka_unit_test(of_many_that_start_at_once_one_records),
        cmocka_unit_test(the_callers_hdf5_handler_is_left_in_place),
        cmocka_unit_test(a_recording_that_was_removed_is_noticed),
        cmocka_unit_test(a_caller_with_a_real_time_policy_records),
        cmocka_unit_test(links_named_like_the_part_are_not_followed),
    };
    return cmocka_run_group_tests_name("recorder", tests, scratch_create, scratch_remove);
}
