"""A device with the packets of examples/udp-raw/labview.yaml, written without Yoke: a first-order lag of 10 ms and a
spring of 35530 N/m. Prints its port. After the given number of commands it does what FAULT says.

usage: raw_device.py FAULT [COMMANDS]   FAULT: none crc size constant fault old nan killed"""
import socket
import struct
import sys
import zlib

fault, after = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("127.0.0.1", 0))
wire.settimeout(60)
print(wire.getsockname()[1], flush=True)
x, sequence, commands, last, answer = 0.0, 0, 0, None, b""
while True:
    packet, peer = wire.recvfrom(2000)
    magic, number, state, command = struct.unpack(">IQBd", packet[:-4])
    assert magic == 1498369877 and struct.unpack(">I", packet[-4:])[0] == zlib.crc32(packet[:-4])
    if state >= 2:
        print("cut" if state == 2 else "end", command, flush=True)
        break
    if number == last:  # asked again: the answer was lost
        wire.sendto(answer, peer)
        continue
    if state == 0:
        x = command if commands == 0 else x
    else:
        x += (command - x) * 0.1
        commands += 1
    sequence, last = sequence + 1, number
    wrong = commands > after
    if wrong and fault == "killed":
        sys.exit(1)
    head = (1, 0, 0) if wrong and fault == "constant" else (1498369877, sequence, number)
    if wrong and fault == "old":
        head = (1498369877, 1, number)
    force = float("nan") if wrong and fault == "nan" else 35530 * x
    body = struct.pack(">IQQiddd", *head, 7 if wrong and fault == "fault" else 0, x, force, 0)
    check = zlib.crc32(body) ^ (1 if wrong and fault == "crc" else 0)
    answer = body + struct.pack(">I", check) + (b"\0" if wrong and fault == "size" else b"")
    wire.sendto(answer, peer)
