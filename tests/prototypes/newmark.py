"""Couplings by velocity on linear and nonlinear scalar sides: GC, PM, modified PH and the state-space method.

Equations: docs/theory/couplings-newmark.md."""

import numpy as np
from numpy.linalg import inv, solve

from rosenbrock import exact, largest


class Side:
    """Newmark side: (20) to (22). `force`(t, u, v) is the net force p; K and C are tangents at rest."""

    def __init__(self, M, K, G, C=None, force=None, beta=0.25, gamma=0.5):
        self.M, self.K, self.G = np.atleast_2d(M).astype(float), np.atleast_2d(K).astype(float), np.atleast_2d(G)
        self.C = np.zeros_like(self.M) if C is None else np.atleast_2d(C).astype(float)
        self.beta, self.gamma, self.n = beta, gamma, len(self.M)
        self.force = force or (lambda t, u, v: -self.K @ u - self.C @ v)
        self.commit = lambda u, v: None
        self.kept = {}

    def Di(self, h):
        """Inverse of D(h), kept."""
        if h not in self.kept:
            self.kept[h] = inv(self.M + self.gamma * h * self.C + self.beta * h * h * self.K)
        return self.kept[h]

    def X(self, h):
        return self.Di(h) @ self.G.T

    def H(self, h):
        return self.gamma * h * self.G @ self.X(h)

    def free(self, s, t, h, mu=None):
        """From (u, v, a) at t over h; (20), (21)."""
        u, v, a = s
        up, vp = u + h * v + h * h * (0.5 - self.beta) * a, v + h * (1 - self.gamma) * a
        p = self.force(t + h, up, vp)
        if mu is not None:
            p = p + self.G.T @ mu
        af = self.Di(h) @ p
        return up + self.beta * h * h * af, vp + self.gamma * h * af, af

    def link(self, s, h, lam):
        """(22)"""
        x = self.X(h) @ lam
        return s[0] + self.beta * h * h * x, s[1] + self.gamma * h * x, s[2] + x


def start(A, B, a, b):
    """(23): consistent accelerations."""
    H0 = sum(s.G @ inv(s.M) @ s.G.T for s in (A, B))
    pa, pb = A.force(0.0, *a), B.force(0.0, *b)
    lam = -solve(H0, A.G @ solve(A.M, pa) + B.G @ solve(B.M, pb))
    return (*a, solve(A.M, pa + A.G.T @ lam)), (*b, solve(B.M, pb + B.G.T @ lam)), lam


def gc_like(A, B, a, b, dt, ss, steps, parallel):
    """GC (25) or PM (26); instants and the link displacements of both sides at coarse instants."""
    h = dt / ss
    a, b, lam = start(A, B, a, b)
    out, links = [(a, b, lam)], []
    kept = A.free(a, 0.0, dt)
    reach = dt
    last_w1, last_reach = None, None
    for n in range(steps):
        t = n * dt
        if parallel:
            reach = dt if n == 0 else 2 * dt
            af = kept
            ahead = A.free(a, t, 2 * dt)
        else:
            af = A.free(a, t, dt)
        w1 = A.G @ af[1]
        w0 = A.G @ a[1] - A.H(reach) @ lam
        Hi = inv(A.H(reach) + B.H(h))
        for j in range(1, ss + 1):
            bf = B.free(b, t + (j - 1) * h, h)
            x = j / ss
            lam = -Hi @ ((1 - x) * w0 + x * w1 + B.G @ bf[1])
            b = B.link(bf, h, lam)
            B.commit(b[0], b[1])
        xa, xb = A.X(reach) @ lam, B.X(h) @ lam
        links.append((A.beta * reach**2 * xa, B.beta * h**2 * xb))
        a = A.link(af, reach, lam)
        A.commit(a[0], a[1])
        if parallel:
            kept = ahead
        out.append((a, b, lam))
    return out, links


