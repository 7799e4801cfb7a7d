/* A study on the processes of mpirun: rank 0 has the table and hands out the runs, one by one as they are asked for.
 *
 *     rank k -> 0   what it made: place, status, and the row or the reason; at first NOTHING
 *     rank 0 -> k   the next place, or NOTHING: it is dismissed
 *
 * Rank 0 makes runs itself; a second thread of it answers the others. */
#include "parts.h"
#include <yoke/mpi.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING SIZE_MAX

struct made {
    size_t place;
    enum yk_status status;
    char text[1 << 20]; /* the row, or why there is none */
};

static enum yk_status send_made(struct made *m)
{
    return yk_mpi_send(0, m, offsetof(struct made, text) + strlen(m->text) + 1);
}

/* ---- rank 0 ---- */

void yk_ranks_serve(const struct yk_rank_work *work)
{
    struct made *m = malloc(sizeof *m);
    int left = yk_mpi_size() - 1;

    while (left > 0) {
        int from = -1;
        size_t bytes = m ? sizeof *m : 0, place = NOTHING;
        const enum yk_status st = m ? yk_mpi_receive(&from, m, &bytes) : YK_E_MEMORY;

        if (st) {
            work->take_in(work->self, NOTHING, st, strdup("a process of this study cannot be heard any more"));
            break;
        }
        if (m->place != NOTHING || m->status)
            work->take_in(work->self, m->place, m->status, strdup(m->text));
        if (!work->hand_out(work->self, &place))
            left--;
        if (yk_mpi_send(from, &place, sizeof place))
            break;
    }
    free(m);
}

static bool hand_out_nothing(void *self, size_t *place)
{
    *place = NOTHING;
    return false;
}

static void take_in_nothing(void *self, size_t place, enum yk_status st, char *text)
{
    free(text);
}

void yk_study_dismiss(void)
{
    yk_ranks_serve(&(struct yk_rank_work){NULL, hand_out_nothing, take_in_nothing});
}

/* ---- the others ---- */

enum yk_status yk_ranks_help(void *self,
                             enum yk_status (*make)(void *self, size_t place, char **row, struct yk_err *err),
                             struct yk_err *err)
{
    struct made *m = calloc(1, sizeof *m);
    size_t place = NOTHING, bytes = sizeof place;
    int rank0 = 0;
    enum yk_status st = m ? YK_OK : YK_E_MEMORY;

    for (place = NOTHING; !st;) {
        m->place = place;
        if ((st = send_made(m)) || (st = yk_mpi_receive(&rank0, &place, &bytes)) || place == NOTHING)
            break;
        struct yk_err why = {0};
        char *row = NULL;

        m->status = make(self, place, &row, &why);
        snprintf(m->text, sizeof m->text, "%s", m->status ? yk_err_line(&why).text : row);
        free(row);
    }
    free(m);
    return st ? yk_fail(err, st, "the first process of this study cannot be heard any more") : YK_OK;
}

void yk_study_excuse(const struct yk_err *why)
{
    struct made *m = calloc(1, sizeof *m);
    size_t place, bytes = sizeof place;
    int rank0 = 0;

    if (m) {
        m->place = NOTHING;
        m->status = why->status ? why->status : YK_E_INPUT;
        snprintf(m->text, sizeof m->text, "%s", yk_err_line(why).text);
        if (!send_made(m))
            yk_mpi_receive(&rank0, &place, &bytes);
    }
    free(m);
}
