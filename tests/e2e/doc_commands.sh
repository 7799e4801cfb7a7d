#!/usr/bin/env bash
# Every command that the documentation and the examples show works as written, and refuses what they say it refuses.
#
# A command stands in an indented or fenced block: after "$ ", or in a block whose first word is one. Where its first line
# of output begins with "yoke: " it must be refused with these words. Other lines below a "$ " must be printed, in this order,
# words as they stand and numbers to a unit in their last digit ("..." stands for lines, or for the rest of a word). Files that a page shows (<!-- file: NAME -->) are
# written. All pages share one folder, the tutorial first, as a reader would have it. Examples of `yoke COMMAND --help` are
# tried where they need no file of the reader.
# usage: doc_commands.sh BUILD_FOLDER [PAGE...], with YOKE_SOURCE in the environment; by default all but those of the examples and papers
set -euo pipefail

program=$(realpath "$1/yoke")
patiently=$(realpath "$1/tests/patiently")
command -v gnuplot >/dev/null || { echo 'skipped: needs gnuplot'; exit 77; }
work=$(mktemp -d)
touch "$work/.rigs"
end_rigs() { xargs -r kill <"$work/.rigs" 2>/dev/null || true; : >"$work/.rigs"; }
trap 'end_rigs; rm -rf "$work"' EXIT
cp -r "$YOKE_SOURCE/examples" "$YOKE_SOURCE/papers" "$YOKE_SOURCE/include" "$YOKE_SOURCE/data" "$work"
mkdir "$work/.bin"
sed -i "s/5103/$((40000 + $$ % 20000))/" "$work/examples/udp-raw/labview.yaml"

# `yoke` as a reader has it, but: a stop at a limit (3) and unusable results (5) are no failures, a rig is played in the background, an operator has
# nobody to speak to and nothing in an audit log, a dashboard nobody to show it to, no bus is connected, a console refuses what is beyond a limit (2), benchmarks take minutes, and what the machine can hold is the business of other tests.
cat >"$work/.bin/yoke" <<EOF
#!/usr/bin/env bash
case \$1 in
audit | control | watch | bench | dash | ethercat | host) exec "$program" "\$1" --help ;;
doctor) exec "$program" "\$@" --seconds 0.1 --rate 10Hz ;;
rig)
    [[ \$* != 'rig examples/modbus/'* && \$* != 'rig examples/comedi/'* ]] || exec "$program" rig --help # no device here
    "$program" "\$@" || { code=\$? && [ \$code = 2 ] && exit 0 || exit \$code; } ;;
serve)
    [[ " \$* " != *' --ethercat '* ]] || exec "$program" serve --help
    [[ " \$* " != *' --make-key '* ]] || exec "$program" "\$@"
    "$program" "\$@" >"$work/.rig" 2>&1 </dev/null &
    echo \$! >>"$work/.rigs"
    for ((i = 0; i < 200; i++)); do
        grep -q simulating "$work/.rig" && exit 0
        "$patiently" --sleep 0.05
    done
    cat "$work/.rig" >&2
    exit 1
    ;;
