#compdef peck
# Completion of peck(1) for zsh, written by `peck help --completion zsh`.

_peck() {
    local -a verbs
    verbs=(
        'generate:make a synthetic data set of any size'
        'convert:change the format of a data set, or cut it into folds'
        'stats:describe a data set'
        'train:train a model on labelled lists or preferences'
        'blend:make one model of several'
        'score:print a model'\''s score for every document'
        'rank:sort the documents of every query by a model'
        'ask:rank anything by comparing two at a time'
        'decode:rank the items of a list of preferences, without any features'
        'posteriors:make the probabilities of preferences consistent'
        'eval:evaluate a model, scores or a TREC run against labels'
        'probe:measure how consistent the comparisons of a model are'
        'compare:test whether one run is significantly better than another'
        'cv:train and test on every fold, methods side by side'
        'report:show runs on one web page'
        'rules:check rules against data, or count the queries that break them'
        'inspect:describe a model file, or how two differ'
        'list:list the methods, metrics, formats and so on of this build'
        'help:explain a verb, a method, a metric, a setting or anything with a name'
    )
    if (( CURRENT == 2 )); then
        if [[ $PREFIX == -* ]]; then
            compadd -- --help --version
        else
            _describe verb verbs
        fi
        return
    fi
    local verb=$words[2]
    words=("peck-$verb" "${(@)words[3,-1]}")
    (( CURRENT-- ))
    case $verb in
    generate)
        _arguments \
            '*--out=[the file to write]:out:_files' \
            '*-o[the file to write]:out:_files' \
            '*--set=[a setting of the kind, may be repeated]:set:_files' \
            '*--seed=[the same seed gives the same bytes]:seed:_files' \
            '*--to=[the writer to use]:to:(letor csv tsv cache)' \
            '*-t[the writer to use]:to:(letor csv tsv cache)' \
            '*--force[write even over an input or a file of another kind]' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '1:word:(votes net poly gauss btl topics web)' \
            '*:file:_files' ;;
    convert)
        _arguments \
            '*--to=[the writer to use]:to:(letor csv tsv cache)' \
            '*-t[the writer to use]:to:(letor csv tsv cache)' \
            '*--clicks[the labels of IN are click-through rates in 0,1]' \
            '*--shards=[write N files of whole queries, OUT-00001-of-0000N, ..., to be read as one by '\''OUT-*'\'']:shards:_files' \
            '*--force[write even over an input or a file of another kind]' \
            '*--folds=[cut the queries into K folds and write one part]:folds:_files' \
            '*--fold=[which fold, from 1 to K]:fold:_files' \
            '*--part=[which part of the fold]:part:(train valid test)' \
            '*--seed=[seed of the shuffle]:seed:_files' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    stats)
        _arguments \
            '*--pairs=[describe these preferences]:pairs:_files' \
            '*--skip-bad[ignore malformed lines of --pairs and count them]' \
            '*--list-features[only the features]' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    train)
        _arguments \
            '*--method=[what to train]:method:(lambdaneuralrank lambdarank ranknet directranker listnet rankprop ridge cmpnn tesauro sortnet ranksvm adarank coordinate-ascent rankboost frank prank oap-bpm es-rank iesr-rank iesvm-rank mhr-bc mart lambdamart pairforest)' \
            '*-m[what to train]:method:(lambdaneuralrank lambdarank ranknet directranker listnet rankprop ridge cmpnn tesauro sortnet ranksvm adarank coordinate-ascent rankboost frank prank oap-bpm es-rank iesr-rank iesvm-rank mhr-bc mart lambdamart pairforest)' \
            '*--set=[a setting of the method, may be repeated]:set:_files' \
            '*--norm=[how features are scaled, perhaps two views as in quantile+query-zscore]:norm:(none zscore minmax log query query-zscore quantile rff)' \
            '*--alone[score each document by itself, whatever list it comes in]' \
            '*--metric=[the first chooses the best epoch]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*-M[the first chooses the best epoch]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*--convention=[which evaluation convention to follow, perhaps with parts]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*-c[which evaluation convention to follow, perhaps with parts]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*--valid-split=[without validation data]:valid-split:_files' \
            '*--binarise=[train on label >= T instead of the labels]:binarise:_files' \
            '*--ensemble=[how many nets, from different seeds, whose scores are averaged]:ensemble:_files' \
            '*--seed=[the same seed gives the same bytes]:seed:_files' \
            '*--out=[the file to write]:out:_files' \
            '*-o[the file to write]:out:_files' \
            '*--valid=[data that chooses the best epoch]:valid:_files' \
            '*--test=[data to measure the finished model on]:test:_files' \
            '*--pairs=[learn from these preferences between documents of TRAIN, not from its labels]:pairs:_files' \
            '*--valid-pairs=[preferences between documents of --valid]:valid-pairs:_files' \
            '*--skip-bad[ignore malformed lines of --pairs and --valid-pairs]' \
            '*--rules=[what is known of good rankings, as clauses]:rules:_files' \
            '*--unlabelled=[more queries for the rules, which also count in scaling features]:unlabelled:_files' \
            '*--rules-weight=[how much rules count]:rules-weight:(best auto)' \
            '*--log=[one line of JSON per epoch]:log:_files' \
            '*--checkpoint=[file to keep the state for --resume in]:checkpoint:_files' \
            '*--resume[continue from --checkpoint if it exists]' \
            '*--force[write even over an input or a file of another kind]' \
            '*--memory=[how much memory may be taken by what is made of the features, such as 2G or 500M]:memory:_files' \
            '*--scratch=[with --memory]:scratch:_files' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    blend)
        _arguments \
            '*--out=[the file to write the committee to]:out:_files' \
            '*-o[the file to write the committee to]:out:_files' \
            '*--blend-weights=[how much each model counts]:blend-weights:(equal greedy)' \
            '*--valid=[validation data, in any format that is read]:valid:_files' \
            '*--alone[score each document by itself, whatever list it comes in]' \
            '*--metric=[what greedy chooses by]:metric:(ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau)' \
            '*-M[what greedy chooses by]:metric:(ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau)' \
            '*--convention=[which evaluation convention to follow, perhaps with parts]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*-c[which evaluation convention to follow, perhaps with parts]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*--seed=[seed of random ties]:seed:_files' \
            '*--force[write even over an input or a file of another kind]' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    score)
        _arguments \
            '*--out=[the file to write]:out:_files' \
            '*-o[the file to write]:out:_files' \
            '*--force[write even over an input or a file of another kind]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    rank)
        _arguments \
            '*--format=[how to print]:format:(table tsv trec csv json latex markdown)' \
            '*--json[the same as --format json]' \
            '*--top=[only the first K documents]:top:_files' \
            '*-k[only the first K documents]:top:_files' \
            '*--gaps[how far each document is ahead of the next]' \
            '*--classes=[cut every list at its K - 1 largest gaps, peaks first]:classes:_files' \
            '*--cuts=[where --classes cuts]:cuts:(list all)' \
            '*--per-query=[with --enforce]:per-query:_files' \
            '*--force[write even over an input or a file of another kind]' \
            '*--decoder=[how an order comes from comparisons]:decoder:(tree fuzzy merge pivot sampled active bt degree championship centrality local)' \
            '*-d[how an order comes from comparisons]:decoder:(tree fuzzy merge pivot sampled active bt degree championship centrality local)' \
            '*--budget=[maximum number of comparisons per list, for decoders that can choose]:budget:_files' \
            '*--seed=[seed of what a decoder draws]:seed:_files' \
            '*--rules=[rules that every list is to keep]:rules:_files' \
            '*--enforce[take the order nearest to that of the scores that keeps the rules]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    ask)
        _arguments \
            '*--top=[what to find out]:top:_files' \
            '*-k[what to find out]:top:_files' \
            '*--votes=[where answers are kept]:votes:_files' \
            '*--import=[first import old comparisons, in any form that peck decode reads]:import:_files' \
            '*--item-features=[features of the items, by name or by line]:item-features:_files' \
            '*--plain[one line per question, as in a pipe]' \
            '*--seed=[the same seed and answers give the same questions]:seed:_files' \
            '*--threads=[worker threads]:threads:_files' \
            '*--web[ask on a page in the browser, until stopped]' \
            '*-w[ask on a page in the browser, until stopped]' \
            '*--voters=[several people]:voters:_files' \
            '*--as=[in the terminal]:as:_files' \
            '*--listen=[for others in the same network]:listen:_files' \
            '*--port=[0 is any that is free]:port:_files' \
            '*--no-browser[do not open a browser, only print the link]' \
            '*--export=[print the order so far, and ask nothing]:export:(csv json markdown)' \
            '*-e[print the order so far, and ask nothing]:export:(csv json markdown)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    decode)
        _arguments \
            '*--decoder=[how to come to an order, perhaps with settings]:decoder:(tree fuzzy merge pivot sampled active bt degree championship centrality local)' \
            '*-d[how to come to an order, perhaps with settings]:decoder:(tree fuzzy merge pivot sampled active bt degree championship centrality local)' \
            '*--budget=[maximum number of questions, where the decoder can choose]:budget:_files' \
            '*--next=[print the N pairs most worth asking next, not the order]:next:_files' \
            '*--top=[of --next]:top:_files' \
            '*-k[of --next]:top:_files' \
            '*--seed=[the same seed gives the same order]:seed:_files' \
            '*--threads=[worker threads]:threads:_files' \
            '*--criterion=[only this list of PREFS]:criterion:_files' \
            '*--skip-bad[ignore malformed lines of PREFS]' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown)' \
            '*--json[the same as --format json]' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    posteriors)
        _arguments \
            '*--all-pairs[every two items of a list that preferences connect, not those of PREFS alone]' \
            '*--skip-bad[ignore malformed lines of PREFS]' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    eval)
        _arguments \
            '*--scores=[one number per line, in the order of DATA]:scores:_files' \
            '*-s[one number per line, in the order of DATA]:scores:_files' \
            '*--run=[a TREC run]:run:_files' \
            '*--qrels=[TREC judgements]:qrels:_files' \
            '*--complete[a judged query that the run leaves out counts as an empty list]' \
            '*--per-query=[also write every query'\''s own values here]:per-query:_files' \
            '*--force[write even over an input or a file of another kind]' \
            '*--rules=[rules that every list is to keep]:rules:_files' \
            '*--enforce[take the order nearest to that of the scores that keeps the rules]' \
            '*--metric=[what to measure, such as ndcg@10,map]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*-M[what to measure, such as ndcg@10,map]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*--convention=[which evaluation convention to follow]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*-c[which evaluation convention to follow]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*--seed=[random seed]:seed:_files' \
            '*--gain=[what a label is worth]:gain:(exp linear letor mslr)' \
            '*--discount=[of rank i]:discount:(log2 letor)' \
            '*--empty=[a query without a relevant document]:empty:(zero one skip)' \
            '*--empty-weight=[under empty=one NDCG adds 1 times the query'\''s weight, or plain 1]:empty-weight:(query one)' \
            '*--short=[NDCG@k of a list shorter than k]:short:(pad zero)' \
            '*--short-p=[P@k of a list of n < k divides by k, by n, or is 0]:short-p:(pad clip zero)' \
            '*--ties=[equal scores]:ties:(input random docid worst best)' \
            '*--rel=[the lowest label that is relevant]:rel:_files' \
            '*--labels=[labels as they are, cut to integers, or 1 from rel on and 0 below]:labels:(real int binary)' \
            '*--unjudged=[unjudged documents leave the list, or stay in it with label 0]:unjudged:(skip zero)' \
            '*--depth=[the last rank that may be asked for]:depth:_files' \
            '*--ap=[MAP@k divides by all relevant documents, or by at most k]:ap:(all cut)' \
            '*--err-max=[ERR'\''s largest grade]:err-max:_files' \
            '*--top-label=[the largest label exponential gain takes]:top-label:_files' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    probe)
        _arguments \
            '*--decoder=[how an order comes from comparisons]:decoder:(tree fuzzy merge pivot sampled active bt degree championship centrality local)' \
            '*-d[how an order comes from comparisons]:decoder:(tree fuzzy merge pivot sampled active bt degree championship centrality local)' \
            '*--budget=[maximum number of comparisons per list, for decoders that can choose]:budget:_files' \
            '*--shuffles=[orders of the documents to start from]:shuffles:_files' \
            '*--sample=[from a list of more pairs than this, so many pairs and triples are drawn]:sample:_files' \
            '*--metric=[what to measure, such as ndcg@10,map]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*-M[what to measure, such as ndcg@10,map]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*--convention=[which evaluation convention to follow]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*-c[which evaluation convention to follow]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*--seed=[random seed]:seed:_files' \
            '*--gain=[what a label is worth]:gain:(exp linear letor mslr)' \
            '*--discount=[of rank i]:discount:(log2 letor)' \
            '*--empty=[a query without a relevant document]:empty:(zero one skip)' \
            '*--empty-weight=[under empty=one NDCG adds 1 times the query'\''s weight, or plain 1]:empty-weight:(query one)' \
            '*--short=[NDCG@k of a list shorter than k]:short:(pad zero)' \
            '*--short-p=[P@k of a list of n < k divides by k, by n, or is 0]:short-p:(pad clip zero)' \
            '*--ties=[equal scores]:ties:(input random docid worst best)' \
            '*--rel=[the lowest label that is relevant]:rel:_files' \
            '*--labels=[labels as they are, cut to integers, or 1 from rel on and 0 below]:labels:(real int binary)' \
            '*--unjudged=[unjudged documents leave the list, or stay in it with label 0]:unjudged:(skip zero)' \
            '*--depth=[the last rank that may be asked for]:depth:_files' \
            '*--ap=[MAP@k divides by all relevant documents, or by at most k]:ap:(all cut)' \
            '*--err-max=[ERR'\''s largest grade]:err-max:_files' \
            '*--top-label=[the largest label exponential gain takes]:top-label:_files' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    compare)
        _arguments \
            '*--qrels=[TREC judgements, query 0 document label, instead of DATA]:qrels:_files' \
            '*--complete[with --qrels]' \
            '*--metric=[what to compare by, such as ndcg@10,map]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*-M[what to compare by, such as ndcg@10,map]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*--convention=[which evaluation convention to follow]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*-c[which evaluation convention to follow]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*--seed=[random seed]:seed:_files' \
            '*--resamples=[resamples of the bootstrap and of the randomisation test]:resamples:_files' \
            '*--gain=[what a label is worth]:gain:(exp linear letor mslr)' \
            '*--discount=[of rank i]:discount:(log2 letor)' \
            '*--empty=[a query without a relevant document]:empty:(zero one skip)' \
            '*--empty-weight=[under empty=one NDCG adds 1 times the query'\''s weight, or plain 1]:empty-weight:(query one)' \
            '*--short=[NDCG@k of a list shorter than k]:short:(pad zero)' \
            '*--short-p=[P@k of a list of n < k divides by k, by n, or is 0]:short-p:(pad clip zero)' \
            '*--ties=[equal scores]:ties:(input random docid worst best)' \
            '*--rel=[the lowest label that is relevant]:rel:_files' \
            '*--labels=[labels as they are, cut to integers, or 1 from rel on and 0 below]:labels:(real int binary)' \
            '*--unjudged=[unjudged documents leave the list, or stay in it with label 0]:unjudged:(skip zero)' \
            '*--depth=[the last rank that may be asked for]:depth:_files' \
            '*--ap=[MAP@k divides by all relevant documents, or by at most k]:ap:(all cut)' \
            '*--err-max=[ERR'\''s largest grade]:err-max:_files' \
            '*--top-label=[the largest label exponential gain takes]:top-label:_files' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    cv)
        _arguments \
            '*--method=[what to train, such as ridge,ranknet]:method:_sequence compadd - lambdaneuralrank lambdarank ranknet directranker listnet rankprop ridge cmpnn tesauro sortnet ranksvm adarank coordinate-ascent rankboost frank prank oap-bpm es-rank iesr-rank iesvm-rank mhr-bc mart lambdamart pairforest' \
            '*-m[what to train, such as ridge,ranknet]:method:_sequence compadd - lambdaneuralrank lambdarank ranknet directranker listnet rankprop ridge cmpnn tesauro sortnet ranksvm adarank coordinate-ascent rankboost frank prank oap-bpm es-rank iesr-rank iesvm-rank mhr-bc mart lambdamart pairforest' \
            '*--set=[a setting of the method, may be repeated]:set:_files' \
            '*--norm=[how features are scaled, perhaps two views as in quantile+query-zscore]:norm:(none zscore minmax log query query-zscore quantile rff)' \
            '*--alone[score each document by itself, whatever list it comes in]' \
            '*--metric=[the first chooses the best epoch]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*-M[the first chooses the best epoch]:metric:_sequence compadd - ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau' \
            '*--convention=[which evaluation convention to follow, perhaps with parts]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*-c[which evaluation convention to follow, perhaps with parts]:convention:(standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker)' \
            '*--valid-split=[without validation data]:valid-split:_files' \
            '*--binarise=[train on label >= T instead of the labels]:binarise:_files' \
            '*--ensemble=[how many nets, from different seeds, whose scores are averaged]:ensemble:_files' \
            '*--seed=[the same seed gives the same bytes]:seed:_files' \
            '*--folds=[number of folds that the queries of a FILE are split into]:folds:_files' \
            '*--seeds=[train with each of these seeds, such as 1-5 or 1,2,7, on the same folds]:seeds:_files' \
            '*--grid=[values of a setting]:grid:_files' \
            '*--inner=[choose from the grid by K folds of the training data]:inner:_files' \
            '*--rules=[what is known of good rankings, as clauses]:rules:_files' \
            '*--unlabelled=[more queries for the rules, on every fold]:unlabelled:_files' \
            '*--rules-weight=[how much rules count, as in peck train]:rules-weight:(best auto)' \
            '*--pairs=[learn from preferences between documents of FILE, not from its labels]:pairs:_files' \
            '*--skip-bad[ignore malformed lines of --pairs]' \
            '*--blend[one more method, blend]' \
            '*--blend-weights=[of the blend, equal unless set]:blend-weights:(equal greedy)' \
            '*--out-dir=[write DIR/FoldN.scores, DIR/FoldN.peck, DIR/FoldN.queries.tsv and DIR/FoldN.eval.json]:out-dir:_files' \
            '*-o[write DIR/FoldN.scores, DIR/FoldN.peck, DIR/FoldN.queries.tsv and DIR/FoldN.eval.json]:out-dir:_files' \
            '*--report=[write a web page of the results]:report:_files' \
            '*--force[write even over an input or a file of another kind]' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    report)
        _arguments \
            '*--metric=[what ranks the runs]:metric:(ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau)' \
            '*-M[what ranks the runs]:metric:(ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau)' \
            '*--focus=[the run whose queries are looked at one by one]:focus:_files' \
            '*--baseline=[the run that it is compared with there, and that differences on the leaderboard can be shown to]:baseline:_files' \
            '*--title=[what the page is called]:title:_files' \
            '*--resamples=[resamples of the bootstrap and of the randomisation test]:resamples:_files' \
            '*--seed=[random seed of the resamples]:seed:_files' \
            '*--threads=[worker threads]:threads:_files' \
            '*--force[write even over an input or a file of another kind]' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    rules)
        _arguments \
            '*--per-query=[write for each query which rules hold and their penalties]:per-query:_files' \
            '*--before=[eval]:before:_files' \
            '*--force[write even over an input or a file of another kind]' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--reader=[how the data is read]:reader:(cache csv tsv letor)' \
            '*--missing=[what to do with nan and NULL features]:missing:(error zero mean keep)' \
            '*--features=[only these features, by number or name]:features:_files' \
            '*--feature-names=[names of the features, one per line]:feature-names:_files' \
            '*--groups=[how many rows each query has, one number per line, for data without qid]:groups:_files' \
            '*--query-weights=[lines of query weight]:query-weights:_files' \
            '*--label-column=[the label'\''s column of CSV and TSV, by name or by number from 1]:label-column:_files' \
            '*--query-column=[the query'\''s column]:query-column:_files' \
            '*--doc-column=[the document'\''s column]:doc-column:_files' \
            '*--zero-based[LETOR text counts its features from 0]' \
            '*--threads=[worker threads]:threads:_files' \
            '*--match=[how features of model and data are matched]:match:(name position)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '1:word:(check eval)' \
            '*:file:_files' ;;
    inspect)
        _arguments \
            '*--diff[print what differs between two models, and the largest difference of a weight]' \
            '*--importance[print how often a model of trees or steps asks about each feature, and that feature'\''s share of what all questions gained in training]' \
            '*--weights[print the weight of each feature, of a linear model]' \
            '*--format=[how to print]:format:(table tsv csv json latex markdown lines)' \
            '*--json[the same as --format json]' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '*:file:_files' ;;
    list)
        _arguments \
            '*--format=[how to print]:format:(table tsv csv json latex markdown)' \
            '*--json[the same as --format json]' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '1:word:(methods norms conventions metrics decoders readers writers generators)' \
            '*:file:_files' ;;
    help)
        _arguments \
            '*--all[print all help there is]' \
            '*--man[print a verb'\''s man page]' \
            '*--completion=[print a script that lets this shell complete verbs, options and names]:completion:(bash zsh fish)' \
            '*--quiet[errors only]' \
            '*-q[errors only]' \
            '*--verbose[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*-v[also print every part of the convention, and threads, seed, time and memory at the end]' \
            '*--help[this text]' \
            '*-h[this text]' \
            '1:word:(generate convert stats train blend score rank ask decode posteriors eval probe compare cv report rules inspect list help lambdaneuralrank lambdarank ranknet directranker listnet rankprop ridge cmpnn tesauro sortnet ranksvm adarank coordinate-ascent rankboost frank prank oap-bpm es-rank iesr-rank iesvm-rank mhr-bc mart lambdamart pairforest none zscore minmax log query query-zscore quantile rff standard letor2 letor3 letor4 mslr trec ranklib lightgbm directranker ndcg meanndcg dcg map p recall mrr err pairacc pairacc-query pairerr pairerr-query tau tree fuzzy merge pivot sampled active bt degree championship centrality local cache csv tsv letor letor csv tsv cache votes net poly gauss btl topics web)' \
            '*:file:_files' ;;
    esac
}

_peck "$@"
