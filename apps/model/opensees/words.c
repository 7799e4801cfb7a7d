/* Words of a list of OpenSees commands: numbers, options, what a command refers to. The first failure is kept in the
 * frame; after it everything answers 0 or NULL. */
#include "frame.h"

#include <yoke/number.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

void opensees_word_refuse(struct opensees_frame *f, const struct opensees_command *c, const char *what,
                          struct yk_piece word)
{
    if (!f->st)
        f->st =
            yk_fail_at(f->err, YK_E_INPUT, (struct yk_where){f->commands.name, c->line, 0}, "%s: %s'%s'%s",
                       yk_quote(c->word[0]).text, what, yk_quote(word).text,
                       memchr(word.begin, '$', (size_t)(word.end - word.begin)) ||
                               memchr(word.begin, '[', (size_t)(word.end - word.begin))
                           ? "; variables are not known here: record the commands with tools/opensees/yoke_record.tcl"
                           : "");
}

bool opensees_word_expect(struct opensees_frame *f, const struct opensees_command *c, size_t count)
{
    if (c->count >= count)
        return true;
    opensees_word_refuse(f, c, "too few words after ", c->word[c->count - 1]);
    return false;
}

double opensees_word_number(struct opensees_frame *f, const struct opensees_command *c, size_t i)
{
    double value = 0;

    if (f->st || !opensees_word_expect(f, c, i + 1))
        return 0;
    if (yk_number_scan(c->word[i].begin, c->word[i].end, &value) == c->word[i].end && isfinite(value))
        return value;
    opensees_word_refuse(f, c, "a number is expected, not ", c->word[i]);
    return 0;
}

double opensees_word_optional(struct opensees_frame *f, const struct opensees_command *c, size_t i, double fallback)
{
    return i < c->count ? opensees_word_number(f, c, i) : fallback;
}

int64_t opensees_word_whole(struct opensees_frame *f, const struct opensees_command *c, size_t i)
{
    const double value = opensees_word_number(f, c, i);

    if (!f->st && (value != floor(value) || fabs(value) > 1e15))
        opensees_word_refuse(f, c, "a whole number is expected, not ", c->word[i]);
    return f->st ? 0 : (int64_t)value;
}

size_t opensees_option(const struct opensees_command *c, const char *name)
{
    for (size_t i = 1; i < c->count; i++)
        if (yk_piece_is(c->word[i], name))
            return i;
    return 0;
}

size_t opensees_plain(const struct opensees_command *c)
{
    size_t i = 1;

    while (i < c->count && !(*c->word[i].begin == '-' && c->word[i].end - c->word[i].begin > 1 &&
                             ((c->word[i].begin[1] | 32) >= 'a' && (c->word[i].begin[1] | 32) <= 'z')))
        i++;
    return i;
}

bool opensees_is(const struct opensees_command *c, const char *name, const char *kind)
{
    return yk_piece_is(c->word[0], name) && (!kind || (c->count > 1 && yk_piece_is(c->word[1], kind)));
}

const struct opensees_command *opensees_find(struct opensees_frame *f, const struct opensees_command *user,
                                             const char *name, size_t at, int64_t tag)
{
    double value;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (opensees_is(c, name, NULL) && c->count > at &&
            yk_number_scan(c->word[at].begin, c->word[at].end, &value) == c->word[at].end && value == (double)tag)
            return c;
    }
    if (!f->st)
        f->st = yk_fail_at(f->err, YK_E_INPUT, (struct yk_where){f->commands.name, user->line, 0},
                           "%s: there is no %s %" PRId64, yk_quote(user->word[0]).text, name, tag);
    return NULL;
}
