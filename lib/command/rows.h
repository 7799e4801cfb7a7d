/* A walk over the options of a command, through the tables that its table names. */
#ifndef YOKE_COMMAND_ROWS_H
#define YOKE_COMMAND_ROWS_H

#include <yoke/command.h>

enum { YK_OPTION_DEPTH = 4 }; /* tables within tables */

struct yk_option_walk {
    const struct yk_option *row[YK_OPTION_DEPTH];
    size_t base[YK_OPTION_DEPTH]; /* where the struct of each table begins */
    int depth;                    /* -1: at the end */
    size_t at;                    /* the field of the row, from the begin of the whole struct */
};

static inline struct yk_option_walk yk_option_walk(const struct yk_command *command)
{
    return (struct yk_option_walk){.row = {command->options}, .depth = command->options ? 0 : -1};
}

/* The next row that is no table; NULL at the end. */
const struct yk_option *yk_option_next(struct yk_option_walk *walk);

#endif
