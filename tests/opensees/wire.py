"""The OpenFresco wire in plain Python, written from the description of the protocol and not from Yoke's sources.

Everything is little-endian. A client sends vectors of `data` doubles; the first one is the action."""
import socket
import struct
import time

OPEN, SETUP, TRIAL, EXECUTE, COMMIT, DAQ = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0
DISP, VEL, ACCEL, FORCE, TIME = 7.0, 8.0, 9.0, 10.0, 11.0
INITIAL, TANGENT, DAMP, MASS, DIE = 12.0, 13.0, 14.0, 15.0, 99.0
LARGEST_DATAGRAM = 9126
LIMIT_S = 600  # for an answer that never comes; a busy machine may be slow


def ints(*values):
    return struct.pack("<%di" % len(values), *values)


def vector(values, data=256):
    values = list(values)
    return struct.pack("<%dd" % data, *(values + [0.0] * (data - len(values))))


def numbers(raw):
    return struct.unpack("<%dd" % (len(raw) // 8), raw)


class Closed(Exception):
    pass


class Stream:
    """TCP as OpenSees uses it: Nagle's algorithm stays on, one send for each vector. Or UDP with the same bytes."""

    def __init__(self, port, udp=False, handshake=True, timeout=LIMIT_S):
        self.udp = udp
        self.left = b""
        if udp:
            self.s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.s.settimeout(timeout)
            self.s.connect(("127.0.0.1", port))
            if handshake:
                self.shake_hands()
        else:
            self.s = socket.create_connection(("127.0.0.1", port), timeout=timeout)
            self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)

    def shake_hands(self):
        for _ in range(10000):  # the server may still be busy with the last client
            try:
                self.s.send(b"a")
                assert self.s.recv(1) == b"b"
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise TimeoutError("no answer to the handshake")

    def put(self, raw):
        if not self.udp:
            self.s.sendall(raw)
            return
        for at in range(0, len(raw), LARGEST_DATAGRAM):
            self.s.send(raw[at:at + LARGEST_DATAGRAM])

    def get(self, size):
        raw = self.left
        while len(raw) < size:
            more = self.s.recv(65536)
            if not more:
                raise Closed("end of stream after %d of %d bytes" % (len(raw), size))
            raw += more
        self.left = raw[size:]
        return raw[:size]

    def close(self, abruptly=False):
        if abruptly and not self.udp:
            self.s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.s.close()


class GenericClient:
    """`element genericClient` of OpenSees (D1): n displacements, velocities and accelerations, and the time."""

    def __init__(self, port, n=1, udp=False, data=None):
        self.n = n
        self.data = data or max(256, 3 * n + 2, n * n)
        self.s = Stream(port, udp)
        self.buffer = [0.0] * (3 * n + 2)
        self.s.put(ints(n, n, n, 0, 1, 0, 0, 0, n, 0, self.data))

    def send(self, action):
        self.buffer[0] = action
        self.s.put(vector(self.buffer, self.data))

    def trial(self, u, v=None, a=None, t=0.0):
        n = self.n
        self.buffer[1:1 + n] = u
        self.buffer[1 + n:1 + 2 * n] = v or [0.0] * n
        self.buffer[1 + 2 * n:1 + 3 * n] = a or [0.0] * n
        self.buffer[1 + 3 * n] = t
        self.send(TRIAL)

    def ask(self, action):
        self.send(action)
        return numbers(self.s.get(8 * self.data))

    def force(self):
        return list(self.ask(FORCE)[:self.n])

    def commit(self):
        self.send(COMMIT)

    def die(self):
        self.send(DIE)
        self.s.close()


class GenericTcp:
    """`expControl GenericTCP` of OpenFresco (D2): by default displacements out, displacements and forces in."""

    def __init__(self, port, ctrl, daq, lines=(), udp=False):
        self.ctrl, self.daq = ctrl, daq
        self.s = Stream(port, udp, handshake=False)
        self.s.put(ints(*ctrl, *daq, 256))
        for line in lines:
            text = line.encode() + b"\0"
            self.s.put(b"\x02" + text + b"\xaa" * (16384 - len(text)))

    def step(self, signals):
        self.s.put(vector([TRIAL] + list(signals)))
        self.s.put(vector([DAQ] + list(signals)))
        return numbers(self.s.get(2048))[:sum(self.daq)]

    def die(self):
        self.s.put(vector([DIE]))
        self.s.close()


class ShadowSite:
    """ShadowSite of OpenFresco (D3)."""

    def __init__(self, port, ctrl, daq, tag=7, version=2.8, udp=False, data=256):
        self.data, self.tag, self.daq = data, tag, daq
        self.s = Stream(port, udp)
        if not udp:
            self.s.put(ints(1))
            assert self.s.get(4) == b"\x01\x00\x00\x00"
        self.s.put(vector([OPEN, tag, version]))
        self.opened = numbers(self.s.get(2048))[:3]
        if self.opened != (0.0, float(tag), version):
            raise ValueError("another version: %r" % (self.opened,))
        self.s.put(vector([SETUP, data]))
        self.s.put(ints(*ctrl))
        self.s.put(ints(*daq))

    def step(self, signals):
        self.s.put(vector([TRIAL] + list(signals), self.data))
        self.s.put(vector([DAQ] + list(signals), self.data))
        return numbers(self.s.get(8 * self.data))[:sum(self.daq)]

    def commit(self, signals):
        self.s.put(vector([COMMIT] + list(signals), self.data))

    def die(self):
        self.s.put(vector([DIE, self.tag], self.data))
        answer = numbers(self.s.get(8 * self.data))[:2]
        self.s.close()
        return answer


class SimSimulink:
    """SimSimulink of OpenFresco (D4): flags at the beginning of every answer."""

    def __init__(self, port, ctrl, daq):
        self.daq = daq
        self.s = Stream(port)
        self.s.put(ints(*ctrl, *daq, 256))

    def poll(self, action, signals, until):
        for _ in range(10000):
            self.s.put(vector([action] + list(signals)))
            got = numbers(self.s.get(2048))
            if got[0] == until:
                return got
            time.sleep(0.001)
        raise TimeoutError("flag of action %g" % action)

    def step(self, signals):
        self.s.put(vector([TRIAL] + list(signals)))
        self.poll(4.1, signals, 1.0)
        self.s.put(vector([4.2] + list(signals)))
        self.poll(4.3, signals, 0.0)
        return self.poll(DAQ, signals, 1.0)[1:1 + sum(self.daq)]

    def die(self):
        self.s.put(vector([DIE]))
        self.s.close()
