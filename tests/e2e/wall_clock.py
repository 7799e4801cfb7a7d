"""Runs on devices that log the wall time of every command, written without Yoke: packets over UDP (udp-raw), the wire of
docs/backends.md (udp), Modbus TCP, a plugin and a data-acquisition card (both log in their own code), and frames of EtherCAT
as they pass, with the simulated segment behind them.

Asserts, in wall time: the largest rate of the commands, the deceleration and the duration of the ramp after a trip, and how
soon a silence is answered by that ramp. A machine that is busy with something else may delay a device: each case has three tries.

usage: wall_clock.py BUILD SCRATCH   with YOKE_WALL_CLOCK=all: the whole table of docs/safety.md"""
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

BUILD, SCRATCH = sys.argv[1:3]
YOKE = os.path.join(BUILD, "yoke")
ALL = os.environ.get("YOKE_WALL_CLOCK") == "all"
RATE, RAMP_S, SILENCE_S = 0.25, 0.5, 0.1  # limits of the file: m/s, s, s
STOPPING_S = 0.05  # from that rate to rest
SPEED = 0.2  # with which the motion begins: m/s of wall time up to a scale of 1
SLACK_S = 50e-6  # between the clock of the supervisor and that of the device
STIFFNESS = 35530.0
TIMESTAMP = 35  # SO_TIMESTAMPNS: the kernel notes when a packet came

EXPERIMENT = """title: wall clock
time: {{ step: {step}, end: {end}, control_rate: {rate}, scale: {scale}, faster_than_real: true }}
method: {{ integrator: lsrt2, stability: warn }}
substructures:
  frame: {{ dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]], initial: {{ velocity: {{ x: {speed} }} }} }}
  specimen: {{ role: physical, dofs: [x], actuators: {{ x: a1 }}, estimate: {{ stiffness: [[35530]] }},
              initial: {{ velocity: {{ x: {speed} }} }} }}
interfaces: [ {{ join: [frame.x, specimen.x] }} ]
transfer: {{ a1: {{}} }}
rig: {{ backend: {backend}, settings: {settings}, lines: {lines}{twin} }}
limits: {{ displacement: 0.2, command_rate: {limit}, force: {force} N, tracking_error: 0.1, start_ramp: 0.05, trip_ramp: {ramp}, end_ramp: {ramp},
          peer_silence: {silence}, missed_deadlines: 0, stall: 0, coarse_wait: 5, on_trip: ramp }}
"""


TWIN = ", actuators: { a1: { plant: { kind: ideal } } }, specimen: { dofs: [x], mass: [0], stiffness: [[35530]] }"


class Log:
    """Commands with their wall time, and whether they were answered as usual."""

    def __init__(self):
        self.rows = []

    def add(self, seconds, command, good):
        self.rows.append((seconds, command, good))


class Device(threading.Thread):
    """Follows its command at once. After `after` commands it trips the run by its force, or falls silent."""

    def __init__(self, fault, after):
        super().__init__(daemon=True)
        self.fault, self.after, self.log, self.commands, self.x = fault, after, Log(), 0, 0.0
        self.ended = False

    def take(self, seconds, command):
        """The command as it came; returns (displacement, force), or None: no answer."""
        self.commands += 1
        wrong = self.commands > self.after
        self.log.add(seconds, command, not wrong)
        self.x = command
        if wrong and self.fault == "silent":
            return None
        return self.x, 1e6 if wrong and self.fault == "trip" else STIFFNESS * self.x


