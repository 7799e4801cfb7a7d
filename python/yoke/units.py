"""Quantities with units."""

from __future__ import annotations

from typing import Optional, Union

from ._core import call, ffi, lib


def si(text: Union[str, float], dimension: Optional[str] = None) -> float:
    """A quantity in SI: `si("5 ms") == 0.005`.

    dimension: such as "time", "length", "force" or "stiffness"; another one raises `UnitError`. A number is SI already.
    """
    if isinstance(text, (int, float)):
        text = repr(float(text))
    out = ffi.new("double *")
    call(lib.yk_si, text.encode(), ffi.NULL if dimension is None else dimension.encode(), out)
    return float(out[0])


def factor(of: str, to: str) -> float:
    """The factor from one unit to another: 1000 from "m" to "mm"."""
    out = ffi.new("double *")
    call(lib.yk_unit_factor, of.encode(), to.encode(), out)
    return float(out[0])
