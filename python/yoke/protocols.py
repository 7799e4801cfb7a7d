"""What Python objects must have to be blocks of an experiment. No base class is needed.

t in s; u and d in m (rad); v and w in m/s (rad/s); forces in N (N m). Arrays that are passed in are views that are valid
during the call: do not keep them. Every run has its own object: made by `fork()` where the object has it, otherwise by
`copy.deepcopy`; with the attribute `shared = True` one object serves all runs.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Optional, Protocol, Sequence, runtime_checkable

import numpy as np

from .errors import CheckFailed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Law", "Substructure", "Signal", "Controller", "Compensator", "Rig", "check_law"]


@runtime_checkable
class Law(Protocol):
    """Force of an element: `substructures.S.elements.N`, or `kind` of an element.

    memory: doubles that the law remembers, default 0; the first of them is the extension to which they belong. Optional:
    tangent(d, w, old) -> (df/dd, df/dw), otherwise by differences; stored(d) -> J; rest(d, new). A law whose force has a
    parameter h gets the time since the last accepted state [s] there and in its tangent.
    """

    def force(self, d: float, w: float, old: "Array", new: "Array") -> float:
        """The force that resists the extension d at the rate w: from `old`, writes `new`; no other memory."""
        ...


@runtime_checkable
class Substructure(Protocol):
    """A part with its own equation, M a = f - force(t, u, v): `substructures.S`.

    Optional: tangent(t, u, v) -> (K, C), otherwise by differences; commit(t, u, v) accepts a state; rest(u) forgets the past;
    save() -> object and restore(object), for methods that go back. Attributes initial_displacement, initial_velocity (n,).
    """

    dofs: Sequence[str]
    mass: "ArrayLike"  # (n,) or (n, n) kg

    def force(self, t: float, u: "Array", v: "Array") -> "ArrayLike":
        """(n,), resists positive motion; a trial: no side effects."""
        ...


@runtime_checkable
class Signal(Protocol):
    """A function of time: `loads.N`, or `kind` of a load. N, or m/s2 of a ground motion."""

    def value(self, t: float) -> float:
        """At time t."""
        ...


@runtime_checkable
class Controller(Protocol):
    """Corrects the command of an actuator in every control tick: `transfer.A.controller`. Optional: clipped(sent)."""

    def reset(self, x: float, tick: float) -> None:
        """In balance at x; tick [s]."""
        ...

    def command(self, t: float, command: float, measured: float) -> float:
        """The drive [m]."""
        ...


@runtime_checkable
class Compensator(Protocol):
    """Commands an actuator ahead of its delay: `transfer.A.compensator`. Optional: learn(measured)."""

    def reset(self, x: float, step: float, stages: int) -> None:
        """At rest in x, and always so before; `stages` targets in each step [s]."""
        ...

    def command(self, t: float, x: float, v: float, a: float, delay: float) -> float:
        """The displacement to command at the due time of the target (x, v, a), for a delay [s]."""
        ...


@runtime_checkable
class Rig(Protocol):
    """What moves the specimens: `rig`. Optional: close(), cut()."""

    def rest(self, x: "Array") -> "ArrayLike":
        """At rest at x; returns (actuators, 3): displacement m, force N, acceleration m/s2."""
        ...

    def exchange(self, command: "Array") -> Optional["ArrayLike"]:
        """A control tick: the same; None: nothing new came, the last readings hold."""
        ...


def check_law(law: Any, extensions: Optional["ArrayLike"] = None) -> None:
    """Evaluates a law in two orders from the same memory and compares: raises `CheckFailed` where it remembers elsewhere."""
    n = int(getattr(law, "memory", 0))
    d = np.linspace(-0.1, 0.1, 11) if extensions is None else np.asarray(extensions, dtype=float)
    old = np.zeros(n)
    if n and hasattr(law, "rest"):
        law.rest(0.0, old)
    kept = old.copy()
    timed = {"h": 1e-3} if "h" in inspect.signature(law.force).parameters else {}

    def sweep(points: Any) -> dict[float, tuple[float, tuple[float, ...]]]:
        found = {}
        for x in points:
            new = old.copy()
            found[float(x)] = (float(law.force(float(x), 0.0, old, new, **timed)), tuple(new))
        return found

    forwards, backwards = sweep(d), sweep(d[::-1])
    if not np.array_equal(old, kept):
        raise CheckFailed("the law writes into `old`; only `new` may be written")
    for x, value in forwards.items():
        if value != backwards[x]:
            raise CheckFailed(f"the force at d = {x:g} m depends on what was evaluated before: {value[0]:g} N and "
                              f"{backwards[x][0]:g} N; keep memory in `old` and `new` only")
