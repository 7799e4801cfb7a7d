"""Equivalent force control with a servo actuator in ticks, and on several degrees of freedom with a settled loop.

Equations: docs/theory/efc.md, control.md ((4), (5))."""

import numpy as np
from numpy.linalg import inv, solve

import control


class Run:
    """(1) to (21) with alpha = 0 on one degree of freedom: a specimen ME, KE behind a servo of 100 rad/s and 0.9."""

    def __init__(self, MN, KN, ME, KE, dt, n, Kp, Ki, law, correction, f=lambda t: 0.0, m=None, omega=100.0, zeta=0.9):
        self.MN, self.KN, self.ME, self.KE, self.dt, self.n = MN, KN, ME, KE, dt, n
        self.Kp, self.Ki, self.law, self.correction, self.f = Kp, Ki, law, correction, f
        self.m = ME if m is None else m  # what the mass is taken for
        self.omega, self.zeta = omega, zeta
        self.A, self.B = control.sampled(dict(gain=1.0, omega=omega, zeta=zeta), dt / n)

    def run(self, d, end):
        """Accepted displacements."""
        dt, h, KE = self.dt, self.dt / self.n, self.KE
        KP, CP = 4 * self.MN / dt**2, 4 * self.MN / dt
        KH = KP + self.KN
        KT = KH + KE
        v, a = 0.0, (self.f(0.0) - (self.KN + KE) * d) / (self.MN + self.m)  # the true mass is not known
        R = self.m * a + KE * d
        F0, q, z = KP * d + self.KN * d + R, KT * d, np.array([d, 0.0])
        x, out = d, [d]
        for k in range(round(end / dt)):
            F1 = self.f((k + 1) * dt) + KP * d + CP * v + self.MN * a
            c1 = KH * v
            c2 = (F1 - F0 - c1 * dt) / dt**2
            for j in range(1, self.n + 1):
                t = j * h
                e = (F1 if self.law == "step" else F0 + c1 * t + c2 * t * t) - ((KP + self.KN) * x + R)
                q += self.Ki * h * e
                drive = (self.Kp * e + q) / KT
                z = self.A @ z + self.B * drive
                x = z[0]
                aE = self.omega**2 * (drive - x) - 2 * self.zeta * self.omega * z[1]
                R = self.ME * aE + KE * x
            d, v, a, F0 = *self.accept(d, v, a, x, R, aE, F1, F0, KP, KH, KT), F1
            out.append(d)
        return np.array(out)

    def accept(self, d, v, a, x, R, aE, F1, F0, KP, KH, KT):
        dt = self.dt
        left = F1 - (KP + self.KN) * x - R
        dp = d + dt * v + dt * dt / 4 * a
        if self.correction == "peek":
            d1 = x + left / KH
        elif self.correction == "displacement":
            d1 = x + left / (KT if left * (F1 - F0) > 0 else KH)
        else:
            mu = 4 * self.m / dt**2
            d1 = x + (left + self.m * aE + mu * (dp - x)) / (KT + mu)
        a1 = 4 * (d1 - dp) / dt**2
        return d1, v + dt / 2 * (a + a1), a1


def spring(correction):
    """Figure 6.10: K_N = K_E = 3600 N/m, 100 kg, 10 N at 1 Hz."""
    f = lambda t: 10 * np.sin(2 * np.pi * t)
    return Run(100.0, 3600.0, 0.0, 3600.0, 0.01, 10, 2.0, 200.0, "interpolation", correction, f).run(0.0, 10.0)


def spring_error(correction):
    """Largest, over the peak of Newmark's method on the whole."""
    u, r = spring(correction), newmark([[100.0]], [[7200.0]], 0.01, lambda t: np.array([10 * np.sin(2 * np.pi * t)]), 1000)[0][:, 0]
    return np.abs(u - r).max() / np.abs(r).max()


def vibration(g, Ki):
    """Figure 6.14: peak of the last 2 s of 20 s over d(0), estimate of the mass g times the true one."""
    u = Run(100.0, 3600.0, 100.0, 3600.0, 0.05, 50, 0.0, Ki, "interpolation", "acceleration", m=100 * g).run(0.01, 20.0)
    return np.abs(u[360:]).max() / 0.01


# ---- several degrees of freedom, loop settled: (15), figures 6.15 to 6.18 ----


def newmark(M, K, dt, f, steps):
    """Constant average acceleration from rest: displacements and velocities."""
    M, K = np.array(M, float), np.array(K, float)
    d = v = np.zeros(len(M))
    a = solve(M, f(0.0))
    D, us, vs = inv(M + dt * dt / 4 * K), [d], [v]
    for k in range(steps):
        dp, vp = d + dt * v + dt * dt / 4 * a, v + dt / 2 * a
        a = D @ (f((k + 1) * dt) - K @ dp)
        d, v = dp + dt * dt / 4 * a, vp + dt / 2 * a
        us.append(d)
        vs.append(v)
    return np.array(us), np.array(vs)


KN = np.array([[5000, 300, -5000, -300], [300, 450, -300, -450], [-5000, -300, 9500, 325], [-300, -450, 325, 786.25]])
KE = np.zeros((4, 4))
KE[:2, :2] = [[4500, -25], [-25, 336.25]]
MN, ME = np.diag([100.0, 10, 100, 10]), np.diag([80.0, 8, 0, 0])


def loads(t):
    return np.array([100 * np.sin(2 * t), 5 * np.sin(3 * t), 0, 0])


def whole(end):
    return newmark(MN + ME, KN + KE, 0.02, loads, round(end / 0.02))


def bodies(correction, g, end, dt=0.02):
    """Two bodies on six springs: accepted displacements and velocities; the specimen ends steps as (15) says."""
    KP, CP = 4 * MN / dt**2, 4 * MN / dt
    KH = KP + KN
    KT = KH + KE
    KTi, KHi = inv(KT), inv(KH)
    mu = 4 * g * ME / dt**2
    Ki = inv(KT + mu)
    d = v = np.zeros(4)
    a = solve(MN + ME, loads(0.0))
    F0, us, vs = ME @ a, [d], [v]
    for k in range(round(end / dt)):
        F1 = loads((k + 1) * dt) + KP @ d + CP @ v + MN @ a
        c1 = KH @ v
        c2 = (F1 - F0 - dt * c1) / dt**2
        aE = KTi @ (2 * c2)
        dE = KTi @ (F1 - ME @ aE)
        left = F1 - KH @ dE - ME @ aE - KE @ dE
        dp = d + dt * v + dt * dt / 4 * a
        if correction == "peek":
            d = dE + KHi @ left
        else:
            d = dE + Ki @ (left + g * ME @ aE + mu @ (dp - dE))
        a1 = 4 * (d - dp) / dt**2
        v, a, F0 = v + dt / 2 * (a + a1), a1, F1
        us.append(d)
        vs.append(v)
    return np.array(us), np.array(vs)


def rotation_error():
    """Rate of the rotation of the first body without correction: largest error over the peak, 20 s."""
    w = whole(20.0)[1][:, 1]
    return np.abs(bodies("peek", 1.0, 20.0)[1][:, 1] - w).max() / np.abs(w).max()


def rotation_left(g):
    """The same rate from 380 to 400 s, peak over that of the whole."""
    late = lambda run: np.abs(run[1][19000:, 1]).max()
    return late(bodies("acceleration", g, 400.0)) / late(whole(400.0))