check)
    case \$2 in examples/iterated-brace/* | out/certify/worst.yaml) # their pages say that these loops are unstable
        "$program" "\$@"
        [ \$? = 4 ]
        exit
        ;;
    esac
    ;;
export)
    if [[ " \$* " == *' --sites '* ]]; then # the reader ended the site
        xargs -r kill -INT <"$work/.rigs" 2>/dev/null
        for rig in \$(<"$work/.rigs"); do while kill -0 \$rig 2>/dev/null; do sleep 0.05; done; done
    fi
    ;;
esac
words=("\$@")
[[ \$* != 'run examples/modbus/'* && \$* != 'run examples/comedi/'* ]] || words=(check "\$2") # test_modbus and test_comedi have a device
if [[ " \$* " == *' --realtime '* ]]; then
    words+=(--set limits.missed_deadlines=0 --set limits.stall=0 --set limits.coarse_wait=10)
    [[ \$* == *viaduct* ]] || words+=(--set time.scale=0.5 --set time.faster_than_real=true) # that one has a scale of its own
    # Tests run at the same time: a second thread that gets no core in time holds the actuators, and the motion is another.
    # test_paced compares runs on two threads with others. A tick that wakes late is followed by a short, fast one.
    for i in "\${!words[@]}"; do [[ \${words[i]} != --threads ]] || words[i+1]=1; done
    [[ \$* != *paced-split-mass* ]] || words+=(--set 'limits.command_rate.limit=20 m/s')
fi
"$program" "\${words[@]}" || { code=\$? && [[ \$code = [35] ]] || exit \$code; }
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
# as after an installation: headers and library of this tree
libraries=$(sed -n 's|^Libs: -L${libdir} -lyoke||p' "$1/generated/yoke.pc")
cat >"$work/.bin/pkg-config" <<EOF
#!/usr/bin/env bash
echo "-I$YOKE_SOURCE/include"
[[ " \$* " != *' --libs '* ]] || echo "-L$(realpath "$1") -Wl,-rpath,$(realpath "$1") -lyoke $libraries"
EOF
chmod +x "$work/.bin"/*

# Files of a page go to the folder, its commands to standard output. Usage lines (FILE, [--option]) are none, and models of
# tens of thousands of degrees of freedom have tests of their own.
extract() {
    awk -v work="$work" '
        function flush() {
            if (pending != "" && pending !~ /(FILE|FOLDER|\[--|solid\/build)/) {
                if (expects) {
                    printf "{ %s\n} >.printed-%d 2>&1 || { code=$?; cat .printed-%d >&2; exit $code; }\n", pending, count, count
                    close(work "/.expected-" count)
                } else
                    print pending
            }
            pending = ""
            expects = 0
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
            } else if (shown && pending != "" && pending !~ /^refused/) {
                if (!expects++)
                    printf "" > (work "/.expected-" ++count)
                print line > (work "/.expected-" count)
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

# agree EXPECTED PRINTED: numbers that depend on the machine may be others: those in us, in % of something, and how long it took
# ("in 0.002 s", "about 0.3 s"); so may the date in the name of a folder. What is only rounding, below 1e-12, is 0.
agree() {
    awk '
        function number(word) { return word ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?[,;:)]?$/ }
        function unit(word, mantissa, exponent, point) { # of the last digit
            sub(/[,;:)]$/, "", word)
            exponent = word ~ /[eE]/ ? substr(word, match(word, /[eE]/) + 1) : 0
            mantissa = word
            sub(/[eE].*/, "", mantissa)
            point = index(mantissa, ".")
            return 10 ^ (exponent - (point ? length(mantissa) - point : 0))
        }
        function size(x) { return x < 0 ? -x : x }
        function same(e, o, before, after, behind) {
            gsub(/[0-9]+-[0-9]+-[0-9]+T[0-9]+-[0-9]+-[0-9]+(-[0-9]+)?/, "DATE", e)
            gsub(/[0-9]+-[0-9]+-[0-9]+T[0-9]+-[0-9]+-[0-9]+(-[0-9]+)?/, "DATE", o)
            if (e == o)
                return 1
            if (e ~ /...\.\.\.$/)
                return index(o, substr(e, 1, length(e) - 3)) == 1
            if (!number(e) || !number(o))
                return 0
            if (after ~ /^us[,;)]?$/ || (after == "%" && behind == "of") || ((before == "in" || before == "about") && after == "s"))
                return 1
            if (size(e + 0) < 1e-12 && size(o + 0) < 1e-12)
                return 1
            return size(e - o) <= 1.01 * unit(e)
        }
        function fits(expected, printed, e, o, n, i) {
            n = split(expected, e, " ")
            if (split(printed, o, " ") != n)
                return 0
            for (i = 1; i <= n; i++)
                if (!same(e[i], o[i], e[i - 1], e[i + 1], e[i + 2]))
                    return 0
            return 1
        }
        NR == FNR { if ($0 !~ /^ *\.\.\.$/) wanted[++count] = $0; next }
        BEGIN { at = 1 }
        at <= count && fits(wanted[at], $0) { at++ }
        END { if (at <= count) { print "is not printed: " wanted[at]; exit 1 } }
    ' "$1" "$2"
}

cd "$YOKE_SOURCE"
pages="README.md docs/tutorial.md $(printf "%s\n" docs/*.md docs/theory/*.md |
    grep -v 'tutorial\|adding-an-integrator\|adding-a-coupling')"
[ $# -lt 2 ] || pages=${*:2}
cd "$work"
failed=0
for page in $pages; do
    # a port and a name of shared memory that no other test has; the tutorial asks for a misprint
    extract "$YOKE_SOURCE/$page" | sed -E "s/\b5000\b/$((20000 + $$ % 20000))/; s/\b5103\b/$((40000 + $$ % 20000))/; s/192\.168\.7\.2/127.0.0.2/g; s/--openfresco [0-9]+/--openfresco 0/; s/(--shm |settings.name=)/&doc-$$-/
        s/^refused .*stifness.*/sed -i 9s,stiffness,stifness, frame.yaml\n&\nsed -i 9s,stifness,stiffness, frame.yaml/" >.commands
    [[ $page != examples/* ]] || rm -rf out # each in a folder of its own
    PATH=$work/.bin:$PATH bash -eu .commands >.out 2>.err </dev/null || {
        echo "$page: a command fails:" && tail -q -n 4 .out .err
        failed=1
    }
    for expected in .expected-*; do
        [ ! -e "${expected/expected/printed}" ] || agree "$expected" "${expected/expected/printed}" || {
            echo "$page: the command prints" && cat "${expected/expected/printed}"
            failed=1
        }
    done
    rm -f .expected-* .printed-*
    end_rigs
done

[ $# -lt 2 ] || exit $failed
# some of the examples look at the recording of the first
PATH=$work/.bin:$PATH yoke run examples/oscillator/oscillator.yaml >.out 2>.err </dev/null || failed=1
"$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r name; do
    "$program" "$name" --help | sed -n '/^examples:/,$p' | sed -z '1s/[^\n]*\n//; s/\\\n *//g'
done | grep -E 'examples/|out/oscillator' | sort -u >.commands
[ "$(wc -l <.commands)" -gt 10 ] || { echo 'the examples of --help were not found' && failed=1; }
PATH=$work/.bin:$PATH bash -eu .commands >.out 2>.err </dev/null || {
    echo 'an example of --help fails:' && tail -4 .err
    failed=1
}
exit $failed
