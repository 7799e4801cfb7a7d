/* Words of a list of OpenSees commands: numbers, options, what a command refers to. The first failure is kept in the
 * frame; after it everything answers 0 or NULL. */
#include "model/import/opensees_frame.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void yk_word_refuse(struct yk_opensees_frame *f, const struct yk_command *c, const char *what, struct yk_span word)
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

bool yk_word_expect(struct yk_opensees_frame *f, const struct yk_command *c, size_t count)
{
    if (c->count >= count)
        return true;
    yk_word_refuse(f, c, "too few words after ", c->word[c->count - 1]);
    return false;
}

double yk_word_number(struct yk_opensees_frame *f, const struct yk_command *c, size_t i)
{
    double value = 0;

    if (f->st || !yk_word_expect(f, c, i + 1))
        return 0;
    if (yk_number_scan(c->word[i].begin, c->word[i].end, &value) == c->word[i].end && isfinite(value))
        return value;
    yk_word_refuse(f, c, "a number is expected, not ", c->word[i]);
    return 0;
}

double yk_word_optional(struct yk_opensees_frame *f, const struct yk_command *c, size_t i, double fallback)
{
    return i < c->count ? yk_word_number(f, c, i) : fallback;
}

int64_t yk_word_whole(struct yk_opensees_frame *f, const struct yk_command *c, size_t i)
{
    const double value = yk_word_number(f, c, i);

    if (!f->st && (value != floor(value) || fabs(value) > 1e15))
        yk_word_refuse(f, c, "a whole number is expected, not ", c->word[i]);
    return f->st ? 0 : (int64_t)value;
}

size_t yk_command_option(const struct yk_command *c, const char *name)
{
    for (size_t i = 1; i < c->count; i++)
        if (yk_span_is(c->word[i], name))
            return i;
    return 0;
}

size_t yk_command_plain(const struct yk_command *c)
{
    size_t i = 1;

    while (i < c->count && !(*c->word[i].begin == '-' && c->word[i].end - c->word[i].begin > 1 &&
                             ((c->word[i].begin[1] | 32) >= 'a' && (c->word[i].begin[1] | 32) <= 'z')))
        i++;
    return i;
}

bool yk_command_is(const struct yk_command *c, const char *name, const char *kind)
{
    return yk_span_is(c->word[0], name) && (!kind || (c->count > 1 && yk_span_is(c->word[1], kind)));
}

const struct yk_command *yk_command_find(struct yk_opensees_frame *f, const struct yk_command *user, const char *name,
                                         size_t at, int64_t tag)
{
    double value;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (yk_command_is(c, name, NULL) && c->count > at &&
            yk_number_scan(c->word[at].begin, c->word[at].end, &value) == c->word[at].end && value == (double)tag)
            return c;
    }
    if (!f->st)
        f->st = yk_fail_at(f->err, YK_E_INPUT, (struct yk_where){f->commands.name, user->line, 0},
                           "%s: there is no %s %" PRId64, yk_quote(user->word[0]).text, name, tag);
    return NULL;
}
