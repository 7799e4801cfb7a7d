#!/usr/bin/env bash
# One conversion from raw counts to SI units, whichever backend carries them: devices of udp-raw, udp, modbus, plugin, comedi and
# ethercat, and the virtual rig, alone and over shared memory.
# usage: raw_counts.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
export YOKE_WIRE_TEST=raw_counts.py
exec bash "$YOKE_SOURCE/tests/e2e/wall_clock.sh" "$@"
