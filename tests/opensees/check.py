#!/usr/bin/env python3
"""Yoke and the programs of the field, with peers that were written from the protocol: usage: check.py BUILD [NAME...]

Each function is a test, named after a behaviour. No library beside Python's own is needed, and no OpenSees."""
import json
import math
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

from wire import (COMMIT, DAMP, DAQ, DIE, DISP, FORCE, INITIAL, LIMIT_S, MASS, TANGENT, TRIAL, Closed, GenericClient,
                  GenericTcp, ShadowSite, SimSimulink, Stream, ints, numbers, vector)

HERE = os.path.dirname(os.path.abspath(__file__))
YOKE = os.path.join(sys.argv[1], "yoke")
SPRING, ELSEWHERE = os.path.join(HERE, "spring.yaml"), os.path.join(HERE, "elsewhere.yaml")
EXAMPLE = os.path.join(HERE, "../../examples/opensees")
STANDIN = os.path.join(HERE, "standin")


# for paced sessions: a busy machine is no fault
PATIENT = ("--set", "limits.missed_deadlines=0", "--set", "limits.stall=0")


class Server:
    """yoke serve --openfresco, or yoke host, on a free port."""

    def __init__(self, *options, file=SPRING, record=False, command="serve"):
        words = [YOKE, command, file, "--openfresco", "0", *options] + ([] if record else ["--no-recording"])
        self.p = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first = self.p.stdout.readline()
        if not self.first:
            raise AssertionError(self.p.stderr.read())
        self.port = int(re.search(r":(\d+)$", self.first.strip()).group(1))

    def stop(self, sessions=0):
        """Ends it, after that many sessions have been reported."""
        said = "".join(self.p.stdout.readline() for _ in range(sessions))
        self.p.send_signal(signal.SIGINT)
        out, err = self.p.communicate(timeout=LIMIT_S)
        assert self.p.returncode == 0, (self.p.returncode, err)
        return said + out, err

    def __enter__(self):
        return self

    def __exit__(self, *what):
        if self.p.poll() is None:
            self.p.kill()
            self.p.communicate()


class Fake:
    """fake_servers.py on a free port."""

    def __init__(self, role, *options):
        self.p = subprocess.Popen([sys.executable, os.path.join(HERE, "fake_servers.py"), role, "0", *options],
                                  stdout=subprocess.PIPE, text=True)
        self.port = int(self.p.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *what):
        if self.p.poll() is None:
            self.p.kill()
        self.p.communicate()


def near(a, b, tolerance=1e-9):
    assert abs(a - b) <= tolerance, (a, b)


def yoke_run(*options, file=ELSEWHERE, code=0):
    """The summary of a run and its error output."""
    with tempfile.TemporaryDirectory() as folder:
        p = subprocess.run([YOKE, "run", file, "-q", "--json", "--no-report", "-o", folder, "--uncommissioned",
                            "tests: a server of theirs", *options],
                           capture_output=True, text=True, timeout=LIMIT_S)
        assert p.returncode == code or (code is None and p.returncode in (1, 2, 3)), (p.returncode, p.stderr)
        csv = os.path.join(folder, "rows.csv")
        rows = []
        if os.path.exists(os.path.join(folder, "run.h5")):
            subprocess.run([YOKE, "export", folder, "--csv", csv], check=True, capture_output=True)
            with open(csv) as text:
                names = text.readline().strip().split(",")
                rows = [dict(zip(names, (float(x) for x in line.split(",")))) for line in text]
        return (json.loads(p.stdout) if p.stdout.startswith("{") else {}), rows, p.stderr


def undisturbed(run, tries=5):
    """What run() returns, a yoke_run first, of a run in which no deadline was missed: a machine that is busy with other
    things makes commands late, and so other numbers. None, and said: every try was late."""
    for _ in range(tries):
        got = run()
        if got[0].get("missed_deadlines", 0) == 0:
            return got
    print("   not compared: deadlines were missed in %d of %d runs, the machine is too busy" % (tries, tries))
    return None


def sent_in(folder, session=1):
    """Commands of a1 in every tick of a recorded session."""
    csv = os.path.join(folder, "ticks.csv")
    subprocess.run([YOKE, "export", os.path.join(folder, "session-%03d" % session), "--ticks", "--csv", csv], check=True,
                   capture_output=True)
    with open(csv) as text:
        at = text.readline().strip().split(",").index("a1.sent")
        return [float(line.split(",")[at]) for line in text]


def largest_jump(values):
    return max(abs(b - a) for a, b in zip(values, values[1:]))


def served_by(port, server, **more):
    more = {"patience": 30, **more}
    settings = "{port: %d, server: %s%s}" % (port, server, "".join(", %s: %s" % x for x in more.items()))
    return ["--set", "rig.backend=openfresco", "--set", "rig.settings=" + settings]


# ---- another program moves our rig ----

