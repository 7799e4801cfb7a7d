/* The words and options of `yoke push`. */
#include "options.h"

static const struct yk_option options[] = {
    {"--output|-o", "DIR", "folder for the recording; default out/NAME/push", YK_INTO(struct push_options, output)},
    {"--stage", "N", "stop after stage N of `statics`; default: all of them", YK_INTO(struct push_options, stage),
     .least = 1, .most = 1000},
    {"--capacity", NULL,
     "the capacity curve of the last push: bilinear idealisations (n2, asce-41, park) up to its end or the drop",
     YK_INTO(struct push_options, capacity)},
    {"--target", "SPECTRUM",
     "performance point for a spectrum, by the N2 and the capacity spectrum method: \"ec8: { type: 1, ground: C, ag: "
     "0.25 g }\"",
     YK_INTO(struct push_options, target)},
    {"--kappa", "K", "of the capacity spectrum method: part of the hysteretic damping that counts; default 1",
     YK_INTO(struct push_options, kappa), .quantity = YK_NUMBER, .least = 0, .most = 1},
    {"--modes", "N", "periods to print after each stage; default 3", YK_INTO(struct push_options, modes), .least = 1,
     .most = 100},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct push_options, set)},
    {"--force", NULL, "replace a recording that is in DIR", YK_INTO(struct push_options, force)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct push_options, json)},
    {0},
};

const struct yk_command command_push = {
    .name = "push",
    .summary = "statics: gravity, pushover, cyclic protocols; capacity curve, performance point",
    .usage = "FILE [-o DIR] [--stage N] [--capacity] [--target SPECTRUM [--kappa K]] [--modes N] [--set KEY=VALUE]... "
             "[--json]",
    .about =
        "Carries out the stages under `statics` of an experiment file: gravity, a push by displacement control or "
        "arc-length, a cyclic protocol. Every state is in equilibrium; the result is a recording whose time counts "
        "steps, with factor, control displacement, drifts, storey forces, reactions and end forces of all members. "
        "The models of the rig take the place of specimens. Exit code 0: the target was reached or a `stop` met; 3: "
        "stopped by a "
        "limit; 4: no equilibrium before any of them.\n"
        "\n"
        "Velocities are zero, so laws that depend on the rate are left out.",
    .options = options,
    .json =
        "{\"reached\", \"reason\", \"steps\", \"stages\": [{\"kind\", \"control\", \"displacement\", \"factor\", "
        "\"periods_s\": {\"loading\", \"unloading\"}}],\n"
        "\"events\": [{\"step\", \"displacement\", \"factor\", \"words\"}], \"residual\", \"capacity\", \"left_out\", "
        "\"recording\"}",
    .examples = "yoke push examples/pushover/pushover.yaml --capacity\n"
                "yoke push examples/pushover/pushover.yaml --target \"ec8: { type: 1, ground: C, ag: 0.25 g }\"",
};
