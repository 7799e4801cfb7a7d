#!/usr/bin/env bash
# The documentation as a site: it builds without a warning, no link is dead, every page is in the navigation.
set -u
command -v mkdocs >/dev/null && [ -d /usr/share/javascript/katex ] ||
    { echo "skipped: mkdocs-material or libjs-katex is not installed (make site installs them)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$YOKE_SOURCE/tools/site/build" "$folder" || exit 1
grep -q 'class="arithmatex"' "$folder/site/docs/theory/integrators.html" || { echo "formulas are not marked"; exit 1; }
grep -q '"location"' "$folder/site/search/search_index.json" || { echo "there is nothing to search in"; exit 1; }
# In a browser, where there is one: links can be read in light and in dark.
build=$(realpath "$1")
for chromium in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser; do
    [ -x "$chromium" ] && break
done
if [ -x "$chromium" ] && command -v node >/dev/null && [ -d "$YOKE_SOURCE/web/node_modules/playwright-core" ]; then
    node "$YOKE_SOURCE/tests/browser/site.mjs" "$build/yoke" "$chromium" "$folder/site" || exit 1
else
    echo "contrast not looked at: chromium, node or the packages of web/ are missing"
fi