class Datagrams(Device):
    def __init__(self, fault, after):
        super().__init__(fault, after)
        self.wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.wire.setsockopt(socket.SOL_SOCKET, TIMESTAMP, 1)
        self.wire.bind(("127.0.0.1", 0))
        self.wire.settimeout(0.2)
        self.port = self.wire.getsockname()[1]

    def run(self):
        while not self.ended:
            try:
                packet, notes, _, peer = self.wire.recvmsg(2000, 64)
            except socket.timeout:
                continue
            stamp = next((d for level, kind, d in notes if level == socket.SOL_SOCKET and kind == TIMESTAMP), None)
            s, ns = struct.unpack("@ll", stamp[:16]) if stamp else divmod(time.time_ns(), 10**9)
            answer = self.answer(packet, s + 1e-9 * ns)
            if answer:
                self.wire.sendto(answer, peer)
        self.wire.close()


class UdpRaw(Datagrams):
    settings = ("{{ port: {port}, patience: 20, commands: [ {{ type: u32, name: sequence }}, {{ type: u8, name: state }}, "
                "{{ type: f64, name: a1.command }} ], readings: [ {{ type: u32, name: sequence }}, {{ type: u32, name: answers }}, "
                "{{ type: f64, name: a1.displacement }}, {{ type: f64, name: a1.force }} ] }}")
    backend, last, count = "udp-raw", None, 0

    def answer(self, packet, seconds):
        number, state, command = struct.unpack("<IBd", packet)
        if state >= 2 or number == self.last:
            return None
        self.last = number
        reading = (command, STIFFNESS * command) if state == 0 else self.take(seconds, command)
        if reading is None:
            return None
        self.count += 1
        return struct.pack("<IIdd", self.count, number, *reading)


class Udp(Datagrams):
    settings, backend, simulates = "{{ port: {port}, patience: 20 }}", "udp", 0.0
    HELLO, WELCOME, REST, COMMAND, READING, ENABLE, CHALLENGE = 1, 2, 4, 5, 6, 9, 10
    NUMBER = 0x1234567

    def __init__(self, fault, after):
        super().__init__(fault, after)
        self.said, self.last = 0, None

    def message(self, kind, session, sequence, answers, *values):
        body = struct.pack("<4sHHIIQQ", b"YOKE", 3, kind, session, len(values), sequence, answers)
        body += struct.pack("<%dd" % len(values), *values)
        return body + struct.pack("<I", zlib.crc32(body))

    def answer(self, packet, seconds):
        assert struct.unpack("<I", packet[-4:])[0] == zlib.crc32(packet[:-4])
        _, version, kind, session, count, sequence, answers = struct.unpack("<4sHHIIQQ", packet[:32])
        values = struct.unpack("<%dd" % count, packet[32:-4])
        assert version == 3, version
        if kind == self.HELLO and answers != self.NUMBER:
            return self.message(self.CHALLENGE, session, self.NUMBER, sequence)
        if kind == self.HELLO:
            return self.message(self.WELCOME, session, 0, sequence, 0.0, self.simulates)  # in lock-step
        if kind not in (self.REST, self.ENABLE, self.COMMAND) or sequence == self.last:
            return None
        self.last = sequence
        reading = self.x, STIFFNESS * self.x
        if kind == self.COMMAND:
            reading = self.take(seconds, values[0])
        if reading is None:
            return None
        self.said += 1
        return self.message(self.READING, session, self.said, sequence, *reading, 0.0, 0.0, 0.0)


class Simulated(Udp):
    """Says that it simulates: the run is as fast as it answers. A ramp after it was lost has its time all the same."""
    simulates = 1.0


