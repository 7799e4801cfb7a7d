"""One-domain integrators on linear systems: amplification matrices and what follows from them.

Equations: docs/theory/integrators.md. Every method is written as one step of a state vector and driven by unit states,
so that its amplification matrix needs no algebra."""

import numpy as np

GM, GP = 1 - np.sqrt(2) / 2, 1 + np.sqrt(2) / 2


def jacobian(M, C, K):
    """J of y = (u, v), section 3."""
    n = len(M)
    Mi = np.linalg.inv(M)
    return np.block([[np.zeros((n, n)), np.eye(n)], [-Mi @ K, -Mi @ C]])


def rosenbrock(M, C, K, h, gamma, stages):
    """Amplification matrix of (18) with the coefficients of (20), (21) or (23)."""
    J = jacobian(M, C, K)
    one = np.eye(len(J))
    W = np.linalg.inv(one - gamma * h * J)
    if stages == 1:
        return one + h * W @ J
    if stages == 2:
        k1 = h * W @ J
        return one + h * W @ (J @ (one + k1 / 2) - gamma * J @ k1)
    # Three stages: any method of order 3 with one gamma has the stability function of its own L-stable choice.
    z = h * J
    b = [1, 1 - 3 * gamma, 0.5 - 3 * gamma + 3 * gamma**2]
    P = b[0] * one + b[1] * z + b[2] * z @ z
    third = 1 / 6 - 1.5 * gamma + 3 * gamma**2 - gamma**3
    return np.linalg.matrix_power(W, 3) @ (P + third * z @ z @ z)


def generalized_alpha(M, C, K, h, alpha_m, alpha_f, beta, gamma):
    """(8) with (3) and (5) on the state (u, v, a)."""
    n = len(M)
    Z, one = np.zeros((n, n)), np.eye(n)
    left = np.block([[one, Z, -beta * h**2 * one], [Z, one, -gamma * h * one],
                     [(1 - alpha_f) * K, (1 - alpha_f) * C, (1 - alpha_m) * M]])
    right = np.block([[one, h * one, h**2 * (0.5 - beta) * one], [Z, one, h * (1 - gamma) * one],
                      [-alpha_f * K, -alpha_f * C, -alpha_m * M]])
    return np.linalg.solve(left, right)


def coefficients(rho):
    """(9)"""
    am, af = (2 * rho - 1) / (1 + rho), rho / (1 + rho)
    return am, af, 1 / (1 + rho)**2, 0.5 - am + af


def kr_alpha(M, C, K, h, rho):
    """(17) on the state (u, v, a)."""
    n = len(M)
    am, af, beta, gamma = coefficients(rho)
    Di = np.linalg.inv(M + gamma * h * C + beta * h**2 * K)
    a1 = Di @ M
    a2 = (0.5 + gamma) * a1
    a3 = Di @ (am * M + af * gamma * h * C + af * beta * h**2 * K)
    Z, one = np.zeros((n, n)), np.eye(n)
    left = np.block([[one, Z, Z], [Z, one, Z], [(1 - af) * K, (1 - af) * C, M @ (one - a3)]])
    right = np.block([[one, h * one, h**2 * a2], [Z, one, h * a1], [-af * K, -af * C, -M @ a3]])
    return np.linalg.solve(left, right)


def cr(M, C, K, h):
    """(16): KR-alpha without dissipation."""
    n = len(M)
    a = np.linalg.solve(M + h / 2 * C + h**2 / 4 * K, M)
    Z, one = np.zeros((n, n)), np.eye(n)
    left = np.block([[one, Z, Z], [Z, one, Z], [K, C, M]])
    right = np.block([[one, h * one, h**2 * a], [Z, one, h * a], [Z, Z, Z]])
    return np.linalg.solve(left, right)


def chang(M, C, K, h):
    """(14), (15)"""
    n = len(M)
    D = M + h / 2 * C + h**2 / 4 * K
    b1, b2 = np.linalg.solve(D, M + h / 2 * C), 0.5 * np.linalg.solve(D, M)
    Z, one = np.zeros((n, n)), np.eye(n)
    left = np.block([[one, Z, Z], [Z, one, -h / 2 * one], [K, C, M]])
    right = np.block([[one, h * b1, h**2 * b2], [Z, one, h / 2 * one], [Z, Z, Z]])
    return np.linalg.solve(left, right)


