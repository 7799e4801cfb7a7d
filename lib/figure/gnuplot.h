/* gnuplot as a child process. */
#ifndef YOKE_REPORT_GNUPLOT_H
#define YOKE_REPORT_GNUPLOT_H

#include <yoke/status.h>

/* Runs a script in its folder, without a shell, for at most timeout_s. The message of a failure has gnuplot's own
 * words. */
enum yk_status yk_gnuplot_run(const char *folder, const char *script, double timeout_s, struct yk_err *err);

#endif
