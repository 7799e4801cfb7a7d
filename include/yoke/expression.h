/* One expression language for channels: "(frame.roof.x.u - frame.c.x.u) / 3.0 m", "peak(a.u) / 3.5 m * 100",
 * "integral(a.f * derivative(a.u)) [kN mm]". Values are in SI, with units that are checked. docs/expressions.md has the
 * grammar and the functions.
 *
 *     yk_expression_compile(&e, "peak(a.u)", &scope, &err);        refuses with the column of the mistake
 *     memory = malloc(yk_expression_memory(e) * sizeof(double));
 *     yk_expression_rest(e, memory);
 *     for (each row) y = yk_expression_value(e, row, memory);
 *
 * A compiled expression is constant and may be shared; each user of it has a memory of its own. In a library of its
 * own, libyoke-expression.a. */
#ifndef YOKE_EXPRESSION_H
#define YOKE_EXPRESSION_H

#include <stddef.h>
#include <yoke/status.h>

struct yk_expression;

/* The channels that names stand for, by number, with their units ("m", "N m", "" for pure number). */
struct yk_expression_scope {
    size_t count;
    const char *const *names, *const *units;
    double step_s; /* between samples: derivative, integral, lowpass, delay; 0: unknown, these are refused */
};
/* err->column: of the mistake, from 1, in characters. */
enum yk_status yk_expression_compile(struct yk_expression **expression, const char *text,
                                     const struct yk_expression_scope *scope, struct yk_err *err);
void yk_expression_free(struct yk_expression *expression); /* NULL: does nothing */

const char *yk_expression_unit(const struct yk_expression *expression); /* of its values: "m", "kN/mm", "" */
size_t yk_expression_memory(const struct yk_expression *expression);    /* doubles */
void yk_expression_rest(const struct yk_expression *expression, double *memory);
/* The value at the next sample; row: the value of every channel. No heap, no lock. */
double yk_expression_value(const struct yk_expression *expression, const double *row, double *memory) YK_RT;
/* Every channel that is used, once: at most `room` numbers; returns how many there are. */
size_t yk_expression_channels(const struct yk_expression *expression, size_t *channels, size_t room);

/* All samples at once: rows of `width` values, one after the other. */
enum yk_status yk_expression_run(const struct yk_expression *expression, size_t rows, size_t width,
                                 const double *values, double *out, struct yk_err *err);

/* The message with the text and a mark below the mistake: two lines that end with a line feed. */
struct yk_expression_caret {
    char text[512];
};
struct yk_expression_caret yk_expression_caret(const char *text, int column);

#endif
