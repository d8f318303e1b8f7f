#!/bin/sh
# test.sh [--update] -- installs into a scratch folder and builds every example there with
# nothing but pkg-config, against the shared and the static library, some as C++ too; what
# they print must equal examples/*.out.  --update writes those files.  A program of an earlier
# version (kept.c, with the header that is kept) must work with today's library.

set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
update=${1-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
prefix=$scratch/usr
n=0
failed=0

check() { # what, command ...: one case
    what=$1
    shift
    n=$((n + 1))
    if ! "$@" >"$scratch/log" 2>&1; then
        failed=$((failed + 1))
        echo "FAIL $what"
        sed 's/^/    /' "$scratch/log"
    fi
}

finish() {
    echo "install: $n cases, $failed failed"
    [ $failed -eq 0 ]
    exit
}

# A package is built for one place and copied by way of another: DESTDIR shows in no file.
check "make install DESTDIR=" make -s -C "$top" install PREFIX=/usr DESTDIR="$scratch"
for file in bin/peck include/peck.h lib/libpeck.a lib/libpeck.so lib/libpeck.so.0 \
    lib/pkgconfig/peck.pc share/man/man1/peck.1 share/man/man1/peck-eval.1 \
    share/bash-completion/completions/peck share/zsh/site-functions/_peck \
    share/fish/vendor_completions.d/peck.fish; do
    check "$file is installed" test -e "$prefix/$file"
done
check "DESTDIR is not in peck.pc" sh -c '! grep -q "$1" "$2"' - "$scratch" \
    "$prefix/lib/pkgconfig/peck.pc"
check "make install PREFIX=" make -s -C "$top" install PREFIX="$prefix"
[ $failed -eq 0 ] || finish

# Blanks in the names of places, and what was put there is taken away again.
blank="$scratch/a place & \"more\""
check "make install, DESTDIR with blanks" make -s -C "$top" install PREFIX=/usr DESTDIR="$blank"
check "it is all there" sh -c 'cd "$1" && find . | sort >"$2" && cd "$3/usr" && find . | sort | cmp - "$2"' - \
    "$prefix" "$scratch/list" "$blank"
: >"$blank/usr/bin/other"
check "make uninstall" make -s -C "$top" uninstall PREFIX=/usr DESTDIR="$blank"
check "it is all gone, and nothing else" sh -c '[ "$(cd "$1" && find . ! -type d)" = ./usr/bin/other ]' - "$blank"

# Libraries where a system with several has them: pkg-config finds them, and all of it goes again.
multi=$scratch/multi
libdir=$multi/usr/lib/x86_64-linux-gnu
to_multi() {
    make -s -C "$top" "$@" PREFIX="$multi/usr" LIBDIR="$libdir"
}
check "make install LIBDIR=" to_multi install
check "the libraries are in LIBDIR" sh -c \
    'cd "$1" && [ "$(echo libpeck.* pkgconfig/*)" = "libpeck.a libpeck.so libpeck.so.0 pkgconfig/peck.pc" ]' - \
    "$libdir"
# shellcheck disable=SC2016  # the prefix is pkg-config's
check "peck.pc names it below the prefix" grep -qxF 'libdir=${prefix}/lib/x86_64-linux-gnu' \
    "$libdir/pkgconfig/peck.pc"
check "nothing is in lib itself" sh -c '[ "$(ls "$1")" = x86_64-linux-gnu ]' - "$multi/usr/lib"
in_libdir() {
    # shellcheck disable=SC2046  # words are wanted
    ${CC:-cc} "$top/examples/01_evaluate.c" -o "$scratch/multi.out" \
        $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs peck) &&
        LD_LIBRARY_PATH=$libdir ldd "$scratch/multi.out" | grep -qF "$libdir/libpeck.so.0"
}
check "a program is built with LIBDIR's" in_libdir
check "make uninstall LIBDIR=" to_multi uninstall
check "no file is left" sh -c '[ -z "$(find "$1" ! -type d)" ]' - "$multi"

blank="$scratch/one place"
check "make install, PREFIX with a blank" make -s -C "$top" install PREFIX="$blank"
against_blank() {
    eval "${CC:-cc} \"\$top/examples/01_evaluate.c\" -o \"\$scratch/blank\" \
        $(PKG_CONFIG_PATH="$blank/lib/pkgconfig" pkg-config --cflags --libs peck)" &&
        LD_LIBRARY_PATH="$blank/lib" ldd "$scratch/blank" | grep -qF "$blank/lib/libpeck.so.0"
}
check "pkg-config finds it there" against_blank

