"""Raw counts through every backend: each rig gets and gives numbers of its own, the section `channels` says what they mean, and the
recording holds exactly scale * raw + offset of what the rig gave, whichever backend carried it.

Devices that share no code with the backends log the raw commands (wire_devices.py); they answer a command of c counts with a
displacement of c and a force of 35530 c. The drive, the cell and the card measure by themselves: their readings are whole counts. The virtual
rig, alone and behind `yoke serve` (shm, udp), has a device of its own in SI units: a calibration may change nothing there but rounding.

usage: raw_counts.py BUILD SCRATCH"""
import csv
import io
import os
import socket
import subprocess
import sys
import time

from wire_devices import BUILD, EXPERIMENT, SCRATCH, STIFFNESS, YOKE, Comedi, EtherCat, Modbus, Plugin, Udp, UdpRaw, run

CHANNELS = ("channels: {{ a1.command: {{ scale: {0} m, offset: 0.1 mm }}, a1.displacement: {{ scale: {1} m, offset: {3} m }}, "
            "a1.force: {{ scale: {2} N, offset: 15 N }} }}\n")
COUNTED = EXPERIMENT.replace("limits: {{", "{channels}limits: {{ relative_error: 0, position_error: 5 mm, ")


def ticks(folder):
    text = subprocess.run([YOKE, "export", folder, "--ticks", "--csv", "-"], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: [float(row[name]) for row in rows] for name in ("a1.sent", "a1.displacement", "a1.force")}


def near(a, b, most):
    return abs(a - b) <= most


