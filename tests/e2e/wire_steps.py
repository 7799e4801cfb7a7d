"""The largest step of the command that reaches a device, in the number that the device gets, and the wall time in which it came:
when the drives are enabled, after losses of 0.1 to 2 s, at a trip from full speed, at pauses and resumes, and when the control mode changes. The
devices log; they share no code with the backends (wire_devices.py).

A step may not be larger than what the limits allow in the wall time since the command before. After a loss only two ticks of that time count:
the first command that arrives is that far from the last one that was answered, at most. Each case has three tries, because a busy machine may delay a device.

usage: wire_steps.py BUILD SCRATCH   with YOKE_WALL_CLOCK=all: the whole table of docs/safety.md"""
import os
import re
import socket
import struct
import sys
import threading

import wire_devices
from wire_devices import BUILD, EXPERIMENT, RATE, Comedi, EtherCat, Modbus, Plugin, Shm, Udp, UdpRaw, largest, run, slack_of

ALL = os.environ.get("YOKE_WALL_CLOCK") == "all"
STANDS = 4e-4  # m: where a device stands when it is enabled; the run begins at zero
LOSSES_S = (0.1, 0.5, 1.0, 2.0) if ALL else (0.1, 1.0)
FORCE_RATE = 2e4  # N/s: limit in force control
# what one unit of the device is
UNITS = {UdpRaw: (1.0, "m"), Udp: (1.0, "m"), Shm: (1.0, "m"), Modbus: (1.0, "m"), Plugin: (1.0, "m"), Comedi: (0.02, "V"), EtherCat: (1e-7, "counts")}
LINEAR, CUBIC = 20e3, 40e6  # a specimen that stiffens: N/m, N/m3

MODES = EXPERIMENT.replace("transfer: {{ a1: {{}} }}", "transfer: {{ a1: {{ switch: {{ above: 600, below: 400, stiffness: 80000, time: 0.06, lag: 0.005,"
                           " command_rate: 20000, confirm: 0.2 }} }} }}").replace(
    "limits: {{", "{channels}limits: {{ acceleration: 50, window: 20, relative_error: 0, position_error: 5e-3, ").replace(
    "stiffness: [[35530]]", "stiffness: [[20000]]")


def force_of(x):
    return LINEAR * x + CUBIC * x ** 3


class Modes(Udp):
    """Follows its displacement at once; in force control moves with a speed in proportion to the error of the force. Changes its
    mode three commands after it was asked to."""

    def __init__(self, fault, after):
        super().__init__(fault, after)
        self.mode, self.asked_for = 0, 0

    def answer(self, packet, seconds):
        _, _, kind, session, count, sequence, _ = struct.unpack("<4sHHIIQQ", packet[:32])
        values = struct.unpack("<%dd" % count, packet[32:-4])
        if kind == self.HELLO:
            assert values[5] == 2.0, values  # with second control modes
        if kind not in (self.REST, self.ENABLE, self.COMMAND):
            return super().answer(packet, seconds)
        if sequence == self.last:
            return None
        if kind == self.COMMAND:
            x, _, force, modes = values
            self.log.add(seconds, x, True)
            self.forces.add(seconds, force, True)
            self.asked_for = self.asked_for + 1 if int(modes) != self.mode else 0
            if self.asked_for > 3:
                self.mode, self.asked_for = int(modes), 0
            self.modes.append((seconds, self.mode))
            self.x = self.x + 0.001 * (force - force_of(self.x)) / (80000 * 0.005) if self.mode else x
        self.last = sequence
        self.said += 1
        return self.message(self.READING, session, self.said, sequence, self.x, force_of(self.x), 0.0, 0.0, 0.0, float(self.mode))


class UdpModes(Modes):
    pass


class ShmModes(Modes, Shm):
    """The same on two boards in shared memory."""


