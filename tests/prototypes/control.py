"""Displacement loops of one actuator: frequency responses of the continuous loops, gains by the rule of Chien, Hrones, Reswick.

Equations: docs/theory/control.md. Plants are a lag of second order behind a dead time; controllers PI, PID without filter
and internal model control with a filter of second order."""

import numpy as np

TT1 = dict(gain=0.9868, T1=0.05397, T2=0.005014, dead=0.009331)
SERVO = dict(gain=1.0, omega=80.0, zeta=0.80, dead=0.009)
PID = dict(K=3.320, Ti=0.05899, Td=0.006305)
PI = dict(K=1.937, Ti=0.07079, Td=0.0)


def denominator(p):
    """b2, b1 of b2 s^2 + b1 s + 1."""
    if "omega" in p:
        return 1 / p["omega"]**2, 2 * p["zeta"] / p["omega"]
    return p["T1"] * p["T2"], p["T1"] + p["T2"]


def plant(s, p):
    b2, b1 = denominator(p)
    return p["gain"] * np.exp(-p["dead"] * s) / (b2 * s * s + b1 * s + 1)


def loop(kind, f, p=TT1):
    """Target to displacement at f [Hz]."""
    s = 2j * np.pi * f
    if kind.startswith("imc"):
        T = float(kind[3:]) / 1000
        return np.exp(-p["dead"] * s) / (T * s + 1)**2
    c = PID if kind == "pid" else PI
    G = c["K"] * (1 + 1 / (c["Ti"] * s) + c["Td"] * s) * plant(s, p)
    return G / (1 + G)


def magnitude(kind, f):
    return abs(loop(kind, f))


def delay(kind, f):
    """[ms]"""
    return -1000 * np.angle(loop(kind, f)) / (2 * np.pi * f)


# ---- the cascade behind the plant: screw, motor, speed loop, inner loop: (11) to (13) ----

MOTOR = dict(lead=0.010, inertia=0.403e-3, speed=314.0, torque=4.00)
LOOPS = dict(gain=0.9868, speed_time=0.004588, inner=16.954, dead=0.009331)
PRINTED = dict(gain=1.0, speed_time=0.403e-3 * 314 / (50 * 4.00), inner=0.015 * 1000 * 314 * 0.010 / (2 * np.pi), dead=0.009331)
OSCILLATOR = dict(mass=298.9, damping=5300.0, stiffness=42600.0)


def travel():
    """Of the screw for a radian [m]."""
    return MOTOR["lead"] / (2 * np.pi)


def cascade(c=LOOPS):
    """(T1, T2) of the inner loop without a load: T1 + T2 = 1/g, T1 T2 = T_w/g."""
    root = np.sqrt(1 - 4 * c["speed_time"] * c["inner"])
    return (1 + root) / (2 * c["inner"]), (1 - root) / (2 * c["inner"])


def loaded(s, specimen=None, c=LOOPS):
    """Drive to displacement; the specimen loads the motor through the screw."""
    R, J = travel(), MOTOR["inertia"]
    k_w = J / c["speed_time"]
    load = (specimen["mass"] * s * s + specimen["damping"] * s + specimen["stiffness"]) * R**2 if specimen else 0
    return k_w * c["inner"] * c["gain"] * np.exp(-c["dead"] * s) / (J * s * s + k_w * s + k_w * c["inner"] + load)


def felt(kind, f, specimen=None):
    """Target to displacement at f [Hz] where the plant feels the specimen; the internal model does not know it."""
    s = 2j * np.pi * f
    G = loaded(s, OSCILLATOR if specimen is None else specimen)
    if kind.startswith("imc"):
        M = plant(s, TT1)
        Q = np.exp(-TT1["dead"] * s) / (float(kind[3:]) / 1000 * s + 1)**2 / M
        return G * Q / (1 + (G - M) * Q)
    C = PID["K"] * (1 + 1 / (PID["Ti"] * s) + PID["Td"] * s)
    return G * C / (1 + G * C)


def felt_delay(kind, f):
    """[ms]"""
    return -1000 * np.angle(felt(kind, f)) / (2 * np.pi * f)


def expm(A):
    """Scaling and a Taylor series."""
    n = max(0, int(np.ceil(np.log2(np.abs(A).sum(axis=1).max() + 1e-30))) + 6)
    X = A / 2.0**n
    E, term = np.eye(len(A)), np.eye(len(A))
    for k in range(1, 14):
        term = term @ X / k
        E = E + term
    for _ in range(n):
        E = E @ E
    return E


def sampled(p, h):
    """x' = A x + B u over a held sample: (Ad, Bd), output gain x[0]."""
    b2, b1 = denominator(p)
    M = np.array([[0, 1, 0], [-1 / b2, -b1 / b2, p["gain"] / b2], [0, 0, 0]])
    E = expm(M * h)
    return E[:2, :2], E[:2, 2]


