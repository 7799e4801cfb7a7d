#!/usr/bin/env python3
"""Crosses features of experiments and judges the runs by what must hold whatever the combination.

usage: tools/crossings.py [YOKE] [--seconds 300] [--seed 1] [--only WORD]... [--without WORD]... [--jobs 2]

A *setting* makes an experiment another one: a method, a law, a plant, a load. A *change* must not alter its response: other units,
another path of solving, a rig in another process, limits that are never reached. Settings are run alone, two by two, and with changes,
in an order that the seed shuffles, until the time is over. Runs that need no other process go through the Python module, if it was built
(PYTHONPATH=build/python), which is thirty times faster. Judged are

  ends       exit code 0, 2, 3 or 4 and, except for 0, a message; no signal, no time limit, no number that is none in a recording
  check      what `yoke check` refuses, `yoke run` refuses, and the other way round, with the same message
  response   run with settings and change = run with the settings alone, to the tolerance of the change
  energy     the recorded energies add up to the work, apart from the recorded error

Prints a line for each violation, and the number of runs. Exit code 4 if anything was violated."""
import argparse, copy, csv, itertools, json, math, os, random, shutil, signal, subprocess, sys, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor

import yaml

try:
    import yoke as module
except ImportError:
    module = None

# ---- experiments: one for each way to run ---------------------------------------------------------------------------------------

def frame(nodes=3, name="frame", stiffness=4e6, mass=4000.0):
    """A shear frame of a few storeys as springs between nodes."""
    elements = [{"kind": "spring", "between": ["ground" if k == 0 else f"n{k}.x", f"n{k+1}.x"], "stiffness": stiffness}
                for k in range(nodes)]
    return {"kind": "assembled", "nodes": {f"n{k+1}": {"mass": mass} for k in range(nodes)}, "elements": elements,
            "rayleigh": {"stiffness": 2e-3}}

def one_domain():
    return {"title": "one domain", "time": {"step": 0.005, "end": 0.3}, "method": {"integrator": "lsrt2"},
            "substructures": {"frame": frame()},
            "loads": [{"on": "frame.n3.x", "kind": "sine", "amplitude": 20e3, "frequency": 2.0}]}

def coupled():
    e = one_domain()
    e["title"] = "two sides"
    e["method"] = {"coupling": "gc"}
    e["time"]["substeps"] = 4
    e["substructures"]["tower"] = dict(frame(2, mass=1000.0, stiffness=2e6), rate="fine")
    e["interfaces"] = [{"join": ["frame.n3.x", "tower.n2.x"]}]
    return e

def hybrid():
    e = one_domain()
    e["title"] = "a specimen"
    e["time"]["control_rate"] = 1000.0
    e["time"]["step"] = 0.004
    e["substructures"]["specimen"] = {"role": "physical", "dofs": ["x"], "actuators": {"x": "a1"},
                                      "estimate": {"stiffness": [[2e6]]}}
    e["interfaces"] = [{"join": ["frame.n3.x", "specimen.x"]}]
    e["transfer"] = {"a1": {}}
    e["rig"] = {"backend": "virtual", "actuators": {"a1": {"plant": {"kind": "ideal"}}},
                "specimen": {"kind": "linear", "dofs": ["x"], "mass": [[0.0]], "stiffness": [[2e6]]}}
    e["limits"] = {"displacement": 1.0, "force": 1e7, "command_rate": 100.0, "tracking_error": 1.0, "position_error": 0.01}
    return e

def coupled_hybrid():
    e = hybrid()
    e["title"] = "a specimen on the fine side"
    e["method"] = {"coupling": "gc"}
    e["time"]["substeps"] = 2
    e["substructures"]["specimen"]["rate"] = "fine"
    e["substructures"]["specimen"]["estimate"]["mass"] = [[500.0]]
    return e

def platform():
    """A platform of two degrees of freedom on two actuators."""
    e = hybrid()
    e["title"] = "a platform on two actuators"
    e["substructures"] = {
        "frame": {"kind": "linear", "dofs": ["x", "theta"], "mass": [2000.0, 300.0], "damping": [4000.0, 900.0],
                  "stiffness": [[200e3, 20e3], [20e3, 60e3]]},
        "column": {"role": "physical", "dofs": ["x", "theta"], "actuators": ["a1", "a2"],
                   "setup": {"kind": "coupler", "ends": [[0.0, 0.3], [0.0, -0.3]]},
                   "estimate": {"stiffness": [[150e3, 30e3], [30e3, 40e3]]}}}
    e["interfaces"] = [{"join": ["frame.x", "column.x"]}, {"join": ["frame.theta", "column.theta"]}]
    e["loads"] = [{"on": "frame.x", "kind": "sine", "amplitude": 2e3, "frequency": 1.4},
                  {"on": "frame.theta", "kind": "sine", "amplitude": 500.0, "frequency": 2.1}]
    e["transfer"] = {"a1": {}, "a2": {}}
    e["rig"]["actuators"] = {"a1": {"plant": {"kind": "ideal"}}, "a2": {"plant": {"kind": "ideal"}}}
    e["rig"]["specimen"] = {"kind": "linear", "dofs": ["x", "theta"], "mass": [0.0, 0.0],
                            "stiffness": [[150e3, 30e3], [30e3, 40e3]]}
    return e

