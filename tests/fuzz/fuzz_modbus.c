/* Any registers decode to values; where these are numbers, encoding them gives the registers again. The first bytes
 * choose types, word orders and addresses of the map. */
#include "fuzz.h"

#include "rig/modbus_map.h"

enum { POINTS = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum yk_field_type types[] = {YK_TYPE_U16, YK_TYPE_I16, YK_TYPE_U32, YK_TYPE_I32,
                                               YK_TYPE_F32, YK_TYPE_U64, YK_TYPE_I64, YK_TYPE_F64};
    struct yk_modbus_map read = {0}, write;
    static struct yk_modbus_image in, out;
    double values[POINTS] = {0};
    uint32_t lines = 0;
    struct yk_err err = {0};

    if (size < 2 * POINTS)
        return 0;
    read.points = calloc(POINTS, sizeof *read.points);
    fuzz_check(read.points != NULL);
    for (size_t i = 0; i < POINTS; i++)
        read.points[read.count++] = (struct yk_modbus_point){.area = data[i] >> 6,
                                                             .address = data[POINTS + i] * 257,
                                                             .type = types[data[i] & 7],
                                                             .low_first = data[i] >> 3 & 1,
                                                             .index = i};
    if (!yk_modbus_plan(&read, true, &err)) {
        for (size_t k = 0; k < read.run_count; k++)
            fuzz_check(read.runs[k].address >= 0 && read.runs[k].address + read.runs[k].count <= 65536 &&
                       read.runs[k].at + (size_t)read.runs[k].count <= YK_MODBUS_IMAGE);
        memset(&in, 0, sizeof in);
        size -= 2 * POINTS;
        memcpy(in.words, data + 2 * POINTS, size < sizeof in.words ? size : sizeof in.words);
        memcpy(in.bits, data + 2 * POINTS, size < sizeof in.bits ? size : sizeof in.bits);
        yk_modbus_decode(&read, &in, values, &lines);
        /* the same points, written */
        write = read;
        for (size_t i = 0; i < write.count; i++)
            write.points[i].writes = true;
        memset(&out, 0, sizeof out);
        yk_modbus_encode(&write, values, lines, &out);
        for (size_t i = 0; i < write.count; i++) {
            const struct yk_modbus_point *p = &write.points[i];
            const size_t n = yk_type_bytes(p->type) / 2;

            if (yk_modbus_has_bits(p->area))
                fuzz_check(out.bits[p->at] == (in.bits[p->at] != 0));
            else if (n < 4 && !isnan(values[p->index]) &&                 /* 64 bits do not fit into a double */
                     (values[p->index] != 0 || !yk_type_floats(p->type))) /* and -0 is 0 */
                fuzz_check(memcmp(out.words + p->at, in.words + p->at, 2 * n) == 0);
        }
    }
    yk_modbus_map_free(&read);
    return 0;
}
