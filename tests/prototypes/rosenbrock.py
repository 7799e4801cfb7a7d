"""Rosenbrock couplings of two linear sides: cycles of unit states, runs, gaps and errors.

Equations: docs/theory/couplings.md, in the full form with 2n unknowns (5) to (7), not the folded one (8)."""

import numpy as np
from numpy.linalg import inv, solve

GM, GP = 1 - np.sqrt(2) / 2, 1 + np.sqrt(2) / 2


class Side:
    """One side: (5). `load`: f(t) of its degrees of freedom."""

    def __init__(self, M, K, G, C=None, load=None):
        self.M, self.K, self.G = np.atleast_2d(M).astype(float), np.atleast_2d(K).astype(float), np.atleast_2d(G)
        self.n = len(self.M)
        self.C = np.zeros_like(self.M) if C is None else np.atleast_2d(C).astype(float)
        self.loaded = load is not None
        self.load = load or (lambda t: np.zeros(self.n))
        self.Mi = inv(self.M)
        Z, one = np.zeros_like(self.M), np.eye(self.n)
        self.J = np.block([[Z, one], [-self.Mi @ self.K, -self.Mi @ self.C]])
        self.B = np.vstack([np.zeros_like(self.G.T), self.Mi @ self.G.T])
        self.H = self.G @ self.Mi @ self.G.T

    def F(self, y, t):
        if not self.loaded:
            return self.J @ y
        return self.J @ y + np.concatenate([np.zeros(self.n), self.Mi @ self.load(t)])

    def q(self, y, t):
        return self.G @ self.F(y, t)[self.n:]

    def modified(self, H):
        """J with Q K and Q C, below (8)."""
        Q = np.eye(self.n) - self.G.T @ solve(H, self.G @ self.Mi)
        Z, one = np.zeros_like(self.M), np.eye(self.n)
        return np.block([[Z, one], [-self.Mi @ Q @ self.K, -self.Mi @ Q @ self.C]])


