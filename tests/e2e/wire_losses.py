"""Losses of udp, udp-raw and Modbus in every phase of a run: at rest, in motion, in the ramp of a trip and in a pause, on real sockets, with and
without --realtime. A device hears nothing for a moment, or gives no answer for a moment or for good. The devices log every command with its
wall time; they share no code with the backends (wire_devices.py).

Every command must keep displacement and rate in wall time; a run goes on after a short loss and stops with a reason after one for good. Each case
has three tries, because a busy machine may delay a device. The table is in docs/safety-case.md.

usage: wire_losses.py BUILD SCRATCH   with YOKE_WALL_CLOCK=all: every case; otherwise those of the test, every other one with --realtime
       wire_losses.py page            the section of docs/safety-case.md"""
import os
import re
import subprocess
import sys
import threading
import time

ALL = os.environ.get("YOKE_WALL_CLOCK") == "all"
PAGE = sys.argv[1:] == ["page"]
if PAGE:
    sys.argv[1:] = [".", "."]
from wire_devices import EXPERIMENT, RATE, STIFFNESS, YOKE, Modbus, Udp, UdpRaw, largest, run, slack_of  # noqa: E402

SHORT_S, MOST = 0.06, 0.2  # s: below the limit of silence; m: limits.displacement
KINDS = (UdpRaw, Udp, Modbus)
PHASES = ("at rest", "in motion", "in a ramp", "in a pause")
LOSSES = (("commands", SHORT_S), ("answers", SHORT_S), ("answers", None))
TRIES, WORKERS = 3, 6


def lossy(kind, phase, loss):
    """A device of this kind that loses this in this phase."""
    what, lasts = loss

    class Lossy(kind):
        fault_since, asked_to_pause, paused, heard = None, False, None, 0

        def commands_in(self, milliseconds):
            return max(milliseconds // 10 if issubclass(kind, Modbus) else milliseconds, 2)

        def operate(self):
            words = [YOKE, "control", "pause", self.name]
            self.orders.append(subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode)
            time.sleep(0.1)  # it has come to rest
            self.paused, self.had = self.heard, None  # Modbus: it takes the same command once more
            if lasts:
                time.sleep(lasts + 0.15)
                words[2] = "resume"
                self.orders.append(subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode)

        def begins(self):
            if phase == "in a pause":
                if self.heard == self.commands_in(150):
                    threading.Thread(target=self.operate, daemon=True).start()
                return self.paused is not None
            return self.heard >= {"at rest": 2, "in motion": self.commands_in(200), "in a ramp": self.commands_in(270)}[phase]

        def take(self, seconds, command):
            self.fault = "deaf"  # a question that comes again is answered
            self.heard += 1
            if self.fault_since is None and self.begins():
                self.fault_since = seconds
                if issubclass(kind, Modbus) and lasts:  # it stands still, and what comes meanwhile waits
                    time.sleep(lasts if what == "commands" else 0)
                    seconds = time.time()
            lost = self.fault_since is not None and (lasts is None or seconds < self.fault_since + lasts)
            if lost and what == "commands":
                return None
            self.log.add(seconds, command, not lost)
            self.x = command
            if lost and issubclass(kind, Modbus) and lasts:
                time.sleep(lasts)
            elif lost:
                return None
            return self.x, 1e6 if phase == "in a ramp" and self.heard >= self.commands_in(200) else STIFFNESS * self.x

    return Lossy


def stops(phase, loss):
    return phase == "in a ramp" or loss[1] is None


def wrong_with(kind, phase, loss, realtime):
    """What is wrong with one run; "" if nothing is."""
    device, code, text = run(lossy(kind, phase, loss), "deaf", 1, realtime, EXPERIMENT, end=1 if phase == "in a pause" else 0.6)
    rows, tick, slack = device.log.rows, 0.01 if kind is Modbus else 0.001, slack_of(kind, device)
    if device.fault_since is None:
        return "nothing was lost:\n" + text
    if code != (3 if stops(phase, loss) else 0):
        return "exit code %d:\n%s" % (code, text)
    if code == 3 and not re.search(r"yoke: (silence|force|[^:]*lost|[^:]*rig)\b.* at step \d+", text):
        return "no reason:\n" + text
    if any(abs(r[1]) > MOST for r in rows):
        return "a command beyond the limit"
    gap = max(range(1, len(rows)), key=lambda k: rows[k][0] - rows[k - 1][0]) if loss == LOSSES[0] else 0
    worst = max([largest(rows[k - 1:k + 1], 0, rows[k][0], RATE, slack, (2.02 * tick * (1.5 if kind is Modbus else 1) + slack) if k == gap else 1.0)
                 for k in range(1, len(rows))], default=(0, 0, 0))
    return "a step of %.4g m in %.4g s is %.2f times what is allowed" % (worst[1], worst[2], worst[0]) if worst[0] > 1.02 else ""


def cases():
    """All, or each loss of commands and each for good once."""
    for k, kind in enumerate(KINDS):
        for p, phase in enumerate(PHASES):
            for n, loss in enumerate(LOSSES):
                for realtime in (False, True):
                    if ALL or (loss != LOSSES[1] and realtime == bool((k + p + n // 2) % 2)):
                        yield kind, phase, loss, realtime


def page():
    lines = ["", "## Losses of a link in every phase", "",
             "Links over `udp-raw`, `udp` and Modbus TCP lose commands or answers in the same phases, on real sockets, with and without `--realtime`",
             "(`e2e/wire_losses.py`; the limit of silence is 0.1 s). The devices share no code with the backends and log every command with its wall time. In",
             "every run all commands keep `displacement` and `command_rate` (after lost commands by the bound of two ticks of",
             "[safety.md](safety.md)), and a run that stops says why. The ramp is that of a trip, which stops every run.", "",
             "| link | what is lost | " + " | ".join(PHASES) + " |", "|---|---|" + "---|" * len(PHASES)]
    for kind in KINDS:
        for what, lasts in LOSSES:
            lines.append("| `%s` | %s | %s |" % (kind.backend, "%s for %g ms" % (what, 1e3 * lasts) if lasts else what + " for good", " | ".join(
                "stops" if stops(phase, (what, lasts)) else "goes on" for phase in PHASES)))
    return "\n".join(lines) + "\n"


def losses_in_every_phase_keep_the_limits():
    todo, failed, made, lock = list(cases()), [], [], threading.Lock()

    def work():
        while True:
            with lock:
                if not todo:
                    return
                case = todo.pop(0)
            words = ""
            for _ in range(TRIES):
                try:
                    words = wrong_with(*case)
                except Exception as e:  # pylint: disable=broad-except
                    words = repr(e)
                if not words:
                    break
            made.append(case)
            if words:
                failed.append("%s, %s %s, %s%s: %s" % (case[0].backend, case[2][0], "for a moment" if case[2][1] else "for good", case[1],
                                                       ", --realtime" if case[3] else "", words))

    threads = [threading.Thread(target=work) for _ in range(WORKERS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    with open(os.path.join(os.environ["YOKE_SOURCE"], "docs/safety-case.md")) as text:
        if page() not in text.read():
            failed.append("docs/safety-case.md is stale: make safety-case")
    print("%d runs" % len(made))
    for words in failed:
        print("FAILED:", words)
    return len(failed)


if PAGE:
    print(page(), end="")
else:
    sys.exit(losses_in_every_phase_keep_the_limits() > 0)
