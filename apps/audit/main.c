/* yoke audit: shows and verifies the log of what was done to rigs. */
#include "options.h"
#include "verify.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yoke/json.h>

enum { SHOWN = 20 };

/* The last line of the log when a run ended, from its recording or summary; false after a message. */
static bool take_anchor(const char *word, struct yk_audit_anchor *anchor)
{
    char *path = yk_command_recording(word);
    struct yk_recording *recording = NULL;
    json_t *summary = NULL;
    struct yk_err err = {0};

    if (path && strlen(word) > 5 && strcmp(word + strlen(word) - 5, ".json") == 0)
        summary = yk_json_read_file(word);
    else if (path && !yk_recording_open(&recording, path, &err)) {
        const char *text = yk_recording_text(recording, "summary");

        summary = yk_json_read_text(text);
        yk_recording_close(recording);
    } else {
        yk_command_fail(&err);
        free(path);
        return false;
    }
    const json_t *last = json_object_get(summary, "audit");

    anchor->line = (long)json_integer_value(json_object_get(last, "line"));
    snprintf(anchor->hash, sizeof anchor->hash, "%s", yk_json_text(last, "hash"));
    json_decref(summary);
    free(path);
    if (anchor->line > 0)
        return true;
    fprintf(stderr, "yoke audit: %s names no line of an audit log: the run moved no rig outside this process\n", word);
    return false;
}

static int verify(const char *path, const char *against, bool json)
{
    struct yk_audit_anchor anchor = {0};
    struct audit_report r;
    struct yk_err err = {0};

    if (against && !take_anchor(against, &anchor))
        return 2;
    if (audit_verify(path, &anchor, &r, &err))
        return yk_command_fail(&err);
    if (json) {
        yk_print_json(json_pack("{s:o, s:b, s:I, s:I, s:I, s:o, s:s, s:s, s:s}", "log", yk_json_any(path), "holds",
                                r.broken == 0, "lines", (json_int_t)r.lines, "torn", (json_int_t)r.torn, "broken",
                                (json_int_t)r.broken, "why", yk_json_any(r.why), "first", r.first, "last", r.last,
                                "hash", r.end.hash));
    } else if (r.broken) {
        printf("%s:%ld: THE CHAIN IS BROKEN: %s\n", path, r.broken, r.why);
    } else {
        printf("%s: the chain holds: %ld entries", path, r.lines);
        if (r.lines)
            printf(" from %s to %s", r.first, r.last);
        if (r.torn)
            printf("; %ld incomplete, left by a process that died", r.torn);
        printf("%s\n", anchor.line ? "; the line that the run names is there" : "");
        if (r.lines && !anchor.line)
            puts("  Lines cut off at the end do not show in the chain: compare with a recording (--against RUN).");
    }
    return r.broken ? 4 : 0;
}

static void print_entry(const char *line, size_t length)
{
    json_t *entry = yk_json_read(line, length, 0);

    if (json_is_object(entry))
        printf("%6lld  %s  %-16s %-24s %-12s %s\n", (long long)json_integer_value(json_object_get(entry, "line")),
               yk_json_text(entry, "date"), yk_json_text(entry, "run"), yk_json_text(entry, "by"),
               yk_json_text(entry, "what"), yk_json_text(entry, "words"));
    else
        printf("%6s  (incomplete)\n", "-");
    json_decref(entry);
}

/* The last `count` entries. */
static int show(const char *path, long count)
{
    FILE *in = fopen(path, "r");
    char **kept = calloc((size_t)count, sizeof *kept), *line = NULL;
    size_t room = 0;
    long lines = 0;
    ssize_t got;

    if (!in || !kept) {
        fprintf(stderr, "yoke audit: cannot read %s\n", path);
        free(kept);
        if (in)
            fclose(in);
        return 1;
    }
    while ((got = getline(&line, &room, in)) > 0) {
        free(kept[lines % count]);
        kept[lines % count] = strndup(line, (size_t)got);
        lines++;
    }
    for (long i = lines > count ? lines - count : 0; i < lines; i++)
        if (kept[i % count])
            print_entry(kept[i % count], strlen(kept[i % count]));
    for (long i = 0; i < count; i++)
        free(kept[i]);
    free(kept);
    free(line);
    fclose(in);
    return 0;
}

static int run(int argc, char **argv)
{
    struct audit_options g = {0};
    struct yk_err err = {0};
    struct stat about;
    struct yk_words words;

    if (!yk_take_options(&command_audit, argc, argv, &g, &words))
        return 2;
    const bool verifies = words.count > 0 && strcmp(words.rest[0], "verify") == 0,
               shows = words.count > 0 && strcmp(words.rest[0], "show") == 0;

    if ((!verifies && !shows) || words.count > 2)
        return yk_misuse(&command_audit, "say verify or show, and the log if it is not the one of this user");
    if ((shows && (g.against || g.json)) || (verifies && g.last))
        return yk_misuse(&command_audit, shows ? "--against and --json go with verify" : "--last goes with show");
    char *path = words.count == 2 ? strdup(words.rest[1]) : yk_audit_path(&err);

    if (!path)
        return yk_command_fail(&err);
    int code = 2;

    if (stat(path, &about))
        fprintf(stderr, "yoke audit: there is no log %s; it begins with the first rig outside this process\n", path);
    else if (!S_ISREG(about.st_mode))
        fprintf(stderr, "yoke audit: %s is not a file\n", path);
    else
        code = verifies ? verify(path, g.against, g.json) : show(path, g.last ? g.last : SHOWN);
    free(path);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_audit, run, argc, argv);
}