BASES = {f.__name__.replace("_", "-"): f for f in (one_domain, coupled, hybrid, coupled_hybrid, platform)}

# ---- a case: the tree, words of the command line, what is served beside it -----------------------------------------------------

class Case:
    def __init__(self, tree):
        self.tree = tree
        self.args = []
        self.serve = None          # words of `yoke serve`
        self.way = "run"
        self.every = 1             # rows of the recording: one in so many
        self.names = []
    hybrid = property(lambda c: "rig" in c.tree or "rigs" in c.tree)
    coupled = property(lambda c: "coupling" in c.tree["method"])
    main = property(lambda c: next(iter(c.tree["substructures"].values())))
    def physical(self):
        return [s for s in self.tree["substructures"].values() if s.get("role") == "physical"]
    def chains(self):
        return self.tree["transfer"]
    def actuators(self):
        return self.tree["rig"]["actuators"]

class NotHere(Exception):
    """The setting or the change does not apply to this case."""

def need(condition):
    if not condition:
        raise NotHere

SETTINGS, CHANGES = {}, {}

def setting(name, function):
    SETTINGS[name] = function

def change(name, tolerance, function):
    CHANGES[name] = (tolerance, function)

# ---- settings -------------------------------------------------------------------------------------------------------------------

INTEGRATORS = ["central-difference", "newmark", "hht", "generalized-alpha", "chang", "cr", "kr-alpha", "alpha-os", "lsrt1", "lsrt3", "rk4",
               "newmark-newton", "exact"]
COUPLINGS = ["pm", "ph", "mph", "state-space", "apnr1", "apnr2", "assr1", "assr2", "apsr1", "plsrt2", "iplsrt2", "vpnr1", "vpnr2",
             "feedback", "efc"]

def integrator(name):
    def apply(c):
        need(not c.coupled)
        c.tree["method"] = {"integrator": name}
    return apply

def coupling(name):
    def apply(c):
        need(c.coupled)
        c.tree["method"] = {"coupling": name}
        if name in ("apnr1", "apnr2", "vpnr1", "vpnr2"):
            c.tree["time"].pop("substeps", None)
        if name == "efc":
            c.tree["time"]["substeps"] = 4
    return apply

for word in INTEGRATORS:
    setting("integrator " + word, integrator(word))
for word in COUPLINGS:
    setting("coupling " + word, coupling(word))

def element(entry):
    def apply(c):
        need("elements" in c.main)
        c.main["elements"].append(dict(entry, name="extra"))
    return apply

setting("law cubic-spring", element({"kind": "cubic-spring", "between": ["ground", "n1.x"], "stiffness": 1e5, "cubic": 1e9}))
setting("law gap", element({"kind": "gap", "between": ["n1.x", "n2.x"], "stiffness": 1e6, "gap": 5e-4}))
setting("law friction", element({"kind": "friction", "between": ["ground", "n1.x"], "force": 500.0, "slip_velocity": 0.01}))
setting("law bouc-wen", element({"kind": "bouc-wen", "between": ["ground", "n1.x"], "k0": 1e6, "beta": 500.0, "gamma": 500.0}))
setting("law bilinear", element({"kind": "bilinear", "between": ["n2.x", "n3.x"], "stiffness": 1e6, "yield_slip": 5e-4, "hardening": 0.1}))
setting("law saturating-damper", element({"kind": "saturating-damper", "between": ["ground", "n2.x"], "limit": 500.0, "knee": 0.01}))

setting("law power-damper", element({"kind": "power-damper", "between": ["ground", "n1.x"], "damping": 5e3, "exponent": 0.4, "smooth": 0.01}))
setting("law maxwell", element({"kind": "maxwell", "between": ["n1.x", "n2.x"], "stiffness": 1e6, "damping": 5e3, "exponent": 0.4}))
setting("law pendulum", element({"kind": "pendulum", "between": ["ground", "n2.x"], "weight": 1e4, "radius": 2.0, "friction": 0.06, "friction_rate": 20.0, "friction_slow": 0.03}))
setting("law steel", element({"kind": "steel", "between": ["ground", "n1.x"], "E": 1e6, "fy": 500.0, "hardening": 0.02, "a1": 0.05}))
setting("law concrete-tension", element({"kind": "concrete-tension", "between": ["ground", "n1.x"], "fc": 2e3, "ec": 2e-3, "fu": 400.0,
                                         "eu": 6e-3, "lambda": 0.1, "ft": 200.0, "softening": 1e5}))
setting("law elastoplastic", element({"kind": "elastoplastic", "between": ["n1.x", "n2.x"], "stiffness": 1e6, "yield_positive": 5e-4}))
setting("law pinching", element({"kind": "pinching", "between": ["ground", "n1.x"], "positive": [[500.0, 5e-4], [700.0, 3e-3], [200.0, 0.02]],
                                 "negative": "mirror", "px": 0.7, "py": 0.3, "beta": 0.2}))
setting("law imk", element({"kind": "imk", "between": ["ground", "n1.x"], "hysteresis": "pinching", "stiffness": 1e6, "yield": 500.0, "plastic": 5e-3,
                            "post_capping": 0.02, "lambda_S": 0.5, "lambda_K": 0.8}))