def matrix(method, M, C, K, h, **s):
    if method.startswith("lsrt"):
        stages = int(method[-1])
        return rosenbrock(M, C, K, h, s.get("gamma", {1: 1, 2: GM, 3: 0.435866521508459}[stages]), stages)
    if method == "generalized-alpha":
        return generalized_alpha(M, C, K, h, *coefficients(s["rho"]))
    if method == "hht":
        a = s["alpha"]
        return generalized_alpha(M, C, K, h, 0, -a, (1 - a)**2 / 4, 0.5 - a)
    if method == "newmark":
        return generalized_alpha(M, C, K, h, 0, 0, s.get("beta", 0.25), s.get("gamma", 0.5))
    return {"kr-alpha": kr_alpha, "cr": cr, "chang": chang}[method](M, C, K, h, *s.values())


def radius_of(A):
    return np.abs(np.linalg.eigvals(A)).max()


def radius(method, omega, xi=0.0, **s):
    """Spectral radius on the oscillator of unit frequency."""
    one = np.eye(1)
    return radius_of(matrix(method, one, 2 * xi * one, one, omega, **s))


def largest_radius(method, low, high, count=4001, **s):
    return max(radius(method, w, **s) for w in np.geomspace(low, high, count))


def system_radius(method, M, C, K, h, **s):
    return radius_of(matrix(method, np.array(M, float), np.array(C, float), np.array(K, float), h, **s))


def energy_lost(method, m, k, h, u, v, **s):
    """Energy after a step less energy before."""
    A = matrix(method, np.eye(1) * m, np.zeros((1, 1)), np.eye(1) * k, h, **s)
    w = A[:2, :2] @ [u, v]
    return 0.5 * (m * w[1]**2 + k * w[0]**2) - 0.5 * (m * v**2 + k * u**2)


def frequencies(M, K):
    """Natural frequencies [Hz], rising."""
    w2 = np.linalg.eigvals(np.linalg.solve(np.array(M, float), np.array(K, float)))
    return np.sort(np.sqrt(np.abs(w2.real))) / (2 * np.pi)


def frequency(m, k):
    return np.sqrt(k / m) / (2 * np.pi)


def three_dof(r=2.0, E=2e11, I=2e-5, m1=20e3, m2=20e3, Rg=2.0, lA=5.0, lB=3.0):
    """Natural frequencies of the three-DoF frame of Jia 2010, (6.93) and (6.94), [Hz]."""
    A = E * I / lA**3 * np.array([[12, 6 * lA, 0], [6 * lA, 7 * lA**2, 0], [0, 0, 0]])
    B = E * I / lB**3 * np.array([[3, -3 * lB, -3], [-3 * lB, 6 * lB**2, 3 * lB], [-3, 3 * lB, 3]])
    return frequencies(np.diag([m1, Rg**2 * m1, m2]), A + B)


def pendulum_radius(method, h, M=11.0, C=40.0, K=1000.0, m=0.34, k=400.0, L=0.167, g=9.81, **s):
    """The spring-pendulum linearised at rest, (33): y and l couple through the acceleration, theta stands alone."""
    # l'' = y'' - k/m l; M y'' = -C y' - K y - k l; theta'' = -g/L theta
    mass = np.array([[M, 0, 0], [-1, 1, 0], [0, 0, 1]], float)
    damp = np.diag([C, 0, 0]).astype(float)
    stiff = np.array([[K, k, 0], [0, k / m, 0], [0, 0, g / L]])
    return system_radius(method, mass, damp, stiff, h, **s)


def splitting_radius(stiffness, estimate, m, h):
    """Operator splitting (alpha-OS with alpha = 0) of an undamped mass whose stiffness differs from the estimate."""
    def step(z):
        d, v, a = z
        predicted = d + h * v + h * h / 4 * a
        a1 = -stiffness * predicted / (m + estimate * h * h / 4)
        return np.array([predicted + h * h / 4 * a1, v + h / 2 * (a + a1), a1])

    return np.abs(np.linalg.eigvals(np.array([step(unit) for unit in np.eye(3)]).T)).max()


def splitting_limit(estimate, m, h):
    """Largest stiffness for which it is stable, by bisection; the numerical part is known and counts on both sides."""
    low, high = estimate, estimate + 100 * m / h**2
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if splitting_radius(middle, estimate, m, h) > 1 + 1e-9 else (middle, high)
    return (low + high) / 2
