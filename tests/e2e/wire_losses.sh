#!/usr/bin/env bash
# Losses of udp, udp-raw and Modbus at rest, in motion, in a ramp and in a pause, with and without --realtime, as devices log
# them that share no code with the backends. YOKE_WALL_CLOCK=all runs every case.
# usage: wire_losses.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
export YOKE_WIRE_TEST=wire_losses.py
exec bash "$YOKE_SOURCE/tests/e2e/wall_clock.sh" "$@"
