"""Experiments: what a file or a dict describes, read and checked, constant."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core, _html, errors
from ._core import call, ffi, lib, owned
from .recording import Recording

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .run import Followed, Run

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]


class Channel(NamedTuple):
    """A channel of a run."""

    name: str
    unit: str


class Message(NamedTuple):
    """A warning with its place; None where unknown."""

    text: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]


@dataclass(frozen=True)
class Check:
    """What can be known before a run. `bool(check)` is `check.stable`."""

    #: the time step, and the loop with specimens
    stable: bool
    #: spectral radius of a step; nan where a method is judged with its specimen
    radius: float
    #: longest stable step [s], inf: there is no limit
    limit: float
    #: natural frequencies [Hz] (m,)
    frequencies: "NDArray[np.float64]"
    #: delay margin of the loop [s]; inf: beyond what was looked at; None without specimen
    margin: Optional[float]
    #: of a step on this machine [s]
    cost: float
    #: texts with their places
    warnings: tuple[Message, ...]
    #: as the program prints it
    text: str
    #: what `yoke check --json` prints
    data: Mapping[str, Any]

    def __bool__(self) -> bool:
        return self.stable

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return _html.check(self)


# ---- dicts and objects as text ----

_PLAIN = (str, bytes, int, float, bool, type(None), Mapping, list, tuple, range, np.ndarray, np.generic)
# what stays of a block that an object replaces
_KEPT = {
    _core.LAW: ("between", "levers", "geometry", "name"),
    _core.SIGNAL: ("on", "ground", "influence", "permanent"),
    _core.COMPENSATOR: ("delay",),
    _core.SUBSTRUCTURE: ("rate", "initial"),
    _core.CONTROLLER: (),
    _core.RIG: (),
}
_NEEDS = {_core.LAW: ("force",), _core.SIGNAL: ("value",), _core.COMPENSATOR: ("reset", "command"),
          _core.SUBSTRUCTURE: ("dofs", "mass", "force"), _core.CONTROLLER: ("reset", "command"),
          _core.RIG: ("rest", "exchange")}
_WHAT = {_core.LAW: "a law", _core.SIGNAL: "a signal", _core.COMPENSATOR: "a compensator",
         _core.SUBSTRUCTURE: "a substructure", _core.CONTROLLER: "a controller", _core.RIG: "a rig"}


def _family(path: Sequence[str]) -> int:
    """Which kind of object may stand at a place of the file."""
    path = path[:-1] if path and path[-1] in ("kind", "backend") and len(path) > 1 else path
    if len(path) == 2 and path[0] == "substructures" or path[:2] == ["rig", "specimen"] and len(path) == 2:
        return _core.SUBSTRUCTURE
    if len(path) == 4 and path[0] == "substructures" and path[2] == "elements":
        return _core.LAW
    if len(path) == 2 and path[0] == "loads":
        return _core.SIGNAL
    if len(path) == 3 and path[0] == "transfer" and path[2] in ("controller", "compensator"):
        return _core.CONTROLLER if path[2] == "controller" else _core.COMPENSATOR
    if list(path) == ["rig"]:
        return _core.RIG
    raise errors.UnsupportedError(
        f"{'.'.join(path)}: no Python object can stand here; they can be substructures.NAME, substructures.NAME.elements.N, "
        "loads.N, transfer.ACTUATOR.controller, transfer.ACTUATOR.compensator and rig")


class _Writer:
    """Turns values into plain ones; objects become blocks of the library."""

    def __init__(self, blocks: Sequence[_core.Block]) -> None:
        self.blocks = list(blocks)

    def block(self, value: Any, path: Sequence[str]) -> _core.Block:
        family, key = _family(path), ".".join(path)
        for need in _NEEDS[family]:
            if not hasattr(value, need):
                raise errors.InputError(f"{key}: a {type(value).__name__} is not {_WHAT[family]}: it has no '{need}'; see "
                                        "yoke.protocols")
        made = _core.Block(family, value, key, f"python-{len(self.blocks) + 1}")
        self.blocks.append(made)
        return made

    def plain(self, value: Any, path: list[str], old: Any = None) -> Any:
        """old: the block that stands there now."""
        if not isinstance(value, _PLAIN):
            block = self.block(value, path)
            if block.family == _core.RIG:
                return {**(old if isinstance(old, Mapping) else {}), "backend": "plugin",
                        "settings": {"library": block.name}}
            kept = {key: old[key] for key in _KEPT[block.family] if isinstance(old, Mapping) and key in old}
            return {**kept, "kind": "plugin", "library": block.name, **self.initial(block)}
        if isinstance(value, Mapping):
            return self.mapping(value, path, old)
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, (list, tuple, range)):
            return [self.plain(item, path + [str(i)]) for i, item in enumerate(value)]
        if isinstance(value, bytes):
            raise errors.InputError(f"{'.'.join(path)}: bytes are no value; decode them")
        return value

    def mapping(self, value: Mapping[str, Any], path: list[str], old: Any) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise errors.InputError(f"{'.'.join(path) or 'the experiment'}: the key {key!r} is not a text")
            if key in ("kind", "backend") and not isinstance(item, _PLAIN):
                block = self.block(item, path + [key])
                result[key] = "plugin"
                if key == "kind":
                    result["library"] = block.name
                    for name, initial in self.initial(block).items():
                        result.setdefault(name, initial)
                else:
                    result["settings"] = {"library": block.name}
            else:
                result[key] = self.plain(item, path + [key])
        return result

    @staticmethod
    def initial(block: _core.Block) -> dict[str, Any]:
        if block.family != _core.SUBSTRUCTURE:
            return {}
        given: dict[str, Any] = {}
        for what in ("displacement", "velocity"):
            values = getattr(block.value, "initial_" + what, None)
            if values is None:
                continue
            values = np.asarray(values, dtype=float).ravel()
            if len(values) != block.n:
                raise errors.InputError(f"{block.key}: initial_{what} has {len(values)} values for {block.n} degrees of "
                                        "freedom")
            given[what] = {dof: float(x) for dof, x in zip(block.dofs, values)}
        return {"initial": given} if given else {}


def _scalar(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf"
    return json.dumps(value, ensure_ascii=False)


def _lines(value: Any, path: list[str], lines: list[tuple[str, str]], before: str = "", after: str = "") -> None:
    """YAML in flow style with one key in each line, so that the line of a message tells the key."""
    key = ".".join(path)
    if isinstance(value, dict) and value or isinstance(value, list) and value:
        pairs = list(value.items()) if isinstance(value, dict) else [(str(i), x) for i, x in enumerate(value)]
        lines.append((before + ("{" if isinstance(value, dict) else "["), key))
        for i, (name, item) in enumerate(pairs):
            start = json.dumps(name, ensure_ascii=False) + ": " if isinstance(value, dict) else ""
            _lines(item, path + [name], lines, " " * len(path) + " " + start, "," if i + 1 < len(pairs) else "")
        lines.append((" " * len(path) + ("}" if isinstance(value, dict) else "]") + after, key))
    else:
        lines.append((before + ("{}" if value == {} else "[]" if value == [] else _scalar(value)) + after, key))


_SAFE = re.compile(r"[A-Za-z0-9_./+*^-]+( [A-Za-z0-9_./+*^-]+)*\Z")


def _setting(key: str, value: Any) -> str:
    """key=value as of --set."""
    if isinstance(value, str) and _SAFE.match(value):
        return f"{key}={value}"
    if isinstance(value, (dict, list)):
        return f"{key}={_flow(value)}"
    return f"{key}={_scalar(value)}"


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(v) for v in value) + "]"
    return _scalar(value)


def _as_written(node: Any) -> Any:
    """Scalars of the file as numbers where nothing is lost by it."""
    if isinstance(node, dict):
        return {key: _as_written(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_as_written(value) for value in node]
    if node in ("true", "false"):
        return node == "true"
    for kind in (int, float):
        try:
            number = kind(node)
        except (ValueError, TypeError):
            continue
        if repr(number) == node:
            return number
    return node


# ---- plans ----


def _words(texts: Sequence[str]) -> tuple[Any, list[Any]]:
    kept = [ffi.new("char[]", word.encode()) for word in texts]
    return ffi.new("char *[]", kept) if kept else ffi.NULL, kept


class _Plan:
    """A plan of the library with all that it refers to."""

    def __init__(self, pointer: Any, *keep: Any) -> None:
        def close(plan: Any, keep: Any = keep) -> None:
            lib.yk_model_close(plan)

        self.c = ffi.gc(pointer, close)
        self.keep = keep
        self.checked = False  # a run of it has begun


@dataclass(frozen=True)
class _Origin:
    """What an experiment was read from; enough to read it again."""

    path: Optional[str]  # of a file; None: a text
    text: Optional[str]
    folder: Optional[str]
    keys: Optional[tuple[str, ...]]  # of a dict, by line
    overrides: tuple[str, ...]
    objects: tuple[tuple[int, Any, str, str], ...]  # family, object, key, name

    def place(self, line: int) -> Optional[str]:
        return self.keys[line - 1] if self.keys and 0 < line <= len(self.keys) else None


class Experiment:
    """A constant experiment; any number of threads may use it. Made by `yoke.load` and `yoke.loads`."""

    def __init__(self, origin: _Origin, blocks: Optional[Sequence[_core.Block]] = None,
                 plan: Optional[_Plan] = None) -> None:
        self._origin = origin
        self._blocks = list(blocks) if blocks is not None else [_core.Block(*given) for given in origin.objects]
        self._plan = plan or self._read()
        self._real: Optional[_Plan] = None
        for note in self.notes if plan is None else ():
            warnings.warn(note, errors.Warning, stacklevel=4)  # where `load` is called

    def _read(self) -> _Plan:
        o = self._origin
        source = ffi.new("struct yk_model_source *")
        name = o.path or os.path.join(o.folder or "", "experiment.yaml" if o.keys else "text.yaml")
        path = ffi.new("char[]", name.encode())
        source.path = path
        if o.text is not None:
            body = o.text.encode()
            text = ffi.new("char[]", body)
            source.text, source.size = text, len(body)
        words, kept = _words(o.overrides)
        source.overrides, source.override_count = words, len(o.overrides)
        source.rehearse = not any(block.family == _core.RIG for block in self._blocks)
        components = ffi.NULL
        if self._blocks:
            blocks = ffi.new("struct py_block *[]", [block.c for block in self._blocks])
            components = ffi.gc(lib.py_components(len(self._blocks), blocks), lib.yk_free)
            source.components, source.component_count = components, len(self._blocks)
        out = ffi.new("struct yk_model **")
        try:
            call(lib.yk_model_read, out, source, places=o.place if o.keys else None)
        except errors.Error as error:
            if o.path is None and not o.keys and error.file == name:
                error.file = "<text>"
            raise
        del kept
        return _Plan(out[0], self._blocks, components)

    # ---- what it says ----

    @functools.cached_property
    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = json.loads(owned(lib.yk_model_describe(self._plan.c)))
        return about

    @functools.cached_property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of the file: a unit that was assumed, a setting that is not used."""
        found: list[str] = []
        while (note := lib.yk_model_note(self._plan.c, len(found))) != ffi.NULL:
            found.append(_core.text(note))
        return tuple(found)

    @property
    def title(self) -> str:
        """One line."""
        return str(self._about["title"])

    @property
    def path(self) -> Optional[str]:
        """The file; None for a dict or a text."""
        return self._origin.path

    @functools.cached_property
    def text(self) -> str:
        """The YAML that runs, settings included."""
        if not self._about["overrides"]:
            return str(self._about["text"])
        lines: list[tuple[str, str]] = []
        _lines(_as_written(self._about["tree"]), [], lines)
        return "\n".join(line for line, _ in lines) + "\n"

    @property
    def method(self) -> str:
        """Name of the integrator or coupling."""
        return _core.text(lib.yk_model_method(self._plan.c))

    @property
    def step(self) -> float:
        """Of the system [s]."""
        return float(lib.yk_model_step(self._plan.c))

    @property
    def end(self) -> float:
        """Of the run [s]."""
        return float(self._about["end_s"])

    @property
    def steps(self) -> int:
        """To the end."""
        return int(lib.yk_model_steps(self._plan.c))

    @property
    def substructures(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(s["name"] for s in self._about["substructures"])

    @property
    def actuators(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._about["actuators"])

    @property
    def dofs(self) -> dict[str, tuple[str, ...]]:
        """Names of the degrees of freedom, by substructure."""
        return {s["name"]: tuple(s["dofs"]) for s in self._about["substructures"]}

    def _channels(self, stream: str) -> tuple[Channel, ...]:
        return tuple(Channel(*pair) for pair in self._about["channels"].get(stream, []))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Of the rows of the system steps, in their order, `time` first."""
        return self._channels("system")

    @property
    def fine_channels(self) -> tuple[Channel, ...]:
        """Of the rows of the fine steps; () where the method is no coupling."""
        return self._channels("fine")

    @property
    def tick_channels(self) -> tuple[Channel, ...]:
        """Of the rows of the control ticks; () without specimen."""
        return self._channels("ticks")

    def _number(self, substructure: str) -> int:
        try:
            return self.substructures.index(substructure)
        except ValueError:
            raise KeyError(_core.nearest(substructure, self.substructures)) from None

    def matrices(self, substructure: str, *, sparse: bool = False) -> tuple[Any, Any, Any]:
        """Mass, damping and stiffness (n, n) of a substructure [kg, N s/m, N/m]; at the start where it is nonlinear.

        sparse: as `scipy.sparse.csr_matrix`, which needs scipy.
        """
        k = self._number(substructure)
        n = len(self.dofs[substructure])
        found = []
        for which in b"MCK":
            entries = np.zeros((n, n), order="F")
            call(lib.yk_model_matrix, self._plan.c, k, bytes([which]),
                 ffi.from_buffer("double *", entries.ravel("K")) if n == 0 else ffi.cast("double *", entries.ctypes.data))
            found.append(np.ascontiguousarray(entries))
        if sparse:
            from .recording import _need

            found = [_need("scipy.sparse").csr_matrix(entries) for entries in found]
        return found[0], found[1], found[2]

    def check(self, *, budget: Optional[float] = None) -> Check:
        """Whether the run will be stable, with which margin and at which cost. Moves nothing.

        budget: CPU time for judging the loop with specimens [s], default 20.
        """
        data = _core.analyze(self._plan.c, "check", budget=budget)
        loop = data["hybrid_loop"]
        margin = None if loop is None else math.inf if loop["margin_s"] is None else float(loop["margin_s"])
        limit = data["stability"]["limit_s"]
        radius = data["stability"]["radius"]
        return Check(
            stable=bool(data["stability"]["stable"] and (loop is None or loop["stable"])),
            radius=math.nan if radius is None else float(radius), limit=math.inf if limit is None else float(limit),
            frequencies=np.array(data["frequencies_Hz"], dtype=float), margin=margin,
            cost=float(data["step_cost_s"]), text=data.pop("text"),
            warnings=tuple(Message(w["text"], w["file"], w["line"] or None, w["column"] or None)
                           for w in data.pop("warnings")),
            data={key: value for key, value in data.items() if key != "good"})

    # ---- variants ----

    def replace(self, values: Mapping[str, Any]) -> "Experiment":
        """Another experiment with other values; this one stays as it is.

        values: dotted keys of the file, as of `--set`. A number, text, list or dict replaces a value; a Python object
        (`yoke.protocols`) replaces a block.
        """
        writer = _Writer(self._blocks)
        overrides: list[str] = []
        for key, value in values.items():
            if not isinstance(key, str) or not key:
                raise errors.InputError(f"{key!r} is not a dotted key of the file")
            path = key.split(".")
            old = None
            if not isinstance(value, _PLAIN):
                old = self._node(path)
                if path[-1] in ("kind", "backend"):  # the whole block, with what it has beside its law
                    path, old = path[:-1], self._node(path[:-1])
            overrides.append(_setting(".".join(path), writer.plain(value, path, old)))
        o = self._origin
        origin = _Origin(o.path, o.text, o.folder, o.keys, o.overrides + tuple(overrides),
                         tuple((b.family, b.value, b.key, b.name) for b in writer.blocks))
        if len(writer.blocks) > len(self._blocks):
            return Experiment(origin, writer.blocks)
        words, kept = _words(overrides)
        out = ffi.new("struct yk_model **")
        call(lib.yk_model_vary, out, self._plan.c, words, len(overrides), places=o.place if o.keys else None)
        del kept
        return Experiment(origin, self._blocks, _Plan(out[0], self._plan))

    def _node(self, path: Sequence[str]) -> Any:
        """What stands at a place of the file now; None: nothing."""
        node: Any = self._about["tree"]
        for part in path:
            if isinstance(node, list) and part.isdigit() and int(part) < len(node):
                node = node[int(part)]
            elif isinstance(node, dict) and part in node:
                node = node[part]
            else:
                return None
        return _as_written(node)

    def to_dict(self) -> dict[str, Any]:
        """The experiment as a dict, with units as written; `load(exp.to_dict())` is the same experiment."""
        names = {block.name: block.value for block in self._blocks}

        def back(node: Any) -> Any:
            if isinstance(node, list):
                return [back(item) for item in node]
            if not isinstance(node, dict):
                return node
            result = {key: back(value) for key, value in node.items()}
            if result.get("library") in names and result.get("kind") == "plugin":
                result["kind"] = names[result.pop("library")]
            settings = result.get("settings")
            if isinstance(settings, dict) and settings.get("library") in names and result.get("backend") == "plugin":
                result["backend"] = names[result.pop("settings")["library"]]
            return result

        found: dict[str, Any] = back(_as_written(self._about["tree"]))
        return found

    # ---- runs ----

    def _rig_plan(self) -> _Plan:
        """The plan on the rig of the file."""
        if self._real is None:
            tree = self._about["tree"]
            rigs = [tree["rig"]] if "rig" in tree else [*tree.get("rigs", {}).values()]
            if all(rig.get("backend") == "virtual" for rig in rigs if isinstance(rig, dict)) or any(
                    block.family == _core.RIG for block in self._blocks):
                self._real = self._plan
            else:
                out = ffi.new("struct yk_model **")
                call(lib.yk_model_on_rig, out, self._plan.c)
                self._real = _Plan(out[0], self._plan)
        return self._real

    def start(self, *, record: bool = True, real: bool = False, uncommissioned: Optional[str] = None) -> "Run":
        """A run at t = 0 that is made step by step.

        record: keep the rows for `Run.recording`. real: on the rig of the file instead of the virtual one.
        uncommissioned: "NAME: REASON", who moves a rig without a passed check-list, and why.
        """
        from .run import Run

        return Run(self, record=record, real=real, uncommissioned=uncommissioned)

    @property
    def fine_step(self) -> float:
        """Of the fine side; `step` without substeps [s]."""
        return float(lib.yk_model_fine_step(self._plan.c))

    @property
    def specimen_dofs(self) -> tuple[str, ...]:
        """Degrees of freedom of the specimens, "specimen.x": the columns of `follow`."""
        part = ffi.new("char **")
        names = []
        for k in range(lib.yk_model_specimen_dofs(self._plan.c)):
            dof = lib.yk_model_specimen_dof(self._plan.c, k, part)
            names.append(f"{_core.text(part[0])}.{_core.text(dof)}")
        return tuple(names)

    def follow(self, u: Any, v: Any = None, *, output: Optional[Union[str, "os.PathLike[str]"]] = None,
               real: bool = False, uncommissioned: Optional[str] = None) -> "Followed":
        """Moves the specimens along given displacements; nothing that is measured acts back, so no loop can be unstable.

        u (steps, len(specimen_dofs)), or (steps,) for one degree of freedom: row k is due at (k + 1) fine_step [m, rad]; v:
        its velocities, by differences by default. output: file for a recording of the control ticks. real,
        uncommissioned: as in `start`. A limit that trips raises `Stopped`.
        """
        from .run import follow

        return follow(self, u, v, output, real, uncommissioned)

    def run(self, *, until: Optional[Union[float, str]] = None,
            output: Optional[Union[str, "os.PathLike[str]"]] = None, threads: int = 1, realtime: bool = False,
            uncommissioned: Optional[str] = None,
            progress: Optional[Callable[[int, int], Any]] = None) -> Recording:
        """Runs to the end, on the rig of the file, and returns what was recorded.

        until: stop at this time [s]. output: folder for `run.h5` and `summary.json`. threads: 2 for the coarse side of a
        parallel coupling on its own thread. realtime: paced by the wall clock, with real-time priority; a real rig is
        paced in any case. uncommissioned: as in `start`. progress: called with (step, steps), at most ten times a second. A limit that trips raises
        `Stopped`, a divergence `Diverged`, both with `.recording`.
        """
        from .run import run_whole

        return run_whole(self, until=until, output=output, threads=threads, realtime=realtime,
                         uncommissioned=uncommissioned, progress=progress)

    # ---- the rest ----

    def _texts(self) -> dict[str, str]:
        about = self._about
        return {"title": self.title, "experiment": str(about["text"]), "experiment_path": str(about["path"]),
                "overrides": str(about["overrides"]), "method": str(about["method_text"]),
                "description": str(about["description"]), "build": _core.text(lib.yk_build_id()),
                **({"effective": self.text} if about["overrides"] else {})}

    def __reduce__(self) -> tuple[object, ...]:
        return (Experiment, (self._origin,))

    def __repr__(self) -> str:
        return f"<yoke.Experiment {self.title!r}: {self.steps} steps of {self.step:g} s by {self.method}>"

    def _repr_html_(self) -> str:
        return _html.experiment(self)


def load(source: Source, *, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
         folder: Optional[Union[str, "os.PathLike[str]"]] = None) -> Experiment:
    """Reads and checks an experiment.

    source: path of a file, or a dict of its shape, in which Python objects may stand for blocks. set: values by dotted
    keys, as of `--set`. folder: where the data files of a dict are, default the working directory.
    """
    where = None if folder is None else os.fspath(folder)
    if isinstance(source, Mapping):
        writer = _Writer(())
        lines: list[tuple[str, str]] = []
        _lines(writer.plain(source, []), [], lines)
        origin = _Origin(None, "\n".join(line for line, _ in lines) + "\n", where, tuple(key for _, key in lines), (),
                         tuple((b.family, b.value, b.key, b.name) for b in writer.blocks))
        blocks: Optional[list[_core.Block]] = writer.blocks
    else:
        try:
            path = os.fspath(source)
        except TypeError:
            raise TypeError(f"an experiment is a path or a dict, not a {type(source).__name__}") from None
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        origin = _Origin(path, None, None, None, (), ())
        blocks = None
    return _with(origin, blocks, set)


def loads(text: str, *, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
          folder: Optional[Union[str, "os.PathLike[str]"]] = None, _overrides: Sequence[str] = ()) -> Experiment:
    """The same as `load` from YAML text; places in messages count from its first line."""
    origin = _Origin(None, text, None if folder is None else os.fspath(folder), None, tuple(_overrides), ())
    return _with(origin, None, set)


def _with(origin: _Origin, blocks: Optional[Sequence[_core.Block]], values: Optional[Mapping[str, Any]]) -> Experiment:
    """With settings: read at once where they are plain, so that the file may need them."""
    if values and all(isinstance(value, _PLAIN) for value in values.values()):
        writer = _Writer(())
        overrides = [_setting(key, writer.plain(value, key.split("."))) for key, value in values.items()]
        if not writer.blocks:
            origin = _Origin(origin.path, origin.text, origin.folder, origin.keys, origin.overrides + tuple(overrides),
                             origin.objects)
            return Experiment(origin, blocks)
    experiment = Experiment(origin, blocks)
    return experiment.replace(values) if values else experiment


