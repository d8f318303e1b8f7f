#!/bin/sh
# mpi.sh PECK PECK_MPI [--all] -- the same bytes from any number of ranks and threads, from one
# file, from text and from parts; and one sentence, no hang, where a run of ranks goes wrong.
#
# Short: 2 and 3 ranks.  --all: 1, 2, 3, 4 and 7 ranks, 1, 2 and 5 threads.  Skipped, and said
# so, where there is no mpirun or no peck-mpi.

set -u
peck=$(realpath "$1")
if ! command -v mpirun >/dev/null || [ ! -x "$2" ]; then
    echo "skipped: no mpirun, or no peck-mpi (make MPI=1, with Debian's libopenmpi-dev)"
    echo "mpi: 1 cases, 0 failed, 1 skipped"
    exit 0
fi
ranked=$(realpath "$2")
how=${3:---short}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

n=0 bad=0 quiet=--quiet
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# Ranks share few cores here: those who wait must not spin.
ranks() { # RANKS COMMAND ...
    count=$1
    shift
    # shellcheck disable=SC2086  # a word or none
    timeout 120 mpirun $quiet --oversubscribe --bind-to none --mca btl self,vader \
        --mca btl_vader_single_copy_mechanism none --mca mpi_yield_when_idle 1 -n "$count" "$@"
}

check() { # what, condition's exit status
    n=$((n + 1))
    if [ "$2" -ne 0 ]; then
        bad=$((bad + 1))
        echo "FAILED: $1"
        sed 's/^/    /' err 2>/dev/null | tail -5
    fi
}

# The data: 60 queries, a few features.
"$peck" generate web --set queries=60 --set docs=12 --set dim=9 --seed 4 -o all.txt -q 2>err
"$peck" convert all.txt all.safetensors -q && "$peck" convert all.txt part.safetensors --shards 5 -q
check "data for ranks" $?

# Every kind of work that ranks share; the others differ in the loss alone.
methods="lambdamart:trees=5 mart:trees=5 ranknet:epochs=3 cmpnn:epochs=2 sortnet:max_iter=2 ridge:norm=zscore ranksvm:c=1 rankprop:epochs=3"
if [ "$how" = --all ]; then
    counts="1 2 3 4 7" threads="1 2 5"
    methods="$methods lambdarank:epochs=3 lambdaneuralrank:epochs=3 listnet:epochs=3 directranker:epochs=3"
    methods="$methods tesauro:epochs=2"
else
    counts="2 3" threads="1"
fi
set -f # the program, not the shell, finds the parts

# A model that scores and one that compares.
"$peck" train -q -m lambdamart --set trees=5 -o trees.peck all.txt >out 2>err &&
    "$peck" train -q -m cmpnn --set epochs=2 -o duels.peck all.txt >out 2>err
check "models" $?
for model in trees duels; do
    "$peck" score $model.peck all.txt -o want.scores -q 2>err
    "$peck" eval $model.peck all.txt --per-query want.tsv -q --format lines >want.eval 2>err
    for count in $counts; do
        for t in $threads; do
            for data in all.txt all.safetensors 'part-*.safetensors'; do
                rm -f got.scores got.tsv
                ranks "$count" "$ranked" score $model.peck "$data" --threads "$t" -o got.scores -q >out 2>err
                cmp -s want.scores got.scores
                check "score $model: $count ranks, $t threads, $data" $?
                ranks "$count" "$ranked" eval $model.peck "$data" --threads "$t" --per-query got.tsv -q \
                    --format lines >got.eval 2>err
                cmp -s want.eval got.eval && cmp -s want.tsv got.tsv
                check "eval $model: $count ranks, $t threads, $data" $?
            done
        done
    done
done

# Rules look at the features of all queries.
echo 'first: exists d : top(3, d) and d.f1 > 1' >first.rules
"$peck" eval trees.peck all.txt --rules first.rules --enforce -q --format lines >want.eval 2>err
ranks 2 "$ranked" eval trees.peck all.txt --rules first.rules --enforce -q --format lines >got.eval 2>err
cmp -s want.eval got.eval && [ -s got.eval ]
check "eval --enforce: 2 ranks" $?