class Pair:
    """Both sides with their method. gamma: one number or (A, B)."""

    def __init__(self, A, B, method, dt, ss=1, gamma=GM, projection="all", jacobian="modified", variant="q", dual=False,
                 untorn=None):
        self.A, self.B, self.method, self.dt, self.ss = A, B, method, dt, ss
        self.gA, self.gB = gamma if isinstance(gamma, tuple) else (gamma, gamma)
        self.projection, self.variant, self.dual, self.untorn = projection, variant, dual, untorn
        self.H = A.H + B.H
        self.Hi, self.kept = inv(self.H), {}
        self.modified = method == "iplsrt2" and jacobian == "modified"

    # ---- what the methods are made of ----

    def lam(self, a, b, t):
        """(2)"""
        return -self.Hi @ (self.A.q(a, t) + self.B.q(b, t))

    def psi(self, a, b):
        """(13): acts on the rates of the displacements."""
        A, B = self.A, self.B
        return -solve(self.H, A.G @ a[A.n:] + B.G @ b[B.n:]) if self.dual else np.zeros(len(self.H))

    def slope(self, side, y, h, lam, t, k1=None, b2=1.0, psi=None):
        """(6), (7)"""
        gamma = self.gA if side is self.A else self.gB
        J, W = self.operators(side, gamma, h)
        right = side.F(y, t) + side.B @ lam
        if self.dual:
            right[:side.n] += side.Mi @ side.G.T @ psi
        if k1 is not None:
            right = right - gamma / b2 * J @ k1
        return h * W @ right

    def operators(self, side, gamma, h):
        """J and W of (6), kept."""
        key = (side is self.A, h)
        if key not in self.kept:
            J = side.modified(self.H) if self.modified else side.J
            self.kept[key] = J, inv(np.eye(2 * side.n) - gamma * h * J)
        return self.kept[key]

    def close(self, a, b):
        """(4): both states with projected velocities, and the impulse."""
        A, B = self.A, self.B
        phi = -solve(self.H, A.G @ a[A.n:] + B.G @ b[B.n:])
        return a + A.B @ phi, b + B.B @ phi, phi

    def fine(self, chord, b, t, steps):
        """Substeps of B along a chord of A, x from 0 to 1 over them."""
        d = self.dt / self.ss
        one_stage = self.method in ("assr1", "apsr1")
        for j in range(steps):
            a0, a1 = chord(j / steps), chord((j + 0.5) / steps)
            k1 = self.slope(self.B, b, d, self.lam(a0, b, t), t, psi=self.psi(a0, b))
            if one_stage:
                b = b + k1
            else:
                m = b + k1 / 2
                b = b + self.slope(self.B, m, d, self.lam(a1, m, t + d / 2), t + d / 2, k1, psi=self.psi(a1, m))
            t += d
        return b

    # ---- cycles: state in, state out ----

    def apnr2(self, a, b, t):
        """(10)"""
        h, l0, p0 = self.dt, self.lam(a, b, t), self.psi(a, b)
        ka, kb = self.slope(self.A, a, h, l0, t, psi=p0), self.slope(self.B, b, h, l0, t, psi=p0)
        am, bm = a + ka / 2, b + kb / 2
        l1, p1 = self.lam(am, bm, t + h / 2), self.psi(am, bm)
        return (a + self.slope(self.A, am, h, l1, t + h / 2, ka, psi=p1),
                b + self.slope(self.B, bm, h, l1, t + h / 2, kb, psi=p1))

    def cycle(self, s, t):
        h, method = self.dt, self.method
        if method in ("apnr1", "assr1"):
            a, b = s
            a1 = a + self.slope(self.A, a, h, self.lam(a, b, t), t, psi=self.psi(a, b))
            if method == "apnr1":
                return [a1, b + self.slope(self.B, b, h, self.lam(a, b, t), t, psi=self.psi(a, b))]
            return [a1, self.fine(lambda x: a + x * (a1 - a), b, t, self.ss)]
        if method == "apnr2" or (method == "assr2" and self.ss == 1):
            return list(self.apnr2(*s, t))
        if method == "assr2":  # (12)
            a, b = s
            k1 = self.slope(self.A, a, h, self.lam(a, b, t), t, psi=self.psi(a, b))
            am = a + k1 / 2
            b = self.fine(lambda x: a + x * (am - a), b, t, self.ss // 2)
            a1 = a + self.slope(self.A, am, h, self.lam(am, b, t + h / 2), t + h / 2, k1, psi=self.psi(am, b))
            return [a1, self.fine(lambda x: am + x * (a1 - am), b, t + h / 2, self.ss // 2)]
        if method == "apsr1":  # (14)
            a0, a1, b = s
            a2 = a0 + self.slope(self.A, a0, 2 * h, self.lam(a0, b, t), t)
            return [a1, a2, self.fine(lambda x: a0 + x * (a1 - a0), b, t, self.ss)]
        if method == "plsrt2":  # (15), t belongs to b
            a_2, b_2, a_1, b_1, a0, b0, a1 = s
            k1 = self.slope(self.A, a_2, 4 * h, self.lam(a_2, b_2, t - 2 * h), t - 2 * h)
            m = a_2 + k1 / 2
            a2 = a_2 + self.slope(self.A, m, 4 * h, self.lam(m, b0, t), t, k1)
            b1 = self.fine(lambda x: a0 + x * (a1 - a0), b0, t, self.ss)
            return [a_1, b_1, a0, b0, a1, b1, a2]
        if method == "iplsrt2":  # (16), two steps
            return self.two_steps(*s, t)[0]
        if method == "vpnr1":  # (17)
            a, b, L = s
            a1, b1, phi = self.close(a + self.slope(self.A, a, h, L, t), b + self.slope(self.B, b, h, L, t))
            return [a1, b1, L + 2 / h * phi]
        if method == "vpnr2":  # (18)
            a, b, L = s
            ka, kb = self.slope(self.A, a, h, L, t), self.slope(self.B, b, h, L, t)
            am, bm, p1 = self.close(a + ka / 2, b + kb / 2)
            Lm = L - p1 / h
            a1, b1, p2 = self.close(a + self.slope(self.A, am, h, Lm, t + h / 2, ka),
                                    b + self.slope(self.B, bm, h, Lm, t + h / 2, kb))
            return [a1, b1, (L if self.variant == "q" else Lm) + p2 / h]
        raise ValueError(method)

    def two_steps(self, a0, b0, a2, t):
        h = self.dt
        k1 = self.slope(self.A, a0, 4 * h, self.lam(a0, b0, t), t)
        m = a0 + k1 / 4
        b1 = self.fine(lambda x: a0 + x / 2 * (a2 - a0), b0, t, self.ss)
        mid = (a0 + a2) / 2
        if self.projection == "all":
            mid, b1, _ = self.close(mid, b1)
        a4 = a0 - k1 + 2 * self.slope(self.A, m, 4 * h, self.lam(m, b1, t + h), t + h, k1, b2=2.0)
        b2 = self.fine(lambda x: a0 + (1 + x) / 2 * (a2 - a0), b1, t + h, self.ss)
        if self.projection != "none":
            a2, b2, _ = self.close(a2, b2)
        return [a2, b2, a4], (mid, b1)

    # ---- amplification matrix ----

    def sizes(self):
        a, b, m = 2 * self.A.n, 2 * self.B.n, len(self.H)
        return {"apsr1": [a, a, b], "plsrt2": [a, b, a, b, a, b, a], "iplsrt2": [a, b, a], "vpnr1": [a, b, m],
                "vpnr2": [a, b, m]}.get(self.method, [a, b])

    def matrix(self):
        """One cycle of all unit states, side by side."""
        sizes = self.sizes()
        return np.concatenate(self.cycle(np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1]), 0.0))

    def moduli(self):
        return np.sort(np.abs(np.linalg.eigvals(self.matrix())))[::-1]

    # ---- runs ----

    def start(self, a, b):
        """State of the first cycle, with the instants made so far as [(a, b)]."""
        if self.method == "apsr1":
            a1 = a + self.slope(self.A, a, self.dt, self.lam(a, b, 0), 0)
            return [a, a1, b], [(a, b)]
        if self.method == "plsrt2":
            a1, b1 = self.apnr2(a, b, 0)
            a2, b2 = self.apnr2(a1, b1, self.dt)
            a3, _ = self.apnr2(a2, b2, 2 * self.dt)
            return [a, b, a1, b1, a2, b2, a3], [(a, b), (a1, b1), (a2, b2)]
        if self.method == "iplsrt2":
            return [a, b, self.untorn(a, b, self)], [(a, b)]
        if self.method in ("vpnr1", "vpnr2"):
            return [a, b, self.lam(a, b, 0)], [(a, b)]
        return [a, b], [(a, b)]

    def run(self, a, b, steps):
        """Instants 0 .. steps as arrays of the states of both sides."""
        s, made = self.start(np.array(a, float), np.array(b, float))
        if not (self.A.loaded or self.B.loaded or self.method == "iplsrt2"):
            return self.powers(s, made, steps)
        while len(made) <= steps:
            t = (len(made) - 1) * self.dt
            if self.method == "iplsrt2":
                s, middle = self.two_steps(*s, t)
                made += [middle, (s[0], s[1])]
                continue
            s = self.cycle(s, t)
            i, j = self.reached()
            made.append((s[i], s[j]))
        made, self.carried = made[:steps + 1], s[-1]  # vpnr1, vpnr2: the multiplier L
        return np.array([m[0] for m in made]), np.array([m[1] for m in made])

    def reached(self):
        """Which parts of the state are those of A and B at the last instant."""
        return {"apsr1": (0, 2), "plsrt2": (4, 5)}.get(self.method, (0, 1))

    def powers(self, s, made, steps):
        """The same by powers of the amplification matrix."""
        R, cuts, state = self.matrix(), np.cumsum([0] + self.sizes()), np.concatenate(s)
        rows = np.zeros((max(steps + 1 - len(made), 0), len(state)))
        for k in range(len(rows)):
            state = R @ state
            rows[k] = state
        self.carried = state[cuts[-2]:]
        return tuple(np.vstack([np.array([m[side] for m in made]), rows[:, cuts[part]:cuts[part + 1]]])[:steps + 1]
                     for side, part in zip((0, 1), self.reached()))


# ---- the split mass ----


def untorn_split(m, k):
    """A cr step of 2 dt of the whole mass gives a_2 (start of IPLSRT2)."""

    def step(a, b, pair):
        h = 2 * pair.dt
        w = -k * a[0] / (m + h * h / 4 * k)
        v = a[1] + h * w
        return np.array([a[0] + h * v, v])

    return step


def split(b, method, dt, m=1.0, k=1.0, load=None, **s):
    """m_A/m_B = k_B/k_A = b; `load`: (side, f(t))."""
    f = {"A": None, "B": None}
    if load:
        f[load[0]] = lambda t: np.array([load[1](t)])
    A = Side(m * b / (1 + b), k / (1 + b), [[1.0]], load=f["A"])
    B = Side(m / (1 + b), s.pop("kB", k * b / (1 + b)), [[-1.0]], load=f["B"])
    return Pair(A, B, method, dt, untorn=untorn_split(m, k), **s)


def modulus(b, method, omega, rank, **s):
    return split(b, method, omega, **s).moduli()[rank - 1]


def radius(b, method, omega, **s):
    return modulus(b, method, omega, 1, **s)


def largest(f, steps):
    """The largest value of f over the steps; peaks between them are refined by trisection, rounding is left alone."""
    r = [f(w) for w in steps]
    best = max(r)
    for i in range(1, len(r) - 1):
        by = r[i] - max(r[i - 1], r[i + 1])
        if by > 1e-4 or (by > 0 and r[i] == max(r) and abs(r[i] - 1) > 1e-4):
            left, right = steps[i - 1], steps[i + 1]
            while right - left > 1e-6 * right:
                x = [left + (right - left) / 3, right - (right - left) / 3]
                at = [f(w) for w in x]
                left, right = (x[0], right) if at[1] > at[0] else (left, x[1])
                best = max(best, *at)
    return best


def largest_radius(b, method, low, high, count, log=True, **s):
    return largest(lambda w: radius(b, method, w, **s), (np.geomspace if log else np.linspace)(low, high, count))


def limit(b, method, steps, scale=1.0, threshold=1e-7, **s):
    """First step at which the radius exceeds 1, bisected."""
    stable = 0.0
    for w in steps:
        if radius(b, method, w, **s) > 1 + threshold:
            low, high = stable, w
            while high - low > 1e-6 * high:
                mid = (low + high) / 2
                low, high = (low, mid) if radius(b, method, mid, **s) > 1 + threshold else (mid, high)
            return scale * (low + high) / 2
        stable = w
    return np.inf


def principal(b, method, omega, **s):
    """Eigenvalue nearest to exp(i omega)."""
    e = np.linalg.eigvals(split(b, method, omega, **s).matrix())
    return e[np.argmin(np.abs(e - np.exp(1j * omega)))]


def damping(b, method, omega, **s):
    z = principal(b, method, omega, **s)
    return -np.log(abs(z)) / abs(np.angle(z))


def frequency_error(b, method, omega, **s):
    return abs(np.angle(principal(b, method, omega, **s))) / omega - 1


def free(b, method, dt, u, v, steps, **s):
    """Free vibration from (u, v) on both sides."""
    return split(b, method, dt, **s).run([u, v], [u, v], steps)


def unit_roots(b, method, omega, **s):
    """Number of eigenvalues 1.

    A double root with one eigenvector is known to sqrt(rounding), 1.5e-8 times a small factor: some BLAS kernels give it
    exactly, others split it by 6e-9. Width: that of the program for defective roots. The next eigenvalue is 0.1 away."""
    return np.sum(np.abs(np.linalg.eigvals(split(b, method, omega, **s).matrix()) - 1) < 1e-6)


def gap(b, method, dt, u, v, t, which=0, **s):
    """u_A - u_B (which = 0) or v_A - v_B (1) at t."""
    a, c = free(b, method, dt, u, v, round(t / dt), **s)
    return a[-1, which] - c[-1, which]


def interface_work(b, method, dt, u, v, t, **s):
    """Work of the multiplier (2) in the gap u_A - u_B, by the trapezoidal rule over the steps."""
    pair = split(b, method, dt, **s)
    a, c = pair.run([u, v], [u, v], round(t / dt))
    lam = np.array([pair.lam(x, y, 0.0)[0] for x, y in zip(a, c)])
    return np.trapz(lam, a[:, 0] - c[:, 0])


def exact(u, v, t, m=1.0, k=1.0, amplitude=0.0, w=2.0):
    """(u, v) of m u'' + k u = amplitude sin(w t)."""
    o = np.sqrt(k / m)
    p = amplitude / (k - m * w * w)
    c = (v - p * w) / o
    return np.array([u * np.cos(o * t) + c * np.sin(o * t) + p * np.sin(w * t),
                     -u * o * np.sin(o * t) + c * o * np.cos(o * t) + p * w * np.cos(w * t)])


def largest_error(b, method, dt, u, v, t, m=1.0, k=1.0, **s):
    """Of the displacement of A in free vibration, over the peak of the exact one."""
    a, _ = free(b, method, dt, u, v, round(t / dt), m=m, k=k, **s)
    y = exact(u, v, np.arange(len(a)) * dt, m, k)[0]
    return np.abs(a[:, 0] - y).max() / np.abs(y).max()


def multiplier(b, y, f_A=0.0, f_B=0.0, m=1.0, k=1.0):
    """Exact multiplier of the split mass in the state y."""
    mA, kA = m * b / (1 + b), k / (1 + b)
    acc = (f_A + f_B - k * y[0]) / m
    return mA * acc + kA * y[0] - f_A


def error(b, method, dt, u, v, t, of="u", side=None, amplitude=0.0, on="B", m=1.0, k=1.0, **s):
    """Largest error at t over both sides, of u, v, the multiplier (2) or the one that is carried; `side`: signed error of A."""
    load = (on, lambda x: amplitude * np.sin(2 * x)) if amplitude else None
    pair = split(b, method, dt, m=m, k=k, load=load, **s)
    a, c = pair.run([u, v], [u, v], round(t / dt))
    y = exact(u, v, t, m, k, amplitude)
    if side == "A":
        return a[-1, 0] - y[0]
    if of in ("lambda", "carried"):
        f = amplitude * np.sin(2 * t)
        f_A, f_B = (f, 0) if on == "A" else (0, f)
        L = pair.lam(a[-1], c[-1], t)[0] if of == "lambda" else pair.carried[0]
        return abs(L - multiplier(b, y, f_A, f_B, m, k))
    i = {"u": 0, "v": 1}[of]
    return max(abs(a[-1, i] - y[i]), abs(c[-1, i] - y[i]))


def order(b, method, dt, u, v, t, halvings, **s):
    """Observed order from the last two halvings."""
    e = [error(b, method, dt / 2**j, u, v, t, **s) for j in (halvings - 1, halvings)]
    return np.log2(e[0] / e[1])


# ---- other linear structures ----


def pair(MA, KA, GA, MB, KB, GB, method, dt, CA=None, CB=None, **s):
    return Pair(Side(MA, KA, GA, CA), Side(MB, KB, GB, CB), method, dt, **s)


def drift(b, method, dt, u, v, t, which=0, **s):
    """Largest gap of displacements (0) or velocities (1) in a run."""
    a, c = free(b, method, dt, u, v, round(t / dt), **s)
    return np.abs(a[:, which] - c[:, which]).max()