def mph(A, B, a, b, dt, ss, steps, load=None):
    """Modified PH (27); with `load`, f_A(t), PH (28)."""
    h = dt / ss
    Y = (np.zeros_like(B.G.T), ) * 3
    linear = Side(B.M, B.K, B.G, B.C, beta=B.beta, gamma=B.gamma)
    for j in range(1, ss + 1):
        Y = tuple(np.array([linear.free((Y[0][:, c], Y[1][:, c], Y[2][:, c]), 0.0, h,
                                        np.eye(Y[0].shape[1])[c] * j / ss)[k] for c in range(Y[0].shape[1])]).T
                  for k in range(3))
    H = A.H(dt) + B.G @ Y[1]
    a, b, lam = start(A, B, a, b)
    out, links = [(a, b, lam)], []
    for k in range(steps):
        t = k * dt
        af, bf = A.free(a, t, dt), b
        for j in range(1, ss + 1):
            x, mu = j / ss, 0.0
            if load:
                mu = -solve(A.G @ A.G.T, A.G @ (load(t + x * dt) - (1 - x) * load(t) - x * load(t + dt)))
            bf = B.free(bf, t + (j - 1) * h, h, (1 - x) * lam + mu)
        lam = -solve(H, A.G @ af[1] + B.G @ bf[1])
        links.append((A.beta * dt**2 * A.X(dt) @ lam, Y[0] @ lam))
        a = A.link(af, dt, lam)
        b = tuple(f + y @ lam for f, y in zip(bf, Y))
        A.commit(a[0], a[1])
        B.commit(b[0], b[1])
        out.append((a, b, lam))
    return out, links


def ph_against_mph(amplitude, dt=0.1, ss=10, steps=20):
    """Largest difference of the displacements of B over their peak: split mass, amplitude sin 2t on A, u(0) = v(0) = 1."""
    load = lambda t: np.array([amplitude * np.sin(2 * t)])
    A, B = Side(0.5, 0.5, [[1.0]], force=lambda t, u, v: load(t) - 0.5 * u), Side(0.5, 0.5, [[-1.0]])
    one = (np.ones(1), np.ones(1))
    ph, other = (np.array([b[0][0] for _, b, _ in mph(A, B, one, one, dt, ss, steps, f)[0]]) for f in (load, None))
    return np.abs(ph - other).max() / np.abs(other).max()


def run(method, A, B, a, b, dt, ss, steps):
    if method == "mph":
        return mph(A, B, a, b, dt, ss, steps)
    return gc_like(A, B, a, b, dt, ss, steps, method == "pm")


# ---- state-space method ----


class StateSide:
    """(31) to (34)"""

    def __init__(self, M, K, G, rho, C=None, force=None):
        self.M, self.K, self.G = np.atleast_2d(M).astype(float), np.atleast_2d(K).astype(float), np.atleast_2d(G)
        self.C = np.zeros_like(self.M) if C is None else np.atleast_2d(C).astype(float)
        self.am, self.af = (3 * rho - 1) / (2 * (rho + 1)), rho / (rho + 1)
        self.g = 0.5 - self.am + self.af
        self.theta = self.g * (1 - self.af) / (1 - self.am)
        self.n, self.kept = len(self.M), {}
        self.force = force or (lambda t, u, v: -self.K @ u - self.C @ v)

    def free(self, s, t, h, mu):
        Y, dY, V = s
        q = (self.af * dY - self.am * V) / (1 - self.am)
        Yp = Y + h * (1 - self.g) * V + h * self.g * q
        up, vp = Yp[:self.n], Yp[self.n:]
        right = np.concatenate([vp, self.force(t + h, up, vp) + self.G.T @ mu])
        return self.finish(Yp, q, right, h)

    def finish(self, Yp, q, right, h):
        one, th = np.eye(self.n), self.theta * h
        if h not in self.kept:
            self.kept[h] = inv(np.block([[one, -th * one], [th * self.K, self.M + th * self.C]]))
        dY = self.kept[h] @ right
        return Yp + th * dY, dY, q + (1 - self.af) / (1 - self.am) * dY

    def unit(self, h):
        """One step from zero under unit multipliers."""
        cols = [self.finish(np.zeros(2 * self.n), np.zeros(2 * self.n), np.concatenate([np.zeros(self.n), g]), h)
                for g in self.G]
        return [np.array([c[k] for c in cols]).T for k in range(3)]


