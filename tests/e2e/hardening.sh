#!/usr/bin/env bash
# The program, the library and the host of FMUs are built with what cmake/hardening.cmake names: it is read from them.
# usage: hardening.sh BUILD_FOLDER, with CFLAGS (sanitizers of the build) in the environment
set -euo pipefail
build=$1
[ -z "${CFLAGS:-}" ] && grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Rel' "$build/CMakeCache.txt" || exit 77
status=0
wrong() {
    echo "hardening.sh: $*"
    status=1
}

# has FILE WORDS PATTERN COMMAND...: what the command says of the file matches.
has() {
    local file=$1 words=$2 pattern=$3
    shift 3
    "$@" "$build/$file" 2>/dev/null | grep -E -- "$pattern" >/dev/null || wrong "$file: no $words"
}

check() {
    local file=$1
    [ -e "$build/$file" ] || return 0
    has "$file" 'position-independent code' 'Type: *DYN' readelf -h
    has "$file" 'read-only tables of the loader' 'GNU_RELRO' readelf -lW
    has "$file" 'symbols bound at the start' 'BIND_NOW|FLAGS_1.*NOW' readelf -dW
    has "$file" 'guard of the stack' '__stack_chk_fail' nm -D
    has "$file" 'checked copies' '__[a-z]+_chk' nm -D
    # compiled in, whatever the libraries beside it were built with
    has "$file" 'flags of the compiler' 'stack-protector-strong' producers
    has "$file" 'pages of the stack in order' 'stack-clash-protection' producers
    case $(uname -m) in
    x86_64) has "$file" 'landing places' 'cf-protection' producers ;;
    aarch64) has "$file" 'landing places' 'branch-protection=standard' producers ;;
    esac
}

# What the compiler wrote into the debug information of our files; clang does not.
producers() { readelf --debug-dump=info --dwarf-depth=1 "$1" | sed -n "/DW_AT_producer/p"; }

if ! producers "$build/yoke" | grep "GNU C" >/dev/null; then
    producers() { grep -oE -- '-f[a-z-]+|-m[a-z-]+=[a-z]+' "$build/compile_commands.json" | sort -u; }
fi
apps=$(sed -n 's/^const struct yk_command command_\([a-z]*\) = .*/yoke-\1/p' "$YOKE_SOURCE"/apps/*/command.c)
for file in yoke libyoke.so.0 yoke-fmu-host $apps; do
    check $file
done
# the level that gcc 12 and clang know
grep -qE -- '-D_FORTIFY_SOURCE=[23]' "$build/compile_commands.json" || wrong 'no _FORTIFY_SOURCE'
readelf -dW "$build/yoke" | grep "FLAGS_1.*PIE" >/dev/null || wrong 'yoke is not a PIE'
exit $status
