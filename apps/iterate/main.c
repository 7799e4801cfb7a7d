/* yoke iterate: tests without feedback, run after run. docs/iterate.md. */
#include "iterate.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static void ask_stop(int signal)
{
    stop_asked = 1;
}

/* How an iteration is judged. */
static const char *verdict_of(const struct outcome *out, enum yk_status st)
{
    if (st)
        return "stopped";
    return out->end == YK_ITERATION_CONVERGED ? "good" : "unusable";
}

static void print(const struct runs *r, const struct outcome *out, const char *verdict)
{
    printf("  %s: error of the interface %.3g %%", yk_iteration_end_words(out->end), 100 * out->error);
    if (out->curve_count)
        printf(" at most; %zu points of the curve", out->curve_count);
    printf("; tracking %.3g %%\n", 100 * out->tracking);
    for (size_t k = 0; k < out->fold_count; k++)
        printf("  fold at %.6g Hz\n", out->folds[k].w / 6.283185307179586);
    printf("  budget: %zu runs, %.4g J of work in the specimen, largest motion %.4g mm\n", r->count, r->work,
           1e3 * r->largest);
    printf("  verdict: %s%s\n  files: %s/\n", verdict,
           strcmp(verdict, "unusable") == 0 ? " - DO NOT USE THESE RESULTS" : "", r->folder);
}

static int iterate(struct runs *r, const struct iterate_options *o, struct yk_err *err)
{
    struct outcome out = {.end = YK_ITERATION_MOST, .error = NAN, .tracking = NAN, .refit = NAN};
    struct yk_err failed = {0};
    enum yk_status st;
    int code;

    if (!o->json)
        printf("%s%s\n", yk_parts_title(r->parts), o->dry ? ": on the virtual rig" : "");
    st = r->s->kind == KIND_RECORD ? iterate_record(r, &out, err) : iterate_periodic(r, &out, err);
    const char *verdict = verdict_of(&out, st);

    if (st && !r->count) {
        outcome_free(&out);
        return yk_command_fail(err);
    }
    code = st ? (st == YK_E_STOPPED ? 3 : 1) : out.end == YK_ITERATION_CONVERGED ? 0 : 4;
    if (write_all(r, &out, verdict, &failed)) /* pictures are no result: the runs are kept */
        fprintf(stderr, "yoke: warning: %s\n", yk_err_line(&failed).text);
    if (st)
        fprintf(stderr, "yoke: %s; `yoke iterate %s%s --resume %s` continues\n", yk_err_line(err).text,
                yk_parts_path(r->parts), o->dry ? " --dry" : "", r->folder);
    if (o->json)
        yk_print_json(result_json(r, &out, verdict));
    else if (!st)
        print(r, &out, verdict);
    outcome_free(&out);
    return code;
}

static int run(int argc, char **argv)
{
    struct iterate_options o = {0};
    struct settings s = {0};
    struct runs r = {.s = &s};
    struct yk_words words;
    struct yk_parts *parts;
    struct yk_err err = {0};
    int code = 0;

    if (!yk_take_options(&command_iterate, argc, argv, &o, &words))
        return 2;
    if (o.json)
        yk_command_fail_in_json();
    if (o.resume && o.output)
        return yk_misuse(&command_iterate, "--resume names the folder; -o is not needed");
    if (!(parts = yk_command_parts(&command_iterate, &words, &o.set, true, &code)))
        return code;
    struct sigaction action = {.sa_handler = ask_stop};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    r.parts = parts;
    code = settings_read(&s, parts, &err) || runs_open(&r, &o, &err) ? yk_command_fail(&err) : iterate(&r, &o, &err);
    runs_close(&r);
    settings_free(&s);
    yk_parts_close(parts);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_iterate, run, argc, argv);
}
