/* Shared by the files of `yoke check --certify`. */
#ifndef CERTIFY_CERTIFY_H
#define CERTIFY_CERTIFY_H

#include "options.h"

#include <yoke/analysis.h>
#include <yoke/certify.h>
#include <yoke/parts.h>

enum { CERTIFY_TEXT = 400 };

/* An uncertain value of the file: a number, or all numbers of a list or matrix together. */
struct certify_key {
    const char *key;            /* "rig.specimen.stiffness" */
    const struct yk_node *said; /* its limits in the file */
    const struct yk_node *node; /* its value; NULL: not in the file, its default is `nominal` */
    double nominal, half;       /* in `unit`; of a percentage nominal 1: a factor */
    char unit[24];
    bool factor;
    double tick; /* of a time: a control tick in its unit; else 0 */
};

struct certify_entry;
/* The loop of the file, as a family of lib/certify. */
struct certify_loop {
    const struct yk_parts *parts;
    struct yk_model *model;
    size_t count;
    struct certify_key key[YK_CERTIFY_PARAMETERS];
    struct yk_uncertain of[YK_CERTIFY_PARAMETERS];
    struct certify_entry *entries; /* families that were needed so far */
    size_t entry_count;
    double cycle_s, decay;
    bool linear;
};

/* Reads the section `uncertain`. */
enum yk_status certify_read(struct certify_loop *loop, struct yk_err *err);
/* "rig.specimen.stiffness=[[1 kN/m]]" for a deviation; false: out of memory or too long. */
bool certify_setting(const struct certify_key *key, double delta, char *text, size_t size);
/* The value in words: "+20 %", "4.2 ms". */
void certify_value_text(const struct certify_key *key, double delta, char *text, size_t size);

/* Realises the loop of the file and finds which keys act through ports. */
enum yk_status certify_open(struct certify_loop *loop, struct yk_err *err);
void certify_close(struct certify_loop *loop);
/* For struct yk_certify_problem. */
enum yk_status certify_family(void *user, const double *delta, const struct yk_family **family, struct yk_err *err);

/* Ranks the cuts of the structure, with a picture in `folder`, which is there. An exit code. */
int certify_cuts(const struct yk_parts *parts, const char *folder, bool json);

/* The experiment with these settings, as a file that runs from any folder. */
bool certify_write_worst(const struct certify_loop *loop, const double *delta, const char *path);

#endif
