#!/bin/sh
# make.sh PECK-TREE -- how the files of this folder were made: by the tree of the day when
# their formats were fixed, built there.  They are kept so that later programs are asked to
# read them; they are not to be made anew.
#
# MODEL.peck with MODEL.scores: what the model makes of data.txt.  METHOD.check with
# METHOD.words, METHOD.sha256 and METHOD.check.scores: a training that was stopped after some
# epochs, how it was called, the model that it ends in when it goes on, and its scores.
#
# Sums are not the same to the last bit with every compiler and processor: same.sh says how
# these files are compared with what is computed now.
set -eu
tree=$1
peck=$tree/build/peck
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$peck" generate web --set queries=14 --set docs=6 --set dim=5 --seed 5 -o data.txt
sed 's/ 2:[^ ]*//' data.txt | head -30 >"$scratch/gaps.txt"

model() { # name, method, settings ...
    name=$1 method=$2
    shift 2
    "$peck" train -q -m "$method" "$@" -o "$name.peck" data.txt >/dev/null
    "$peck" score -q "$name.peck" data.txt -o "$name.scores"
}
model linear ridge
model mlp ranknet --set epochs=3 --set hidden=4
model poly prank --norm query --set epochs=3 --set kernel=quadratic
model planes mhr-bc
model stumps rankboost --set rounds=6
model trees lambdamart --set trees=4 --set leaves=4 --set min_leaf=3
model cmpnn sortnet --norm zscore --set max_iter=1 --set epochs=3 --set hidden=4
model pairforest pairforest --set trees=4 --set leaves=6
model ensemble ranknet --norm minmax --set epochs=2 --set hidden=3 --ensemble 3
model rff ridge --norm query-zscore+rff:dim=8
model lines adarank --set epochs=5 --norm log+zscore
"$peck" blend -q linear.peck trees.peck mlp.peck -o committee.peck >/dev/null
"$peck" score -q committee.peck data.txt -o committee.scores

"$peck" convert -q data.txt data.cache --to cache
"$peck" convert -q "$scratch/gaps.txt" gaps.cache --missing keep --to cache
"$peck" train -q -m lambdamart --set trees=3 --set leaves=3 --set min_leaf=3 \
    --missing keep -o gaps.peck gaps.cache >/dev/null
"$peck" score -q gaps.peck gaps.cache -o gaps.scores

# A program that stops a training after N epochs of its first member.
cat >"$scratch/stop.c" <<'C'
#include <peck.h>
#include <stdio.h>
#include <stdlib.h>

static int stop(void *ctx, const peck_epoch *e)
{
    return e->member == 0 && e->epoch >= (size_t)*(int *)ctx;
}

int main(int argc, char **argv) /* N FILE METHOD MEMBERS SETTING ... */
{
    int n = atoi(argv[1]);
    peck_dataset *d = NULL;
    peck_model *m = NULL;
    peck_error err = { 0 };
    peck_train_spec spec = { .method = argv[3],
                             .settings = (const char *const *)argv + 5,
                             .ensemble = (size_t)atoi(argv[4]),
                             .checkpoint = argv[2],
                             .threads = 1,
                             .seed = 1,
                             .progress = stop,
                             .ctx = &n };

    (void)argc;
    if (peck_dataset_read(&d, "data.txt", NULL, &err) != PECK_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    spec.train = d;
    if (peck_train(&m, &spec, &err) != PECK_STOPPED)
        return fprintf(stderr, "%s: %s\n", argv[3], err.text), 1;
    peck_model_free(m);
    peck_dataset_free(d);
    return 0;
}
C
${CC:-cc} -I"$tree/include" -o "$scratch/stop" "$scratch/stop.c" "$tree/build/libpeck.a" \
    -lz -lzstd -lm -pthread

training() { # epochs, method, settings ...
    n=$1 method=$2
    shift 2
    words="-m $method --seed 1 --ensemble ${members:-1}$(printf -- ' --set %s' "$@")"
    rm -f "$method.check"
    "$scratch/stop" "$n" "$method.check" "$method" "${members:-1}" "$@"
    echo "$words" >"$method.words"
    cp "$method.check" "$scratch/check"
    # shellcheck disable=SC2086  # words are wanted
    "$peck" train -q $words --checkpoint "$scratch/check" --resume -o "$scratch/model" \
        data.txt >/dev/null
    sha256sum <"$scratch/model" | cut -d' ' -f1 >"$method.sha256"
    "$peck" score -q "$scratch/model" data.txt -o "$method.check.scores"
    # Left alone, it ends there too.
    # shellcheck disable=SC2086
    "$peck" train -q $words -o "$scratch/alone" data.txt >/dev/null
    cmp "$scratch/model" "$scratch/alone"
}
training 2 ranknet epochs=5 hidden=4 batch=3
training 2 lambdamart trees=5 leaves=4 min_leaf=3
training 1 pairforest trees=12 leaves=5
training 3 rankboost rounds=7
training 3 frank rounds=7
training 3 adarank epochs=7
training 2 coordinate-ascent epochs=4
training 3 es-rank epochs=6
training 2 prank epochs=5
training 3 ranksvm balance=queries
training 3 mhr-bc balance=queries
training 2 rankprop epochs=5 hidden=3
training 2 sortnet max_iter=4 epochs=3 hidden=4
members=2
training 1 listnet epochs=4 hidden=3
