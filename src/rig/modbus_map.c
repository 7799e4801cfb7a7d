/* Registers of a Modbus device: requests, and values in registers. A register has 16 bits, the higher byte first on the
 * wire; values of 32 and 64 bits take two or four of them, the higher word first unless the map says otherwise. */
#include "rig/modbus_map.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key;
    int read, write;
} areas[YK_MODBUS_AREA_COUNT] = {
#define X(id, key, bits, read, write) [YK_MODBUS_##id] = {key, read, write},
    YK_MODBUS_AREAS(X)
#undef X
};

void yk_modbus_map_free(struct yk_modbus_map *m)
{
    free(m->points);
    free(m->runs);
    *m = (struct yk_modbus_map){0};
}

static int length_of(const struct yk_modbus_point *p)
{
    return yk_modbus_has_bits(p->area) ? 1 : (int)(yk_type_bytes(p->type) + 1) / 2;
}

/* Writes first, then by area and address. */
static int order(const void *a, const void *b)
{
    const struct yk_modbus_point *p = a, *q = b;

    if (p->writes != q->writes)
        return q->writes - p->writes;
    return p->area != q->area ? (int)p->area - (int)q->area : (p->address > q->address) - (p->address < q->address);
}

/* Does the point go on where the run ends, and may the run be longer? */
static bool goes_on(const struct yk_modbus_run *r, const struct yk_modbus_point *p)
{
    const int most = p->writes ? areas[p->area].write : areas[p->area].read;

    return r->area == p->area && r->writes == p->writes && r->address + r->count == p->address &&
           r->count + length_of(p) <= most;
}

static enum yk_status check_overlap(const struct yk_modbus_map *m, size_t i, struct yk_err *err)
{
    const struct yk_modbus_point *p = &m->points[i], *before = i ? p - 1 : NULL;

    if (p->address + length_of(p) > 65536)
        return yk_fail(err, YK_E_RANGE, "modbus: %s %d: addresses end at 65535", areas[p->area].key, p->address);
    if (before && before->area == p->area && before->writes == p->writes &&
        before->address + length_of(before) > p->address)
        return yk_fail(err, YK_E_INPUT, "modbus: two entries of the map share %s %d", areas[p->area].key, p->address);
    return YK_OK;
}

enum yk_status yk_modbus_plan(struct yk_modbus_map *m, bool combine, struct yk_err *err)
{
    size_t used[2][2] = {{0}}; /* by direction: words, bits */
    size_t writes = 0, reads = 0;
    enum yk_status st = YK_OK;

    qsort(m->points, m->count, sizeof *m->points, order);
    if (!(m->runs = calloc(m->count + 1, sizeof *m->runs)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the register map");
    for (size_t i = 0; i < m->count && !st; i++) {
        struct yk_modbus_point *p = &m->points[i];
        size_t *next = &used[p->writes][yk_modbus_has_bits(p->area)];
        struct yk_modbus_run *r = m->run_count ? &m->runs[m->run_count - 1] : NULL;

        if ((st = check_overlap(m, i, err)))
            break;
        p->at = *next;
        *next += (size_t)length_of(p);
        if (*next > YK_MODBUS_IMAGE)
            return yk_fail(err, YK_E_RANGE, "modbus: more than %d registers in one direction", YK_MODBUS_IMAGE);
        if (r && goes_on(r, p)) {
            r->count += length_of(p);
            continue;
        }
        m->runs[m->run_count++] = (struct yk_modbus_run){p->area, p->address, length_of(p), p->writes, p->at};
    }
    for (size_t k = 0; k < m->run_count; k++) {
        const bool words = m->runs[k].area == YK_MODBUS_HOLDING;

        if (words && m->runs[k].writes && !writes++)
            m->write = k;
        if (words && !m->runs[k].writes && !reads++)
            m->read = k;
    }
    m->combined = combine && writes == 1 && reads >= 1;
    return st;
}

static const struct yk_modbus_point *find(const struct yk_modbus_map *m, bool line, bool writes, size_t index)
{
    for (size_t i = 0; i < m->count; i++)
        if (yk_modbus_has_bits(m->points[i].area) == line && m->points[i].writes == writes &&
            m->points[i].index == index)
            return &m->points[i];
    return NULL;
}

static bool carries(const void *map, bool line, bool writes, size_t index)
{
    return find(map, line, writes, index);
}

enum yk_status yk_modbus_check(const struct yk_modbus_map *m, const struct yk_rig_plan *plan, struct yk_err *err)
{
    return yk_wire_carried(plan, "modbus", carries, m, err);
}

YK_RT void yk_modbus_encode(const struct yk_modbus_map *m, const double *values, uint32_t lines,
                            struct yk_modbus_image *image)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct yk_modbus_point *p = &m->points[i];
        const size_t n = yk_type_bytes(p->type) < 2 ? 1 : yk_type_bytes(p->type) / 2;

        if (!p->writes)
            continue;
        if (yk_modbus_has_bits(p->area)) {
            image->bits[p->at] = lines >> p->index & 1;
            continue;
        }
        const uint64_t bits = yk_type_encode(p->type, values[p->index]);
        for (size_t k = 0; k < n; k++)
            image->words[p->at + (p->low_first ? k : n - 1 - k)] = (uint16_t)(bits >> 16 * k);
    }
}

YK_RT void yk_modbus_decode(const struct yk_modbus_map *m, const struct yk_modbus_image *image, double *values,
                            uint32_t *lines)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct yk_modbus_point *p = &m->points[i];
        const size_t n = yk_type_bytes(p->type) < 2 ? 1 : yk_type_bytes(p->type) / 2;
        uint64_t bits = 0;

        if (p->writes)
            continue;
        if (yk_modbus_has_bits(p->area)) {
            *lines = (*lines & ~(UINT32_C(1) << p->index)) | (uint32_t)(image->bits[p->at] != 0) << p->index;
            continue;
        }
        for (size_t k = 0; k < n; k++)
            bits |= (uint64_t)image->words[p->at + (p->low_first ? k : n - 1 - k)] << 16 * k;
        values[p->index] = yk_type_decode(p->type, bits);
    }
}
