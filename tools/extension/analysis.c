/* yoke analyze trial: an analysis, as a template. */
#include "request.h"

int analyze_trial(struct request *q)
{
    if (q->json)
        return yk_print_json(json_pack("{s:i}", "steps", (int)yk_parts_steps(q->parts)));
    printf("trial: %ld steps\n", yk_parts_steps(q->parts));
    return 0;
}
