"""Tests on the virtual rig: an integrator, a compensator and perhaps an estimator, an actuator in ticks, a specimen.

Equations: docs/theory/transfer.md (section 2), delay.md (sections 2 and 4), integrators.md (2.5), control.md ((4), (5))."""

from functools import lru_cache

import numpy as np

import control
from delay import Rls


@lru_cache(None)
def ground():
    """The surrogate motion of 001, 10 ms apart: eight sines in an envelope, peak 0.852 g (surrogate.py there)."""
    t = np.arange(2001) * 0.01
    shape = np.where(t < 4, (t / 4)**2, np.where(t <= 10, 1.0, np.exp(-0.25 * (t - 10))))
    a = shape * sum(np.sin(2 * np.pi * f * t + (j + 1)**2) for j, f in enumerate((0.7, 1.1, 1.6, 2.3, 3.1, 4.2, 5.7, 7.3)))
    return a * 0.852 * 9.81 / np.abs(a).max()


# ---- actuators: from the last command to the next over the ticks of an interval ----


class Ideal:
    def move(self, before, now):
        return np.array([now])


class Servo:
    """(4) of transfer.md into (5) of control.md: all ticks of an interval at once, readings Y = P z + q0 before + q1 now."""

    def __init__(self, omega, zeta, ticks, h):
        A, B = control.sampled(dict(gain=1.0, omega=omega, zeta=zeta), h)
        z, P, q0, q1 = np.zeros((2, 4)), [], [], []
        z[:, :2] = np.eye(2)
        for k in range(1, ticks + 1):
            z = A @ z
            z[:, 2] += B * (1 - k / ticks)
            z[:, 3] += B * k / ticks
            P.append(z[0].copy())
        self.rows, self.end, self.z = np.array(P), z, np.zeros(2)

    def move(self, before, now):
        x = np.array([*self.z, before, now])
        self.z = self.end @ x
        return self.rows @ x


# ---- compensators: step(target) gives the command, learn(command, measured) follows the reading ----


class Lagrange:
    def __init__(self, order, dt):
        self.past, self.dt = [0.0] * (order + 1), dt

    def step(self, x, tau):
        self.past = [x] + self.past[:-1]
        eta, n = tau / self.dt, len(self.past)
        return sum(self.past[j] * np.prod([(eta + m) / (m - j) for m in range(n) if m != j]) for j in range(n))

    def learn(self, measured):
        pass


class Adaptive:
    """ats (16) and amb (17)"""

    def __init__(self, kind, dt, tau, window=100, spread=0.3, longest=0.1, gain=0.1, frequency=2.0):
        self.kind, self.dt, self.window, self.gain = kind, dt, window, gain
        self.T = dt if kind == "ats" else 1 / (2 * np.pi * frequency)
        self.motion = 1e-5 if kind == "ats" else 1e-4
        self.start = self.theta = np.array([1, tau / self.T, (tau / self.T)**2 / 2])
        self.low, self.high = np.array([1 - spread, 0, 0]), np.array([1 + spread, longest / self.T, (longest / self.T)**2])
        self.past, self.commands, self.measured, self.rows = [0.0] * 4, [0.0], [0.0], np.zeros((0, 4))

    def step(self, x, _tau):
        self.past = [x] + self.past[:-1]
        r = self.T / self.dt  # derivatives at the newest target, per D
        x0, x1, x2, x3 = self.past
        first, second = (11 * x0 - 18 * x1 + 9 * x2 - 2 * x3) / 6, 2 * x0 - 5 * x1 + 4 * x2 - x3
        self.commands.append(self.theta @ [x0, r * first, r * r * second])
        return self.commands[-1]

    def learn(self, measured):
        self.measured.append(measured)
        if len(self.measured) < 3:
            return
        m0, m1, m2 = self.measured[-3:]
        r = self.T / self.dt
        psi, u = np.array([m1, r * (m2 - m0) / 2, r * r * (m2 - 2 * m1 + m0)]), self.commands[-2]
        if self.kind == "amb":
            self.theta = self.theta + self.gain * (u - psi @ self.theta) / (self.motion**2 + psi @ psi) * psi
        else:
            self.rows = np.vstack([self.rows, [*psi, u]])[-self.window:]
            P, w = self.rows[:, :3], self.rows[:, 3]
            S = P.T @ P
            if S[0, 0] > len(P) * self.motion**2 and len(P) == self.window:
                right = P.T @ (w - P @ self.start)
                self.theta = self.start + np.linalg.solve(S + 1e-8 * np.diag(np.diag(S)), right)
        self.theta = np.clip(self.theta, self.low, self.high)


