"""The spring-pendulum on a platform: in one piece, coupled by the force of the evaluation before, torn.

Equations: docs/theory/integrators.md (sections 2.2, 2.6, 3, 7, 9), couplings.md ((2), (5) to (7), (10), (12), (15), (18)). Jacobians are
derivatives of the rates by complex steps."""

import cmath
import functools
import math
from functools import lru_cache

import numpy as np

GM = 1 - np.sqrt(0.5)
G3 = 0.435866521508459
WHOLE = dict(m1=11.0, c=40.0, k1=1000.0, m=0.34, k=400.0, L=0.167, g=9.81)


def swing(a, l, th, lv, thv, p):
    """Rates of l and theta on a support with the acceleration a, (32)."""
    lib = cmath if isinstance(th, complex) else math
    s, c = lib.sin(th), lib.cos(th)
    r = p["L"] + l
    return (a * c + r * thv * thv - p["k"] / p["m"] * l - p["g"] * (1 - c), -((p["g"] + a) * s + 2 * lv * thv) / r)


def rates(z, f, p):
    """(33): z = (y, l, theta, velocities)."""
    y, l, th, yv, lv, thv = z
    lib = cmath if isinstance(th, complex) else math
    a = (f - p["c"] * yv - p["k1"] * y - (p["k"] * l + p["m"] * p["g"]) * lib.cos(th) + p["m"] * p["g"]) / p["m1"]
    return [yv, lv, thv, a, *swing(a, l, th, lv, thv, p)]


def jacobian(F, z):
    """dF/dz by complex steps."""
    columns = []
    for i in range(len(z)):
        w = [complex(x) for x in z]
        w[i] += 1e-30j
        columns.append([x.imag / 1e-30 for x in F(w)])
    return np.array(columns).T


def load(t):
    return 12 * math.sin(2 * math.pi * 2.2 * t)


# ---- in one piece ----


def slopes(F, t, z, h, gamma, stages):
    """(18) with (21) or (22): the new state."""
    J = jacobian(lambda w: F(t, w), z)
    W = np.linalg.inv(np.eye(len(z)) - gamma * h * J)
    k1 = h * W @ np.array(F(t, z))
    if stages == 2:
        return z + h * W @ (np.array(F(t + h / 2, z + k1 / 2)) - gamma * J @ k1)
    g21, g31, g32 = gamma * (1 - 2 * gamma) / (3 * gamma - 1), (2 * gamma - 1) / 3, 1 / 3 - 2 * gamma
    k2 = h * W @ (np.array(F(t + h / 3, z + k1 / 3)) + g21 * J @ k1)
    k3 = h * W @ (np.array(F(t + 2 * h / 3, z + (k1 + k2) / 3)) + J @ (g31 * k1 + g32 * k2))
    return z + k1 / 4 + 3 * k3 / 4


@lru_cache(None)
def uncoupled(method, h, end, k=400.0, gamma=GM):
    """States (y, l, theta, velocities) at the steps; 12 N at 2.2 Hz, theta(0) = 0.5 rad."""
    p = dict(WHOLE, k=k)
    F = lambda t, z: rates(z, load(t), p)
    z, out = np.array([0, 0, 0.5, 0, 0, 0.0]), []
    out.append(z)
    a = np.array(F(0.0, z)[3:])
    for i in range(round(end / h)):
        t = i * h
        if method.startswith("lsrt"):
            z = slopes(F, t, z, h, gamma if method == "lsrt2" else G3, int(method[-1]))
        else:
            u, v = z[:3], z[3:]
            if method == "chang":  # (14) with tangents of the state
                J = jacobian(lambda w: F(t, w), z)
                K, C, one = -J[3:, :3], -J[3:, 3:], np.eye(3)
                u = u + np.linalg.solve(one + h / 2 * C + h * h / 4 * K, h * (one + h / 2 * C) @ v + h * h / 2 * a)
            else:
                u = u + h * v + h * h / 2 * a
            b = np.array(F(t + h, [*u, *(v + h * a)])[3:])  # (7)
            v, a = v + h / 2 * (a + b), b
            z = np.concatenate([u, v])
        out.append(z)
    return np.array(out)


