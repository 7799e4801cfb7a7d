"""The rig of two masses that slide and turn between six springs: exact geometry, and torn with small angles.

Equations: docs/theory/test-rigs.md, (20) to (23); couplings in rosenbrock.py through structures.py."""

from functools import lru_cache

import numpy as np

import structures

E, M, J = 0.2, 237.0, 5.275
SPRINGS = (14800.0, 16280.0, 14652.0, 17582.4, 16703.28, 17538.444)
C, GUIDE = 10.0, 75.0
START = np.array([0.03, np.radians(5), 0, 0])
# rows (h1, theta1, h2, theta2): x = a h1 + b e sin theta1 + c h2 + d e sin theta2
ROWS = np.array([[1, 1, 0, 0], [1, -1, 0, 0], [-1, -1, 1, 1], [-1, 1, 1, -1], [0, 0, -1, -1], [0, 0, -1, 1]], float)


@lru_cache(None)
def exact(t, h=1e-3, lifting=()):
    """(h1, theta1, h2, theta2) at t, by Runge-Kutta steps. Springs that are `lifting` leave their support where they would pull."""
    m = np.array([M, J, M, J])

    def rate(y):
        u, v = y[:4], y[4:]
        arms = ROWS * [1, E * np.cos(u[1]), 1, E * np.cos(u[3])]
        x = ROWS @ [u[0], E * np.sin(u[1]), u[2], E * np.sin(u[3])]
        pressed = np.where(np.isin(np.arange(6), lifting), np.maximum(x, 0), x)
        force = np.array(SPRINGS) * pressed + C * (arms @ v)
        return np.concatenate([v, (-arms.T @ force - GUIDE * v * [1, 0, 1, 0]) / m])

    y = np.concatenate([START, np.zeros(4)])
    for _ in range(round(t / h)):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
    return y[:4]


def matrices(which):
    """K and C of some springs with small angles."""
    B = ROWS[which] * [1, E, 1, E]
    return B.T @ np.diag(np.array(SPRINGS)[which]) @ B, C * B.T @ B


@lru_cache(None)
def torn(floating_fine=True):
    """Outer springs (NS1, NS2) against the middle part, masses and guides halved. Degrees of freedom h1, theta1, h2, theta2 on
    either side; the middle part is B, or A where it is computed."""
    outer, middle = matrices([0, 1, 4, 5]), matrices([2, 3])
    m, guide = np.array([M, J, M, J]) / 2, np.diag([GUIDE, 0, GUIDE, 0]) / 2
    A, B = (outer, middle) if floating_fine else (middle, outer)
    rest = np.zeros(4)
    return structures.Torn(m, A[0], np.eye(4), m, B[0], -np.eye(4), [START, START], [rest, rest], CA=A[1] + guide, CB=B[1] + guide)


def emulated(t=2.0):
    """Small angles, untorn."""
    return torn().exact(0.001, round(t / 0.001))[-1, :4]


def error(method, dt, dof, floating_fine=True, t=2.0, **s):
    """Of a displacement of the middle part."""
    x = torn(floating_fine)
    n = round(t / dt)
    a, b = x.run(method, dt, n, **s)
    return (b if floating_fine else a)[-1, dof] - x.exact(dt, n)[-1, dof]


def largest_error(method, dt, t=2.0, **s):
    x = torn()
    n = round(t / dt)
    a, b = x.run(method, dt, n, **s)
    return np.abs(np.concatenate([a[-1, :4], b[-1, :4]]) - x.exact(dt, n)[-1]).max()


def gap(method, dt, floating_fine=True, t=2.0, **s):
    """Largest of all rows in the run."""
    a, b = torn(floating_fine).run(method, dt, round(t / dt), **s)
    return np.abs(a[:, :4] - b[:, :4]).max()
