"""Devices that log the wall time of every command, written without Yoke: packets over UDP (udp-raw), the wire of
docs/backends.md (udp; shm in shared memory), Modbus TCP, a plugin and a data-acquisition card (both log in their own code), and frames of EtherCAT
as they pass, with the simulated segment behind them. For wall_clock.py, wire_steps.py and wire_losses.py."""
import bisect
import ctypes
import fcntl
import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

BUILD, SCRATCH = sys.argv[1:3]
YOKE = os.path.join(BUILD, "yoke")
RATE, RAMP_S, SILENCE_S = 0.25, 0.5, 0.1  # limits of the file: m/s, s, s
SPEED = 0.2  # with which the motion begins: m/s of wall time up to a scale of 1
LOSS_S = 0.06  # of a device that hears nothing for a while, below the limit of silence
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


def operate(device):
    """Pauses and resumes at speeds as they come."""
    for words in ("pause", "resume") * 4:
        done = subprocess.run([YOKE, "control", words, device.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        device.orders.append((words, done.returncode, time.time()))
        time.sleep(0.25 if words == "pause" else 0.13)


class Device(threading.Thread):
    """Follows its command at once. After `after` commands it trips the run by its force, or falls silent once it has moved."""

    loss_s, stands = LOSS_S, 0.0  # how long it hears nothing; where it stands at first
    MOVED = 2e-3  # a backend that divides its commands sends many of them for a short way

    def __init__(self, fault, after):
        super().__init__(daemon=True)
        self.fault, self.after, self.log, self.commands, self.x, self.far = fault, after, Log(), 0, self.stands, 0.0
        self.forces, self.modes = Log(), []  # with a second control mode: its commands, and the mode in force
        self.ended, self.deaf_since, self.orders, self.name = False, None, [], ""

    def take(self, seconds, command):
        """The command as it came; returns (displacement, force), or None: no answer."""
        self.commands += 1
        self.far = max(self.far, abs(command - self.stands))
        wrong = self.commands > self.after and (self.fault != "silent" or self.far > self.MOVED)
        if self.fault == "pause":
            if self.commands == self.after:
                threading.Thread(target=operate, args=(self,), daemon=True).start()
            self.log.add(seconds, command, True)
            return command, STIFFNESS * command
        if wrong and self.fault == "deaf":
            self.deaf_since = self.deaf_since or seconds
            wrong = seconds < self.deaf_since + self.loss_s
            if wrong:
                return None
        if self.fault == "scale":  # it moves a tenth of what it is told, from the beginning
            self.log.add(seconds, command, True)
            return 0.1 * command, 0.1 * STIFFNESS * command
        self.log.add(seconds, command, not wrong)
        if wrong and self.fault == "twice" and self.commands > self.after + 200:  # in the ramp home
            return float("nan"), 0.0
        self.x = command
        if wrong and self.fault == "silent":
            return None
        return self.x, 1e6 if wrong and self.fault in ("trip", "twice") else STIFFNESS * self.x


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
            self.asked = s + 1e-9 * ns  # a question may come again
            answer = self.answer(packet, self.asked)
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
        reading = (self.x, STIFFNESS * self.x) if state == 0 else self.take(seconds, command)
        if reading is None:
            self.last = None if self.fault == "deaf" else number
            return None
        self.last = number
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
        reading = self.x, STIFFNESS * self.x
        if kind == self.COMMAND:
            reading = self.take(seconds, values[0])
        if reading is None:
            self.last = None if self.fault == "deaf" else sequence
            return None
        self.last = sequence
        self.said += 1
        return self.message(self.READING, session, self.said, sequence, *reading, 0.0, 0.0, 0.0)


class Simulated(Udp):
    """Says that it simulates: the run is as fast as it answers. A ramp after it was lost has its time all the same."""
    simulates = 1.0


class Shm(Udp):
    """The messages of udp on two boards in shared memory, laid out as docs/backends.md says. No kernel notes when a command
    came: between the last look that found none and the one that found it. Rows of the log end with the time of the first."""
    settings, backend = "{{ name: {port}, patience: 20 }}", "shm"
    HEAD, BOARD, PLACE = 64, 3008, 1472  # bytes
    FUTEX, WAKE, OFD_LOCK = {"aarch64": 98}.get(os.uname().machine, 202), 1, 37

    def __init__(self, fault, after):
        Device.__init__(self, fault, after)
        self.said, self.last, self.posted = 0, None, 0
        self.port = "wire-%d-%d" % (threading.get_ident() % 10**9, time.time_ns() % 10**12)
        self.path = "/dev/shm/yoke-rig-" + self.port
        while not os.path.exists(self.path):  # a run that begins elsewhere removes a file that it sees before it is locked
            self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            os.ftruncate(self.file, self.HEAD + 2 * self.BOARD)
            fcntl.fcntl(self.file, self.OFD_LOCK, struct.pack("@hhqqi", fcntl.F_WRLCK, 0, 0, 1, 0) + bytes(4))
        self.memory = mmap.mmap(self.file, self.HEAD + 2 * self.BOARD)
        self.memory[:12] = b"YOKERIG\0" + struct.pack("@I", 3)
        self.bell = ctypes.c_uint32.from_buffer(self.memory, self.HEAD + self.BOARD + 8)
        self.memory[12:16] = struct.pack("@I", 1)

    def word(self, at):
        return struct.unpack_from("@Q", self.memory, at)[0]

    def newest(self, seen):
        """The number and the words of the newest message, if it is a new one."""
        number = self.word(self.HEAD)
        place = self.HEAD + 64 + number % 2 * self.PLACE
        mark, length = self.word(place), self.word(place + 8)
        if number == seen or mark != 2 * number or length > 180:
            return None
        data = bytes(self.memory[place + 16:place + 16 + 8 * length])
        return (number, data) if self.word(place) == mark else None

    def post(self, data):
        self.posted += 1
        board = self.HEAD + self.BOARD
        place = board + 64 + self.posted % 2 * self.PLACE
        struct.pack_into("@Q", self.memory, place, 2 * self.posted - 1)
        struct.pack_into("@Q", self.memory, place + 8, len(data) // 8)
        self.memory[place + 16:place + 16 + len(data)] = data
        struct.pack_into("@Q", self.memory, place, 2 * self.posted)
        struct.pack_into("@Q", self.memory, board, self.posted)
        self.bell.value = self.posted & 0xFFFFFFFF
        ctypes.CDLL(None).syscall(self.FUTEX, ctypes.byref(self.bell), self.WAKE, 2**31 - 1, None, None, 0)

    def run(self):
        seen, before, looks = 0, {}, time.time()
        while not self.ended:
            last, looks = looks, time.time()
            new = self.newest(seen)
            if not new:
                time.sleep(5e-5)
                continue
            self.asked = time.time()
            before[self.asked] = last
            seen, data = new
            kind, session, sequence, answers, count = struct.unpack("@IIQQQ", data[:32])
            # as the packet of udp; who has the lock needs no challenge
            body = struct.pack("<4sHHIIQQ", b"YOKE", 3, kind, session, count, sequence, self.NUMBER if kind == self.HELLO else answers) + data[32:]
            answer = self.answer(body + struct.pack("<I", zlib.crc32(body)), self.asked)
            if answer:
                kind, session, count, sequence, answers = struct.unpack("<HIIQQ", answer[6:32])
                self.post(struct.pack("@IIQQQ", kind, session, sequence, answers, count) + answer[32:-4])
        for log in self.log, self.forces:
            log.rows = [row + (before[row[0]],) for row in log.rows]
        os.unlink(self.path)
        os.close(self.file)


class Modbus(Device):
    settings = ("{{ port: {port}, patience: 20, silence: 0.3, map: {{ a1.command: {{ holding: 0, type: f64 }}, "
                "a1.displacement: {{ holding: 4, type: f64 }}, a1.force: {{ holding: 8, type: f64 }} }} }}")
    backend, mute, had = "modbus", False, None

    def __init__(self, fault, after):
        super().__init__(fault, after)
        self.words, self.requests = bytearray(40), []
        self.words[8:24] = struct.pack(">dd", self.x, STIFFNESS * self.x)
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
        if at == 0 and command != self.had:  # the backend repeats it as often as it can
            self.had = command
            if self.fault == "deaf" and self.commands == self.after:  # a PLC that stands still
                time.sleep(self.loss_s)
                self.deaf_since = 1  # that was it
            answer = self.take(time.time(), command)
            if answer is None:
                self.mute = True
            else:
                self.words[8:24] = struct.pack(">dd", *answer)

    def serve(self, wire):
        while not self.mute:
            number, _, length, unit = struct.unpack(">HHHB", self.receive(wire, 7))
            body = self.receive(wire, length - 1)
            self.requests.append(time.time())
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
            if not self.mute:
                wire.sendall(struct.pack(">HHHB", number, 0, len(answer) + 1, unit) + answer)
        try:  # until the run gives the connection up
            while True:
                self.receive(wire, 1)
        finally:
            self.asked = time.time()

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
    volt, loss_s, stands = 1.0, LOSS_S, 0.0

    def __init__(self, fault, after):
        self.fault, self.after, self.log, self.port, self.orders, self.name, self.ended = fault, after, Log(), 0, [], "", False
        self.path = os.path.join(SCRATCH, "wire-%d-%d.log" % (threading.get_ident(), time.time_ns()))
        self.environment = {"YOKE_WIRE_LOG": self.path, "YOKE_WIRE_AFTER": str(after), "YOKE_WIRE_FAULT": fault,
                            "YOKE_WIRE_DEAF": "%d" % round(1000 * self.loss_s), "YOKE_WIRE_STANDS": repr(self.stands)}

    def start(self):
        if self.fault == "pause":
            threading.Thread(target=self.wait_and_operate, daemon=True).start()

    def wait_and_operate(self):
        """Its log tells when the motion is under way."""
        while not self.ended:
            if os.path.exists(self.path) and os.path.getsize(self.path) > 40 * self.after:
                return operate(self)
            time.sleep(0.01)

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
    backend, twin, port = "ethercat", TWIN, 0
    WRITES, OUTGOING = (11, 12), 4
    heard, left, stopped = 0.0, None, False  # time of the last answer; of the first frame after it that disables the drive

    def __init__(self, fault, after):
        super().__init__(fault, after)
        self.force = 60 if fault in ("trip", "none") else 20000
        self.answered = []

    def prepare(self, path):
        """Deaf: frames are damaged before they reach the drive, so that it takes nothing; or answers get lost, and it takes all."""
        words = []
        if self.fault in ("deaf", "mute"):
            words = ["--clock", "--fault", "%s@0.3s+%gs%s" % (("damaged", self.loss_s, ":2") if self.fault == "deaf" else ("lost", self.loss_s, ""))]
        self.segment = subprocess.Popen([YOKE, "serve", path, "--ethercat", "ykb"] + words, stdout=subprocess.PIPE, text=True)
        assert "simulating" in self.segment.stdout.readline()
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88A4))
        self.wire.setsockopt(socket.SOL_SOCKET, TIMESTAMP, 1)
        self.wire.bind(("ykb", 0x88A4))
        self.back = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88A4))
        self.back.setsockopt(socket.SOL_SOCKET, TIMESTAMP, 1)
        self.back.bind(("yka", 0x88A4))

    def run(self):
        while not self.ended:
            for wire in select.select((self.wire, self.back), (), (), 0.2)[0]:
                frame, notes, _, peer = wire.recvmsg(2000, 64)
                stamp = next(d for level, kind, d in notes if level == socket.SOL_SOCKET and kind == TIMESTAMP)
                s, ns = struct.unpack("@ll", stamp[:16])
                if peer[2] == self.OUTGOING:
                    continue
                if wire is self.back:
                    self.answered.append(s + 1e-9 * ns)
                else:
                    self.look(frame, s + 1e-9 * ns)
        self.wire.close()
        self.back.close()
        self.segment.send_signal(signal.SIGCONT)
        self.segment.terminate()
        self.segment.communicate(timeout=30)
        rows = self.log.rows
        if self.fault == "silent":
            self.asked = self.left or rows[-1][0]
            self.log.rows = [(t, x, t <= self.heard) for t, x, _ in rows] + [(self.asked, rows[-1][1], False)]
            return
        if self.fault == "deaf":  # the drive has the commands of the frames that came back
            self.log.rows = [a for a, b in zip(rows, rows[1:]) if bisect.bisect(self.answered, a[0]) < bisect.bisect(self.answered, b[0])]
        if self.fault in ("deaf", "mute", "pause"):
            return
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
                    if self.fault == "pause" and len(self.log.rows) == self.after:
                        threading.Thread(target=operate, args=(self,), daemon=True).start()
                    if self.fault == "silent" and len(self.log.rows) == self.after:
                        self.segment.send_signal(signal.SIGSTOP)
                        self.stopped, self.heard = True, seconds
                elif self.stopped and not self.left:
                    self.left = seconds
            at, more = at + 12 + (length & 0x7FF), length & 0x8000


