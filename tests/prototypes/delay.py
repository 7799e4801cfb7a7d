"""Delay: predictors, loops of integrator, predictor and delay line, estimators.

Equations: docs/theory/delay.md; the integrator is LSRT2 of docs/theory/integrators.md."""

from decimal import Decimal, getcontext

import numpy as np

GM = 1 - np.sqrt(2) / 2


# ---- what a delay does: (1) ----


def decay(tau, spring=0.0, mass=0.0, damper=0.0, m=1.0, k=200.0):
    """Of m x'' + c x' + k x + (mass s^2 + spring) x(t - tau) = 0 [1/s], by Newton's method from the undelayed root."""
    s = 1j * np.sqrt((k + spring) / (m + mass))
    for _ in range(50):
        late, free = np.exp(-s * tau), mass * s * s + spring
        value = m * s * s + damper * s + k + free * late
        slope = 2 * m * s + damper + (2 * mass * s - tau * free) * late
        s -= value / slope
    return -s.real


def third_order(eta, omega):
    """Target to command of the polynomial of third order, its weights written out (order 3 of (4))."""
    z = np.exp(-1j * omega)
    weights = (1 + 11 / 6 * eta + eta**2 + eta**3 / 6, -(3 * eta + 5 / 2 * eta**2 + eta**3 / 2),
               3 / 2 * eta + 2 * eta**2 + eta**3 / 2, -(eta / 3 + eta**2 / 2 + eta**3 / 6))
    return sum(w * z**j for j, w in enumerate(weights))


# ---- predictors as transfer functions, one delay of one step: (4) to (9) ----


def predictor(kind, omega):
    """Target to displacement at its due time, D = tau = dt; omega = w dt. Kinematic ones start a step earlier."""
    z = np.exp(-1j * omega)  # one step back
    v, a = 1j * omega, -omega**2  # times dt, dt^2
    weights = {"newmark": z * (1 + 2 * v + 2 * a), "linear": z * (1 + 2 * v + 10 / 3 * a - 4 / 3 * a * z),
               "second": z + 2 * v, "third": -4 + 5 * z + 4 * v + 2 * v * z, "lagrange2": 3 - 3 * z + z**2}
    return weights[kind] * z  # the delay


def magnitude(kind, omega):
    return abs(predictor(kind, omega))


def phase(kind, omega):
    return np.angle(predictor(kind, omega))


# ---- free vibration with a spring behind a delay ----


def free_vibration(k, order, tau=0.010, tau_c=0.010, optimal=False, known=False, end=40.0, dt=0.01, tick=0.001, u0=0.01,
                   rule="newest"):
    """Displacement of 1 kg on k_n = k_e = k at the ends of steps, and the share of targets that were crossed.

    LSRT2, targets at both stages (`half` data), commands joined by straight lines over the ticks of a stage, force of
    the measured displacement at the due time, or where the measured displacement passed the target (19) to (21).
    `known`: the Jacobian has k_e."""
    n = round(dt / 2 / tick)
    late, window = round(tau / tick), round(dt / tick)
    J = np.array([[0, 1], [-(k + (k if known else 0)), 0]])
    W = np.linalg.inv(np.eye(2) - GM * dt * J)
    D = dt / 2
    eta = tau_c / D
    commands = [u0] * (late + window + 2)
    measured = [u0] * (window + 1)
    last, before = np.array([u0, 0.0]), np.array([u0, 0.0])
    hits = asked = 0

    def force(y):
        nonlocal last, before, hits, asked
        before, last = last, y
        if tau_c == 0:
            c = y[0]
        elif order == 2:
            c = (1 - eta**2) * last[0] + eta**2 * before[0] + (eta + eta**2) * D * last[1]
        else:
            c = ((1 - 3 * eta**2 - 2 * eta**3) * last[0] + (3 * eta**2 + 2 * eta**3) * before[0] +
                 (eta + 2 * eta**2 + eta**3) * D * last[1] + (eta**2 + eta**3) * D * before[1])
        start = commands[-1]
        for j in range(1, n + 1):
            commands.append(start + (c - start) * j / n)
            measured.append(commands[-1 - late])
        if not optimal:
            return k * measured[-1]
        asked += 1
        seen = measured[-window - 1:]
        for j in range(len(seen) - 2, -1, -1):  # newest pair first
            if min(seen[j], seen[j + 1]) <= y[0] <= max(seen[j], seen[j + 1]):
                hits += 1
                return k * y[0]
        if rule == "nearest":
            return k * min(seen, key=lambda x: abs(x - y[0]))
        return k * seen[-1]

    y, r = np.array([u0, 0.0]), k * u0
    out = [y[0]]
    for _ in range(round(end / dt)):
        F = lambda y, r: np.array([y[1], -k * y[0] - r])
        k1 = dt * W @ F(y, r)
        m = y + k1 / 2
        k2 = dt * W @ (F(m, force(m)) - GM * J @ k1)
        y = y + k2
        r = force(y)
        out.append(y[0])
    return np.array(out), hits / asked if asked else 1.0


