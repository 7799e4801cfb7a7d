/* The worst plant as an experiment file. */
#include "certify.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/file.h>

/* A text that names a file beside the experiment: its absolute name, malloc'd. NULL: it does not. */
static char *beside(const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    char *name = NULL, *whole;

    if (*text == 0 || *text == '/' || !strchr(text, '.'))
        return NULL;
    if (asprintf(&name, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, text) < 0)
        return NULL;
    whole = access(name, R_OK) == 0 ? realpath(name, NULL) : NULL;
    free(name);
    return whole;
}

static void print_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (iscntrl((unsigned char)*text))
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static bool is_plain(const char *text)
{
    if (!isalnum((unsigned char)*text) && *text != '-' && *text != '+')
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr(" ._+-/^", *text))
            return false;
    return true;
}

static void print_node(const struct yk_node *node, const char *path, FILE *out)
{
    if (node->type == YK_SCALAR) {
        char *file = beside(path, node->text);

        if (!file && is_plain(node->text))
            fputs(node->text, out);
        else
            print_text(file ? file : node->text, out);
        free(file);
        return;
    }
    fputs(node->type == YK_LIST ? "[" : "{ ", out);
    for (size_t i = 0; i < node->count; i++) {
        fputs(i ? ", " : "", out);
        if (node->type == YK_MAP) {
            print_text(node->items[i]->key, out);
            fputs(": ", out);
        }
        print_node(node->items[i], path, out);
    }
    fputs(node->type == YK_LIST ? "]" : " }", out);
}

struct file {
    const struct yk_node *tree;
    const char *path;
};

static bool print_file(FILE *out, const void *self)
{
    const struct file *f = self;

    fprintf(out, "# The experiment with the values of the worst plant that `yoke check --certify` found.\n");
    for (size_t i = 0; i < f->tree->count; i++) {
        const struct yk_node *section = f->tree->items[i];

        if (strcmp(section->key, "uncertain") == 0)
            continue;
        fprintf(out, "%s: ", section->key);
        print_node(section, f->path, out);
        fputc('\n', out);
    }
    return !ferror(out);
}

bool certify_write_worst(const struct certify_loop *loop, const double *delta, const char *path)
{
    struct yk_node *tree = yk_tree_copy(yk_parts_tree(loop->parts));
    char text[CERTIFY_TEXT];
    bool good = tree != NULL;

    for (size_t i = 0; i < loop->count && good; i++)
        good = certify_setting(&loop->key[i], delta[i], text, sizeof text) &&
               yk_tree_set(tree, text, "uncertain", NULL) == YK_OK;
    good = good && yk_file_replace(path, print_file, &(struct file){tree, yk_parts_path(loop->parts)});
    yk_tree_free(tree);
    return good;
}