def chr_pid(p):
    """No-overshoot gains by the tangent at the inflection of the step response: (51)."""
    h = 1e-5
    A, B = sampled(dict(p, gain=1.0), h)
    x, best, t = np.zeros(2), (0, 0, 0), 0.0
    for k in range(200000):
        x = A @ x + B
        t += h
        if x[1] > best[0]:
            best = (x[1], t, x[0])
        elif x[0] > 0.9:
            break
    slope, at, y = best
    L = p["dead"] + at - y / slope
    a = p["gain"] * L * slope
    _, b1 = denominator(p)
    return dict(K=0.6 / a, Ti=b1, Td=0.5 * L)


# ---- sampled loops: (1), (5), (34) to (42) ----

TICK = 1 / 1024
CHR = dict(K=1.36846, Ti=0.01939, Td=0.006463)  # of SERVO, as the case has them


class Plant:
    """(5): exact between the two drives that a tick sees."""

    def __init__(self, p, h):
        self.late = int(np.floor(p["dead"] / h + 1e-12))
        rest = p["dead"] - self.late * h
        self.parts = [sampled(p, rest), sampled(p, h - rest)]
        self.drives, self.z = [0.0] * (self.late + 2), np.zeros(2)

    def step(self, u):
        self.drives.append(u)
        for (A, B), drive in zip(self.parts, (self.drives[-2 - self.late], self.drives[-1 - self.late])):
            self.z = A @ self.z + B * drive
        return self.z[0]


class Inverse:
    """(39), (40) and (41)"""

    def __init__(self, p, T, h):
        c = 2 / h
        tustin = lambda q2, q1, q0: np.array([q2 * c * c + q1 * c + q0, 2 * (q0 - q2 * c * c), q2 * c * c - q1 * c + q0])
        b2, b1 = denominator(p)
        n, d = tustin(b2, b1, 1) / p["gain"], tustin(T * T, 2 * T, 1)
        self.n, self.d, self.e, self.u = n / d[0], d / d[0], [0.0, 0.0], [0.0, 0.0]

    def step(self, e):
        u = self.n @ [e, *self.e] - self.d[1:] @ self.u
        self.e, self.u = [e, self.e[0]], [u, self.u[0]]
        return u


def step_response(kind, p=TT1, model=TT1, gains=PID, disturbance=0.0, end=0.4, h=TICK):
    """Readings at the ticks after a unit step of the target at 0; the disturbance joins the readings at 0.2 s."""
    plant, beside = Plant(p, h), Plant(model, h)
    inverse = Inverse(model, float(kind[3:]) / 1000, h) if kind.startswith("imc") else None
    x, expected, integral, before, out = 0.0, 0.0, 0.0, 0.0, []
    for k in range(round(end / h) + 1):
        y = x + (disturbance if k * h >= 0.2 else 0.0)
        out.append(y)
        e = 1 - y
        if inverse:
            u = inverse.step(e + expected)
            expected = beside.step(u)
        else:
            u = gains["K"] * (e + integral + gains["Td"] * (e - before) / h)
            integral, before = integral + h / gains["Ti"] * e, e
        x = plant.step(u)
    return np.array(out)


def missing(kind, first=0.0, last=0.2, h=TICK, **s):
    """Integral of the modulus of the error, by trapezes."""
    e = np.abs(1 - step_response(kind, h=h, **s))
    t = np.arange(len(e)) * h
    e = e[(t >= first) & (t <= last)]
    return h * (e.sum() - (e[0] + e[-1]) / 2)


def overshoot(kind, **s):
    """Largest value up to 0.2 s."""
    return step_response(kind, end=0.2, **s).max()


def robust(kind, change=None, factor=1.5, **s):
    """The plants of figure 3.17: one parameter larger than in the model."""
    return dict(kind=kind, p=dict(TT1, **({change: factor * TT1[change]} if change else {})), **s)


def servo(kind, change=None, factor=1.5, **s):
    """The plants of figure 3.18."""
    return dict(kind=kind, p=dict(SERVO, **({change: factor * SERVO[change]} if change else {})), model=SERVO, gains=CHR, **s)


def settled(K, Ti, since, end=0.4, h=0.001, p=dict(gain=1.0, omega=100.0, zeta=0.9, dead=0.0)):
    """Largest error of a PI loop about a servo from `since` [s] on, after a unit step: (5), (34)."""
    A, B = sampled(p, h)
    x, integral, worst = np.zeros(2), 0.0, 0.0
    for k in range(round(end / h)):
        e = 1 - x[0]
        x = A @ x + B * K * (e + integral)
        integral += h / Ti * e
        if (k + 1) * h >= since - 1e-9:
            worst = max(worst, abs(1 - x[0]))
    return worst