def axial(method, h, first, last, **s):
    """Root of the mean square of the rate of l between two times; stiff rod, 1.8 s."""
    z = uncoupled(method, h, min(last, 1.8), k=4e5, **s)
    t = np.arange(len(z)) * h
    return np.sqrt(np.mean(z[(t >= first - 1e-9) & (t <= last + 1e-9), 4]**2))


def kutta(h, end):
    """(29), a reference."""
    F, z = lambda t, z: np.array(rates(z, load(t), WHOLE)), np.array([0, 0, 0.5, 0, 0, 0.0])
    for i in range(round(end / h)):
        t = i * h
        k1 = F(t, z)
        k2 = F(t + h / 2, z + h / 2 * k1)
        k3 = F(t + h / 2, z + h / 2 * k2)
        z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + F(t + h, z + h * k3))
    return z


def error_ratio(h=1e-3):
    """Largest error of y, l and theta at 1 s: LSRT3 over LSRT2."""
    r = kutta(2e-4, 1.0)[:3]
    e = [np.abs(uncoupled(m, h, 1.0)[-1, :3] - r).max() for m in ("lsrt3", "lsrt2")]
    return e[0] / e[1]


# ---- coupled by the force of the evaluation before: (32), section 9 ----

PART = dict(m1n=10.0, c=40.0, k1=1000.0, m1p=1.0, m=0.34, L=0.167, g=9.81)


class Feedback:
    """Platform (x, v) and pendulum (l, theta, rates); `ask` evaluates both at one instant."""

    def __init__(self, k):
        self.p = dict(PART, k=k)
        p, th = self.p, 0.5
        a = (load(0.0) - p["m"] * p["g"] * math.cos(th) + p["m"] * p["g"]) / (p["m1n"] + p["m1p"])
        self.fs = self.force(a, 0.0, th)

    def force(self, a, l, th):
        p = self.p
        return p["m1p"] * (a + p["g"]) + (p["k"] * l + p["m"] * p["g"]) * math.cos(th)

    def support(self, t, x, v):
        """Acceleration of the platform under the newest force."""
        p = self.p
        return (load(t) - self.fs + (p["m1p"] + p["m"]) * p["g"] - p["c"] * v - p["k1"] * x) / p["m1n"]

    def ask(self, t, A, B):
        a = self.support(t, *A)
        self.fs = self.force(a, B[0], B[1])
        return a

    def pendulum(self, a):
        return lambda w: [w[2], w[3], *swing(a, *w, self.p)]


@lru_cache(None)
def feedback(method, h, end, k=400.0, gamma=GM):
    """Rows (x, v, l, theta, rates)."""
    run = Feedback(k)
    A, B, out = np.zeros(2), np.array([0, 0.5, 0, 0.0]), []
    out.append(np.concatenate([A, B]))
    a = run.ask(0.0, A, B)
    b = np.array(run.pendulum(a)(B)[2:])
    for i in range(round(end / h)):
        t = i * h
        step = rosenbrock_feedback if method.startswith("lsrt") else newmark_feedback
        A, B, a, b = step(run, method, t, h, A, B, a, b, gamma)
        out.append(np.concatenate([A, B]))
    return np.array(out)