def generic_client_moves_the_rig_and_reads_its_force():
    for transport in ("tcp", "udp"):
        with Server("--transport", transport) as s:
            c = GenericClient(s.port, udp=transport == "udp")
            c.trial([0.001], [0.1], [0.0], 0.01)
            near(c.force()[0], 20.0)
            c.commit()
            c.trial([-0.003], [0.0], [0.0], 0.02)
            near(c.force()[0], -60.0)
            near(c.force()[0], -60.0)  # recorders ask again
            assert c.ask(INITIAL)[:2] == (20000.0, 0.0) and c.ask(TANGENT)[0] == 20000.0
            assert c.ask(MASS)[0] == 3.0 and set(c.ask(DAMP)) == {0.0}
            c.send(50.0)  # unknown: no answer, and the session goes on
            near(c.force()[0], -60.0)
            c.die()
            out, _ = s.stop(1)
            assert "1 sessions (0 lost), 2 trials, 1 commits" in out, out


def the_bytes_of_the_page_are_answered_byte_by_byte():
    with Server() as s:
        raw = socket.create_connection(("127.0.0.1", s.port), timeout=LIMIT_S)
        raw.sendall(bytes.fromhex("0100000001000000010000000000000001000000" "0000000000000000000000000100000000000000"
                                  "00010000"))
        raw.sendall(bytes.fromhex("0000000000000840") + struct.pack("<4d", 0.002, 0, 0, 0) + bytes(8 * 251))
        raw.sendall(bytes.fromhex("0000000000002440") + bytes(8 * 255))
        got = b""
        while len(got) < 2048:
            got += raw.recv(4096)
        assert got[:8] == struct.pack("<d", 40.0) and got[8:] == bytes(2040), got[:16].hex()
        raw.sendall(bytes.fromhex("0000000000C05840") + bytes(8 * 255))
        assert raw.recv(1) == b""
        raw.close()


def generic_tcp_sends_lines_and_gets_displacement_force_and_time():
    with Server() as s:
        c = GenericTcp(s.port, (1, 0, 0, 0, 0), (1, 0, 0, 1, 1), ["rate 100", "unit mm"])
        assert c.step([0.004]) == (0.004, 80.0, 0.01)
        assert c.step([0.002])[:2] == (0.002, 40.0)
        c.s.put(vector([FORCE]))  # one block, at its own place
        assert numbers(c.s.get(2048))[:3] == (0.0, 40.0, 0.0)
        c.die()
        c = GenericTcp(s.port, (1, 1, 0, 0, 0), (1, 1, 1, 1, 1))
        near(c.step([0.001, 0.1])[3], 20.0)
        c.die()


def shadow_site_is_served_over_tcp_and_udp():
    for transport in ("tcp", "udp"):
        with Server("--dialect", "actor", "--transport", transport) as s:
            c = ShadowSite(s.port, (1, 0, 0, 0, 0), (1, 0, 0, 1, 0), udp=transport == "udp", data=300)
            near(c.step([0.002])[1], 40.0)
            c.commit([0.002])
            near(c.step([0.001])[0], 0.001)
            assert c.die() == (4.0, 7.0)
            c = ShadowSite(s.port, (1, 0, 0, 0, 0), (0, 0, 0, 1, 0), udp=transport == "udp")
            near(c.step([0.002])[0], 40.0)
            c.die()
            try:
                ShadowSite(s.port, (1, 0, 0, 0, 0), (0, 0, 0, 1, 0), version=3.1, udp=transport == "udp")
                raise AssertionError("version 3.1 was taken")
            except ValueError as answer:
                assert "2.8" in str(answer)


def sim_simulink_polls_its_flags():
    with Server("--dialect", "simulink") as s:
        c = SimSimulink(s.port, (1, 0, 0, 0, 0), (1, 0, 0, 1, 1))
        assert c.step([0.002]) == (0.002, 40.0, 0.01)
        assert c.step([-0.002])[:2] == (-0.002, -40.0)
        c.die()


def two_degrees_of_freedom_have_matrices_column_by_column():
    column = ("substructures.column={role: physical, dofs: [x, y], actuators: {x: a1, y: a2}, estimate: {mass: [3, 4], "
              "stiffness: [[30000, -10000], [-10000, 20000]]}}")
    with Server("--set", column, "--set", "transfer={a1: {}, a2: {}}", "--set",
                "rig.actuators={a1: {plant: {kind: ideal}}, a2: {plant: {kind: ideal}}}", "--set",
                "rig.specimen={kind: linear, dofs: [x, y], mass: [[0, 0], [0, 0]], stiffness: [[30000, -10000], "
                "[-10000, 20000]]}") as s:
        c = GenericClient(s.port, n=2)
        c.trial([0.001, 0.002], t=0.01)
        assert [round(f, 9) for f in c.force()] == [10.0, 30.0]
        assert c.ask(INITIAL)[:5] == (30000.0, -10000.0, -10000.0, 20000.0, 0.0)
        assert c.ask(MASS)[:4] == (3.0, 0.0, 0.0, 4.0)
        c.die()


def a_far_trial_is_reached_at_the_allowed_rate():
    with tempfile.TemporaryDirectory() as folder, Server("-o", folder, "--set", "limits.command_rate=0.05",
                                                         record=True) as s:
        c = GenericClient(s.port)
        c.trial([0.08])
        near(c.force()[0], 1600.0, 1e-6)
        c.die()
        s.stop(1)
        sent = sent_in(folder)
        assert max(sent) == 0.08 and len(sent) > 1600 and sent[-1] == 0.0, (len(sent), sent[-1])
        assert largest_jump(sent) <= 0.05e-3 * 1.000001