def load(entry):
    def apply(c):
        entry_ = copy.deepcopy(entry)
        name, dof = next((n, s) for n, s in c.tree["substructures"].items() if s.get("role") != "physical")
        first = "n1.x" if "nodes" in dof else dof["dofs"][0]
        for key in ("on", "ground"):
            if key in entry_:
                entry_[key] = f"{name}.{first}" if key == "on" else name
        c.tree["loads"].append(entry_)
    return apply

setting("load earthquake", load({"ground": 0, "kind": "earthquake", "peak": 2.0, "rise": 0.1}))
setting("load sweep", load({"on": 0, "kind": "sweep", "amplitude": 3e3, "from": 1.0, "to": 10.0, "duration": 0.3}))
setting("load noise", load({"on": 0, "kind": "noise", "rms": 3e3, "high": 20.0}))
setting("load step", load({"on": 0, "kind": "step", "amplitude": 3e3, "at": 0.1}))
setting("load permanent", load({"on": 0, "kind": "constant", "amplitude": 5e3, "permanent": True}))
setting("load permanent ground", load({"ground": 0, "kind": "constant", "amplitude": 2.0, "permanent": True}))

def initial_u(c):
    if c.coupled or c.hybrid:
        name = "n3.x" if "nodes" in c.main else "x"
        c.main["initial"] = {"displacement": {name: 1e-3}}
        for s in list(c.tree["substructures"].values())[1:]:
            s["initial"] = {"displacement": {"n2.x" if "nodes" in s else "x": 1e-3}}
    else:
        c.main["initial"] = {"displacement": {"n2.x": 1e-3}}

def initial_v(c):
    initial_u(c)
    for s in c.tree["substructures"].values():
        if "initial" in s:
            s["initial"]["velocity"] = {k: 0.05 for k in s["initial"].pop("displacement")}

setting("initial displacement", initial_u)
setting("initial velocity", initial_v)

def modal_damping(c):
    need("rayleigh" in c.main)
    del c.main["rayleigh"]
    c.main["modal_damping"] = [0.02, 0.05]

def base_motion(c):
    need("nodes" in c.main)
    c.main["bases"] = {"soil": {"motion": [{"kind": "sine", "amplitude": 2e-3, "frequency": 1.5}], "fade_in": 0.1}}
    c.main["elements"][0]["between"][0] = "soil"

def many_nodes(c):
    need("nodes" in c.main)
    big = frame(60)
    last = big["nodes"].pop("n60")
    c.main["nodes"] = dict({"n1": {"mass": 4e3}, "n2": {"mass": 4e3}, "n3": {"mass": 4e3}},
                           **{k: v for k, v in big["nodes"].items() if k not in ("n1", "n2", "n3")}, n60=last)
    c.main["elements"] = c.main["elements"] + big["elements"][3:]

def members(section, more, **others):
    """Beams instead of springs, in a plane."""
    def apply(c):
        need("nodes" in c.main and not c.names)
        keep = {k: c.main[k] for k in ("rate", "role", "initial") if k in c.main}
        name = next(iter(c.tree["substructures"]))
        node = {"mass": {"x": 4e3, "y": 4e3, "rz": 200.0}}
        c.tree["substructures"][name] = dict(keep, kind="frame", sections={"s": copy.deepcopy(section)},
            nodes={"b": {"at": [0.0, 0.0], "fixed": "all"}, "n1": {"at": [0.0, 3.0], **copy.deepcopy(node)},
                   "n2": {"at": [0.0, 6.0], **copy.deepcopy(node)}, "n3": {"at": [0.0, 9.0], **copy.deepcopy(node)}},
            members=[{"between": ["b", "n1", "n2", "n3"], "section": "s", **copy.deepcopy(more)}], rayleigh={"stiffness": 1e-3},
            **copy.deepcopy(others))
    return apply

PLAIN = {"E": 2e11, "A": 1e-2, "Iz": 8e-6, "density": 7850.0}
FIBRES = {"density": 7850.0, "fibres": [{"patch": "rectangle", "material": "m", "from": [-0.05, -0.05], "to": [0.05, 0.05],
                                         "divide": [8, 1]}]}
STEEL = {"m": {"kind": "steel", "E": 2e11, "fy": 275e6, "hardening": 0.01}}
HINGE = {"h": {"kind": "bilinear", "stiffness": 5e6, "yield_slip": 1e-2, "hardening": 0.05}}

setting("modal damping", modal_damping)
setting("base motion", base_motion)
setting("many nodes", many_nodes)
setting("kind frame", members(PLAIN, {}))
setting("fibres displacement", members(FIBRES, {"formulation": "displacement", "geometry": "p-delta"}, materials=STEEL))
setting("fibres force", members(FIBRES, {"formulation": "force", "geometry": "corotational"}, materials=STEEL))
setting("hinges", members(PLAIN, {"hinges": {"start": {"rz": "h"}}, "geometry": "p-delta"}, hinges=HINGE))

def substeps(c):
    need(c.coupled and "substeps" in c.tree["time"])
    c.tree["time"]["substeps"] = 1
setting("one substep", substeps)