def state_space(A, B, a, b, dt, ss, steps, link="ramp"):
    """(35) to (38); a, b: (u, v)."""
    h, rows = dt / ss, len(A.G)
    LA = A.unit(dt)
    if link == "ramp":
        LB = [np.zeros((2 * B.n, rows))] * 3
        lin = StateSide(B.M, B.K, B.G, 1.0, B.C)
        lin.am, lin.af, lin.g, lin.theta = B.am, B.af, B.g, B.theta
        for j in range(1, ss + 1):
            cols = [lin.free([L[:, c] for L in LB], 0.0, h, np.eye(rows)[c] * j / ss) for c in range(rows)]
            LB = [np.array([c[k] for c in cols]).T for k in range(3)]
    else:
        LB = B.unit(h)
        if link == "printed-coarse":
            LB[0] = LB[0] * ss
    H = A.G @ LA[0][A.n:] + B.G @ LB[0][B.n:]
    H0 = sum(s.G @ inv(s.M) @ s.G.T for s in (A, B))
    pa, pb = A.force(0.0, *a), B.force(0.0, *b)
    lam = -solve(H0, A.G @ solve(A.M, pa) + B.G @ solve(B.M, pb))
    ra = np.concatenate([a[1], solve(A.M, pa + A.G.T @ lam)])
    rb = np.concatenate([b[1], solve(B.M, pb + B.G.T @ lam)])
    sa, sb = (np.concatenate(a), ra, ra), (np.concatenate(b), rb, rb)
    out = [(sa, sb, lam)]
    for n in range(steps):
        sa, sb, lam = state_step(A, B, sa, sb, lam, n * dt, dt, ss, LA, LB, H)
        out.append((sa, sb, lam))
    return out


def state_step(A, B, sa, sb, lam, t, dt, ss, LA, LB, H):
    h = dt / ss
    zero = np.zeros_like(lam)
    fa, fb = A.free(sa, t, dt, zero), sb
    for j in range(1, ss + 1):
        fb = B.free(fb, t + (j - 1) * h, h, (1 - j / ss) * lam if ss > 1 else zero)
    lam = -solve(H, A.G @ fa[0][A.n:] + B.G @ fb[0][B.n:])
    return tuple(f + L @ lam for f, L in zip(fa, LA)), tuple(f + L @ lam for f, L in zip(fb, LB)), lam


def split_matrix(b, rho, dt, ss, link="ramp"):
    """Amplification matrix of the state-space method on the split mass m_A/m_B = k_B/k_A = b, unit mass and stiffness."""
    A, B = StateSide(b / (1 + b), 1 / (1 + b), [[1.0]], rho), StateSide(1 / (1 + b), b / (1 + b), [[-1.0]], rho)
    h, LA = dt / ss, A.unit(dt)
    if link == "ramp":
        LB = [np.zeros((2, 1))] * 3
        for j in range(1, ss + 1):
            c = B.free([L[:, 0] for L in LB], 0.0, h, np.array([j / ss]))
            LB = [x.reshape(2, 1) for x in c]
    else:
        LB = B.unit(h)
        LB[0] = LB[0] * (ss if link == "printed-coarse" else 1)
    H = A.G @ LA[0][1:] + B.G @ LB[0][1:]
    e = np.eye(13)  # all unit states, side by side
    sa, sb, lam = state_step(A, B, (e[0:2], e[2:4], e[4:6]), (e[6:8], e[8:10], e[10:12]), e[12:], 0.0, dt, ss, LA, LB, H)
    return np.concatenate([*sa, *sb, lam])


def split_radius(b, rho, steps, ss=10, link="ramp"):
    """Largest radius over the steps."""
    return largest(lambda dt: np.abs(np.linalg.eigvals(split_matrix(b, rho, dt, ss, link))).max(), steps)


def split_errors(b, rho, dt, ss=10, link="ramp", end=2.0):
    """Errors of u_N and u_P at the end: sin 2t on P, u(0) = v(0) = 1."""
    A = StateSide(b / (1 + b), 1 / (1 + b), [[1.0]], rho)
    kP = b / (1 + b)
    B = StateSide(1 / (1 + b), kP, [[-1.0]], rho, force=lambda t, u, v: np.sin(2 * t) - kP * u)
    one = (np.ones(1), np.ones(1))
    sa, sb, _ = state_space(A, B, one, one, dt, ss, round(end / dt), link)[-1]
    u = exact(1.0, 1.0, end, amplitude=1.0)[0]
    return np.array([sa[0][0] - u, sb[0][0] - u])


def split_order(b, rho, dt=0.0125, halvings=4, **s):
    """Observed order of the larger of the two, from the last two halvings."""
    e = [np.abs(split_errors(b, rho, dt / 2**j, **s)).max() for j in (halvings - 1, halvings)]
    return np.log2(e[0] / e[1])
