"""A Modbus TCP device by pymodbus: the second opinion on the wire. Its displacement follows the command at once, its
force is 35530 N/m times that. Prints its port.

usage: modbus_device.py   (Debian: python3-pymodbus, python3-serial-asyncio)"""
import socket
import sys
import threading
import time

try:
    from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
    from pymodbus.server import StartTcpServer
except ImportError:
    sys.exit(77)
import struct


class Device(ModbusSequentialDataBlock):
    """Holding registers: command i32 in um at 0, displacement i32 at 2, force f32 at 4."""

    def setValues(self, address, values):
        super().setValues(address, values)
        if address == 1:  # pymodbus counts from 1 here
            words = super().getValues(1, 2)
            um = struct.unpack(">i", struct.pack(">HH", *words))[0]
            force = struct.unpack(">HH", struct.pack(">f", 35530e-6 * um))
            super().setValues(3, words + list(force))


with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
store = ModbusSlaveContext(hr=Device(1, [0] * 20), di=ModbusSequentialDataBlock(1, [1] * 8))
threading.Timer(0.3, lambda: print(port, flush=True)).start()
StartTcpServer(context=ModbusServerContext(slaves=store, single=True), address=("127.0.0.1", port))