class Modbus(Device):
    settings = ("{{ port: {port}, patience: 20, map: {{ a1.command: {{ holding: 0, type: f64 }}, "
                "a1.displacement: {{ holding: 4, type: f64 }}, a1.force: {{ holding: 8, type: f64 }} }} }}")
    backend = "modbus"

    def __init__(self, fault, after):
        super().__init__(fault, after)
        self.words = bytearray(40)
        self.door = socket.create_server(("127.0.0.1", 0))
        self.door.settimeout(0.2)
        self.port = self.door.getsockname()[1]

    def receive(self, wire, size):
        data = b""
        while len(data) < size:
            try:
                more = wire.recv(size - len(data))
            except socket.timeout:
                if self.ended:
                    raise ConnectionError
                continue
            if not more:
                raise ConnectionError
            data += more
        return data

    def write(self, at, data):
        self.words[2 * at:2 * at + len(data)] = data
        command = struct.unpack(">d", self.words[:8])[0]
        if at == 0 and command != self.x:  # the backend repeats it as often as it can
            self.words[8:24] = struct.pack(">dd", *self.take(time.time(), command))

    def serve(self, wire):
        while True:
            number, _, length, unit = struct.unpack(">HHHB", self.receive(wire, 7))
            body = self.receive(wire, length - 1)
            function = body[0]
            if function == 23:
                at, count, to, _, size = struct.unpack(">HHHHB", body[1:10])
                self.write(to, body[10:10 + size])
            elif function == 16:
                to, registers, size = struct.unpack(">HHB", body[1:6])
                self.write(to, body[6:6 + size])
                answer = body[:5]
            else:
                assert function == 3, function
                at, count = struct.unpack(">HH", body[1:5])
            if function != 16:
                data = bytes(self.words[2 * at:2 * at + 2 * count])
                answer = bytes((function, len(data))) + data
            wire.sendall(struct.pack(">HHHB", number, 0, len(answer) + 1, unit) + answer)

    def run(self):
        while not self.ended:
            try:
                wire, _ = self.door.accept()
            except socket.timeout:
                continue
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            wire.settimeout(0.2)
            try:
                self.serve(wire)
            except ConnectionError:
                pass
            wire.close()


class Inside:
    """Logs in the process of the run, to a file."""
    volt = 1.0

    def __init__(self, fault, after):
        self.fault, self.after, self.log, self.port = fault, after, Log(), 0
        self.path = os.path.join(SCRATCH, "wire-%d-%d.log" % (threading.get_ident(), time.time_ns()))
        self.environment = {"YOKE_WIRE_LOG": self.path, "YOKE_WIRE_AFTER": str(after), "YOKE_WIRE_FAULT": fault}

    def start(self):
        pass

    def join(self):
        with open(self.path) as lines:
            for line in lines:
                seconds, command, good = line.split()
                self.log.add(float(seconds), self.volt * float(command), good == "1")


class Plugin(Inside):
    settings, backend = "{{ library: %s }}" % os.path.join(BUILD, "tests/plugins/logging_rig.so"), "plugin"


class Comedi(Inside):
    settings = ("{{ device: /dev/comedi0, map: {{ a1.command: {{ output: 0, scale: 20 mm }}, a1.displacement: "
                "{{ input: 0, scale: 20 mm }}, a1.force: {{ input: 1, scale: 200 N }}, drive: {{ digital: 4 }} }} }}")
    backend, lines, volt = "comedi", "{ drive: { role: enable } }", 0.02

    def __init__(self, fault, after):
        super().__init__(fault, after)
        self.environment["LD_PRELOAD"] = os.path.join(BUILD, "tests/comedi/card.so")


