#!/usr/bin/env bash
# No code recognises a component by the address of its table or of a function in it: a wrapped or renamed one has another
# address. Tables have entries for what callers want to know (`inner`, `simulation`, `physical`).
# usage: table_addresses.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail
cd "$YOKE_SOURCE"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# `x == &name` and `&name == x` with a bare name; tables and their functions compared with each other
name='[a-z_][a-z0-9_]*'
bare="&$name\b( *[^][a-z0-9_>.& ]|\$)"
tables='(ops|rig|law|plant|coupling|integrator|controller|compensator|estimator|exchange)'
rule="[=!]= *$bare|[(&|!] *&$name *[=!]= |\b$tables *[=!]= *(s|[a-z]+->|[a-z]+\.)?[a-z_.>-]*$tables\b|$tables *[=!]= *yk_"

finds() { # FOLDER...: the places
    grep -rnE --include='*.[ch]' "$rule" "$@" | grep -vE '^[^:]*:[0-9]+: *(/\*|\*)|yk_build_rig_of|"[^"]*[=!]= ' || true
}

# the search finds the ways in which it was done
cat >"$scratch/probe.c" <<'C'
bool a(void) { return rig == &yk_rig_virtual; }
bool b(void) { return basic->ops != &ops && true; }
bool c(void) { return ops->exchange == yk_remote_exchange ? self : NULL; }
bool d(void) { return ops == s->rig ? s->rig_self : s->between.self; }
int fine(void) { return ops == NULL || at == &items[3] || at != &part->item || plant == 0; }
C
[ "$(finds "$scratch" | wc -l)" = 4 ] || { echo "the search finds this of four:"; finds "$scratch"; exit 1; }

found=$(finds src apps lib python include)
[ -z "$found" ] || { echo "tables told apart by their addresses:"; echo "$found"; exit 1; }
