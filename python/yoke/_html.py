"""Experiments, checks, recordings and verdicts as HTML, for notebooks. Nothing but text and inline SVG: no script, no file, no address;
colours come from the page, so that dark ones stay readable."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .experiment import Check, Experiment
    from .recording import Recording

CURVES = 4  # panels of a recording
WIDTH, HEIGHT, COLUMNS = 560, 70, 280
COLOURS = {"good": "#2e7d32", "doubtful": "#b26a00", "unusable": "#c62828"}


def text(value: object) -> str:
    return html.escape(str(value))


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Two columns; the second one is HTML already."""
    cells = "".join(f"<tr><th style='text-align:left;vertical-align:top'>{text(name)}</th>"
                    f"<td style='text-align:left'>{value}</td></tr>" for name, value in rows if value)
    return f"<table>{cells}</table>"


def block(title: str, *parts: str) -> str:
    return f"<div class='yoke'><p><b>{text(title)}</b></p>{''.join(parts)}</div>"


def folded(title: str, content: str) -> str:
    return f"<details><summary>{text(title)}</summary><pre>{text(content)}</pre></details>"


def number(value: float, unit: str = "") -> str:
    return text(f"{value:.4g}{' ' + unit if unit else ''}")


# ---- verdicts ----

def level(word: str) -> str:
    return f"<b style='color:{COLOURS.get(word, 'inherit')}'>{text(word)}</b>"


def verdict(found: Mapping[str, Any]) -> str:
    """The level, and the reasons with the weightiest first."""
    if not found:
        return "no verdict"
    reasons = "".join(f"<li>{text(r['text'])}<br><small>{text(r.get('why') or '')}; {text(r.get('advice') or '')}</small></li>"
                      for r in found.get("reasons") or ())
    return level(str(found.get("level"))) + (f"<ol>{reasons}</ol>" if reasons else "")


# ---- curves ----

def thinned(t: "NDArray[np.float64]", x: "NDArray[np.float64]") -> list[tuple[float, float]]:
    """The least and the largest value of each column of the picture, in their order."""
    points = []
    for part in np.array_split(np.arange(len(x)), max(1, min(COLUMNS, len(x)))):
        finite = part[np.isfinite(x[part])]
        if len(finite):
            points += [(float(t[k]), float(x[k])) for k in sorted({int(finite[np.argmin(x[finite])]),
                                                                    int(finite[np.argmax(x[finite])])})]
    return points


def curve(name: str, unit: str, t: "NDArray[np.float64]", x: "NDArray[np.float64]") -> str:
    points = thinned(t, x)
    if len(points) < 2 or not points[-1][0] > points[0][0]:
        return ""
    least, most = min(p[1] for p in points), max(p[1] for p in points)
    span = most - least or 1.0
    places = " ".join(f"{WIDTH * (a - points[0][0]) / (points[-1][0] - points[0][0]):.1f},"
                      f"{HEIGHT - 3 - (HEIGHT - 6) * (b - least) / span:.1f}" for a, b in points)
    return (f"<figure style='margin:4px 0'><figcaption><small>{text(name)}: {number(least, unit)} to {number(most, unit)}"
            f"</small></figcaption><svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{text(name)} over time' "
            f"style='width:100%;max-width:{WIDTH}px;display:block'><polyline points='{places}' fill='none' "
            "stroke='currentColor' stroke-width='1.2'/></svg></figure>")


def shown(names: Sequence[str]) -> list[str]:
    """Displacements first, then whatever there is; without those of the reference."""
    names = [name for name in names if not name.startswith("reference.")]
    wanted = [name for name in names if name.endswith(".u")] + [name for name in names if not name.endswith(".u")]
    return [name for name in wanted if name != "time"][:CURVES]


# ---- objects ----

def experiment(exp: "Experiment") -> str:
    about: Optional[Mapping[str, Any]] = exp._about
    parts = ", ".join(f"{part['name']} ({len(part['dofs'])} DoFs)" for part in (about or {}).get("substructures", ()))
    return block(exp.title, table([
        ("method", text(exp.method)), ("steps", f"{exp.steps} of {number(exp.step, 's')}"), ("substructures", text(parts)),
        ("actuators", text(", ".join(str(name) for name in (about or {}).get("actuators", ())))),
        ("notes", "<br>".join(text(note) for note in exp.notes))]), folded("experiment file", exp.text))


def check(found: "Check") -> str:
    margin = "" if found.margin is None else "none found" if math.isinf(found.margin) else number(1e3 * found.margin, "ms")
    frequencies = ", ".join(f"{f:.4g}" for f in found.frequencies[:6]) + (" ..." if len(found.frequencies) > 6 else "")
    title = str(found.data.get("title") or "check")
    return block(title, table([
        ("stable", "<b>yes</b>" if found.stable else f"<b style='color:{COLOURS['unusable']}'>no</b>"),
        ("frequencies", text(frequencies + " Hz") if len(found.frequencies) else ""), ("delay margin", margin),
        ("cost", number(1e6 * found.cost, "us a step") if math.isfinite(found.cost) else ""),
        ("rehearsal", verdict(found.data.get("verdict") or {}) if found.data.get("verdict") else ""),
        ("warnings", "<br>".join(text(w.text) for w in found.warnings))]), folded("as printed", found.text))


def recording(rec: "Recording") -> str:
    state = "finished" if rec.finished else text(rec.reason or "not finished")
    units = rec.units
    peaks = list(rec.peak.items())
    rows = "".join(f"<tr><td style='text-align:left'>{text(name)}</td><td>{number(value, units.get(name, ''))}</td></tr>"
                   for name, value in peaks[:40])
    more = f"<p>and {len(peaks) - 40} more</p>" if len(peaks) > 40 else ""
    return block(rec.title, table([("run", f"{len(rec.time)} rows, {state}"), ("verdict", verdict(rec.verdict))]),
                 *(curve(name, units.get(name, ""), rec.time, rec[name]) for name in shown(rec.names)),
                 f"<details><summary>largest values</summary><table>{rows}</table>{more}</details>")
