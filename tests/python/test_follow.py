"""Runs along given displacements from Python: a specimen answers, and whole tests are iterated without feedback."""

import os
import unittest

import numpy as np

import yoke

SOURCE = os.environ["YOKE_SOURCE"]
SPRING = os.path.join(SOURCE, "examples/spring-specimen/spring-specimen.yaml")


class Follow(unittest.TestCase):
    def test_a_spring_answers(self) -> None:
        experiment = yoke.load(SPRING)
        self.assertEqual(experiment.specimen_dofs, ("specimen.x",))
        t = (np.arange(2000) + 1) * experiment.fine_step
        answer = experiment.follow(0.01 * np.minimum(1, t) * np.sin(2 * np.pi * 1.3 * t))
        self.assertEqual(answer.measured.shape, (2000, 1))
        np.testing.assert_allclose(answer.force, 35530 * answer.measured, atol=1e-4)
        np.testing.assert_allclose(answer.time, t)
        self.assertLess(abs(answer.rest_force[0]), 1e-3)

    def test_steady_vibration_is_iterated(self) -> None:
        """Two unknowns, Broyden: ends after at most four corrections; 500 N/(Z + S) (docs/theory/iterate.md)."""
        experiment = yoke.load(SPRING, set={"transfer.a1.compensator.kind": "none", "transfer.a1.compensator.delay": "0"})
        w, h = 2 * np.pi * 1.3, experiment.fine_step
        t = (np.arange(1500) + 1) * h
        late = t > t[-1] - 5 / 1.3
        waves = np.column_stack([np.cos(w * t), -np.sin(w * t)])
        Z, P = 71061 - 1800 * w**2 + 1j * w * 1130.97, -500j  # of 500 sin wt

        def run(U: np.ndarray) -> np.ndarray:
            answer = experiment.follow(np.minimum(1, t / 3) * (waves @ U))
            X, F = (complex(*np.linalg.lstsq(waves[late], y[late, 0], rcond=None)[0])
                    for y in (answer.measured, answer.force))
            self.X = X
            R = Z * X + F - P
            return np.array([R.real, R.imag])

        S = Z + 0.7 * 35530
        J = np.array([[S.real, -S.imag], [S.imag, S.real]])
        U = np.linalg.solve(J, [P.real, P.imag])
        R = run(U)
        for _ in range(5):
            dU = -np.linalg.solve(J, R)
            before, U = R, U + dU
            R = run(U)
            J += np.outer(R - before - J @ dU, dU) / (dU @ dU)
        self.assertLess(np.hypot(*R) / 500, 1e-4)
        self.assertLess(abs(self.X / (P / (Z + 35530)) - 1), 1e-3)

    def test_a_limit_and_wrong_shapes(self) -> None:
        experiment = yoke.load(SPRING, set={"limits.displacement": "8 mm"})
        t = (np.arange(500) + 1) * experiment.fine_step
        with self.assertRaises(yoke.Stopped):
            experiment.follow(0.01 * np.minimum(1, t) * np.sin(2 * np.pi * 1.3 * t))
        with self.assertRaises(yoke.InputError):
            experiment.follow(np.zeros((10, 2)))


if __name__ == "__main__":
    unittest.main()
