/* Pieces of memory, and states made of them. */
#include "support/check.h"

#include <yoke/arena.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A little machine: two numbers that take turns, a list of parts, and a table that stays constant. */
struct part {
    double *x;
    struct part *next;
};
struct machine {
    double *now, *before;
    struct part *parts;
    const double *table;
    double settings;
    long steps;
};

static const double table[] = {2, 3};

static struct machine *make_machine(struct yk_arena *mem)
{
    struct machine *m = yk_arena_take(mem, sizeof *m);

    yk_arena_array(mem, &m->now, 3);
    yk_arena_array(mem, &m->before, 3);
    yk_arena_array(mem, &m->parts, 2);
    for (int i = 0; i < 2; i++)
        yk_arena_array(mem, &m->parts[i].x, 1);
    m->parts[0].next = &m->parts[1];
    yk_arena_pointer(mem, &m->parts[0].next);
    m->table = table;
    m->settings = 0.5;
    m->now[0] = 1;
    return m;
}

static void step(struct machine *m)
{
    double *spare = m->before;

    spare[0] = m->table[0] * m->now[0] + m->settings;
    m->before = m->now;
    m->now = spare;
    m->parts[0].next->x[0] += m->now[0];
    m->steps++;
}

static bool within(const void *p, const void *block, size_t size)
{
    return (uintptr_t)p >= (uintptr_t)block && (uintptr_t)p < (uintptr_t)block + size;
}

static void pieces_are_zero_and_aligned_whatever_their_size(void **state)
{
    struct yk_arena mem = {0};

    for (size_t n = 0; n < 200; n++) {
        const size_t bytes = n * n * 7;
        unsigned char *piece = yk_arena_take(&mem, bytes);

        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % 64, 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(piece[i], 0);
        memset(piece, 0xff, bytes);
    }
    assert_ok(yk_arena_check(&mem, &err));
    yk_arena_free(&mem);
}

static void a_request_that_cannot_be_met_is_said_when_asked(void **state)
{
    struct yk_arena mem = {0};

    double *numbers;

    assert_non_null(yk_arena_array(&mem, &numbers, 10));
    assert_null(yk_arena_array(&mem, &numbers, SIZE_MAX / 4));
    assert_null(yk_arena_take(&mem, SIZE_MAX));
    assert_null(yk_arena_array(&mem, &numbers, 1)); /* nor anything after it */
    assert_refused(yk_arena_check(&mem, &err), YK_E_MEMORY, "out of memory");
    yk_arena_free(&mem);
}

static void a_state_points_to_itself_and_to_what_is_constant(void **state)
{
    struct yk_arena mem = {0};
    struct machine *m = make_machine(&mem), *s;
    struct yk_layout *image;
    void *block;

    assert_ok(yk_layout_make(&image, &mem, &err));
    const size_t size = yk_layout_size(image);
    assert_non_null(block = aligned_alloc(64, size));
    yk_layout_write(image, block);
    s = yk_layout_at(image, block, m);
    assert_true(within(s, block, size) && within(s->now, block, size) && within(s->before, block, size));
    assert_true(within(s->parts, block, size) && within(s->parts[0].next, block, size));
    assert_ptr_equal(s->parts[0].next, &s->parts[1]);
    assert_ptr_equal(s->table, table);
    assert_true(s->settings == 0.5 && s->now[0] == 1);
    assert_null(s->parts[1].next);
    assert_null(yk_layout_at(image, block, table));
    free(block);
    yk_layout_destroy(image);
    yk_arena_free(&mem);
}

static void states_go_their_own_ways_and_a_copy_goes_on_from_where_it_was_made(void **state)
{
    struct yk_arena mem = {0};
    struct machine *m = make_machine(&mem), *a, *b;
    struct yk_layout *image;
    void *block_a, *block_b;

    assert_ok(yk_layout_make(&image, &mem, &err));
    assert_non_null(block_a = aligned_alloc(64, yk_layout_size(image)));
    assert_non_null(block_b = aligned_alloc(64, yk_layout_size(image)));
    yk_layout_write(image, block_a);
    yk_layout_write(image, block_b);
    a = yk_layout_at(image, block_a, m);
    b = yk_layout_at(image, block_b, m);
    for (int i = 0; i < 3; i++) /* an odd number: the pointers are exchanged */
        step(a);
    assert_true(a->now[0] == 11.5 && b->now[0] == 1 && m->now[0] == 1 && m->steps == 0);
    yk_layout_copy(image, block_b, block_a);
    step(a);
    assert_true(b->now[0] == 11.5 && b->before[0] == 5.5);
    assert_true(within(b->now, block_b, yk_layout_size(image)));
    step(b);
    assert_true(a->now[0] == b->now[0] && a->parts[1].x[0] == b->parts[1].x[0] && a->steps == b->steps);
    free(block_a);
    free(block_b);
    yk_layout_destroy(image);
    yk_arena_free(&mem);
}