class EtherCatModes(EtherCat):
    """Target position, target torque and mode in the frames to a simulated drive."""
    settings = EtherCat.settings.replace("0x607A:0:i32] }}", "0x607A:0:i32, 0x6071:0:i16, 0x6060:0:i8] }}").replace(
        "0x6064:0:i32] }}", "0x6064:0:i32, 0x6061:0:i8] }}").replace(", scale: 0.1 um", "").replace(", scale: 0.30517578125 N", "").replace(
        "channels: {{", "channels: {{ a1.force_command: {{ slave: axis, entry: 0x6071:0 }},")
    channels = ("channels: { a1.command: { scale: 0.1 um }, a1.displacement: { scale: 0.1 um }, a1.force_command: { scale: 0.1 N }, "
                "a1.force: { scale: 0.30517578125 N } }\n")
    twin = (", actuators: { a1: { plant: { kind: ideal }, force_lag: 0.005 } }, specimen: { kind: assembled, nodes: { p: { mass: 0 } }, elements: "
            "[ { kind: cubic-spring, between: [ground, p.x], stiffness: 20000, cubic: 40e6 } ] }")

    def __init__(self, fault, after):
        super().__init__(fault, after)
        self.force = 20000

    def look(self, frame, seconds):
        at, more = 16, True
        while more:
            command, length = frame[at], struct.unpack("<H", frame[at + 6:at + 8])[0]
            data = frame[at + 10:at + 10 + (length & 0x7FF)]
            if command in self.WRITES and len(data) >= 9:
                control, target, torque, mode = struct.unpack("<Hihb", data[:9])
                if control & 15 == 15:
                    self.log.add(seconds, 1e-7 * target, True)
                    self.forces.add(seconds, 0.1 * torque, True)
                    self.modes.append((seconds, mode))
            at, more = at + 12 + (length & 0x7FF), length & 0x8000


UNITS[UdpModes], UNITS[ShmModes], UNITS[EtherCatModes] = UNITS[Udp], UNITS[Shm], UNITS[EtherCat]


def rows_of(kind, fault, **more):
    settings = {"silence": more.pop("silence", 0.1)}
    experiment = more.pop("experiment", EXPERIMENT)
    for name, value in more.items():
        setattr(kind, name, value)
    if kind.backend in ("udp", "udp-raw", "shm", "modbus"):  # longer than any loss here
        kind.settings = re.sub(r"patience: 20(, silence: [0-9.]+)?", "patience: 20, silence: 5", kind.settings)
    if kind is EtherCat:  # a frame that is lost costs this wait
        kind.settings = kind.settings.replace("clock: false, slaves", "clock: false, wait: 4 ms, silence: 10, watchdog: 5, slaves")
    device, code, text = run(kind, fault, 1, False, experiment, **settings, **({"channels": getattr(kind, "channels", "")} if experiment is MODES else {}))
    return device, code, text


def judge(kind, event, loss):
    """The worst step of an event, and what is wrong with it; "" if nothing is."""
    tick = 0.01 if kind is Modbus else 0.001
    if event == "mode":
        device, code, text = rows_of(kind, "none", experiment=MODES, silence=0.1)
        slack = slack_of(kind, device)
        rows, forces = device.log.rows, device.forces.rows
        changes = [b[0] for a, b in zip(device.modes, device.modes[1:]) if a[1] != b[1]]
        if code or len(changes) < 4:
            return None, "exit code %d, %d changes of the mode:\n%s" % (code, len(changes), text)
        found = [largest(rows, t - 0.005, t + 0.1, RATE, slack) for t in changes]
        by_force = [largest(forces, t - 0.005, t + 0.1, FORCE_RATE, slack) for t in changes]
        return (max(found), max(by_force)), verdict([max(found), max(by_force)])
    if event == "enable":
        kind.stands = STANDS if kind not in (Comedi, EtherCat) else 0.0
        device, code, text = rows_of(kind, "trip")
        kind.stands = 0.0
        rows = device.log.rows
        if code != 3 or len(rows) < 20:
            return None, "exit code %d after %d commands:\n%s" % (code, len(rows), text)
        first = abs(rows[0][1] - (STANDS if kind not in (Comedi, EtherCat) else 0.0))
        found = largest([(rows[0][0] - tick, rows[0][1] - first, True)] + rows, rows[0][0], rows[0][0] + 0.05, RATE, slack_of(kind, device))
        return (found,), verdict([found])
    if event in ("loss", "unanswered"):
        kind.loss_s = loss
        device, code, text = rows_of(kind, "deaf" if event == "loss" else "mute", silence=2 * loss + 1)
        kind.loss_s = wire_devices.LOSS_S
        rows = device.log.rows
        late = code == 3 and "rate of the command" in text  # the structure went on meanwhile, and the method asks for too much
        if not (code == 0 or late) or len(rows) < 20:
            return None, "exit code %d after %d commands:\n%s" % (code, len(rows), text)
        slack = slack_of(kind, device)
        if event == "unanswered":  # every command arrives
            begin = rows[0][0] + 0.25
            if max(r[1] for r in rows) == min(r[1] for r in rows if r[0] > begin):
                return None, "nothing moved"
            found = largest(rows, begin, begin + 2 * loss + 0.5, RATE, slack)
            return (found,), verdict([found])
        before, after = max(zip(rows, rows[1:]), key=lambda pair: pair[1][0] - pair[0][0])
        if after[0] - before[0] < 0.8 * loss:
            return None, "nothing was lost"
        # of wall time: two ticks of the rate, however long nothing was heard. Modbus: a PLC that stood still takes the command of before first
        reach = 2.02 * tick * (1.5 if kind is Modbus else 1) + slack
        found = max(largest([before, after], 0, after[0], RATE, slack, reach), largest(rows, after[0] + 1e-9, after[0] + 0.2, RATE, slack))
        return (found,), verdict([found])
    fault = {"trip": "trip", "resume": "pause"}[event]
    device, code, text = rows_of(kind, fault)
    rows = device.log.rows
    if code != (0 if event == "resume" else 3) or len(rows) < 20:
        return None, "exit code %d after %d commands:\n%s" % (code, len(rows), text)
    if event == "resume" and sum(code == 0 for _, code, _ in device.orders) < 4:
        return None, "the operator was not heard: %r" % device.orders
    begin = next((r[0] for r in rows if not r[2]), rows[0][0]) - 0.005
    found = largest(rows, begin, rows[-1][0], RATE, slack_of(kind, device))
    return (found,), verdict([found])