def peak(second, *a, **s):
    """Largest displacement in the second before `second`, in mm."""
    u, _ = free_vibration(*a, end=float(second), **s)
    return 1000 * np.abs(u[round((second - 1) / 0.01):]).max()


# ---- choosing the force afterwards, on a sine: (19), (20) ----


def matched(gain, step=0.02, kappa=5, late=0, steps=12000, of="share"):
    """Targets sin(n step): part of those that the measured sine passes within the last 2 kappa steps, or the largest
    difference to what is chosen. The actuator is kappa steps early, less `late`, with a gain."""
    hits, largest = 0, 0.0
    for n in range(400, steps):
        target = np.sin(step * n)
        seen = gain * np.sin(step * (n + kappa - late - np.arange(2 * kappa + 1)))
        near = 1e-5 * abs(np.cos(step * n)) + 1e-5  # prediction of third order, five steps ahead
        if seen.min() - near <= target <= seen.max() + near:
            hits += 1
        else:
            largest = max(largest, abs(target - seen[0]))
    return hits / (steps - 400) if of == "share" else largest


# ---- a loop of explicit Newmark with the predictors of its own family: matrices (5.11) and (5.13) of the source ----


def newmark_matrix(kind, omega):
    """k_n = k_e, delay of one step; state (x, dt v, dt^2 a, (dt^2 a_-), prediction at its due time)."""
    q = omega**2 / 2
    if kind == "newmark":
        return np.array([[1, 1, 0.5, 0], [-q / 2, 1 - q / 2, 0.5 - q / 4, -q / 2], [-q, -q, -q / 2, -q], [1, 2, 2, 0]])
    return np.array([[1, 1, 0.5, 0, 0], [-q / 2, 1 - q / 2, 0.5 - q / 4, 0, -q / 2], [-q, -q, -q / 2, 0, -q],
                     [0, 0, 1, 0, 0], [1, 2, 10 / 3, -4 / 3, 0]])


def newmark_radius(kind, omega):
    return np.abs(np.linalg.eigvals(newmark_matrix(kind, omega))).max()


def newmark_limit(kind, low, high, growing=True):
    """Omega at which the radius passes 1 between low and high."""
    while high - low > 1e-9:
        mid = (low + high) / 2
        above = newmark_radius(kind, mid) > 1 + 1e-10
        low, high = (low, mid) if above == growing else (mid, high)
    return (low + high) / 2


# ---- a loop of LSRT2 with the same predictors, from completed states: (6), (7) ----


def lsrt2_matrix(kind, omega, data="stage", known=True):
    """k_n = k_e, unit mass and step, delay of one step. State: (x, v, a) of the last completed stages, newest first, and
    the commands under way. Every stage has the acceleration of its equation of motion. `data`: predictions start from
    the last stage, or from the end of the last step."""
    k = omega**2 / 2
    J = np.array([[0, 1], [-(2 * k if known else k), 0]])
    W = np.linalg.inv(np.eye(2) - GM * J)
    kept, under_way = 4, 3

    def command(past, stage):
        if data == "stage":
            last, before, H, D = past[0], past[1], 1.5, 0.5
        else:
            last, before, H, D = past[stage], past[stage + 2], 1.5 + stage / 2, 1.0
        x = last[0] + H * last[1]
        if kind == "newmark":
            return x + H**2 / 2 * last[2]
        return x + H**2 / 6 * (2 * last[2] + last[2] + H / D * (last[2] - before[2]))

    def step(z):
        past = [z[3 * i:3 * i + 3] for i in range(kept)]
        line = list(z[3 * kept:])
        x, v, a = past[0]
        k1 = W @ np.array([v, a])
        y = np.array([x, v]) + k1 / 2
        for stage in range(2):
            line.insert(0, command(past, stage))
            a = -k * y[0] - k * line[2]  # the command of two stages ago
            past.insert(0, np.array([y[0], y[1], a]))
            if stage == 0:
                y = np.array([x, v]) + W @ (np.array([y[1], a]) - GM * J @ k1)
        return np.concatenate(past[:kept] + [line[:under_way]])

    return np.array([step(unit) for unit in np.eye(3 * kept + under_way)]).T


