/* Bytes of the OpenFresco messages, written one by one: the same on every machine. */
#include "rig/fresco.h"

#include "rig/little_endian.h"

#include <math.h>
#include <string.h>

void yk_fresco_put_ints(const int *values, size_t count, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++)
        bytes = yk_put_little(bytes, (uint32_t)values[i], 4);
}

static void get_ints(const unsigned char *bytes, size_t count, int *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (int32_t)(uint32_t)yk_get_little(bytes + 4 * i, 4);
}

YK_RT void yk_fresco_put_doubles(const double *values, size_t count, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        bytes = yk_put_little(bytes, bits, 8);
    }
}

YK_RT void yk_fresco_get_doubles(const unsigned char *bytes, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = yk_get_little(bytes + 8 * i, 8);

        memcpy(&values[i], &bits, sizeof bits);
    }
}

void yk_fresco_put_sizes(const struct yk_fresco_sizes *s, unsigned char bytes[YK_FRESCO_SIZES_BYTES])
{
    yk_fresco_put_ints(s->ctrl, YK_FRESCO_BLOCKS, bytes);
    yk_fresco_put_ints(s->daq, YK_FRESCO_BLOCKS, bytes + 20);
    yk_fresco_put_ints(&s->data, 1, bytes + 40);
}

struct yk_fresco_sizes yk_fresco_get_sizes(const unsigned char bytes[YK_FRESCO_SIZES_BYTES])
{
    struct yk_fresco_sizes s;

    get_ints(bytes, YK_FRESCO_BLOCKS, s.ctrl);
    get_ints(bytes + 20, YK_FRESCO_BLOCKS, s.daq);
    get_ints(bytes + 40, 1, &s.data);
    return s;
}

YK_RT double yk_fresco_code(enum yk_fresco_action action)
{
    return action / 10.0;
}

YK_RT size_t yk_fresco_place(const int *sizes, enum yk_fresco_block block, size_t behind)
{
    for (int i = 0; i < (int)block; i++)
        behind += (size_t)sizes[i];
    return behind;
}

bool yk_fresco_sizes_are_sane(const struct yk_fresco_sizes *s)
{
    if (s->data < 1 || s->data > YK_FRESCO_MOST)
        return false;
    for (int i = 0; i < YK_FRESCO_BLOCKS; i++)
        if (s->ctrl[i] < 0 || s->ctrl[i] > YK_FRESCO_MOST || s->daq[i] < 0 || s->daq[i] > YK_FRESCO_MOST)
            return false;
    return yk_fresco_place(s->ctrl, YK_FRESCO_BLOCKS, 1) <= (size_t)s->data &&
           yk_fresco_place(s->daq, YK_FRESCO_BLOCKS, 1) <= (size_t)s->data; /* 1: the flag of SimSimulink */
}

/* ---- the stream ---- */

void yk_fresco_reader_init(struct yk_fresco_reader *r, enum yk_fresco_dialect dialect, bool greets)
{
    r->dialect = dialect;
    r->sizes = (struct yk_fresco_sizes){0};
    r->problem = NULL;
    r->text[0] = 0;
    r->filled = 0;
    r->greeted = !greets || dialect != YK_FRESCO_ACTOR;
    r->sized = false;
    r->length = !r->greeted ? 4 : dialect == YK_FRESCO_ACTOR ? 8 * YK_FRESCO_DATA : YK_FRESCO_SIZES_BYTES;
}

bool yk_fresco_is_amid(const struct yk_fresco_reader *r)
{
    return r->filled > 0;
}

static enum yk_fresco_event bad(struct yk_fresco_reader *r, const char *problem)
{
    r->problem = problem;
    return YK_FRESCO_BAD;
}

/* How long the next message of a session is by its first byte: a line of text begins with 2, and no action does. */
static size_t length_of_next(const struct yk_fresco_reader *r, unsigned char first)
{
    if (r->dialect == YK_FRESCO_GENERIC && r->sized && first == 2)
        return YK_FRESCO_TEXT_BYTES;
    return 8 * (size_t)(r->sized ? r->sizes.data : YK_FRESCO_DATA);
}