class EtherCat(Device):
    """Frames on their way to the segment. Its force passes a lower limit by itself, at the largest command."""
    settings = ("{{ interface: yka, clock: false, slaves: {{ coupler: {{ vendor: 0xA5A5, product: 0x100001 }}, axis: {{ vendor: 0xA5A5, "
                "product: 0x402001, drive: csp, outputs: {{ 0x1600: [0x6040:0:u16, 0x607A:0:i32] }}, inputs: {{ 0x1A00: [0x6041:0:u16, "
                "0x6064:0:i32] }} }}, cell: {{ vendor: 0xA5A5, product: 0x301601 }} }}, channels: {{ a1.command: {{ slave: axis, entry: "
                "0x607A:0, scale: 0.1 um }}, a1.displacement: {{ slave: axis, entry: 0x6064:0, scale: 0.1 um }}, a1.force: {{ slave: cell, "
                "entry: 0x6000:17, scale: 0.30517578125 N, status: 0x6000:1 }} }} }}")
    backend, twin, force, port = "ethercat", TWIN, 60, 0
    WRITES, OUTGOING = (11, 12), 4

    def prepare(self, path):
        self.segment = subprocess.Popen([YOKE, "serve", path, "--ethercat", "ykb"], stdout=subprocess.PIPE, text=True)
        assert "simulating" in self.segment.stdout.readline()
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88A4))
        self.wire.setsockopt(socket.SOL_SOCKET, TIMESTAMP, 1)
        self.wire.bind(("ykb", 0x88A4))
        self.wire.settimeout(0.2)

    def run(self):
        while not self.ended:
            try:
                frame, notes, _, peer = self.wire.recvmsg(2000, 64)
            except socket.timeout:
                continue
            stamp = next(d for level, kind, d in notes if level == socket.SOL_SOCKET and kind == TIMESTAMP)
            s, ns = struct.unpack("@ll", stamp[:16])
            if peer[2] != self.OUTGOING:
                self.look(frame, s + 1e-9 * ns)
        self.wire.close()
        self.segment.terminate()
        self.segment.communicate(timeout=30)
        rows = self.log.rows
        peak = max(range(len(rows)), key=lambda k: abs(rows[k][1])) if rows else 0
        self.log.rows = [(t, x, k <= peak) for k, (t, x, _) in enumerate(rows)]

    def look(self, frame, seconds):
        at, more = 16, True
        while more:
            command, length = frame[at], struct.unpack("<H", frame[at + 6:at + 8])[0]
            data = frame[at + 10:at + 10 + (length & 0x7FF)]
            if command in self.WRITES and len(data) >= 6:
                control, target = struct.unpack("<Hi", data[:6])
                if control & 15 == 15:
                    self.log.add(seconds, 1e-7 * target, True)
            at, more = at + 12 + (length & 0x7FF), length & 0x8000


def run(kind, fault, scale, realtime):
    """Returns the device with its log, the exit code and the words of the run."""
    slow = kind is Modbus  # 100 cycles a second
    ticks = 100 if slow else 1000
    after = max(int(0.3 * ticks / max(scale, 1) ** 0.75), 12) + (80 if kind is Comedi else 0)  # it begins with a ramp
    device = kind(fault, after)
    folder = os.path.join(SCRATCH, "out-%d-%d" % (threading.get_ident(), time.time_ns()))
    path = folder + ".yaml"
    with open(path, "w") as out:
        out.write(EXPERIMENT.format(
            step="40 ms" if slow else "10 ms", end=3, rate="%d Hz" % ticks, scale=scale, speed=SPEED * min(scale, 1),
            backend=device.backend, settings=device.settings.format(port=device.port),
            lines=getattr(device, "lines", "{}"), twin=getattr(device, "twin", ""), force=getattr(device, "force", 20000), limit=RATE, ramp=RAMP_S, silence=SILENCE_S))
    if kind is EtherCat:
        device.prepare(path)
    device.start()
    words = [YOKE, "run", path, "--uncommissioned", "tests: a device of theirs", "-o", folder, "--no-report", "--budget", "0"] + (["--realtime", "--priority", "0"] if realtime else [])
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                          env={**os.environ, **getattr(device, "environment", {})})
    device.ended = True
    device.join()
    return device, done.returncode, done.stdout


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


