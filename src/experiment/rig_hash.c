/* Hash of the settings that the commissioning of a rig depends on. */
#include "experiment/experiment.h"

#include <yoke/sha256.h>
#include <yoke/tree.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node with all that is below it, as text: two trees with the same text mean the same. */
static void print_node(FILE *out, const struct yk_node *node)
{
    static const char brackets[][2] = {[YK_LIST] = {'[', ']'}, [YK_MAP] = {'{', '}'}};

    if (node->key)
        fprintf(out, "%zu:%s=", strlen(node->key), node->key);
    if (node->type == YK_SCALAR) {
        fprintf(out, "%zu:%s;", strlen(node->text), node->text);
        return;
    }
    fputc(brackets[node->type][0], out);
    for (size_t i = 0; i < node->count; i++)
        print_node(out, node->items[i]);
    fputc(brackets[node->type][1], out);
}

static void print_part(FILE *out, const struct yk_node *map, const char *key)
{
    const struct yk_node *node = map ? yk_node_get(map, key) : NULL;

    if (node)
        print_node(out, node);
}

/* The keys of every entry of a map that concern the rig. */
static void print_parts(FILE *out, const struct yk_node *map, const char *const *keys)
{
    for (size_t i = 0; map && map->type == YK_MAP && i < map->count; i++) {
        fprintf(out, "%s/", map->items[i]->key);
        for (const char *const *key = keys; map->items[i]->type == YK_MAP && *key; key++)
            print_part(out, map->items[i], *key);
    }
}

void yk_model_rig_hash(const struct yk_model *e, char hash[65])
{
    static const char *const whole[] = {"rig", "rigs", "limits", "calibration", "channels"},
                             *const connected[] = {"role", "actuators", "setup", NULL},
                             *const commanded[] = {"command", "switch", NULL};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    *hash = 0;
    if (!out)
        return;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        print_part(out, e->tree, whole[i]);
    print_part(out, yk_node_get(e->tree, "time"), "control_rate");
    print_parts(out, yk_node_get(e->tree, "substructures"), connected);
    print_parts(out, yk_node_get(e->tree, "transfer"), commanded);
    if (fclose(out) == 0)
        yk_sha256(text, size, hash);
    free(text);
}
