#!/usr/bin/env bash
# Every library that the program names is on docs/dependencies.md, and none of them, nor what they bring, is under the GPL.
# usage: dependencies.sh BUILD
set -euo pipefail

program=$1/yoke
page=${YOKE_SOURCE:?}/docs/dependencies.md
command -v readelf >/dev/null || exit 77
failed=0

object=$1/libyoke-mpi.so
[ -e "$object" ] || object=

# what the sanitizers, the compiler and the library itself (where it is shared) bring is not a dependency
for name in $(readelf -d "$program" $object $([ -e "$1/libyoke.so" ] && echo "$1/libyoke.so") |
    sed -n 's/.*(NEEDED).*\[\(lib[A-Za-z0-9_]*\).*/\1/p' | sort -u); do
    case $name in
    libasan | libubsan | libtsan | libgcc_s | libgcov | libyoke) continue ;;
    esac
    if ! grep -q "\`$name\`" "$page"; then
        echo "docs/dependencies.md does not name $name" >&2
        failed=1
    fi
done
if ldd "$program" $object | grep -E 'lib(cholmod|umfpack|spqr|gsl|fftw3)' >&2; then
    echo "the program links a library under the GPL" >&2
    failed=1
fi
exit $failed