def a_repeated_trial_costs_no_step():
    with Server() as s:
        c = GenericClient(s.port)
        for k in (1, 2):
            c.trial([0.001 * k], [0.1], [0.0], 0.01 * k)
            c.ask(DAMP)
            c.trial([0.001 * k], [0.11], [1.0], 0.01 * k)
            c.ask(DAMP)
            near(c.force()[0], 20.0 * k)
            c.commit()
        c.die()
        out, _ = s.stop(1)
        assert "4 trials in 2 steps" in out, out


def what_is_out_of_range_or_no_number_is_not_done():
    for bad, words in ((0.2, "command of a1, 0.2 m"), (float("nan"), "not a number"), (float("inf"), "not a number")):
        with Server() as s:
            c = GenericClient(s.port)
            c.trial([0.001])
            c.force()
            c.trial([bad])
            try:
                c.force()
                raise AssertionError("a refused trial was answered")
            except (Closed, ConnectionError):
                pass
            c = GenericTcp(s.port, (1, 0, 0, 0, 0), (1, 0, 0, 1, 0))  # the rig is home again, and takes the next
            c.s.put(vector([DAQ]))
            near(numbers(c.s.get(2048))[0], 0.0)
            c.die()
            out, _ = s.stop(2)
            assert words in out, out


def sizes_of_another_structure_are_refused():
    with Server() as s:
        for sizes in ((2, 2, 2, 0, 1, 0, 0, 0, 2, 0, 256), (0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 256),
                      (1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1), (1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1 << 30),
                      (-1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 256)):
            raw = Stream(s.port)
            raw.put(ints(*sizes))
            try:
                raw.get(1)
                raise AssertionError(sizes)
            except (Closed, ConnectionError):
                pass
        _, err = s.stop()
        assert err.count("turned away") == 5 and "the specimens have 1 degrees of freedom" in err, err


def a_second_program_is_turned_away():
    with Server() as s:
        c = GenericClient(s.port)
        c.trial([0.001])
        c.force()
        other = Stream(s.port)
        try:
            other.get(1)
            raise AssertionError("two at once")
        except (Closed, ConnectionError):
            pass
        near(c.force()[0], 20.0)
        c.die()


def a_silent_or_half_open_program_is_given_up():
    with Server("--silence", "0.5 s") as s:
        c = GenericClient(s.port)
        c.trial([0.001])
        c.force()
        begin = time.time()
        try:
            c.s.get(1)
        except (Closed, ConnectionError):
            pass
        assert time.time() - begin > 0.3  # it ends; how soon is a matter of the machine
        c = GenericClient(s.port)
        c.s.put(b"\0" * 100)  # and never the rest
        try:
            c.s.get(1)
        except (Closed, ConnectionError):
            pass
        c = GenericClient(s.port)
        c.trial([0.001])
        near(c.force()[0], 20.0)
        c.die()
        out, _ = s.stop(3)
        assert "no new trial for 0.5 s" in out and "(2 lost)" in out, out


def only_new_trials_are_signs_of_life():
    """A program that hangs in a loop asks and repeats for ever; another sends a message byte by byte."""
    def repeat(c):
        c.trial([0.001], [0.0], [0.0], 0.01)
        near(c.force()[0], 20.0)
        c.commit()

    def drip(c):
        c.s.put(b"\0")
        time.sleep(0.05)

    for life, words in ((repeat, "no new trial for 0.5 s"), (drip, "stopped in the middle of a message")):
        with Server("--silence", "0.5 s" if life is repeat else "60 s") as s:
            c = GenericClient(s.port)
            c.trial([0.001], [0.0], [0.0], 0.01)
            near(c.force()[0], 20.0)
            end = time.time() + LIMIT_S / 4
            try:
                while time.time() < end:
                    life(c)
                c.s.close(abruptly=True)
            except (Closed, ConnectionError):
                pass
            out, _ = s.stop(1)
            assert words in out and "(1 lost)" in out, out


def a_loss_in_real_time_holds_and_ramps_back():
    with tempfile.TemporaryDirectory() as folder, Server("--realtime", "-o", folder, *PATIENT, record=True) as s:
        c = GenericClient(s.port)
        c.trial([0.02])
        near(c.force()[0], 400.0, 1e-6)
        c.s.close(abruptly=True)
        c = GenericClient(s.port)
        c.trial([0.001])
        near(c.force()[0], 20.0, 1e-6)
        c.die()
        out, _ = s.stop(2)
        assert "closed the connection without DIE" in out, out
        sent = sent_in(folder)
        held = sum(1 for x in sent if x == 0.02)
        assert held >= 100 and sent[-1] == 0.0, (held, sent[-1])  # 0.5 s of ticks, fewer on a busy machine
        assert largest_jump(sent) <= 2e-3 * 1.000001