def converts(kind, scales, step, lowest=0):
    """What is wrong; "" if every number is the one conversion of a raw one. `step`: of the numbers, in counts, from -`lowest` on; 0: any number."""
    (command, displacement, force), offset = scales, 1e-4 * scales[1] / scales[0]  # zero is one count in both: a drive is enabled where it stands
    offsets, words = (1e-4, offset, 15.0), CHANNELS.format(command, displacement, force, offset)
    device, code, text = run(kind, "deaf" if kind is Comedi else "none", 1, False, COUNTED, channels=words, end=0.4, silence=5, limit=10, force=20000)
    if code not in (0, 5):
        return "exit code %d: %s" % (code, text[-900:])
    seen = ticks(device.folder)
    volt = getattr(device, "volt", 1.0) if not issubclass(kind, EtherCat) else 1e-7
    raw = sorted({c / volt for _, c, _ in device.log.rows})
    if len(raw) < 20:
        return "only %d commands" % len(raw)
    sent = sorted({(x - offsets[0]) / command for x in seen["a1.sent"]})
    unit = max(abs(raw[0]), abs(raw[-1]))
    # commands on the wire are (SI - offset) / scale of one that was sent
    strange = [c for c in raw if min(abs(c - s) for s in sent) > step / 2 * 1.0001 + 1e-12 * unit]
    if len(strange) > 0.02 * len(raw) + 1:
        return "%d of %d commands are not sent ones in counts, such as %.17g; sent %.17g .. %.17g" % (len(strange), len(raw), strange[len(strange) // 2], sent[0], sent[-1])
    if step:  # measured by the device itself: whole counts
        for name, scale, offset in (("a1.displacement", displacement, offsets[1]), ("a1.force", force, offsets[2])):
            for x in seen[name]:
                counts = ((x - offset) / scale + lowest) / step
                if not near(counts, round(counts), 1e-5):
                    return "%s = %.17g is %.9g counts" % (name, x, counts)
        return ""
    given = {displacement * c + offset for c in raw + [0.0]}
    forces = {force * (STIFFNESS * c) + offsets[2] for c in raw + [0.0]}
    for name, values in (("a1.displacement", given), ("a1.force", forces)):
        late = [x for x in seen[name][40:] if x not in values]  # to the last bit
        if len(late) > 0.02 * len(seen[name]):
            return "%d of %d numbers of %s are no scale * raw + offset, such as %.17g" % (len(late), len(seen[name]), name, late[0])
    return ""


VIRTUAL = """title: counts
time: {{ step: 10 ms, end: 1, control_rate: 1000 Hz }}
method: {{ integrator: lsrt2 }}
substructures:
  frame: {{ dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]] }}
  specimen: {{ role: physical, dofs: [x], actuators: {{ x: a1 }}, estimate: {{ stiffness: [[35530]] }} }}
interfaces: [ {{ join: [frame.x, specimen.x] }} ]
loads: [ {{ on: frame.x, kind: sine, amplitude: 500 N, frequency: 2 Hz }} ]
transfer: {{ a1: {{}} }}
rig: {{ {backend}actuators: {{ a1: {{ plant: {{ kind: servo, frequency: 40 Hz, damping: 0.9 }} }} }}, specimen: {{ dofs: [x], mass: [0], stiffness: [[35530]] }} }}
{channels}limits: {{ displacement: 0.2, command_rate: 10, force: 20 kN, tracking_error: 0.1, stall: 0, missed_deadlines: 0, peer_silence: 10 }}
"""


def simulated(backend, channels):
    """The motion of the virtual rig, in this process or served; with a calibration or without."""
    folder = os.path.join(SCRATCH, "counts-%s-%d-%d" % (backend, bool(channels), time.time_ns()))
    name = os.path.basename(folder)
    settings = {"virtual": "backend: virtual, ", "shm": "backend: shm, settings: { name: %s }, " % name}[backend]
    with open(folder + ".yaml", "w") as out:
        out.write(VIRTUAL.format(backend=settings, channels=channels))
    served = None
    if backend != "virtual":
        served = subprocess.Popen([YOKE, "serve", folder + ".yaml", "--shm", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = served.stdout.readline()
        assert "simulating" in said, said
    done = subprocess.run([YOKE, "run", folder + ".yaml", "-o", folder, "--no-report", "--budget", "0", "--accept-quality",
                           "--uncommissioned", "tests: a simulation"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if served:
        served.terminate()
        served.communicate(timeout=30)
    return ticks(folder) if done.returncode in (0, 5) else done.stdout


def alike(backend):
    plain, counted = simulated(backend, ""), simulated(backend, CHANNELS.format(2e-6, 5e-6, 0.25, 3e-4))
    for motion in (plain, counted):
        if isinstance(motion, str):
            return motion[:600]
    for name, values in plain.items():
        most = max(map(abs, values))
        if not most:
            return "%s does not move" % name
        if len(values) != len(counted[name]):
            return "%d and %d ticks" % (len(values), len(counted[name]))
        off = max(abs(a - b) for a, b in zip(values, counted[name]))
        if off > 1e-9 * most:
            return "%s differs by %g of %g" % (name, off, most)
    return ""


def main():
    cases = [(kind, (1e-3, 1.01e-3, 0.9e-3), 0) for kind in (UdpRaw, Udp, Modbus, Plugin)]
    Comedi.settings = Comedi.settings.replace(", scale: 20 mm", "").replace(", scale: 200 N", "")
    EtherCat.settings = EtherCat.settings.replace(", scale: 0.1 um", "").replace(", scale: 0.30517578125 N", "")
    Comedi.loss_s = 0  # deaf for no time: the card goes on
    cases.append((Comedi, (0.025, 0.0252, 190.0), 20 / 65535, 10))  # 16 bits of +-10 V
    if "yka" in (name for _, name in socket.if_nameindex()):
        cases.append((EtherCat, (1e-7, 1.01e-7, 0.3), 1))
    wrong = 0
    for case in cases:
        for _ in range(3):  # a busy machine may delay a device
            why = converts(*case)
            if not why:
                break
        print("%-10s %s" % (case[0].backend, why or "one conversion"), flush=True)
        wrong += bool(why)
    for backend in ("virtual", "shm"):
        why = alike(backend)
        print("%-10s %s" % (backend, why or "one conversion"), flush=True)
        wrong += bool(why)
    return wrong > 0


sys.exit(main())
