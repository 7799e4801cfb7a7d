#!/usr/bin/env bash
# A command reads its file once and prepares each structure once, however many analyses it makes: the structure of the
# file; for the judgement of a loop the one with models in the place of specimens; the reference.
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

expect '1 parsed, 2 prepared' check paced-split-mass/paced-split-mass.yaml
expect '1 parsed, 1 prepared' run paced-split-mass/paced-split-mass.yaml -q -o "$work/run" --set time.end=0.4
expect '1 parsed, 3 prepared' check spring-specimen/spring-specimen.yaml
expect '1 parsed, 2 prepared' run spring-specimen/spring-specimen.yaml -q -o "$work/reference"
# a study of three runs: each of them, and one plan for the reference that they share
expect '1 parsed, 5 prepared' study spring-specimen/spring-specimen.yaml -q -o "$work/study" --set 'time.end=2 s' \
    --vary 'transfer.a1.compensator.delay=15:17:3 ms'
expect '1 parsed, 1 prepared' check oscillator/oscillator.yaml
expect '1 parsed, 1 prepared' 'analyze energy' oscillator/oscillator.yaml
expect '1 parsed, 3 prepared' 'analyze margin' paced-split-mass/paced-split-mass.yaml --budget 5s # models: once for each of the two ways
