#!/usr/bin/env python3
"""Servers that stand in for OpenSees and for laboratories, byte by byte as the protocol page has them.

usage: fake_servers.py ROLE [PORT] [OPTIONS]    ROLE: element, adapter, controller, actor, ut-sim
Prints the port, serves one client after another, and ends on end of input of the last client with --once.

The structure behind each role: `--stiffness K` (N/m), or `--yield F` for an elastoplastic spring, or `--tip M,K` for a
mass on a spring on top of the interface, which the server integrates by itself with steps of `--dt`."""
import argparse
import socket
import sys

from wire import (COMMIT, DAMP, DAQ, DIE, FORCE, INITIAL, LARGEST_DATAGRAM, MASS, OPEN, SETUP, TANGENT, TRIAL, Closed, ints,
                  numbers, vector)
import struct


class Spring:
    """Elastic, or elastoplastic with the return mapping; trial and committed plastic displacement kept apart."""

    def __init__(self, k, limit=None):
        self.k, self.limit, self.plastic, self.trial_plastic, self.f = k, limit, 0.0, 0.0, 0.0

    def trial(self, u, v, t):
        f = self.k * (u - self.plastic)
        self.trial_plastic = self.plastic
        if self.limit is not None and abs(f) > self.limit:
            self.trial_plastic += (abs(f) - self.limit) / self.k * (1 if f > 0 else -1)
            f = self.k * (u - self.trial_plastic)
        self.f = f

    def commit(self):
        self.plastic = self.trial_plastic


class Tip:
    """A mass on a spring above the interface, integrated here: average acceleration, from the committed state."""

    def __init__(self, m, k, dt, speed):
        self.m, self.k, self.dt = m, k, dt
        self.x = [0.0, speed, 0.0]  # displacement, velocity, acceleration
        self.new, self.f, self.t = list(self.x), 0.0, 0.0

    def trial(self, u, v, t):
        y, w, b = self.x
        h = self.dt
        # m b1 + k (y1 - u) = 0 with y1 = y + h w + h^2/4 (b + b1)
        b1 = -self.k * (y + h * w + h * h / 4 * b - u) / (self.m + self.k * h * h / 4)
        self.new = [y + h * w + h * h / 4 * (b + b1), w + h / 2 * (b + b1), b1]
        self.f = self.k * (u - self.new[0])

    def commit(self):
        self.x = list(self.new)


class Link:
    """One client over TCP, or UDP with the handshake."""

    def __init__(self, sock, udp, silent_after=0, close_after=0):
        self.sock, self.udp, self.left, self.answers = sock, udp, b"", 0
        self.silent_after, self.close_after = silent_after, close_after

    def get(self, size):
        while len(self.left) < size:
            more = self.sock.recv(65536)
            if not more:
                raise Closed
            if self.udp and more == b"a":
                self.sock.send(b"b")
                continue
            self.left += more
        raw, self.left = self.left[:size], self.left[size:]
        return raw

    def put(self, raw):
        self.answers += 1
        if self.close_after and self.answers > self.close_after:
            raise Closed
        if self.silent_after and self.answers > self.silent_after:
            return
        for at in range(0, len(raw), LARGEST_DATAGRAM if self.udp else len(raw)):
            self.sock.send(raw[at:at + LARGEST_DATAGRAM]) if self.udp else self.sock.sendall(raw)


def sizes_of(link):
    raw = struct.unpack("<11i", link.get(44))
    return raw[:5], raw[5:10], raw[10]


def element(link, model, log):
    """SimAppElemServer, or a script around OpenSees: 3, 5, 10, 12, 13, 14, 15, 99."""
    ctrl, daq, data = sizes_of(link)
    n = ctrl[0]
    assert n == 1 and ctrl == (n, n, n, 0, 1) and daq == (0, 0, 0, n, 0), (ctrl, daq)
    while True:
        got = numbers(link.get(8 * data))
        log.append(got[0])
        if got[0] == TRIAL:
            model.trial(got[1], got[2], got[4])
        elif got[0] == COMMIT:
            model.commit()
        elif got[0] == FORCE:
            link.put(vector([model.f], data))
        elif got[0] in (INITIAL, TANGENT):
            link.put(vector([model.k], data))
        elif got[0] in (DAMP, MASS):
            link.put(vector([0.0], data))
        elif got[0] == DIE:
            return


