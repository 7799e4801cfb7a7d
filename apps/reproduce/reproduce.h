/* Published cases: claims of papers, recomputed.
 *
 * A case is a folder with experiment files and `claims.yaml`: for each claim what the paper says and where, the
 * quantity that checks it, and its expected value; and the figures to draw. Nothing in it computes: every number comes
 * from the steps of the registered methods. docs/reproduction.md has the format. */
#ifndef YOKE_REPRODUCE_H
#define YOKE_REPRODUCE_H

#include <yoke/status.h>

/* Origin of an expected value. Only printed and stated ones count as reproduced, measured ones apart from them. */
enum yk_origin {
    YK_PRINTED,   /* a number in the paper */
    YK_STATED,    /* words of the paper, turned into a bound */
    YK_DERIVED,   /* a closed form or a prototype of ours; the paper has no number */
    YK_SURROGATE, /* inputs that the paper does not print were chosen by us; `guessed` names them */
    YK_FITTED,    /* printed, but inputs were fitted to it or to its neighbours; `guessed` names them */
    YK_INPUT,     /* printed as data of the test, and only read back */
    YK_REPEATED,  /* printed, but another claim already counts this number; `counted` names that claim */
    YK_MEASURED,  /* from the recording of a real test, by an independent program or by its authors */
    YK_ORIGINS
};
/* The verdict. `expect` always holds the right value. */
enum yk_claim_status {
    YK_MET,            /* as published */
    YK_NOT_MET,        /* `why` says what is missing or different */
    YK_PAPER_IN_ERROR, /* `why` gives the right value, `proof` the evidence */
    YK_DISAGREEMENT,   /* `why` says what differs; not settled */
    YK_CLAIM_STATUSES
};
enum yk_verdict { YK_NOT_CHECKED, YK_HOLDS, YK_FAILS, YK_NO_VERDICT };
/* Does the claim detect an error? */
enum yk_mutation { YK_NO_MUTATION, YK_CAUGHT, YK_SURVIVES };

struct yk_claim {
    char *claim, *where;
    char *published, *why, *unit, *key, *guessed, *counted, *proof, *prototype; /* may be NULL */
    enum yk_origin origin;
    enum yk_claim_status status;
    double low, high;  /* range for `obtained` */
    char expected[80]; /* the same in words */
    double obtained;   /* NaN where nothing was computed */
    enum yk_verdict verdict;
    char message[400]; /* why nothing could be computed; "" otherwise */
    char wrong[200];   /* what is changed by the wrong variant; "" where there is none */
    double wrong_obtained;
    enum yk_mutation mutation;
};

struct yk_case {
    char *id; /* "000-interfield/fig2-radii" */
    char *folder;
    char *title, *source, *about; /* `about` may be NULL */
    bool quick;                   /* one of the representative cases */
    struct yk_claim *claims;
    size_t claim_count, figure_count;
    double seconds; /* that the check took */
    void *self;
};

/* Reads and checks the file of a case; computes nothing. `id` becomes its name. */
enum yk_status yk_case_open(struct yk_case **opened, const char *folder, const char *id, struct yk_err *err);
void yk_case_close(struct yk_case *c);
/* Computes every claim. A claim that cannot be computed fails with a message. */
void yk_case_check(struct yk_case *c);
size_t yk_case_failures(const struct yk_case *c);
/* Computes the wrong variant of every claim that is checked: its value must lie outside what is expected. */
void yk_case_mutate(struct yk_case *c);
/* Claims whose wrong variant passes, or that have none. */
size_t yk_case_survivors(const struct yk_case *c);
/* Draws figure k into the folder: NAME.svg with NAME.csv and NAME.gp. Without gnuplot it writes data and script
 * only. */
enum yk_status yk_case_draw(struct yk_case *c, size_t k, const char *folder, struct yk_err *err);
const char *yk_case_figure_name(const struct yk_case *c, size_t k);
/* Title and what to compare with; malloc'd, NULL when out of memory. */
char *yk_case_figure_caption(const struct yk_case *c, size_t k);
bool yk_case_figure_is_cover(const struct yk_case *c, size_t k); /* for a page of all cases */

/* Writes claims.json, claims.csv and index.html into the folder. */
enum yk_status yk_case_report(const struct yk_case *c, const char *folder, struct yk_err *err);
/* The text of claims.json; malloc'd. */
char *yk_case_json(const struct yk_case *c);

const char *yk_origin_text(enum yk_origin origin);
const char *yk_claim_status_text(enum yk_claim_status status);
/* The status, or "FAILS" where the value is not what is expected, or "not checked". */
const char *yk_claim_verdict_text(const struct yk_claim *claim);

/* The folders of all cases below `papers`, as ids in order; malloc'd list of malloc'd texts. */
enum yk_status yk_cases_find(const char *papers, char ***ids, size_t *count, struct yk_err *err);

/* Prints every quantity and curve of the vocabulary, in Markdown. */
#include <stdio.h>
void yk_reproduce_vocabulary(FILE *out);

#endif
