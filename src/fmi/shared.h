/* The memory that the program and the host of an FMU share: the job, then a board of requests and one of answers. */
#ifndef YOKE_FMI_SHARED_H
#define YOKE_FMI_SHARED_H

#include "base/board.h"
#include "fmi/instance.h"

enum { YK_FMU_MEMORY_FD = 3, YK_FMU_LIFE_FD = 4 }; /* of the host; the second ends when the program does */
enum { YK_FMU_SPIN_NS = 100000 };                  /* either side watches for so long before it sleeps */

struct yk_fmu_shared {
    struct yk_fmu_job job;
    char where[32], text[YK_FMU_TEXT]; /* see yk_fmu_instance_open */
};

static inline size_t yk_fmu_requests_at(void)
{
    return (sizeof(struct yk_fmu_shared) + 63) / 64 * 64;
}
static inline size_t yk_fmu_answers_at(const struct yk_fmu_job *j)
{
    return yk_fmu_requests_at() + (yk_board_size(yk_fmu_request_words(j)) + 63) / 64 * 64;
}
static inline size_t yk_fmu_shared_size(const struct yk_fmu_job *j)
{
    return yk_fmu_answers_at(j) + yk_board_size(yk_fmu_answer_words(j));
}

#endif
