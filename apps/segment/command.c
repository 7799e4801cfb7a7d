/* `yoke serve --ethercat` in the help of `yoke serve`, the completion and the help of its program. */
#include "options.h"

#include "sim.h"

#define FAULT(id, word, help) "\n" word ": " help
const struct yk_option segment_rows[] = {
    {"--ethercat", "INTERFACE", "the network interface", YK_INTO(struct segment_options, interface)},
    {"--drives", "KIND",
     "counts (default): 32-bit positions, 16-bit forces; float: 64-bit floating point, nothing is rounded",
     YK_INTO(struct segment_options, drives)},
    {"--resolution", "X", "displacement of one count (default 0.1 um)", YK_INTO(struct segment_options, resolution)},
    {"--rated-force", "F", "force at 100 % of a drive and of an analogue input (default 10 kN)",
     YK_INTO(struct segment_options, force)},
    {"--sensor-range", "X", "value at 100 % of the analogue input of a sensor, in its unit (default 10)",
     YK_INTO(struct segment_options, range)},
    {"--drift", "PPM", "all clocks of the segment run fast by this much", YK_INTO(struct segment_options, drift)},
    {"--fault", "F",
     "injects a fault TIME after the drives were first enabled, for DURATION or for good: "
     "KIND@TIME[+DURATION][:SLAVE], several with commas; SLAVE counts from 1. KIND:" YK_SIM_FAULT_LIST(FAULT),
     YK_INTO(struct segment_options, faults)},
    {0},
};

static const struct yk_option options[] = {
    {.rows = segment_rows, .at = offsetof(struct segment_words, segment)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct segment_words, set)},
    {"--rig", "NAME", "one of `rigs`, where the file has several", YK_INTO(struct segment_words, rig)},
    {"--clock", NULL, "let the rig move at SYNC0 of the drives, or by a timer without distributed clocks",
     YK_INTO(struct segment_words, own_clock)},
    {0},
};

const struct yk_command command_segment = {
    .name = "serve",
    .summary = "simulate the rig of an experiment as an EtherCAT segment",
    .usage = "FILE --ethercat INTERFACE [--clock] [--drives counts|float] [--resolution X] [--rated-force F] "
             "[--sensor-range X] [--drift PPM] [--fault KIND@TIME[+DURATION][:SLAVE],...] [--rig NAME] [--set "
             "KEY=VALUE]...",
    .about = "The program of `yoke serve --ethercat`: a simulated EtherCAT segment with the rig of the file behind its "
             "drives (docs/ethercat-segment.md).",
    .options = options,
};
