/* yoke-fmu-host: the process that an FMU runs in. It may crash, loop, allocate or exit there without harm to a run.
 * Started by the program; its memory is file descriptor 3, and descriptor 4 ends when the program does.
 *
 * The first answer is the status of loading; after it every request gets one. */
#include "fmi/shared.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ---- the heap, counted: an FMU that is loaded finds these first ---- */

static _Thread_local unsigned long heap_calls __attribute__((tls_model("initial-exec")));

// NOLINTBEGIN: names of the C library and of the sanitizers
#if SANITIZED
/* An FMU that crashes or exits must look as it does without them. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:detect_leaks=0";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "handle_segv=0:atexit_sleep_ms=0";
}
#elif defined(__GLIBC__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *at, size_t size);

void *malloc(size_t size)
{
    heap_calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    heap_calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *at, size_t size)
{
    heap_calls++;
    return __libc_realloc(at, size);
}
#endif
// NOLINTEND

/* ---- */

static void *watch_program(void *unused)
{
    char byte;

    while (read(YK_FMU_LIFE_FD, &byte, 1) > 0)
        ;
    _exit(0);
    return NULL;
}

static void confine(void)
{
    pthread_t watcher;

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#if !SANITIZED
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)4 << 30, (rlim_t)4 << 30});
#endif
    if (pthread_create(&watcher, NULL, watch_program, NULL) != 0)
        _exit(1);
}

/* One below the thread that asks, so that a busy machine does not keep that waiting. Where it is refused, nothing
 * changes. */
static void follow_priority(uint64_t asking)
{
    static uint64_t followed;

    if (asking == followed)
        return;
    followed = asking;
    const int priority = asking > 1 ? (int)asking - 1 : (int)asking;
    sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER, &(struct sched_param){.sched_priority = priority});
}

int main(void)
{
    struct stat about;
    struct yk_fmu_shared *shared;
    struct yk_fmu_instance *instance;
    struct yk_board *requests, *answers;
    union yk_fmu_word *request, *answer;
    struct yk_err err = {0};
    uint64_t seen = 0;
    size_t length;

    if (fstat(YK_FMU_MEMORY_FD, &about) != 0 || (size_t)about.st_size < sizeof *shared) {
        fputs("yoke-fmu-host is started by yoke and does nothing by itself\n", stderr);
        return 2;
    }
    shared = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, YK_FMU_MEMORY_FD, 0);
    if (shared == MAP_FAILED || (size_t)about.st_size < yk_fmu_shared_size(&shared->job))
        return 2;
    confine();
    const size_t request_words = yk_fmu_request_words(&shared->job), answer_words = yk_fmu_answer_words(&shared->job);
    requests = (struct yk_board *)((char *)shared + yk_fmu_requests_at());
    answers = (struct yk_board *)((char *)shared + yk_fmu_answers_at(&shared->job));
    if (!(request = calloc(request_words, sizeof *request)) || !(answer = calloc(answer_words, sizeof *answer)))
        return 1;
    answer[0].n = yk_fmu_instance_open(&instance, &shared->job, shared->where, shared->text, &err);
    if (answer[0].n)
        snprintf(shared->text, sizeof shared->text, "%.*s", YK_FMU_TEXT - 1, yk_err_line(&err).text);
    yk_board_post(answers, answer_words, &answer[0].n, answer_words);
    yk_board_ring(answers);
    if (!instance)
        return 0;
    for (;;) {
        unsigned long before = heap_calls;

        while (!yk_board_wait(requests, seen, YK_FMU_SPIN_NS, INT64_MAX))
            ;
        if (!(seen = yk_board_read(requests, request_words, &request[0].n, &length)))
            continue;
        if ((request[0].n & 0xff) == YK_FMU_END)
            break;
        follow_priority(request[5].n);
        yk_fmu_instance_answer(instance, request, answer);
        answer[3].n = heap_calls - before;
        yk_board_post(answers, answer_words, &answer[0].n, answer_words);
        yk_board_ring(answers);
        if (answer[0].n == YK_FMU_FATAL)
            _exit(0); /* nothing of it may be called any more */
    }
    yk_fmu_instance_close(instance);
    _exit(0); /* what the FMU registered to run at the end is of no use */
}
