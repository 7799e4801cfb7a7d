"""Writes the commands that build a model in OpenSeesPy, for `yoke model import`.

    import yoke_record
    ops = yoke_record.commands("frame.commands")    # instead of: import openseespy.opensees as ops
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ...

With OpenSeesPy the model is built as well. Without it the commands are only written down; analyses do nothing and give 0.
docs/importing.md says which commands Yoke takes.
"""

try:
    import openseespy.opensees as opensees
except ImportError:
    opensees = None

NAMES = frozenset(
    "model node fix mass uniaxialMaterial section patch layer fiber geomTransf element beamIntegration "
    "equalDOF rigidLink rigidDiaphragm rayleigh".split()
)


def words(arguments):
    for argument in arguments:
        if isinstance(argument, (list, tuple)):
            yield from words(argument)
        else:
            yield repr(argument) if isinstance(argument, float) else str(argument)


class Commands:
    def __init__(self, path):
        self._out = open(path, "w")

    def __getattr__(self, name):
        before = getattr(opensees, name, None) if opensees else lambda *arguments: 0

        def command(*arguments):
            if name in NAMES:
                self._out.write(" ".join([name, *words(arguments)]) + "\n")
                self._out.flush()
            return before(*arguments)

        return command


def commands(path):
    return Commands(path)
