#!/usr/bin/env bash
# Rigs that are not simulated, with and without --realtime: rate on the wire, ramps and silence in wall time, as devices
# log it that share no code with the backends. YOKE_WALL_CLOCK=all runs the whole table of docs/safety.md.
# usage: wall_clock.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail
build=$(realpath "$1")

# In a network of its own, with two ends of a wire for EtherCAT; without that backend where there is none.
if [ -z "${2:-}" ]; then
    for as in --mount-proc "-r --mount-proc" "" "-r"; do
        if unshare $as -n -p --fork ip link add yka type veth peer name ykb 2>/dev/null; then
            exec unshare $as -n -p --fork --kill-child bash "$0" "$build" inside
        fi
    done
    echo "no network namespace, or no veth: without EtherCAT"
else
    ip link add yka type veth peer name ykb
    for end in yka ykb lo; do
        sysctl -qw net.ipv6.conf.$end.disable_ipv6=1 2>/dev/null || true
        ip link set $end up
    done
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
YOKE_AUDIT=$scratch/audit python3 -B "$YOKE_SOURCE/tests/e2e/${YOKE_WIRE_TEST:-wall_clock.py}" "$build" "$scratch"
