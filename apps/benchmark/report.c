/* The folder of a benchmark: time histories of some chains, and a page with everything. */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/analysis.h>

void benchmark_settings(const struct benchmark_request *q, char *text, size_t size)
{
    snprintf(text, size, "%d perturbed plant%s; %s; ground motion: %s times %g; %g s", q->plants,
             q->plants == 1 ? "" : "s", q->noise ? "sensors with noise" : "no noise",
             q->record ? benchmark_chain_name(q->record) : "synthetic", q->scale, q->end_s);
}

const char *benchmark_verdict(double tracking, double error, bool limited)
{
    const int a = yk_quality_grade("tracking", 0.01 * tracking), b = yk_quality_grade("reference", 0.01 * error),
              worst = a > b ? a : b;

    return yk_quality_word(limited && worst < 1 ? 1 : worst);
}

const char *benchmark_chain_name(const char *chain)
{
    const char *slash = strrchr(chain, '/');

    return slash ? slash + 1 : chain;
}

int benchmark_write(const char *folder, const char *name, void (*write)(const void *self, FILE *out), const void *self)
{
    char *path = NULL;
    FILE *out = NULL;
    bool good = asprintf(&path, "%s/%s", folder, name) >= 0 && (out = fopen(path, "w"));

    if (out) {
        write(self, out);
        good = !ferror(out);
        good &= fclose(out) == 0;
    }
    if (!good)
        fprintf(stderr, "yoke: cannot write %s/%s: %s\n", folder, name, strerror(errno));
    free(path);
    return good ? 0 : 1;
}

void benchmark_add_picture(struct benchmark_report *r, const char *name, const char *caption)
{
    char *path = NULL, *copy = strdup(caption);

    if (r->page.picture_count == MOST_PICTURES || !copy || asprintf(&path, "%s/%s", r->request->folder, name) < 0) {
        free(copy);
        return;
    }
    r->made[r->made_count++] = path;
    r->made[r->made_count++] = copy;
    r->pictures[r->page.picture_count++] = (struct yk_score_picture){path, copy};
    r->page.pictures = r->pictures;
}

int benchmark_add_history(struct benchmark_report *r, const char *chain, const char *run, struct yk_histories *h)
{
    char *name = NULL, *path = NULL, *title = NULL;
    struct yk_err err = {0};
    int code = 1;

    if (asprintf(&name, "history-%s.svg", benchmark_chain_name(chain)) >= 0 &&
        asprintf(&path, "%s/%s", r->request->folder, name) >= 0 &&
        asprintf(&title, "%s, %s", benchmark_chain_name(chain), run) >= 0) {
        code = 0;
        if (yk_histories_draw(h, title, path, &err)) /* without gnuplot the page lacks a picture, no more */
            fprintf(stderr, "yoke: no picture of %s: %s\n", title, yk_err_line(&err).text);
        else
            benchmark_add_picture(r, name, title);
    }
    yk_histories_free(h);
    free(name);
    free(path);
    free(title);
    return code;
}

int benchmark_finish_report(struct benchmark_report *r)
{
    char *path = NULL;
    struct yk_err err = {0};
    const bool named = asprintf(&path, "%s/report.html", r->request->folder) >= 0;
    const int code = !named ? 1 : yk_score_page_write(&r->page, path, &err) ? yk_command_fail(&err) : 0;

    for (size_t i = 0; i < r->made_count; i++)
        free(r->made[i]);
    free(path);
    return code;
}