def rosenbrock_feedback(run, method, t, h, A, B, a, b, gamma):
    """Two or three slopes of both sides, each with its own Jacobian of the beginning of the step."""
    p, stages = run.p, int(method[-1])
    g = gamma if stages == 2 else G3
    JA = np.array([[0, 1], [-p["k1"] / p["m1n"], -p["c"] / p["m1n"]]])
    JB = jacobian(run.pendulum(a), B)
    sides = [(JA, np.linalg.inv(np.eye(2) - g * h * JA)), (JB, np.linalg.inv(np.eye(4) - g * h * JB))]
    if stages == 2:
        alpha, inner, weights, nodes = [[0.5]], [[-g]], [0, 1], [0.5]
    else:
        alpha, weights, nodes = [[1 / 3], [1 / 3, 1 / 3]], [0.25, 0, 0.75], [1 / 3, 2 / 3]
        inner = [[g * (1 - 2 * g) / (3 * g - 1)], [(2 * g - 1) / 3, 1 / 3 - 2 * g]]
    slope = lambda side, rate, past, row: h * sides[side][1] @ (rate + sides[side][0] @ sum(
        (c * k for c, k in zip(row, past)), np.zeros(len(rate))))
    kA, kB = [slope(0, np.array([A[1], a]), [], [])], [slope(1, np.array([B[2], B[3], *b]), [], [])]
    for i, c in enumerate(nodes):
        mA, mB = (y + sum(w * k for w, k in zip(alpha[i], ks)) for y, ks in ((A, kA), (B, kB)))
        a = run.ask(t + c * h, mA, mB)
        kA.append(slope(0, np.array([mA[1], a]), kA, inner[i]))
        kB.append(slope(1, np.array(run.pendulum(a)(mB)), kB, inner[i]))
    A, B = (y + sum(w * k for w, k in zip(weights, ks)) for y, ks in ((A, kA), (B, kB)))
    a = run.ask(t + h, A, B)
    return A, B, a, np.array(run.pendulum(a)(B)[2:])


def newmark_feedback(run, method, t, h, A, B, a, b, _gamma):
    """Explicit Newmark or Chang on both sides, both at the predicted velocity, (7); Chang with tangents of the state."""
    p = run.p
    M, C, K = p["m1n"], p["c"], p["k1"]
    u, v = B[:2], B[2:]
    if method == "chang":
        D = M + h / 2 * C + h * h / 4 * K
        x = A[0] + (h * (M + h / 2 * C) * A[1] + h * h / 2 * M * a) / D
        JB = jacobian(run.pendulum(a), B)
        KB, CB, one = -JB[2:, :2], -JB[2:, 2:], np.eye(2)
        u = u + np.linalg.solve(one + h / 2 * CB + h * h / 4 * KB, h * (one + h / 2 * CB) @ v + h * h / 2 * b)
    else:
        x = A[0] + h * A[1] + h * h / 2 * a
        u = u + h * v + h * h / 2 * b
    a1 = d = run.ask(t + h, [x, A[1] + h * a], u)
    b1 = np.array(run.pendulum(d)([*u, *(v + h * b)])[2:])
    return np.array([x, A[1] + h / 2 * (a + a1)]), np.concatenate([u, v + h / 2 * (b + b1)]), a1, b1


def feedback_axial(method, h, **s):
    z = feedback(method, h, 1.8, k=4e5, **s)
    t = np.arange(len(z)) * h
    return np.sqrt(np.mean(z[t >= 1.6 - 1e-9, 4]**2))


# ---- torn from its platform: couplings.md ----