def lsrt2_radius(kind, omega, **s):
    return np.abs(np.linalg.eigvals(lsrt2_matrix(kind, omega, **s))).max()


def lsrt2_limit(kind, low, high, **s):
    """Omega at which the radius leaves 1 between low and high."""
    while high - low > 1e-7:
        mid = (low + high) / 2
        low, high = (low, mid) if lsrt2_radius(kind, mid, **s) > 1 + 1e-8 else (mid, high)
    return (low + high) / 2


def newmark_delayed(omega, steps):
    """Explicit Newmark with its own predictor and a delay of several steps, compensated exactly: one step of unit states."""
    q, H = omega**2 / 2, 1 + steps

    def step(s):
        x, v, a = s[:3]
        queue = [x + H * v + H * H / 2 * a, *s[3:]]  # commands, newest first
        x1 = x + v + a / 2
        a1 = -q * x1 - q * queue[-1]
        return [x1, v + (a + a1) / 2, a1, *queue[:-1]]

    return np.array([step(e) for e in np.eye(3 + steps)]).T


def newmark_delayed_limit(steps, low, high):
    radius = lambda w: np.abs(np.linalg.eigvals(newmark_delayed(w, steps))).max()
    while high - low > 1e-7:
        mid = (low + high) / 2
        low, high = (low, mid) if radius(mid) > 1 + 1e-9 else (mid, high)
    return (low + high) / 2


# ---- the same for LSRT2 with velocities: states of one step sent through, commands due two stages later ----


def velocity_radius(omega, order, data="half", known=True, g=GM):
    """k_n = k_e, unit mass, dt = 1, delay of one step; (8), (9)."""
    k = omega**2 / 2
    J = np.array([[0, 1], [-(2 * k if known else k), 0]])
    W = np.linalg.inv(np.eye(2) - g * J)
    D, back = (0.5, 1) if data == "half" else (1.0, 2)
    eta = 1 / D

    def ask(y, past, queue):
        """Force at the target y; `past`: last targets, newest first."""
        z = past[back - 1]
        if order == 2:
            c = (1 - eta**2) * y[0] + eta**2 * z[0] + (eta + eta**2) * D * y[1]
        else:
            c = ((1 - 3 * eta**2 - 2 * eta**3) * y[0] + (3 * eta**2 + 2 * eta**3) * z[0] +
                 (eta + 2 * eta**2 + eta**3) * D * y[1] + (eta**2 + eta**3) * D * z[1])
        return k * queue[1], [y, past[0]], [c, queue[0]]

    def step(s):
        y, r, past, queue = s[:2], s[2], [s[3:5], s[5:7]], [s[7], s[8]]
        F = lambda y, r: np.array([y[1], -k * y[0] - r])
        k1 = W @ F(y, r)
        m = y + k1 / 2
        r, past, queue = ask(m, past, queue)
        y = y + W @ (F(m, r) - g * J @ k1)
        r, past, queue = ask(y, past, queue)
        return np.concatenate([y, [r], *past, queue])

    A = np.array([step(e) for e in np.eye(9)]).T
    return np.abs(np.linalg.eigvals(A)).max()


def velocity_limit(low, high, *a, **s):
    while high - low > 1e-7:
        mid = (low + high) / 2
        low, high = (low, mid) if velocity_radius(mid, *a, **s) > 1 + 1e-9 else (mid, high)
    return (low + high) / 2


# ---- estimators ----


class Rls:
    """(32) to (34): takes command and measured displacement, says the delay, or None before the batch is full."""

    def __init__(self, rho, dt, batch=20, motion=0.0):
        self.rho, self.dt, self.batch, self.motion = rho, dt, batch, motion
        self.last, self.pairs, self.answers, self.P = None, [], [], None

    def step(self, command, measured):
        if self.last is None:
            self.last = command
            return None
        psi, self.last = np.array([command, self.last]), command
        if np.abs(psi).max() <= self.motion:
            return self.delay() if self.P is not None else None
        if self.P is None:
            self.pairs.append(psi)
            self.answers.append(measured)
            if len(self.pairs) < self.batch:
                return None
            A, b = np.array(self.pairs), np.array(self.answers)
            self.P = np.linalg.inv(A.T @ A)
            self.P = (self.P + self.P.T) / 2  # an error of symmetry would grow as rho^-i
            self.theta = self.P @ A.T @ b
            return self.delay()
        g = self.P @ psi
        d = self.rho + psi @ g
        self.theta = self.theta + g / d * (measured - psi @ self.theta)
        self.P = (self.P - np.outer(g, g) / d) / self.rho
        return self.delay()

    def delay(self):
        return self.dt * self.theta[1] / self.theta.sum()