def verdict(found):
    return "; ".join("a step of %.4g in %.4g s is %.2f times what is allowed" % (f[1], f[2], f[0]) for f in found if f[0] > 1.02)


def cases():
    for kind in (UdpRaw, Udp, Shm, Modbus, Plugin, Comedi, EtherCat):
        for event in ("enable", "loss", "unanswered", "trip", "resume"):
            if event == "unanswered" and kind is not EtherCat:  # the others resend, or repeat no command
                continue
            if not ALL and kind is not UdpRaw and event in ("trip", "resume"):
                continue
            few = not ALL and kind in (Comedi, EtherCat)
            for loss in LOSSES_S[:1 if few else None] if event in ("loss", "unanswered") else (0,):
                yield kind, event, loss
    yield UdpModes, "mode", 0
    yield ShmModes, "mode", 0
    yield EtherCatModes, "mode", 0


found, failed = {}, []


def work(mine):
    for case in mine:
        m, wrong = None, ""
        for _ in range(3):
            try:
                m, wrong = judge(*case)
            except Exception as e:  # pylint: disable=broad-except
                m, wrong = None, repr(e)
            if not wrong:
                break
        found[case] = m
        if wrong:
            failed.append("%s, %s %g s: %s" % (case[0].backend, case[1], case[2], wrong))


skip = set()
if not os.path.exists(os.path.join(BUILD, "tests/comedi/card.so")):
    skip.add(Comedi)
if "ykb" not in (name for _, name in socket.if_nameindex()):
    skip.update((EtherCat, EtherCatModes))
ONLY = os.environ.get("YOKE_WIRE_ONLY", "")  # "modbus loss": these cases alone
todo = [c for c in cases() if c[0] not in skip and ("%s %s" % (c[0].backend, c[1])).startswith(ONLY)]
wires = dict.fromkeys(c[0].backend for c in todo)
threads = [threading.Thread(target=work, args=([c for c in todo if c[0].backend == w],)) for w in wires]
for t in threads:
    t.start()
    if ALL:  # one after the other, for the table
        t.join()
for t in threads:
    t.join()

print("| event | backend | step nearest to what is allowed | in wall time | allowed in it |\n|---|---|---|---|---|")
WORDS = {"enable": "drives enabled", "trip": "trip at 0.2 m/s", "resume": "pauses and resumes at speed", "mode": "change of the control mode"}
for (kind, event, loss), m in sorted(found.items(), key=lambda c: (list(WORDS).index(c[0][1]) if c[0][1] in WORDS else 0.5, c[0][2])):
    for k, f in enumerate(m or ()):
        unit, name = UNITS[kind] if k == 0 else ((1.0, "N") if issubclass(kind, Modes) else (0.1, "counts of force"))
        print("| %s | `%s` | %.4g %s | %.2f ms | %.4g %s |" % (
            WORDS.get(event, ("loss of %g s" if event == "loss" else "answers lost for %g s") % loss), kind.backend, f[1] / unit, name, 1e3 * f[2], (f[1] / f[0] if f[0] else 0.0) / unit, name))
for words in failed:
    print("FAILED:", words)
sys.exit(bool(failed))
