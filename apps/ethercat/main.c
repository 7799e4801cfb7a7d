/* yoke ethercat: what is on an EtherCAT bus. */
#include "options.h"
#include "scan.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_S 5.0

static json_t *entries_json(const struct yk_ec_slave *s, bool to_slave)
{
    json_t *list = json_array();

    for (size_t i = 0; i < s->placed_count; i++)
        if (s->placed[i].to_slave == to_slave)
            json_array_append_new(list, json_pack("{s:i, s:s}", "pdo", s->placed[i].pdo, "entry",
                                                  yk_ec_entry_format(&s->placed[i].entry).text));
    return list;
}

static int print_as_json(const struct yk_ec_master *m)
{
    json_t *list = json_array();

    for (size_t k = 0; k < m->count; k++) {
        const struct yk_ec_slave *s = &m->slaves[k];

        json_array_append_new(
            list, json_pack("{s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:s, s:b, s:o, s:o}", "position", (json_int_t)k + 1,
                            "name", s->sii.name, "order", s->sii.order, "vendor", (json_int_t)s->sii.vendor, "product",
                            (json_int_t)s->sii.product, "revision", (json_int_t)s->sii.revision, "serial",
                            (json_int_t)s->sii.serial, "state", yk_ec_state_name(s->found_in), "clock",
                            (int)s->has_clock, "outputs", entries_json(s, true), "inputs", entries_json(s, false)));
    }
    return yk_print_json(list);
}

/* A new file; one that exists stays. */
static int write_new(const struct yk_ec_master *m, const char *path, const char *interface)
{
    FILE *out = fopen(path, "wx");

    if (!out) {
        fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
        return errno == EEXIST ? 2 : 1;
    }
    yk_ec_write_file(out, m, interface);
    if (fclose(out)) {
        fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
        return 1;
    }
    printf("written: %s; fill in names, scales, forces, roles, the model and the limits\n", path);
    return 0;
}

/* Leaves the slaves as they are after power-on. */
static void leave(struct yk_ec_master *m)
{
    uint8_t init[2] = {YK_EC_INIT | YK_EC_STATE_ERROR, 0};

    yk_ec_exchange(m, YK_EC_BWR, yk_ec_address(0, YK_EC_AL_CONTROL), init, 2);
}

static int scan(const char *interface, const char *file, bool json)
{
    struct yk_ec_master *m = calloc(1, sizeof *m);
    struct yk_claim claim = {0};
    struct yk_err err = {0};
    int code;

    if (!m)
        return 1;
    if (yk_ec_claim(&claim, interface, &err) || yk_ec_wire_open(&m->wire, interface, &err) ||
        yk_ec_scan(m, PATIENCE_S, &err)) {
        code = yk_command_fail(&err);
    } else {
        if (json)
            code = print_as_json(m);
        else {
            yk_ec_print(stdout, m);
            code = 0;
        }
        leave(m);
        if (!code && file)
            code = write_new(m, file, interface);
    }
    yk_ec_wire_close(&m->wire);
    yk_claim_drop(&claim);
    yk_ec_forget(m);
    free(m);
    return code;
}

static int run(int argc, char **argv)
{
    struct ethercat_options g = {0};
    struct yk_words words;

    if (!yk_take_options(&command_ethercat, argc, argv, &g, &words))
        return 2;
    if (words.count < 1 || strcmp(words.rest[0], "scan") != 0)
        return yk_misuse(&command_ethercat, "'%s' is not scan", words.count ? words.rest[0] : "");
    if (words.count != 2)
        return yk_misuse(&command_ethercat, "give one network interface, for example eth1");
    return scan(words.rest[1], g.file, g.json);
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_ethercat, run, argc, argv);
}
