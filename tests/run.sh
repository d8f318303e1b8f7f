#!/bin/sh
# run.sh SUITE -- runs the commands of a suite, one line of result each, and closes with
# their sum on a line of its own:  N passed, N failed, N skipped
#
# SUITE holds "label: command" lines.  Counted are the cases that a program tells of:
# cmocka's closing lines, or "NAME: N cases, N failed[, N skipped]".  A program that tells
# nothing is one case by its exit status.  Why something was skipped is passed on.
# PECK_TEST_SECONDS limits each command (default 300), PECK_TEST_JOBS says how many run at
# once (default: 2, or 1 on one core).  Commands must not share files.
#
# run.sh SUITE DIR N is how it calls itself for line N: what is counted goes to DIR/N.

set -u
suite=$1
limit=${PECK_TEST_SECONDS:-300}

# A test may ask for more memory than there is.
ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1}
UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export ASAN_OPTIONS UBSAN_OPTIONS

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

if [ $# -eq 3 ]; then
    log=$2/$3.log
    line=$(sed -n "$3p" "$suite")
    timeout -k 10 "$limit" sh -c "exec ${line#*: }" >"$log" 2>&1 </dev/null
    status=$?
    count $status
    echo "$p $f $s" >"$2/$3"
    report "${line%%: *}" $status >"$2/$3.told" # in one piece, whoever else speaks
    cat "$2/$3.told"
    rm -f "$log" "$2/$3.told"
    exit 0
fi

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
trap 'exit 130' INT TERM
echo "0 0 0" >"$room/0"

# Leaks are found through /proc and ptrace, which a container may lack.
probe=build/asan/peck
no_leaks=$ASAN_OPTIONS:detect_leaks=0
if grep -q "$probe" "$suite" && ! "$probe" --version >"$room/probe.log" 2>&1 &&
    ASAN_OPTIONS=$no_leaks "$probe" --version >"$room/probe.log" 2>&1; then
    echo "note  no search for leaks: LeakSanitizer cannot run on this machine"
    ASAN_OPTIONS=$no_leaks
    echo "0 0 1" >"$room/0"
fi
rm -f "$room/probe.log"

n=$(grep -c '' "$suite")
jobs=${PECK_TEST_JOBS:-$([ "$(nproc)" -gt 1 ] && echo 2 || echo 1)}
seq "$n" | xargs -n 1 -P "$jobs" sh "$0" "$suite" "$room"

# A line that left no count was not run.
# shellcheck disable=SC2046  # three words are wanted
set -- $(cat "$room"/* | awk -v n="$n" '{ p += $1; f += $2; s += $3 }
    END { print p + 0, f + n + 1 - NR, s + 0 }')
echo "$1 passed, $2 failed, $3 skipped"
[ "$2" -eq 0 ] && [ "$(($1 + $3))" -gt 0 ]