class Torn:
    """A: platform (y, v), B: pendulum (y, l, theta, rates) on a mass of 1 kg; stiff rod, no load."""

    mA, cA, kA = 10.0, 40.0, 1000.0
    p = dict(WHOLE, m1=1.0, c=0.0, k1=0.0, k=4e5)

    def __init__(self, gamma):
        self.gA = self.gB = gamma
        self.JA = np.array([[0, 1], [-self.kA / self.mA, -self.cA / self.mA]])
        self.H = 1 / self.mA + 1 / self.p["m1"]
        self.BA = np.array([0, 1 / self.mA])

    def FB(self, z):
        return np.array(rates(z, 0.0, self.p))

    def BB(self, z):
        """What a unit multiplier adds to the rates of B, whose row is -1."""
        return np.array([0, 0, 0, -1, -math.cos(z[2]), math.sin(z[2]) / (self.p["L"] + z[1])]) / self.p["m1"]

    def qA(self, a):
        return self.JA[1] @ a

    def lam(self, qA, b):
        """(2)"""
        return -(qA - self.FB(b)[3]) / self.H

    def slopeA(self, a, h, lam, k1=None):
        W = np.linalg.inv(np.eye(2) - self.gA * h * self.JA)
        return h * W @ (self.JA @ a + self.BA * lam - (0 if k1 is None else self.gA * self.JA @ k1))

    def prepare(self, b, h):
        """J of B alone at the beginning of a step, and W."""
        J = jacobian(lambda z: rates(z, 0.0, self.p), b)
        return J, np.linalg.inv(np.eye(6) - self.gB * h * J)

    def slopeB(self, b, h, lam, JW, k1=None):
        J, W = JW
        return h * W @ (self.FB(b) + self.BB(b) * lam - (0 if k1 is None else self.gB * J @ k1))

    def apnr2(self, a, b, h):
        """(10)"""
        lam = self.lam(self.qA(a), b)
        JW = self.prepare(b, h)
        ka, kb = self.slopeA(a, h, lam), self.slopeB(b, h, lam, JW)
        am, bm = a + ka / 2, b + kb / 2
        lam = self.lam(self.qA(am), bm)
        return a + self.slopeA(am, h, lam, ka), b + self.slopeB(bm, h, lam, JW, kb)

    def fine(self, q0, q1, b, h, steps):
        """Two-stage steps of B along a chord of A."""
        for j in range(steps):
            lam = self.lam(q0 + (q1 - q0) * j / steps, b)
            JW = self.prepare(b, h)
            k1 = self.slopeB(b, h, lam, JW)
            m = b + k1 / 2
            lam = self.lam(q0 + (q1 - q0) * (j + 0.5) / steps, m)
            b = b + self.slopeB(m, h, lam, JW, k1)
        return b

    def assr2(self, a, b, h, ss):
        """(12)"""
        k1 = self.slopeA(a, h, self.lam(self.qA(a), b))
        am = a + k1 / 2
        b = self.fine(self.qA(a), self.qA(am), b, h / ss, ss // 2)
        a1 = a + self.slopeA(am, h, self.lam(self.qA(am), b), k1)
        return a1, self.fine(self.qA(am), self.qA(a1), b, h / ss, ss // 2)

    def plsrt2(self, a, b, h, ss, steps):
        """(15): all states of A and B"""
        a, b = [a], [b]
        for _ in range(2):
            a1, b1 = self.apnr2(a[-1], b[-1], h)
            a.append(a1)
            b.append(b1)
        a.append(self.ahead(a[2], b[2], h))
        for i in range(2, steps):
            k1 = self.slopeA(a[i - 2], 4 * h, self.lam(self.qA(a[i - 2]), b[i - 2]))
            m = a[i - 2] + k1 / 2
            a.append(a[i - 2] + self.slopeA(m, 4 * h, self.lam(self.qA(m), b[i]), k1))
            b.append(self.fine(self.qA(a[i]), self.qA(a[i + 1]), b[i], h / ss, ss))
        return np.array(a[:steps + 1]), np.array(b)

    def ahead(self, a, b, h):
        """The coarse half of (10), B in the stage along its tangents."""
        lam = self.lam(self.qA(a), b)
        J, W = self.prepare(b, h)
        ka, kb = self.slopeA(a, h, lam), self.slopeB(b, h, lam, (J, W))
        am = a + ka / 2
        lam = -(self.qA(am) - (self.FB(b) + J @ kb / 2)[3]) / self.H
        return a + self.slopeA(am, h, lam, ka)

    def close(self, a, b):
        """(4)"""
        phi = -(a[1] - b[3]) / self.H
        return a + self.BA * phi, b + self.BB(b) * phi, phi

    def vpnr2(self, a, b, L, h):
        """(18), variant p"""
        JW = self.prepare(b, h)
        ka, kb = self.slopeA(a, h, L), self.slopeB(b, h, L, JW)
        am, bm, p1 = self.close(a + ka / 2, b + kb / 2)
        Lm = L - p1 / h
        a, b, p2 = self.close(a + self.slopeA(am, h, Lm, ka), b + self.slopeB(bm, h, Lm, JW, kb))
        return a, b, Lm + p2 / h


@lru_cache(None)
def torn(method, h, ss=1, gamma=GM, end=2.0):
    """Angle at the end and the largest gap of the platform; y = 20 mm, l = 0.5 mm, theta = 0.3 rad at rest."""
    run = Torn(gamma)
    a, b = np.array([0.02, 0.0]), np.array([0.02, 5e-4, 0.3, 0, 0, 0.0])
    L, gap = run.lam(run.qA(a), b), 0.0
    for _ in range(round(end / h)):
        if method == "vpnr2":
            a, b, L = run.vpnr2(a, b, L, h)
        else:
            a, b = run.apnr2(a, b, h) if ss == 1 else run.assr2(a, b, h, ss)
        gap = max(gap, abs(a[0] - b[0]))
    return b[2], gap


@functools.lru_cache(maxsize=None)
def parallel(h, ss, gamma=GM, end=2.0):
    """The same by PLSRT2: all states of A and B."""
    return Torn(gamma).plsrt2(np.array([0.02, 0.0]), np.array([0.02, 5e-4, 0.3, 0, 0, 0.0]), h, ss, round(end / h))


def parallel_gap(h, ss, gamma=GM):
    a, b = parallel(h, ss, gamma)
    return np.abs(a[:, 0] - b[:, 0]).max()


# ---- a platform with hysteresis and a damper, test 1 of section 4.5 ----


class BoucWen:
    """(8) of laws.md"""

    def __init__(self, k0, beta, gamma):
        self.k0, self.beta, self.gamma, self.d, self.z = k0, beta, gamma, 0.0, 0.0

    def force(self, d):
        s, sign, Z = abs(d - self.d), math.copysign(1, d - self.d), self.z
        k0, q = self.k0, self.gamma - self.beta
        if Z * sign < 0:  # unloading first
            Z = abs(Z)
            s0 = -math.log(1 - q * Z / k0) / q
            if s < s0:
                return -sign * (Z - (k0 - q * Z) * (math.exp(q * s) - 1) / q)
            s, Z = s - s0, 0.0
        q, Z = self.beta + self.gamma, abs(Z)
        return sign * (Z + (k0 - q * Z) * (1 - math.exp(-q * s)) / q)

    def tangent(self, direction):
        return self.k0 - abs(self.z) * (self.beta * (1 if self.z * direction >= 0 else -1) + self.gamma)

    def commit(self, d):
        self.d, self.z = d, self.force(d)


def hysteretic_platform(exact, h=1e-3, end=5.0, g=GM):
    """Largest displacement: 10 kg on a Bouc-Wen law, specimen of 1 kg and 50 N s/m, 12 N at 1.5 Hz, LSRT2 on both sides."""
    M, m, c, law = 10.0, 1.0, 50.0, BoucWen(1000.0, 55.0, 45.0)
    f = lambda t: 12 * math.sin(3 * math.pi * t)
    fs, peak, y, a = 0.0, 0.0, np.zeros(2), 0.0  # the specimen moves with the platform, (36)

    def ask(t, y):
        nonlocal fs
        r = law.force(y[0])
        a = (f(t) - r - c * y[1]) / (M + m) if exact else (f(t) - r - fs) / M
        fs = m * a + c * y[1]
        return a

    for i in range(round(end / h)):
        t = i * h
        J = np.array([[0, 1], [-law.tangent(y[1]) / M, 0]])
        W = np.linalg.inv(np.eye(2) - g * h * J)
        k1 = h * W @ [y[1], a]
        mid = y + k1 / 2
        a = ask(t + h / 2, mid)
        y = y + h * W @ (np.array([mid[1], a]) - g * J @ k1)
        a = ask(t + h, y)
        law.commit(y[0])
        peak = max(peak, abs(y[0]))
    return peak
