/* Options and output shared by the problems of `yoke benchmark`. */
#ifndef YOKE_BENCHMARK_OPTIONS_H
#define YOKE_BENCHMARK_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_benchmark;

enum { MOST_CHAINS = 64 };

/* The command line, as far as all problems understand it. */
struct benchmark_request {
    const char *chains[MOST_CHAINS]; /* names of ours, or paths of files */
    char *room[MOST_CHAINS];         /* that were made for them */
    size_t count;
    bool named;                /* on the command line; otherwise they are all of ours */
    const char *cases;         /* --case or --variant; NULL: default */
    const char *record, *unit; /* NULL: synthetic */
    double scale, end_s;
    bool noise, quiet, json;
    int plants, jobs;
    const char *folder, *write;
};
struct benchmark_options {
    struct benchmark_request q;
    long plants, jobs;
    bool list;
};

int benchmark_rths(const struct benchmark_request *request);
int benchmark_marths(const struct benchmark_request *request);
void benchmark_list_rths(void);
void benchmark_list_marths(void);
/* The table of the runs, made and named by the caller, as FOLDER/NAME. Exit code. */
int benchmark_write(const char *folder, const char *name, void (*write)(const void *self, FILE *out), const void *self);

#endif
