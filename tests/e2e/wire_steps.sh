#!/usr/bin/env bash
# The largest step of the command on the wire, in the numbers of each device, as devices log it that share no code with the
# backends: at enable, after losses, at a trip from full speed, at resume, at a change of the control mode.
# YOKE_WALL_CLOCK=all runs the whole table of docs/safety.md.
# usage: wire_steps.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
export YOKE_WIRE_TEST=wire_steps.py
exec bash "$YOKE_SOURCE/tests/e2e/wall_clock.sh" "$@"
