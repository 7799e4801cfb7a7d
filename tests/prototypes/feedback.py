"""The coupling `feedback` with subcycling by differentiation, a split mass on a spring as specimen, LSRT2.

Equations: docs/theory/integrators.md, (21), (25), (31) and section 9."""

import numpy as np

GM = 1 - np.sqrt(2) / 2


def platform(steps, h=0.01, m=10.0, c=40.0, k=1000.0, mp=1.0, kp=400.0, g=GM):
    """Displacement and velocity of the platform at every step, 12 N at 2.2 Hz, from rest."""
    f = lambda t: 12 * np.sin(2 * np.pi * 2.2 * t)
    J = np.array([[0, 1], [-k / m, -c / m]])
    W = np.linalg.inv(np.eye(2) - g * h * J)
    F = lambda t, y, fs: np.array([y[1], (f(t) - c * y[1] - k * y[0] - fs) / m])
    y, fs = np.zeros(2), mp * f(0) / (m + mp)
    out = [y]
    for i in range(steps):
        t = i * h
        k1 = h * W @ F(t, y, fs)
        mid = y + k1 / 2
        fs = mp * k1[1] / h + kp * mid[0]  # the path of the first stage is a chord
        k2 = h * W @ (F(t + h / 2, mid, fs) - g * J @ k1)
        y = y + k2
        slope = (-k1[1] + 2 * (1 - g) * k2[1]) / (1 - 2 * g) / h  # (31) at the end
        fs = mp * slope + kp * y[0]
        out.append(y)
    return np.array(out)


def driven_gap(steps, h=0.01, m=10.0, c=40.0, k=1000.0, mp=1.0, kp=400.0, g=GM):
    """Largest distance of the dense output, (25), at the ends of steps from the platform: where the specimen is driven to."""
    f = lambda t: 12 * np.sin(2 * np.pi * 2.2 * t)
    J = np.array([[0, 1], [-k / m, -c / m]])
    W = np.linalg.inv(np.eye(2) - g * h * J)
    F = lambda t, y, fs: np.array([y[1], (f(t) - c * y[1] - k * y[0] - fs) / m])
    y, fs, gap = np.zeros(2), mp * f(0) / (m + mp), 0.0
    for i in range(steps):
        t = i * h
        k1 = h * W @ F(t, y, fs)
        mid = y + k1 / 2
        fs = mp * k1[1] / h + kp * mid[0]
        k2 = h * W @ (F(t + h / 2, mid, fs) - g * J @ k1)
        at = lambda eta: y + eta * (1 - eta) / (1 - 2 * g) * k1 + eta * (eta - 2 * g) / (1 - 2 * g) * k2
        gap = max(gap, abs(at(1.0)[0] - (y + k2)[0]))
        y = y + k2
        fs = mp * (-k1[1] + 2 * (1 - g) * k2[1]) / (1 - 2 * g) / h + kp * y[0]
    return gap
