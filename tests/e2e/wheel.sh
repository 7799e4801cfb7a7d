#!/usr/bin/env bash
# The wheel of the Python module: one file for Python 3.9 and later that brings the library, and runs an experiment.
# usage: wheel.sh BUILD_FOLDER, with YOKE_SOURCE and CFLAGS (sanitizers of the build) in the environment
set -euo pipefail

build=$1
python=/usr/bin/python3
[ -x $python ] || python=python3
if [ -n "${CFLAGS:-}" ] || [ ! -e "$build/libyoke.so.0" ] ||
    ! "$python" -c 'import cffi, numpy, setuptools, wheel' 2>/dev/null; then
    echo 'skipped: no CFFI, numpy, setuptools or wheel of Python, no shared library, or a sanitized build'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() {
    echo "wheel.sh: $*" >&2
    exit 1
}

version=$("$build/yoke" --version | cut -d ' ' -f 2) # version.sh compares it with the sources
wheel=$("$YOKE_SOURCE/tools/make-wheel" "$build" "$work/dist" | tail -1)
case $wheel in
*/yoke-"$version"-cp39-abi3-linux_*.whl) ;;
*) die "$wheel is not named yoke-$version-cp39-abi3-linux" ;;
esac
"$python" -m zipfile -e "$wheel" "$work/site"
for file in _yoke.abi3.so libyoke.so.0 py.typed __init__.py; do
    [ -e "$work/site/yoke/$file" ] || die "$file is not in it"
done
cd "$work"
PYTHONPATH=$work/site LD_LIBRARY_PATH= "$python" -B -c "
import yoke
assert yoke.__file__.startswith('$work'), yoke.__file__
assert yoke.__version__ == '$version', yoke.__version__
assert '$work/site/yoke/libyoke.so.0' in open('/proc/self/maps').read()
print(yoke.load('$YOKE_SOURCE/examples/oscillator/oscillator.yaml').run())"
