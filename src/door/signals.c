/* Effect of each signal on a run, in one table. */
#include "base/segment.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <yoke/end_signals.h>
#include <yoke/telemetry.h>

enum {
    BOUNCE_NS = 100000000,     /* one Ctrl-C may come twice: from the terminal, and from a program that passes it on */
    LOOK_NS = 10000000,        /* while a fault waits for the ramp */
    LONGEST_RAMP_S = 60,       /* that it waits for */
    LAST_ROWS_NS = 900000000,  /* for the recorder to write the rows of the ramp */
    FIRST_OF_THE_LIBRARY = 32, /* signals of the C library, which sigaction refuses */
    LAST_OF_THE_LIBRARY = 33
};

/* ORDER: somebody wants the end; said again, he wants it sooner. NOTICE: asks for the end once, however often it comes.
 * IGNORED: is of no use in a run. STAY: would stop a run with actuators half-way. FAULT: the program itself is wrong,
 * unless somebody sent it. Signals not listed here do nothing by themselves (SIGCHLD, SIGURG, SIGWINCH, SIGCONT) or
 * cannot be caught (SIGKILL, SIGSTOP). */
enum meaning { ORDER, NOTICE, IGNORED, STAY, FAULT };
static const struct {
    int signal;
    enum meaning meaning;
} table[] = {
    {SIGINT, ORDER},    {SIGTERM, ORDER},  {SIGQUIT, ORDER},    {SIGHUP, NOTICE},   {SIGPWR, NOTICE},
    {SIGXCPU, NOTICE},  {SIGUSR1, NOTICE}, {SIGUSR2, NOTICE},   {SIGALRM, NOTICE},  {SIGVTALRM, NOTICE},
    {SIGPROF, NOTICE},  {SIGPOLL, NOTICE}, {SIGSTKFLT, NOTICE}, {SIGPIPE, IGNORED}, /* a reader that left is an error
                                                                                       like any other */
    {SIGXFSZ, IGNORED},                                                             /* so is a file that may not grow */
    {SIGTSTP, STAY},    {SIGTTIN, STAY},   {SIGTTOU, STAY},     {SIGSEGV, FAULT},   {SIGBUS, FAULT},
    {SIGFPE, FAULT},    {SIGILL, FAULT},   {SIGABRT, FAULT},    {SIGTRAP, FAULT},   {SIGSYS, FAULT},
};
enum { ENTRIES = sizeof table / sizeof *table };

static struct yk_signal_use use;
static atomic_bool asked;      /* for the end, by any signal */
static atomic_llong last_ask;  /* when, by an order */
static atomic_int loop_thread; /* 0: not started yet */
static struct sigaction before[64];

/* ---- handlers: nothing but what POSIX or Linux allows there ---- */

static void on_order(int signal)
{
    const int64_t now = yk_clock_now_ns();

    if (now - atomic_exchange(&last_ask, now) < BOUNCE_NS)
        return;
    atomic_store(&asked, true);
    use.stop();
}

static void on_notice(int signal)
{
    if (!atomic_exchange(&asked, true))
        use.stop();
}

static void say(const char *words)
{
    const ssize_t written = write(STDERR_FILENO, words, strlen(words));

    (void)written; /* nobody reads: nothing can be done about it */
}

/* The loop is another thread and unharmed as far as one can know: it gets the time for its ramp. */
static void let_loop_finish(void)
{
    const int64_t until = yk_clock_now_ns() + LONGEST_RAMP_S * INT64_C(1000000000);

    use.stop();
    while (!atomic_load(use.done) && yk_clock_now_ns() < until)
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = LAST_ROWS_NS}, NULL);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const bool sent = info->si_code <= 0, by_itself = sent && info->si_pid == getpid();
    const int saved = errno, loop = atomic_load(&loop_thread);

    if (signal == SIGBUS && !sent && yk_segment_mend(info->si_addr)) {
        errno = saved;
        return;
    }
    if (sent && !by_itself) { /* by another process: nothing is wrong with this one */
        on_notice(signal);
        return;
    }
    sigaction(signal, &before[signal - 1], NULL); /* the next one ends the program, or is seen by a debugging tool */
    if (use.moves_actuators && loop && !atomic_load(use.done)) {
        if (loop == (int)syscall(SYS_gettid)) {
            say("\nyoke: internal error in the control loop: no more commands are sent, and the rig "
                "must make itself safe. The recording holds all but the last second.\n");
        } else {
            say("\nyoke: internal error outside the control loop: the loop ramps the actuators back, then the "
                "program ends. The recording is kept.\n");
            let_loop_finish();
        }
    }
    if (sent)
        raise(signal);
    errno = saved;
}

/* ---- preparation ---- */

static void let_in(void)
{
    sigset_t none;

    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void take_fault(int signal)
{
    struct sigaction mine = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    sigaction(signal, &mine, &before[signal - 1]);
    if (before[signal - 1].sa_handler == SIG_IGN)
        before[signal - 1].sa_handler = SIG_DFL;
}

/* Asked for by a handler of a tool (a profiler, say) it is left to that; under nohup SIGHUP is ignored already. */
static void take_request(int signal, void (*handler)(int))
{
    const int again = SA_RESTART | (use.moves_actuators ? 0 : (int)SA_RESETHAND);
    struct sigaction old;

    if (sigaction(signal, NULL, &old) || (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) ||
        (old.sa_handler == SIG_IGN && signal == SIGHUP))
        return;
    sigaction(signal, &(struct sigaction){.sa_handler = handler, .sa_flags = again}, NULL);
}

/* The C library keeps two signals to itself and takes care of them when it first needs them. Before that they would end
 * the program. The words of the kernel's structure: handler, flags, restorer, mask. */
static void ignore_signals_of_the_library(void)
{
    for (int signal = FIRST_OF_THE_LIBRARY; signal <= LAST_OF_THE_LIBRARY; signal++) {
        const unsigned long ignore[4] = {(unsigned long)SIG_IGN};
        unsigned long old[4] = {1};
        const size_t mask_bytes = 8;

        if (syscall(SYS_rt_sigaction, signal, NULL, old, mask_bytes) == 0 && old[0] == (unsigned long)SIG_DFL)
            syscall(SYS_rt_sigaction, signal, ignore, NULL, mask_bytes);
    }
}

void yk_signals_take(const struct yk_signal_use *how)
{
    use = *how;
    for (int i = 0; i < ENTRIES; i++) {
        const int signal = table[i].signal;

        switch (table[i].meaning) {
        case ORDER:
            take_request(signal, on_order);
            break;
        case NOTICE:
            take_request(signal, on_notice);
            break;
        case IGNORED:
            sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
            break;
        case STAY:
            if (use.moves_actuators)
                sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
            break;
        case FAULT:
            if (use.moves_actuators || signal == SIGBUS)
                take_fault(signal);
        }
    }
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
        take_request(signal, on_notice);
    if (use.moves_actuators)
        ignore_signals_of_the_library();
    let_in();
}

void yk_signals_mark_loop(void)
{
    atomic_store(&loop_thread, (int)syscall(SYS_gettid));
}

static void do_nothing(void)
{
}

void yk_telemetry_protect(void)
{
    static atomic_bool done;

    use = (struct yk_signal_use){.stop = do_nothing, .done = &done};
    take_fault(SIGBUS);
    let_in();
}