static void set_up_goes_on_from_a_state_in_another_arena(void **state)
{
    struct yk_arena mem = {0}, more = {0};
    struct machine *m = make_machine(&mem), *placed, *s;
    struct machine **root;
    struct yk_layout *image, *whole;
    void *block;

    assert_ok(yk_layout_make(&image, &mem, &err));
    assert_non_null(block = yk_layout_place(image, &more));
    placed = yk_layout_at(image, block, m);
    root = yk_arena_take(&more, sizeof *root);
    *root = placed;
    yk_arena_pointer(&more, root);
    placed->before[1] = 7;
    assert_ok(yk_layout_make(&whole, &more, &err));
    assert_non_null(block = aligned_alloc(64, yk_layout_size(whole)));
    yk_layout_write(whole, block);
    s = *(struct machine **)yk_layout_at(whole, block, root);
    assert_true(within(s, block, yk_layout_size(whole)) && s->before[1] == 7 && m->before[1] == 0);
    step(s);
    assert_true(s->now[0] == 2.5 && placed->now[0] == 1);
    free(block);
    yk_layout_destroy(whole);
    yk_layout_destroy(image);
    yk_arena_free(&more);
    yk_arena_free(&mem);
}

/* ---- numbers that look like addresses ---- */

enum { NUMBERS = 4096 };

/* Every pattern of 64 bits that is an address of the block stays as it is where no pointer was declared, in a copy, in
 * a saved state and in the layout itself. */
static void a_number_that_equals_an_address_is_a_number(void **state)
{
    struct holder {
        uint64_t *numbers, *self;
        uint64_t one;
    };
    struct yk_arena mem = {0};
    struct holder *h = yk_arena_take(&mem, sizeof *h);
    struct yk_layout *layout;

    yk_arena_array(&mem, &h->numbers, NUMBERS);
    h->self = &h->one;
    yk_arena_pointers(&mem, &h->self, &h->self);
    h->one = (uintptr_t)h;
    for (size_t i = 0; i < NUMBERS; i++)
        h->numbers[i] = (uintptr_t)h->numbers + i;
    assert_ok(yk_layout_make(&layout, &mem, &err));
    const size_t size = yk_layout_size(layout);
    unsigned char *from = aligned_alloc(64, size), *to = aligned_alloc(64, size);
    uint64_t *changes = malloc(yk_layout_most_changes(layout) * sizeof *changes);
    struct holder *a = yk_layout_at(layout, from, h), *b = yk_layout_at(layout, to, h);

    yk_layout_write(layout, from);
    assert_true(a->one == (uintptr_t)h && a->numbers[7] == (uintptr_t)h->numbers + 7);
    for (size_t first = 0; first < size; first += NUMBERS) { /* all addresses of the block, and as many before it */
        for (size_t i = 0; i < NUMBERS; i++)
            a->numbers[i] = (uintptr_t)from + first + i - (first ? 0 : NUMBERS);
        a->one = (uintptr_t)from + first;
        yk_layout_copy(layout, to, from);
        assert_ptr_equal(b->self, &b->one);
        assert_true(within(b->numbers, to, size));
        assert_true(b->one == a->one && memcmp(a->numbers, b->numbers, NUMBERS * sizeof *a->numbers) == 0);
        const size_t count = yk_layout_changes(layout, from, changes);
        assert_true(count != SIZE_MAX);
        memset(to, 0, size);
        assert_true(yk_layout_apply(layout, to, changes, count));
        assert_ptr_equal(b->self, &b->one);
        assert_true(b->one == a->one && memcmp(a->numbers, b->numbers, NUMBERS * sizeof *a->numbers) == 0);
    }
    free(changes);
    free(from);
    free(to);
    yk_layout_destroy(layout);
    yk_arena_free(&mem);
}

static void a_pointer_outside_the_state_cannot_be_declared(void **state)
{
    struct yk_arena mem = {0};
    double *outside;
    struct yk_layout *layout;

    yk_arena_array(&mem, &outside, 3);
    assert_refused(yk_layout_make(&layout, &mem, &err), YK_E_INPUT, "not in the state");
    assert_null(layout);
    yk_arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zero_and_aligned_whatever_their_size),
        cmocka_unit_test(a_request_that_cannot_be_met_is_said_when_asked),
        cmocka_unit_test(a_state_points_to_itself_and_to_what_is_constant),
        cmocka_unit_test(states_go_their_own_ways_and_a_copy_goes_on_from_where_it_was_made),
        cmocka_unit_test(set_up_goes_on_from_a_state_in_another_arena),
        cmocka_unit_test(a_number_that_equals_an_address_is_a_number),
        cmocka_unit_test(a_pointer_outside_the_state_cannot_be_declared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