def rls_history(samples, rho, response, f=1.0, dt=0.005, amplitude=1.0):
    """Estimates [ms] on a sine that begins at t = 0; `response`(command, t, i): measured at sample i."""
    command = lambda t: amplitude * np.sin(2 * np.pi * f * t) if t > 0 else 0.0
    rls = Rls(rho, dt)
    found = [rls.step(command(i * dt), response(command, i * dt, i)) for i in range(samples + 1)]
    return 1000 * np.array([np.nan if x is None else x for x in found])


def rls(sample, rho, tau=0.010, **s):
    """Estimate [ms] after `sample` samples with a constant delay."""
    return rls_history(sample, rho, lambda command, t, i: command(t - tau), **s)[-1]


def rls_spread(rho, sigma=4.1e-6, seeds=5):
    """Largest less smallest estimate [ms] from 5 to 20 s with white noise on the reading of 1 mm: median of some seeds."""
    spread = []
    for seed in range(seeds):
        noise = np.random.default_rng(seed).normal(0, sigma, 4001)
        spread.append(np.ptp(rls_history(4000, rho, lambda command, t, i: command(t - 0.01) + noise[i], amplitude=0.001)[1000:]))
    return np.median(spread)


def rls_varying(rho, end=20.0, dt=0.005):
    """Estimate [ms] at the end, delay 10 + 10 sin(0.2 pi t) ms and gain 1.1, commands joined by straight lines."""
    def response(command, t, i):
        late = (t - 0.01 - 0.01 * np.sin(0.2 * np.pi * t)) / dt
        j = np.floor(late)
        return 1.1 * ((1 - late + j) * command(j * dt) + (late - j) * command((j + 1) * dt))
    return rls_history(round(end / dt), rho, response)[-1]


def rls_limit(f=1.0, dt=0.005, tau=0.010):
    """(35) [ms]"""
    n, d = tau / dt, 2 * np.pi * f * dt
    return 1000 * dt * np.sin(n * d) / (np.sin(n * d) - np.sin((n - 1) * d))


def pade(f=1.0, dt=0.005, tau=0.010):
    """(31) [ms]"""
    w = 2 * np.pi * f
    return 1000 * 2 / w * np.tan(w * tau / 2) * w * dt / np.sin(w * dt)


def _sin(x):
    """Sine with the digits of the context."""
    x = x % (2 * _pi())
    term, total, n = x, x, 1
    while abs(term) > Decimal(10)**(-getcontext().prec):
        term = -term * x * x / ((2 * n) * (2 * n + 1))
        total += term
        n += 1
    return total


def _pi():
    """Machin's formula."""
    def atan_inverse(n):
        total, term, k = Decimal(0), Decimal(1) / n, 0
        while abs(term) > Decimal(10)**(-getcontext().prec - 5):
            total += (-1)**k * term / (2 * k + 1)
            term /= n * n
            k += 1
        return total
    return 4 * (4 * atan_inverse(5) - atan_inverse(239))


def ahmadizadeh(sample, gain="0.003", digits=50):
    """(28) in open loop [ms]: 50 mm at 1 Hz, lag and step of 10 ms, from zero, with `digits` digits. Where the three
    samples lie about a peak the denominator is zero in exact arithmetic, and the estimate stays."""
    getcontext().prec = digits
    dt, w = Decimal("0.01"), 2 * _pi()
    want = [Decimal("0.05") * _sin(w * dt * i) for i in range(sample + 1)]
    have = [Decimal("0.05") * _sin(w * dt * (i - 1)) for i in range(sample + 1)]
    tau = Decimal(0)
    for i in range(2, sample + 1):
        way = have[i] - have[i - 2]
        if abs(way) < Decimal(10)**(-digits // 2):
            continue
        tau += 2 * Decimal(gain) * dt * (sum(want[i - 2:i + 1]) - sum(have[i - 2:i + 1])) / 3 / way
        tau = min(max(tau, Decimal(0)), Decimal("0.1"))
    return float(1000 * tau)


def servo_delay(f, omega=100.0, zeta=0.8):
    """Phase over frequency of a servo of second order [ms]."""
    w = 2 * np.pi * f
    r = w / omega
    return 1000 * np.arctan2(2 * zeta * r, 1 - r * r) / w
