/* yoke analyze trial: an analysis, as a template. */
#include "cli/analyze.h"

static int run(struct request *q)
{
    if (q->json)
        return print_json(json_pack("{s:i}", "steps", (int)q->e->steps));
    printf("trial: %ld steps\n", q->e->steps);
    return 0;
}

const struct analysis analysis_trial = {
    .name = "trial",
    .usage = "trial FILE [--set KEY=VALUE]... [--json]",
    .help = "the steps of the experiment",
    .json = "trial {steps}",
    .run = run,
};
