/* The loads of an experiment, as a check reports them: where each comes from, how strong it is and how long it
 * acts. */
#include "base/json.h"
#include "base/rotation.h"
#include "door/answers.h"
#include <yoke/fields.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_IN_STEP = 4, MOST_SAMPLES = 1000000 };
#define GRAVITY 9.80665

/* A load during the run: its peak, and when it acts. */
struct acting {
    double peak, peak_s;    /* largest value, with its sign; when */
    double from_s, until_s; /* it is not zero in between */
    double record_s;        /* duration of its record; 0: it has none */
    bool moment;            /* N m */
};

static struct acting look(const struct yk_model *model, const struct yk_load *load)
{
    const double samples = fmin((double)(SAMPLES_IN_STEP * model->steps), MOST_SAMPLES);
    struct acting a = {.from_s = NAN};

    for (long k = 0; k <= (long)samples; k++) {
        const double t = (double)k / samples * model->time.end, y = load->signal->value(load->settings, t);

        if (y == 0)
            continue;
        if (isnan(a.from_s))
            a.from_s = k ? (double)(k - 1) / samples * model->time.end : 0;
        a.until_s = t;
        if (fabs(y) > fabs(a.peak)) {
            a.peak = y;
            a.peak_s = t;
        }
    }
    for (const struct yk_param *p = load->signal->params; p && p->name; p++)
        if (p->type == YK_PARAM_SERIES) {
            const struct yk_series *series = (const void *)((const char *)load->settings + p->offset);

            a.record_s = series->n ? series->t[series->n - 1] : 0;
        }
    for (size_t i = 0; !load->ground && i < model->substructures[load->substructure].system->n; i++)
        a.moment |= load->direction[i] != 0 && yk_is_rotation(model->substructures[load->substructure].dofs[i]);
    return a;
}

/* The load as the file has it. */
static const struct yk_node *node_of(const struct yk_model *model, const struct yk_load *load)
{
    const struct yk_node *list = yk_node_get(model->tree, "loads");

    return list && load->entry < list->count ? list->items[load->entry] : NULL;
}

/* "frame", or "lower, upper" of a list. */
static void write_names(const struct yk_node *node, FILE *out)
{
    if (node && node->type == YK_SCALAR)
        fputs(node->text, out);
    for (size_t i = 0; node && node->type == YK_LIST && i < node->count; i++)
        fprintf(out, "%s%s", i ? ", " : "", node->items[i]->type == YK_SCALAR ? node->items[i]->text : "...");
}

/* "record (file elcentro.at2, scale 1.2)": the signal with what the file says of it. */
static void write_source(const struct yk_load *load, const struct yk_node *node, FILE *out)
{
    static const char *const others[] = {"on", "ground", "influence", "kind", NULL};
    const char *separator = " (";

    fputs(load->signal->name, out);
    for (size_t i = 0; node && i < node->count; i++) {
        const struct yk_node *item = node->items[i];
        const char *const *other = others;

        while (*other && strcmp(*other, item->key) != 0)
            other++;
        if (*other || item->type != YK_SCALAR)
            continue;
        fprintf(out, "%s%s %s", separator, item->key, item->text);
        separator = ", ";
    }
    fputs(separator[0] == ',' ? ")" : "", out);
}

static bool is_first_of_entry(const struct yk_model *model, size_t i)
{
    return i == 0 || model->loads[i].entry != model->loads[i - 1].entry;
}

static void print_load(const struct yk_model *model, const struct yk_load *load, FILE *out)
{
    const struct yk_node *node = node_of(model, load);
    const struct acting a = look(model, load);

    fputs(load->ground ? "ground motion of " : "force on ", out);
    write_names(yk_node_get(node, load->ground ? "ground" : "on"), out);
    fputs(": ", out);
    write_source(load, node, out);
    if (a.peak == 0) {
        fputs("; ZERO during the whole test\n", out);
        return;
    }
    if (load->ground)
        fprintf(out, "; peak %.3g m/s2 (%.3g g)", fabs(a.peak), fabs(a.peak) / GRAVITY);
    else
        fprintf(out, "; peak %s", yk_quantity_format(fabs(a.peak), a.moment ? YK_MOMENT : YK_PLAIN_FORCE, 3).text);
    fprintf(out, " at %.4g s, acts from %.3g to %.4g s", a.peak_s, a.from_s, a.until_s);
    if (a.record_s > model->time.end * (1 + 1e-9))
        fprintf(out, "; the record lasts %.4g s and is CUT OFF", a.record_s);
    fputc('\n', out);
}

void yk_loads_print(const struct yk_model *model, FILE *out)
{
    const char *label = "loads";

    for (size_t i = 0; i < model->load_count; i++)
        if (is_first_of_entry(model, i)) {
            fprintf(out, "  %-13s ", label);
            print_load(model, &model->loads[i], out);
            label = "";
        }
}

json_t *yk_loads_json(const struct yk_model *model)
{
    json_t *all = json_array();

    for (size_t i = 0; i < model->load_count; i++) {
        const struct yk_load *load = &model->loads[i];
        const struct yk_node *node = node_of(model, load), *file = yk_node_get(node, "file");
        const struct acting a = look(model, load);
        char *source = NULL;
        size_t size;
        FILE *out = is_first_of_entry(model, i) ? open_memstream(&source, &size) : NULL;

        if (!out)
            continue;
        write_source(load, node, out);
        fclose(out);
        json_array_append_new(all, json_pack("{s:s, s:b, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "kind",
                                             load->signal->name, "ground", load->ground, "source", source, "file",
                                             file && file->type == YK_SCALAR ? json_string(file->text) : json_null(),
                                             "peak", yk_json_number(fabs(a.peak)), "unit",
                                             load->ground ? "m/s2"
                                             : a.moment   ? "N m"
                                                          : "N",
                                             "peak_time_s", yk_json_number(a.peak_s), "from_s",
                                             yk_json_number(a.from_s), "until_s", yk_json_number(a.until_s), "record_s",
                                             a.record_s > 0 ? json_real(a.record_s) : json_null()));
        free(source);
    }
    return all;
}