def run(kind, fault, scale, realtime, experiment=EXPERIMENT, **settings):
    """Returns the device with its log, the exit code and the words of the run. `settings` replace numbers of the experiment."""
    slow = issubclass(kind, Modbus)  # 100 cycles a second
    ticks = 100 if slow else 1000
    # it begins with a ramp, which Modbus divides into more writes when answers are late
    after = max(int((0.45 if slow else 0.3) * ticks / max(scale, 1) ** 0.75), 20) + (80 if kind is Comedi else 0)
    device = kind(fault, after)
    folder = os.path.join(SCRATCH, "out-%d-%d" % (threading.get_ident(), time.time_ns()))
    path, device.folder, device.name = folder + ".yaml", folder, os.path.basename(folder)
    values = {**dict(
            step="40 ms" if slow else "10 ms", end=3, rate="%d Hz" % ticks, scale=scale, speed=SPEED * min(scale, 1),
            backend=device.backend, settings=device.settings.format(port=device.port),
            lines=getattr(device, "lines", "{}"), twin=getattr(device, "twin", ""), force=getattr(device, "force", 20000), limit=RATE, ramp=RAMP_S, silence=SILENCE_S), **settings}
    with open(path, "w") as out:
        out.write(experiment.format(**values))
    if issubclass(kind, EtherCat):
        device.prepare(path)
    device.start()
    words = [YOKE, "run", path, "--uncommissioned", "tests: a device of theirs", "-o", folder, "--no-report", "--budget", "0", "--accept-quality"] + (["--realtime", "--priority", "0"] if realtime else [])
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                          env={**os.environ, **getattr(device, "environment", {})})
    device.ended = True
    assert done.returncode != 2, done.stdout
    device.join()
    return device, done.returncode, done.stdout


def largest(rows, begin, end, rate, slack, reach=1.0):
    """The step between two commands that is largest beside what is allowed: (share of it, step, wall time). Allowed is what the rate
    makes in the time between them (from the earliest at which the first can have come), of which no more than `reach` counts."""
    worst = (0.0, 0.0, 0.0)
    for a, b in zip(rows, rows[1:]):
        if begin <= b[0] <= end:
            passed = b[0] - (a[3] if len(a) > 3 else a[0])
            allowed = rate * min(passed + slack, reach) + 1e-12
            worst = max(worst, (abs(b[1] - a[1]) / allowed, abs(b[1] - a[1]), passed))
    return worst


def slack_of(kind, device):
    """Time that the measurement does not resolve. A Modbus device takes a command somewhere between request and answer, and the
    backend allows for two usual cycles of that; the device counts its cycles."""
    if kind is not Modbus:
        return 1e-4 if kind in (Plugin, Comedi) else 2e-4  # where no kernel notes when a command came, and elsewhere
    cycles = sorted(b - a for a, b in zip(device.requests, device.requests[1:]))
    return min(2 * cycles[9 * len(cycles) // 10] + 2e-4, 0.012)