def plant(entry):
    def apply(c):
        need(c.hybrid)
        for a in c.actuators().values():
            a["plant"] = dict(entry)
        for chain in c.chains().values():
            chain.setdefault("compensator", {"kind": "lagrange", "delay": 0.006})
    return apply

setting("plant delay", plant({"kind": "delay", "delay": 0.006}))
setting("plant servo", plant({"kind": "servo", "frequency": 40.0, "damping": 0.75}))
setting("plant first-order", plant({"kind": "first-order", "time_constant": 0.006}))
setting("plant tt1 loops", plant({"kind": "tt1", "model": "loops", "inner_gain": 60.0}))

def chain(key, entry):
    def apply(c):
        need(c.hybrid)
        for name in c.chains():
            c.chains()[name][key] = copy.deepcopy(entry)
    return apply

for word in ("lagrange", "explicit-newmark", "linear-acceleration", "velocity", "inverse", "model-inverse", "ats", "amb", "cats", "feed-forward",
             "phase-lead", "fir"):
    setting("compensator " + word, chain("compensator", {"kind": word, "delay": 0.004} if word != "phase-lead" else {"kind": word}))
for word in ("rls", "newton-command", "newton-desired", "ahmadizadeh", "darby", "taylor", "pade"):
    def both(c, word=word):
        chain("compensator", {"kind": "lagrange", "delay": 0.004})(c)
        chain("estimator", {"kind": word})(c)
    setting("estimator " + word, both)
for entry in ({"kind": "p", "K": 0.9}, {"kind": "pi"}, {"kind": "pid"}, {"kind": "imc"}, {"kind": "imc2"},
              {"kind": "adaptive-inverse"}):
    def controlled(c, entry=entry):
        chain("controller", entry)(c)
        if entry["kind"] != "p":
            for a in c.actuators().values():
                if "plant" in a:
                    a["plant"] = {"kind": "tt1"}
            for name in c.chains():
                c.chains()[name].setdefault("compensator", {"kind": "velocity", "delay": 0.021})
    setting("controller " + entry["kind"], controlled)
setting("feedback optimal", lambda c: (chain("compensator", {"kind": "lagrange", "delay": 0.004})(c),
                                       chain("feedback", {"kind": "optimal", "bound": 0.006})(c)))
setting("feedback corrected", chain("feedback", {"kind": "corrected"}))
setting("path quadratic", chain("path", "quadratic"))
setting("path cubic", chain("path", "cubic"))
setting("feed forward", chain("feed_forward", True))

def command(quantity):
    def apply(c):
        need(c.hybrid)
        for name in c.chains():
            c.chains()[name]["command"] = quantity
        c.tree["limits"] = {"displacement": 1.0, "force": 1e7, "velocity": 100.0, "acceleration": 1e5, "actuators": {
            name: {"command_rate": 1e9, "tracking_error": 1e6, "position_error": 1e3} for name in c.chains()}}
        if quantity == "force":
            for s in [c.tree["rig"]["specimen"]]:
                s["mass"] = [10.0] * len(s["dofs"])
                s["damping"] = [3e3] * len(s["dofs"])
            for s in c.physical():
                s["connection"] = {d: 2e5 for d in s["dofs"]}
    return apply
for word in ("force", "velocity", "acceleration"):
    setting("command " + word, command(word))

def sensors(entry):
    def apply(c):
        need(c.hybrid)
        for a in c.actuators().values():
            a.setdefault("sensors", {}).update(entry)
    return apply
setting("sensors noisy", sensors({"displacement_noise": 1e-6, "force_noise": 5.0, "displacement_quantum": 1e-6, "seed": 4}))
setting("sensors filtered", sensors({"filter": 200.0}))
setting("sensors skewed", sensors({"force_skew": 5e-4, "displacement_skew": 5e-4}))
setting("sensors dropping", sensors({"displacement_dropout": 0.1, "force_dropout": 0.1}))

def actuator(key, entry):
    def apply(c):
        need(c.hybrid)
        for a in c.actuators().values():
            a[key] = copy.deepcopy(entry)
    return apply
setting("capacity", actuator("capacity", {"stroke": 0.5, "speed": 0.3, "force": 1e6, "friction": 10.0, "backlash": 1e-5}))
setting("moving mass", actuator("moving_mass", 20.0))

def playout(c):
    need(c.hybrid)
    c.tree["rig"]["playout"] = 0.003
    for name in c.chains():
        c.chains()[name].setdefault("compensator", {"kind": "lagrange", "delay": 0.0, "order": 2})
setting("playout", playout)

def hysteretic_specimen(c):
    need(c.hybrid and len(c.tree["rig"]["specimen"]["dofs"]) == 1)
    c.tree["rig"]["specimen"] = {"kind": "assembled", "nodes": {"x": {"dofs": ["x"], "mass": 0.0}}, "elements": [
        {"kind": "bouc-wen", "between": ["ground", "x.x"], "k0": 2e6, "beta": 300.0, "gamma": 300.0, "kh": 1e5}]}
setting("specimen hysteretic", hysteretic_specimen)

def massive_specimen(c):
    need(c.hybrid)
    c.tree["rig"]["specimen"]["mass"] = [20.0] * len(c.tree["rig"]["specimen"]["dofs"])
