#!/bin/sh
# bare.sh -- the command built without SQLite and libmicrohttpd says what is missing, and does
# the rest.  Objects are those of the usual build; it is linked anew under build/bare.

set -u
failed=0
cases=0

check() { # what, expected status, expected part of the sentence, command ...
    cases=$((cases + 1))
    what=$1 status=$2 part=$3
    shift 3
    told=$("$@" 2>&1 </dev/null)
    code=$?
    case "$code $told" in
    "$status "*"$part"*) ;;
    *)
        failed=$((failed + 1))
        echo "FAILED: $what: status $code: $told"
        ;;
    esac
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p build/bare
rm -f build/bare/peck
${MAKE:-make} -s OUT=build/bare SQLITE= HTTPD= build/bare/peck || exit 1
printf 'tea\ncoffee\n' >"$folder/drinks.txt"
{
    printf 'SQLite format 3'
    head -c 4081 /dev/zero
} >"$folder/drinks.votes"
printf 'winner,loser\ntea,coffee\n' >"$folder/prefs.csv"
check "ask" 2 "libsqlite3-dev" build/bare/peck ask "$folder/drinks.txt"
check "ask --web" 2 "libsqlite3-dev" build/bare/peck ask "$folder/drinks.txt" --web
check "decode of votes" 2 "libsqlite3-dev" build/bare/peck decode "$folder/drinks.votes"
check "decode of text" 0 "tea" build/bare/peck decode "$folder/prefs.csv"
check "help" 0 "peck ask ITEMS" build/bare/peck ask --help
rm -f build/bare/peck
if ${MAKE:-make} -s OUT=build/bare HTTPD= build/bare/peck &&
    build/bare/peck ask "$folder/drinks.txt" </dev/null >/dev/null 2>&1; then
    check "ask without a page" 2 "libmicrohttpd-dev" \
        build/bare/peck ask "$folder/drinks.txt" --web
fi
echo "bare: $cases cases, $failed failed"
[ "$failed" -eq 0 ]