static enum yk_fresco_event take_sizes(struct yk_fresco_reader *r, struct yk_fresco_sizes sizes)
{
    if (!yk_fresco_sizes_are_sane(&sizes))
        return bad(r, "the sizes that open the session make no sense; is it another dialect or byte order?");
    r->sizes = sizes;
    r->sized = true;
    return YK_FRESCO_SIZES;
}

static bool find_action(double code, enum yk_fresco_action *action)
{
    static const enum yk_fresco_action known[] = {
#define X(id, tenths) YK_FRESCO_##id,
        YK_FRESCO_ACTION_LIST(X)
#undef X
    };

    *action = YK_FRESCO_UNKNOWN;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (code == yk_fresco_code(known[i]))
            *action = known[i];
    return *action || (code >= 0 && code <= 1000 && code == floor(code));
}

static enum yk_fresco_event take_vector(struct yk_fresco_reader *r)
{
    const size_t count = r->filled / 8;

    yk_fresco_get_doubles(r->bytes, count, r->values);
    if (!find_action(r->values[0], &r->action))
        return bad(r, "a vector without an action");
    if (r->dialect != YK_FRESCO_ACTOR || r->sized)
        return YK_FRESCO_VECTOR;
    if (r->action == YK_FRESCO_SETUP) { /* its sizes follow */
        if (!(r->values[1] >= 1 && r->values[1] <= YK_FRESCO_MOST && r->values[1] == floor(r->values[1])))
            return bad(r, "the length of the vectors makes no sense");
        r->sizes.data = (int)r->values[1];
        r->length = YK_FRESCO_SETUP_BYTES;
        return YK_FRESCO_NOTHING;
    }
    return r->action == YK_FRESCO_OPEN || r->action == YK_FRESCO_DIE ? YK_FRESCO_VECTOR
                                                                     : bad(r, "a trial before the setup");
}

static enum yk_fresco_event take_text(struct yk_fresco_reader *r)
{
    size_t i = 0;

    for (; i + 1 < sizeof r->text && r->bytes[1 + i]; i++)
        r->text[i] = (char)r->bytes[1 + i];
    r->text[i] = 0;
    for (char *c = r->text; *c; c++) /* it comes from elsewhere and may go to a terminal */
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = ' ';
    return YK_FRESCO_TEXT;
}

/* A message is complete. */
static enum yk_fresco_event take(struct yk_fresco_reader *r)
{
    struct yk_fresco_sizes sizes = r->sizes;

    r->length = 0;
    if (!r->greeted) {
        r->greeted = true;
        return yk_get_little(r->bytes, 4) == 1 ? YK_FRESCO_GREETING
                                               : bad(r, "the byte order of the other side is not ours");
    }
    if (r->sized || (r->dialect == YK_FRESCO_ACTOR && !sizes.data))
        return r->filled == YK_FRESCO_TEXT_BYTES && r->bytes[0] == 2 ? take_text(r) : take_vector(r);
    if (r->dialect != YK_FRESCO_ACTOR)
        return take_sizes(r, yk_fresco_get_sizes(r->bytes));
    get_ints(r->bytes, YK_FRESCO_BLOCKS, sizes.ctrl);
    get_ints(r->bytes + 20, YK_FRESCO_BLOCKS, sizes.daq);
    return take_sizes(r, sizes);
}

size_t yk_fresco_feed(struct yk_fresco_reader *r, const unsigned char *bytes, size_t size, enum yk_fresco_event *event)
{
    size_t taken;

    *event = r->problem ? YK_FRESCO_BAD : YK_FRESCO_NOTHING;
    if (r->problem || !size)
        return 0;
    if (!r->length)
        r->length = length_of_next(r, bytes[0]);
    taken = size < r->length - r->filled ? size : r->length - r->filled;
    memcpy(r->bytes + r->filled, bytes, taken);
    r->filled += taken;
    if (r->filled == r->length) {
        *event = take(r);
        r->filled = 0;
    }
    return taken;
}