def braking(rows):
    """Largest change of the rate after the first bad answer, between two spans of 10 ms [m/s2]."""
    first = next(k for k, r in enumerate(rows) if not r[2])
    spans, at = [], max(k for k in range(first + 1) if k == 0 or rows[first][0] - rows[k][0] >= 0.02)
    for k in range(at, len(rows)):
        if rows[k][0] - rows[at][0] >= 0.01:
            spans.append((0.5 * (rows[k][0] + rows[at][0]), (rows[k][1] - rows[at][1]) / (rows[k][0] - rows[at][0])))
            at = k
    return max(abs(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(spans, spans[1:]))


def judge(kind, fault, scale, realtime):
    """What was found, and what is wrong with it; "" if nothing is."""
    device, code, text = run(kind, fault, scale, realtime)
    rows = device.log.rows
    if code != 3 or len(rows) < 20:
        return None, "exit code %d after %d commands:\n%s" % (code, len(rows), text)
    if ("paced on the wall clock" in text) != (not realtime and kind is not Simulated):
        return None, "what does it say of its pace?\n" + text
    m = measure(rows)
    if kind is Simulated:  # after a second without an answer it is lost
        m.update(measure([r for r in rows if r[2]][-1:] + [r for r in rows if not r[2]]), heard=m["heard"] + 1 - SILENCE_S)
    tick = (0.01 if kind is Modbus else 0.001) * scale
    if fault == "silent":  # the ramp begins once the silence is noticed
        m["noticed"] = m["home"] - m["heard"] - RAMP_S
        late = m["noticed"] > SILENCE_S + 2 * tick + 0.1 * RAMP_S + STOPPING_S or m["noticed"] < -0.1 * RAMP_S
    else:  # and a ramp after the fault, at the next tick
        m["ramp"] = m["home"] - m["fault"]
        late = not 0.9 * RAMP_S < m["ramp"] < 1.1 * RAMP_S + STOPPING_S
    wrong = []
    if fault == "trip" and kind in (UdpRaw, Udp, Plugin):
        m["braking"] = braking(rows)
        if m["braking"] > 2 * RATE / STOPPING_S:
            wrong.append("stopped with %.3g m/s2, allowed are %g" % (m["braking"], RATE / STOPPING_S))
    m["rate"] = m["window"] if kind is Modbus else max(m["most"], m["window"])  # no kernel notes when a part of a stream came
    if m["rate"] > 1.02 * RATE:
        wrong.append("rate %.3g m/s, limit %g m/s" % (m["rate"], RATE))
    if late:
        wrong.append("%s after %.3g s" % ("silence noticed" if fault == "silent" else "home", m.get("noticed", m.get("ramp"))))
    if abs(m["end"]) > 1e-4 or m["reach"] < 1e-3:
        wrong.append("reached %.3g m, ended at %.3g m" % (m["reach"], m["end"]))
    return m, "; ".join(wrong)


def cases():
    for kind in (UdpRaw, Udp, Simulated, Modbus, Plugin, Comedi, EtherCat):
        for fault in ("trip", "silent"):
            if fault == "silent" and kind in (Modbus, Comedi, EtherCat):  # no command passes without an answer
                continue
            for scale in (0.2, 1, 50):
                for realtime in (False, True):
                    if kind is Simulated and (fault == "trip" or scale != 1 or realtime):
                        continue
                    if ALL or (fault == "trip" and scale == (1 if kind is UdpRaw else 50 if kind is Udp else 0.2 if kind is Plugin else 1)
                               and not realtime) or (fault == "silent" and scale == 1 and not realtime):
                        yield kind, fault, scale, realtime


found, failed = {}, []


def work(kind, mine):
    for case in mine:
        for attempt in range(3):
            try:
                m, wrong = judge(*case)
            except Exception as e:  # pylint: disable=broad-except
                m, wrong = None, repr(e)
            if not wrong:
                break
        found[case] = m
        if wrong:
            failed.append("%s, %s, scale %g%s: %s" % (kind.backend, case[1], case[2], ", --realtime" if case[3] else "", wrong))


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
lost = found.get((Simulated, "silent", 1, False))
if lost:
    print("\na simulation over UDP that was lost, in a run that is not paced: the ramp of 0.5 s took %.3f s" % (
        lost["noticed"] - SILENCE_S + RAMP_S))
for words in failed:
    print("FAILED:", words)
sys.exit(bool(failed))
