#!/usr/bin/env bash
# The built pages of web/dist belong to the sources of web/src: the hashes that web/build wrote still hold, and every
# source is part of a page. Needs no node.
set -u
cd "$YOKE_SOURCE/web" || exit 1
failed=0
for list in dist/*.sources; do
    sha256sum --check --quiet --strict "$list" || { echo "web/$list: run web/build"; failed=1; }
done
for file in $(find src -type f) $(find dist -type f ! -name '*.sources'); do
    grep -qF "  $file" dist/*.sources || { echo "web/$file is not in any list of web/dist: run web/build"; failed=1; }
done
grep -A3 '"node_modules/uplot"' package-lock.json | grep -q '"integrity": "sha512-' || { echo "uPlot has no integrity hash"; failed=1; }
grep -q 'The MIT License' licenses/uPlot || { echo "the licence of uPlot is missing"; failed=1; }
exit $failed