# One training, shared.
for m in $methods; do
    what="-q -m ${m%%:*} --set ${m#*:}"
    # shellcheck disable=SC2086  # options are words
    "$peck" train $what -o want.peck all.txt >want.report 2>err
    check "train $m" $?
    for count in $counts; do
        for t in $threads; do
            for data in all.txt all.safetensors 'part-*.safetensors'; do
                rm -f got.peck
                # shellcheck disable=SC2086
                ranks "$count" "$ranked" train $what -o got.peck "$data" --threads "$t" --format lines >got.report 2>err
                cmp -s want.peck got.peck && cmp -s want.report got.report
                check "train $m: $count ranks, $t threads, $data" $?
            done
        done
    done
done

# What else data can be: validation and test data of their own, preferences, weights of queries.
"$peck" generate web --set queries=20 --set docs=12 --set dim=9 --seed 5 -o more.txt -q 2>err
awk '/^[0-9]/ { q = substr($2, 5); row = q == last ? row + 1 : 0
       if (row > 0 && $1 != label) print q "," ($1 > label ? row "," row - 1 : row - 1 "," row)
       last = q; label = $1 }' all.txt | sed '1i query,winner,loser' >pairs.csv
for what in "-m lambdamart --set trees=5 --valid more.txt --test more.txt --log got.log" \
    "-m ranknet --set epochs=3 --ensemble 2 --alone --valid more.txt --binarise 2" \
    "-m ranknet --set epochs=3 --pairs pairs.csv" "-m cmpnn --set epochs=2 --pairs pairs.csv" \
    "-m lambdamart --set trees=5 --memory 1M --scratch ."; do
    # shellcheck disable=SC2086
    "$peck" train -q $what -o want.peck all.txt >want.report 2>err
    check "train $what" $?
    for count in $counts; do
        rm -f got.peck got.log
        # shellcheck disable=SC2086
        ranks "$count" "$ranked" train -q $what -o got.peck all.txt --format lines >got.report 2>err
        cmp -s want.peck got.peck && [ "$(grep -v ^peak want.report)" = "$(grep -v ^peak got.report)" ] &&
            { [ "${what%got.log}" = "$what" ] || [ "$(wc -l <got.log)" -eq 5 ]; }
        check "train $what: $count ranks" $?
    done
done

# cv deals whole trainings; parts are one dataset to peck alone, too.
options="-m ridge,lambdamart --folds 3 --set trees=3 --grid min_leaf=5,20 --blend --format lines"
# shellcheck disable=SC2086  # options are words
"$peck" cv -q $options all.txt --out-dir want.cv >want.table 2>err
for count in $counts; do
    rm -rf got.cv
    # shellcheck disable=SC2086
    ranks "$count" "$ranked" cv -q $options 'part-*.safetensors' --out-dir got.cv >got.table 2>err
    cmp -s want.table got.table && diff -r -x '*.json' want.cv got.cv >/dev/null
    check "cv: $count ranks" $?
done
"$peck" train -q -m lambdamart --set trees=5 -o parts.peck 'part-*.safetensors' >out 2>err && cmp -s trees.peck parts.peck
check "a model of parts" $?

# What goes wrong: one sentence, and not after minutes.
fails() { # label, words of the sentence; the exit status of the command is $?
    code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ] && grep -q "$2" err && [ "$(grep -c '^peck' err)" -eq 1 ]
    check "$1: exit $code" $?
}
"$peck" generate web --set queries=3 --set docs=5 --set dim=9 -o few.txt -q 2>err
for m in lambdamart:trees=3 ranknet:epochs=2 sortnet:max_iter=1 ridge:norm=zscore; do
    what="-q -m ${m%%:*} --set ${m#*:}"
    # shellcheck disable=SC2086
    "$peck" train $what -o want.peck few.txt >out 2>err && ranks 7 "$ranked" train $what -o got.peck few.txt >out 2>err
    cmp -s want.peck got.peck
    check "train $m: ranks without a query" $?
done
"$peck" score trees.peck few.txt -o want.scores -q && ranks 7 "$ranked" score trees.peck few.txt -o got.scores -q 2>err
cmp -s want.scores got.scores
check "ranks without a query" $?
ranks 2 "$ranked" stats -q all.txt >out 2>err
fails "a verb of one machine" "runs on one machine"
ranks 2 "$ranked" train -q -m rankboost -o x.peck all.txt >out 2>err
fails "a method of one machine" "trains on one machine"
ranks 3 "$ranked" score trees.peck missing.txt >out 2>err
fails "a file that is not there" "missing.txt"
ranks 3 "$ranked" score trees.peck all.txt -q -o /dev/full >out 2>err
fails "a full disk on rank 0" "/dev/full"
mkdir -p here there && cp all.txt here/d.txt && "$peck" convert all.txt there/d.txt --folds 2 -q
for what in "eval ../trees.peck d.txt" "train -m lambdamart -o m.peck d.txt"; do
    ranks 1 sh -c "cd here && exec \"$ranked\" $what" : -n 1 sh -c "cd there && exec \"$ranked\" $what" >out 2>err
    fails "ranks that see different files: $what" "different data"