# The sources below a blank: what was built is taken along, one file is compiled anew.
build_below_blank() {
    mkdir -p "$blank/peck/build/release/obj" &&
        cp -a "$top/Makefile" "$top/peck.pc.in" "$top/include" "$top/src" "$top/cli" "$top/ask" "$top/web" \
            "$blank/peck" &&
        cp -a "$top"/build/peck "$top"/build/libpeck.* "$blank/peck/build" &&
        cp -a "$top"/build/release/obj/src "$top"/build/release/obj/cli "$top"/build/release/obj/ask \
            "$top"/build/release/obj/web "$blank/peck/build/release/obj" &&
        touch "$blank/peck/src/base/status.c" &&
        make -s -C "$blank/peck" &&
        [ "$blank/peck/build/peck" -nt "$blank/peck/src/base/status.c" ] &&
        "$blank/peck/build/peck" --version &&
        ! grep -qaF "$blank" "$blank/peck/build/peck"
}
check "make, below a folder with a blank" build_below_blank
check "make, without pkg-config" sh -c \
    'make -C "$1" -B -n PKG_CONFIG=no-such-program build/peck | grep -q -- " -lz -lzstd "' - "$top"

PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
unset LD_LIBRARY_PATH
cc=${CC:-cc}
warn="-std=c17 -Wall -Wextra -Werror"

arguments() { # of the example $1
    case $1 in
    01_evaluate) echo "$top/tests/data/data.txt $top/tests/data/a.scores" ;;
    03_compare) echo "$scratch/made.txt" ;;
    05_train) echo "$scratch/made.peck" ;;
    esac
}

build_and_run() { # example, output, pkg-config's flags ...
    example=$1 program=$scratch/$1 output=$2
    shift 2
    # shellcheck disable=SC2046,SC2086  # words are wanted
    $cc $warn "$top/examples/$example.c" -o "$program" $(pkg-config "$@" --cflags --libs peck) -pthread &&
        "$program" $(arguments "$example") >"$output"
}

for path in "$top"/examples/*.c; do
    name=$(basename "$path" .c)
    # Only the shared library has to be found at run time.
    LD_LIBRARY_PATH=$prefix/lib
    export LD_LIBRARY_PATH
    check "$name, shared" build_and_run "$name" "$scratch/shared.out"
    check "$name uses the shared library" sh -c 'ldd "$1" | grep -q libpeck.so.0' - \
        "$scratch/$name"
    unset LD_LIBRARY_PATH
    if [ "$update" = --update ]; then
        cp "$scratch/shared.out" "$top/examples/$name.out"
    fi
    check "$name prints what it should" diff -u "$top/examples/$name.out" "$scratch/shared.out"
    mv "$prefix/lib/libpeck.so" "$scratch/aside"
    check "$name, static" build_and_run "$name" "$scratch/static.out" --static
    check "$name prints the same, static" cmp "$scratch/shared.out" "$scratch/static.out"
    mv "$scratch/aside" "$prefix/lib/libpeck.so"
done
# Headers that are kept: what was built with one works on.  CXX may be missing.
for name in 06_serve 07_metric; do
    as_cxx() {
        # shellcheck disable=SC2046  # words are wanted
        ${CXX:-c++} -std=c++20 -Wall -Wextra -Wno-missing-field-initializers -Werror -x c++ \
            "$top/examples/$name.c" -x none -o "$scratch/cxx" \
            $(pkg-config --cflags --libs peck) -pthread &&
            LD_LIBRARY_PATH=$prefix/lib "$scratch/cxx" >"$scratch/cxx.out" &&
            cmp "$top/examples/$name.out" "$scratch/cxx.out"
    }
    if command -v "${CXX:-c++}" >/dev/null; then
        check "$name, as C++" as_cxx
    fi
done
for header in "$top"/tests/kept/peck-*.h; do
    check "$(basename "$header") is still kept to" \
        python3 "$top/tests/install/layout.py" "$header" "$top/include/peck.h"
done
kept_program() {
    # shellcheck disable=SC2046,SC2086  # words are wanted
    $cc $warn "$top/tests/install/kept.c" -o "$scratch/kept" $(pkg-config --libs peck) &&
        LD_LIBRARY_PATH=$prefix/lib "$scratch/kept" "$scratch" >"$scratch/kept.out" &&
        grep -qx 'second [0-9.]*' "$scratch/kept.out"
}
check "a program of version 0.1 works with this library" kept_program
check "the installed command runs" "$prefix/bin/peck" --version
finish
