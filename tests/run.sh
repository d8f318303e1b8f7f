#!/bin/sh
# run.sh SUITE -- runs the commands of a suite, one line of result each, and closes with
# their sum on a line of its own:  N passed, N failed, N skipped
#
# SUITE holds "label: command" lines.  Counted are the cases that a program tells of:
# cmocka's closing lines, or "NAME: N cases, N failed[, N skipped]".  A program that tells
# nothing is one case by its exit status.  Why something was skipped is passed on.
# PECK_TEST_SECONDS limits each command (default 300).

set -u
suite=$1
limit=${PECK_TEST_SECONDS:-300}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# A test may ask for more memory than there is.
ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1}
UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export ASAN_OPTIONS UBSAN_OPTIONS

passed=0
failed=0
skipped=0

# Leaks are found through /proc and ptrace, which a container may lack.
probe=build/asan/peck
no_leaks=$ASAN_OPTIONS:detect_leaks=0
if grep -q "$probe" "$suite" && ! "$probe" --version >"$log" 2>&1 &&
    ASAN_OPTIONS=$no_leaks "$probe" --version >"$log" 2>&1; then
    echo "note  no search for leaks: LeakSanitizer cannot run on this machine"
    ASAN_OPTIONS=$no_leaks
    skipped=1
fi

# cmocka's "[  PASSED  ] 3 test(s)." and the like: the number after the word $1.
cmocka_count() {
    sed -n "s/^\[ *$1 *\] \([0-9][0-9]*\) test(s).*/\1/p" "$log" | tail -1
}

# Sets p, f and s from the log and the exit status $1.
count() {
    p=$(cmocka_count PASSED)
    f=$(cmocka_count FAILED)
    s=$(cmocka_count SKIPPED)
    if [ -z "$p$f$s" ]; then
        # shellcheck disable=SC2046  # three words are wanted
        set -- "$1" $(sed -n -e 's/^[^:]*: \([0-9]*\) cases, \([0-9]*\) failed$/\1 \2 0/p' \
            -e 's/^[^:]*: \([0-9]*\) cases, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' \
            "$log" | tail -1)
        if [ $# -eq 4 ]; then
            p=$(($2 - $3 - $4)) f=$3 s=$4
        elif [ "$1" -eq 0 ]; then
            p=1
        fi
    fi
    p=${p:-0} f=${f:-0} s=${s:-0}
    if [ "$1" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    fi
}

report() { # label status
    if [ "$f" -gt 0 ]; then
        echo "FAIL  $1: $p passed, $f failed"
        [ "$2" -ne 124 ] || echo "      stopped after $limit seconds"
        grep -v -e '^\[ RUN  ' -e '^\[       OK \]' "$log" | tail -60 | sed 's/^/      /'
    elif [ "$s" -gt 0 ]; then
        echo "ok    $1: $p passed, $s skipped"
        # cmocka names a skipped test; the line before says why.
        awk '/^skipped: / { plain = plain "      " $0 "\n" }
             /^\[  SKIPPED \] [^0-9]/ && !told[$4]++ {
                 sub(/^skipped: /, "", why)
                 print "      skipped: " $4 ": " why
                 n++
             }
             { why = $0 }
             END { if (!n) printf "%s", plain }' "$log"
    else
        echo "ok    $1: $p passed"
    fi
}

while IFS= read -r line <&3; do
    label=${line%%: *}
    timeout -k 10 "$limit" sh -c "exec ${line#*: }" >"$log" 2>&1 </dev/null
    status=$?
    count $status
    report "$label" $status
    passed=$((passed + p))
    failed=$((failed + f))
    skipped=$((skipped + s))
done 3<"$suite"

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$((passed + skipped))" -gt 0 ]