# ---- estimators: step(desired, command, measured) says the delay, None as long as it is not known ----


class ByCommand:
    def __init__(self, rho, dt):
        self.rls = Rls(rho, dt, motion=1e-6)

    def step(self, _desired, command, measured):
        return self.rls.step(command, measured)


class ByDesired:
    """newton-desired (27), ahmadizadeh (28), darby (29): all integrate what the measured displacement is late."""

    def __init__(self, kind, gain, dt):
        self.kind, self.gain, self.dt, self.tau, self.d, self.m = kind, gain, dt, 0.0, [], []

    def step(self, desired, _command, measured):
        d, m = self.d, self.m
        d.append(desired)
        m.append(measured)
        if self.kind == "darby" and len(d) > 1:
            self.tau += self.gain * np.tanh(10 * (d[-1] - d[-2]) / self.dt) * (d[-1] - m[-1])
        if self.kind == "newton-desired" and len(d) > 1:
            v = (m[-1] - m[-2]) / self.dt
            self.tau += self.gain * (d[-1] - m[-1]) / v if abs(v) > 0.001 else 0
        if self.kind == "ahmadizadeh" and len(d) > 2 and m[-1] != m[-3]:
            self.tau += 2 * self.gain * self.dt * (np.mean(d[-3:]) - np.mean(m[-3:])) / (m[-1] - m[-3])
        self.tau = min(max(self.tau, 0.0), 0.1)
        return self.tau


# ---- the earthquake on a mass whose spring is tested: figures 4.5 to 4.9 of 001 ----


@lru_cache(None)
def adaptive(plant="servo", tau=0.0, estimator=None, compensator="lagrange", end=20.0, n=200):
    """1 kg, 5 %, 0.5 s, steps of 10 ms with n ticks, servo of 100 rad/s and 0.8: displacements, delays, (desired, y) of ticks."""
    dt, k, c = 0.01, 157.91367041742973, 1.2566370614359172
    f = -ground()
    if estimator:
        kind, gain = estimator
        estimator = ByCommand(gain, dt) if kind == "rls" else ByDesired(kind, gain, dt)
    actuator = Ideal() if plant == "ideal" else Servo(100.0, 0.8, n, dt / n)
    ahead = Lagrange(3, dt) if compensator == "lagrange" else Adaptive(compensator, dt, tau)
    u0 = u1 = command = desired = 0.0  # u1 is the next target; at rest the first two are 0
    u1 = dt * dt / 2 * f[0]
    us, taus, ticks = [0.0], [tau], []
    for i in range(1, round(end / dt) + 1):
        before, command = command, ahead.step(u1, tau) if plant != "ideal" else u1
        y = actuator.move(before, command)
        ticks.append((desired + (u1 - desired) * np.arange(1, len(y) + 1) / len(y), y))
        desired = u1
        ahead.learn(y[-1])
        if estimator:
            found = estimator.step(u1, command, y[-1])
            tau = tau if found is None else min(max(found, 0.0), 0.05 if isinstance(estimator, ByCommand) else 0.1)
        us.append(u1)
        taus.append(tau)
        u2 = (f[i] - k * y[-1] + 2 / dt**2 * u1 - (1 / dt**2 - c / (2 * dt)) * u0) / (1 / dt**2 + c / (2 * dt))
        u0, u1 = u1, u2
    return np.array(us), 1000 * np.array(taus), ticks


def nrms(**s):
    """Error against the same run with an ideal actuator."""
    u, r = adaptive(**s)[0], adaptive("ideal")[0]
    return np.sqrt(np.sum((u - r)**2) / np.sum(r**2))


def estimates(**s):
    """Delays [ms] from 5 s on."""
    return adaptive(**s)[1][500:]


def tracking(**s):
    """(10) of transfer.md, over all ticks."""
    ticks = adaptive(**s)[2]
    d, y = np.concatenate([x for x, _ in ticks]), np.concatenate([y for _, y in ticks])
    return np.sqrt(np.sum((d - y)**2) / np.sum(d**2))


# ---- LSRT2 with a specimen, tick by tick ----


