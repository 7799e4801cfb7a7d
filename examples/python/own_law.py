"""A hysteretic law in Python beside the built-in one of the same formula."""

# %% Elastic and perfectly plastic: what it remembers is in `old` and `new`
from typing import Any

import numpy as np

import yoke


class Plastic:
    memory = 2  # extension, plastic part of it

    def __init__(self, k: float, fy: float) -> None:
        self.k, self.fy = k, fy

    def force(self, d: float, w: float, old: Any, new: Any) -> float:
        f = min(max(float(self.k * (d - old[1])), -self.fy), self.fy)
        new[0], new[1] = d, d - f / self.k
        return f

    def tangent(self, d: float, w: float, old: Any) -> tuple[float, float]:
        return (self.k if abs(self.k * (d - old[1])) < self.fy else 0.0), 0.0


law = Plastic(4e6, 30e3)
yoke.protocols.check_law(law, np.linspace(-0.02, 0.02, 9))

# %% A mass of 10 t on it, shaken
model = {
    "title": "a mass on an elastic-plastic spring",
    "time": {"step": "2 ms", "end": "10 s"}, "method": {"integrator": "lsrt2"},
    "substructures": {"frame": {"kind": "assembled", "nodes": {"top": {"mass": "10 t"}},
                                "elements": [{"kind": law, "between": ["ground", "top.x"], "name": "spring"}]}},
    "loads": [{"ground": "frame", "kind": "earthquake", "peak": "0.4 g", "seed": 3}],
}
exp = yoke.load(model)
rec = exp.run()
print(f"largest drift {1e3 * rec.peak['frame.top.x.u']:.1f} mm, {rec['energy.dissipated'][-1] / 1e3:.2f} kJ dissipated")

# %% The built-in law `bilinear` without hardening is the same
built_in = exp.replace({"substructures.frame.elements.0": {
    "kind": "bilinear", "stiffness": "4 MN/m", "yield_slip": "7.5 mm", "between": ["ground", "top.x"], "name": "spring"}})
difference = np.abs(built_in.run()["frame.top.x.u"] - rec["frame.top.x.u"]).max()
print(f"difference from the built-in law: {difference:.1e} m")

# %% The loop
try:
    yoke.plot.loop(exp.replace({"record": {"channels": ["frame.*"]}}).run(),
                   "frame.top.x.u", "frame.spring.force").figure.savefig("own_law.svg")
except ImportError as missing:
    print(missing)