def adapter(link, model, log):
    """`element adapter`: 10 is answered for the last step, then 3 makes the next one; DIE comes twice."""
    ctrl, daq, data = sizes_of(link)
    assert ctrl == (1, 0, 0, 0, 0) and daq == (1, 0, 0, 1, 0) and data == 256, (ctrl, daq, data)
    u, asked = 0.0, False
    while True:
        got = numbers(link.get(8 * data))
        log.append(got[0])
        assert not (got[0] == FORCE and asked), "two questions without a trial between them"
        asked = got[0] == FORCE
        if got[0] == FORCE:
            link.put(vector([u, model.f], data))
        elif got[0] == TRIAL:
            u = got[1]
            model.trial(u, 0.0, 0.0)
            model.commit()
        elif got[0] == DIE:
            assert numbers(link.get(8 * data))[0] == DIE
            return


def obey(link, model, log, data, commits):
    """A laboratory: 3 moves at once, 6 is answered by displacement and force; the vector with 99 is returned."""
    u = 0.0
    while True:
        got = numbers(link.get(8 * data))
        log.append(got[0])
        if got[0] == TRIAL:
            u = got[1]
            model.trial(u, 0.0, 0.0)
        if got[0] == (COMMIT if commits else TRIAL):
            model.commit()
        elif got[0] == DAQ:
            link.put(vector([u, model.f], data))
        elif got[0] == DIE:
            return got


def controller(link, model, log):
    """A laboratory for `expControl GenericTCP`."""
    ctrl, daq, data = sizes_of(link)
    assert ctrl == (1, 0, 0, 0, 0) and daq == (1, 0, 0, 1, 0) and data == 256, (ctrl, daq, data)
    obey(link, model, log, data, commits=False)


def actor(link, model, log):
    """ActorSite of OpenFresco 2.8."""
    if not link.udp:
        assert link.get(4) == ints(1)
        link.put(ints(1))
    opening = numbers(link.get(2048))
    assert opening[0] == OPEN and struct.pack("<d", opening[2]) == bytes.fromhex("6666666666660640")
    link.put(vector([0.0, opening[1], opening[2]]))
    setup = numbers(link.get(2048))
    assert setup[0] == SETUP
    data = int(setup[1])
    ctrl, daq = struct.unpack("<5i", link.get(20)), struct.unpack("<5i", link.get(20))
    assert ctrl == (1, 0, 0, 0, 0) and daq == (1, 0, 0, 1, 0)
    got = obey(link, model, log, data, commits=True)
    link.put(vector([4.0, got[1]], data))


def ut_sim(link, model, log):
    """A substructure module of UT-SIM: UTNP version 2, a header of 16 bytes before everything."""
    def head():
        return struct.unpack(">6B3HI", link.get(16))  # version, command, test, substructure, precision, data, n, step
    first = head()
    assert first[0] == 2 and first[4] == 2 and first[6] == 1, first
    while True:
        h = head()
        log.append(h[1])
        if h[1] == 3:
            again = head()
            assert again == h and h[5] == 1, (h, again)
            model.trial(struct.unpack("<d", link.get(8))[0], 0.0, 0.0)
            model.commit()
        elif h[1] == 10:
            link.put(struct.pack(">6B3HI", 2, 10, 1, 7, 2, 8, 1, h[7], 0, 0) + struct.pack("<d", model.f))
        elif h[1] == 99:
            return


def main():
    p = argparse.ArgumentParser()
    p.add_argument("role", choices=["element", "adapter", "controller", "actor", "ut-sim"])
    p.add_argument("port", nargs="?", type=int, default=0)
    p.add_argument("--stiffness", type=float, default=20000.0)
    p.add_argument("--limit", type=float)
    p.add_argument("--tip")
    p.add_argument("--dt", type=float, default=0.01)
    p.add_argument("--speed", type=float, default=0.0)
    p.add_argument("--udp", action="store_true")
    p.add_argument("--once", action="store_true")
    p.add_argument("--log")
    p.add_argument("--silent-after", type=int, default=0, help="answers, then none any more")
    p.add_argument("--close-after", type=int, default=0, help="answers, then the connection is closed")
    a = p.parse_args()
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if a.udp else socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", a.port))
    if not a.udp:
        listener.listen(1)
    print(listener.getsockname()[1], flush=True)
    while True:
        if a.udp:
            _, who = listener.recvfrom(1, socket.MSG_PEEK)
            listener.connect(who)
            sock = listener
        else:
            sock = listener.accept()[0]
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        model = Tip(*[float(x) for x in a.tip.split(",")], a.dt, a.speed) if a.tip else Spring(a.stiffness, a.limit)
        log = []
        try:
            globals()[a.role.replace("-", "_")](Link(sock, a.udp, a.silent_after, a.close_after), model, log)
        except (Closed, ConnectionError):
            log.append(-1)
        if a.log:
            with open(a.log, "a") as out:
                out.write(" ".join("%g" % x for x in log) + "\n")
        sock.close()
        if a.once or a.udp:
            return


if __name__ == "__main__":
    sys.exit(main())
