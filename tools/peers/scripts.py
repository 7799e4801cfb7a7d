#!/usr/bin/env python3
"""Every Tcl script below a folder: its commands are recorded inside OpenSees, imported, checked. Prints the counts, and the
reasons by how often they stop an import.

usage: scripts.py YOKE OPENSEES YOKE_RECORD.tcl FOLDER"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 20


def record(opensees, recorder, script, folder):
    """Runs a script in a copy of its folder; the file of its commands, None if there is none."""
    commands = os.path.join(folder, "commands")
    with open(os.path.join(folder, "record_.tcl"), "w") as out:
        out.write("source %s\nyoke_record %s\ncatch {source {%s}}\nexit\n" % (recorder, commands, os.path.basename(script)))
    try:
        subprocess.run([opensees, "record_.tcl"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        pass  # an analysis that goes on; the model has been built before
    return commands if os.path.exists(commands) and os.path.getsize(commands) else None


def outcome(yoke, opensees, recorder, script):
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "copy")
        shutil.copytree(os.path.dirname(script), folder, symlinks=True)
        commands = record(opensees, recorder, script, folder)
        if not commands:
            return "nothing recorded", ""
        with open(commands, errors="replace") as text:
            if not any(line.startswith("element ") for line in text):
                return "without elements", ""
        imported = subprocess.run([yoke, "model", "import", commands], capture_output=True, text=True, timeout=60)
        if imported.returncode:
            return "refused", re.sub(r"^yoke: [^:]*:\d*:?\d*:? ?", "", imported.stderr.strip().splitlines()[0])
        model = os.path.join(folder, "model.yaml")
        with open(model, "w") as out:
            out.write(imported.stdout)
        try:
            checked = subprocess.run([yoke, "check", model], capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return "imported, check takes longer than 120 s", ""
        return ("imported and checked", "") if checked.returncode in (0, 4) else (
            "imported, check refuses", re.sub(r"^.*?yaml:\d*:?\d*:? ?", "", checked.stderr.strip().splitlines()[0]))


def main():
    yoke, opensees, recorder, top = sys.argv[1:5]
    counts, reasons = collections.Counter(), collections.Counter()
    for path, _, files in sorted(os.walk(top)):
        for name in sorted(f for f in files if f.endswith(".tcl")):
            what, why = outcome(yoke, opensees, os.path.abspath(recorder), os.path.join(path, name))
            counts[what] += 1
            if why:
                reasons[re.sub(r"'[^']*'$|\d+", "", why)[:90] + (re.findall(r"'[^']*'$", why) or [""])[0]] += 1
            print("%-28s %s %s" % (what, os.path.relpath(os.path.join(path, name), top), why[:120]), file=sys.stderr, flush=True)
    for what, count in counts.most_common():
        print("| %s | %d |" % (what, count))
    print()
    for why, count in reasons.most_common(25):
        print("| %s | %d |" % (why.replace("|", "/"), count))


if __name__ == "__main__":
    main()
