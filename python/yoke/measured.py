"""Actuators and laws from recordings of real tests: docs/measured.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import errors
from ._core import call, ffi, lib, owned

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["identify", "calibrate"]


def _pair(first: "ArrayLike", second: "ArrayLike", what: str) -> Tuple[Any, Any]:
    x, y = np.ascontiguousarray(first, dtype=float), np.ascontiguousarray(second, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise errors.InputError(f"{what} must be two arrays of one length, not {x.shape} and {y.shape}")
    return x, y


def identify(command: "ArrayLike", motion: "ArrayLike", step: float,
             band: Optional[Tuple[float, float]] = None) -> dict[str, Any]:
    """The actuator that made `motion` [m] of `command` [m], sampled every `step` [s].

    `band` [Hz]: what is fitted; default: where the motion follows the command. The last third of the record is held out
    and chooses the order. Returns `held_nrms`, `nrms`, `model`, `spread`, `points` as `yoke identify --csv --json` has
    them.
    """
    u, y = _pair(command, motion, "command and motion")
    out = ffi.new("char **")
    limits = ffi.NULL if band is None else ffi.new("double[2]", [float(band[0]), float(band[1])])
    call(lib.yk_identify_arrays, len(u), float(step), ffi.from_buffer("double *", u), ffi.from_buffer("double *", y), limits,
         out)
    found: dict[str, Any] = json.loads(owned(out[0]))
    return found


def calibrate(law: Union[str, Mapping[str, Any]], fit: Mapping[str, Mapping[str, Any]], runs: Sequence[Mapping[str, Any]],
              hold_out: Sequence[Mapping[str, Any]] = (), settings: Optional[Mapping[str, float]] = None,
              cycles: float = 5, starts: int = 8, level: bool = False) -> dict[str, Any]:
    """Settings of `law` for which its force follows measured loops. SI.

        yoke.calibrate("bouc-wen", {"k0": {"start": 1e6}, "beta": {"start": 500}},
                       [{"displacement": x, "force": f, "step": 1e-3}])

    `law`: its name, or a map with `kind` and settings that are fixed, which `settings` has otherwise. A setting of `fit`
    has `start`, and may have `least`, `most`, and `at` with one start for each value of the runs' `over` (a current);
    `log` interpolates logarithms. Returns `held_nrms`, `mean_nrms`, `values`, `spread`, `bounded` and `runs`.
    """
    if not isinstance(law, str):
        settings = {**{name: value for name, value in law.items() if name != "kind"}, **(settings or {})}
        law = law.get("kind", "")
    every = [*runs, *hold_out]
    pairs = [_pair(run["displacement"], run["force"], "displacement and force") for run in every]
    what = {"law": law, "settings": dict(settings or {}), "fit": {name: dict(of) for name, of in fit.items()},
            "cycles": cycles, "starts": starts, "level": level}
    out = ffi.new("char **")
    call(lib.yk_calibrate_arrays, json.dumps(what).encode(), len(every), len(runs),
         ffi.new("size_t[]", [len(x) for x, _ in pairs]), ffi.new("double[]", [float(run["step"]) for run in every]),
         ffi.new("double[]", [float(run.get("over", 0)) for run in every]),
         ffi.new("double *[]", [ffi.from_buffer("double *", x) for x, _ in pairs]),
         ffi.new("double *[]", [ffi.from_buffer("double *", f) for _, f in pairs]), out)
    found: dict[str, Any] = json.loads(owned(out[0]))
    return found
