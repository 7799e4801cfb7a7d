#!/usr/bin/env python3
"""Random answers to `yoke new`: the file checks clean, and its run has a verdict that is not unusable.

    tests/e2e/new_tests.py build/yoke [COUNT [SEED]]

Answers that no actuator of the table can carry are refused with a message and exit code 2 or 4; they are counted, must
stay below a quarter, and others take their place. Exit code 1 where anything else happens.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

REFUSALS = 0.25
REASONS = ("no actuator of the table", "unusable with each", "even with an ideal actuator the test diverges")


def matrices(draw, folder):
    """A chain of masses as Matrix Market files."""
    n = draw.randint(2, 12)
    mass = [draw.uniform(2e3, 4e4) for _ in range(n)]
    stiffness = [draw.uniform(0.6, 1.4) * 4e7 for _ in range(n)]
    with open(os.path.join(folder, "m.mtx"), "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {n}\n")
        out.writelines(f"{i + 1} {i + 1} {m:.9g}\n" for i, m in enumerate(mass))
    with open(os.path.join(folder, "k.mtx"), "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {2 * n - 1}\n")
        for i in range(n):
            above = stiffness[i + 1] if i + 1 < n else 0
            out.write(f"{i + 1} {i + 1} {stiffness[i] + above:.9g}\n")
            if i + 1 < n:
                out.write(f"{i + 2} {i + 1} {-above:.9g}\n")
    return ["--mass-matrix", out.name.replace("k.mtx", "m.mtx"), "--stiffness-matrix", out.name,
            "--at", str(draw.randint(1, n))]


def storeys(draw):
    n = draw.choice([1, 1, 2, 3, 3, 4, 5, 6, 8, 12])
    given = ["--storeys", str(n)]
    if draw.random() < 0.5:
        given += ["--mass", f"{draw.uniform(1, 60):.3g} t"]
    else:
        given += ["--mass", ", ".join(f"{draw.uniform(1, 60):.3g} t" for _ in range(n))]
    choice = draw.random()
    if choice < 0.6:
        given += ["--period", f"{math.exp(draw.uniform(math.log(0.2), math.log(2.5))):.3g} s"]
    elif choice < 0.8:
        given += ["--stiffness", f"{draw.uniform(5, 60):.3g} MN/m"]
    return given


def own_record(draw, folder):
    """A record of noise, as a table in g, in cm/s2, or as AT2."""
    step = draw.choice([0.005, 0.01, 0.02])
    n = int(draw.uniform(6, 20) / step)
    slow, values = 0.0, []
    for k in range(n):
        slow = 0.9 * slow + draw.gauss(0, 1)
        values.append(slow * math.sin(math.pi * k / n) * 0.02)
    kind = draw.choice(["g", "cm/s2", "AT2"])
    path = os.path.join(folder, "own." + ("AT2" if kind == "AT2" else "csv"))
    with open(path, "w") as out:
        if kind == "AT2":
            out.write("OWN RECORD\nNO EARTHQUAKE\nACCELERATION TIME HISTORY IN UNITS OF G\n"
                      f"NPTS= {n}, DT= {step} SEC\n")
            out.writelines(f"{v:.7E}\n" for v in values)
        else:
            out.write(f"time [s],acceleration [{kind}]\n")
            factor = 1 if kind == "g" else 980.665
            out.writelines(f"{k * step:.4f},{factor * v:.7g}\n" for k, v in enumerate(values))
    return path


def answers(draw, folder):
    matrix = draw.random() < 0.12
    given = matrices(draw, folder) if matrix else storeys(draw)
    if draw.random() < 0.7:
        given += ["--damping", f"{draw.uniform(1, 8):.2g} %"]
    kind = draw.choice(["spring", "brace", "damper", "fluid-damper"] + ([] if matrix else ["isolator"]))
    given += ["--specimen", kind]
    if kind not in ("damper", "fluid-damper") and draw.random() < 0.8:
        given += ["--share", f"{draw.uniform(2, 60):.2g} %"]
    record = draw.choice(["synthetic", "hills", "valley", "own", "own"])
    given += ["--record", own_record(draw, folder) if record == "own" else record]
    if draw.random() < 0.7:
        given += ["--peak", f"{math.exp(draw.uniform(math.log(0.02), math.log(0.6))):.3g} g"]
    return given + ["--rate", draw.choice(["500 Hz", "1 kHz", "1 kHz", "1024 Hz", "2 kHz", "4096 Hz", "5 kHz"])]


def program(words):
    return subprocess.run(words, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)


def failed(what, given, done):
    print(f"{what}: exit code {done.returncode}\n  yoke new DIR {' '.join(repr(w) for w in given)}\n"
          f"{done.stdout}{done.stderr}")
    return 1


def one(yoke, draw, folder):
    """("good" | "doubtful" | "refused" | "failed", what)"""
    given = answers(draw, folder)
    test = os.path.join(folder, "test")
    made = program([yoke, "new", test, "--defaults", "--json", *given])
    if made.returncode in (2, 4) and any(words in made.stderr for words in REASONS):
        if os.path.exists(test):
            return failed("a refused test was written", given, made), "failed", ""
        return 0, "refused", made.stderr.splitlines()[0] + "\n  " + " ".join(map(repr, given))
    if made.returncode:
        return failed("new", given, made), "failed", ""
    checked = program([yoke, "check", os.path.join(test, "test.yaml"), "--budget", "0.5 s"])
    notes = [line for line in checked.stderr.splitlines() if not line.endswith(" ...")]
    if checked.returncode or notes:
        return failed("check", given, checked), "failed", ""
    ran = program([yoke, "run", os.path.join(test, "test.yaml"), "-o", os.path.join(folder, "out"), "-q"])
    if ran.returncode:
        return failed("run", given, ran), "failed", ""
    with open(os.path.join(folder, "out", "summary.json")) as summary:
        level = json.load(summary)["verdict"]["level"]
    if level not in ("good", "doubtful"):
        return failed("verdict " + level, given, ran), "failed", ""
    return 0, level, ""


def main():
    yoke = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    found = {"good": 0, "doubtful": 0, "refused": 0, "failed": 0}
    while found["good"] + found["doubtful"] + found["failed"] < count:
        with tempfile.TemporaryDirectory() as folder:
            _, level, why = one(yoke, draw, folder)
        found[level] += 1
        print(found, flush=True)
        if why:
            print("refused:", why, flush=True)
        if found["refused"] > 3 + REFUSALS * count:
            print("too many answers are refused")
            break
    print(f"{found['good']} good, {found['doubtful']} doubtful, {found['failed']} failed; "
          f"{found['refused']} more were refused with a reason")
    return 1 if found["failed"] or found["good"] + found["doubtful"] < count else 0


if __name__ == "__main__":
    sys.exit(main())
