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
