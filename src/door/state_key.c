/* The check sum of saved states: see state_key.h. Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012. */
#include "door/state_key.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 600 };

static uint64_t key[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The folder, made where it is missing. */
static bool find_folder(char folder[PATH])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const char *const parts[] = {"/.local", "/state", "/yoke"};

    if (state && *state == '/' && strlen(state) < PATH - 20) {
        snprintf(folder, PATH, "%s/yoke", state);
        return mkdir(folder, 0700) == 0 || errno == EEXIST;
    }
    if (!home || *home != '/' || strlen(home) > PATH - 40)
        return false;
    strcpy(folder, home);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        strcat(folder, parts[i]);
        if (mkdir(folder, 0700) && errno != EEXIST)
            return false;
    }
    return true;
}

static bool read_key(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    const bool good = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
                      !(about.st_mode & 077) && read(fd, key, sizeof key) == (ssize_t)sizeof key;

    if (fd >= 0)
        close(fd);
    return good;
}

/* Complete before it has its name: another process may do the same at this moment, and one of them is first. */
static bool write_key(const char *path)
{
    char part[PATH + 40];
    int fd;

    snprintf(part, sizeof part, "%s.%ld", path, (long)getpid());
    unlink(part);
    if ((fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0)
        return false;
    const bool good = write(fd, key, sizeof key) == (ssize_t)sizeof key && fsync(fd) == 0;

    close(fd);
    const bool named = good && link(part, path) == 0;
    unlink(part);
    return named;
}

static void find_key(void)
{
    char folder[PATH], path[PATH + 20];

    if (find_folder(folder)) {
        snprintf(path, sizeof path, "%s/state.key", folder);
        if (read_key(path))
            return;
    } else {
        *path = 0;
    }
    while (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
        ;
    if (*path && !write_key(path)) {
        const uint64_t own[2] = {key[0], key[1]};

        if (!read_key(path))
            memcpy(key, own, sizeof key);
    }
}

const uint64_t *yk_state_key(void)
{
    pthread_once(&once, find_key);
    return key;
}

static inline uint64_t turned(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = turned(v[1], 13) ^ v[0];
    v[0] = turned(v[0], 32);
    v[2] += v[3];
    v[3] = turned(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = turned(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = turned(v[1], 17) ^ v[2];
    v[2] = turned(v[2], 32);
}

static inline void take(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v);
    mix(v);
    v[0] ^= word;
}

uint64_t yk_state_sum(uint64_t sum, const void *bytes, size_t size)
{
    const uint64_t *k = yk_state_key();
    const unsigned char *at = bytes;
    uint64_t v[4] = {k[0] ^ 0x736f6d6570736575u, k[1] ^ 0x646f72616e646f6du, k[0] ^ 0x6c7967656e657261u,
                     k[1] ^ 0x7465646279746573u};

    take(v, sum);
    take(v, size);
    for (size_t now; size; size -= now, at += now) {
        uint64_t word = 0;

        now = size < sizeof word ? size : sizeof word;
        memcpy(&word, at, now);
        take(v, word);
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
