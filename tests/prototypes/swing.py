"""Rosenbrock couplings of a linear platform (A) with the rest of a spring-pendulum (B), whose mass depends on its configuration.

Equations: docs/theory/couplings.md, (2), (3), (5) to (7), (10) and (15). The pendulum is that of the Lagrangian in
docs/theory/integrators.md, section 7, with its mass matrix; nothing is divided out by hand, and Jacobians are differences."""

import functools

import numpy as np
from numpy.linalg import inv, solve

GM = 1 - np.sqrt(2) / 2
GRAVITY = 9.81


class Platform:
    """m y'' + c y' + k y = lambda"""

    def __init__(self, m, c, k):
        self.n, self.G, self.m, self.c, self.k = 1, np.array([1.0, 0.0]), m, c, k

    def mass(self, _u):
        return np.array([[self.m]])

    def net(self, y, _t):
        return np.array([-self.k * y[0] - self.c * y[1]])


class Pendulum:
    """Degrees of freedom y (platform, upwards), l (stretch beyond rest), theta. `load`: force on y."""

    def __init__(self, platform, m, k, L, load=None):
        self.n, self.G, self.platform, self.m, self.k, self.L = 3, np.array([-1.0, 0, 0]), platform, m, k, L
        self.load = load or (lambda t: 0.0)

    def mass(self, u):
        R, s, c = self.L + u[1], np.sin(u[2]), np.cos(u[2])
        return np.array([[self.platform + self.m, -self.m * c, self.m * R * s], [-self.m * c, self.m, 0],
                         [self.m * R * s, 0, self.m * R**2]])

    def net(self, y, t):
        """Load less restoring force: what is left of the equations of motion without accelerations."""
        _, l, th, _, dl, dth = y
        R, s, c = self.L + l, np.sin(th), np.cos(th)
        z = 2 * dl * dth * s + R * dth**2 * c  # of the bob's vertical acceleration, without y'', l'', theta''
        x = 2 * dl * dth * c - R * dth**2 * s
        return np.array([self.load(t) - self.m * z,
                         -self.m * (x * s - z * c) - self.k * l - self.m * GRAVITY * (1 - c),
                         -self.m * R * (x * c + z * s) - self.m * GRAVITY * R * s])


