/* Wrong variants of claims. `wrong` replaces words of `obtain`, or adds to them; its `set` is added after that of
 * `obtain`, which `minus` and `over` do not see:
 *
 *     obtain: { quantity: radius, with: lsrt2, step: 1 }
 *     wrong: { step: 1.1 }                                another step
 *     wrong: { set: { method.gamma: 0.3 } }               another coefficient
 */
#include "wrong.h"
#include "quantity.h"

#include <stdlib.h>
#include <string.h>

/* A map that borrows its items. */
static enum yk_status borrow(struct yk_node *map, const struct yk_node *from, size_t room, struct yk_err *err)
{
    *map = *from;
    if (!(map->items = calloc(map->count + room + 1, sizeof(struct yk_node *))))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < map->count; i++)
        map->items[i] = from->items[i];
    return YK_OK;
}

static void put(struct yk_node *map, struct yk_node *item)
{
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->items[i]->key, item->key) == 0) {
            map->items[i] = item;
            return;
        }
    map->items[map->count++] = item;
}

/* `obtain` with the words of `wrong`, handed to `use`. */
static enum yk_status with_wrong(const struct yk_node *claim,
                                 enum yk_status (*use)(void *self, const struct yk_node *map, struct yk_err *err),
                                 void *self, struct yk_err *err)
{
    const struct yk_node *obtain = yk_node_get(claim, "obtain"), *wrong = yk_node_get(claim, "wrong");
    const struct yk_node *more = yk_node_get(wrong, "set"), *usual = yk_node_get(obtain, "set");
    struct yk_node map = {0}, set = {0};
    enum yk_status st;

    if ((st = borrow(&map, obtain, wrong->count, err)))
        return st;
    for (size_t i = 0; i < wrong->count; i++)
        put(&map, wrong->items[i]);
    if (more && usual && !(st = borrow(&set, usual, more->count, err))) {
        for (size_t i = 0; i < more->count; i++)
            put(&set, more->items[i]);
        put(&map, &set);
    }
    if (!st)
        st = use(self, &map, err);
    free(set.items);
    free(map.items);
    return st;
}

static enum yk_status check(void *self, const struct yk_node *map, struct yk_err *err)
{
    return yk_obtain_check(self, map, err);
}

/* "step: 1.1, method.gamma: 0.3" */
static void describe(FILE *out, const struct yk_node *map, int depth)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct yk_node *item = map->items[i];

        fputs(i ? ", " : "", out);
        if (item->key && !(depth == 0 && item->type == YK_MAP && strcmp(item->key, "set") == 0))
            fprintf(out, "%s: ", item->key);
        if (item->type == YK_SCALAR)
            fputs(item->text, out);
        else
            describe(out, item, depth + 1);
    }
}

enum yk_status yk_wrong_read(const struct yk_lab *lab, const struct yk_node *claim, char *text, size_t size,
                             struct yk_err *err)
{
    const struct yk_node *wrong = yk_node_get(claim, "wrong"), *set = wrong ? yk_node_get(wrong, "set") : NULL;
    char *whole = NULL;
    size_t length;
    FILE *out;
    enum yk_status st;

    if (!wrong)
        return YK_OK;
    if ((st = yk_field_type(wrong, YK_MAP, "a map of words", err)) ||
        (set && (st = yk_field_type(set, YK_MAP, "a map of settings", err))))
        return st;
    if (!wrong->count)
        return yk_fail_at(err, YK_E_INPUT, wrong->where, "wrong: nothing is changed");
    if ((st = with_wrong(claim, check, (void *)lab, err)))
        return st;
    if (!(out = open_memstream(&whole, &length)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    describe(out, wrong, 0);
    if (fclose(out))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    snprintf(text, size, "%s", whole);
    free(whole);
    return YK_OK;
}

struct wanted {
    struct yk_lab *lab;
    double value;
};

static enum yk_status obtain(void *self, const struct yk_node *map, struct yk_err *err)
{
    struct wanted *w = self;

    return yk_obtain(w->lab, map, &w->value, err);
}

enum yk_status yk_wrong_obtain(struct yk_lab *lab, const struct yk_node *claim, double *value, struct yk_err *err)
{
    struct wanted w = {.lab = lab};
    const enum yk_status st = with_wrong(claim, obtain, &w, err);

    *value = w.value;
    return st;
}
