/* The bytes of OpenFresco: the vectors of its protocol in both directions, however the stream is cut, and what is not
 * this protocol. */
#include "support/check.h"

#include "rig/fresco.h"
#include "rig/utnp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* D1, one degree of freedom: 11 int32. */
static const unsigned char sizes_of_one[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
                                             0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};

static void sizes_are_those_of_the_page(void **state)
{
    const struct yk_fresco_sizes sizes = {{1, 1, 1, 0, 1}, {0, 0, 0, 1, 0}, 256};
    unsigned char bytes[YK_FRESCO_SIZES_BYTES];

    (void)state;
    assert_int_equal(sizeof sizes_of_one, YK_FRESCO_SIZES_BYTES);
    yk_fresco_put_sizes(&sizes, bytes);
    assert_memory_equal(bytes, sizes_of_one, sizeof bytes);
    const struct yk_fresco_sizes back = yk_fresco_get_sizes(sizes_of_one);
    assert_memory_equal(&back, &sizes, sizeof sizes);
}

static void actions_are_those_of_the_page(void **state)
{
    static const struct {
        enum yk_fresco_action action;
        unsigned char bytes[8];
    } page[] = {{YK_FRESCO_OPEN, {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
                {YK_FRESCO_SETUP, {0, 0, 0, 0, 0, 0, 0x00, 0x40}},
                {YK_FRESCO_TRIAL, {0, 0, 0, 0, 0, 0, 0x08, 0x40}},
                {YK_FRESCO_READY, {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x10, 0x40}},
                {YK_FRESCO_SWITCH, {0xcd, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0x10, 0x40}},
                {YK_FRESCO_SWITCHED, {0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x11, 0x40}},
                {YK_FRESCO_COMMIT, {0, 0, 0, 0, 0, 0, 0x14, 0x40}},
                {YK_FRESCO_GET_DAQ, {0, 0, 0, 0, 0, 0, 0x18, 0x40}},
                {YK_FRESCO_GET_FORCE, {0, 0, 0, 0, 0, 0, 0x24, 0x40}},
                {YK_FRESCO_GET_INITIAL_STIFF, {0, 0, 0, 0, 0, 0, 0x28, 0x40}},
                {YK_FRESCO_GET_TANGENT_STIFF, {0, 0, 0, 0, 0, 0, 0x2a, 0x40}},
                {YK_FRESCO_GET_DAMP, {0, 0, 0, 0, 0, 0, 0x2c, 0x40}},
                {YK_FRESCO_GET_MASS, {0, 0, 0, 0, 0, 0, 0x2e, 0x40}},
                {YK_FRESCO_DIE, {0, 0, 0, 0, 0, 0xc0, 0x58, 0x40}}};
    struct yk_fresco_reader *r = calloc(1, sizeof *r);
    unsigned char bytes[8 * YK_FRESCO_DATA];
    enum yk_fresco_event event;

    (void)state;
    assert_non_null(r);
    for (size_t i = 0; i < sizeof page / sizeof *page; i++) {
        const double code = yk_fresco_code(page[i].action);

        yk_fresco_put_doubles(&code, 1, bytes);
        assert_memory_equal(bytes, page[i].bytes, 8);
        yk_fresco_reader_init(r, YK_FRESCO_GENERIC, false);
        assert_int_equal(yk_fresco_feed(r, sizes_of_one, sizeof sizes_of_one, &event), sizeof sizes_of_one);
        assert_int_equal(event, YK_FRESCO_SIZES);
        memset(bytes + 8, 0, sizeof bytes - 8);
        assert_int_equal(yk_fresco_feed(r, bytes, sizeof bytes, &event), sizeof bytes);
        assert_int_equal(event, YK_FRESCO_VECTOR);
        assert_int_equal(r->action, page[i].action);
    }
    free(r);
}

/* Feeds the bytes in pieces of `piece`; counts the events of each kind. */
static void feed(struct yk_fresco_reader *r, const unsigned char *bytes, size_t size, size_t piece, int *counts)
{
    for (size_t at = 0; at < size;) {
        const size_t now = size - at < piece ? size - at : piece;
        enum yk_fresco_event event;
        const size_t taken = yk_fresco_feed(r, bytes + at, now, &event);

        counts[event]++;
        if (event == YK_FRESCO_BAD)
            return;
        assert_true(taken > 0 && taken <= now);
        at += taken;
    }
}

/* Sizes, a line of an initialisation file, a trial, a question. */
static size_t session(unsigned char *bytes)
{
    const double trial[] = {3, 0.25, -1, 2, 0.5}, question[] = {10, 0.25, -1, 2, 0.5};
    const size_t vector = 8 * YK_FRESCO_DATA;
    unsigned char *at = bytes;

    memset(bytes, 0, 44 + YK_FRESCO_TEXT_BYTES + 2 * vector);
    memcpy(at, sizes_of_one, 44);
    at += 44;
    *at = 2;
    memcpy(at + 1, "gain 2.5", 9);
    memset(at + 10, 0xaa, YK_FRESCO_TEXT_BYTES - 10);
    at += YK_FRESCO_TEXT_BYTES;
    yk_fresco_put_doubles(trial, 5, at);
    yk_fresco_put_doubles(question, 5, at + vector);
    return (size_t)(at - bytes) + 2 * vector;
}

static void a_session_is_understood_however_it_is_cut(void **state)
{
    struct yk_fresco_reader *r = calloc(1, sizeof *r);
    unsigned char *bytes = malloc(44 + YK_FRESCO_TEXT_BYTES + 16 * YK_FRESCO_DATA);
    static const size_t pieces[] = {1, 7, 44, 1000, 100000};

    (void)state;
    assert_true(r && bytes);
    const size_t size = session(bytes);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        int counts[YK_FRESCO_BAD + 1] = {0};

        yk_fresco_reader_init(r, YK_FRESCO_GENERIC, true);
        feed(r, bytes, size - 1, pieces[i], counts);
        assert_true(yk_fresco_is_amid(r));
        feed(r, bytes + size - 1, 1, 1, counts);
        assert_false(yk_fresco_is_amid(r));
        assert_int_equal(counts[YK_FRESCO_SIZES], 1);
        assert_int_equal(counts[YK_FRESCO_TEXT], 1);
        assert_int_equal(counts[YK_FRESCO_VECTOR], 2);
        assert_int_equal(counts[YK_FRESCO_BAD], 0);
        assert_string_equal(r->text, "gain 2.5");
        assert_int_equal(r->action, YK_FRESCO_GET_FORCE);
        assert_true(r->values[1] == 0.25);
        assert_true(r->values[yk_fresco_place(r->sizes.ctrl, YK_FRESCO_TIME, 1)] == 0.5);
    }
    free(bytes);
    free(r);
}

static void a_shadow_site_opens_with_byte_order_version_and_setup(void **state)
{
    static const unsigned char two_point_eight[] = {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x06, 0x40};
    const double opening[] = {1, 7, YK_FRESCO_VERSION}, setup[] = {2, 300}, trial[] = {3, 0.125};
    struct yk_fresco_reader *r = calloc(1, sizeof *r);
    unsigned char bytes[4 + 2 * 2048 + 40 + 2400] = {1};
    unsigned char *at = bytes + 4;
    int counts[YK_FRESCO_BAD + 1] = {0};

    (void)state;
    assert_non_null(r);
    yk_fresco_put_doubles(opening, 3, at);
    assert_memory_equal(at + 16, two_point_eight, 8);
    yk_fresco_put_doubles(setup, 2, at += 2048);
    yk_fresco_put_ints((const int[]){1, 0, 0, 0, 0, 1, 0, 0, 1, 0}, 10, at += 2048);
    yk_fresco_put_doubles(trial, 2, at + 40);
    yk_fresco_reader_init(r, YK_FRESCO_ACTOR, true);
    feed(r, bytes, sizeof bytes, 100, counts);
    assert_int_equal(counts[YK_FRESCO_GREETING], 1);
    assert_int_equal(counts[YK_FRESCO_SIZES], 1);
    assert_int_equal(counts[YK_FRESCO_VECTOR], 2);
    assert_int_equal(r->sizes.data, 300);
    assert_true(r->values[1] == 0.125);
    free(r);
}

static void what_is_not_the_protocol_is_refused_for_good(void **state)
{
    struct yk_fresco_reader *r = calloc(1, sizeof *r);
    unsigned char bytes[8 * YK_FRESCO_DATA] = {0};
    const double odd[] = {3.5, -1, NAN, INFINITY, 1e300};
    enum yk_fresco_event event;

    (void)state;
    assert_non_null(r);
    yk_fresco_reader_init(r, YK_FRESCO_GENERIC, false);
    yk_fresco_feed(r, (const unsigned char *)"GET / HTTP/1.1\r\nHost: rig.example.org\r\n\r\n..", 44, &event);
    assert_int_equal(event, YK_FRESCO_BAD);
    assert_int_equal(yk_fresco_feed(r, sizes_of_one, 44, &event), 0);
    assert_int_equal(event, YK_FRESCO_BAD);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        yk_fresco_reader_init(r, YK_FRESCO_GENERIC, false);
        yk_fresco_feed(r, sizes_of_one, 44, &event);
        yk_fresco_put_doubles(&odd[i], 1, bytes);
        yk_fresco_feed(r, bytes, sizeof bytes, &event);
        assert_int_equal(event, YK_FRESCO_BAD);
        assert_non_null(r->problem);
    }
    yk_fresco_reader_init(r, YK_FRESCO_ACTOR, true);
    yk_fresco_feed(r, (const unsigned char[]){0, 0, 0, 1}, 4, &event); /* big-endian */
    assert_int_equal(event, YK_FRESCO_BAD);
    free(r);
}

