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

if [ "$how" = --all ]; then
    counts="1 2 3 4 7" threads="1 2 5"
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
ranks 1 sh -c "cd here && exec \"$ranked\" eval ../trees.peck d.txt" : \
    -n 1 sh -c "cd there && exec \"$ranked\" eval ../trees.peck d.txt" >out 2>err
fails "ranks that see different files" "different data"

# A rank that dies: the others end within seconds, and rank 0 says so, or mpirun does, who may
# end it before its words arrive.
quiet=
# shellcheck disable=SC2016  # for the shell of each rank
ranks 3 sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$0" "$@"' "$ranked" cv -q -m lambdamart \
    --set trees=100000 --set patience=0 --folds 3 all.txt >out 2>err &
run=$!
# Ready is a rank that would hear of its end: it catches SIGTERM, the 15th signal.
is_ready() { # RANK
    [ -s "pid.$1" ] || return 1
    caught=$(sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$(cat "pid.$1")/status" 2>/dev/null)
    [ $((0x${caught:-0} & 0x4000)) -ne 0 ]
}
for _ in $(seq 60); do
    is_ready 0 && is_ready 2 && break
    sleep 1
done
sleep 1
began=$(date +%s)
kill -9 "$(cat pid.2)"
wait "$run"
code=$?
[ $code -ne 0 ] && [ $(($(date +%s) - began)) -le 20 ] && grep -q -e "lost a process" -e "process rank 2 " err
check "a rank that dies: exit $code" $?

echo "mpi: $n cases, $bad failed"
[ "$bad" -eq 0 ]
