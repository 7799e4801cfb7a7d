/* Shared memory: whose it is, who may touch it, what a dead process leaves behind, and what happens when somebody cuts
 * it short. Parts that need a second user are left out unless the tests run as root. */
#include "support/check.h"
#include "support/own_shm.h"

#include "base/segment.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 5056, NOBODY = 65534 };

static char name[64], path[100], file[120];
static bool alone; /* nobody else uses this /dev/shm */

static int be_alone(void **state)
{
    alone = own_shm();
    return 0;
}

/* A name of its own for each test. */
static int set_up(void **state)
{
    static int number;

    snprintf(name, sizeof name, "test-segment-%d-%d", (int)getpid(), number++);
    snprintf(path, sizeof path, "/yoke-%s", name);
    snprintf(file, sizeof file, "/dev/shm%s", path);
    return 0;
}

static int tear_down(void **state)
{
    unlink(file);
    return 0;
}

static bool is_there(void)
{
    struct stat info;

    return lstat(file, &info) == 0;
}

static void cut_to(off_t size)
{
    const int fd = shm_open(path, O_RDWR, 0);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, size), 0);
    close(fd);
}

static void on_bus(int signal, siginfo_t *info, void *context)
{
    if (!yk_segment_mend(info->si_addr))
        _exit(9);
}

/* Both ends have it mapped; cut at its beginning, within it and at its second page. */
static void a_block_that_is_cut_short_becomes_private_memory(void **state)
{
    static const off_t sizes[] = {0, 1, 4096};
    struct sigaction before;

    sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO}, &before);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct yk_segment made, opened;

        assert_ok(yk_segment_create(&made, name, SIZE, 0600, &err));
        assert_ok(yk_segment_open(&opened, name, SIZE, true, &err));
        memset(made.at, 7, SIZE);
        assert_int_equal(((volatile char *)opened.at)[SIZE - 1], 7);
        assert_false(yk_segment_is_cut(&made) || yk_segment_is_cut(&opened));
        cut_to(sizes[i]);
        ((volatile char *)made.at)[SIZE - 1] = 8;
        assert_int_equal(((volatile char *)opened.at)[SIZE - 1], 0);
        assert_true(yk_segment_is_cut(&made) && yk_segment_is_cut(&opened));
        assert_int_equal(((volatile char *)made.at)[SIZE - 1], 8); /* it holds what is written now */
        assert_int_equal(((volatile char *)made.at)[0], 0);        /* all of it is new */
        yk_segment_close(&opened);
        yk_segment_close(&made);
        assert_false(is_there());
    }
    sigaction(SIGBUS, &before, NULL);
}

static void only_blocks_are_mended(void **state)
{
    struct yk_segment s;
    char here;

    assert_ok(yk_segment_create(&s, name, SIZE, 0600, &err));
    const char *at = s.at;
    assert_false(yk_segment_mend(&here));
    assert_false(yk_segment_mend(NULL));
    assert_false(yk_segment_mend(at + SIZE));
    yk_segment_close(&s);
    assert_false(yk_segment_mend(at));
}

