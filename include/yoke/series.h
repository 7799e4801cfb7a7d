/* Sampled functions of time from files: tables, MATLAB files, PEER AT2. Ground motions in the formats of networks:
 * yoke/motion.h. Texts come as a whole, so that a test can feed them from memory; what cannot be read is refused with
 * file:line and the reason. */
#ifndef YOKE_SERIES_H
#define YOKE_SERIES_H

#include <yoke/param.h>
#include <yoke/text.h>

/* PEER AT2 in its variants. *named: the file says its unit, and the values are in m/s2; otherwise they are what stands
 * there. Refused if there are fewer values than NPTS; likewise more, unless `beyond` is given: it is then how many
 * were ignored. */
enum yk_status yk_read_at2(const struct yk_text *text, struct yk_series *out, bool *named, size_t *beyond,
                           struct yk_err *err);
/* The first lines look like those of a PEER AT2 file. */
bool yk_looks_like_at2(const struct yk_text *text);
/* A table as loggers write it (docs/measured.md, section 1): two columns time, value; or, with dt_s > 0, one column.
 * Titles, units, decimal commas, dates and compressed files are understood; rows stand at their own times, which must
 * increase. The value measures `quantity`. *named (may be NULL): the file says the unit of the values; otherwise they
 * are what stands there. */
enum yk_status yk_read_series_csv(const struct yk_text *text, double dt_s, enum yk_quantity quantity,
                                  struct yk_series *out, bool *named, struct yk_err *err);
/* The same for a column of several, by its title or number; NULL: the only one. */
enum yk_status yk_read_series_column(const struct yk_text *text, const char *column, double dt_s,
                                     enum yk_quantity quantity, struct yk_series *out, bool *named, struct yk_err *err);
/* A matrix of a MATLAB file with two columns time, value; or, with dt_s > 0, a vector. */
enum yk_status yk_read_series_mat(const char *path, double dt_s, struct yk_series *out, struct yk_err *err);
/* By the name's ending (.at2, .mat, .csv, .txt) and content. An AT2 file has a step of its own. "lab.csv:Force" is a
 * column of a table. */
enum yk_unit_said {
    YK_UNIT_UNSAID,
    YK_UNIT_SAID,  /* by the file; the values are in SI */
    YK_UNIT_OF_AT2 /* unsaid, in a format whose files are in g by custom */
};
enum yk_status yk_read_series(const char *path, double dt_s, enum yk_quantity quantity, struct yk_series *out,
                              enum yk_unit_said *unit, struct yk_err *err); /* unit may be NULL */
void yk_series_free(struct yk_series *series);

#endif
