/* Splits a list of OpenSees commands into words, as Tcl does, but knows neither variables nor loops: tools/opensees
 * has scripts that run a model and write down its commands. */
#include "commands.h"

#include <stdlib.h>

struct scanner {
    struct opensees_commands *commands;
    size_t room, word_count, word_room;
    const char *p, *end;
    int line;
    struct yk_err *err;
};

static enum yk_status grow(void **list, size_t *room, size_t used, size_t size, struct yk_err *err)
{
    if (used < *room)
        return YK_OK;
    *room = *room ? 2 * *room : 256;
    void *more = realloc(*list, *room * size);
    if (!more)
        return yk_fail(err, YK_E_MEMORY, "no memory for %zu words", *room);
    *list = more;
    return YK_OK;
}

static enum yk_status add_word(struct scanner *s, const char *begin, const char *end)
{
    enum yk_status st =
        grow((void **)&s->commands->words, &s->word_room, s->word_count, sizeof(struct yk_piece), s->err);

    if (!st)
        s->commands->words[s->word_count++] = (struct yk_piece){begin, end};
    return st;
}

/* A backslash at the end of a line. */
static size_t continued(const struct scanner *s)
{
    if (s->p >= s->end || *s->p != '\\')
        return 0;
    if (s->end - s->p >= 2 && s->p[1] == '\n')
        return 2;
    return s->end - s->p >= 3 && s->p[1] == '\r' && s->p[2] == '\n' ? 3 : 0;
}

static bool ends_command(char c)
{
    return c == '\n' || c == '\r' || c == ';';
}

/* A word in braces or quotes; p is behind it afterwards. */
static enum yk_status take_enclosed(struct scanner *s)
{
    const char open = *s->p, close = open == '{' ? '}' : '"', *begin = s->p + 1;
    const int line = s->line;
    int depth = 1;

    for (s->p++; s->p < s->end && depth > 0; s->p++) {
        s->line += *s->p == '\n';
        depth += *s->p == close ? -1 : *s->p == open ? 1 : 0;
    }
    if (depth > 0)
        return yk_fail_at(s->err, YK_E_INPUT, (struct yk_where){s->commands->name, line, 0}, "'%c' is not closed",
                          open);
    return add_word(s, begin, s->p - 1);
}

static enum yk_status take_plain(struct scanner *s)
{
    const char *begin = s->p;

    while (s->p < s->end && !yk_is_blank(*s->p) && !ends_command(*s->p) && !continued(s))
        s->p++;
    return add_word(s, begin, s->p);
}

/* The words of one command; none at an empty line or comment. */
static enum yk_status take_command(struct scanner *s, struct opensees_command *command)
{
    const size_t first = s->word_count;
    enum yk_status st = YK_OK;

    *command = (struct opensees_command){.line = s->line};
    while (!st && s->p < s->end && !ends_command(*s->p)) {
        const size_t joint = continued(s);

        if (joint) {
            s->line++;
            s->p += joint;
        } else if (yk_is_blank(*s->p))
            s->p++;
        else if (*s->p == '#' && s->word_count == first)
            while (s->p < s->end && *s->p != '\n')
                s->p++;
        else if (*s->p == '{' || *s->p == '"')
            st = take_enclosed(s);
        else
            st = take_plain(s);
    }
    if (s->p < s->end) {
        s->line += *s->p == '\n';
        s->p++;
    }
    command->count = s->word_count - first;
    return st;
}

static bool is_fibre_section(const struct yk_piece *word, size_t count)
{
    return count > 3 && yk_piece_is(word[0], "section") && yk_piece_starts(word[1], "Fiber");
}

static enum yk_status scan(struct scanner *s, int depth)
{
    struct opensees_commands *all = s->commands;
    enum yk_status st = YK_OK;

    while (!st && s->p < s->end) {
        struct opensees_command command;
        struct yk_piece block = {0};

        if ((st = take_command(s, &command)) || command.count == 0)
            continue;
        if ((st = grow((void **)&all->list, &s->room, all->count, sizeof command, s->err)))
            continue;
        const struct yk_piece *word = all->words + s->word_count - command.count;
        if (depth == 0 && is_fibre_section(word, command.count) && word[command.count - 1].end < s->end &&
            *word[command.count - 1].end == '}') {
            block = word[command.count - 1];
            command.count--;
            s->word_count--;
        }
        all->list[all->count++] = command;
        if (block.begin) {
            struct scanner inner = *s;

            inner.p = block.begin;
            inner.end = block.end;
            inner.line = command.line;
            st = scan(&inner, depth + 1);
            s->room = inner.room;
            s->word_room = inner.word_room;
            s->word_count = inner.word_count;
        }
    }
    return st;
}

enum yk_status opensees_read(struct opensees_commands *commands, const struct yk_text *text, struct yk_err *err)
{
    struct scanner s = {.commands = commands, .p = text->data, .end = text->data + text->size, .line = 1, .err = err};
    enum yk_status st;

    *commands = (struct opensees_commands){.name = text->name};
    if ((st = scan(&s, 0))) {
        opensees_free(commands);
        return st;
    }
    size_t used = 0;
    for (size_t i = 0; i < commands->count; i++) { /* the words have stopped moving */
        commands->list[i].word = commands->words + used;
        used += commands->list[i].count;
    }
    return YK_OK;
}

void opensees_free(struct opensees_commands *commands)
{
    free(commands->list);
    free(commands->words);
    *commands = (struct opensees_commands){0};
}
