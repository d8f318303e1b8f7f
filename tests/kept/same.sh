# same.sh -- to be read by a shell that has $PECK and $DATA: whether what is computed now is
# what the kept files hold.
#
# Where this build on this machine trains the kept net, line and random features to the last
# bit, all else must agree to the last bit too.  Otherwise scores must be close.
kept=$DATA/../kept

is_exact() {
    "$PECK" train -q -m ranknet --set epochs=3 --set hidden=4 -o e.peck "$kept/data.txt" > e.log &&
        cmp -s e.peck "$kept/mlp.peck" &&
        "$PECK" train -q -m ridge --norm query-zscore+rff:dim=8 -o e.peck "$kept/data.txt" > e.log &&
        cmp -s e.peck "$kept/rff.peck" &&
        "$PECK" train -q $(cat "$kept/sortnet.words") -o e.peck "$kept/data.txt" > e.log &&
        [ "$(sum_of e.peck)" = "$(cat "$kept/sortnet.sha256")" ]
}

sum_of() { sha256sum < "$1" | cut -d' ' -f1; }

# Two files of scores: every line within a thousandth of the range.
close() {
    paste "$1" "$2" | awk '
        { a[NR] = $1; b[NR] = $2; if (NR == 1 || $2 < low) low = $2; if (NR == 1 || $2 > high) high = $2 }
        END { for (i = 1; i <= NR; i++) { d = a[i] - b[i]; if (d < 0) d = -d
              if (a[i] == "" || b[i] == "" || d > 0.001 * (high - low)) exit 1 } exit NR == 0 }'
}

exact=no
is_exact && exact=yes

# name, scores now, scores kept
same_scores() {
    if [ $exact = yes ]; then cmp "$2" "$3"; else close "$2" "$3"; fi && echo "$1: same"
}
