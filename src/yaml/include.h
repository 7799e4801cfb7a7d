/* Sections in separate files: `transfer: FILE`, or a list of files. */
#ifndef YOKE_YAML_INCLUDE_H
#define YOKE_YAML_INCLUDE_H

#include <yoke/tree.h>

/* Their names, which must outlive the tree. */
struct yk_included {
    char **paths;
    size_t count;
};
void yk_included_free(struct yk_included *included);
/* Replaces file names by their contents, if the section `key` is a file name or a list of them; names are relative to
 * the directory. Their text is added to *text, as comments. */
enum yk_status yk_tree_include(struct yk_node *root, const char *key, const char *directory,
                               struct yk_included *included, char **text, struct yk_err *err);

#endif
