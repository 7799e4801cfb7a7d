/* Folders for temporary files. */
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "yoke-tmp-"

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    return remove(path);
}

void yk_scratch_remove(const char *folder)
{
    if (*folder)
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Folders of programs that no longer exist; the number in the name is that of the process. */
static void sweep(const char *above)
{
    DIR *dir = opendir(above);
    const struct dirent *entry;
    struct stat about;
    char path[YK_SCRATCH_PATH + 256];

    while (dir && (entry = readdir(dir))) {
        const long pid = strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 ? atol(entry->d_name + strlen(PREFIX)) : 0;

        if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof path, "%s/%s", above, entry->d_name);
        if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == getuid())
            yk_scratch_remove(path);
    }
    if (dir)
        closedir(dir);
}

enum yk_status yk_scratch_make(char *path, struct yk_err *err)
{
    const char *given = getenv("TMPDIR"), *above = given && *given == '/' && strlen(given) < 400 ? given : "/tmp";

    sweep(above);
    snprintf(path, YK_SCRATCH_PATH, "%s/" PREFIX "%ld-XXXXXX", above, (long)getpid());
    if (mkdtemp(path))
        return YK_OK;
    *path = 0;
    return yk_fail_at(err, YK_E_IO, YK_IN_FILE(above), "no temporary folder can be made here: %s", strerror(errno));
}