done
what="-q -m lambdamart --set trees=5"
# shellcheck disable=SC2086
ranks 3 "$ranked" train $what -o /dev/full all.txt >out 2>err
fails "a model on a full disk" "/dev/full"
# shellcheck disable=SC2086
ranks 3 "$ranked" train $what -o got.peck --checkpoint /dev/full all.txt >out 2>err
fails "a checkpoint on a full disk" "/dev/full"
cmp -s trees.peck got.peck
check "a checkpoint on a full disk: the model" $?

# A rank that dies: the others end within seconds, and rank 0 says so.
quiet=
# Ready is a rank that would hear of its end: it catches SIGTERM, the 15th signal.
is_ready() { # RANK
    [ -s "pid.$1" ] || return 1
    caught=$(sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$(cat "pid.$1")/status" 2>/dev/null)
    [ $((0x${caught:-0} & 0x4000)) -ne 0 ]
}
# Three ranks, the last of which is killed once all are at work: then there is a checkpoint, if
# there is to be one.
dies() { # label, checkpoint or "", command
    label=$1 checkpoint=$2
    shift 2
    rm -f pid.?
    # shellcheck disable=SC2016  # for the shell of each rank
    ranks 3 sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$0" "$@"' "$ranked" "$@" >out 2>err &
    run=$!
    for _ in $(seq 1200); do
        is_ready 0 && is_ready 2 && { [ -z "$checkpoint" ] || [ -s "$checkpoint" ]; } && break
        sleep 0.05
    done
    [ -n "$checkpoint" ] || sleep 1
    began=$(date +%s)
    kill -9 "$(cat pid.2)"
    wait "$run"
    code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ] && [ $(($(date +%s) - began)) -le 20 ] &&
        grep -q "lost a process" err && [ "$(grep -c '^peck' err)" -eq 1 ]
    check "$label: exit $code" $?
}
dies "a rank that dies" "" cv -q -m lambdamart --set trees=100000 --set patience=0 --folds 3 all.txt

# It dies in training: any number of ranks goes on from the checkpoint, which one folder has.
for m in lambdamart:trees=1000 ranknet:epochs=1000 sortnet:max_iter=200; do
    what="-q -m ${m%%:*} --set ${m#*:} --set patience=0"
    # shellcheck disable=SC2086
    "$peck" train $what -o want.peck all.txt >want.report 2>err
    rm -f got.peck kept
    # shellcheck disable=SC2086
    dies "a rank that dies: train $m" kept train $what -o got.peck --checkpoint kept all.txt
    [ ! -e got.peck ] && [ -z "$(find . -name 'kept?*')" ]
    check "a rank that dies: train $m leaves no half files" $?
    for count in 1 2 3; do
        run=ranks\ $count\ $ranked
        [ $count -gt 1 ] || run=$peck
        rm -f got.peck here/kept && cp kept here/kept && cp all.txt there/d.txt
        # shellcheck disable=SC2086
        (cd here && $run train $what -o ../got.peck --checkpoint kept --resume d.txt --format lines >../got.report 2>../err)
        cmp -s want.peck got.peck && cmp -s want.report got.report
        check "resume $m: $count ranks" $?
    done
done
quiet=--quiet
cp kept here/kept
ranks 1 sh -c "cd here && exec \"$ranked\" train $what -o ../got.peck --checkpoint kept --resume d.txt" : \
    -n 1 sh -c "cd there && exec \"$ranked\" train $what -o ../got.peck --checkpoint kept --resume d.txt" >out 2>err
cmp -s want.peck got.peck && [ ! -e there/kept ]
check "resume from a checkpoint that rank 0 alone has" $?
head -c 300 kept >cut
# shellcheck disable=SC2086
ranks 3 "$ranked" train $what -o got.peck --checkpoint cut --resume all.txt >out 2>err
fails "a checkpoint that was cut off" "cut off or damaged"

echo "mpi: $n cases, $bad failed"
[ "$bad" -eq 0 ]