/* Leaves a block without an owner. */
static void leave_remnant(void)
{
    struct yk_segment s;
    int status;

    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(yk_segment_create(&s, name, SIZE, 0600, NULL) ? 1 : 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* Who may read a block may lock it in every way that a file open for reading allows. */
static void a_lock_of_a_reader_keeps_nobody_from_a_remnant(void **state)
{
    struct yk_segment s, view;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

    leave_remnant();
    const int fd = shm_open(path, O_RDONLY, 0);
    if (fd < 0 && !alone)
        skip(); /* a run beside this test has swept it */
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
    assert_ok(yk_segment_open(&view, name, SIZE, false, &err));
    assert_false(yk_segment_has_owner(&view));
    yk_segment_close(&view);
    assert_ok(yk_segment_create(&s, name, SIZE, 0644, &err));
    assert_ok(yk_segment_open(&view, name, SIZE, false, &err));
    assert_true(yk_segment_has_owner(&view));
    yk_segment_close(&view);
    yk_segment_close(&s);
    close(fd);
}

static void remnants_are_swept_and_what_is_in_use_stays(void **state)
{
    struct yk_segment live;

    leave_remnant();
    assert_true(is_there() || !alone); /* a run beside this test may have swept it */
    yk_segment_sweep();
    assert_false(is_there());

    assert_ok(yk_segment_create(&live, name, SIZE, 0600, &err));
    yk_segment_sweep();
    assert_true(is_there());
    yk_segment_close(&live);
    assert_false(is_there());

    /* neither a link nor a FIFO is a block, whoever made it; neither is followed or waited for */
    assert_int_equal(symlink("/dev/null", file), 0);
    yk_segment_sweep();
    assert_true(is_there());
    unlink(file);
    assert_int_equal(mkfifo(file, 0600), 0);
    yk_segment_sweep();
    assert_true(is_there());
}

static void what_another_user_left_is_not_touched(void **state)
{
    struct yk_segment s;

    if (geteuid() != 0 || !alone)
        skip();
    leave_remnant();
    assert_true(is_there());
    assert_int_equal(chown(file, NOBODY, NOBODY), 0);
    yk_segment_sweep();
    assert_true(is_there());
    assert_refused(yk_segment_create(&s, name, SIZE, 0600, &err), YK_E_INPUT, "belongs to another user");
    assert_true(is_there());
}

static void a_block_of_another_user_is_refused(void **state)
{
    struct yk_segment made, opened;

    if (geteuid() != 0)
        skip();
    assert_ok(yk_segment_create(&made, name, SIZE, 0644, &err));
    assert_int_equal(fchown(made.fd, NOBODY, NOBODY), 0);
    assert_refused(yk_segment_open(&opened, name, SIZE, true, &err), YK_E_INPUT, "belongs to another user");
    assert_ok(yk_segment_open(&opened, name, SIZE, false, &err)); /* to look at it does no harm */
    assert_false(yk_segment_is_mine(&opened));
    yk_segment_close(&opened);
    yk_segment_close(&made);
}

static void a_block_that_others_may_change_is_refused(void **state)
{
    static const struct {
        mode_t mode;
        bool to_write, to_read; /* allowed */
    } cases[] = {{0600, true, true}, {0644, false, true}, {0660, false, false}, {0602, false, false}};
    struct yk_segment made, opened;
    struct yk_err why;

    assert_ok(yk_segment_create(&made, name, SIZE, 0600, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(fchmod(made.fd, cases[i].mode), 0);
        for (int writable = 0; writable < 2; writable++) {
            const bool good = writable ? cases[i].to_write : cases[i].to_read;
            const enum yk_status st = yk_segment_open(&opened, name, SIZE, writable, &why);

            assert_int_equal(st, good ? YK_OK : YK_E_INPUT);
            if (st)
                assert_non_null(strstr(yk_err_line(&why).text, "by other users (mode 06"));
            yk_segment_close(&opened);
        }
    }
    yk_segment_close(&made);
}

static void what_is_not_shared_memory_is_refused(void **state)
{
    struct yk_segment s;

    assert_int_equal(symlink("/etc/passwd", file), 0);
    assert_refused(yk_segment_open(&s, name, 1, false, &err), YK_E_IO, "cannot open shared memory");
    assert_refused(yk_segment_create(&s, name, SIZE, 0600, &err), YK_E_INPUT, "belongs to another user");
    unlink(file);
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_refused(yk_segment_open(&s, name, 1, true, &err), YK_E_INPUT, "is not shared memory");
    assert_refused(yk_segment_create(&s, name, SIZE, 0600, &err), YK_E_INPUT, "belongs to another user");
}

/* Between the making of a block and its lock others may take it for a remnant. */
static void those_who_sweep_do_not_take_what_is_just_made(void **state)
{
    enum { SWEEPERS = 2, TIMES = 1000 };
    pid_t sweepers[SWEEPERS];

    fflush(NULL);
    for (int i = 0; i < SWEEPERS; i++)
        if ((sweepers[i] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                yk_segment_sweep();
        }
    for (int i = 0; i < TIMES; i++) {
        struct yk_segment s;

        assert_ok(yk_segment_create(&s, name, SIZE, 0600, &err));
        assert_true(is_there());
        yk_segment_close(&s);
    }
    for (int i = 0; i < SWEEPERS; i++) {
        kill(sweepers[i], SIGKILL);
        waitpid(sweepers[i], NULL, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_block_that_is_cut_short_becomes_private_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_blocks_are_mended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lock_of_a_reader_keeps_nobody_from_a_remnant, set_up, tear_down),
        cmocka_unit_test_setup_teardown(remnants_are_swept_and_what_is_in_use_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_another_user_left_is_not_touched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_block_of_another_user_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_block_that_others_may_change_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_shared_memory_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(those_who_sweep_do_not_take_what_is_just_made, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("segment", tests, be_alone, NULL);
}
