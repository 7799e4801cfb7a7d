#!/usr/bin/env python3
"""Writes mass.mtx and stiffness.mtx of the bridge: deck and piers as Euler-Bernoulli beams, transverse motion.

Deck: 40 elements of 5 m (five spans of 40 m), held at both abutments but free to rotate there. Piers: two elements each,
clamped at the ground, hinged to the deck, under the deck's nodes 8, 16, 24 and 32.
Degrees of freedom: y and rz of the deck (y0 and y40 are held), then y and rz at mid-height of every pier: 88.
"""
import numpy as np

E = 34e9                                     # Pa, concrete
DECK = dict(length=5.0, inertia=40.0, mass=18e3)          # m, m^4, kg/m
PIER_INERTIA, PIER_MASS = 1.6, 12e3                       # m^4, kg/m
PIER_HEIGHTS = {8: 14.0, 16: 21.0, 24: 18.0, 32: 11.0}    # m, by deck node


def beam(length, inertia, mass):
    """Stiffness and consistent mass of a beam element; y1, rz1, y2, rz2."""
    L = length
    k = E * inertia / L**3 * np.array(
        [[12, 6*L, -12, 6*L], [6*L, 4*L*L, -6*L, 2*L*L], [-12, -6*L, 12, -6*L], [6*L, 2*L*L, -6*L, 4*L*L]])
    m = mass * L / 420 * np.array(
        [[156, 22*L, 54, -13*L], [22*L, 4*L*L, 13*L, -3*L*L], [54, 13*L, 156, -22*L], [-13*L, -3*L*L, -22*L, 4*L*L]])
    return k, m


def release_last_rotation(k, m):
    """A hinge at the second end: the rotation there carries no moment and is condensed out (as in statics)."""
    T = np.vstack([np.eye(3), -k[3, :3] / k[3, 3]])
    return T.T @ k @ T, T.T @ m @ T


names = [f"{q}{i}" for i in range(41) for q in ("y", "rz") if (q, i) not in (("y", 0), ("y", 40))]
names += [f"{q}_pier{i}" for i in range(1, 5) for q in ("y", "rz")]
at = {name: i for i, name in enumerate(names)}
n = len(names)
K, M = np.zeros((n, n)), np.zeros((n, n))


def add(dofs, k, m):
    free = [(a, at[d]) for a, d in enumerate(dofs) if d in at]
    for a, i in free:
        for b, j in free:
            K[i, j] += k[a, b]
            M[i, j] += m[a, b]


for e in range(40):
    add([f"y{e}", f"rz{e}", f"y{e+1}", f"rz{e+1}"], *beam(**DECK))
for p, (node, height) in enumerate(PIER_HEIGHTS.items(), 1):
    half = beam(height / 2, PIER_INERTIA, PIER_MASS)
    add(["-", "-", f"y_pier{p}", f"rz_pier{p}"], *half)
    add([f"y_pier{p}", f"rz_pier{p}", f"y{node}"], *release_last_rotation(*half))


def write(path, A):
    lower = [(i, j) for j in range(n) for i in range(j, n) if A[i, j] != 0]
    with open(path, "w") as f:
        f.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {len(lower)}\n")
        for i, j in lower:
            f.write(f"{i + 1} {j + 1} {(A[i, j] + A[j, i]) / 2:.17g}\n")


if __name__ == "__main__":
    write("mass.mtx", M)
    write("stiffness.mtx", K)
    print(n, "degrees of freedom:", ", ".join(names))
