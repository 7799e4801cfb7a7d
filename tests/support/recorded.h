/* A run with its recording, in memory: what the engine says happened and every row that was written. */
#ifndef YOKE_TEST_RECORDED_H
#define YOKE_TEST_RECORDED_H

#include "engine/engine.h"

struct recorded {
    struct yk_run_result result;
    enum yk_status status; /* of the set-up */
    struct yk_err err;
    uint64_t dropped;
    size_t width[2], count[2]; /* system and fine stream */
    double *rows[2];
};

/* Parses the text with the settings and runs it; the recording goes to the scratch folder. */
struct yk_model *recorded_parse(const char *text, const char *const *set, size_t count);
void recorded_run(struct recorded *r, const struct yk_model *e, const struct yk_run_settings *settings,
                  struct yk_run_control *control);
/* Value of a channel in the last system row. */
double recorded_last(const struct recorded *r, const struct yk_model *e, const char *channel);
void recorded_free(struct recorded *r);
/* Fails unless both have the same rows to the last bit; `what` is printed. */
void recorded_assert_same(const struct recorded *a, const struct recorded *b, const char *what);

/* A setting with which a text that is right must be refused, and words of the message. */
struct refused_setting {
    const char *set, *words;
};
void check_refused_settings(const char *text, const struct refused_setting *cases, size_t count);

#endif