setting("specimen with mass", massive_specimen)

def prescribed(c):
    need(c.hybrid and len(c.tree["rig"]["specimen"]["dofs"]) == 1)
    c.physical()[0]["prescribed"] = {"axial": {"dof": "y", "kind": "sine", "amplitude": 1e4, "frequency": 3.0}}
    c.chains()["axial"] = {"command": "force"}
    c.actuators()["axial"] = {"plant": {"kind": "first-order", "time_constant": 0.005}}
    c.tree["rig"]["specimen"] = {"kind": "linear", "dofs": ["x", "y"], "mass": [0.0, 200.0], "damping": [0.0, 4e4],
                                 "stiffness": [[2e6, 2e4], [2e4, 2e7]]}
    c.tree["limits"]["actuators"] = {"axial": {"displacement": 0.1, "command_rate": 1e9, "tracking_error": 1e6}}
setting("prescribed load", prescribed)

def joint_plant(c):
    need(c.hybrid and len(c.chains()) == 2)
    for a in c.actuators().values():
        a.pop("plant")
    c.tree["rig"]["joint"] = [{"actuators": list(c.chains()), "plant": {
        "kind": "state-space", "A": [[-300.0, 0.0], [0.0, -300.0]], "B": [[300.0, 20.0], [-20.0, 300.0]], "C": [[1.0, 0.0], [0.0, 1.0]]}}]
setting("joint plant", joint_plant)

def joint_controller(c):
    need(c.hybrid and len(c.chains()) == 2)
    c.chains()["joint"] = [{"actuators": ["a1", "a2"], "controller": {"kind": "decoupling", "static_gain": [[1.0, 0.05], [-0.05, 1.0]]}}]
setting("joint controller", joint_controller)

# ---- changes --------------------------------------------------------------------------------------------------------------------

def units(c):
    """Numbers in units other than SI."""
    t = c.tree
    t["time"]["step"] = f"{t['time']['step'] * 1e3!r} ms"
    if "control_rate" in t["time"]:
        t["time"]["control_rate"] = f"{t['time']['control_rate'] / 1e3!r} kHz"
    for s in t["substructures"].values():
        for n in s.get("nodes", {}).values():
            if isinstance(n, dict) and isinstance(n.get("mass"), float):
                n["mass"] = f"{n['mass'] / 1e3!r} t"
        for e in s.get("elements", []):
            if e["kind"] == "spring":
                e["stiffness"] = f"{e['stiffness'] / 1e6!r} N/um"
    for l in t["loads"]:
        if "amplitude" in l and "on" in l and not (l["on"].endswith("theta")):
            l["amplitude"] = f"{l['amplitude'] / 1e3!r} kN"
change("units", 1e-12, units)

def monolithic(c):
    c.tree["reference"] = "monolithic"
change("reference", 0, monolithic)

def record(c):
    c.tree["record"] = {"channels": ["*.u", "*.v", "*.a", "energy.*"], "every": 3}
    first = next(iter(c.tree["substructures"]))
    dof = "n1.x" if "nodes" in c.main else c.main["dofs"][0]
    c.tree["record"]["derived"] = {"twice": f"{first}.{dof}.u + {first}.{dof}.u"}
    c.every = 3
change("record", 0, record)

def permuted(c):
    for key in ("substructures",):
        c.tree[key] = dict(reversed(list(c.tree[key].items())))
    if "interfaces" in c.tree:
        for i in c.tree["interfaces"]:
            i["join"].reverse()
change("order", 1e-9, permuted)

def split_load(c):
    first = c.tree["loads"][0]
    first["amplitude"] *= 0.5
    c.tree["loads"].append(copy.deepcopy(first))
change("split load", 1e-12, split_load)

for word in ("dense", "banded", "sparse", "low-rank", "modal"):
    def path(c, word=word):
        c.tree["method"]["path"] = word
    change("path " + word, 1e-9, path)

def words(*args):
    def apply(c):
        c.args += list(args)
    return apply
change("threads", 0, words("--threads", "2"))
change("portable", 1e-9, words("--portable-bits"))
change("start-at", 0, words("--start-at", "+0.05s"))

def realtime(c):
    c.args += ["--realtime", "--priority", "0"]
    if "limits" in c.tree:
        c.tree["limits"].update(missed_deadlines=0, stall=0, start_ramp=0.2, end_ramp=0.1)
change("realtime", 0, realtime)

def scale(factor):
    def apply(c):
        need("playout" not in c.names)  # which is wall time
        c.tree["time"]["scale"] = factor
    return apply
change("scale 7", 0, scale(7.0))
change("scale 0.5", 0, scale(0.5))

def no_limits(c):
    need(c.hybrid)
    c.tree.pop("limits")
change("no limits", 0, no_limits)

def all_limits(c):
    need(c.hybrid)
    c.tree["limits"].update(velocity=1e4, acceleration=1e9, sensor_range=10.0, sensor_frozen=50.0, force_frozen=50.0, window=3, energy_error=1e5,
                            start_ramp=0.5, end_ramp=0.3, on_trip="hold", displacement={"limit": 1.5, "action": "cut"})
    own = c.tree["limits"].setdefault("actuators", {})
    for name in c.actuators():
        own.setdefault(name, {}).update(displacement=2.0)
