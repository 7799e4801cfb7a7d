"""Pictures with matplotlib: every function takes `ax=None` and returns the `Axes`; nothing calls `show`."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .analyze import Frf, Order, Spectrum
from .errors import InputError
from .recording import Recording, _need

__all__ = ["response", "loop", "spectrum", "order", "frf", "tracking"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    _need("matplotlib")
    pyplot = _need("matplotlib.pyplot")
    if pyplot.get_backend().lower() == "agg":  # nothing to show: the figure lives as long as its axes
        return _need("matplotlib.figure").Figure(layout="constrained").subplots()
    return pyplot.figure(layout="constrained").subplots()


def _label(name: str, unit: str) -> str:
    return f"{name} [{unit or '-'}]" if name else f"[{unit or '-'}]"


def response(rec: Recording, *names: str, unit: Optional[str] = None, ax: Any = None) -> Any:
    """Channels over time, in one unit."""
    if not names:
        names = tuple(name for name in rec.names if name.endswith(".u"))
    if not names:
        raise InputError("which channels? response(rec, 'frame.x.u', ...)")
    shown = unit if unit is not None else rec.units[names[0]]
    ax = _axes(ax)
    for name in names:
        ax.plot(rec.time, rec[name, shown] if shown else rec[name], label=name)
    ax.set_xlabel("time [s]")
    ax.set_ylabel(_label(names[0] if len(names) == 1 else "", shown))
    if len(names) > 1:
        ax.legend()
    return ax


def loop(rec: Recording, x: str, y: str, *, ax: Any = None) -> Any:
    """One channel over another."""
    ax = _axes(ax)
    ax.plot(rec[x], rec[y])
    ax.set_xlabel(_label(x, rec.units[x]))
    ax.set_ylabel(_label(y, rec.units[y]))
    return ax


def spectrum(s: Spectrum, *, ax: Any = None) -> Any:
    """The spectral radius over the step."""
    ax = _axes(ax)
    ax.semilogx(s.step, s.radius, "o-")
    ax.axhline(1, color="0.5", linewidth=0.8)
    ax.set_xlabel("step [s]")
    ax.set_ylabel("spectral radius [-]")
    return ax


def order(o: Order, *, ax: Any = None) -> Any:
    """Errors over the step."""
    ax = _axes(ax)
    ax.loglog(o.step, o.error_u, "o-", label=f"displacement, order {o.order_u:.2f}")
    ax.loglog(o.step, o.error_v, "s-", label=f"velocity, order {o.order_v:.2f}")
    if o.error_lambda is not None and o.order_lambda is not None:
        ax.loglog(o.step, o.error_lambda, "^-", label=f"multiplier, order {o.order_lambda:.2f}")
    ax.set_xlabel("step [s]")
    ax.set_ylabel("largest error [SI]")
    ax.legend()
    return ax


def frf(f: Frf, *, ax: Any = None) -> Any:
    """Magnitude over the frequency."""
    ax = _axes(ax)
    ax.semilogx(f.frequency, np.abs(f.response), "o-")
    ax.set_xlabel("frequency [Hz]")
    ax.set_ylabel("magnitude [-]")
    return ax


def tracking(rec: Recording, actuator: str, *, ax: Any = None) -> Any:
    """Target and measured displacement of an actuator over time."""
    ax = _axes(ax)
    for what in ("target", "displacement"):
        ax.plot(rec.time, rec[f"{actuator}.{what}"], label={"displacement": "measured"}.get(what, what))
    ax.set_xlabel("time [s]")
    ax.set_ylabel(_label(actuator, rec.units[f"{actuator}.target"]))
    ax.legend()
    return ax