def settles(client, force):
    """Some time later the force is that at the target."""
    for _ in range(2000):
        time.sleep(0.05)
        got = client.force()[0]
        if abs(got - force) < 1e-6:
            return
    raise AssertionError((got, force))


def a_slow_program_finds_the_actuators_at_their_target():
    """With a late actuator and a compensator that commands ahead, in real time, between rare trials."""
    with tempfile.TemporaryDirectory() as folder, Server("--realtime", "-o", folder, *PATIENT, record=True,
                                                         file=os.path.join(EXAMPLE, "column.yaml")) as s:
        c = GenericClient(s.port)
        for k, u in enumerate((0.01, 0.012, -0.02)):
            c.trial([u], [0.0], [0.0], 0.01 * (k + 1))
            c.force()
            settles(c, 20000 * u)
        c.die()
        out, _ = s.stop(1)
        assert "the other program ended it" in out, out
        sent = sent_in(folder)
        assert largest_jump(sent) <= 1e-3 * 1.000001
        assert max(sent) < 0.016, max(sent)


def any_backend_of_the_file_is_moved_on_request():
    rig = subprocess.Popen([YOKE, "serve", SPRING, "--udp", "0", "--clock"], stdout=subprocess.PIPE, text=True)
    try:
        port = rig.stdout.readline().strip().rsplit(":", 1)[1]
        with tempfile.TemporaryDirectory() as folder, Server(
                "-o", folder, *PATIENT, "--set", "rig.backend=udp", "--set", "rig.settings={port: %s, silence: 10}" % port,
                "--set", "limits.peer_silence=5", command="host", record=True) as s:
            assert s.first.startswith("moving 1 actuator"), s.first
            for _ in (1, 2):
                c = GenericClient(s.port)
                c.trial([0.01], [0.0], [0.0], 0.01)
                c.force()
                settles(c, 200.0)
                c.die()
            s.stop(2)
            # nobody sends the next trial: the command brakes behind the target, within command_rate, and comes back to it
            for session in (1, 2):
                sent = sent_in(folder, session)
                assert largest_jump(sent) <= 2e-3 * 1.000001 and 0.01 in sent[20:], (largest_jump(sent), sent)
    finally:
        rig.send_signal(signal.SIGINT)
        out = rig.communicate(timeout=LIMIT_S)[0]
    assert re.search(r" [1-9]\d* commands in ", out), out


def a_thousand_disconnects_leave_the_server_alive_and_the_rig_home():
    pick = random.Random(7)
    begin = time.time()
    with Server() as s:
        for k in range(1000):
            raw = Stream(s.port)
            stage = pick.randrange(7)
            opening = ints(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256)
            try:
                if stage == 1:
                    raw.put(bytes(pick.randrange(256) for _ in range(pick.randrange(200))))
                elif stage > 1:
                    raw.put(opening[:pick.randrange(44)] if stage == 2 else opening)
                if stage > 3:
                    raw.put(vector([TRIAL, pick.uniform(-0.09, 0.09)]))
                    raw.put(vector([FORCE])[:2048 if stage == 6 else pick.choice((1, 100, 2048))])
                if stage == 5:
                    raw.put(bytes(pick.randrange(256) for _ in range(3000)))
                if stage == 6:
                    raw.get(pick.choice((1, 8, 2048)))
            except (Closed, ConnectionError, TimeoutError):
                pass
            raw.close(abruptly=pick.random() < 0.5)
        c = GenericTcp(s.port, (1, 0, 0, 0, 0), (1, 0, 0, 1, 0))
        c.s.put(vector([DAQ]))
        near(numbers(c.s.get(2048))[0], 0.0)
        near(c.step([0.002])[1], 40.0)
        c.die()
        out, _ = s.stop()
        print("   1,000 disconnects in %.1f s: %s" % (time.time() - begin, out.strip().splitlines()[-1]))


def limits_are_demanded():
    p = subprocess.run([YOKE, "serve", SPRING, "--openfresco", "0", "--set", "limits.command_rate=0"],
                       capture_output=True, text=True)
    assert p.returncode == 2 and "command_rate" in p.stderr, p.stderr


# ---- a frame in two halves ----

M1, M2, K1, K2 = 900.0, 600.0, 20000.0, 15000.0


def untorn(t, m1=M1):
    """Displacement of the first floor, released from (0, 0) with velocity (0.1, -0.2): sum over the two modes."""
    a, b, c = m1 * M2, -(m1 * K2 + M2 * (K1 + K2)), K1 * K2
    total = 0.0
    for sign in (-1, 1):
        w2 = (-b + sign * math.sqrt(b * b - 4 * a * c)) / (2 * a)
        shape = (1.0, (K1 + K2 - w2 * m1) / K2)
        mass = m1 + M2 * shape[1] ** 2
        q = (m1 * 0.1 * shape[0] + M2 * -0.2 * shape[1]) / mass
        total += q / math.sqrt(w2) * math.sin(math.sqrt(w2) * t)
    return total


def order_of(errors):
    return [math.log(a / b, 2) for a, b in zip(errors, errors[1:])]


