"""Runs on devices that log the wall time of every command, written without Yoke: packets over UDP (udp-raw), the wire of
docs/backends.md (udp), Modbus TCP, a plugin and a data-acquisition card (both log in their own code), and frames of EtherCAT
as they pass, with the simulated segment behind them.

Asserts, in wall time: the largest rate of the commands, the deceleration and the duration of the ramp after a trip, how soon a
silence ends the run, and how far the first command that arrives after it is from the last one before. A machine that is busy with something else may delay a device: each case has three tries, six on a busy machine, and is then left out with a word.

usage: wall_clock.py BUILD SCRATCH   with YOKE_WALL_CLOCK=all: the whole table of docs/safety.md"""
import os
import re
import socket
import subprocess
import sys
import threading

from wire_devices import (BUILD, EXPERIMENT, LOSS_S, RAMP_S, RATE, SCRATCH, SILENCE_S, TWIN, YOKE, Comedi, EtherCat, Modbus, Plugin, Simulated,
                          Udp, UdpRaw, run)

ALL = os.environ.get("YOKE_WALL_CLOCK") == "all"
STOPPING_S = 0.05  # from that rate to rest
SLACK_S = 50e-6  # between the clock of the supervisor and that of the device


def measure(rows):
    """Largest rate of 99 % of the steps, and of any 10 ms; wall time of the last good answer, of the first command after it
    and of the end of the ramp."""
    steps = [abs(b[1] - a[1]) / (b[0] - a[0] + SLACK_S) for a, b in zip(rows, rows[1:])]
    window, first = 0.0, 0
    for k, row in enumerate(rows):
        while first + 1 < k and row[0] - rows[first + 1][0] >= 0.01:
            first += 1
        if row[0] - rows[first][0] >= 0.01:
            window = max(window, abs(row[1] - rows[first][1]) / (row[0] - rows[first][0]))
    good, bad = [r for r in rows if r[2]], [r for r in rows if not r[2]]
    home = next(k for k in range(len(rows) - 1, -1, -1) if k == 0 or abs(rows[k - 1][1] - rows[-1][1]) > 1e-12)
    steps.sort()
    return {"most": steps[int(0.99 * (len(steps) - 1))], "window": window, "heard": good[-1][0], "fault": bad[0][0], "home": rows[home][0],
            "reach": max(abs(r[1]) for r in rows), "end": rows[-1][1]}


