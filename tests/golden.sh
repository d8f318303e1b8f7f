#!/bin/sh
# golden.sh PECK [--update] [CASE ...] -- the command's behaviour, kept as data.
#
# A case is a folder of tests/golden; CASE may be a shell pattern of names:
#   cmd      shell lines, run in an empty folder; $PECK is the program (also first in
#            PATH), $DATA is tests/data
#   exit     the exit status; no file: 0
#   stdout   what it prints; no file: nothing
#   stderr   what it says, line by line, as shell patterns; no file: nothing
# --update writes down what happens now (a stderr that still matches is kept).

set -u
here=$(cd "$(dirname "$0")" && pwd)
PECK=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
update=no
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi
DATA=$here/data
PATH=$(dirname "$PECK"):$PATH
LC_ALL=C
SOURCE_DATE_EPOCH=1767323040 # of pages: 2026-01-02 03:04 UTC
TERM=dumb
export PECK DATA PATH LC_ALL SOURCE_DATE_EPOCH TERM
unset COLUMNS NO_COLOR

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# Every line of $2 matches the pattern on the same line of $1.
matches() {
    if [ ! -f "$1" ]; then
        [ ! -s "$2" ]
        return
    fi
    while IFS= read -r want <&3; do
        IFS= read -r got <&4 || return 1
        # shellcheck disable=SC2254  # a pattern is what it is
        case $got in
        $want) ;;
        *) return 1 ;;
        esac
    done 3<"$1" 4<"$2"
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ]
}

# Runs the case in folder $1; leaves out, err and rc in $scratch.
run_case() {
    rm -rf "$scratch/room"
    mkdir "$scratch/room"
    (cd "$scratch/room" && sh "$1/cmd") \
        >"$scratch/out" 2>"$scratch/err" </dev/null
    echo $? >"$scratch/rc"
}

same() { # expected actual; a missing file stands for an empty one
    if [ -f "$1" ]; then
        cmp -s "$1" "$2"
    else
        [ ! -s "$2" ]
    fi
}

judge() {
    wrong=
    echo 0 >"$scratch/zero"
    want_rc=$1/exit
    [ -f "$want_rc" ] || want_rc=$scratch/zero
    same "$want_rc" "$scratch/rc" || wrong="$wrong exit"
    same "$1/stdout" "$scratch/out" || wrong="$wrong stdout"
    matches "$1/stderr" "$scratch/err" || wrong="$wrong stderr"
    [ -z "$wrong" ]
}

show() {
    echo "FAIL $(basename "$1"):$wrong"
    sed 's/^/    $ /' "$1/cmd"
    for part in $wrong; do
        case $part in
        exit) want=$want_rc got=$scratch/rc ;;
        stdout) want=$1/stdout got=$scratch/out ;;
        *) want=$1/stderr got=$scratch/err ;;
        esac
        [ -f "$want" ] || want=/dev/null
        diff -u "$want" "$got" | sed -e '1,2d' -e 's/^/    /'
    done
}

keep() { # file actual
    if [ -s "$2" ]; then
        cp "$2" "$1"
    else
        rm -f "$1"
    fi
}

rewrite() {
    for part in $wrong; do
        case $part in
        exit)
            sed '/^0$/d' "$scratch/rc" >"$scratch/kept"
            keep "$1/exit" "$scratch/kept"
            ;;
        stdout) keep "$1/stdout" "$scratch/out" ;;
        stderr)
            sed -e 's/[[*?]/[&]/g' -e "s|$DATA|*|g" "$scratch/err" >"$scratch/kept"
            keep "$1/stderr" "$scratch/kept"
            ;;
        esac
    done
    echo "updated $(basename "$1"):$wrong"
}

[ $# -gt 0 ] || set -- '*'
# shellcheck disable=SC2048,SC2086  # patterns are meant
cases=$(cd "$here/golden" && ls -d $*) || exit 1
n=0
failed=0
for name in $cases; do
    dir=$here/golden/$name
    run_case "$dir"
    n=$((n + 1))
    if judge "$dir"; then
        continue
    elif [ $update = yes ]; then
        rewrite "$dir"
    else
        show "$dir"
        failed=$((failed + 1))
    fi
done
echo "golden: $n cases, $failed failed"
[ $failed -eq 0 ]
