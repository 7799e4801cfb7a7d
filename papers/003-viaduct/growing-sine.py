#!/usr/bin/env python3
"""Ground acceleration of the hysteretic piers: 2 sin(2 pi 1.2 t) min(1, t), 1/1024 s apart; writes growing-sine.csv."""
from math import pi, sin

with open("growing-sine.csv", "w") as out:
    for i in range(2049):
        t = i / 1024
        out.write(f"{t:.10f},{2 * sin(2 * pi * 1.2 * t) * min(1, t):.12g}\n")
