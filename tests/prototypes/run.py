"""Expected values of published claims, computed a second time.

usage: run YOKE [CASE...]

Every claim with a `prototype` names an expression of the modules beside this file. Its value must lie where the claim
expects the one of Yoke. Every derived claim must have one. The modules follow the equations of docs/theory and share no
code with the program."""

import importlib
import json
import math
import multiprocessing
import os
import subprocess
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = [name[:-3] for name in sorted(os.listdir(HERE)) if name.endswith(".py") and name != "run.py"]
# Values that unit tests assert and no published case shows: where, expression, value, tolerance.
ASSERTED = [("tests/unit/transfer/test_estimators.c", "delay.ahmadizadeh(10)", 0.26740588, 1e-7),
            ("tests/unit/transfer/test_estimators.c", "delay.ahmadizadeh(50)", 1.43804642, 1e-7),
            ("tests/unit/analyze/test_drift.c", "rosenbrock.interface_work(10, 'apnr2', 0.05, 1, 1, 10)",
             -2.911934108199095e-4, 1e-12),
            ("tests/unit/analyze/test_drift.c", "rosenbrock.gap(10, 'apnr2', 0.05, 1, 1, 10)", -0.022748941980103243,
             1e-10)]
ENOUGH = 1e-9  # of the expected value, where the claim leaves no room


def names():
    found = {name: importlib.import_module(name) for name in MODULES}
    found.update({name: getattr(math, name) for name in ("sqrt", "pi", "sin", "cos", "tan", "atan", "atan2", "exp", "log")})
    found.update(np=np, GM=1 - math.sqrt(2) / 2, GP=1 + math.sqrt(2) / 2)
    return found


def evaluate(item):
    case, claim = item
    begin = time.time()
    try:
        value = float(eval(claim["prototype"], names()))  # expressions of this repository
        problem = ""
    except Exception as wrong:  # pylint: disable=broad-except
        value, problem = float("nan"), f"{type(wrong).__name__}: {wrong}"
    low = -math.inf if claim["low"] is None else claim["low"]
    high = math.inf if claim["high"] is None else claim["high"]
    room = ENOUGH * max(abs(low), abs(high)) if low == high else 0
    return case, claim, value, low - room <= value <= high + room, problem, time.time() - begin


def evaluate_all(items):
    return [evaluate(item) for item in items]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    listed = json.loads(subprocess.run([sys.argv[1], "reproduce", "--list", "--json", *sys.argv[2:]], check=True,
                                       stdout=subprocess.PIPE).stdout)
    claims = [(case["id"], claim) for case in listed["cases"] for claim in case["claims"]]
    derived = [item for item in claims if item[1]["origin"] == "derived"]
    bare = [item for item in derived if "prototype" not in item[1]]
    work = [[item for item in claims if item[0] == case["id"] and "prototype" in item[1]] for case in listed["cases"]]
    if len(sys.argv) == 2:
        work += [[(where, {"claim": expression, "prototype": expression, "low": value - room, "high": value + room,
                           "expected": f"{value:.10g}", "origin": "asserted"})]
                 for where, expression, value, room in ASSERTED]
    with multiprocessing.Pool(min(8, os.cpu_count() or 1)) as pool:  # a case at a time: its claims share runs
        results = sum(pool.imap_unordered(evaluate_all, sorted(work, key=len, reverse=True)), [])
    for case, claim in bare:
        print(f"{case}: {claim['claim']}: derived, but without a prototype")
    for case, claim, value, good, problem, seconds in results:
        if not good:
            print(f"{case}: {claim['claim']}: {claim['prototype']} = {value:.10g}, expected {claim['expected']} {problem}")
        elif "-v" in os.environ.get("PROTOTYPES", ""):
            print(f"{case}: {claim['claim']}: {value:.10g} ({seconds:.2g} s)")
    agree = sum(result[3] for result in results)
    print(f"{len(results)} expected values computed a second time: {agree} agree, {len(results) - agree} do not; "
          f"{len(derived) - len(bare)} of {len(derived)} derived claims have a prototype")
    sys.exit(0 if agree == len(results) and not bare else 4)


if __name__ == "__main__":
    sys.path.insert(0, HERE)
    main()