class Torn:
    def __init__(self, A, B, dt, ss=1, gamma=GM):
        self.A, self.B, self.dt, self.ss, self.gamma = A, B, dt, ss, gamma

    @staticmethod
    def rate(side, y, t):
        """F of (5)"""
        return np.concatenate([y[side.n:], solve(side.mass(y), side.net(y, t))])

    def trace(self, side, y, t):
        """q, H of (2)"""
        G = side.G[:side.n]
        Mi = inv(side.mass(y))
        return G @ Mi @ side.net(y, t), G @ Mi @ G

    def lam(self, a, b):
        """(2), from two traces"""
        return -(a[0] + b[0]) / (a[1] + b[1])

    def jacobian(self, side, y, t):
        n, J = 2 * side.n, np.zeros((2 * side.n, 2 * side.n))
        for j in range(n):
            d = np.zeros(n)
            d[j] = 1e-6 * max(1.0, abs(y[j]))
            J[:, j] = (self.rate(side, y + d, t) - self.rate(side, y - d, t)) / (2 * d[j])
        return J

    def slope(self, side, y, h, lam, t, J, k1=None):
        """(6), (7) with b2 = 1"""
        B = np.concatenate([np.zeros(side.n), solve(side.mass(y), side.G[:side.n])])
        right = self.rate(side, y, t) + B * lam
        if k1 is not None:
            right = right - self.gamma * J @ k1
        return h * solve(np.eye(2 * side.n) - self.gamma * h * J, right)

    def step(self, a, b, t, coarse_only=False):
        """(10)"""
        A, B, h = self.A, self.B, self.dt
        JA, JB = self.jacobian(A, a, t), self.jacobian(B, b, t)
        lam = self.lam(self.trace(A, a, t), self.trace(B, b, t))
        ka, kb = self.slope(A, a, h, lam, t, JA), self.slope(B, b, h, lam, t, JB)
        am, bm, tm = a + ka / 2, b + kb / 2, t + h / 2
        trace = self.trace(B, bm, tm)
        if coarse_only:  # B's acceleration along its tangents, its operator in the stage
            moved = self.rate(B, b, t) + JB @ (kb / 2)
            moved[B.n:] += solve(B.mass(b), np.array([B.load(tm) - B.load(t), 0, 0]))
            trace = B.G @ moved[B.n:], trace[1]
        lam = self.lam(self.trace(A, am, tm), trace)
        a1 = a + self.slope(A, am, h, lam, tm, JA, ka)
        return a1 if coarse_only else (a1, b + self.slope(B, bm, h, lam, tm, JB, kb))

    def fine(self, a0, a1, b, t):
        """ss steps of B along the chord of A; A carries no load."""
        q0, q1, d = self.trace(self.A, a0, t), self.trace(self.A, a1, t), self.dt / self.ss
        chord = lambda x: tuple((1 - x) * p + x * q for p, q in zip(q0, q1))
        for j in range(self.ss):
            J = self.jacobian(self.B, b, t)
            k1 = self.slope(self.B, b, d, self.lam(chord(j / self.ss), self.trace(self.B, b, t)), t, J)
            m, tm = b + k1 / 2, t + d / 2
            lam = self.lam(chord((j + 0.5) / self.ss), self.trace(self.B, m, tm))
            b, t = b + self.slope(self.B, m, d, lam, tm, J, k1), t + d
        return b

    def apnr2(self, a, b, steps):
        a, b = [a], [b]
        for i in range(steps):
            now = self.step(a[-1], b[-1], i * self.dt)
            a.append(now[0])
            b.append(now[1])
        return np.array(a), np.array(b)

    def plsrt2(self, a, b, steps):
        """(15)"""
        h = self.dt
        a, b = (list(x) for x in self.apnr2(a, b, 2))
        a.append(self.step(a[2], b[2], 2 * h, coarse_only=True))
        for i in range(2, steps):
            t = i * h
            J = self.jacobian(self.A, a[i - 2], t - 2 * h)
            lam = self.lam(self.trace(self.A, a[i - 2], t - 2 * h), self.trace(self.B, b[i - 2], t - 2 * h))
            k1 = self.slope(self.A, a[i - 2], 4 * h, lam, t - 2 * h, J)
            m = a[i - 2] + k1 / 2
            lam = self.lam(self.trace(self.A, m, t), self.trace(self.B, b[i], t))
            a.append(a[i - 2] + self.slope(self.A, m, 4 * h, lam, t, J, k1))
            b.append(self.fine(a[i], a[i + 1], b[i], t))
        return np.array(a[:steps + 1]), np.array(b)


@functools.lru_cache(maxsize=None)
def run(method, dt, ss=1, gamma=GM, end=2.0, amplitude=0.0):
    """papers/002-rosenbrock/torn-pendulum.yaml: states of A and B over time; amplitude: of a force of 1 Hz on the pendulum's y."""
    load = (lambda t: amplitude * np.sin(2 * np.pi * t)) if amplitude else None
    torn = Torn(Platform(10, 40, 1000), Pendulum(1.0, 0.34, 400e3, 0.167, load), dt, ss, gamma)
    a, b = np.array([0.02, 0]), np.array([0.02, 5e-4, 0.3, 0, 0, 0])
    return getattr(torn, method)(a, b, round(end / dt))


def final(index, *args, **kw):
    """The state `index` of B at the end: 0 y, 1 l, 2 theta, 3 to 5 their rates."""
    return run(*args, **kw)[1][-1, index]


def platform(*args, **kw):
    return run(*args, **kw)[0][-1, 0]


def gap(*args, **kw):
    a, b = run(*args, **kw)
    return np.max(np.abs(a[:, 0] - b[:, 0]))


def peak(index, begin, *args, **kw):
    b = run(*args, **kw)[1]
    first = int(np.ceil(begin / kw.get("end", 2.0) * (len(b) - 1) - 1e-9))
    return np.max(np.abs(b[first:, index]))
