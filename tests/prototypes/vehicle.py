"""Space frame of a light vehicle on four suspensions: beams, reduction by Craig and Bampton, responses, coupled runs.

Equations: docs/theory/frames.md ((2), (3), (5), (6)), reduction.md ((1) to (5), (12) to (17)), signals.md ((6), (10), (11)),
laws.md (6), couplings-newmark.md (section 3)."""

import functools

import numpy as np
from numpy.linalg import cholesky, eigh, inv, solve

import newmark

TUBE = dict(E=210e9, G=210e9 / 2.6, A=4.44e-4, I=1.01972e-7, J=1.51959e-7, rho=7800.0)
NODES = {"L0": (0.0, -0.35, 0), "L1": (0.4, -0.35, 0), "L2": (1.0, -0.35, 0), "L3": (1.6, -0.35, 0), "L4": (2.0, -0.35, 0),
         "l1": (0.4, -0.35, 0.45), "l2": (1.0, -0.35, 0.45), "l3": (1.6, -0.35, 0.45)}
NODES.update({("R" if k[0] == "L" else "r") + k[1]: (x, -y, z) for k, (x, y, z) in list(NODES.items())})
MEMBERS = [("L0 L1", 4), ("L1 L2", 6), ("L2 L3", 6), ("L3 L4", 4), ("R0 R1", 4), ("R1 R2", 6), ("R2 R3", 6), ("R3 R4", 4),
           ("L0 R0", 7), ("L1 R1", 7), ("L2 R2", 7), ("L3 R3", 7), ("L4 R4", 7), ("l1 l2", 6), ("l2 l3", 6), ("r1 r2", 6),
           ("r2 r3", 6), ("L1 l1", 4), ("L2 l2", 4), ("L3 l3", 4), ("R1 r1", 4), ("R2 r2", 4), ("R3 r3", 4), ("l1 r1", 7),
           ("l3 r3", 7)]
FIXED = [("L1", 0), ("L1", 1), ("L3", 1)]
MOUNTS = ("L1", "R1", "L3", "R3")


