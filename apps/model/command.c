/* The words and options of `yoke model`. */
#include "options.h"

enum { MOST_MODES = 1000 };

static const struct yk_option options[] = {
    {.name = "info", .argument = "FILE", .help = "check the matrices of an experiment"},
    {.name = "import",
     .argument = "COMMANDS",
     .help = "write an experiment file from a list of OpenSees commands: a frame with hinges, fibre sections and "
             "P-Delta or corotational members, see docs/importing.md"},
    {"--length", "U", "import: unit of length of the commands; default 1 m", YK_INTO(struct model_options, length)},
    {"--force", "U", "import: unit of force of the commands; default 1 N", YK_INTO(struct model_options, force)},
    {"--substructure", "NAME", "check only this substructure; --plot needs it unless only one substructure is a model",
     YK_INTO(struct model_options, substructure)},
    {"--modes", "N", "number of modes, lowest first; default 6", YK_INTO(struct model_options, modes), .least = 1,
     .most = MOST_MODES},
    {"--vtk", "FILE", "the mode shapes for ParaView (VTKHDF), if the nodes have coordinates",
     YK_INTO(struct model_options, vtk)},
    {"--plot", "FIG",
     "draw the mode shapes (.svg, .png, .pdf), with data and gnuplot script in the same folder: in space if the "
     "coordinates of the nodes are known, otherwise over the degrees of freedom",
     YK_INTO(struct model_options, plot)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct model_options, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct model_options, json)},
    {0},
};

const struct yk_command command_model = {
    .name = "model",
    .summary = "check the matrices of a substructure: mass, rigid-body modes, frequencies, mode shapes; import a frame",
    .usage = "info FILE [--substructure NAME] [--modes 6] [--plot FIG] [--vtk FILE] [--set KEY=VALUE]... [--json]\n"
             "import COMMANDS [--length '1 mm'] [--force '1 kN'] > FILE",
    .about = "Checks the matrices of the substructures, above all of imported ones: symmetry and definiteness of mass "
             "and stiffness, the moving mass along each axis (supports do not move), rigid-body modes, and the lowest "
             "frequencies with the degree of freedom that moves most; of sections with fibres their stiffness and "
             "elastic centroid. Exit code 4 if mass or stiffness is not definite.\n"
             "\n"
             "",
    .options = options,
    .json =
        "{\"substructures\": [{\"name\", \"dofs\", \"nodes\", \"linear\", \"mass_kg\": {\"x\", \"y\", \"z\"}, "
        "\"asymmetry_mass\",\n"
        "\"asymmetry_stiffness\", \"mass_definite\", \"rigid_modes\", \"negative_modes\",\n"
        "\"modes\": [{\"frequency_Hz\", \"rigid\", \"largest\"}],\n"
        "\"sections\": [{\"name\", \"fibres\", \"materials\", \"area_m2\", \"EA_N\", \"EIz_Nm2\", \"missing_EIz\",\n"
        "\"EIy_Nm2\", \"missing_EIy\", \"centroid_y_m\", \"centroid_z_m\", \"eccentric\"}]}]}",
    .examples = "yoke model info examples/imported-frame/imported-frame.yaml\n"
                "yoke model info examples/imported-frame/imported-frame.yaml --substructure frame --plot modes.svg\n"
                "yoke model import frame.commands --length '1 mm' --force '1 kN' > frame.yaml",
};
