/* Counts how often the program reads a file, prepares a method, and factors the sides of a coupling for it or for an
 * analysis, and says so at its end. The linker puts these
 * functions before those of the same name. */
#include "state/state.h"
#include <yoke/tree.h>

#include <stdio.h>

static int parsed, prepared, coupled;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker wants these names */

enum yk_status __real_yk_tree_parse(struct yk_node **root, const char *text, size_t size, const char *path,
                                    struct yk_err *err);
enum yk_status __wrap_yk_tree_parse(struct yk_node **root, const char *text, size_t size, const char *path,
                                    struct yk_err *err);
enum yk_status __real_yk_state_open(struct yk_state *motion, const struct yk_model *experiment, double dt,
                                    struct yk_err *err);
enum yk_status __wrap_yk_state_open(struct yk_state *motion, const struct yk_model *experiment, double dt,
                                    struct yk_err *err);

enum yk_status __real_yk_coupling_create(struct yk_coupling *c, const struct yk_coupling_ops *ops, const void *settings,
                                         struct yk_coupled *problem, struct yk_arena *mem, struct yk_err *err);
enum yk_status __wrap_yk_coupling_create(struct yk_coupling *c, const struct yk_coupling_ops *ops, const void *settings,
                                         struct yk_coupled *problem, struct yk_arena *mem, struct yk_err *err);

enum yk_status __wrap_yk_tree_parse(struct yk_node **root, const char *text, size_t size, const char *path,
                                    struct yk_err *err)
{
    parsed++;
    return __real_yk_tree_parse(root, text, size, path, err);
}

enum yk_status __wrap_yk_state_open(struct yk_state *motion, const struct yk_model *experiment, double dt,
                                    struct yk_err *err)
{
    prepared++;
    return __real_yk_state_open(motion, experiment, dt, err);
}

enum yk_status __wrap_yk_coupling_create(struct yk_coupling *c, const struct yk_coupling_ops *ops, const void *settings,
                                         struct yk_coupled *problem, struct yk_arena *mem, struct yk_err *err)
{
    coupled++;
    return __real_yk_coupling_create(c, ops, settings, problem, mem, err);
}

/* NOLINTEND(bugprone-reserved-identifier) */

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "counted: %d parsed, %d prepared, %d coupled\n", parsed, prepared, coupled);
}
