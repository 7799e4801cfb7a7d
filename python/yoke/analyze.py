"""Analyses of the steps that a run makes. Every result has `to_dict()`, equal to what the program prints with --json."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core, errors
from ._core import call, ffi, lib
from .recording import Recording

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .experiment import Experiment

    Array = NDArray[np.float64]

__all__ = ["spectrum", "order", "energy", "drift", "margin", "loop", "delay", "frf", "modes", "Spectrum", "Order", "Energy", "Drift",
           "Margin", "Loop", "Delay", "DelayFit", "Frf", "Modes"]


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _column(rows: Sequence[Mapping[str, Any]], key: str) -> "Array":
    return np.array([_number(row[key]) for row in rows])


def _reals(values: Optional["ArrayLike"], what: str) -> Optional[list[float]]:
    if values is None:
        return None
    try:
        return [float(x) for x in np.atleast_1d(np.asarray(values, dtype=float))]
    except (TypeError, ValueError):
        raise errors.InputError(f"{what} must be numbers") from None


@dataclass(frozen=True)
class _Result:
    _data: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """What the program prints with --json."""
        return dict(self._data)


@dataclass(frozen=True)
class Spectrum(_Result):
    """Eigenvalues of the amplification matrix."""

    step: "Array"  # (m,) s
    radius: "Array"  # (m,)
    eigenvalues: "NDArray[np.complex128]"  # (m, N), largest modulus first
    damping: "Array"  # (m,) numerical damping ratio of the principal mode
    frequency_error: "Array"  # (m,) relative, likewise


def spectrum(exp: "Experiment", steps: Optional["ArrayLike"] = None) -> Spectrum:
    """Eigenvalues of one cycle of the method at several steps [s], default that of the experiment."""
    data = _core.analyze(exp._plan.c, "spectrum", steps=_reals(steps, "steps"))
    points = data["points"]
    n = max(len(p["eigenvalues"]) for p in points)
    values = np.zeros((len(points), n), dtype=complex)
    for i, p in enumerate(points):
        values[i, :len(p["eigenvalues"])] = [complex(*pair) for pair in p["eigenvalues"]]
    principal = [p["principal"] for p in points]
    return Spectrum(data, _column(points, "step"), _column(points, "radius"), values, _column(principal, "damping"),
                    _column(principal, "frequency_error"))


@dataclass(frozen=True)
class Order(_Result):
    """Errors at the end of the run with shorter and shorter steps."""

    step: "Array"  # (h + 1,) s
    error_u: "Array"
    error_v: "Array"
    error_lambda: Optional["Array"]  # None for one domain
    order_u: float
    order_v: float
    order_lambda: Optional[float]


def order(exp: "Experiment", halvings: int = 4) -> Order:
    """The observed order of convergence, from the two finest of halvings + 1 steps."""
    data = _core.analyze(exp._plan.c, "order", halvings=int(halvings))
    e, o = data["errors"], data["order"]
    coupled = e["lambda"] is not None
    return Order(data, np.array(data["steps"]), np.array(e["u"], dtype=float), np.array(e["v"], dtype=float),
                 np.array(e["lambda"], dtype=float) if coupled else None, _number(o["u"]), _number(o["v"]),
                 _number(o["lambda"]) if coupled else None)


@dataclass(frozen=True)
class Energy(_Result):
    """The energy account along a run [J], (samples,)."""

    time: "Array"
    kinetic: "Array"
    stored: "Array"
    dissipated: "Array"
    work: "Array"
    error: "Array"


def energy(exp: "Experiment", samples: int = 21) -> Energy:
    """Energies and work of the loads at evenly spaced times of a run."""
    data = _core.analyze(exp._plan.c, "energy", samples=int(samples))
    rows = data["samples"]
    return Energy(data, *(_column(rows, key) for key in ("time", "kinetic", "stored", "dissipated", "work", "error")))


@dataclass(frozen=True)
class Drift(_Result):
    """The largest gaps across the interfaces since the sample before, (samples,)."""

    time: "Array"
    u: "Array"
    v: "Array"
    a: "Array"
    interface_work: "Array"


def drift(exp: "Experiment", samples: int = 21) -> Drift:
    """Gaps of displacement, velocity and acceleration across the interfaces of a coupling."""
    data = _core.analyze(exp._plan.c, "drift", samples=int(samples))
    rows = data["samples"]
    return Drift(data, *(_column(rows, key) for key in ("time", "u", "v", "a", "interface_work")))


@dataclass(frozen=True)
class Margin(_Result):
    """Stability of the loop with specimens."""

    stable: bool
    decay: float  # 1/s, of the slowest motion; negative: growth
    decay_model: float  # 1/s, with models instead of the specimens
    margin: float  # s; inf: beyond what was looked at
    by_matrix: bool  # found from the amplification matrix, not by bisection of free vibrations


def margin(exp: "Experiment", *, budget: Optional[float] = None) -> Margin:
    """Whether the loop with specimens is stable, and its delay margin. budget: CPU time for each way [s]."""
    data = _core.analyze(exp._plan.c, "margin", budget=budget)
    return Margin(data, bool(data["stable"]), _number(data["decay_per_s"]), _number(data["decay_model_per_s"]),
                  math.inf if data["margin_s"] is None else float(data["margin_s"]), bool(data["by_matrix"]))


@dataclass(frozen=True)
class Loop(_Result):
    """The loop with specimens as x+ = A x + B w, y = C x + D w from cycle to cycle, with ports w = delta y."""

    decay: float  # 1/s, of the slowest motion; negative: growth
    cycle: float  # s
    told: bool  # it repeats the answers of the loop to 1e-7; otherwise the matrices are empty
    A: "Array"
    B: "Array"
    C: "Array"
    D: "Array"
    parameter: tuple[int, ...]  # of each port
    acts: tuple[bool, ...]  # each parameter: through ports?


def loop(exp: "Experiment", varied: Sequence[str] = ()) -> Loop:
    """The loop as matrices. varied: for each parameter that is to have ports, the setting "key=value" with it one unit away."""
    data = _core.analyze(exp._plan.c, "loop", varied=list(varied))
    A, B, C, D = (np.array(data[key], dtype=float) for key in "ABCD")
    return Loop(data, _number(data["decay_per_s"]), _number(data["cycle_s"]), bool(data["told"]), A, B, C, D,
                tuple(data["parameter"]), tuple(data["acts"]))


class DelayFit(NamedTuple):
    """y(t + delay) = gain x(t), and what of y it does not explain (NRMS)."""

    delay: float  # s; negative: early
    gain: float
    residual: float


@dataclass(frozen=True)
class Delay(_Result):
    """How an actuator tracked."""

    command: DelayFit  # from command to measured displacement
    target: DelayFit  # from target to measured displacement
    nrms: float  # of measured displacement minus target
    peak: float  # largest difference [m, rad]


def _between(command: "ArrayLike", measured: "ArrayLike", step: float, longest: float = 0.0) -> DelayFit:
    x, y = np.ascontiguousarray(command, dtype=float), np.ascontiguousarray(measured, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise errors.InputError(f"a delay is between two arrays of one length, not {x.shape} and {y.shape}")
    found = ffi.new("double[3]")
    call(lib.yk_delay_between, len(x), float(step), ffi.from_buffer("double *", x), ffi.from_buffer("double *", y), longest,
         found)
    return DelayFit(found[0], found[1], found[2])


def _of_actuator(data: Mapping[str, Any]) -> Delay:
    fits = [DelayFit(*(_number(data[f"{of}_{what}"]) for what in ("delay_s", "gain", "residual")))
            for of in ("command", "target")]
    return Delay(data, fits[0], fits[1], _number(data["nrms"]), _number(data.get("peak_m", data.get("peak_rad"))))


def _of_recording(rec: Recording, actuator: str) -> Delay:
    target, command, measured = (rec[f"{actuator}.{what}"] for what in ("target", "command", "displacement"))
    step = float(rec.time[1] - rec.time[0])
    error = measured - target
    size = float(np.sqrt(np.mean(target**2)))
    fits = _between(command, measured, step), _between(target, measured, step)
    nrms = float(np.sqrt(np.mean(error**2))) / size if size > 0 else math.nan
    peak = float(np.abs(error).max())
    data = {"command_delay_s": fits[0].delay, "command_gain": fits[0].gain, "command_residual": fits[0].residual,
            "target_delay_s": fits[1].delay, "target_gain": fits[1].gain, "target_residual": fits[1].residual,
            "nrms": nrms, "peak_m": peak}
    return Delay(data, fits[0], fits[1], nrms, peak)


def delay(of: Union["Experiment", Recording, "tuple[ArrayLike, ArrayLike]"], actuator: Optional[str] = None, *,
          step: Optional[float] = None) -> Any:
    """Delays of actuators, by least squares.

    of: an experiment, which is run on the virtual rig; a recording; or a pair of arrays (command, measured), sampled
    every `step` [s], for which a `DelayFit` is returned. actuator: default all of them, as a dict where there are
    several.
    """
    if isinstance(of, tuple):
        if step is None:
            raise errors.InputError("the delay between two arrays needs their step: delay((command, measured), step=...)")
        return _between(of[0], of[1], step)
    if isinstance(of, Recording):
        names = [name[:-len(".command")] for name in of.names if name.endswith(".command")]
        found = {name: _of_recording(of, name) for name in names if actuator in (None, name)}
    else:
        data = _core.analyze(of._plan.c, "delay")
        names = list(data["actuators"])
        found = {name: _of_actuator(values) for name, values in data["actuators"].items() if actuator in (None, name)}
    if actuator is not None and actuator not in found:
        raise KeyError(_core.nearest(actuator, names))
    if not found:
        raise errors.InputError("there are no actuators")
    return found[actuator] if actuator is not None else next(iter(found.values())) if len(found) == 1 else found


@dataclass(frozen=True)
class Frf(_Result):
    """Frequency response from the target of an actuator to its measured displacement; nan where a point is missing."""

    frequency: "Array"  # (m,) Hz
    response: "NDArray[np.complex128]"  # (m,)
    delay: "Array"  # (m,) s


def frf(exp: "Experiment", actuator: Optional[str] = None, frequencies: Optional["ArrayLike"] = None,
        amplitude: float = 0.01) -> Frf:
    """The frequency response of an actuator with its chain [Hz, m]; default the first actuator, 0.1 to 20 Hz."""
    data = _core.analyze(exp._plan.c, "frf", actuator=actuator, frequencies=_reals(frequencies, "frequencies"),
                         amplitude=float(amplitude))
    points = data["points"]
    response = np.array([complex(math.nan, math.nan) if "missing" in p else
                         _number(p["magnitude"]) * np.exp(1j * _number(p["phase_rad"])) for p in points])
    return Frf(data, _column(points, "frequency_Hz"), response,
               np.array([math.nan if "missing" in p else _number(p["delay_s"]) for p in points]))


@dataclass(frozen=True)
class Modes(_Result):
    """Undamped modes of a substructure."""

    frequency: "Array"  # (m,) Hz, ascending
    damping: "Array"  # (m,) ratios, of the diagonal of the modal damping
    shape: "Array"  # (n, m), of unit modal mass


def modes(exp: "Experiment", sub: Optional[str] = None) -> Modes:
    """Frequencies, damping ratios and shapes of a substructure; default the first. Nonlinear ones at the start."""
    M, C, K = exp.matrices(sub if sub is not None else exp.substructures[0])
    L = np.linalg.cholesky(M)
    inverse = np.linalg.inv(L)
    squares, vectors = np.linalg.eigh(inverse @ (0.5 * (K + K.T)) @ inverse.T)
    shape = inverse.T @ vectors
    omega = np.sqrt(np.maximum(squares, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(omega > 0, np.einsum("im,ij,jm->m", shape, C, shape) / (2 * omega), np.nan)
    return Modes({"frequency_Hz": (omega / (2 * np.pi)).tolist()}, omega / (2 * np.pi), ratio, shape)
