/* files.h -- the small files that operations read. */
#ifndef FILES_H
#define FILES_H

static const struct file {
    const char *name, *text;
} files[] = {
    { "data.txt", "# 1 bm25\n# 2 age\n"
                  "1 qid:a 1:1 2:3 #docid = d0\n0 qid:a 2:4 #docid = d1\n"
                  "2 qid:a 1:0.25 2:1e-7 #docid = d2\n? qid:b 1:7 2:1 #docid = d3\n"
                  "3 qid:b 1:123456.789 2:0 #docid = d4\n0 qid:b 2:2 #docid = d5\n" },
    { "scattered.txt",
      "1 qid:a 1:1\n0 qid:b 1:2\n2 qid:a 1:3\n0 qid:c 1:4\n1 qid:b 1:9\n" },
    { "missing.txt", "1 qid:a 1:nan 2:1\n0 qid:a 1:2 2:NULL\n" },
    { "sized.txt", "1 1:1\n0 1:2\n2 1:3\n" },
    { "sized.txt.query", "1\n2\n" },
    { "names.txt", "1 bm25\n2 age\n" },
    { "weights.txt", "a 2\nb 0.5\n" },
    { "data.csv", "label,query,doc,weight,query_weight,f1,\"f,2\"\n1,a,x,1,2,0.5,3\n"
                  "0,a,\"y \"\"q\"\"\",2,2,1,4\n2,b,z,1,1,7,8\n" },
    { "turned.csv", "label,query,new,age,bm25\n1,a,9,3,1\n0,a,8,4,0\n2,b,7,1,7\n" },
    { "data.tsv", "label\tquery\tf1\n1\ta\t0.5\n0\tb\t1\n1\ta\t0.5\n" },
    { "scores.txt", "1\n2\n3\n4\n5\n6\n" },
    { "prefs.csv", "query,winner,loser,probability,weight\na,d0,d1,0.75,2\nb,d4,d3,1,1\n" },
    { "data.pairs", "0\t1\n2\t1\t0.5\n" },
    { "data.grouped_pairs", "a\t0\t1\nb\t1\t0\t2\n" },
    { "alone.csv", "winner,loser,wins,losses\nann,bob,7,3\nbob,cy,5,5\n" },
    { "votes.csv", "taste;a;b;1,-1,0\nsize;b;c;1\n" },
    { "skip.csv", "winner,loser,wins,losses\nann,bob,x,3\nbob,cy,5,5\n" },
    { "a.rules", "define fresh(d) := d.age < 3\n"
                 "a: forall q | exists d : fresh(d) : exists d : top(1, d) and fresh(d)\n"
                 "b: (forall d : d.bm25 > 0) iff exists d, e : before(d, e) all mean\n" },
    { "clash.rules", "a: exists d : top(1, d) and d.age > 2\n"
                     "b: forall d : top(1, d) implies d.age <= 2\n"
                     "c: forall d, e : d.bm25 > e.bm25 implies before(d, e)\n"
                     "d: forall d, e : d.bm25 > e.bm25 implies before(e, d)\n"
                     "e: exists d, e, g : before(d, e) and before(e, g) and g.age > 1\n" },
    { "model.log",
      "{\"member\": 0, \"epoch\": 1, \"loss\": 1, \"valid\": 0.5, \"best\": true, "
      "\"train\": 0.4, \"train_pairs\": 3, \"valid_pairs\": 2}\n"
      "{\"member\": 0, \"epoch\": 2, \"loss\": 0.5, \"valid\": 0.4, \"best\": false, "
      "\"train\": 0.6, \"train_pairs\": 5, \"valid_pairs\": 2}\n" },
    { "model.queries.tsv",
      "query\tndcg@1\tndcg@2\tndcg@10\na\t1\t0.5\t0.25\nb\t-\t0\t0.75\n" },
    { "other.queries.tsv", "query\tndcg@1\tndcg@2\tndcg@10\na\t0\t0\t1\nb\t1\t1\t0.5\n" },
    { "other.rules.json", "{\"broken\": 1, \"notes\": {\"convention\": \"standard: a\"},\n"
                          "\"tables\": {\"rules\": [{\"rule\": \"r\", \"queries\": 2, "
                          "\"hold\": 1, \"penalty\": 0.5}]}}" },
    { "sorting.decoders.tsv", "decoder\tquestions\terror\ntree\t100\t0.25\n"
                              "tree\t10\t0.5\npivot\t50\t0.125\n" },
    { "rates.csv", "label,query,f1\n0.5,a,1\n0.9,a,2\n" },
    { "run.txt", "q1 Q0 d1 1 3.5 me\nq1 Q0 d2 2 1 me\nq2 Q0 d9 1 -4 me\n" },
    { "qrels.txt", "q1 0 d1 2\nq1 0 d3 1\nq1 0 d2 0\nq3 0 d1 1\n" },
};

#endif