class Velocity:
    """(8), (9) of delay.md, with the target before this one (`half`) or two before (`full`)."""

    def __init__(self, order, D, back=1):
        self.order, self.D, self.past = order, D, [(0.0, 0.0)] * (back + 1)

    def step(self, x, v, tau):
        self.past = [(x, v)] + self.past[:-1]
        e, (y, w), D = tau / self.D, self.past[-1], self.D
        if self.order == 2:
            return (1 - e**2) * x + e**2 * y + (e + e**2) * D * v
        return ((1 - 3 * e**2 - 2 * e**3) * x + (3 * e**2 + 2 * e**3) * y + (e + 2 * e**2 + e**3) * D * v +
                (e**2 + e**3) * D * w)


class Stages:
    """A polynomial of its own for each stage: `data: step`."""

    def __init__(self, make, stages):
        self.of, self.count = [make() for _ in range(stages)], 0

    def step(self, x, v, tau):
        self.count += 1
        return self.of[(self.count - 1) % len(self.of)].step(x, tau)


class Delay:
    """(9) of control.md; velocity and acceleration by differences."""

    def __init__(self, tau, h):
        self.late, self.h, self.c = tau / h, h, [0.0] * (int(tau / h) + 3)
        self.x = self.v = 0.0

    def tick(self, command):
        self.c.append(command)
        j = int(np.floor(self.late))
        w = self.late - j
        x = (1 - w) * self.c[-1 - j] + w * self.c[-2 - j]
        v = (x - self.x) / self.h
        a, self.x, self.v = (v - self.v) / self.h, x, v
        return x, v, a


class Controlled:
    """Lags of second order behind a dead time, with PID (34) or internal model (42) in front."""

    def __init__(self, kind, h, p=control.TT1):
        self.plant, self.beside, self.h, self.p = control.Plant(p, h), control.Plant(p, h), h, p
        self.inverse = control.Inverse(p, float(kind[3:]) / 1000, h) if kind.startswith("imc") else None
        self.y = self.expected = self.integral = self.before = 0.0

    def tick(self, command):
        e = command - self.y
        if self.inverse:
            u = self.inverse.step(e + self.expected)
            self.expected = self.beside.step(u)
        else:
            g = control.PID
            u = g["K"] * (e + self.integral + g["Td"] * (e - self.before) / self.h)
            self.integral, self.before = self.integral + self.h / g["Ti"] * e, e
        self.y = self.plant.step(u)
        b2, b1 = control.denominator(self.p)
        x, v = self.plant.z
        return x, v, (self.p["gain"] * self.plant.drives[-1 - self.plant.late] - x - b1 * v) / b2


class Hybrid:
    """LSRT2 on m, c, k; `force`(x, v, a) of the specimen where `actuator` has taken it; targets at both stages."""

    def __init__(self, m, c, k, dt, n, load, actuator, force, compensator=None, tau=0.0, g=1 - np.sqrt(0.5)):
        self.m, self.c, self.k, self.dt, self.n, self.g = m, c, k, dt, n, g
        self.load, self.actuator, self.force, self.compensator, self.tau = load, actuator, force, compensator, tau
        self.command = self.target = 0.0
        self.desired, self.measured, self.commands = [0.0], [0.0], [0.0]  # of the ticks

    def ask(self, y):
        c = self.compensator.step(y[0], y[1], self.tau) if self.compensator else y[0]
        for j in range(1, self.n + 1):
            now = self.command + (c - self.command) * j / self.n
            x, v, a = self.actuator.tick(now)
            self.desired.append(self.target + (y[0] - self.target) * j / self.n)
            self.measured.append(x)
            self.commands.append(now)
        self.command, self.target = c, y[0]
        return self.force(x, v, a)

    def run(self, end, far=1e3):
        """Displacements at the ends of steps."""
        h, g, m = self.dt, self.g, self.m
        J = np.array([[0, 1], [-self.k / m, -self.c / m]])
        W = np.linalg.inv(np.eye(2) - g * h * J)
        F = lambda t, y, r: np.array([y[1], (self.load(t) - self.c * y[1] - self.k * y[0] - r) / m])
        y, r, out = np.zeros(2), 0.0, [0.0]
        for i in range(round(end / h)):
            t = i * h
            k1 = h * W @ F(t, y, r)
            mid = y + k1 / 2
            r = self.ask(mid)
            y = y + h * W @ (F(t + h / 2, mid, r) - g * J @ k1)
            r = self.ask(y)
            out.append(y[0])
            if not abs(y[0]) < far:
                break
        return np.array(out)

    def tracking(self):
        d, y = np.array(self.desired[1:]), np.array(self.measured[1:])
        return np.sqrt(np.sum((d - y)**2) / np.sum(d**2))


