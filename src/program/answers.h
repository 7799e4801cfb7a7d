/* What analyses find, as JSON and in words: for `--json` of the program and for other programs. */
#ifndef YOKE_PROGRAM_ANSWERS_H
#define YOKE_PROGRAM_ANSWERS_H

#include "analyze/analyze.h"
#include "analyze/identify.h"
#include "analyze/inspect.h"
#include "engine/engine.h"
#include "substructure/look.h"
#include <jansson.h>

#define YK_CHECK_BUDGET_S  20.0 /* CPU time of a check */
#define YK_MARGIN_BUDGET_S 60.0 /* and of each way to find a margin */

json_t *yk_json_numbers(int count, const double *x);

/* Eigenvalues at one step. */
struct yk_spectrum_point {
    double step, value; /* value: of the scanned key */
    size_t n;
    double *re, *im;
    struct yk_root_report report;
};

/* The caller frees p->re. Of several steps, the first mode is followed from one to the next; begin with an empty one.
 */
struct yk_first_mode;
enum yk_status yk_spectrum_at(const struct yk_experiment *e, double dt, struct yk_first_mode *mode,
                              struct yk_spectrum_point *p, struct yk_err *err);
json_t *yk_spectrum_json(const struct yk_spectrum_point *p, bool scanned);

json_t *yk_order_json(const struct yk_order *o);
void yk_energy_extremes(size_t count, const struct yk_energy_sample *s, double *largest, double *error);
json_t *yk_energy_json(size_t count, const struct yk_energy_sample *s);
struct yk_drift_sample yk_drift_largest(size_t count, const struct yk_drift_sample *s);
json_t *yk_drift_json(size_t count, const struct yk_drift_sample *s);
json_t *yk_margin_json(const struct yk_margin *m, const struct yk_margin *simulated, const struct yk_robustness *r);
/* Delay margins of other rigs than the one of the file [s], and the gain margin: what was found of them. */
json_t *yk_robustness_json(const struct yk_robustness *r);
json_t *yk_track_json(const struct yk_track *t);
json_t *yk_delays_json(size_t count, const struct yk_delay_report *r);

enum { YK_FRF_POINTS = 400 };
#define YK_FRF_FREQUENCIES "0.1:20:24log"
#define YK_FRF_AMPLITUDE   0.010 /* m */
/* Is there a point at all? Otherwise the reason of the first is the failure. */
bool yk_frf_any(size_t n, const struct yk_response_point *p, struct yk_err *err);
json_t *yk_frf_json(const char *name, double amplitude, size_t n, const struct yk_response_point *p);

/* Sections with fibres of a frame: as JSON, and in words that begin with `indent`. */
json_t *yk_sections_json(const struct yk_named_sections *sections);
void yk_sections_print(const struct yk_named_sections *sections, const char *indent, FILE *out);
json_t *yk_inspection_json(const struct yk_substructure *s, const struct yk_inspection *x);
void yk_loads_print(const struct yk_experiment *e, FILE *out);
json_t *yk_loads_json(const struct yk_experiment *e);

/* "stable; delay margin 32.5 ms", "UNSTABLE: free vibration doubles every 0.3 s", "undecided: ...". */
/* The same in a few lines. budget_s: CPU time that it was given. */
void yk_robustness_print(const struct yk_robustness *r, double budget_s, FILE *out);
void yk_loop_words(const struct yk_margin *m, double budget_s, char *text, size_t size);
/* The known cause of growth, and possible remedies. */
void yk_loop_advice(const struct yk_experiment *e, const struct yk_margin *m, char *text, size_t size);

/* ---- a check of everything that can be found out before a run ---- */

enum { YK_FOUND_FREQUENCIES = 10 }; /* enough to tell the rigid-body modes of a part, too */

struct yk_findings {
    /* filled by the caller */
    double budget_s;                              /* of CPU time, for the loop and for the rehearsal */
    void (*progress)(void *self, double spent_s); /* of judging the loop; NULL: not shown */
    void *self;

    char *method; /* with its settings */
    struct yk_stability stability;
    size_t frequency_count;
    double frequency_Hz[YK_FOUND_FREQUENCIES];
    double step_cost_s, duration_s;
    struct yk_tally tally;               /* of nonlinear members; evaluations: in the steps tried */
    double evaluations;                  /* of these members in a step */
    struct yk_solving solving[YK_SIDES]; /* of the one domain, or of the sides of a coupling */
    bool hybrid;
    struct yk_margin margin;
    struct yk_robustness robustness; /* where it is stable */
    double robustness_s;             /* CPU time that this may take */
    struct yk_inspection *parts;     /* of each substructure */
    double reference_s;              /* that the reference solution will take */
    char missing[512];               /* limits that a rig outside this process needs */
    struct yk_rehearsal rehearsal;
    char *proposal;          /* for them; NULL: none, for a reason */
    struct yk_notes *doubts; /* about settings that are possible, but seldom meant */
    char no_proposal[256];
};
/* Moves nothing outside this process. Free the findings also after a failure. */
enum yk_status yk_findings_make(const struct yk_plan *plan, struct yk_findings *f, struct yk_err *err);
void yk_findings_free(const struct yk_plan *plan, struct yk_findings *f);
/* Natural frequencies of the (linearised) structure; none where its stiffness is not symmetric. */
void yk_findings_frequencies(const struct yk_experiment *e, struct yk_findings *f);
/* Are step and loop stable, and is the damping of the loop right? */
bool yk_findings_good(const struct yk_findings *f);
/* Nonlinear members of all substructures; what makes their steps costly, and what the cells of their sections leave
 * out. */
void yk_members_tally(const struct yk_experiment *e, struct yk_tally *all);
json_t *yk_members_json(const struct yk_findings *f);
void yk_members_print(const struct yk_experiment *e, const struct yk_findings *f, FILE *out);
/* What laws say of the step of the test. */
json_t *yk_elements_json(const struct yk_experiment *e);
void yk_elements_print(const struct yk_experiment *e, FILE *out);
json_t *yk_findings_json(const struct yk_plan *plan, const struct yk_findings *f);
void yk_findings_print(const struct yk_plan *plan, const struct yk_findings *f, FILE *out);

#endif
