/* Folders of recordings. A run of out/NAME gets its own folder, named after its start time, and out/NAME/latest is a
 * symbolic link to the newest. No recording is replaced unless the user requests it. */
#include "cli/folder.h"
#include "cli/cli.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_IN_A_SECOND = 1000 };

static bool exists(const char *folder, const char *name)
{
    char *path = NULL;
    const bool there = asprintf(&path, "%s/%s", folder, name) >= 0 && access(path, F_OK) == 0;

    free(path);
    return there;
}

static void report(const char *folder)
{
    fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
}

/* out/NAME of an experiment file: its own name without folder and ending. */
static char *home_of(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    char *home = NULL;

    return asprintf(&home, "out/%.*s", (int)(dot && dot != base ? dot - base : (long)strlen(base)), base) < 0 ? NULL
                                                                                                              : home;
}

char *folder_make_new(const char *file)
{
    char *home = home_of(file), *folder = NULL, stamp[32];
    const time_t now = time(NULL);
    struct tm local;

    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H-%M-%S", localtime_r(&now, &local));
    if (home && yk_make_folder(home)) {
        report(home);
        free(home);
        return NULL;
    }
    for (int i = 1; home && i <= MOST_IN_A_SECOND; i++) {
        char suffix[16] = "";

        if (i > 1)
            snprintf(suffix, sizeof suffix, "-%d", i);
        if (asprintf(&folder, "%s/%s%s", home, stamp, suffix) < 0)
            folder = NULL;
        if (!folder || mkdir(folder, 0777) == 0)
            break;
        if (errno != EEXIST || i == MOST_IN_A_SECOND) {
            report(folder);
            free(folder);
            free(home);
            return NULL;
        }
        free(folder);
        folder = NULL;
    }
    free(home);
    if (!folder)
        fputs("yoke: out of memory\n", stderr);
    return folder;
}

int folder_make(const char *folder)
{
    if (!yk_make_folder(folder))
        return 0;
    report(folder);
    return 1;
}

int folder_check(const char *folder, bool force, const char *choices)
{
    if (exists(folder, "latest")) {
        fprintf(stderr, "yoke: %s holds one folder per run, the newest as %s/latest; choose another folder%s\n", folder,
                folder, *choices ? ", or leave out -o" : "");
        return 2;
    }
    if (!force && exists(folder, "run.h5")) {
        fprintf(stderr, "yoke: %s already holds a recording; choose another folder%s\n", folder, choices);
        return 2;
    }
    return 0;
}

/* Something other than a link stands there, which somebody may want to keep. */
static bool is_taken(const char *link)
{
    struct stat st;

    if (lstat(link, &st) || S_ISLNK(st.st_mode))
        return false;
    errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
    return true;
}

/* The link is made under another name and renamed: there is one at every moment. */
void folder_mark_latest(const char *folder)
{
    const char *name = strrchr(folder, '/') + 1;
    const int home = (int)(name - folder - 1);
    char *link = NULL, *part = NULL;

    if (asprintf(&link, "%.*s/latest", home, folder) < 0 || is_taken(link) ||
        asprintf(&part, "%.*s/.latest-%d", home, folder, (int)getpid()) < 0 || (unlink(part) && errno != ENOENT) ||
        symlink(name, part) || rename(part, link))
        fprintf(stderr, "yoke: warning: %.*s/latest cannot be set to this run: %s\n", home, folder, strerror(errno));
    if (part)
        unlink(part);
    free(link);
    free(part);
}
