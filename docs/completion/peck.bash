# Completion of peck(1) for bash, written by `peck help --completion bash`.

_peck() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= head=

    COMPREPLY=()
    # "--format=table" comes in three words.
    if [ "$cur" = = ]; then
        cur=
    elif [ "$prev" = = ] && [ "$COMP_CWORD" -gt 2 ]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='generate convert stats train blend score rank ask decode posteriors eval probe compare cv report rules inspect list help --help --version'
    else
        case "${COMP_WORDS[1]} $prev" in
        'generate --out'|'generate -o') return ;;
        'generate --set') return ;;
        'generate --seed') return ;;
        'generate --to'|'generate -t') words='letor csv tsv cache' ;;
        'convert --to'|'convert -t') words='letor csv tsv cache' ;;
        'convert --shards') return ;;
        'convert --folds') return ;;
        'convert --fold') return ;;
        'convert --part') words='train valid test' ;;
        'convert --seed') return ;;
        'convert --reader') words='cache csv tsv letor' ;;
        'convert --missing') words='error zero mean keep' ;;
        'convert --features') return ;;
        'convert --feature-names') return ;;
        'convert --groups') return ;;
        'convert --query-weights') return ;;
        'convert --label-column') return ;;
        'convert --query-column') return ;;
        'convert --doc-column') return ;;
        'convert --threads') return ;;
        'stats --pairs') return ;;
        'stats --format') words='table tsv csv json latex markdown lines' ;;
        'stats --reader') words='cache csv tsv letor' ;;
        'stats --missing') words='error zero mean' ;;
        'stats --features') return ;;
        'stats --feature-names') return ;;
        'stats --groups') return ;;
        'stats --query-weights') return ;;
        'stats --label-column') return ;;
        'stats --query-column') return ;;
        'stats --doc-column') return ;;
        'stats --threads') return ;;
        'train --method'|'train -m') words='lambdaneuralrank lambdarank ranknet directranker listnet rankprop ridge cmpnn tesauro sortnet ranksvm adarank coordinate-ascent rankboost frank prank oap-bpm es-rank iesr-rank iesvm-rank mhr-bc mart lambdamart pairforest' ;;
        'train --set') return ;;
        'train --norm') words='none zscore minmax log query query-zscore quantile rff' ;;
        'train --metric'|'train -M') words='ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' ;;
        'train --convention'|'train -c') words='standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker' ;;
        'train --valid-split') return ;;
        'train --binarise') return ;;
        'train --ensemble') return ;;
        'train --seed') return ;;
        'train --out'|'train -o') return ;;
        'train --valid') return ;;
        'train --test') return ;;
        'train --pairs') return ;;
        'train --valid-pairs') return ;;
        'train --rules') return ;;
        'train --unlabelled') return ;;
        'train --rules-weight') words='best auto' ;;
        'train --log') return ;;
        'train --checkpoint') return ;;
        'train --memory') return ;;
        'train --scratch') return ;;
        'train --format') words='table tsv csv json latex markdown lines' ;;
        'train --reader') words='cache csv tsv letor' ;;
        'train --missing') words='error zero mean keep' ;;
        'train --features') return ;;
        'train --feature-names') return ;;
        'train --groups') return ;;
        'train --query-weights') return ;;
        'train --label-column') return ;;
        'train --query-column') return ;;
        'train --doc-column') return ;;
        'train --threads') return ;;
        'train --match') words='name position' ;;
        'blend --out'|'blend -o') return ;;
        'blend --blend-weights') words='equal greedy' ;;
        'blend --valid') return ;;
        'blend --metric'|'blend -M') words='ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' ;;
        'blend --convention'|'blend -c') words='standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker' ;;
        'blend --seed') return ;;
        'blend --format') words='table tsv csv json latex markdown lines' ;;
        'blend --reader') words='cache csv tsv letor' ;;
        'blend --missing') words='error zero mean keep' ;;
        'blend --features') return ;;
        'blend --feature-names') return ;;
        'blend --groups') return ;;
        'blend --query-weights') return ;;
        'blend --label-column') return ;;
        'blend --query-column') return ;;
        'blend --doc-column') return ;;
        'blend --threads') return ;;
        'blend --match') words='name position' ;;
        'score --out'|'score -o') return ;;
        'score --reader') words='cache csv tsv letor' ;;
        'score --missing') words='error zero mean keep' ;;
        'score --features') return ;;
        'score --feature-names') return ;;
        'score --groups') return ;;
        'score --query-weights') return ;;
        'score --label-column') return ;;
        'score --query-column') return ;;
        'score --doc-column') return ;;
        'score --threads') return ;;
        'score --match') words='name position' ;;
        'rank --format') words='table tsv trec csv json latex markdown' ;;
        'rank --top'|'rank -k') return ;;
        'rank --classes') return ;;
        'rank --cuts') words='list all' ;;
        'rank --per-query') return ;;
        'rank --decoder'|'rank -d') words='tree fuzzy merge pivot sampled active bt degree championship centrality local' ;;
        'rank --budget') return ;;
        'rank --seed') return ;;
        'rank --rules') return ;;
        'rank --reader') words='cache csv tsv letor' ;;
        'rank --missing') words='error zero mean keep' ;;
        'rank --features') return ;;
        'rank --feature-names') return ;;
        'rank --groups') return ;;
        'rank --query-weights') return ;;
        'rank --label-column') return ;;
        'rank --query-column') return ;;
        'rank --doc-column') return ;;
        'rank --threads') return ;;
        'rank --match') words='name position' ;;
        'ask --top'|'ask -k') return ;;
        'ask --votes') return ;;
        'ask --import') return ;;
        'ask --item-features') return ;;
        'ask --seed') return ;;
        'ask --threads') return ;;
        'ask --voters') return ;;
        'ask --as') return ;;
        'ask --listen') return ;;
        'ask --port') return ;;
        'ask --export'|'ask -e') words='csv json markdown' ;;
        'decode --decoder'|'decode -d') words='tree fuzzy merge pivot sampled active bt degree championship centrality local' ;;
        'decode --budget') return ;;
        'decode --next') return ;;
        'decode --top'|'decode -k') return ;;
        'decode --seed') return ;;
        'decode --threads') return ;;
        'decode --criterion') return ;;
        'decode --format') words='table tsv csv json latex markdown' ;;
        'eval --scores'|'eval -s') return ;;
        'eval --run') return ;;
        'eval --qrels') return ;;
        'eval --per-query') return ;;
        'eval --rules') return ;;
        'eval --metric'|'eval -M') words='ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' ;;
        'eval --convention'|'eval -c') words='standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker' ;;
        'eval --seed') return ;;
        'eval --gain') words='exp linear letor mslr' ;;
        'eval --discount') words='log2 letor' ;;
        'eval --empty') words='zero one skip' ;;
        'eval --empty-weight') words='query one' ;;
        'eval --short') words='pad zero' ;;
        'eval --short-p') words='pad clip zero' ;;
        'eval --ties') words='input random docid worst best' ;;
        'eval --rel') return ;;
        'eval --labels') words='real int binary' ;;
        'eval --unjudged') words='skip zero' ;;
        'eval --depth') return ;;
        'eval --ap') words='all cut' ;;
        'eval --err-max') return ;;
        'eval --top-label') return ;;
        'eval --format') words='table tsv csv json latex markdown lines' ;;
        'eval --reader') words='cache csv tsv letor' ;;
        'eval --missing') words='error zero mean keep' ;;
        'eval --features') return ;;
        'eval --feature-names') return ;;
        'eval --groups') return ;;
        'eval --query-weights') return ;;
        'eval --label-column') return ;;
        'eval --query-column') return ;;
        'eval --doc-column') return ;;
        'eval --threads') return ;;
        'eval --match') words='name position' ;;
        'probe --decoder'|'probe -d') words='tree fuzzy merge pivot sampled active bt degree championship centrality local' ;;
        'probe --budget') return ;;
        'probe --shuffles') return ;;
        'probe --sample') return ;;
        'probe --metric'|'probe -M') words='ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' ;;
        'probe --convention'|'probe -c') words='standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker' ;;
        'probe --seed') return ;;
        'probe --gain') words='exp linear letor mslr' ;;
        'probe --discount') words='log2 letor' ;;
        'probe --empty') words='zero one skip' ;;
        'probe --empty-weight') words='query one' ;;
        'probe --short') words='pad zero' ;;
        'probe --short-p') words='pad clip zero' ;;
        'probe --ties') words='input random docid worst best' ;;
        'probe --rel') return ;;
        'probe --labels') words='real int binary' ;;
        'probe --unjudged') words='skip zero' ;;
        'probe --depth') return ;;
        'probe --ap') words='all cut' ;;
        'probe --err-max') return ;;
        'probe --top-label') return ;;
        'probe --format') words='table tsv csv json latex markdown lines' ;;
        'probe --reader') words='cache csv tsv letor' ;;
        'probe --missing') words='error zero mean keep' ;;
        'probe --features') return ;;
        'probe --feature-names') return ;;
        'probe --groups') return ;;
        'probe --query-weights') return ;;
        'probe --label-column') return ;;
        'probe --query-column') return ;;
        'probe --doc-column') return ;;
        'probe --threads') return ;;
        'probe --match') words='name position' ;;
        'compare --qrels') return ;;
        'compare --metric'|'compare -M') words='ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' ;;
        'compare --convention'|'compare -c') words='standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker' ;;
        'compare --seed') return ;;
        'compare --resamples') return ;;
        'compare --gain') words='exp linear letor mslr' ;;
        'compare --discount') words='log2 letor' ;;
        'compare --empty') words='zero one skip' ;;
        'compare --empty-weight') words='query one' ;;
        'compare --short') words='pad zero' ;;
        'compare --short-p') words='pad clip zero' ;;
        'compare --ties') words='input random docid worst best' ;;
        'compare --rel') return ;;
        'compare --labels') words='real int binary' ;;
        'compare --unjudged') words='skip zero' ;;
        'compare --depth') return ;;
        'compare --ap') words='all cut' ;;
        'compare --err-max') return ;;
        'compare --top-label') return ;;
        'compare --format') words='table tsv csv json latex markdown lines' ;;
        'compare --reader') words='cache csv tsv letor' ;;
        'compare --missing') words='error zero mean keep' ;;
        'compare --features') return ;;
        'compare --feature-names') return ;;
        'compare --groups') return ;;
        'compare --query-weights') return ;;
        'compare --label-column') return ;;
        'compare --query-column') return ;;
        'compare --doc-column') return ;;
        'compare --threads') return ;;
        'compare --match') words='name position' ;;
        'cv --method'|'cv -m') words='lambdaneuralrank lambdarank ranknet directranker listnet rankprop ridge cmpnn tesauro sortnet ranksvm adarank coordinate-ascent rankboost frank prank oap-bpm es-rank iesr-rank iesvm-rank mhr-bc mart lambdamart pairforest' ;;
        'cv --set') return ;;
        'cv --norm') words='none zscore minmax log query query-zscore quantile rff' ;;
        'cv --metric'|'cv -M') words='ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' ;;
        'cv --convention'|'cv -c') words='standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker' ;;
        'cv --valid-split') return ;;
        'cv --binarise') return ;;
        'cv --ensemble') return ;;
        'cv --seed') return ;;
        'cv --folds') return ;;
        'cv --seeds') return ;;
        'cv --grid') return ;;
        'cv --inner') return ;;
        'cv --rules') return ;;
        'cv --unlabelled') return ;;
        'cv --rules-weight') words='best auto' ;;
        'cv --pairs') return ;;
        'cv --blend-weights') words='equal greedy' ;;
        'cv --out-dir'|'cv -o') return ;;
        'cv --report') return ;;
        'cv --format') words='table tsv csv json latex markdown lines' ;;
        'cv --reader') words='cache csv tsv letor' ;;
        'cv --missing') words='error zero mean keep' ;;
        'cv --features') return ;;
        'cv --feature-names') return ;;
        'cv --groups') return ;;
        'cv --query-weights') return ;;
        'cv --label-column') return ;;
        'cv --query-column') return ;;
        'cv --doc-column') return ;;
        'cv --threads') return ;;
        'cv --match') words='name position' ;;
        'report --metric'|'report -M') words='ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' ;;
        'report --focus') return ;;
        'report --baseline') return ;;
        'report --title') return ;;
        'report --resamples') return ;;
        'report --seed') return ;;
        'report --threads') return ;;
        'rules --per-query') return ;;
        'rules --before') return ;;
        'rules --format') words='table tsv csv json latex markdown lines' ;;
        'rules --reader') words='cache csv tsv letor' ;;
        'rules --missing') words='error zero mean keep' ;;
        'rules --features') return ;;
        'rules --feature-names') return ;;
        'rules --groups') return ;;
        'rules --query-weights') return ;;
        'rules --label-column') return ;;
        'rules --query-column') return ;;
        'rules --doc-column') return ;;
        'rules --threads') return ;;
        'rules --match') words='name position' ;;
        'inspect --format') words='table tsv csv json latex markdown lines' ;;
        'list --format') words='table tsv csv json latex markdown' ;;
        'help --completion') words='bash zsh fish' ;;
        *)
            case ${COMP_WORDS[1]} in
            generate)
                words='votes net poly gauss btl topics web'
                case $cur in -*) words='--out --set --seed --to --force --quiet --verbose --help' ;; esac ;;
            convert)
                words=''
                case $cur in -*) words='--to --clicks --shards --force --folds --fold --part --seed --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --quiet --verbose --help' ;; esac ;;
            stats)
                words=''
                case $cur in -*) words='--pairs --skip-bad --list-features --format --json --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --quiet --verbose --help' ;; esac ;;
            train)
                words=''
                case $cur in -*) words='--method --set --norm --alone --metric --convention --valid-split --binarise --ensemble --seed --out --valid --test --pairs --valid-pairs --skip-bad --rules --unlabelled --rules-weight --log --checkpoint --resume --force --memory --scratch --format --json --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            blend)
                words=''
                case $cur in -*) words='--out --blend-weights --valid --alone --metric --convention --seed --force --format --json --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            score)
                words=''
                case $cur in -*) words='--out --force --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            rank)
                words=''
                case $cur in -*) words='--format --json --top --gaps --classes --cuts --per-query --force --decoder --budget --seed --rules --enforce --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            ask)
                words=''
                case $cur in -*) words='--top --votes --import --item-features --plain --seed --threads --web --voters --as --listen --port --no-browser --export --quiet --verbose --help' ;; esac ;;
            decode)
                words=''
                case $cur in -*) words='--decoder --budget --next --top --seed --threads --criterion --skip-bad --format --json --quiet --verbose --help' ;; esac ;;
            posteriors)
                words=''
                case $cur in -*) words='--all-pairs --skip-bad --quiet --verbose --help' ;; esac ;;
            eval)
                words=''
                case $cur in -*) words='--scores --run --qrels --complete --per-query --force --rules --enforce --metric --convention --seed --gain --discount --empty --empty-weight --short --short-p --ties --rel --labels --unjudged --depth --ap --err-max --top-label --format --json --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            probe)
                words=''
                case $cur in -*) words='--decoder --budget --shuffles --sample --metric --convention --seed --gain --discount --empty --empty-weight --short --short-p --ties --rel --labels --unjudged --depth --ap --err-max --top-label --format --json --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            compare)
                words=''
                case $cur in -*) words='--qrels --complete --metric --convention --seed --resamples --gain --discount --empty --empty-weight --short --short-p --ties --rel --labels --unjudged --depth --ap --err-max --top-label --format --json --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            cv)
                words=''
                case $cur in -*) words='--method --set --norm --alone --metric --convention --valid-split --binarise --ensemble --seed --folds --seeds --grid --inner --rules --unlabelled --rules-weight --pairs --skip-bad --blend --blend-weights --out-dir --report --force --format --json --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            report)
                words=''
                case $cur in -*) words='--metric --focus --baseline --title --resamples --seed --threads --force --quiet --verbose --help' ;; esac ;;
            rules)
                words='check eval'
                case $cur in -*) words='--per-query --before --force --format --json --reader --missing --features --feature-names --groups --query-weights --label-column --query-column --doc-column --zero-based --threads --match --quiet --verbose --help' ;; esac ;;
            inspect)
                words=''
                case $cur in -*) words='--diff --importance --weights --format --json --quiet --verbose --help' ;; esac ;;
            list)
                words='methods norms conventions metrics decoders readers writers generators'
                case $cur in -*) words='--format --json --quiet --verbose --help' ;; esac ;;
            help)
                words='generate convert stats train blend score rank ask decode posteriors eval probe compare cv report rules inspect list help lambdaneuralrank lambdarank ranknet directranker listnet rankprop ridge cmpnn tesauro sortnet ranksvm adarank coordinate-ascent rankboost frank prank oap-bpm es-rank iesr-rank iesvm-rank mhr-bc mart lambdamart pairforest none zscore minmax log query query-zscore quantile rff standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau tree fuzzy merge pivot sampled active bt degree championship centrality local cache csv tsv letor letor csv tsv cache votes net poly gauss btl topics web'
                case $cur in -*) words='--all --man --completion --quiet --verbose --help' ;; esac ;;
            esac ;;
        esac
    fi
    # Of a list, "ridge,ra", the last one.
    case $cur in
    *,*) head=${cur%,*}, cur=${cur##*,} ;;
    esac
    # shellcheck disable=SC2207  # no name has a blank
    COMPREPLY=($(compgen -P "$head" -W "$words" -- "$cur"))
}
complete -o default -F _peck peck
