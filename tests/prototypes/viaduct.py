"""One pier below a deck mass, torn at the node between them: links and displacements of PM and modified PH.

Equations: docs/theory/couplings-newmark.md (section 2 and (29), (39)), laws.md ((9), (10))."""

import numpy as np

import newmark

DT, DECK, TOP, KP, KB = 1 / 1024, 8.9184, 8.9184e-12, 221.44234002636173, 6438.214593926441
STIFF_DECK = 8.9184 * (2 * np.pi)**2  # 1 Hz


def sines(t):
    return sum(a * np.sin(2 * np.pi * f * t) for a, f in ((0.5, 1.2), (0.3, 2.7), (0.1, 9.0)))


def growing(t):
    """Growing sine, in straight lines between the samples of the record."""
    at = lambda i: 2 * np.sin(2 * np.pi * 1.2 * i / 1024) * min(1, i / 1024)
    i = np.floor(t * 1024 + 1e-9)
    w = t * 1024 - i
    return (1 - w) * at(i) + w * at(i + 1)


class Bilinear:
    """(10)"""

    def __init__(self, k, hardening, slip):
        self.k, self.a, self.slip, self.d, self.z = k, hardening, slip, 0.0, 0.0

    def at(self, d):
        return min(max(self.z + d - self.d, -self.slip), self.slip)

    def force(self, d):
        return self.a * self.k * d + (1 - self.a) * self.k * self.at(d)

    def commit(self, d):
        self.d, self.z = d, self.at(d)


class Softening:
    """(9) with rho = n = 1, gamma = 0, by Runge-Kutta steps in d."""

    def __init__(self, k, alpha, beta):
        self.k, self.alpha, self.beta, self.d, self.r = k, alpha, beta, 0.0, 0.0

    def force(self, d, parts=4):
        way = (d - self.d) / parts
        slope = lambda x, r: self.k / (1 + self.alpha * x * x) - self.beta * (abs(r) if r * way > 0 else -abs(r))
        x, r = self.d, self.r
        for _ in range(parts):
            k1 = slope(x, r)
            k2 = slope(x + way / 2, r + way / 2 * k1)
            k3 = slope(x + way / 2, r + way / 2 * k2)
            k4 = slope(x + way, r + way * k3)
            x, r = x + way, r + way / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return r

    def commit(self, d):
        self.d, self.r = d, self.force(d)


def sides(fraction, kind):
    """Deck (A) and pier (B) with a share of the deck's mass."""
    mA, mB = (1 - fraction) * DECK, TOP + fraction * DECK
    ground, kA = (sines, STIFF_DECK) if kind == "linear" else (growing, 0.3 * STIFF_DECK)
    A = newmark.Side(mA, kA, [[1.0]], force=lambda t, u, v: -mA * ground(t) - kA * u)
    if kind == "softening":  # as built: the pier alone
        law, m = Softening(KP, 200.0, 20.0), 1 + mB
        B = newmark.Side(m, KP, [[-1.0]], force=lambda t, u, v: np.array([-m * ground(t) - law.force(u[0])]))
        B.commit = lambda u, v: law.commit(u[0])
        return A, B
    M, K = np.diag([1.0, mB]), np.array([[KP + KB, -KB], [-KB, KB]])  # pier, node above the bearing
    inertia = M @ np.ones(2)
    if kind == "linear":
        return A, newmark.Side(M, K, [[0.0, -1.0]], force=lambda t, u, v: -inertia * ground(t) - K @ u)
    law = Bilinear(KB, 0.02, 0.002)

    def force(t, u, v):
        f = law.force(u[1] - u[0])
        return -inertia * ground(t) - np.array([KP * u[0] - f, f])

    B = newmark.Side(M, K, [[0.0, -1.0]], force=force)
    B.commit = lambda u, v: law.commit(u[1] - u[0])
    return A, B


def run(method, fraction, kind="linear", ss=1, end=1.0, dt=DT):
    A, B = sides(fraction, kind)
    rest = lambda s: (np.zeros(s.n), np.zeros(s.n))
    return newmark.run(method, A, B, rest(A), rest(B), dt, ss, round(end / dt))


def link(method, fraction, side, ss=1, end=1.0):
    """Largest displacement that the multiplier adds to the node at a step; of the deck without the first step."""
    links = run(method, fraction, ss=ss, end=end)[1]
    return max(abs(x[0][-1]) for x in links[1:]) if side == "deck" else max(abs(x[1][-1]) for x in links)


def node(method, kind):
    """Displacement of the node on the pier after 2 s."""
    return run(method, 0.05, kind, end=2.0)[0][-1][1][0][-1]


def order(method, fraction, ss, dt=0.015625, end=0.5, halvings=3):
    """Observed order of the largest error at the end, from the last two halvings."""
    errors = []
    for j in (halvings - 1, halvings):
        (a, b, _) = run(method, fraction, ss=ss, end=end, dt=dt / 2**j)[0][-1]
        errors.append(max(np.abs(a[0] - reference(end)[1]).max(), np.abs(b[0] - reference(end)).max()))
    return np.log2(errors[0] / errors[1])


def reference(end, kept={}):
    """Pier and deck of the untorn linear structure: modes, each answering to the sines in closed form."""
    if end not in kept:
        M, K = np.array([1.0, TOP + DECK]), np.array([[KP + KB, -KB], [-KB, KB + STIFF_DECK]])
        w2, V = np.linalg.eigh(K / np.sqrt(np.outer(M, M)))
        V = V / np.sqrt(M)[:, None]
        q = np.zeros(2)
        for a, f in ((0.5, 1.2), (0.3, 2.7), (0.1, 9.0)):
            W, w = 2 * np.pi * f, np.sqrt(w2)
            p = -a * (V.T @ M) / (w2 - W * W)
            q += p * (np.sin(W * end) - W / w * np.sin(w * end))
        kept[end] = V @ q
    return kept[end]