def a_frame_whose_integrator_is_elsewhere_converges_at_second_order():
    """The other program integrates both floors by central differences; the column of the first storey is ours."""
    errors = []
    for dt in (0.02, 0.01, 0.005):
        with Server("--set", "time.step=%g" % dt) as s:
            c = GenericClient(s.port)
            steps, u, v = round(1 / dt), [0.0, 0.0], [0.1, -0.2]

            def acceleration(u, r):
                return [(-r - K2 * (u[0] - u[1])) / M1, -K2 * (u[1] - u[0]) / M2]
            a, worst = acceleration(u, 0.0), 0.0
            for k in range(1, steps + 1):
                u = [u[i] + dt * v[i] + dt * dt / 2 * a[i] for i in (0, 1)]
                v = [v[i] + dt / 2 * a[i] for i in (0, 1)]
                c.trial([u[0]], [v[0]], [0.0], k * dt)
                a = acceleration(u, c.force()[0])
                v = [v[i] + dt / 2 * a[i] for i in (0, 1)]
                c.commit()
                worst = max(worst, abs(u[0] - untorn(k * dt)))
            c.die()
            errors.append(worst)
    print("   errors", ["%.3g" % e for e in errors], "orders", ["%.2f" % o for o in order_of(errors)])
    assert min(order_of(errors)) > 1.9


def a_frame_whose_upper_floor_is_elsewhere_converges_at_second_order():
    """Yoke integrates the first floor; the other program integrates the second one above the interface."""
    for role in ("element", "adapter"):
        errors = []
        for dt in (0.02, 0.01, 0.005):
            # the tip starts at rest relative to nothing: its velocity is given by the momentum of a first kick
            def run():
                with Fake(role, "--tip", "%g,%g" % (M2, K2), "--dt", "%g" % dt, "--speed", "-0.2", "--once") as fake:
                    return yoke_run(*served_by(fake.port, role), "--set", "time.step=%g" % dt, "--set",
                                    "time.end=1", "--set", "time.control_rate=%g" % (1 / dt), "--set",
                                    "substructures.frame={kind: linear, dofs: [x], mass: [%g], stiffness: [[%g]], "
                                    "initial: {velocity: {x: 0.1}}}" % (M1, K1), "--set", "loads=[]", "--set",
                                    "substructures.column={role: physical, dofs: [x], actuators: {x: a1}, "
                                    "estimate: {stiffness: [[%g]]}, initial: {velocity: {x: 0.1}}}" % K2)

            got = undisturbed(run)
            if got:
                errors.append(max(abs(r["frame.x.u"] - untorn(r["time"])) for r in got[1]))
        if len(errors) < 3:
            continue
        print("   %s: errors" % role, ["%.3g" % e for e in errors], "orders", ["%.2f" % o for o in order_of(errors)])
        assert min(order_of(errors)) > 1.9


# ---- our run uses a rig or a model elsewhere ----

def every_server_gives_the_numbers_of_the_virtual_rig():
    _, wanted, _ = yoke_run()
    for role, transport in (("controller", "tcp"), ("element", "tcp"), ("actor", "tcp"), ("adapter", "tcp"),
                            ("ut-sim", "tcp"), ("element", "udp"), ("actor", "udp"), ("ut-sim", "udp")):
        def run():
            with tempfile.NamedTemporaryFile("r") as log, Fake(role, "--once", "--log", log.name,
                                                                *(["--udp"] if transport == "udp" else [])) as fake:
                summary, rows, _ = yoke_run(*served_by(fake.port, role, transport=transport))
                fake.p.wait(timeout=LIMIT_S)
                assert summary["finished"] and fake.p.returncode == 0
                return summary, rows, log.read().split()

        got = undisturbed(run)
        if not got:
            continue
        _, rows, actions = got
        assert [r["frame.x.u"] for r in rows] == [r["frame.x.u"] for r in wanted], role
        question = "6" if role in ("controller", "actor") else "10"
        assert actions[-1] == "99" and actions.count("3") >= 200, actions[-5:]
        assert actions.count("5") == (actions.count("3") - 1 if role in ("element", "actor") else 0)
        assert all(b == question for a, b in zip(actions, actions[1:]) if a == "3")


def a_server_that_falls_silent_or_closes_trips_the_run():
    with Fake("controller", "--silent-after", "100") as fake:
        summary, _, _ = yoke_run(*served_by(fake.port, "controller", wait=0.05, silence=0.2), code=3)
        assert summary["trip"]["cause"] in ("rig_lost", "peer_silence"), summary["trip"]
    with Fake("controller", "--close-after", "100") as fake:
        summary, _, _ = yoke_run(*served_by(fake.port, "controller"), code=3)
        assert summary["trip"]["cause"] == "rig_lost", summary["trip"]


MODEL = """title: An elastoplastic column
time: { step: 10 ms, end: 2 s%s }
method: { %s }
substructures:
  frame: { kind: linear, dofs: [x], mass: [700], damping: [[200]], stiffness: [[10000]]%s }
  column: { %s%s }
interfaces: [ { join: [frame.x, column.%s] } ]
loads: [ { on: frame.x, kind: sine, amplitude: 600 N, frequency: 1 Hz } ]
"""
BUILT_IN = ("kind: assembled, nodes: { n: { mass: 300 } }, elements: [ { kind: bilinear, between: [ground, n.x], "
            "stiffness: 20000, yield_slip: 0.015, hardening: 0 } ]")


