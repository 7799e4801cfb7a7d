#!/usr/bin/env bash
# A command reads its file once and prepares each structure once, however many analyses it makes: the structure of the
# file; the reference; and the one with models in the place of specimens only if it has other matrices.
# usage: reads_once.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

program=$1/tests/counting/yoke
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect "counted: ..." COMMAND EXAMPLE [WORDS]
expect() {
    local want=$1 command=$2 file=$YOKE_SOURCE/examples/$3
    shift 3
    got=$("$program" $command "$file" "$@" 2>&1 >/dev/null | grep '^counted') || true
    echo "yoke $command $(basename "$file"): $got"
    [ "$got" = "counted: $want" ] || {
        echo "expected: $want" >&2
        exit 1
    }
}

# the loop, its comparison with models that are as estimated, and the stability of the step: states of one plan
expect '1 parsed, 1 prepared, 1 coupled' check paced-split-mass/paced-split-mass.yaml
expect '1 parsed, 1 prepared, 1 coupled' 'analyze margin' paced-split-mass/paced-split-mass.yaml --budget 5s
expect '1 parsed, 1 prepared, 1 coupled' run paced-split-mass/paced-split-mass.yaml -q -o "$work/run" --set time.end=0.4
# another structure: the reference
expect '1 parsed, 2 prepared, 0 coupled' check spring-specimen/spring-specimen.yaml
expect '1 parsed, 2 prepared, 0 coupled' run spring-specimen/spring-specimen.yaml -q -o "$work/reference"
# another structure: models with a mass that was not estimated
expect '1 parsed, 2 prepared, 2 coupled' check paced-split-mass/paced-split-mass.yaml \
    --set 'rig.specimen.mass=[1, 1]' --budget 5s
# a study of three runs: each of them, and one plan for the reference that they share
expect '1 parsed, 5 prepared, 0 coupled' study spring-specimen/spring-specimen.yaml -q -o "$work/study" --set 'time.end=2 s' \
    --vary 'transfer.a1.compensator.delay=15:17:3 ms'
expect '1 parsed, 1 prepared, 0 coupled' check oscillator/oscillator.yaml
expect '1 parsed, 1 prepared, 0 coupled' 'analyze energy' oscillator/oscillator.yaml
# every step has factors of its own: three steps, three plans
expect '1 parsed, 3 prepared, 3 coupled' 'analyze order' split-mass/split-mass.yaml --halvings 2
