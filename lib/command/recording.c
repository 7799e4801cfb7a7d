/* Recordings on the command line: what a word means, and which rows of it. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/command.h>

/* "out/frame" means its newest run where it holds several. */
static bool has_newest(const char *folder)
{
    char *path = NULL;
    const bool there = asprintf(&path, "%s/latest/run.h5", folder) >= 0 && access(path, F_OK) == 0;

    free(path);
    return there;
}

/* "out/frame" means its newest run where it holds several. */
char *yk_command_recording(const char *word)
{
    struct stat st;
    const bool folder = stat(word, &st) == 0 && S_ISDIR(st.st_mode);
    char *path = NULL;

    if (asprintf(&path, !folder ? "%s" : has_newest(word) ? "%s/latest/run.h5" : "%s/run.h5", word) < 0)
        return NULL;
    return path;
}

char *yk_command_label(const char *word)
{
    char *copy = strdup(word), *name = copy ? basename(copy) : NULL, *label;

    if (name && name > copy && strcmp(name, "run.h5") == 0) {
        name[-1] = 0;
        name = basename(copy);
    }
    if (name && name > copy && strcmp(name, "latest") == 0) {
        name[-1] = 0;
        name = basename(copy);
    }
    label = name ? strdup(name) : NULL;
    free(copy);
    return label;
}

bool yk_command_replaces(const char *out, const char *recording)
{
    struct stat a, b;

    if (!out || stat(out, &a) != 0 || stat(recording, &b) != 0 || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
        return false;
    fprintf(stderr, "yoke: %s is the recording itself; name another file\n", out);
    return true;
}

int yk_command_stream(const struct yk_recording *recording, const char *path, bool fine, bool ticks)
{
    const char *name = ticks ? "ticks" : fine ? "fine" : "system";
    const int stream = yk_recording_stream(recording, name);

    if (stream < 0)
        fprintf(stderr, "yoke: %s has no samples of %s\n", path,
                ticks  ? "control ticks: the run had no specimen"
                : fine ? "the fine step: the run was not coupled"
                       : "system steps: no method led this run; --ticks takes those of the rig");
    return stream;
}
