/* `yoke ethercat` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

static const struct yk_option options[] = {
    {.name = "scan", .argument = "INTERFACE", .help = "list the slaves, for example of eth1"},
    {"--write", "FILE",
     "write an experiment file to start from, with an actuator for each drive (docs/backend-ethercat.md)",
     YK_INTO(struct ethercat_options, file)},
    {"--json", NULL, "print the list as JSON", YK_INTO(struct ethercat_options, json)},
    {0},
};

const struct yk_command command_ethercat = {
    .name = "ethercat",
    .summary = "list the slaves of an EtherCAT bus",
    .usage = "scan INTERFACE [--write FILE] [--json]",
    .about = "Lists the slaves of the bus: position, name, vendor, product, revision, the state in which they were "
             "found, and the process data that they have. No outputs are sent, but all slaves are set to INIT: do not "
             "scan a bus that another program uses. Needs root, or CAP_NET_RAW.",
    .options = options,
    .notes =
        "EtherCAT(R) is a registered trademark and patented technology, licensed by Beckhoff Automation GmbH, Germany.",
    .examples = "yoke ethercat scan eth1\n"
                "yoke ethercat scan eth1 --write bus.yaml",
};