static void vectors_too_short_for_their_blocks_are_refused(void **state)
{
    (void)state;
    assert_true(yk_fresco_sizes_are_sane(&(struct yk_fresco_sizes){{1, 1, 1, 0, 1}, {0, 0, 0, 1, 0}, 5}));
    assert_false(yk_fresco_sizes_are_sane(&(struct yk_fresco_sizes){{1, 1, 1, 0, 1}, {0, 0, 0, 1, 0}, 4}));
    assert_false(yk_fresco_sizes_are_sane(&(struct yk_fresco_sizes){{1}, {2, 2, 2, 2, 1}, 8}));
    assert_false(yk_fresco_sizes_are_sane(&(struct yk_fresco_sizes){{1}, {1}, YK_FRESCO_MOST + 1}));
    assert_false(yk_fresco_sizes_are_sane(&(struct yk_fresco_sizes){{-1}, {1}, 256}));
    assert_false(yk_fresco_sizes_are_sane(&(struct yk_fresco_sizes){{1}, {INT32_MAX, INT32_MAX}, 256}));
}

/* Version 2, trial, ramp and hold, NICON, doubles, displacement, 3 degrees of freedom, step 258. */
static void headers_of_ut_sim_are_big_endian(void **state)
{
    static const unsigned char page[YK_UTNP_HEAD] = {2, 3, 1, 7, 2, 1, 0, 3, 1, 2, 0, 0, 0, 0, 0, 0};
    const struct yk_utnp_head head = {2, YK_UTNP_TRIAL, 1, 7, YK_UTNP_DOUBLES, YK_UTNP_DISPLACEMENT, 3, 258};
    unsigned char bytes[YK_UTNP_HEAD];

    (void)state;
    yk_utnp_put(&head, bytes);
    assert_memory_equal(bytes, page, sizeof bytes);
    const struct yk_utnp_head back = yk_utnp_get(page);
    assert_memory_equal(&back, &head, sizeof head);
    assert_true(yk_utnp_has_forces(&head, 3));
    assert_false(yk_utnp_has_forces(&head, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_page),
        cmocka_unit_test(actions_are_those_of_the_page),
        cmocka_unit_test(a_session_is_understood_however_it_is_cut),
        cmocka_unit_test(a_shadow_site_opens_with_byte_order_version_and_setup),
        cmocka_unit_test(what_is_not_the_protocol_is_refused_for_good),
        cmocka_unit_test(vectors_too_short_for_their_blocks_are_refused),
        cmocka_unit_test(headers_of_ut_sim_are_big_endian),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
