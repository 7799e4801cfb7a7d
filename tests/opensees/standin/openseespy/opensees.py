"""Stands in for the commands of OpenSeesPy that the scripts of examples/opensees call; it knows springs in one direction,
explicit Newmark steps and genericClient, and nothing else. Like OpenSees, `analyze` commits what it computes."""
import copy
import os
import signal

import wire

S = {}


def wipe(*a):
    for client in S.get("clients", {}).values():
        client.die()
    S.clear()
    S.update(nodes={}, fixed=set(), mass={}, material={}, springs=[], clients={}, sp={}, t=0.0, saved={}, a={})


def node(tag, *coordinates): S["nodes"][tag] = [0.0, 0.0]  # displacement, velocity
def fix(tag, held): S["fixed"].add(tag)
def mass(tag, m): S["mass"][tag] = m


def uniaxialMaterial(kind, tag, stiffness, limit=None):
    assert (kind == "ElasticPP") == (limit is not None)
    S["material"][tag] = (stiffness, limit)


def element(kind, tag, *rest):
    if kind == "zeroLength":
        i, j, word, material, direction, one = rest
        assert (word, direction, one) == ("-mat", "-dir", 1)
        k, limit = S["material"][material]
        S["springs"].append({"i": i, "j": j, "k": k, "limit": limit, "plastic": 0.0})
    elif kind == "genericClient":
        assert rest[0] == "-node" and rest[2:5] == ("-dof", 1, "-server") and rest[6] == "127.0.0.1"
        S["clients"][rest[1]] = wire.GenericClient(rest[5])
        S["mass"][rest[1]] += S["clients"][rest[1]].ask(wire.MASS)[0]  # OpenSees adds the mass of the element, too
    else:
        raise NotImplementedError(kind)


def ignore(*a): pass


model = timeSeries = constraints = numberer = system = test = algorithm = database = reactions = ignore
def integrator(kind, *a): S["integrator"] = kind
def analysis(kind): S["analysis"] = kind
def setNodeVel(tag, dof, v, commit): S["nodes"][tag][1] = v
def nodeDisp(tag, dof): return S["nodes"][tag][0]
def remove(what, tag): S["sp"] = {}
def pattern(*a): assert not S["sp"]
def sp(tag, dof, value): S["sp"][tag] = value


def resist():
    """Forces of the springs on the nodes, from their committed states; and the new plastic parts."""
    forces, plastic = {}, []
    for s in S["springs"]:
        d = S["nodes"][s["j"]][0] - S["nodes"][s["i"]][0]
        f, p = s["k"] * (d - s["plastic"]), s["plastic"]
        if s["limit"] is not None and abs(f) > s["k"] * s["limit"]:
            p = d - s["limit"] * (1 if f > 0 else -1)
            f = s["k"] * (d - p)
        plastic.append(p)
        forces[s["j"]] = forces.get(s["j"], 0.0) + f
        forces[s["i"]] = forces.get(s["i"], 0.0) - f
    return forces, plastic


def analyze(steps, dt=None):
    assert steps == 1
    if S["analysis"] == "Freed":
        os.kill(os.getpid(), signal.SIGSEGV)
    if S["analysis"] == "Static":
        for tag, value in S["sp"].items():
            S["nodes"][tag][0] = value
        S["forces"], plastic = resist()
    else:
        assert S["integrator"] == "NewmarkExplicit"
        free = sorted(S["mass"])
        S["t"] += dt
        for tag in free:
            a = S["a"].get(tag, 0.0)
            S["nodes"][tag][0] += dt * S["nodes"][tag][1] + dt * dt / 2 * a
            S["nodes"][tag][1] += dt / 2 * a
        S["forces"], plastic = resist()
        for tag, client in S["clients"].items():  # as a real one was seen to do: 3, 14, 3, 14, 10 and 5 in a step
            for _ in (1, 2):
                client.trial([S["nodes"][tag][0]], [S["nodes"][tag][1]], [S["a"].get(tag, 0.0)], S["t"])
                client.ask(wire.DAMP)
            S["forces"][tag] = S["forces"].get(tag, 0.0) + client.force()[0]
            client.commit()
        for tag in free:
            S["a"][tag] = -S["forces"].get(tag, 0.0) / S["mass"][tag]
            S["nodes"][tag][1] += dt / 2 * S["a"][tag]
    for s, p in zip(S["springs"], plastic):
        s["plastic"] = p
    return 0


def nodeReaction(tag, dof): return S["forces"][tag]
def save(tag): S["saved"][tag] = copy.deepcopy((S["nodes"], S["springs"]))
def wipeAnalysis(): S.pop("analysis")


def restore(tag):
    """The nodes are others than before: an analysis that was set up dies of it, as that of OpenSees 3.8.0 does."""
    S["nodes"], S["springs"] = copy.deepcopy(S["saved"][tag])
    if "analysis" in S:
        S["analysis"] = "Freed"
