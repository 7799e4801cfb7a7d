"""Equivalent force control on one degree of freedom, its loop settled at the end of every step.

Equations: docs/theory/efc.md."""

import numpy as np


class Settled:
    """(1) to (8), (15) to (20). g: estimate of the specimen's mass over its true value."""

    def __init__(self, MN, KN, ME, KE, dt, CN=0.0, CE=0.0, alpha=0.0, law=2, correction="peek", g=1.0, f=None):
        self.MN, self.KN, self.CN, self.ME, self.KE, self.CE = MN, KN, CN, ME, KE, CE
        self.dt, self.alpha, self.law, self.correction, self.g = dt, alpha, law, correction, g
        self.f = f or (lambda t: 0.0)
        self.beta, self.gamma = (1 - alpha)**2 / 4, 0.5 - alpha
        a1, b, gm = 1 + alpha, self.beta, self.gamma
        self.KP = MN / (b * dt**2) + a1 * gm / (b * dt) * CN
        self.CP = MN / (b * dt) + (a1 * gm / b - 1) * CN
        self.MP = (0.5 - b) / b * MN + a1 * (gm / (2 * b) - 1) * dt * CN
        self.KH = self.KP + a1 * KN
        self.KT = self.KH + a1 * KE

    def step(self, s, t):
        """s = (d, v, a, R, F0, F_1): state, reaction and the last two equivalent forces."""
        d, v, a, R, F0, Fm = s
        dt, al, a1 = self.dt, self.alpha, 1 + self.alpha
        F1 = a1 * self.f(t + dt) - al * self.f(t) + self.KP * d + self.CP * v + self.MP * a + al * (self.KN * d + R)
        if self.law == 1:
            c1, c2 = (F1 - Fm) / (2 * dt), (F1 + Fm - 2 * F0) / (2 * dt**2)
        else:
            c1 = self.KH * v
            c2 = (F1 - F0 - c1 * dt) / dt**2
        aE = 2 * c2 / self.KT
        vE = (c1 + 2 * c2 * dt - a1 * self.CE * aE) / self.KT
        dE = (F1 - a1 * (self.CE * vE + self.ME * aE)) / self.KT
        R = self.ME * aE + self.CE * vE + self.KE * dE
        res = F1 - (self.KP * dE + a1 * self.KN * dE + a1 * R)
        dp = d + dt * v + (0.5 - self.beta) * dt**2 * a
        if self.correction == "acceleration":
            m = self.g * self.ME
            mu = a1 * m / (self.beta * dt**2)
            d1 = dE + (res + a1 * m * aE + mu * (dp - dE)) / (self.KT + mu)
        else:
            d1 = dE + res / self.KH
        a_1 = (d1 - dp) / (self.beta * dt**2)
        v1 = v + dt * ((1 - self.gamma) * a + self.gamma * a_1)
        return np.array([d1, v1, a_1, R, F1, F0])

    def start(self, d, v):
        a = (self.f(0) - (self.CN + self.CE) * v - (self.KN + self.KE) * d) / (self.MN + self.ME)
        R = self.ME * a + self.CE * v + self.KE * d
        F0 = self.KP * d + (1 + self.alpha) * (self.KN * d + R)
        s = np.array([d, v, a, R, F0, F0])
        if self.law == 1:  # the first step has no force before: it starts with slope zero, F_1 in its place
            F1 = self.force_ahead(s)
            s[5] = F1
        return s

    def force_ahead(self, s):
        d, v, a, R = s[:4]
        return ((1 + self.alpha) * self.f(self.dt) - self.alpha * self.f(0) + self.KP * d + self.CP * v + self.MP * a +
                self.alpha * (self.KN * d + R))

    def run(self, d, v, steps):
        s = self.start(d, v)
        out = [s]
        for k in range(steps):
            s = self.step(s, k * self.dt)
            out.append(s)
        return np.array(out)

    def matrix(self):
        return np.array([self.step(e, 0.0) for e in np.eye(6)]).T


def split(b, omega_dt, xi=0.0, **s):
    """M_N/M_E = K_E/K_N = C_N/C_E = b, unit whole mass and frequency, step Omega."""
    MN, ME = b / (1 + b), 1 / (1 + b)
    KN, KE = 1 / (1 + b), b / (1 + b)
    c = 2 * xi
    return Settled(MN, KN, ME, KE, omega_dt, CN=c * b / (1 + b), CE=c / (1 + b), **s)


def radius(b, omega, **s):
    return np.abs(np.linalg.eigvals(split(b, omega, **s).matrix())).max()


def least_mass_ratio(alpha, omega=1e-4, low=0.5, high=1.0):
    """b below which the radius at small steps exceeds 1."""
    while high - low > 1e-7:
        mid = (low + high) / 2
        low, high = (mid, high) if radius(mid, omega, alpha=alpha) > 1 + 1e-6 else (low, mid)
    return high


def newmark(M, K, dt, f, steps, d=0.0, v=0.0):
    """Constant average acceleration on the whole structure."""
    a = (f(0) - K * d) / M
    out = [d]
    for k in range(steps):
        dp, vp = d + dt * v + dt**2 / 4 * a, v + dt / 2 * a
        a = (f((k + 1) * dt) - K * dp) / (M + dt**2 / 4 * K)
        d, v = dp + dt**2 / 4 * a, vp + dt / 2 * a
        out.append(d)
    return np.array(out)


def free_vibration(g, correction="acceleration", from_s=18.0):
    """Peak of the last 2 s of 20 s over d(0): b = 1, omega = 6 rad/s, dt = 50 ms."""
    s = Settled(0.5, 18.0, 0.5, 18.0, 0.05, correction=correction, g=g).run(0.01, 0.0, 400)
    return np.abs(s[round(from_s / 0.05):, 0]).max() / 0.01


def inertia(law, t=None, alpha=0.0):
    """K_N = 3600 N/m, M_N = 100 kg, M_E = 50 kg, 10 N at 2 Hz, dt = 10 ms: d(t), or the largest error over the peak."""
    f = lambda x: 10 * np.sin(4 * np.pi * x)
    s = Settled(100.0, 3600.0, 50.0, 0.0, 0.01, law=law, f=f, alpha=alpha).run(0.0, 0.0, 1000)[:, 0] if law else None
    r = newmark(150.0, 3600.0, 0.01, f, 1000)
    if t is not None:
        return (s if law else r)[round(t / 0.01)]
    return np.abs(s - r).max() / np.abs(r).max()
