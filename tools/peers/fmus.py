#!/usr/bin/env python3
"""FMUs of other programs in `yoke fmu run`, compared with the results that are shipped with them.

usage: fmus.py YOKE reference FMUS SOURCES  Reference-FMUs: FMUS/NAME.fmu with SOURCES/NAME/NAME_out.csv
       fmus.py YOKE crosscheck FOLDER       the FMI cross-check repository: fmus/2.0/{cs,me}/linux64

Prints a row of a table for each FMU: how it ended, and the largest difference over the range of the variable."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

LIMIT_S = 120


def columns(path):
    """A table of numbers by the names of its first line."""
    with open(path, newline="") as text:
        rows = [[cell.strip() for cell in row] for row in csv.reader(text) if any(cell.strip() for cell in row)]
    names, table = ["time"] + [name.strip('"') for name in rows[0][1:]], {}

    def number(cell):
        return {"true": 1.0, "false": 0.0}[cell.lower()] if cell.lower() in ("true", "false") else float(cell)

    for k, name in enumerate(names):
        try:
            cells = [row[k].split() for row in rows[1:]]
            for i in range(len(cells[0])):  # of an array: numbers with blanks between them
                table[name if len(cells[0]) == 1 else "%s[%d]" % (name, i + 1)] = [number(cell[i]) for cell in cells]
        except (ValueError, IndexError):
            pass  # text
    return table


def worst(mine, theirs):
    """Largest difference over the range, by variable, at the times of ours; beside jumps either side of one counts."""
    found, t, at = (0.0, "-"), theirs["time"], mine["time"]
    for name in set(mine) & set(theirs) - {"time"}:
        y = theirs[name]
        span = max(y) - min(y) or max(map(abs, y)) or 1.0
        k = 0
        for time, value in zip(at, mine[name]):
            if time > t[-1] * (1 + 1e-9):
                break
            while k + 1 < len(t) and t[k + 1] < time - 1e-9 * (1 + abs(time)):
                k += 1
            low, high = max(0, k), min(len(t) - 1, k + 1)
            near = [y[i] for i in range(max(0, low - 1), min(len(t), high + 2))]
            if t[high] > t[low]:
                near.append(y[low] + (y[high] - y[low]) * min(1, max(0, (time - t[low]) / (t[high] - t[low]))))
            inside = min(near) <= value <= max(near) and max(near) - min(near) > 0.05 * span
            d = 0.0 if inside else min(abs(value - x) for x in near[-1:] or near) / span
            found = max(found, (d, name))
    return found


def run(yoke, fmu, options):
    """Exit code, first line of what went wrong or how it ended, and the outputs."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            p = subprocess.run([yoke, "fmu", "run", fmu, "-o", folder + "/out", *options], capture_output=True, text=True,
                               timeout=LIMIT_S, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return 124, "not done after %d s" % LIMIT_S, {}
        words = [line for line in (p.stderr + p.stdout).splitlines() if " steps of " not in line or line.startswith("yoke")]
        words = re.sub(r"^(yoke: )?(\S*/)?", "", words[0].split(".fmu: ", 1)[-1]) if words else ""
        if os.path.exists(folder + "/out/run.h5"):
            subprocess.run([yoke, "export", folder + "/out", "--csv", folder + "/x.csv"], capture_output=True)
            if os.path.exists(folder + "/x.csv"):
                return p.returncode, words, columns(folder + "/x.csv")
        return p.returncode, words, {}


def inputs_of(yoke, fmu):
    about = subprocess.run([yoke, "fmu", "info", fmu, "--json"], capture_output=True, text=True)
    variables = json.loads(about.stdout)["variables"] if about.returncode == 0 else []
    return {v["name"] for v in variables if v["used"] and v["causality"] == "input"}


def only(path, names):
    """A copy of a table with the columns of these names: other types of numbers and texts are not used."""
    table = {name: values for name, values in columns(path).items() if name == "time" or name in names}
    copy = tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False)
    with copy as out:
        out.write(",".join(table) + "\n")
        for values in zip(*table.values()):
            out.write(",".join("%.17g" % x for x in values) + "\n")
    return copy.name


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def compared(yoke, fmu, options, reference, name):
    code, words, mine = run(yoke, fmu, options)
    difference, variable = worst(mine, columns(reference)) if mine and os.path.exists(reference) else (None, "")
    row([name, code, "-" if difference is None else "%.2g" % difference, variable, words[:150].replace("|", "/")])


def reference(yoke, fmus, sources):
    for fmu in sorted(os.listdir(fmus)):
        name = fmu[:-4]
        for kind in ("co-simulation", "model-exchange"):
            compared(yoke, os.path.join(fmus, fmu), ["--interface", kind],
                     os.path.join(sources, name, name + "_out.csv"), "%s, %s" % (name, kind))


def crosscheck(yoke, folder):
    for kind in ("cs", "me"):
        top = os.path.join(folder, "fmus/2.0", kind, "linux64")
        for path, _, files in sorted(os.walk(top)):
            for fmu in sorted(f for f in files if f.endswith(".fmu")):
                base, options = os.path.join(path, fmu[:-4]), []
                settings = {}
                if os.path.exists(base + "_ref.opt"):
                    with open(base + "_ref.opt") as text:
                        settings = dict(line.replace(" ", "").strip().split(",", 1) for line in text if "," in line)
                if float(settings.get("StopTime", 0)) > 0:
                    options += ["--end", settings["StopTime"]]
                # some list the step of their solver; a million steps of communication are not asked for
                step, end = float(settings.get("StepSize", 0)), float(settings.get("StopTime", 0))
                if step == 0 and os.path.exists(base + "_ref.csv"):  # that of the results
                    times = columns(base + "_ref.csv").get("time", [])
                    step = times[1] - times[0] if len(times) > 1 else 0
                if end > 0:
                    options += ["--step", "%g" % (step if step > 1e-5 * end else end / 500)]
                if os.path.exists(base + "_in.csv"):
                    options += ["--input", only(base + "_in.csv", inputs_of(yoke, base + ".fmu"))]
                options += ["--interface", "co-simulation" if kind == "cs" else "model-exchange"]
                compared(yoke, base + ".fmu", options, base + "_ref.csv",
                         "%s %s" % (kind, os.path.relpath(path, top)))


if __name__ == "__main__":
    {"reference": reference, "crosscheck": crosscheck}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
