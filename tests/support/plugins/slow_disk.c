/* Not a plugin: preloaded (LD_PRELOAD), stands for a disk that takes nothing as long as the file SLOW_WHILE is there.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    const char *file = getenv("SLOW_WHILE");

    while (file && access(file, F_OK) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return syscall(SYS_pwrite64, fd, data, size, offset);
}
