/* Command lines by tables: values into their fields, refusals, the page of --help, the words for completion. */
#include "support/check.h"

#include <yoke/command.h>

#include <stdlib.h>
#include <string.h>

struct peer {
    const char *host;
    long port;
};
struct given {
    bool loud;
    const char *output;
    struct yk_text_list set;
    double rate;
    long count;
    struct peer peer;
    bool old;
};

static const struct yk_option peer_options[] = {
    {"--host", "ADDRESS", "its address", YK_INTO(struct peer, host)},
    {"--port", "N", "its port", YK_INTO(struct peer, port), .least = 0, .most = 65535},
    {0},
};

static void print_planets(FILE *out)
{
    fputs("planets: nine\n", out);
}

static const struct yk_option options[] = {
    {.name = "begin", .argument = "TIME", .help = "a word of the command"},
    {"--loud", NULL, "in capital letters", YK_INTO(struct given, loud)},
    {"--output|-o", "FILE", "the file", YK_INTO(struct given, output)},
    {"--set", "KEY=VALUE", "a value", YK_INTO(struct given, set)},
    {.help = "The other side:"},
    {.rows = peer_options, .at = offsetof(struct given, peer)},
    {"--rate", "F", "samples per second", YK_INTO(struct given, rate), .quantity = YK_FREQUENCY, .least = 1,
     .most = 1e5},
    {"--count", "N", "how many", YK_INTO(struct given, count), .least = 1, .most = 9},
    {"--old", NULL, NULL, YK_INTO(struct given, old)},
    {.print = print_planets},
    {0},
};
static const struct yk_command trial = {
    .name = "trial",
    .usage = "FILE [--loud] [-o FILE] [--set KEY=VALUE]... [--host ADDRESS] [--port N] [--rate F] [--count N]",
    .about = "One paragraph that is longer than the page is wide, so that the words of its end come to stand in a line "
             "of their own.",
    .options = options,
    .examples = "yoke trial a",
};

/* The words of a line, taken by the table. */
static bool take(const char *line, struct given *g, struct yk_words *words)
{
    static char text[4096];
    static char *argv[200];
    int count = 0;

    snprintf(text, sizeof text, "%s", line);
    for (char *rest = text, *word; (word = strsep(&rest, " "));)
        argv[count++] = word;
    *g = (struct given){.rate = 50, .count = 3};
    return yk_take_options(&trial, count, argv, g, words);
}

static void every_option_reaches_its_field(void **state)
{
    struct yk_words words;
    struct given g;

    assert_true(
        take("a --loud -o out b --set x=1 --set=y=2 --port 80 --rate 2kHz --count=9 --host=::1 --old", &g, &words));
    assert_true(g.loud && g.old);
    assert_string_equal(g.output, "out");
    assert_int_equal(g.set.count, 2);
    assert_string_equal(g.set.text[0], "x=1");
    assert_string_equal(g.set.text[1], "y=2");
    assert_string_equal(g.peer.host, "::1");
    assert_int_equal(g.peer.port, 80);
    assert_near(g.rate, 2000, 0);
    assert_int_equal(g.count, 9);
    assert_int_equal(words.count, 2);
    assert_string_equal(words.rest[0], "a");
    assert_string_equal(words.rest[1], "b");
}

static void what_is_not_given_keeps_its_value(void **state)
{
    struct yk_words words;
    struct given g;

    assert_true(take("- -- --loud -o", &g, &words)); /* one - is a word; after -- all are words */
    assert_false(g.loud);
    assert_null(g.output);
    assert_near(g.rate, 50, 0);
    assert_int_equal(g.count, 3);
    assert_int_equal(words.count, 3);
}

static void a_line_that_is_wrong_is_refused(void **state)
{
    static const char *const lines[] = {
        "--laud",     "--loud=no",   "--output",     "--output=",     "-o --loud",     "--rate 5m", "--rate 0.5Hz",
        "--rate nan", "--count 2.5", "--count 10",   "--count x",     "--port -1",     "--port",    "-x",
        "--rat 5",    "--loudly",    "--port 65536", "--rate 1e6 Hz", "--count=1e300",
    };
    struct yk_words words;
    struct given g;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (take(lines[i], &g, &words))
            fail_msg("'%s' was taken", lines[i]);
}

static void a_list_that_is_too_long_is_refused(void **state)
{
    char line[4096] = "a";
    struct yk_words words;
    struct given g;

    for (size_t i = 0; i < sizeof g.set.text / sizeof *g.set.text; i++)
        strcat(line, " --set a=1");
    assert_true(take(line, &g, &words));
    strcat(line, " --set a=1");
    assert_false(take(line, &g, &words));
}

static char *printed(void (*print)(const struct yk_command *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    print(&trial, out);
    fclose(out);
    return text;
}

static void the_page_shows_the_table(void **state)
{
    char *text = printed(yk_command_help);

    assert_string_equal(
        text, "usage: yoke trial FILE [--loud] [-o FILE] [--set KEY=VALUE]... [--host ADDRESS] [--port N]\n"
              "                  [--rate F] [--count N]\n"
              "\n"
              "One paragraph that is longer than the page is wide, so that the words of its end come to stand in a\n"
              "line of their own.\n"
              "\n"
              "  begin TIME          a word of the command\n"
              "  --loud              in capital letters\n"
              "  -o, --output FILE   the file\n"
              "  --set KEY=VALUE     a value\n"
              "\n"
              "The other side:\n"
              "\n"
              "  --host ADDRESS      its address\n"
              "  --port N            its port\n"
              "  --rate F            samples per second\n"
              "  --count N           how many\n"
              "planets: nine\n"
              "\n"
              "examples:\n"
              "  yoke trial a\n");
    free(text);
}

static void the_manual_page_has_the_same_rows(void **state)
{
    char *text = printed(yk_command_manual);

    assert_non_null(strstr(text, ".SS trial\n.B yoke trial\nFILE [\\-\\-loud]"));
    assert_non_null(strstr(text, "\n.TP\n.B \\-o, \\-\\-output FILE\nthe file\n.TP\n"));
    assert_non_null(strstr(text, "\n.PP\n.nf\nplanets: nine\n.fi\n"));
    assert_null(strstr(text, "old"));
    free(text);
}

static void completion_knows_words_and_options(void **state)
{
    char *text = printed(yk_command_list);

    assert_string_equal(text, "begin --loud --output --set --host --port --rate --count");
    free(text);
    assert_non_null(yk_command_row(&trial, "begin"));
    assert_null(yk_command_row(&trial, "beg"));
    assert_null(yk_command_row(&trial, "--loud"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_reaches_its_field),     cmocka_unit_test(what_is_not_given_keeps_its_value),
        cmocka_unit_test(a_line_that_is_wrong_is_refused),    cmocka_unit_test(a_list_that_is_too_long_is_refused),
        cmocka_unit_test(the_page_shows_the_table),           cmocka_unit_test(the_manual_page_has_the_same_rows),
        cmocka_unit_test(completion_knows_words_and_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
