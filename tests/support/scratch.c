#include "support/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[512];

int scratch_create(void **state)
{
    const char *root = getenv("TMPDIR");

    snprintf(directory, sizeof directory, "%s/yoke-test-XXXXXX", root ? root : "/tmp");
    return mkdtemp(directory) ? 0 : -1;
}

const char *scratch_path(const char *name)
{
    static char paths[8][1024];
    static int next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

int scratch_remove(void **state)
{
    DIR *dir = opendir(directory);

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            remove(scratch_path(entry->d_name));
    if (dir)
        closedir(dir);
    return rmdir(directory);
}
