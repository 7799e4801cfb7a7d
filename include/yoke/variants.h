/* One experiment run with many settings: read once, then run any number of times, on any number of threads. For
 * studies, searches and tests of robustness. Nothing outside this process moves: every run is on the virtual rig.
 *
 *     yk_variants_open(&variants, &(struct yk_model_source){.path = "frame.yaml"}, &err);
 *     yk_variants_run(variants, settings, 1, NULL, &variant, &err);     "time.step=2 ms": a summary, or why there is
 * none
 *
 * A run depends on its settings and on nothing else: neither threads nor other runs change a bit of its summary. */
#ifndef YOKE_VARIANTS_H
#define YOKE_VARIANTS_H

#include <yoke/yoke.h>

struct yk_variants;
/* Reads the experiment; its method is prepared for each run. Everything in `source` may go afterwards, except its
 * components. */
enum yk_status yk_variants_open(struct yk_variants **variants, const struct yk_model_source *source,
                                struct yk_err *err);
void yk_variants_close(struct yk_variants *variants); /* NULL: does nothing */
const char *yk_variants_title(const struct yk_variants *variants);
const char *yk_variants_text(const struct yk_variants *variants);           /* of the experiment file */
const char *yk_variants_note(const struct yk_variants *variants, size_t k); /* as yk_model_note */
/* Figures of summary.json by path that tell the most of this experiment, such as "errors.displacement_nrms": a list
 * that ends with NULL, malloc'd as one block. */
char **yk_variants_results(const struct yk_variants *variants, struct yk_err *err);

/* Announces what will be varied: keys, and how many values each will have (0: another one in every run). Runs that only
 * differ in settings without a part in the reference solution then share it. Once, before the first run. */
enum yk_status yk_variants_announce(struct yk_variants *variants, const char *const *keys, const size_t *values,
                                    size_t count, struct yk_err *err);

struct yk_varied_wish {
    bool margin; /* the delay margin of the loop as well, which takes longer than most runs */
    bool times;  /* measure the times of the summary (timing, stages); otherwise these are zero */
};
struct yk_varied {
    const char *status; /* "finished", "stopped" by a limit, "diverged"; "refused": these settings cannot be run */
    char *reason;       /* malloc'd; NULL: none */
    char *summary;      /* as summary.json; malloc'd; NULL where it was refused */
    double margin_s;    /* 0: unstable; infinite: no delay up to a second makes it so; NAN: none, or not asked for */
};
/* Runs the experiment with the settings, "key=value" each. YK_OK even where they were refused: `err` (may be NULL) then
 * has the reason as data. Other statuses do not depend on the settings. wish: NULL: neither. */
enum yk_status yk_variants_run(struct yk_variants *variants, const char *const *settings, size_t count,
                               const struct yk_varied_wish *wish, struct yk_varied *variant, struct yk_err *err);
void yk_varied_free(struct yk_varied *variant);

#endif
