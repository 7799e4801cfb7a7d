#!/usr/bin/env bash
# Every command that the documentation and the examples show works as written, and refuses what they say it refuses.
#
# A command stands in an indented or fenced block: after "$ ", or in a block whose first word is one. Where its first line
# of output begins with "yoke: " it must be refused with these words. Files that a page shows (<!-- file: NAME -->) are
# written. All pages share one folder, the tutorial first, as a reader would have it. Examples of `yoke COMMAND --help` are
# tried where they need no file of the reader.
# usage: doc_commands.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

program=$(realpath "$1/yoke")
command -v gnuplot >/dev/null || { echo 'skipped: needs gnuplot'; exit 77; }
work=$(mktemp -d)
touch "$work/.rigs"
trap 'xargs -r kill <"$work/.rigs" 2>/dev/null; rm -rf "$work"' EXIT
cp -r "$YOKE_SOURCE/examples" "$YOKE_SOURCE/papers" "$YOKE_SOURCE/include" "$work"
mkdir "$work/.bin"

# `yoke` as a reader has it, but: a stop at a limit (3) is no failure, a rig is played in the background, an operator has
# nobody to speak to, and what the machine can hold is the business of other tests.
cat >"$work/.bin/yoke" <<EOF
#!/usr/bin/env bash
case \$1 in
control | watch) exec "$program" "\$1" --help ;;
doctor) exec "$program" "\$@" --seconds 0.1 --rate 10Hz ;;
serve)
    "$program" "\$@" >"$work/.rig" 2>&1 </dev/null &
    echo \$! >>"$work/.rigs"
    for ((i = 0; i < 200; i++)); do
        grep -q playing "$work/.rig" && exit 0
        sleep 0.05
    done
    cat "$work/.rig" >&2
    exit 1
    ;;
esac
words=("\$@")
if [[ " \$* " == *' --realtime '* ]]; then
    words+=(--set limits.missed_deadlines=0 --set limits.stall=0 --set limits.coarse_wait=10)
    [[ \$* == *viaduct* ]] || words+=(--set time.scale=0.5 --set time.faster_than_real=true) # that one has a scale of its own
fi
"$program" "\${words[@]}" || { code=\$? && [ \$code = 3 ] || exit \$code; }
EOF
# refused WORDS COMMAND...
cat >"$work/.bin/refused" <<'EOF'
#!/usr/bin/env bash
words=$1 code=0
shift
said=$("$@" 2>&1) || code=$?
[ $code = 2 ] && [[ $said == *"$words"* ]] && exit 0
echo "$*: exit code $code, '$said'; wanted '$words'" >&2
exit 1
EOF
printf '#!/bin/sh\necho "-I%s/include"\n' "$YOKE_SOURCE" >"$work/.bin/pkg-config"
chmod +x "$work/.bin"/*
command -v h5diff >/dev/null || ln -s /bin/true "$work/.bin/h5diff"

# Files of a page go to the folder, its commands to standard output. Usage lines (FILE, [--option]) are none, and models of
# tens of thousands of degrees of freedom have tests of their own.
extract() {
    awk -v work="$work" '
        function flush() {
            if (pending != "" && pending !~ /(FILE|\[--|solid\/build)/)
                print pending
            pending = ""
        }
        /^<!-- file: / { file = work "/" $3; next }
        /^```/ {
            flush()
            fenced = !fenced
            if (fenced && file != "") { writing = 1; printf "" > file }
            else if (writing) { writing = 0; close(file); file = "" }
            shell = fenced && !writing && ($0 == "```" || $0 == "```sh")
            fresh = 1
            next
        }
        writing { print > file; next }
        (fenced && shell) || (!fenced && /^    /) {
            line = $0
            if (!fenced) sub(/^    /, "", line)
            if (line ~ /^\$ /) {
                flush()
                pending = substr(line, 3)
                shown = 1
            } else if (pending ~ /\\$/) {
                pending = pending "\n" line
            } else if (shown && pending != "" && line ~ /^yoke: /) {
                gsub(/\047/, "\047\\\047\047", line)
                pending = "refused \047" line "\047 " pending
                flush()
            } else if (!shown) {
                if (fresh) block = line ~ /^(yoke|cd|cc|for|cp) |^examples\//
                flush()
                if (block) pending = line
            }
            fresh = 0
            next
        }
        { flush(); fresh = 1; shown = block = 0 }
        END { flush() }
    ' "$1"
}

cd "$YOKE_SOURCE"
pages="README.md docs/tutorial.md $(printf "%s\n" docs/*.md docs/theory/*.md examples/*.md examples/*/README.md papers/*.md |
    grep -v 'tutorial\|adding-an-integrator\|adding-a-coupling')"
cd "$work"
failed=0
for page in $pages; do
    # a port and a name of shared memory that no other test has; the tutorial asks for a misprint
    extract "$YOKE_SOURCE/$page" | sed -E "s/\b5000\b/$((20000 + $$ % 20000))/; s/(--shm |settings.name=)/&doc-$$-/
        s/^refused .*stifness.*/sed -i 9s,stiffness,stifness, frame.yaml\n&\nsed -i 9s,stifness,stiffness, frame.yaml/" >.commands
    PATH=$work/.bin:$PATH bash -eu .commands >.out 2>.err </dev/null && continue
    echo "$page: a command fails:" && tail -q -n 4 .out .err
    failed=1
done

# `yoke run examples/oscillator/oscillator.yaml` has been among the commands by now
"$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r name; do
    "$program" "$name" --help | sed -n '/^examples:/,$p' | sed -z '1s/[^\n]*\n//; s/\\\n *//g'
done | grep -E 'examples/|out/oscillator' | sort -u >.commands
[ "$(wc -l <.commands)" -gt 10 ] || { echo 'the examples of --help were not found' && failed=1; }
PATH=$work/.bin:$PATH bash -eu .commands >.out 2>.err </dev/null || {
    echo 'an example of --help fails:' && tail -4 .err
    failed=1
}
exit $failed
