#!/usr/bin/env python3
"""The deterministic ground motion that stands in for the Tabas record: writes surrogate.csv.

a(t) = envelope(t) sum_j sin(2 pi f_j t + j^2), scaled to a peak of 0.852 g over its samples 10 ms apart.
"""
from math import exp, pi, sin

FREQUENCIES = [0.7, 1.1, 1.6, 2.3, 3.1, 4.2, 5.7, 7.3]  # Hz
STEP, SAMPLES, PEAK = 0.01, 2001, 0.852 * 9.81


def acceleration(t):
    envelope = (t / 4) ** 2 if t < 4 else 1 if t <= 10 else exp(-0.25 * (t - 10))
    return envelope * sum(sin(2 * pi * f * t + (j + 1) ** 2) for j, f in enumerate(FREQUENCIES))


values = [acceleration(i * STEP) for i in range(SAMPLES)]
scale = PEAK / max(abs(a) for a in values)
with open("surrogate.csv", "w") as out:
    for i, a in enumerate(values):
        out.write(f"{i * STEP:.2f},{scale * a:.9g}\n")
