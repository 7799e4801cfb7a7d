#!/usr/bin/env bash
# The dashboard in a real browser, or other groups of tests/browser. Skipped where chromium, node or the locked packages of web/ are missing and
# cannot be had.
# usage: browser.sh BUILD_FOLDER [GROUP...], with YOKE_SOURCE in the environment
set -u
build=$(realpath "$1")
skip() { echo "skipped: $1"; exit 77; }
for chromium in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser; do
    [ -x "$chromium" ] && break
done
[ -x "$chromium" ] || skip "chromium is not installed (Debian: apt install chromium)"
command -v node >/dev/null || skip "node is not installed (Debian: apt install nodejs npm)"
cd "$YOKE_SOURCE/web" || exit 1
exec 9>"$build/node_modules.lock" && flock 9 # one test installs them, the other waits
if [ ! -d node_modules/playwright-core ] || [ ! -d node_modules/axe-core ]; then
    command -v npm >/dev/null || skip "web/node_modules is missing, and npm is not installed"
    npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=0 --fetch-timeout=20000 >/dev/null 2>&1 ||
        skip "web/node_modules is missing, and npm cannot reach its registry"
fi
exec 9>&-
shift
[ $# -gt 0 ] || set -- dashboard
exec node "$YOKE_SOURCE/tests/browser/run.mjs" "$build/yoke" "$chromium" "$@"
