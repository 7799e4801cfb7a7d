"""Hybrid simulation: numerical models coupled with specimens on a rig.

    import yoke

    exp = yoke.load("frame.yaml")          # read and checked
    rec = exp.run()                        # a whole run; rec["frame.x.u"] is an array
    with exp.start() as run:               # or step by step
        for step in run:
            run.force["frame.x"] = -2e3 * run.v["frame"][0]

SI everywhere; where a number is expected, a text with a unit is accepted too ("5 ms"). docs/python.md explains the rest.
"""

from __future__ import annotations

import json as _json
from typing import Any as _Any
from typing import NamedTuple as _NamedTuple
from typing import Optional as _Optional

from . import analyze, motion, plot, protocols
from ._core import call as _call
from ._core import ffi as _ffi
from ._core import lib as _lib
from ._core import owned as _owned
from ._core import text as _text
from .begin import new
from .env import Env, VectorEnv
from .errors import (CheckFailed, Diverged, Error, FileError, InputError, RangeError, SingularError, Stopped, UnitError,
                     UnsupportedError, Warning)
from .experiment import Channel, Check, Experiment, Message, load, loads
from .measured import calibrate, identify
from .recording import Recording, Stream, open
from .run import Followed, Run, State, run_many
from .studies import Study, final, peak, rms, study
from .units import si

#: version and revision of the library, as `yoke --version`
build: str = _text(_lib.yk_build_id())
__version__: str = build.split()[1] if len(build.split()) > 1 else build


class Setting(_NamedTuple):
    """A setting of a component."""

    name: str
    unit: str
    default: _Any
    required: bool
    min: _Optional[float]
    max: _Optional[float]
    choices: _Optional[tuple[str, ...]]
    help: str


class Component(_NamedTuple):
    """A registered component: a method, a law, a signal, ..."""

    summary: str
    reference: str
    settings: tuple[Setting, ...]


def list(family: _Optional[str] = None) -> dict[str, _Any]:
    """Registered components: `yoke.list("integrators")["lsrt2"].summary`; without a family, all of them by family."""
    out = _ffi.new("char **")
    _call(_lib.yk_list, _ffi.NULL if family is None else family.encode(), out)
    found: dict[str, dict[str, Component]] = {
        of: {name: Component(c["summary"], c["reference"], tuple(
            Setting(s["name"], s["unit"], s["default"], s["required"], s["min"], s["max"],
                    tuple(s["choices"].split("|")) if s["choices"] else None, s["help"]) for s in c["settings"]))
             for name, c in members.items()}
        for of, members in _json.loads(_owned(out[0])).items()}
    everything: dict[str, _Any] = dict(found)
    return everything if family is None else found[family]


# `open` and `list` are left out: a star import must hide no builtin.
__all__ = [
    "Channel", "Check", "CheckFailed", "Component", "Diverged", "Env", "Error", "Experiment", "FileError", "Followed", "InputError",
    "Message", "RangeError", "Recording", "Run", "Setting", "SingularError", "State", "Stopped", "Stream", "Study",
    "UnitError", "UnsupportedError", "VectorEnv", "Warning", "__version__", "analyze", "build", "calibrate", "final", "identify", "load", "loads", "motion", "new",
    "peak", "plot", "protocols", "rms", "run_many", "si", "study",
]