def lsrt2(m, c, k, dt, load, end, g=1 - np.sqrt(0.5)):
    """The whole structure without a specimen."""
    whole = Hybrid(m, c, k, dt, 1, load, Delay(0.0, dt / 2), lambda x, v, a: 0.0, g=g)
    return whole.run(end)


# ---- three sines through a controlled actuator: figures 5.15 to 5.17 of 001 ----


def synchronisation(f, amplitude, tau=None, kind="pid"):
    """Modulus of 1 less the response [times the amplitude], targets every ten ticks of 1/1024 s, (62) and (63)."""
    h, n, w = 1 / 1024, 10, 2 * np.pi * f
    actuator, command, x, y = Controlled(kind, h), 0.0, [], []
    ahead = Velocity(3, n * h) if tau else None
    steps = round((2 + 2 / f) / (n * h))
    for i in range(2 * steps):
        t = (i + 1) * n * h
        target, rate = np.sin(w * t), w * np.cos(w * t)
        before, command = command, ahead.step(target, rate, tau) if ahead else target
        for j in range(1, n + 1):
            now = actuator.tick(before + (command - before) * j / n)[0]
        x.append(target)
        y.append(now)
    t = (np.arange(2 * steps) + 1)[steps:] * n * h
    basis = np.column_stack([np.ones_like(t), np.cos(w * t), np.sin(w * t)])
    X, Y = (np.linalg.lstsq(basis, np.array(s)[steps:], rcond=None)[0] for s in (x, y))
    return amplitude * abs(1 - (Y[1] - 1j * Y[2]) / (X[1] - 1j * X[2]))


# ---- a spring that rubs, figures 5.18 and 5.19; the first hybrid test, table 3.5 ----


@lru_cache(None)
def rubbing(actual=0.0166, tau=None):
    """1520 kg, 20 and 40 kN/m, 50 N of friction, 300 N at 1.3 Hz; ticks of 1 ms. The run and its displacements."""
    h = 0.001
    force = lambda x, v, a: 40e3 * x + 50 * np.tanh(v / 1e-4) + 1e-3 * a
    test = Hybrid(1520.0, 0.0, 20e3, 0.01, 5, lambda t: 300 * np.sin(2.6 * np.pi * t), Delay(actual, h), force,
                  Velocity(2, 0.005) if tau else None, tau)
    return test, test.run(30.0)


def missed(actual, tau):
    """Largest of target less measured displacement [mm] at the steps from 20 s on."""
    test, _ = rubbing(actual, tau)
    d, y = np.array(test.desired)[::10], np.array(test.measured)[::10]
    return 1000 * np.abs(d - y)[2000:].max()


def sweep(t):
    return 1406 * np.sin(2 * np.pi * (0.1 + 4.9 * t / 40) * t) if t < 20 else 0.0


@lru_cache(None)
def first_test(compensator="velocity", tau=0.0218, end=20.0):
    """Table 3.5: a tenth of mass and stiffness on a TT1 actuator with IMC of 6 ms, ticks of 1/1024 s, no filter."""
    h = 1 / 1024
    force = lambda x, v, a: 298.9 * a + 5300 * v + 42.6e3 * x
    ahead = {"velocity": lambda: Velocity(2, 5 * h), "lagrange": lambda: Stages(lambda: Lagrange(3, 10 * h), 2)}[compensator]()
    test = Hybrid(2989.0, 3570.0, 426e3, 10 * h, 5, sweep, Controlled("imc6", h), force, ahead, tau)
    return test, test.run(end)


@lru_cache(None)
def emulated():
    return lsrt2(3287.9, 8870.0, 468.6e3, 10 / 1024, sweep, 20.0)


def first_error():
    u, r = first_test()[1], emulated()
    return np.sqrt(np.sum((u - r)**2) / np.sum(r**2))


def first_delay():
    """(36): least squares of command and measured displacement at the steps, [ms]."""
    test, _ = first_test()
    c, y = np.array(test.commands)[::10], np.array(test.measured)[::10]
    t, h = np.arange(len(c)), 10 / 1024
    misfit = lambda tau: np.sum((c[:-10] - np.interp(t[:-10] + tau, t, y))**2)
    grid = np.arange(0.0, 6.0, 0.01)
    return 1000 * h * grid[np.argmin([misfit(x) for x in grid])]
