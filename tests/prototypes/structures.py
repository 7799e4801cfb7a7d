"""Linear structures of several degrees of freedom, torn in two sides: couplings of rosenbrock.py on them, exact solutions.

Equations: docs/theory/conventions.md (rows of an interface), couplings.md (16) for the start of IPLSRT2."""

from functools import lru_cache

import numpy as np
from numpy.linalg import inv, lstsq, solve, svd

import rosenbrock
from control import expm
from rosenbrock import Side


class Torn:
    """Two sides with their rows. d, v: initial motion of A and B; loads: (side, dof, amplitude, frequency in Hz), sines."""

    def __init__(self, MA, KA, GA, MB, KB, GB, d, v, CA=None, CB=None, loads=()):
        square = lambda X: np.diag(X).astype(float) if np.ndim(X) == 1 else np.array(X, float)
        self.d, self.v = [np.array(x, float) for x in d], [np.array(x, float) for x in v]
        self.loads = loads
        self.matrices = [(square(MA), square(KA), np.array(GA, float), None if CA is None else square(CA)),
                         (square(MB), square(KB), np.array(GB, float), None if CB is None else square(CB))]
        self.A, self.B = (Side(M, K, G, C, load=self.load(i) if loads else None)
                          for i, (M, K, G, C) in enumerate(self.matrices))
        self.assemble()

    def load(self, side):
        n = len(self.matrices[side][0])
        mine = [(dof, F, 2 * np.pi * f) for s, dof, F, f in self.loads if s == side]

        def f(t):
            out = np.zeros(n)
            for dof, F, w in mine:
                out[dof] += F * np.sin(w * t)
            return out

        return f

    def assemble(self):
        """The untorn structure in coordinates q of the motions that keep the interface closed, (u_A, u_B) = Z q."""
        A, B = self.A, self.B
        G = np.hstack([A.G, B.G])
        self.Z = svd(G)[2][len(G):].T
        whole = lambda X, Y: np.block([[X, np.zeros((len(X), len(Y)))], [np.zeros((len(Y), len(X))), Y]])
        self.M, self.C, self.K = (self.Z.T @ whole(getattr(A, x), getattr(B, x)) @ self.Z for x in "MCK")
        self.P = self.Z.T @ self.patterns()

    def patterns(self):
        nA = self.A.n
        P = np.zeros((nA + self.B.n, len(self.loads)))
        for j, (side, dof, F, _) in enumerate(self.loads):
            P[dof + side * nA, j] = F
        return P

    def start(self, a, b, pair):
        """a_2 of IPLSRT2: one cr step of 2 dt of the untorn structure from t = 0, where sines vanish."""
        h, nA, nB = 2 * pair.dt, self.A.n, self.B.n
        u, v = (lstsq(self.Z, np.concatenate([a[i * nA:(i + 1) * nA], b[i * nB:(i + 1) * nB]]), rcond=None)[0]
                for i in (0, 1))
        w = solve(self.M + h / 2 * self.C + h * h / 4 * self.K, -self.K @ u - self.C @ v)
        v = v + h * w
        u = u + h * v
        return np.concatenate([(self.Z @ u)[:nA], (self.Z @ v)[:nA]])

    @lru_cache(None)
    def run(self, method, dt, steps, **s):
        """States (u, v) of A and B at the steps."""
        pair = rosenbrock.Pair(self.A, self.B, method, dt, untorn=self.start, **s)
        return pair.run(np.concatenate([self.d[0], self.v[0]]), np.concatenate([self.d[1], self.v[1]]), steps)

    @lru_cache(None)
    def exact(self, dt, steps):
        """Displacements (u_A, u_B) of the untorn structure at the steps, by the exponential of one step."""
        n, m = len(self.M), len(self.loads)
        Mi = inv(self.M)
        X = np.zeros((2 * n + 2 * m, 2 * n + 2 * m))
        X[:n, n:2 * n] = np.eye(n)
        X[n:2 * n, :n], X[n:2 * n, n:2 * n] = -Mi @ self.K, -Mi @ self.C
        state = np.zeros(2 * n + 2 * m)
        for j, (_, _, _, f) in enumerate(self.loads):
            w, i = 2 * np.pi * f, 2 * n + 2 * j
            X[n:2 * n, i] = Mi @ self.P[:, j]
            X[i, i + 1], X[i + 1, i] = w, -w
            state[i + 1] = 1
        closed = lambda x: lstsq(self.Z, np.concatenate(x), rcond=None)[0]
        state[:n], state[n:2 * n] = closed(self.d), closed(self.v)
        E, out = expm(X * dt), [state]
        for _ in range(steps):
            out.append(E @ out[-1])
        return np.array(out)[:, :n] @ self.Z.T

    # ---- what the claims ask for: dofs counted in A and in B ----

    def gap(self, method, dt, t, i, j, **s):
        """u_A[i] - u_B[j] at t."""
        a, b = self.run(method, dt, round(t / dt), **s)
        return a[-1, i] - b[-1, j]

    def largest_gap(self, method, dt, t, i, j, **s):
        a, b = self.run(method, dt, round(t / dt), **s)
        return np.abs(a[:, i] - b[:, j]).max()

    def drift(self, method, dt, t, i, j, **s):
        """Largest gap over the peak of the exact motion."""
        return self.largest_gap(method, dt, t, i, j, **s) / np.abs(self.exact(dt, round(t / dt))[:, i]).max()

    def at(self, method, dt, t, i, **s):
        """u_A[i] at t."""
        return self.run(method, dt, round(t / dt), **s)[0][-1, i]

    def error(self, method, dt, t, i, **s):
        """u_A[i] less the exact one at t."""
        n = round(t / dt)
        return self.at(method, dt, t, i, **s) - self.exact(dt, n)[-1, i]

    def largest_error(self, method, dt, t, i, **s):
        """Over the peak of the exact motion."""
        n = round(t / dt)
        u = self.exact(dt, n)[:, i]
        return np.abs(self.run(method, dt, n, **s)[0][:, i] - u).max() / np.abs(u).max()