def a_numerical_part_elsewhere_equals_the_built_in_law():
    """Trial and commit: the elastoplastic spring of the other program and ours follow the same path."""
    cases = (("", "integrator: newmark", "", ""), ("", "integrator: lsrt2, jacobian: initial", "", ""), ("", "integrator: alpha-os", "", ""),
             (", substeps: 4", "coupling: gc", ", rate: fine", ", rate: coarse"),
             (", substeps: 4", "coupling: gc", ", rate: coarse", ", rate: fine"))
    for time_, method, of_frame, of_column in cases:
        with tempfile.TemporaryDirectory() as folder, Fake("element", "--limit", "300") as fake:
            results = []
            for kind, dof in ((BUILT_IN, "n.x"), ("kind: opensees, dofs: [x], mass: [300], port: %d" % fake.port, "x")):
                path = os.path.join(folder, "model.yaml")
                with open(path, "w") as out:
                    out.write(MODEL % (time_, method, of_frame, kind, of_column, dof))
                results.append([r["frame.x.u"] for r in yoke_run(file=path)[1]])
        worst = max(abs(a - b) for a, b in zip(*results))
        assert len(results[0]) == 201 and max(map(abs, results[0])) > 0.03, results[0][-1]
        assert worst < 1e-9 * max(map(abs, results[0])), (method, worst)


def a_numerical_part_that_disappears_stops_the_run():
    with tempfile.TemporaryDirectory() as folder, Fake("element", "--close-after", "50", "--once") as fake:
        path = os.path.join(folder, "model.yaml")
        with open(path, "w") as out:
            out.write(MODEL % ("", "integrator: newmark", "", "kind: opensees, dofs: [x], mass: [300], port: %d, "
                               "patience: 0.3" % fake.port, "", "x"))
        summary, _, _ = yoke_run(file=path, code=3)
        assert not summary["finished"]


def nobody_there_is_said():
    _, _, err = yoke_run(*served_by(1, "controller", patience=0.2), code=1)
    assert "nobody answers on 127.0.0.1, port 1" in err, err


def the_interpreter_is_started_and_ended():
    script = os.path.join(HERE, "start_element.py")
    settings = "rig.settings={program: %s, script: %s}" % (sys.executable, script)
    summary, rows, _ = yoke_run("--set", "rig.backend=opensees", "--set", settings)
    _, wanted, _ = yoke_run()
    assert summary["finished"] and [r["frame.x.u"] for r in rows] == [r["frame.x.u"] for r in wanted]
    left = subprocess.run(["pgrep", "-f", script], capture_output=True, text=True).stdout
    assert left == "", left
    _, _, err = yoke_run("--set", "rig.backend=opensees", "--set",
                         "rig.settings={program: no-such-program, script: %s}" % script, code=2)
    assert "cannot start 'no-such-program'" in err, err


# ---- the scripts of examples/opensees, with stand-ins for OpenSees ----

def opensees(language):
    """Words that run a script, and the program for rig.settings; `real` is OpenSees itself."""
    if language == "real":
        return [shutil.which("OpenSees")] if shutil.which("OpenSees") else None
    if language == "python":
        os.environ["PYTHONPATH"] = STANDIN + ":" + HERE
        return [sys.executable, "-B"]
    return ["tclsh", os.path.join(STANDIN, "opensees.tcl")] if shutil.which("tclsh") else None


def starter(language, folder):
    """A program that is started as PROGRAM SCRIPT PORT."""
    path = os.path.join(folder, "interpreter")
    with open(path, "w") as out:
        out.write("#!/bin/sh\nexec %s \"$@\"\n" % " ".join(opensees(language)))
    os.chmod(path, 0o755)
    return path


LANGUAGES = [x for x in (("tcl", "tcl"), ("python", "py"), ("real", "tcl")) if opensees(x[0])]


OF_ESTIMATE = 3.0  # kg: the mass that spring.yaml tells; genericClient asks for it and adds it to its node


def scripts_that_drive_the_rig_converge_to_the_untorn_frame():
    for language, ending in LANGUAGES:
        errors = []
        for dt in ("0.02", "0.01", "0.005"):
            with tempfile.TemporaryDirectory() as folder, Server("--set", "time.step=" + dt) as s:
                subprocess.run([*opensees(language), os.path.abspath(os.path.join(EXAMPLE, "drive." + ending)),
                                str(s.port), dt], cwd=folder, check=True, timeout=LIMIT_S)
                with open(os.path.join(folder, "drive.out")) as text:
                    rows = [[float(x) for x in line.split()] for line in text]
                out, _ = s.stop(1)
                assert "1 sessions (0 lost)" in out, out
            errors.append(max(abs(u - untorn(t, M1 + OF_ESTIMATE)) for t, u, _ in rows))
        print("   %s: errors" % language, ["%.3g" % e for e in errors], "orders", ["%.2f" % o for o in order_of(errors)])
        assert min(order_of(errors)) > 1.9