def changes(rows):
    """Changes of the rate between two spans of 10 ms [m/s2]."""
    spans, at = [], 0
    for k in range(len(rows)):
        if rows[k][0] - rows[at][0] >= 0.01:
            spans.append((0.5 * (rows[k][0] + rows[at][0]), (rows[k][1] - rows[at][1]) / (rows[k][0] - rows[at][0])))
            at = k
    return [abs(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(spans, spans[1:])]


def braking(rows):
    """Largest change of the rate after the first bad answer."""
    first = next(k for k, r in enumerate(rows) if not r[2])
    return max(changes(rows[max(k for k in range(first + 1) if k == 0 or rows[first][0] - rows[k][0] >= 0.02):]))


def judge_return(rows, reach):
    """The step from the last command before the loss to the first one after it."""
    before, after = max(zip(rows, rows[1:]), key=lambda pair: pair[1][0] - pair[0][0])
    m = measure(rows + [(rows[-1][0], rows[-1][1], False)])
    m["lost"], m["step"] = after[0] - before[0], abs(after[1] - before[1])
    wrong = []
    if m["lost"] < 0.8 * LOSS_S:
        wrong.append("nothing was lost")
    if m["step"] > reach:
        wrong.append("step of %.3g m after a loss of %.3g s, allowed are %.3g m" % (m["step"], m["lost"], reach))
    if m["window"] > 1.02 * RATE:
        wrong.append("rate %.3g m/s, limit %g m/s" % (m["window"], RATE))
    return m, "; ".join(wrong)


def judge_pauses(device, rows):
    """Pauses and resumes at any speed keep to the rate and to the deceleration of a trip."""
    wrong = ["yoke control %s: exit code %d" % o[:2] for o in device.orders if o[1]]
    m = measure(rows + [(rows[-1][0], rows[-1][1], False)])
    m["rate"], m["hardest"] = max(m["most"], m["window"]), max(changes(rows))
    if len(device.orders) < 8 or not any(abs(b[1] - a[1]) < 1e-12 for a, b in zip(rows, rows[50:])):
        wrong.append("nothing was paused: %s" % device.orders)
    if m["hardest"] > 2 * RATE / STOPPING_S:
        wrong.append("a pause or resume with %.3g m/s2, allowed are %g" % (m["hardest"], RATE / STOPPING_S))
    return m, "; ".join(wrong)


def judge_findings(fault, rows, text):
    """A wrong scale and a second breach, as the run says it and as the device is left."""
    steps = max(abs(b[1] - a[1]) / (b[0] - a[0] + SLACK_S) for a, b in zip(rows, rows[1:]))
    words = ("tracking error of a1 is", "% of its motion so far") if fault == "scale" else ("force of a1", "the ramp home was stopped: not a number")
    wrong = ["does not say '%s':\n%s" % (w, text) for w in words if w not in text]
    reach, end = max(abs(r[1]) for r in rows), abs(rows[-1][1])
    if fault == "scale" and rows[-1][0] - rows[0][0] > 1.5:
        wrong.append("found after %.3g s" % (rows[-1][0] - rows[0][0]))
    if fault == "twice" and not 0.02 * reach < end < 0.98 * reach:
        wrong.append("ended at %.3g m, it had been at %.3g m" % (end, reach))
    return {"most": steps, "window": steps, "rate": 0.0, "found": rows[-1][0] - rows[0][0]}, "; ".join(wrong)


def judge(kind, fault, scale, realtime):
    """What was found, and what is wrong with it; "" if nothing is."""
    device, code, text = run(kind, fault, scale, realtime)
    rows = device.log.rows
    if code != (0 if fault in ("deaf", "pause") else 3) or len(rows) < 20:
        return None, "exit code %d after %d commands:\n%s" % (code, len(rows), text)
    if ("paced on the wall clock" in text) != (not realtime and kind is not Simulated):
        return None, "what does it say of its pace?\n" + text
    if fault == "pause":
        return judge_pauses(device, rows)
    if fault in ("scale", "twice"):
        return judge_findings(fault, rows, text)
    tick = (0.01 if kind is Modbus else 0.001) * scale
    reach = 2.02 * RATE * tick * (1.5 if kind is Modbus else 1)  # of a command that nobody answers; Modbus may skip a tick
    if fault == "deaf":
        return judge_return(rows, reach)
    m = measure(rows)
    if kind is Simulated:  # after a second without an answer it is lost
        m.update(measure([r for r in rows if r[2]][-1:] + [r for r in rows if not r[2]]), heard=m["heard"] + 1 - SILENCE_S)
    if fault == "silent" and kind is Simulated:  # the ramp begins once the silence is noticed
        m["noticed"] = m["home"] - m["heard"] - RAMP_S
        late = m["noticed"] > SILENCE_S + 2 * tick + 0.1 * RAMP_S + STOPPING_S or m["noticed"] < -0.1 * RAMP_S
    elif fault == "silent":  # the run ends where the last answered command has led
        m["noticed"] = getattr(device, "asked", rows[-1][0]) - m["heard"]
        if kind is Modbus:  # it sees no more than the end of the connection, behind the answers that are waited for
            said = re.search(r"silence of the rig, ([0-9.]+) s, passed its limit", text)
            m["noticed"] = float(said[1]) if said else m["noticed"]
        late = not 0.8 * SILENCE_S < m["noticed"] < SILENCE_S + 2 * tick + STOPPING_S
        last = max(k for k in range(len(rows)) if rows[k][2])
        m["step"] = max(abs(r[1] - rows[last][1]) for r in rows[last:])
    else:  # and a ramp after the fault, at the next tick
        m["ramp"] = m["home"] - m["fault"]
        late = not 0.9 * RAMP_S < m["ramp"] < 1.1 * RAMP_S + STOPPING_S
    wrong = []
    if fault == "trip" and kind in (UdpRaw, Udp, Plugin):
        m["braking"] = braking(rows)
        if m["braking"] > 2 * RATE / STOPPING_S:
            wrong.append("stopped with %.3g m/s2, allowed are %g" % (m["braking"], RATE / STOPPING_S))
    # No kernel notes when a part of a stream came. Behind a late tick a simulation, which moves nothing, makes the next one sooner.
    m["rate"] = m["window"] if kind in (Modbus, Simulated) else max(m["most"], m["window"])
    if m["rate"] > 1.02 * RATE:
        wrong.append("rate %.3g m/s, limit %g m/s" % (m["rate"], RATE))
    if m.get("step", 0) > reach:
        wrong.append("%.3g m went out unheard, allowed are %.3g m" % (m["step"], reach))
    if late:
        wrong.append("%s after %.3g s" % ("silence noticed" if fault == "silent" else "home", m.get("noticed", m.get("ramp"))))
    if (abs(m["end"]) > 1e-4 and "step" not in m) or m["reach"] < 1e-3:
        wrong.append("reached %.3g m, ended at %.3g m" % (m["reach"], m["end"]))
    return m, "; ".join(wrong)


def cases():
    for kind in (UdpRaw, Udp, Simulated, Modbus, Plugin, Comedi, EtherCat):
        for fault in ("trip", "silent", "deaf", "scale", "twice", "pause"):
            if fault in ("scale", "twice", "pause") and kind is not UdpRaw:  # the same supervisor for all
                continue
            if fault == "deaf" and kind in (Comedi, EtherCat, Simulated):  # a card has no link; drives stop by their watchdogs
                continue
            if fault == "silent" and kind is Comedi:  # a card answers every call, or the call fails
                continue
            for scale in (0.2, 1, 50):
                for realtime in (False, True):
                    if fault == "silent" and kind is Modbus and scale == 50:  # a tick of 0.5 s: other limits come first
                        continue
                    if kind is Simulated and (fault == "trip" or scale != 1 or realtime):
                        continue
                    if (ALL and (fault in ("trip", "silent") or scale == 1)) or (fault == "trip" and scale == (1 if kind is UdpRaw else 50 if kind is Udp else 0.2 if kind is Plugin else 1)
                               and not realtime) or (fault != "trip" and scale == 1 and not realtime):
                        yield kind, fault, scale, realtime


found, failed, left_out = {}, [], []


def is_busy():
    """Commands that wait for a processor come in bursts: the wire then shows other rates than those of the supervisor."""
    return os.getloadavg()[0] > 4 * os.cpu_count()


def work(kind, mine):
    for case in mine:
        for attempt in range(6 if is_busy() else 3):
            try:
                m, wrong = judge(*case)
            except Exception as e:  # pylint: disable=broad-except
                m, wrong = None, repr(e)
            if not wrong:
                break
        found[case] = m
        if wrong:
            (left_out if m and is_busy() else failed).append(
                "%s, %s, scale %g%s: %s" % (kind.__name__, case[1], case[2], ", --realtime" if case[3] else "", wrong))


skip = set()
if not os.path.exists(os.path.join(BUILD, "tests/comedi/card.so")):
    skip.add(Comedi)
if "ykb" not in (name for _, name in socket.if_nameindex()):
    skip.add(EtherCat)
todo = [c for c in cases() if c[0] not in skip]
if ALL:  # one after the other, for the table
    for kind in dict.fromkeys(c[0] for c in todo):
        work(kind, [c for c in todo if c[0] is kind])
else:
    threads = [threading.Thread(target=work, args=(k, [c for c in todo if c[0] is k])) for k in dict.fromkeys(c[0] for c in todo)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()

# What moves a rig only on request, and what only simulates.
MOVER = EXPERIMENT.format(step="10 ms", end=1, rate="1000 Hz", scale=1, speed=0, backend="plugin", settings=Plugin.settings.format(),
                          lines="{}", twin="", force=20000, limit=RATE, ramp=RAMP_S, silence=SILENCE_S)
texts = {"mover": MOVER, "virtual": MOVER.replace("backend: plugin, settings: { library: %s }," % os.path.join(
    BUILD, "tests/plugins/logging_rig.so"), "backend: virtual%s," % TWIN), "unlimited": MOVER.split("limits:")[0]}
for name, text in texts.items():
    with open(os.path.join(SCRATCH, name + ".yaml"), "w") as out:
        out.write(text)
for words, said in ((["identify", "mover.yaml"], "its rig is real"),
                    (["serve", "virtual.yaml", "--openfresco", "0", "--hardware"], "`yoke host FILE --openfresco PORT` moves the rig"),
                    (["host", "virtual.yaml", "--openfresco", "0"], "its rig is virtual, so there is nothing to move"),
                    (["host", "unlimited.yaml", "--openfresco", "0"], "limits"),
                    (["host", "mover.yaml"], "give the connection")):
    log = os.path.join(SCRATCH, "refused.log")
    done = subprocess.run([YOKE] + words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, cwd=SCRATCH,
                          env={**os.environ, "YOKE_WIRE_LOG": log, "YOKE_WIRE_AFTER": "1", "YOKE_WIRE_FAULT": "none"})
    moved = os.path.exists(log) and os.path.getsize(log) > 0
    if done.returncode != 2 or said not in done.stdout or moved:
        failed.append("yoke %s: exit code %d, moved %s: %s" % (" ".join(words), done.returncode, moved, done.stdout))

print("| backend | `--realtime` | scale | largest rate of 0.25 m/s | ramp of 0.5 s | silence of 0.1 s noticed after |\n|---|---|---|---|---|---|")
for kind, scale, realtime in dict.fromkeys((c[0], c[2], c[3]) for c in todo if c[0] is not Simulated):
    trip, silent = found.get((kind, "trip", scale, realtime)), found.get((kind, "silent", scale, realtime))
    rate = max((m["rate"] for m in (trip, silent) if m and "rate" in m), default=float("nan"))
    print("| `%s` | %s | %g | %.3f m/s | %s | %s |" % (
        kind.backend, "yes" if realtime else "no", scale, rate, "%.3f s" % trip["ramp"] if trip and "ramp" in trip else "-",
        "%.3f s" % max(silent["noticed"], 0) if silent and "noticed" in silent else "-"))
print("\n| backend | silence | step of the first command after it |\n|---|---|---|")
for (kind, fault, scale, realtime), m in found.items():
    if m and "step" in m and scale == 1:
        print("| `%s` | %s | %.2f mm |" % (kind.backend, "%.2f s" % m["lost"] if "lost" in m else "for good", 1e3 * m["step"]))
lost = found.get((Simulated, "silent", 1, False))
if lost:
    print("\na simulation over UDP that was lost, in a run that is not paced: the ramp of 0.5 s took %.3f s" % (
        lost["noticed"] - SILENCE_S + RAMP_S))
for words in left_out:
    print("left out, this machine is too busy to judge it:", words)
for words in failed:
    print("FAILED:", words)
sys.exit(1 if failed else 77 if left_out else 0)