def beam(L, s=TUBE):
    """Stiffness and consistent mass of an Euler-Bernoulli beam in its own axes, (u, v, w, rx, ry, rz) at both ends."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    two = np.array([[1, -1], [-1, 1]])
    for dof, k, m in ((0, s["E"] * s["A"], s["rho"] * s["A"]), (3, s["G"] * s["J"], s["rho"] * 2 * s["I"])):
        at = np.ix_([dof, dof + 6], [dof, dof + 6])
        K[at], M[at] = k / L * two, m * L / 6 * np.array([[2, 1], [1, 2]])
    x, w = np.polynomial.legendre.leggauss(4)
    x, w = (x + 1) / 2, w / 2
    N = np.array([1 - 3 * x**2 + 2 * x**3, L * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, L * (x**3 - x**2)])
    curve = np.array([12 * x - 6, L * (6 * x - 4), 6 - 12 * x, L * (6 * x - 2)]) / L**2
    mass, stiffness = s["rho"] * s["A"] * L * (N * w) @ N.T, s["E"] * s["I"] * L * (curve * w) @ curve.T
    for dofs, sign in (([1, 5, 7, 11], 1), ([2, 4, 8, 10], -1)):  # a positive ry lowers w
        turn = np.diag([1, sign, 1, sign])
        at = np.ix_(dofs, dofs)
        K[at], M[at] = turn @ stiffness @ turn, turn @ mass @ turn
    return K, M


@functools.lru_cache(None)
def frame():
    """M, K and the places of the mounts."""
    points = {k: np.array(v, float) for k, v in NODES.items()}
    pieces = []
    for ends, parts in MEMBERS:
        a, b = ends.split()
        line = [a] + [f"{a}{b}{i}" for i in range(1, parts)] + [b]
        for i in range(1, parts):
            points[line[i]] = points[a] + (points[b] - points[a]) * i / parts
        pieces += list(zip(line, line[1:]))
    place = {name: 6 * i for i, name in enumerate(points)}
    M, K = np.zeros((2, 6 * len(points), 6 * len(points)))
    for a, b in pieces:
        d = points[b] - points[a]
        L = np.sqrt(d @ d)
        x = d / L
        z = np.array([0, 0, 1.0]) if abs(x[2]) < 0.9 else np.array([0, 1.0, 0])
        y = np.cross(z, x)
        T = np.kron(np.eye(4), np.array([x, y, np.cross(x, y)]))
        k, m = beam(L)
        dofs = np.r_[place[a]:place[a] + 6, place[b]:place[b] + 6]
        K[np.ix_(dofs, dofs)] += T.T @ k @ T
        M[np.ix_(dofs, dofs)] += T.T @ m @ T
    held = {place[name] + i for name, i in FIXED}
    kept = [i for i in range(len(M)) if i not in held]
    return M[np.ix_(kept, kept)], K[np.ix_(kept, kept)], [kept.index(place[name] + 2) for name in MOUNTS]


def modes(M, K):
    """w2 rising and shapes of unit modal mass."""
    Li = inv(cholesky(M))
    w2, Q = eigh(Li @ K @ Li.T)
    return w2, Li.T @ Q


@functools.lru_cache(None)
def full_modes():
    return modes(*frame()[:2])


@functools.lru_cache(None)
def held_modes():
    """w2 and shapes of the interior, static shapes of the mounts."""
    M, K, b = frame()
    i = [j for j in range(len(M)) if j not in b]
    w2, Phi = modes(M[np.ix_(i, i)], K[np.ix_(i, i)])
    return i, w2, Phi, -solve(K[np.ix_(i, i)], K[np.ix_(i, b)])


@functools.lru_cache(None)
def reduced(count=30):
    """T and the reduced M, K; mounts last."""
    M, K, b = frame()
    i, _, Phi, Psi = held_modes()
    T = np.zeros((len(M), count + 4))
    T[i, :count], T[i, count:] = Phi[:, :count], Psi
    T[b, range(count, count + 4)] = 1
    return T, T.T @ M @ T, T.T @ K @ T


def hertz(w2):
    return np.sqrt(np.abs(w2)) / (2 * np.pi)


def elastic(w2, V, count=20):
    """The first modes that bend: frequencies above 1 Hz, and their shapes."""
    first = np.argmax(hertz(w2) > 1.0)
    return hertz(w2)[first:first + count], V[:, first:first + count]


def frequencies(count=None):
    """Elastic frequencies of the full frame, or of the reduced one."""
    return elastic(*(full_modes() if count is None else modes(*reduced(count)[1:])))[0]


def held_frequency(rank):
    return hertz(held_modes()[1])[rank - 1]


def frequency_nmse():
    f, r = frequencies(), frequencies(30)
    return np.sum((r - f)**2) / np.sum(f**2)


def least_mac(count):
    """(12): smallest on the diagonal, up to the last held mode that is kept."""
    f, B = elastic(*full_modes())
    T, M, K = reduced(count)
    r, A = elastic(*modes(M, K))
    A = T @ A
    good = [j for j in range(20) if f[j] <= held_frequency(count)]
    return min((A[:, j] @ B[:, j])**2 / (A[:, j] @ A[:, j]) / (B[:, j] @ B[:, j]) for j in good)


def largest_mac_elsewhere(count=None):
    """(12) off the diagonal: of the reduced frame against the full one, or of the full one against itself."""
    f, B = elastic(*full_modes())
    A = B
    if count is not None:
        T, M, K = reduced(count)
        A = T @ elastic(*modes(M, K))[1]
    mac = (A.T @ B)**2 / np.outer(np.sum(A * A, 0), np.sum(B * B, 0))
    return np.max(mac - np.diag(np.diag(mac)))


# ---- suspensions: road, spring and saturating damper on a mass of 0.16 kg at each mount ----

MASS, SPRING, C1, C2, C3 = 0.160, 35.0, 0.65, 10.0, 0.55
SINES = [(2, 1.7267651900612389), (5, 2.1924762002227034), (9, 1.8243919308925731), (14, 2.3216588915546104),
         (23, 0.19291356613865226), (37, 2.4686270386935694)]


def phases(seed, lines=200):
    out, s = [], seed
    for _ in range(lines):
        s = (1664525 * s + 1013904223) % 2**32
        out.append(s / 2**32)
    return np.array(out)


PHASES = np.array([phases(seed) for seed in (1, 2, 3, 4)])


@functools.lru_cache(None)
def noise(t):
    """Four noises of unit rms up to 200 Hz and their rates, 200 lines."""
    w = 2 * np.pi * np.arange(1.0, 201)
    angle = w * t + 2 * np.pi * PHASES
    return 0.1 * np.cos(angle).sum(axis=1), -0.1 * (w * np.sin(angle)).sum(axis=1)


@functools.lru_cache(None)
def road(t):
    """Displacement and rate of the four roads; they rise over 50 ms."""
    n, rate = noise(t)
    z, dz = 1e-4 * n, 1e-4 * rate
    for f, phase in SINES:
        z = z + 1e-3 * np.sin(2 * np.pi * f * t + phase)
        dz = dz + 2e-3 * np.pi * f * np.cos(2 * np.pi * f * t + phase)
    return (t / 0.05 * z, (z + t * dz) / 0.05) if t < 0.05 else (z, dz)


def suspension(t, u, v):
    """Net force on the masses, and stiffness and damping of it."""
    z, dz = road(t)
    w = v - dz
    c = C3 + np.abs(w)
    return -SPRING * (u - z) - C1 * w - C2 * w / c, np.full(4, SPRING), C1 + C2 * C3 / c**2


def rayleigh(w2, ratio=0.01, a=20.0, b=200.0):
    """Damping of the modes."""
    a, b = 2 * np.pi * a, 2 * np.pi * b
    return 2 * ratio * (a * b + w2) / (a + b)


def march(w2, Vb, h, end, mass, force):
    """(14) to (17) in modes: displacements of the mounts under `force`(t, u, v), which says its slopes too, on masses there."""
    c, u, v = rayleigh(w2), np.zeros(len(w2)), np.zeros(len(w2))

    def balance(t, uf, vf, af, A, b1, b2):
        """Accelerations: free ones plus what the forces of the mounts add."""
        Z = (Vb / A) @ Vb.T
        ub, vb, ab0 = Vb @ uf, Vb @ vf, Vb @ af
        ab = ab0
        for _ in range(20):
            p, k, s = force(t, ub + b2 * (ab - ab0), vb + b1 * (ab - ab0))
            g = p - mass * ab
            left = ab0 + Z @ g - ab
            ab = ab + solve(np.eye(4) + Z @ np.diag(mass + b1 * s + b2 * k), left)
            if np.abs(left).max() < 1e-12 * (1 + np.abs(ab).max()):
                break
        return af + (Vb.T @ g) / A

    a = balance(0.0, u, v, np.zeros(len(w2)), np.ones(len(w2)), 0.0, 0.0)
    A, out = 1 + h / 2 * c + h * h / 4 * w2, [Vb @ u]
    for k in range(1, round(end / h) + 1):
        up, vp = u + h * v + h * h / 4 * a, v + h / 2 * a
        af = -(c * vp + w2 * up) / A
        a = balance(k * h, up + h * h / 4 * af, vp + h / 2 * af, af, A, h / 2, h * h / 4)
        u, v = up + h * h / 4 * a, vp + h / 2 * a
        out.append(Vb @ u)
    return np.array(out)


def mount_modes(count=None):
    """w2 of all modes and what they are at the mounts."""
    if count is None:
        w2, V = full_modes()
        return w2, V[frame()[2]]
    w2, V = modes(*reduced(count)[1:])
    return w2, V[-4:]


def response_nmse():
    """(13): the free frame under noise of 1 N on each mount."""
    force = lambda t, u, v: (noise(t)[0], np.zeros(4), np.zeros(4))
    x, r = (march(*mount_modes(n), 1e-3, 1.0, 0.0, force) for n in (None, 30))
    return np.mean((x - r)**2) / np.mean(x**2)


def untorn(h=1e-4):
    """First mount at 1 s, reduced vehicle in one piece."""
    return march(*mount_modes(30), h, 1.0, MASS, suspension)[-1, 0]


def partitioned(rho, ss):
    """The same with the state-space coupling of frame (A) and suspensions (B), steps of 1 ms."""
    _, M, K = reduced(30)
    a, b = 40 * np.pi, 400 * np.pi
    C = 0.02 / (a + b) * (a * b * M + K)
    G = np.zeros((4, 34))
    G[:, 30:] = np.eye(4)
    A = newmark.StateSide(M, K, G, rho, C=C)
    rest, one = np.zeros(4), np.eye(4)
    B = newmark.StateSide(MASS * one, SPRING * one, -one, rho, C=(C1 + C2 / C3) * one,  # tangents at rest
                          force=lambda t, u, v: suspension(t, u, v)[0])
    run = newmark.state_space(A, B, (np.zeros(34), np.zeros(34)), (rest, rest), 1e-3, ss, 1000)
    return run[-1][0][0][30]