def the_example_rig_with_a_late_actuator_is_driven_by_its_script():
    language, ending = LANGUAGES[0]
    with tempfile.TemporaryDirectory() as folder, Server(file=os.path.join(EXAMPLE, "column.yaml")) as s:
        subprocess.run([*opensees(language), os.path.abspath(os.path.join(EXAMPLE, "drive." + ending)), str(s.port)],
                       cwd=folder, check=True, timeout=LIMIT_S)
        with open(os.path.join(folder, "drive.out")) as text:
            rows = [[float(x) for x in line.split()] for line in text]
        worst = max(abs(u - untorn(t)) for t, u, _ in rows) / max(abs(u) for _, u, _ in rows)
        print("   delay of 12 ms, compensated: error %.1f %% of the peak" % (100 * worst))
        assert worst < 0.1


def scripts_that_serve_a_model_equal_the_built_in_law():
    numerical, specimen = (os.path.join(EXAMPLE, "model", x) for x in ("numerical.yaml", "specimen.yaml"))
    built_in = ("substructures.column={kind: assembled, nodes: {n: {mass: 100 kg}}, elements: [{kind: bilinear, "
                "between: [ground, n.x], stiffness: 20 kN/m, yield_slip: 15 mm}]}")
    wanted = {numerical: yoke_run("--set", built_in, "--set", "interfaces=[{join: [frame.floor1.x, column.n.x]}]",
                                  file=numerical)[1],
              specimen: yoke_run("--set", "rig.backend=virtual", "--set", "rig.settings={}", file=specimen)[1]}
    for language, ending in LANGUAGES:
        for file, key in ((numerical, "substructures.column"), (specimen, "rig.settings")):
            for script in ("column." + ending,) + (("adapter.tcl",) if ending == "tcl" and file == specimen else ()):
                with tempfile.TemporaryDirectory() as folder:
                    more = ["--set", key + ".program=" + starter(language, folder), "--set",
                            key + ".script=" + os.path.abspath(os.path.join(EXAMPLE, "model", script)), "--set",
                            key + ".log=" + os.path.join(folder, "log")]
                    if script == "adapter.tcl":
                        more += ["--set", "rig.settings.server=adapter"]
                    rows = yoke_run(*more, file=file)[1]
                peak = max(abs(r["frame.floor1.x.u"]) for r in wanted[file])
                worst = max(abs(a["frame.floor1.x.u"] - b["frame.floor1.x.u"]) for a, b in zip(rows, wanted[file]))
                assert len(rows) == 401 and peak > 0.02, (script, file, peak)
                # element adapter is a spring a million times stiffer than the column
                bound = 2e-6 if language == "real" and script == "adapter.tcl" else 1e-9
                assert worst < bound * peak, (script, file, worst, peak)


BROKEN = {"tcl": "proc build {} {wipe; model BasicBuilder -ndm 1 -ndf 1; node 1 0.0; node 2 0.0; fix 1 1}; source %s/yoke_serve.tcl; rename yoke::trial {}; "
                 "proc yoke::trial {v} { puts {the end is near}; flush stdout; %s }; yoke_serve build {{2 1}}",
          "py": "import sys, os, signal\nsys.path.insert(0, '%s')\nimport yoke_serve\n"
                "def trial(self, v):\n    print('the end is near', flush=True)\n    %s\n"
                "yoke_serve.Model.trial = trial\nyoke_serve.serve(yoke_serve.ops.wipe, [(2, 1)])"}
ENDS = {"tcl": ("exec kill -SEGV [pid]; after 5000", "exit 7"),
        "py": ("os.kill(os.getpid(), signal.SIGSEGV)", "os._exit(7)")}


def the_end_of_an_interpreter_is_told_with_its_signal_and_its_log():
    """Both as a numerical part and in place of a specimen; nothing stays in the folder for temporary files."""
    tools = os.path.abspath(os.path.join(HERE, "../../tools/opensees"))
    for language, ending in LANGUAGES:
        for words, told in zip(ENDS[ending], ("died by signal 11 (Segmentation fault)", "ended with exit code 7")):
            for file, key in (("numerical.yaml", "substructures.column"), ("specimen.yaml", "rig.settings")):
                for log in ("", "kept.log"):
                    with tempfile.TemporaryDirectory() as folder:
                        script, temporary = os.path.join(folder, "script." + ending), os.path.join(folder, "tmp")
                        os.mkdir(temporary)
                        with open(script, "w") as out:
                            out.write(BROKEN[ending] % (tools, words))
                        more = ["--set", "%s.program=%s" % (key, starter(language, folder)), "--set",
                                "%s.script=%s" % (key, script), "--set", key + ".stiffness=[[20 kN/m]]"]
                        del more[4 if key == "rig.settings" else 6:]
                        if log:
                            log = os.path.join(folder, log)
                            more += ["--set", "%s.log=%s" % (key, log)]
                        before = os.environ.get("TMPDIR")
                        os.environ["TMPDIR"] = temporary
                        try:
                            _, _, err = yoke_run(*more, file=os.path.join(EXAMPLE, "model", file), code=None)
                        finally:
                            os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)
                        assert "'%s' %s" % (script, told) in err, err
                        assert ("see " + log if log else "its last line: the end is near") in err, err
                        assert os.listdir(temporary) == [], os.listdir(temporary)


