/* The report of a run, or of several to compare: one HTML file with its data, scripts and styles, which needs neither
 * the program nor the network. The C side gathers what the recordings hold; web/src/pages/report.js draws it. */
#ifndef YOKE_REPORT_H
#define YOKE_REPORT_H

#include <stdint.h>
#include <yoke/status.h>

struct yk_report_run {
    const char *recording; /* run.h5; summary.json is looked for in its folder */
    const char *label;     /* what to call the run */
    bool own;              /* this user's run has just written it: read in this process */
};

/* Writes the page, replacing an older one only when it is complete. */
enum yk_status yk_report_write(const struct yk_report_run *runs, size_t count, const char *path, struct yk_err *err);

#endif
