"""Ground motions: docs/ground-motions.md."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Sequence

import numpy as np

from . import errors
from ._core import call, ffi, lib, text
from .units import si

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Fragility", "Record", "Spectrum", "code_spectrum", "fragility", "periods", "read", "scaling"]


def _doubles(array: "ArrayLike") -> Any:
    found = np.ascontiguousarray(array, dtype=float)
    if found.ndim != 1:
        raise errors.InputError(f"an array of one dimension is needed, not of {found.ndim}")
    return found


def _pointer(array: Any) -> Any:
    return ffi.from_buffer("double *", array)


class Spectrum(NamedTuple):
    """Largest responses, one for each period: sd [m], psv [m/s], psa [m/s2], sv [m/s], sa [m/s2]."""

    periods: "NDArray[np.float64]"
    damping: float
    sd: "NDArray[np.float64]"
    psv: "NDArray[np.float64]"
    psa: "NDArray[np.float64]"
    sv: "NDArray[np.float64]"
    sa: "NDArray[np.float64]"


class Fragility(NamedTuple):
    """P = Phi(ln(x/theta)/beta)."""

    theta: float
    beta: float
    log_likelihood: float
    theta_error: float
    beta_error: float

    def probability(self, x: float) -> float:
        """Probability of collapse at the intensity `x`."""
        if not x > 0:
            return 0.0
        return 0.5 * math.erfc(-math.log(x / self.theta) / self.beta / math.sqrt(2))


def periods(first: float = 0.02, last: float = 10.0, per_decade: float = 100) -> "NDArray[np.float64]":
    """Periods evenly in the logarithm, both ends included [s]."""
    room = np.zeros(100000)
    return room[: lib.yk_motion_periods(first, last, per_decade, _pointer(room), len(room))].copy()


class Record:
    """An acceleration [m/s2], sampled every `step` [s]; straight lines between the samples, 0 outside."""

    def __init__(self, a: "ArrayLike", step: Any, format: str = "array", notes: Sequence[str] = ()) -> None:
        self.a = _doubles(a)
        self.step = si(step, "time") if isinstance(step, str) else float(step)
        self.format = format
        self.notes = tuple(notes)
        if not (len(self.a) > 0 and self.step > 0):
            raise errors.InputError("a record needs values and a step above 0 s")

    @property
    def time(self) -> "NDArray[np.float64]":
        """Times of the samples [s]."""
        return self.step * np.arange(len(self.a))

    def measures(self) -> dict[str, float]:
        """pga, pgv, pgd, their times, arias, start_s, significant_s (D5-95), middle_s (D5-75), cav, rms, end_v, end_d; SI."""
        out = ffi.new("struct yk_motion_measures *")
        lib.yk_motion_measure(len(self.a), self.step, _pointer(self.a), out)
        return {name: getattr(out, name) for name, _ in ffi.typeof("struct yk_motion_measures").fields}

    def spectrum(self, periods: Optional["ArrayLike"] = None, damping: float = 0.05) -> Spectrum:
        """Elastic response spectrum; without `periods`, 0.02 to 10 s with 100 per decade."""
        T = _doubles(globals()["periods"]() if periods is None else np.atleast_1d(periods))
        out = ffi.new("struct yk_motion_response[]", len(T))
        call(lib.yk_motion_spectrum, len(self.a), self.step, _pointer(self.a), float(damping), len(T), _pointer(T), out)
        columns = {name: np.array([getattr(r, name) for r in out]) for name in ("sd", "psv", "psa", "sv", "sa")}
        return Spectrum(T, float(damping), **columns)

    def strength(self, period: float, ductility: float, damping: float = 0.05, hardening: float = 0.0) -> float:
        """The largest yield strength over mass [m/s2] with this ductility."""
        out = ffi.new("double *")
        call(lib.yk_motion_strength, len(self.a), self.step, _pointer(self.a), float(period), float(damping),
             float(hardening), float(ductility), out, ffi.NULL)
        return float(out[0])

    def baseline(self, degree: int) -> "Record":
        """Another record: without the derivative of a polynomial that is fitted to the velocity."""
        a = self.a.copy()
        call(lib.yk_motion_baseline, len(a), self.step, _pointer(a), int(degree))
        return Record(a, self.step, self.format, self.notes)

    def band(self, low: float, high: float, order: int = 4) -> "Record":
        """Another record: through a Butterworth band pass [Hz], forward and backward, longer by zeros at both ends."""
        out, pads = ffi.new("double **"), ffi.new("size_t *")
        call(lib.yk_motion_band, len(self.a), self.step, _pointer(self.a), float(low), float(high), int(order), out, pads)
        try:
            a = np.frombuffer(ffi.buffer(out[0], 8 * (len(self.a) + 2 * pads[0])), dtype=float).copy()
        finally:
            lib.yk_free(out[0])
        return Record(a, self.step, self.format, self.notes)

    def scaled(self, factor: float) -> "Record":
        """Another record: `factor` times this one."""
        return Record(float(factor) * self.a, self.step, self.format, self.notes)


def read(path: str, channel: int = 0, step: float = 0.0, unit: Optional[str] = None) -> Record:
    """A record from a file: AT2, COSMOS, CSMIP, SMC, K-NET, ESM, a table, MATLAB. A file that is cut is refused."""
    motion = ffi.new("struct yk_motion *")
    word = ffi.NULL if unit is None else ffi.new("char[]", unit.encode())
    ask = ffi.new("struct yk_motion_ask *", {"channel": channel, "step_s": step, "unit": word})
    call(lib.yk_motion_read, motion, str(path).encode(), ask)
    try:
        a = np.frombuffer(ffi.buffer(motion.a, 8 * motion.n), dtype=float).copy()
        return Record(a, motion.step_s, text(motion.format), text(motion.notes).splitlines())
    finally:
        lib.yk_motion_free(motion)


def code_spectrum(target: str, periods: "ArrayLike") -> "NDArray[np.float64]":
    """Accelerations [m/s2] of a spectrum of a code: "ec8: { type: 1, ground: C, ag: 0.25 g }", "asce7: {...}", "table: F"."""
    code, table, out = ffi.new("struct yk_code_spectrum *"), ffi.new("double **"), ffi.new("double *")
    call(lib.yk_code_read, code, table, target.encode())
    try:
        found = []
        for T in np.atleast_1d(np.asarray(periods, dtype=float)):
            call(lib.yk_code_value, code, float(T), out)
            found.append(out[0])
        return np.array(found)
    finally:
        lib.yk_free(table[0])


def scaling(target: "ArrayLike", sa: "ArrayLike", fit: str = "log") -> tuple[float, float]:
    """Factor that brings the accelerations `sa` nearest to `target`, and the misfit after it (rms of the logarithm)."""
    if fit not in ("log", "linear"):
        raise errors.InputError(f"fit must be log or linear, not {fit!r}")
    t, s = _doubles(target), _doubles(sa)
    if t.shape != s.shape or not len(t) or not (t > 0).all() or not (s > 0).all():
        raise errors.InputError("target and sa must be as long as each other and above 0")
    found = lib.yk_scaling_fit(len(t), _pointer(t), _pointer(s), lib.YK_FIT_LOG if fit == "log" else lib.YK_FIT_LINEAR)
    return found.factor, found.misfit


def fragility(levels: Optional["ArrayLike"] = None, collapsed: Optional["ArrayLike"] = None,
              runs: Optional["ArrayLike"] = None, capacities: Optional["ArrayLike"] = None) -> Fragility:
    """A fragility curve from counts of collapses at levels (largest likelihood), or from capacities."""
    out = ffi.new("struct yk_fragility *")
    if capacities is not None:
        c = _doubles(capacities)
        call(lib.yk_fragility_capacities, len(c), _pointer(c), out)
    else:
        if levels is None or collapsed is None or runs is None:
            raise errors.InputError("levels, collapsed and runs are needed, or capacities")
        x, k = _doubles(levels), _doubles(collapsed)
        n = _doubles(np.broadcast_to(np.asarray(runs, dtype=float), x.shape))
        if x.shape != k.shape:
            raise errors.InputError(f"{len(x)} levels and {len(k)} counts of collapses")
        call(lib.yk_fragility_counts, len(x), _pointer(x), _pointer(n), _pointer(k), out)
    return Fragility(out.theta, out.beta, out.log_likelihood, out.theta_error, out.beta_error)