change("all limits", 0, all_limits)

def dof_limits(c):
    need(c.hybrid and all("setup" in s for s in c.physical()))
    name, s = next((n, s) for n, s in c.tree["substructures"].items() if s.get("role") == "physical")
    c.tree["limits"]["dofs"] = {f"{name}.{d}": {"displacement": 1.0, "command_rate": 1e3, "force": 1e7} for d in s["dofs"]}
change("limits of dofs", 0, dof_limits)

def calibrate(c):
    need(c.hybrid)
    for s in c.physical():
        setup = s.setdefault("setup", {"kind": "matrix"})
        if not isinstance(s["actuators"], list):
            s["actuators"] = list(s["actuators"].values())
        setup["calibrate"] = {name: {"gain": 0.0125, "offset": 0.003, "force_gain": 5e3, "force_offset": 100.0, "reversed": True}
                              for name in s["actuators"]}
change("calibrate", 1e-9, calibrate)

def identity_setup(c):
    need(c.hybrid and not any("setup" in s for s in c.physical()))
    for s in c.physical():
        s["actuators"] = list(s["actuators"].values())
        s["setup"] = {"kind": "matrix"}
change("setup", 0, identity_setup)

def readings(c):
    """Sensors with a wrong gain that `readings` corrects."""
    need(c.hybrid)
    for name, a in c.actuators().items():
        s = a.setdefault("sensors", {})
        need(not set(s) - {"seed"})
        s.update(displacement_gain=2.0, force_gain=0.5)
        c.tree["rig"].setdefault("readings", {})[name] = {"displacement": {"gain": 0.5}, "force": {"gain": 2.0, "range": [-1e9, 1e9]}}
change("readings", 0, readings)

def zeros(c):
    """Sensors with a bias that `calibration` takes away."""
    need(c.hybrid)
    for name, a in c.actuators().items():
        s = a.setdefault("sensors", {})
        need(not set(s) - {"seed"})
        s.update(force_bias=1000.0)
        c.tree.setdefault("calibration", {})[f"{name}.force"] = {"zero": 1000.0, "date": "2020-01-01T00:00:00+0000"}
change("calibration", 1e-9, zeros)

def from_sensors(c):
    """The force measured by a sensor of the rig."""
    need(c.hybrid)
    for name, a in c.actuators().items():
        need("sensors" not in a)
        c.tree["rig"].setdefault("sensors", {})["cell_" + name] = {"unit": "kN", "measures": f"{name}.force", "gain": 0.0009765625}
        c.tree["rig"].setdefault("readings", {})[name] = {"force": {"from": {"cell_" + name: 1024.0}}}
change("force from sensor", 0, from_sensors)

def sensors_and_lines(c):
    need(c.hybrid)
    name = next(iter(c.actuators()))
    c.tree["rig"].setdefault("sensors", {})["extra"] = {"unit": "kN", "measures": f"{name}.force", "gain": 0.001, "noise": 0.1}
    c.tree["rig"]["lines"] = {"door": {"role": "interlock"}, "stop": {"role": "emergency_stop"}, "drive": {"role": "enable"},
                              "red": {"role": "trip_lamp", "inverted": True}}
    c.tree["limits"]["sensors"] = {"extra": 1e9}
change("sensors and lines", 0, sensors_and_lines)

def rigs(c):
    need(c.hybrid and "rig" in c.tree)
    c.tree["rigs"] = {"lab": c.tree.pop("rig")}
change("rigs", 0, rigs)

def served(kind, *more):
    def apply(c):
        need(c.hybrid and not (kind == "shm" and "playout" in c.names))
        c.serve = (kind, more)
    return apply
change("shm", 0, served("shm"))
change("udp", 0, served("udp"))
change("udp key", 0, served("udp", "key"))
change("udp loss", 0, served("udp", "--loss", "0.02", "--duplicate", "0.02", "--reorder", "0.02"))
change("udp site", 0, served("udp", "site"))

def paused(c):
    need(not c.hybrid)  # an actuator with a lag arrives in the pause
    c.way = "pause"
change("pause", 0, paused)

def as_fmu(c):
    c.way = "fmu"
change("fmu export", 1e-9, as_fmu)

def twice(c):
    """Twice the time: the first half must be the same."""
    c.tree["time"]["end"] = 2 * c.tree["time"]["end"]
change("longer", 0, twice)

# ---- running --------------------------------------------------------------------------------------------------------------------

