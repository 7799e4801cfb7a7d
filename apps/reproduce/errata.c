/* yoke reproduce --errata: what is wrong in the papers as a page of Markdown. Misprints of equations stand in
 * papers/PAPER/errata.yaml; the rest are the claims in which a paper is in error, and what is not settled. */
#include "pages.h"

#include <yoke/fields.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_cells(FILE *out, const char *const *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i ? " | " : "| ", out);
        reproduce_put(out, cells[i]);
    }
    fputs(" |\n", out);
}

static const char *text_of(const struct yk_node *map, const char *key)
{
    const struct yk_node *node = yk_node_get(map, key);

    return node && node->type == YK_SCALAR ? node->text : "";
}

static const struct yk_param misprint_keys[] = {
    YK_NODE("where", "text", YK_REQUIRED, "in the paper"),
    YK_NODE("printed", "text", YK_REQUIRED, "what stands there"),
    YK_NODE("correct", "text", YK_REQUIRED, "what should"),
    YK_NODE("evidence", "text", YK_REQUIRED, "how that is known"),
    YK_PARAM_END,
};

static const struct yk_param file_keys[] = {
    YK_NODE("title", "text", YK_REQUIRED, "of the paper"),
    YK_NODE("errata", "list of misprints", YK_REQUIRED, "in equations and texts"),
    YK_PARAM_END,
};

/* The misprints of a paper; *title is filled. */
static enum yk_status write_misprints(FILE *out, const char *path, const char *paper, struct yk_err *err)
{
    struct yk_node *tree = NULL;
    enum yk_status st;

    if (!(st = yk_tree_load(&tree, path, err)) && !(st = yk_field_known(tree, file_keys, NULL, err))) {
        const struct yk_node *list = yk_node_get(tree, "errata");

        fprintf(out, "## %.3s: %s\n\n| where | printed | correct | evidence |\n|---|---|---|---|\n", paper,
                text_of(tree, "title"));
        for (size_t i = 0; list && i < list->count && !st; i++) {
            const struct yk_node *row = list->items[i];
            const char *const cells[] = {text_of(row, "where"), text_of(row, "printed"), text_of(row, "correct"),
                                         text_of(row, "evidence")};

            if (!(st = yk_field_type(row, YK_MAP, "a misprint", err)) &&
                !(st = yk_field_known(row, misprint_keys, NULL, err)))
                write_cells(out, cells, 4);
        }
    }
    yk_tree_free(tree);
    return st;
}

/* Claims of a paper with that verdict. */
static void write_claims(FILE *out, const json_t *all, const char *paper, enum yk_claim_status status,
                         const char *title)
{
    const json_t *made, *claim;
    size_t i, k, rows = 0;

    json_array_foreach(all, i, made)
    {
        json_array_foreach(json_object_get(made, "claims"), k, claim)
        {
            const char *id = yk_json_text(made, "id"), *proof = yk_json_text(claim, "proof");
            char evidence[1200];

            if (strncmp(id, paper, strlen(paper)) != 0 || id[strlen(paper)] != '/' ||
                strcmp(yk_json_text(claim, "status"), yk_claim_status_text(status)) != 0)
                continue;
            if (!rows++)
                fprintf(out, "\n%s\n\n| where | published | what is found | evidence |\n|---|---|---|---|\n", title);
            snprintf(evidence, sizeof evidence, "`%s`%s%s", id, *proof ? ": " : "", proof);
            const char *const cells[] = {yk_json_text(claim, "where"), yk_json_text(claim, "published"),
                                         yk_json_text(claim, "why"), evidence};
            write_cells(out, cells, 4);
        }
    }
}

static enum yk_status write_page(FILE *out, const struct wish *wish, const json_t *all, struct yk_err *err)
{
    const json_t *made;
    char paper[128] = "", *path = NULL;
    size_t i;
    enum yk_status st = YK_OK;

    fputs("# Errata of the published sources\n\n"
          "Made by `make reproduction` from `papers/*/errata.yaml` and the claims; do not edit.\n\n"
          "What is wrong, or cannot be right, in the documents whose results [reproduction.md](reproduction.md) "
          "recomputes, with the\nform to use and the evidence. Yoke implements the corrected forms. Under *evidence*, "
          "*algebra* means that the printed form\ncontradicts the definitions beside it, *dimension* that its units "
          "do not agree, *order* that only the corrected form has the\norder the document claims, and a name is that "
          "of a case of `yoke reproduce`.\n",
          out);
    json_array_foreach(all, i, made)
    {
        const char *id = yk_json_text(made, "id");
        const size_t length = strcspn(id, "/");

        if (strncmp(paper, id, length) == 0 && !paper[length])
            continue;
        snprintf(paper, sizeof paper, "%.*s", (int)length, id);
        if (asprintf(&path, "%s/%s/errata.yaml", wish->papers, paper) < 0)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        if (access(path, F_OK) == 0) { /* recordings of machines have no misprints */
            fputc('\n', out);
            st = write_misprints(out, path, paper, err);
        }
        free(path);
        if (st)
            return st;
        write_claims(out, all, paper, YK_PAPER_IN_ERROR, "Results that are in error:");
        write_claims(out, all, paper, YK_DISAGREEMENT, "Not settled:");
    }
    return st;
}

int reproduce_errata(const struct wish *wish, const char *path, const json_t *all)
{
    struct yk_err err = {0};
    FILE *out = fopen(path, "w");
    enum yk_status st = YK_OK;
    bool good = out != NULL;

    if (out) {
        st = write_page(out, wish, all, &err);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
    }
    if (st)
        return yk_command_fail(&err);
    if (!good)
        fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
    return good ? 0 : 1;
}
