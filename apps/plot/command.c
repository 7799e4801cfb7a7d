/* `yoke plot` in `yoke --help`, the completion and the help of its program. */
#include "plot.h"

static const struct yk_option options[] = {
    {"--y", "NAMES",
     "channels of a panel, separated by commas, or expressions of them: \"(a.u - b.u) / 3.0 m\" (docs/expressions.md)",
     YK_INTO(struct plot_request, y)},
    {"--xy", "X,NAMES", "a panel of channels over the channel X: loops of force and displacement",
     YK_INTO(struct plot_request, xy)},
    {"--x", "NAME", "the channel of the horizontal axis for all --y (default: time)", YK_INTO(struct plot_request, x)},
    {"--spectrum", NULL, "amplitudes over the frequency instead of values over time",
     YK_INTO(struct plot_request, spectrum)},
    {"--sizing", NULL,
     "force over speed of each actuator, beside the capacity of the simulated one (docs/theory/sizing.md)",
     YK_INTO(struct plot_request, sizing)},
    {"--profile", NULL, "of a frame: peaks of storey drift, floor acceleration and storey shear over the height",
     YK_INTO(struct plot_request, profile)},
    {"--compare", "DIR2",
     "draw another recording wide and pale behind, and the difference below; print how far they are apart. The "
     "recordings may have different rates.",
     YK_INTO(struct plot_request, compare)},
    {"--unit", "UNITS", "units of display, separated by commas: mm,kN,deg (default: a prefix that fits)",
     YK_INTO(struct plot_request, unit_text)},
    {"--output|-o", "FILE", "the figure: .svg, .png or .pdf", YK_INTO(struct plot_request, output)},
    {"--title", "TEXT", "replace the title of the experiment; '' for none", YK_INTO(struct plot_request, title)},
    {"--width", "WIDTH", "one or two columns of a journal: 88 or 180 mm wide, letters of 9 points (default: two)",
     YK_INTO(struct plot_request, width_text)},
    {"--from", "T", "draw from this time on [s]", YK_INTO(struct plot_request, from_text)},
    {"--to", "T", "draw up to this time [s]", YK_INTO(struct plot_request, to_text)},
    {"--fine", NULL, "draw the samples of the fine steps, if the run has any", YK_INTO(struct plot_request, fine)},
    {"--ticks", NULL, "draw the samples of the control ticks, for a run with specimens",
     YK_INTO(struct plot_request, ticks)},
    {"--columns", "LIST",
     "of the file of a logger: which column is the time, time=2:1 ms, as for `yoke identify --csv`",
     YK_INTO(struct plot_request, columns)},
    {"--list", NULL, "list the channels instead, with their words and units", YK_INTO(struct plot_request, list)},
    {0},
};

const struct yk_command command_plot = {
    .name = "plot",
    .summary = "draw recordings (needs gnuplot)",
    .usage = "DIR [-o OUT.svg]\n"
             "DIR... --y NAME[,NAME...] [--y ...] [--xy X,Y] -o OUT.svg [option]...\n"
             "DIR --profile -o OUT.svg\n"
             "DIR... --compare DIR2 [--y ...] -o OUT.svg\n"
             "DIR --sizing -o OUT.svg",
    .about = "Draws one or more recordings in one figure. DIR is the folder of a run, a recording, or the file of "
             "a logger (.csv, .txt, .tsv, .tdms, .mat, also .gz), whose columns are its channels. Without --y or "
             "--xy it draws an overview of the run: largest displacements, load, actuator, energy, spectrum "
             "(DIR/overview.svg, unless -o says otherwise). Each --y and each --xy makes one panel. Curves are named "
             "in words and drawn in units such as mm and kN. Computed curves are blue, measured ones vermilion; what "
             "others should follow (a target, a reference) is wide and pale. The data (OUT.csv) and the gnuplot script "
             "(OUT.gp) are written next to OUT.svg; edit the script and run it again to change the figure. Long "
             "recordings are thinned for drawing, with their peaks preserved.",
    .options = options,
    .examples = "yoke plot out/oscillator\n"
                "yoke plot chirp.csv.gz --y command,displacement --from 10 --to 12 -o chirp.svg\n"
                "yoke plot out/oscillator --y oscillator.x.u --y energy.kinetic,energy.stored -o oscillator.svg\n"
                "yoke plot out/oscillator --xy oscillator.x.u,oscillator.x.v -o phase.svg --from 1 --to 3\n"
                "yoke plot out/oscillator --spectrum --y oscillator.x.u -o spectrum.pdf --width one\n"
                "yoke plot out/spring-specimen --sizing -o sizing.svg",
};
