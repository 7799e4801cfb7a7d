/* The rows of a static analysis: a recording whose time counts steps. */
#include "path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* Looks at nonlinear members, but for their moments at the ends, which the results have. */
static bool is_shown(const struct yk_look *look)
{
    return look->kind != YK_LOOK_END_FORCE || look->component == 0;
}

static enum yk_status list_looks(struct path *p, struct yk_err *err)
{
    for (size_t k = 0; k < yk_parts_count(p->q->parts); k++) {
        const struct yk_system *s = yk_part(p->q->parts, k)->system;
        const size_t count = yk_part_frame(p->q->parts, k, NULL) ? yk_looks_of(s, false, NULL) : 0;
        struct yk_look *looks = realloc(p->looks, (p->look_count + count + 1) * sizeof *looks);
        size_t *parts = looks ? realloc(p->look_part, (p->look_count + count + 1) * sizeof *parts) : NULL;

        p->looks = looks ? looks : p->looks;
        if (!parts)
            return no_memory(err);
        p->look_part = parts;
        if (!count)
            continue;
        yk_looks_of(s, false, looks + p->look_count);
        for (size_t i = 0; i < count; i++)
            parts[p->look_count++] = k;
    }
    return YK_OK;
}

static void name_states(const struct path *p, FILE *names, FILE *units, size_t *count)
{
    for (size_t k = 0; k < yk_parts_count(p->q->parts); k++) {
        const struct yk_substructure *s = yk_part(p->q->parts, k);

        for (size_t i = 0; i < s->system->n; i++, ++*count) {
            const char *dot = strrchr(s->dofs[i], '.');

            fprintf(names, "%s.%s.u\n", s->name, s->dofs[i]);
            fputs(dot && dot[1] == 'r' && dot[2] && !dot[3] ? "rad\n" : "m\n", units);
        }
    }
}

static enum yk_status name_all(struct path *p, struct yk_err *err)
{
    size_t size[2];
    FILE *names = open_memstream(&p->names, &size[0]), *units = open_memstream(&p->units, &size[1]);

    if (names && units) {
        fputs("time\npush.stage\npush.factor\npush.control\n", names);
        fputs("\n\n\nm\n", units);
        p->channels = 4;
        name_states(p, names, units, &p->channels);
        p->first_look = p->channels;
        for (size_t i = 0; i < p->look_count; i++) {
            const struct yk_substructure *s = yk_part(p->q->parts, p->look_part[i]);
            struct yk_look_words words;

            if (!is_shown(&p->looks[i]))
                continue;
            yk_look_describe(s->system, &p->looks[i], &words);
            fprintf(names, "%s.%s.%s\n", s->name, yk_look_member(s->system, &p->looks[i]), words.name);
            fprintf(units, "%s\n", words.unit);
            p->channels++;
        }
        p->first_result = p->channels;
        for (size_t i = 0; i < yk_results_count(p->results); i++, p->channels++) {
            fprintf(names, "%s\n", yk_results_name(p->results, i));
            fprintf(units, "%s\n", yk_results_unit(p->results, i));
        }
    }
    const bool failed = !names || !units || ferror(names) || ferror(units);

    if (names && fclose(names))
        return no_memory(err);
    if (units && fclose(units))
        return no_memory(err);
    return failed ? no_memory(err) : YK_OK;
}

static enum yk_status make_states(struct path *p, struct yk_err *err)
{
    const size_t parts = yk_parts_count(p->q->parts);

    p->u = calloc(parts, sizeof *p->u);
    p->basic = calloc(parts, sizeof *p->basic);
    p->states = calloc(parts, sizeof *p->states);
    p->change = calloc(p->q->n + 1, sizeof *p->change);
    if (!p->u || !p->basic || !p->states || !p->change)
        return no_memory(err);
    for (size_t k = 0; k < parts; k++) {
        p->u[k] = calloc(yk_part(p->q->parts, k)->system->n + 1, sizeof **p->u);
        p->basic[k] = calloc(YK_RESULT_BASIC * yk_results_members(p->results, k) + 1, sizeof **p->basic);
        if (!p->u[k] || !p->basic[k])
            return no_memory(err);
        p->states[k] = (struct yk_result_state){p->u[k], p->basic[k]};
    }
    return YK_OK;
}

enum yk_status path_open(struct path *p, struct statics *q, struct stage *stages, size_t count, struct yk_err *err)
{
    enum yk_status st;

    *p = (struct path){.q = q, .stages = stages, .stage_count = count};
    if ((st = yk_results_open(&p->results, q->parts, err)) || (st = list_looks(p, err)) || (st = name_all(p, err)) ||
        (st = make_states(p, err)))
        return st;
    return events_open(p, err);
}

void path_close(struct path *p)
{
    const size_t parts = p->q ? yk_parts_count(p->q->parts) : 0;

    for (size_t k = 0; k < parts; k++) {
        free(p->u ? p->u[k] : NULL);
        free(p->basic ? p->basic[k] : NULL);
    }
    free(p->u);
    free(p->basic);
    free(p->states);
    free(p->change);
    free(p->looks);
    free(p->look_part);
    free(p->names);
    free(p->units);
    free(p->rows);
    free(p->events);
    free(p->hinges);
    yk_results_close(p->results);
    *p = (struct path){0};
}

double path_control(const struct path *p)
{
    for (size_t i = p->stage; i < p->stage_count; i++) /* of gravity: that of the stage that comes */
        if (p->stages[i].c)
            return yk_dot(p->q->n, p->stages[i].c, p->q->u);
    return 0;
}

void path_state(struct path *p, const double *u)
{
    for (size_t k = 0; k < yk_parts_count(p->q->parts); k++)
        statics_share(p->q, k, u, p->u[k]);
    for (size_t i = 0; i < p->look_count; i++) {
        const size_t k = p->look_part[i];

        if (p->looks[i].kind == YK_LOOK_END_FORCE && p->looks[i].member < yk_results_members(p->results, k))
            p->basic[k][p->looks[i].member * YK_RESULT_BASIC + p->looks[i].component] =
                yk_look_now(yk_part(p->q->parts, k)->system, &p->looks[i], p->u[k]);
    }
}

enum yk_status path_row(struct path *p, struct yk_err *err)
{
    if (p->count == p->room) {
        const size_t room = p->room ? 2 * p->room : 256;
        double *larger = realloc(p->rows, room * p->channels * sizeof *larger);

        if (!larger)
            return yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows of %zu channels", room, p->channels);
        p->rows = larger;
        p->room = room;
    }
    double *row = p->rows + p->count * p->channels, *to = row;

    path_state(p, p->q->u);
    *to++ = (double)p->count;
    *to++ = (double)p->stage + 1;
    *to++ = p->q->lambda;
    *to++ = path_control(p);
    for (size_t k = 0; k < yk_parts_count(p->q->parts); k++) {
        const size_t n = yk_part(p->q->parts, k)->system->n;

        memcpy(to, p->u[k], n * sizeof *to);
        to += n;
    }
    for (size_t i = 0; i < p->look_count; i++)
        if (is_shown(&p->looks[i]))
            *to++ = yk_look_now(yk_part(p->q->parts, p->look_part[i])->system, &p->looks[i], p->u[p->look_part[i]]);
    yk_results_at(p->results, p->states, to);
    p->count++;
    return YK_OK;
}