def largest_radius(torn, method, steps, **s):
    """The largest modulus of an eigenvalue over the steps."""
    return rosenbrock.largest(lambda dt: rosenbrock.Pair(torn.A, torn.B, method, dt, **s).moduli()[0], steps)


@lru_cache(None)
def two_dof():
    """Translation and rotation of table 1 of the paper, table 7.1 of the dissertation: numerical and physical part."""
    rows = np.eye(2)
    return Torn([1658.2, 117.9], [306640, 12265], rows, [552.7, 39.3], [39670, 1711], -rows, np.zeros((2, 2)), np.zeros((2, 2)),
                CA=[555.66, 22.226], loads=[(0, 0, 500.0, 2.0), (0, 1, 15.0, 1.5)])


@lru_cache(None)
def chain():
    """Four unit masses between two walls, springs of 100 N/m, torn at the third 2 : 1."""
    A = [[200, -100, 0], [-100, 200, -100], [0, -100, 100]]
    return Torn([1, 1, 2 / 3], A, [[0, 0, 1]], [1, 1 / 3], [[200, -100], [-100, 100]], [[0, -1]], [[0, 0, 0], [0.01, 0]],
                [np.zeros(3), np.zeros(2)])


@lru_cache(None)
def frame(r=2.0, E=2e11, I=2e-5, m1=20e3, m2=20e3, Rg=2.0, lA=5.0, lB=3.0):
    """Three-DoF frame of Jia 2010, (6.93) and (6.94), its joint split r : 1; unit velocities."""
    a, b = r / (1 + r), 1 / (1 + r)
    KA = E * I / lA**3 * np.array([[12, 6 * lA], [6 * lA, 7 * lA**2]])
    KB = E * I / lB**3 * np.array([[3, -3 * lB, -3], [-3 * lB, 6 * lB**2, 3 * lB], [-3, 3 * lB, 3]])
    J = Rg**2 * m1
    return Torn([a * m1, a * J], KA, np.eye(2), [b * m1, b * J, m2], KB, -np.eye(2, 3), [np.zeros(2), np.zeros(3)],
                [np.ones(2), np.ones(3)])


@lru_cache(None)
def two_masses(b=1.0):
    """Two unit masses between two walls, the first one split b : 1; unit velocities."""
    return Torn([b / (1 + b)], [[1]], [[1]], [1 / (1 + b), 1], [[1, -1], [-1, 2]], [[-1, 0]], [np.zeros(1), np.zeros(2)],
                [np.ones(1), np.ones(2)])


@lru_cache(None)
def two_masses_floating(b=10.0):
    """Both masses split; A holds the outer parts, B floats between them."""
    return Torn([b / (1 + b), 0.5], np.eye(2), np.eye(2), [1 / (1 + b), 0.5], [[1, -1], [-1, 1]], -np.eye(2), np.zeros((2, 2)),
                np.ones((2, 2)))


@lru_cache(None)
def four_masses(joints):
    """Four unit masses between walls. Two joints: 2 and 3 halved, the middle part floats. Three: 2, 3 and 4, two parts float."""
    link = np.array([[1, -1], [-1, 1]])
    if joints == 2:
        K = [[2, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 2]]
        return Torn([1, 0.5, 0.5, 1], K, [[0, 1, 0, 0], [0, 0, 1, 0]], [0.5, 0.5], link, -np.eye(2), [np.ones(4), np.ones(2)],
                    [np.ones(4), np.ones(2)])
    K = np.zeros((5, 5))  # x1, x2 | x3, x4 | x4
    K[:2, :2], K[2:4, 2:4], K[4, 4] = [[2, -1], [-1, 1]], link, 1
    rows = [[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, -1]]
    return Torn([1, 0.5, 0.5, 0.5, 0.5], K, rows, [0.5, 0.5], link, [[-1, 0], [0, -1], [0, 0]], [np.ones(5), np.ones(2)],
                [np.ones(5), np.ones(2)])
