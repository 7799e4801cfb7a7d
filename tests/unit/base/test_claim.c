/* A device has one commander: the next is refused, until the first drops its claim or dies. */
#include "support/check.h"

#include <yoke/claim.h>

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *device(void)
{
    static char name[64];

    snprintf(name, sizeof name, "test %ld", (long)getpid());
    return name;
}

static void a_device_is_claimed_once(void **state)
{
    struct yk_claim first = {0}, second = {0}, other = {0};
    struct yk_err why = {0};

    assert_ok(yk_claim_take(&first, device(), &err));
    assert_int_equal(yk_claim_take(&second, device(), &why), YK_E_INPUT);
    char holder[160];
    snprintf(holder, sizeof holder,
             "is in use: another run or console on this machine commands it, process %ld of this user", (long)getpid());
    assert_non_null(strstr(yk_err_line(&why).text, holder));
    assert_ok(yk_claim_take(&other, "another device of this test", &err));
    yk_claim_drop(&second); /* was never taken */
    yk_claim_drop(&first);
    assert_ok(yk_claim_take(&second, device(), &err));
    yk_claim_drop(&second);
    yk_claim_drop(&other);
}

/* Somebody has taken the name for no claim: it is refused all the same, and the message says what it may be. */
static void a_name_that_is_no_claim_is_told(void **state)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "yoke-rig %s", device());
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct yk_claim claim = {0};

    assert_int_equal(bind(fd, (const struct sockaddr *)&name,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)),
                     0);
    assert_refused(yk_claim_take(&claim, device(), &err), YK_E_INPUT, "has taken its name");
    close(fd);
}

static void a_claim_dies_with_its_process(void **state)
{
    const char *name = device();
    struct yk_claim claim = {0};
    int told[2], status;
    char byte;

    assert_int_equal(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)!write(told[1], yk_claim_take(&claim, name, NULL) ? "n" : "y", 1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_int_equal(yk_claim_take(&claim, name, NULL), YK_E_INPUT);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_ok(yk_claim_take(&claim, name, &err));
    yk_claim_drop(&claim);
    close(told[0]);
    close(told[1]);
}

static void a_name_that_is_too_long_is_refused(void **state)
{
    struct yk_claim claim = {0};
    char name[200];

    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    assert_int_equal(yk_claim_take(&claim, name, NULL), YK_E_IO);
    assert_false(claim.held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_claimed_once),
        cmocka_unit_test(a_name_that_is_no_claim_is_told),
        cmocka_unit_test(a_claim_dies_with_its_process),
        cmocka_unit_test(a_name_that_is_too_long_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