class Bench:
    def __init__(self, yoke, folder):
        self.yoke, self.folder, self.count, self.lock = yoke, folder, 0, threading.Lock()

    def place(self):
        with self.lock:
            self.count += 1
            place = os.path.join(self.folder, f"c{self.count}")
        os.mkdir(place)
        return place

    def call(self, *words, limit=60, cwd=None):
        try:
            p = subprocess.run([self.yoke, *words], capture_output=True, text=True, timeout=limit, cwd=cwd, errors="replace",
                               stdin=subprocess.DEVNULL)
            return p.returncode, p.stdout, p.stderr
        except subprocess.TimeoutExpired:
            return -999, "", "time limit"

    def run_here(self, case):
        """Through the Python module."""
        result = {"file": str(case.names), "place": None, "rows": None, "check": (0, "", "")}
        try:
            rec = module.load(case.tree).run()
            result.update(run=(0, "", ""), rows={n: rec[n].tolist() for n in rec.names})
        except module.Error as e:
            code = 2 if isinstance(e, module.InputError) else 3
            result.update(run=(code, "", str(e)), check=(code if code == 2 else 0, "", str(e)))
        return result

    def run(self, case):
        if module and not case.serve and not case.args and case.way == "run":
            return self.run_here(case)
        place = self.place()
        name = "x" + os.path.basename(place)
        file = os.path.join(place, name + ".yaml")
        out = os.path.join(place, "out")
        server, sets = None, []
        with open(file, "w") as f:
            yaml.safe_dump(case.tree, f, sort_keys=False, default_flow_style=None, width=150)
        result = {"file": file, "place": place}
        try:
            if case.serve:
                server, sets = self.start_server(case, file, place, name)
            result["check"] = self.call("check", file, "--budget", "1ms", *sets)
            if case.way == "fmu":
                result["run"] = self.run_fmu(file, place, case)
            elif case.way == "pause":
                result["run"] = self.run_paused(file, out, name, case, sets)
            else:
                result["run"] = self.call("run", file, "-o", out, "--no-report", "-q", "--budget", "0", *case.args, *sets)
        finally:
            if server:
                server.send_signal(signal.SIGINT)
                try:
                    result["serve"] = (server.wait(timeout=10), server.stderr.read())
                except subprocess.TimeoutExpired:
                    server.kill()
                    result["serve"] = (-999, "time limit")
        result["rows"] = self.rows(out, place)
        summary = os.path.join(out, "summary.json")
        result["summary"] = json.load(open(summary)) if os.path.exists(summary) else None
        return result

    def start_server(self, case, file, place, name):
        kind, more = case.serve
        more, sets = list(more), []
        root = "rig" if "rig" in case.tree else "rigs.lab"
        if "key" in more:
            more.remove("key")
            self.call("serve", "--make-key", os.path.join(place, "k"))
            more += ["--key", os.path.join(place, "k")]
            sets = ["--set", f"{root}.settings.key=" + os.path.join(place, "k")]
        if "site" in more:
            more.remove("site")
            more += ["--site", os.path.join(place, "site")]
        target = ["--shm", name] if kind == "shm" else ["--udp", "0"]
        server = subprocess.Popen([self.yoke, "serve", file, *target, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = server.stdout.readline()
        sets = ["--set", f"{root}.backend={kind}"] + sets
        if kind == "shm":
            sets += ["--set", f"{root}.settings.name={name}"]
        else:
            port = "".join(ch if ch.isdigit() else " " for ch in line.split("port")[-1].split(":")[-1]).split() if line else ["1"]
            sets += ["--set", f"{root}.settings.port={port[0] if port else 1}"]
        return server, sets

    def run_paused(self, file, out, name, case, sets):
        """A paced run that is paused and resumed; only its steps count."""
        p = subprocess.Popen([self.yoke, "run", file, "-o", out, "--no-report", "-q", "--budget", "0", "--realtime", "--priority", "0",
                              "--set", "time.scale=2", *(["--set", "limits.missed_deadlines=0", "--set", "limits.stall=0"] if case.hybrid else []),
                              *case.args, *sets], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        for _ in range(100):
            if self.call("control", "pause", name)[0] == 0 or p.poll() is not None:
                break
        self.call("control", "step", name)
        self.call("control", "step", name)
        self.call("control", "resume", name)
        try:
            o, e = p.communicate(timeout=60)
            return p.returncode, o, e
        except subprocess.TimeoutExpired:
            p.kill()
            return -999, "", "time limit"

    def run_fmu(self, file, place, case):
        fmu = os.path.join(place, "x.fmu")
        code = self.call("export", file, "--fmu", fmu)
        if code[0]:
            return code
        return self.call("fmu", "run", fmu, "-o",
                         os.path.join(place, "out"))

    def rows(self, out, place):
        if out.endswith(".csv"):
            table = out
            if not os.path.exists(table):
                return None
        else:
            if not os.path.exists(os.path.join(out, "run.h5")):
                return None
            table = os.path.join(place, "rows.csv")
            if self.call("export", out, "--csv", table)[0]:
                return None
        with open(table) as f:
            r = csv.reader(f)
            names = next(r)
            columns = list(zip(*[[float(x) for x in row] for row in r]))
        return dict(zip(names, columns)) if columns else {}

def first_words(message):
    lines = [l for l in message.splitlines() if "note:" not in l and "warning:" not in l]
    return lines[0] if lines else ""

def ends(result):
    """What is wrong with how a run ended, whatever it was."""
    for who in ("check", "run", "serve"):
        if who not in result:
            continue
        code, text = result[who][0], " ".join(result[who][1:])
        if code == -999:
            return f"{who}: time limit"
        if code < 0 or code not in (0, 2, 3, 4):
            return f"{who}: exit code {code}: {first_words(result[who][-1])}"
        if code and not text.strip():
            return f"{who}: exit code {code} without a message"
    for name, column in (result["rows"] or {}).items():
        if any(x != x or abs(x) == math.inf for x in column):
            return f"not a number in {name}"
    check, run = result["check"], result["run"]
    if (check[0] == 2) != (run[0] == 2):
        return f"check ends with {check[0]}, run with {run[0]}: {first_words((check if check[0] == 2 else run)[-1])}"
    if check[0] == 2 and first_words(check[2]).split(": ", 1)[-1] != first_words(run[2]).split(": ", 1)[-1]:
        return f"check says '{first_words(check[2])}', run '{first_words(run[2])}'"
    return None

KINDS = (".u", ".v", ".a")

def differ(one, other, tolerance, every=1):
    """The largest difference of two recordings, relative to the largest value of its kind; None if within the tolerance."""
    worst, where = 0.0, None
    largest = {}
    for name, column in one.items():
        largest[name[-2:]] = max(largest.get(name[-2:], 0.0), max(map(abs, column)))
    shared = [n for n in one if n in other and n[-2:] in KINDS]
    if not shared:
        return "no channel in common"
    for name in shared:
        a, b = one[name][::every], other[name]
        n = min(len(a), len(b))
        for k in range(n):
            if a[k] != b[k]:
                d = abs(a[k] - b[k]) / (largest[name[-2:]] or 1.0)
                if not d <= worst:
                    worst, where = d, (name, k)
    return None if worst <= tolerance else f"{where[0]} differs by {worst:.2g} in row {where[1]}"

def energy(rows):
    """Kinetic + stored + dissipated - work = error, to rounding."""
    need_ = ["energy." + w for w in ("kinetic", "stored", "dissipated", "work", "error")]
    if not rows or any(n not in rows for n in need_):
        return None
    T, V, D, W, E = (rows[n] for n in need_)
    size = max(max(map(abs, T)), max(map(abs, W)), 1e-30)
    for k in range(len(T)):
        balance = (T[k] - T[0]) + (V[k] - V[0]) + (D[k] - D[0]) - (W[k] - W[0])
        if not abs(abs(balance) - abs(E[k])) <= 1e-9 * size:
            return f"energies do not add up in row {k}: {balance:.4g}, error {E[k]:.4g}"
    return None

def build(base, names):
    c = Case(copy.deepcopy(BASES[base]()))
    for n in names:
        (CHANGES[n][1] if n in CHANGES else SETTINGS[n])(c)
        c.names.append(n)
    return c

NOT_HERE = (NotHere, KeyError, TypeError, IndexError, StopIteration)

def judge(bench, alone, base, names, ch):
    """One run, or None where it does not apply: its label and what happened."""
    try:
        case = build(base, [*names, ch] if ch else names)
    except NOT_HERE:
        return None
    label = f"{base} + {' + '.join(case.names) or 'nothing'}"
    before = alone(base, names)
    if ch and before["run"][0]:
        return None
    result = bench.run(case) if ch else before
    trouble = ends(result)
    if not trouble and result["rows"] and result["run"][0] == 0:
        trouble = energy(result["rows"])
        rough = max(max(map(abs, c)) for n, c in before["rows"].items() if n.endswith(".u")) > 1 if ch else False
        if not trouble and ch and not (rough and CHANGES[ch][0]):  # a motion that grows lets rounding grow
            trouble = differ(before["rows"], result["rows"], CHANGES[ch][0], case.every)
    if result["place"] and not trouble:
        shutil.rmtree(result["place"], ignore_errors=True)
    return label, f"VIOLATED: {trouble}   {result['file']}" if trouble else None

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("yoke", nargs="?", default="build/yoke")
    p.add_argument("--seconds", type=float, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--only", action="append", default=[])
    p.add_argument("--without", action="append", default=[])
    o = p.parse_args()
    folder = tempfile.mkdtemp(prefix="crossings-")
    bench = Bench(os.path.abspath(o.yoke), folder)
    end, seen = time.time() + o.seconds, {}

    def alone(base, names):
        if (base, *names) not in seen:
            seen[(base, *names)] = bench.run(build(base, names))
        return seen[(base, *names)]

    def wanted(words):
        named = [w for x in words for w in (x, *x.split())]
        return all(w in named for w in o.only) and not any(w in named for w in o.without)

    plain = [()] + [(s,) for s in SETTINGS] + (list(itertools.combinations(SETTINGS, 2)) if module else [])
    work = [(b, s) for b in BASES for s in plain]
    random.seed(o.seed)
    random.shuffle(work)
    changes = {w: random.sample(list(CHANGES), len(CHANGES) if len(w[1]) < 2 else 6) for w in work}
    counts = {"runs": 0, "violated": 0}

    def one(w):
        for ch in [None, *changes[w]]:
            if time.time() > end or not wanted((w[0], *w[1], ch or "alone")):
                continue
            answer = judge(bench, alone, *w, ch)
            if answer:
                counts["runs"] += 1
                if answer[1]:
                    counts["violated"] += 1
                    print(f"{answer[0]}: {answer[1]}", flush=True)
        seen.pop((w[0], *w[1]), None)

    with ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(one, work))
    print(f"{counts['runs']} runs, {counts['violated']} violated")
    if not counts["violated"]:
        shutil.rmtree(folder, ignore_errors=True)
    return 4 if counts["violated"] else 0

if __name__ == "__main__":
    sys.exit(main())