def an_analysis_that_fails_in_opensees_is_told():
    tools = os.path.abspath(os.path.join(HERE, "../../tools/opensees"))
    for language, ending in LANGUAGES:
        if ending != "tcl":
            continue
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "fails.tcl")
            with open(script, "w") as out:
                out.write("proc build {} {wipe; model BasicBuilder -ndm 1 -ndf 1; node 1 0.0; node 2 0.0; fix 1 1}\n"
                          "rename analyze {}\nproc analyze args {return -3}\n"
                          "source %s/yoke_serve.tcl\nyoke_serve build {{2 1}}\n" % tools)
            words = ["--set", "substructures.column.program=" + starter(language, folder), "--set",
                     "substructures.column.script=" + script]
            for more, code, told in (([], 2, "the initial stiffness of the model is not finite"),
                                     (["--set", "substructures.column.stiffness=[[20 kN/m]]"], 3,
                                      "the analysis in OpenSees failed: its force is not a number")):
                _, _, err = yoke_run(*words, *more, file=os.path.join(EXAMPLE, "model/numerical.yaml"), code=code)
                assert told in err, err


def a_script_ends_if_the_program_that_started_it_is_killed():
    for language, ending in LANGUAGES:
        with tempfile.TemporaryDirectory() as folder:
            settings = "rig.settings={program: %s, script: %s}" % (
                starter(language, folder), os.path.abspath(os.path.join(EXAMPLE, "model", "column." + ending)))
            p = subprocess.Popen([YOKE, "run", os.path.join(EXAMPLE, "model", "specimen.yaml"), "-q", "--no-report", "-o",
                                  folder + "/out", "--uncommissioned", "tests: killed", "--realtime", "--set", settings,
                                  "--set", "time.end=60 s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until = time.time() + LIMIT_S
            children = "/proc/%d/task/%d/children" % (p.pid, p.pid)
            child = ""
            while not child and time.time() < until:
                time.sleep(0.02)
                with open(children) as text:
                    child = text.read().strip()
            p.kill()
            p.wait()
            for one in child.split():
                while os.path.exists("/proc/" + one) and time.time() < until:
                    time.sleep(0.05)
                assert not os.path.exists("/proc/" + one), "the script still runs"
            assert child


# ---- OpenSees itself, where it is found ----

def opensees_follows_a_thousand_sessions_and_many_steps():
    """Of one interpreter: sessions that are cut anywhere; then 10^5 trials and commits (a tenth in `make test`)."""
    if not opensees("real"):
        print("   skipped: no OpenSees")
        return
    many = int(os.environ.get("YOKE_OPENSEES_STEPS", 2000))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["YOKE_FOLDER"] = folder
        p = subprocess.Popen([*opensees("real"), os.path.join(EXAMPLE, "model", "column.tcl"), str(port)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.environ.pop("YOKE_FOLDER")
        try:
            until = time.time() + LIMIT_S
            pick = random.Random(1)
            for k in range(max(20, many // 100)):
                c = None
                while not c:
                    try:
                        c = GenericClient(port)
                    except ConnectionError:
                        assert time.time() < until and p.poll() is None, p.poll()
                        time.sleep(0.05)
                for _ in range(pick.randrange(3)):
                    c.trial([pick.uniform(-0.03, 0.03)], [0.0], [0.0], 0.0)
                    if pick.random() < 0.7:
                        c.force()
                        c.commit()
                c.s.close(abruptly=pick.random() < 0.5)
            c = GenericClient(port)
            c.s.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plastic, begin = 0.0, time.time()
            for k in range(many):
                u = 0.04 * math.sin(0.01 * k)
                for trial in ((u + 0.02, u) if k % 10 == 0 else (u,)):  # a trial that is not accepted leaves nothing
                    c.trial([trial], [0.0], [0.0], 0.0)
                    got = c.force()[0]
                e = u - plastic
                force = max(-300.0, min(300.0, 20000.0 * e))
                plastic = u - force / 20000.0
                near(got, force, 1e-6)
                c.commit()
            print("   %d steps in OpenSees, %.0f us each" % (many, 1e6 * (time.time() - begin) / many))
            c.die()
            assert p.wait(timeout=LIMIT_S) == 0 and os.listdir(folder) == [], (p.returncode, os.listdir(folder))
        finally:
            if p.poll() is None:
                p.kill()
                p.wait()


def main():
    names = sys.argv[2:] or [n for n, f in globals().items()
                             if type(f) is type(main) and f.__module__ == "__main__" and f is not main
                             and f.__code__.co_argcount == 0 and not f.__code__.co_flags & 4]
    failed = 0
    for name in names:
        begin = time.time()
        try:
            globals()[name]()
            print("ok   %s (%.1f s)" % (name, time.time() - begin), flush=True)
        except Exception as e:  # every one is reported
            failed += 1
            traceback.print_exc()
            print("FAIL %s: %r" % (name, e), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
