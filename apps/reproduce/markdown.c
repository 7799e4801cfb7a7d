/* yoke reproduce --markdown: the whole table as a page of Markdown, with the pictures that are marked for it. */
#include "pages.h"
#include <yoke/file.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Text in a cell or a line, without blanks at its end: a bar would end the cell, line breaks the table; < would be
 * taken for HTML. */
void reproduce_put(FILE *out, const char *text)
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

static void write_row(FILE *out, const char *name, const struct tally *t)
{
    size_t sums[YK_CLAIM_STATUSES + 1] = {0};

    for (size_t o = 0; o < YK_ORIGINS; o++)
        for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
            sums[v] += t->count[o][v];
    fprintf(out, "| %s | %zu | %zu |", name, t->cases, t->claims);
    for (size_t o = 0; o < YK_ORIGINS; o++)
        fprintf(out, " %zu |", t->count[o][YK_MET]);
    for (size_t v = YK_NOT_MET; v <= YK_CLAIM_STATUSES; v++)
        fprintf(out, " %zu |", sums[v]);
    fputc('\n', out);
}

/* By paper, and by origin and verdict. */
static void write_summary(FILE *out, const json_t *all)
{
    struct tally one = {0}, sum = {0};
    const json_t *made;
    char paper[128] = "", headline[160];
    size_t i;

    fputs("| paper | cases | claims |", out);
    for (size_t o = 0; o < YK_ORIGINS; o++)
        fprintf(out, " %s, met |", reproduce_origin(o));
    fputs(" not met | paper in error | disagreement | failing |\n|---|---|---|", out);
    for (size_t o = 0; o < YK_ORIGINS; o++)
        fputs("---|", out);
    fputs("---|---|---|---|\n", out);
    json_array_foreach(all, i, made)
    {
        const char *id = yk_json_text(made, "id");
        const size_t length = strcspn(id, "/");

        if (strncmp(paper, id, length) != 0 || paper[length]) {
            if (*paper)
                write_row(out, paper, &one);
            one = (struct tally){0};
            snprintf(paper, sizeof paper, "%.*s", (int)length, id);
        }
        reproduce_count(made, &one);
        reproduce_count(made, &sum);
    }
    write_row(out, paper, &one);
    write_row(out, "all", &sum);
    fputs("\n| origin |", out);
    for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
        fprintf(out, " %s |", reproduce_verdict(v));
    fputs("\n|---|---|---|---|---|---|\n", out);
    for (size_t o = 0; o < YK_ORIGINS; o++) {
        fprintf(out, "| %s |", reproduce_origin(o));
        for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
            fprintf(out, " %zu |", sum.count[o][v]);
        fputc('\n', out);
    }
    reproduce_headline(&sum, headline, sizeof headline);
    fprintf(out, "\nReproduced: %s.\n\n", headline);
}

/* In italics after the claim. */
static void write_remark(FILE *out, const char *title, const char *text)
{
    if (!*text)
        return;
    fprintf(out, " *%s", title);
    reproduce_put(out, text);
    fputc('*', out);
}

static void write_claims(FILE *out, const json_t *claims)
{
    const json_t *claim;
    size_t i;

    fputs("| claim | where | published | expected | obtained | origin | verdict |\n|---|---|---|---|---|---|---|\n",
          out);
    json_array_foreach(claims, i, claim)
    {
        static const char *const cells[] = {"claim", "where", "published", "expected"};
        char obtained[96];
        const char *verdict = yk_json_text(claim, "verdict");

        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            fputs(c ? " | " : "| ", out);
            reproduce_put(out, yk_json_text(claim, cells[c]));
            if (c == 0) {
                write_remark(out, "", yk_json_text(claim, "why"));
                write_remark(out, "Proof: ", yk_json_text(claim, "proof"));
                write_remark(out, "Guessed: ", yk_json_text(claim, "guessed"));
                write_remark(out, "Counted with: ", yk_json_text(claim, "counted"));
            }
        }
        reproduce_obtained(claim, obtained, sizeof obtained);
        fprintf(out, strcmp(verdict, "FAILS") == 0 ? " | %s | %s | **%s** |\n" : " | %s | %s | %s |\n", obtained,
                yk_json_text(claim, "origin"), verdict);
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
        asprintf(&to, "%s/pictures/reproduction", page_folder) >= 0 && yk_make_folder(to) == 0) {
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
    const char *id = yk_json_text(made, "id");
    const json_t *figure;
    char relative[400];
    size_t i;

    json_array_foreach(json_object_get(made, "figures"), i, figure)
    {
        if (!json_is_true(json_object_get(figure, "cover")) ||
            !copy_picture(wish, page_folder, id, yk_json_text(figure, "name"), relative, sizeof relative))
            continue;
        fputs("![", out);
        reproduce_put(out, yk_json_text(figure, "caption"));
        fprintf(out, "](%s)\n\n*", relative);
        reproduce_put(out, yk_json_text(figure, "caption"));
        fputs("*\n\n", out);
    }
}

static void write_page(FILE *out, const struct wish *wish, const char *page_folder, const json_t *all)
{
    const json_t *made;
    size_t i;

    fputs(
        "# Published results, recomputed\n\n"
        "Made by `make reproduction`; do not edit.\n\n"
        "Every number under *obtained* was computed by `yoke reproduce --all`, from the experiment files and the\n"
        "declared claims in [papers/](../papers/README.md). The sources are texts without figures: no curve was\n"
        "compared. *Origin* says where the expected value comes from:\n\n"
        "- *printed*: a number in the paper;\n"
        "- *stated*: words of the paper, turned into a bound;\n"
        "- *derived*: a closed form or an independent prototype ([tests/prototypes](../tests/prototypes/README.md)); "
        "the paper\n  prints nothing;\n"
        "- *surrogate*: the paper does not print all inputs; those that were chosen here are named;\n"
        "- *fitted*: a number in the paper, but inputs that it does not print were fitted to this number or to others "
        "of the same\n  table;\n"
        "- *input*: a number that the paper gives as data of its test; the claim reads it back from the model, the "
        "run or an\n  identification;\n"
        "- *repeated*: a number in the paper that another claim already counts;\n"
        "- *measured*: a figure of the recording of a real test ([data/measured](../data/measured/README.md)), found "
        "by an\n"
        "  independent program from the same file, or by the authors of the recording.\n\n"
        "*Verdict*: *met*; *not met*, with the reason; *paper in error*, with the proof (see "
        "[errata](errata.md)); *disagreement*,\nnot settled. Only what is printed or stated counts as reproduced, each "
        "printed number once. A statement is tested by one claim\nor by several, with other inputs; its claims are "
        "counted. "
        "`yoke reproduce CASE`\nwrites the page of a case with all its figures, `yoke reproduce --all --sensitivity` "
        "also shows that each claim fails where\nsomething is wrong.\n\n",
        out);
    write_summary(out, all);
    json_array_foreach(all, i, made)
    {
        fprintf(out, "## `%s`\n\n", yk_json_text(made, "id"));
        reproduce_put(out, yk_json_text(made, "title"));
        fputs(" (", out);
        reproduce_put(out, yk_json_text(made, "source"));
        fputs("). ", out);
        reproduce_put(out, yk_json_text(made, "about"));
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
