/* What the parts of `yoke reproduce` share. */
#ifndef YOKE_CLI_REPRODUCE_H
#define YOKE_CLI_REPRODUCE_H

#include "cli/cli.h"

struct wish {
    const char *papers, *folder; /* where the cases are, where their pages go */
    bool pictures;
};

/* A text of claims.json; "" where it is not there. */
const char *reproduce_text(const json_t *object, const char *key);
/* The obtained value of a claim with its unit. */
void reproduce_obtained(const json_t *claim, char *text, size_t size);
/* Writes the page of Markdown, with pictures beside it; `all`: list of what claims.json holds. An exit code. */
int reproduce_page(const struct wish *wish, const char *path, const json_t *all);

#endif
