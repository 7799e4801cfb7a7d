/* Findings of analyses, as JSON and in words: for `--json` of the program and for other programs. */
#ifndef YOKE_PROGRAM_ANSWERS_H
#define YOKE_PROGRAM_ANSWERS_H

#include "analyze/analyze.h"
#include "engine/engine.h"
#include <jansson.h>
#include <yoke/identify.h>
#include <yoke/inspect.h>
#include <yoke/look.h>

#define YK_CHECK_BUDGET_S 20.0 /* CPU time of a check */

/* Delay margins of other rigs than the one of the file [s], and the gain margin: what was found of them. */
json_t *yk_robustness_json(const struct yk_robustness *r);
struct yk_first_mode;
/* yk_parts_spectrum of an experiment. */
enum yk_status yk_spectrum_at(const struct yk_model *model, double dt, struct yk_first_mode *mode,
                              struct yk_spectrum_point *p, struct yk_err *err);

/* Sections with fibres of a frame: as JSON, and in words that begin with `indent`. */
json_t *yk_sections_json(const struct yk_named_sections *sections);
void yk_sections_print(const struct yk_named_sections *sections, const char *indent, FILE *out);
void yk_loads_print(const struct yk_model *model, FILE *out);
json_t *yk_loads_json(const struct yk_model *model);

/* The known cause of growth, and possible remedies. */
void yk_loop_advice(const struct yk_model *model, const struct yk_margin *m, char *text, size_t size);

/* ---- the verdict of a rehearsal ---- */

struct yk_judged {
    struct yk_course course;
    struct yk_measures measures;
    struct yk_judgement verdict;
    double made_s;   /* time of the test that was rehearsed */
    bool complete;   /* to the end; otherwise the budget was spent, or `fault` says why */
    char fault[256]; /* a trip or a divergence, in words; "": none */
};
/* Runs the test on the virtual rig for `budget_s` at most [s]. */
enum yk_status yk_judge_rehearsal(const struct yk_model *model, double budget_s, struct yk_judged *judged,
                                  struct yk_err *err);
json_t *yk_judged_json(const struct yk_model *model, const struct yk_judged *judged);
void yk_judged_print(const struct yk_model *model, const struct yk_judged *judged, FILE *out);
/* Demand on the actuators and their capacity: yk_demand_json in words. */
void yk_demand_print(const struct yk_model *model, const struct yk_course *course, FILE *out);

/* ---- a check of everything that can be found out before a run ---- */

enum { YK_FOUND_FREQUENCIES = 10 }; /* enough to tell the rigid-body modes of a part, too */

struct yk_findings {
    /* filled by the caller */
    double budget_s; /* of CPU time, for the loop and for the rehearsal */

    char *method; /* with its settings */
    struct yk_stability stability;
    size_t frequency_count;
    double frequency_Hz[YK_FOUND_FREQUENCIES];
    double step_cost_s, duration_s;
    struct yk_tally tally;               /* of nonlinear members; evaluations: in the steps tried */
    double evaluations;                  /* of these members in a step */
    struct yk_solving solving[YK_SIDES]; /* of the one domain, or of the sides of a coupling */
    bool hybrid, quasi_static;
    struct yk_margin margin;
    struct yk_robustness robustness; /* where it is stable */
    double robustness_s;             /* CPU time that this may take */
    struct yk_inspection *parts;     /* of each substructure */
    double reference_s;              /* that the reference solution will take */
    char missing[512];               /* limits that a rig outside this process needs */
    struct yk_judged judged;         /* the verdict of the rehearsal */
    struct yk_rehearsal rehearsal;
    char *proposal;          /* for them; NULL: none, for a reason */
    struct yk_notes *doubts; /* about settings that are possible, but seldom meant */
    char no_proposal[256];
};
/* Moves nothing outside this process. Free the findings also after a failure. */
enum yk_status yk_findings_make(const struct yk_model *model, struct yk_findings *f, struct yk_err *err);
void yk_findings_free(const struct yk_model *model, struct yk_findings *f);
/* Natural frequencies of the (linearised) structure; none where its stiffness is not symmetric. */
void yk_findings_frequencies(const struct yk_model *model, struct yk_findings *f);
/* Are step and loop stable, is the damping of the loop right, and is the rehearsal not unusable? */
bool yk_findings_good(const struct yk_findings *f);
/* Nonlinear members of all substructures; what makes their steps costly, and what the cells of their sections leave
 * out. */
void yk_members_tally(const struct yk_state *m, struct yk_tally *all);
json_t *yk_members_json(const struct yk_findings *f);
void yk_members_print(const struct yk_model *model, const struct yk_findings *f, FILE *out);
/* Advice of the laws on the step of the test. */
json_t *yk_elements_json(const struct yk_model *model);
void yk_elements_print(const struct yk_model *model, FILE *out);
json_t *yk_findings_json(const struct yk_model *model, const struct yk_findings *f);
void yk_findings_print(const struct yk_model *model, const struct yk_findings *f, FILE *out);

/* The section `channels` for `yoke check`: raw numbers and SI units side by side. */
void yk_check_channels(const struct yk_model *model, FILE *out);

#endif
