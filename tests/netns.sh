#!/bin/sh
# netns.sh PECK PECK_MPI -- two hosts, each in a network namespace of its own, that train together
# over TCP: the same bytes as one process.
#
# Namespaces and addresses are made here and are seen by nobody else; they go when this ends.
# There is no ssh in them: mpirun starts its daemon on a host by `ip netns exec`.  Skipped, and
# said so, where namespaces may not be made, or there is no mpirun or peck-mpi.

set -u
peck=$(realpath "$1")
skip() {
    echo "skipped: $1"
    echo "netns: 1 cases, 0 failed, 1 skipped"
    exit 0
}
command -v mpirun >/dev/null && [ -x "$2" ] || skip "no mpirun, or no peck-mpi (make MPI=1, with Debian's libopenmpi-dev)"
ranked=$(realpath "$2")
dir=$(mktemp -d)
first=peck-$$-a second=peck-$$-b
clean() {
    ip netns del $first 2>/dev/null
    ip netns del $second 2>/dev/null
    rm -rf "$dir"
}
trap clean EXIT
trap 'exit 130' INT TERM
cd "$dir" || exit 1

# A cable between the two: 10.77.0.1 and 10.77.0.2.
{ ip netns add $first && ip netns add $second; } 2>/dev/null || skip "network namespaces may not be made here"
ip -n $first link add cable type veth peer name cable netns $second 2>/dev/null || skip "no veth in this kernel"
ip -n $first addr add 10.77.0.1/24 dev cable
ip -n $second addr add 10.77.0.2/24 dev cable
for host in $first $second; do
    ip -n $host link set lo up
    ip -n $host link set cable up
done

# The words of the daemon come as ssh would get them: a host, and a line for its shell.  Each
# namespace has a host name of its own.
cat >agent <<EOT
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
shift
exec ip netns exec $second unshare --uts sh -c "hostname second; \$*"
EOT
chmod +x agent

n=0 bad=0
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
hosts() { # RANKS COMMAND ...: every other rank on each host
    count=$1
    shift
    timeout 300 ip netns exec $first unshare --uts sh -c 'hostname first; exec "$@"' sh \
        mpirun --quiet --oversubscribe --bind-to none --map-by node --host 10.77.0.1:8,10.77.0.2:8 \
        --mca plm rsh --mca plm_rsh_agent "$dir/agent" --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --mca mpi_yield_when_idle 1 -n "$count" "$@"
}
check() { # what, condition's exit status
    n=$((n + 1))
    if [ "$2" -ne 0 ]; then
        bad=$((bad + 1))
        echo "FAILED: $1"
        sed 's/^/    /' err 2>/dev/null | tail -5
    fi
}

hosts 4 hostname >out 2>err
[ "$(sort out | uniq -c | tr -s ' \n' ' ')" = " 2 first 2 second " ]
check "two hosts" $?
"$peck" generate web --set queries=60 --set docs=12 --set dim=9 --seed 4 -o all.txt -q 2>err
"$peck" convert all.txt all.safetensors -q
for m in lambdamart:trees=5 mart:trees=5 ranknet:epochs=3 cmpnn:epochs=2 sortnet:max_iter=2 ridge:norm=zscore ranksvm:c=1; do
    what="-q -m ${m%%:*} --set ${m#*:}"
    # shellcheck disable=SC2086  # options are words
    "$peck" train $what -o want.peck all.txt >out 2>err
    for count in 2 3; do
        rm -f got.peck
        # shellcheck disable=SC2086
        hosts $count "$ranked" train $what --threads 1 -o got.peck all.safetensors >out 2>err
        cmp -s want.peck got.peck
        check "train $m: $count ranks on two hosts" $?
    done
done

# A host that is lost: all ends within seconds, with one sentence and a checkpoint to go on from.
what="-q -m lambdamart --set trees=2000 --set patience=0 --threads 1"
# shellcheck disable=SC2086
"$peck" train $what -o want.peck all.txt >out 2>err
# shellcheck disable=SC2086
hosts 2 "$ranked" train $what -o got.peck --checkpoint kept all.safetensors >out 2>err &
run=$!
for _ in $(seq 1200); do
    [ -s kept ] && break
    sleep 0.05
done
began=$(date +%s)
# shellcheck disable=SC2046  # as many as there are
kill -9 $(ip netns pids $second)
wait $run
code=$?
[ $code -ne 0 ] && [ $code -ne 124 ] && [ $(($(date +%s) - began)) -le 20 ] && grep -q "^peck" err
check "a host that is lost: exit $code" $?
# shellcheck disable=SC2086
"$peck" train $what -o got.peck --checkpoint kept --resume all.txt >out 2>err
cmp -s want.peck got.peck
check "one machine goes on" $?

echo "netns: $n cases, $bad failed"
[ "$bad" -eq 0 ]
