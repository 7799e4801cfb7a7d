/* yoke reproduce --markdown: the whole table as a page of Markdown, with the pictures that are marked for it. */
#include "base/file.h"
#include "cli/reproduce.h"

#include <yoke/reproduce.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Text in a cell or a line, without blanks at its end: a bar would end the cell, line breaks the table; < would be
 * taken for HTML. */
static void put(FILE *out, const char *text)
{
    const char *end = text + strlen(text);

    while (end > text && (end[-1] == ' ' || end[-1] == '\n'))
        end--;
    for (; text < end; text++)
        if (*text == '|')
            fputs("\\|", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '*' || *text == '_')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
}

struct count {
    char paper[128];
    size_t cases, claims, reproduced, corrected, none, fails;
};

/* Claims of a case, added to the count of its paper. */
static void count_case(const json_t *made, struct count *c)
{
    const json_t *claim;
    size_t i;

    c->cases++;
    json_array_foreach(json_object_get(made, "claims"), i, claim)
    {
        const char *status = reproduce_text(claim, "status");
        const bool holds = strcmp(reproduce_text(claim, "verdict"), yk_verdict_text(YK_HOLDS)) == 0;

        c->claims++;
        c->reproduced += holds && strcmp(status, yk_claim_status_text(YK_REPRODUCED)) == 0;
        c->corrected += holds && strcmp(status, yk_claim_status_text(YK_CORRECTED)) == 0;
        c->none += strcmp(status, yk_claim_status_text(YK_NOT_REPRODUCIBLE)) == 0;
        c->fails += strcmp(reproduce_text(claim, "verdict"), yk_verdict_text(YK_FAILS)) == 0;
    }
}

static void write_row(FILE *out, const char *name, const struct count *c)
{
    fprintf(out, "| %s | %zu | %zu | %zu | %zu | %zu | %zu |\n", name, c->cases, c->claims, c->reproduced, c->corrected,
            c->none, c->fails);
}

static void write_summary(FILE *out, const json_t *all)
{
    struct count one = {0}, sum = {0};
    const json_t *made;
    size_t i;

    fputs("| paper | cases | claims | reproduced | corrected | not reproducible | failing "
          "|\n|---|---|---|---|---|---|---|\n",
          out);
    json_array_foreach(all, i, made)
    {
        const char *id = reproduce_text(made, "id");
        const size_t length = strcspn(id, "/");

        if (strncmp(one.paper, id, length) != 0 || one.paper[length]) {
            if (*one.paper)
                write_row(out, one.paper, &one);
            one = (struct count){0};
            snprintf(one.paper, sizeof one.paper, "%.*s", (int)length, id);
        }
        count_case(made, &one);
        count_case(made, &sum);
    }
    write_row(out, one.paper, &one);
    write_row(out, "all", &sum);
    fputc('\n', out);
}

static void write_claims(FILE *out, const json_t *claims)
{
    const json_t *claim;
    size_t i;

    fputs("| claim | where | published | expected | obtained | |\n|---|---|---|---|---|---|\n", out);
    json_array_foreach(claims, i, claim)
    {
        static const char *const cells[] = {"claim", "where", "published", "expected"};
        char obtained[96];

        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            fputs(c ? " | " : "| ", out);
            put(out, reproduce_text(claim, cells[c]));
            if (c == 0 && *reproduce_text(claim, "why")) {
                fputs(" *", out);
                put(out, reproduce_text(claim, "why"));
                fputc('*', out);
            }
        }
        reproduce_obtained(claim, obtained, sizeof obtained);
        fprintf(out, " | %s | %s%s%s |\n", obtained, reproduce_text(claim, "status"),
                strcmp(reproduce_text(claim, "verdict"), yk_verdict_text(YK_FAILS)) == 0 ? ", " : "",
                strcmp(reproduce_text(claim, "verdict"), yk_verdict_text(YK_FAILS)) == 0 ? "**fails**" : "");
    }
    fputc('\n', out);
}

/* Copies a picture beside the page: folder/pictures/reproduction/PAPER-CASE-NAME.svg. */
static bool copy_picture(const struct wish *wish, const char *page_folder, const char *id, const char *name,
                         char *relative, size_t size)
{
    char *from = NULL, *to = NULL, buffer[1 << 14];
    FILE *in = NULL, *out = NULL;
    size_t length;
    bool good = false;

    snprintf(relative, size, "pictures/reproduction/%.3s-%s-%s.svg", id, strchr(id, '/') + 1, name);
    if (asprintf(&from, "%s/%s/%s.svg", wish->folder, id, name) >= 0 &&
        asprintf(&to, "%s/pictures/reproduction", page_folder) >= 0 && make_folder(to) == 0) {
        free(to);
        if (asprintf(&to, "%s/%s", page_folder, relative) >= 0 && (in = fopen(from, "r")) &&
            (out = yk_file_create_stream(to))) {
            while ((length = fread(buffer, 1, sizeof buffer, in)) > 0)
                fwrite(buffer, 1, length, out);
            good = !ferror(in) && !ferror(out);
        }
    }
    if (in)
        fclose(in);
    if (out && fclose(out))
        good = false;
    free(from);
    free(to);
    return good;
}

static void write_pictures(FILE *out, const struct wish *wish, const char *page_folder, const json_t *made)
{
    const char *id = reproduce_text(made, "id");
    const json_t *figure;
    char relative[400];
    size_t i;

    json_array_foreach(json_object_get(made, "figures"), i, figure)
    {
        if (!json_is_true(json_object_get(figure, "cover")) ||
            !copy_picture(wish, page_folder, id, reproduce_text(figure, "name"), relative, sizeof relative))
            continue;
        fputs("![", out);
        put(out, reproduce_text(figure, "caption"));
        fprintf(out, "](%s)\n\n", relative);
    }
}

static void write_page(FILE *out, const struct wish *wish, const char *page_folder, const json_t *all)
{
    const json_t *made;
    size_t i;

    fputs("# Published results, recomputed\n\n"
          "Made by `make reproduction`; do not edit.\n\n"
          "Every number under *obtained* was computed by `yoke reproduce --all`, from the experiment files and the\n"
          "declared claims in [papers/](../papers/README.md). A claim is *reproduced* where the paper is met, "
          "*corrected*\n"
          "where the paper is wrong or incomplete and what is right is expected (see [errata](errata.md)), and *not\n"
          "reproducible* where something is missing. `yoke reproduce CASE` writes the page of a case with all its "
          "figures.\n\n",
          out);
    write_summary(out, all);
    json_array_foreach(all, i, made)
    {
        fprintf(out, "## `%s`\n\n", reproduce_text(made, "id"));
        put(out, reproduce_text(made, "title"));
        fputs(" (", out);
        put(out, reproduce_text(made, "source"));
        fputs("). ", out);
        put(out, reproduce_text(made, "about"));
        fputs("\n\n", out);
        write_claims(out, json_object_get(made, "claims"));
        write_pictures(out, wish, page_folder, made);
    }
}

int reproduce_page(const struct wish *wish, const char *path, const json_t *all)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    FILE *out = folder ? fopen(path, "w") : NULL;
    bool good = out != NULL;

    if (out) {
        write_page(out, wish, folder, all);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
    }
    free(folder);
    if (good)
        return 0;
    fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
    return 1;
}
