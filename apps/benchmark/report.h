/* The folder that `yoke benchmark -o` leaves beside its tables: time histories and report.html. */
#ifndef YOKE_BENCHMARK_REPORT_H
#define YOKE_BENCHMARK_REPORT_H

#include "history.h"
#include "options.h"
#include <yoke/page.h>

enum { MOST_PICTURES = 7 };

struct benchmark_report {
    const struct benchmark_request *request;
    struct yk_score_page page;
    struct yk_score_picture pictures[MOST_PICTURES];
    char *made[2 * MOST_PICTURES]; /* paths and captions */
    size_t made_count;
};
/* Words of the run: "4 cases, 5 perturbed plants, ...". */
void benchmark_settings(const struct benchmark_request *request, char *text, size_t size);
/* The verdict by docs/theory/verdict.md: tracking error and error against the untorn frame, rms [%]; limited: the
 * device was at its limit, which is doubtful at least. */
const char *benchmark_verdict(double tracking, double error, bool limited);
/* The name of a chain without the folders of its file. */
const char *benchmark_chain_name(const char *chain);
/* A picture that was already written as FOLDER/NAME. */
void benchmark_add_picture(struct benchmark_report *report, const char *name, const char *caption);
/* Draws FOLDER/history-CHAIN.svg and adds it. The histories are freed. Exit code. */
int benchmark_add_history(struct benchmark_report *report, const char *chain, const char *run,
                          struct yk_histories *histories);
/* Writes FOLDER/report.html and frees what was made. Exit code. */
int benchmark_finish_report(struct benchmark_report *report);

#endif
