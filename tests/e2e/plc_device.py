"""A rig with its PLC behind udp-raw, written without Yoke: a first-order lag of 10 ms and a spring of 35530 N/m. The PLC
beats every 20 commands, acknowledges a pressure after 30, and does what FAULT says after 600 commands. Prints its port,
then every change of the pressure outputs with the number of the command, and at the end what it has counted.

usage: plc_device.py FAULT   FAULT: none hangs permit deaf"""
import socket
import struct
import sys

fault = sys.argv[1]
DRIVE, ALIVE, GUARD, LOW, HIGH = (1 << k for k in range(5))
HEART, PERMIT, LOW_OK, HIGH_OK = (1 << k for k in range(4))
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("127.0.0.1", 0))
wire.settimeout(60)
print(wire.getsockname()[1], flush=True)
x, first, sequence, commands, last, answer = 0.0, None, 0, 0, None, b""
outputs, inputs, since, moved, toggles = 0, PERMIT, {LOW: 0, HIGH: 0}, 0, {ALIVE: [], GUARD: []}
while True:
    packet, peer = wire.recvfrom(2000)
    number, state, command, lines = struct.unpack("<QIdI", packet)
    if number == last:  # asked again: the answer was lost
        wire.sendto(answer, peer)
        continue
    if state == 0:
        x = command if first is None else x
    else:
        commands += 1
        x += (command - x) * 0.1
    first = command if first is None else first
    if abs(command - first) > 1e-9 and not moved:
        moved = commands
        print("moves", commands, "low", int(inputs & LOW_OK > 0), "high", int(inputs & HIGH_OK > 0), flush=True)
    for name, bit in (("drive", DRIVE), ("low", LOW), ("high", HIGH)):
        if (lines ^ outputs) & bit:
            print(name, int(lines & bit > 0), commands, flush=True)
            since[bit] = commands
    for bit in toggles:
        if (lines ^ outputs) & bit:
            toggles[bit].append(commands)
    outputs = lines
    if state >= 2:
        break
    wrong = commands > 600
    if not (wrong and fault == "hangs"):
        inputs = inputs ^ HEART if commands % 20 == 0 else inputs
        for order, ok in ((LOW, LOW_OK), (HIGH, HIGH_OK)):
            if commands - since[order] >= 30 and not (fault == "deaf" and order == HIGH):
                inputs = inputs | ok if outputs & order else inputs & ~ok
        inputs = inputs & ~PERMIT if wrong and fault == "permit" else inputs | PERMIT
    sequence, last = sequence + 1, number
    answer = struct.pack("<QQddI", sequence, number, x, 35530 * x, inputs)
    wire.sendto(answer, peer)
print("commands", commands, "alive", len(toggles[ALIVE]), "guard", len(toggles[GUARD]),
      "guard_last", toggles[GUARD][-1] if toggles[GUARD] else 0,
      "alive_last", toggles[ALIVE][-1] if toggles[ALIVE] else 0, flush=True)
