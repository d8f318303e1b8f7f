"""DirectRanker, Fig. 3: the output between neighbours of a sorted list finds the classes.

Koeppel et al. 2019, section 5.3: in a list that the net has sorted, its output r of a
document and the next one peaks where the relevance class changes, so that classes can be told
apart without labels; on MSLR-WEB10K less clearly than on synthetic data, and relatively well
even where labels were binarised.  The paper shows three lists; here all lists are measured,
and three are shown.

(a) Gaussian classes as in Fig. 2: 1,000 lists to train on and 50 to test, of 100 documents, for
each of three data sets.  (b) mslr-sample, a piece of MSLR-WEB30K: 54 queries to train on, 18
to test, five classes; (c) the same with labels of 2 and more as 1 and others as 0.  It is a
hundredth of the paper's data and its orders are poor: with labels binarised the outputs do
not peak at the boundary at all.

`peck rank --gaps --classes N` cuts a list at the N - 1 largest outputs that are not below those
on either side, so that two large ones in a row part two classes and not three; N is the number
of classes that the list has.  A true boundary is where the class would change if the order
were perfect.  r at boundaries is the largest one within two ranks of each, over the mean of
the list; it is the largest of five and thus above 1 anywhere, so the same at random ranks
stands beside it.  Accuracy is the share of documents whose class is found: by those cuts; by
equal parts, a guess without labels, though a good one on (a), whose classes are of about one
size; and by the true sizes of the classes, the best that can be asked of that order.

The paper proposes a classifier, the net's score and thresholds on it, which the peaks find
without labels.  `rank --cuts all` has one set of thresholds for all lists: the medians of the
cuts of the lists, each counting by its r.  `--cuts FILE` has those that part the labels of the
training data best.  Both know how many classes there are in all and nothing of a list: also
lists of one class are judged.  The share of the largest class is what a guess would have.

Recipe: `directranker` with preset=paper, whose last layer has a unit for each class; on (a) 20
epochs.
"""
import gzip
import json
import random

from common import Experiment, mean

NEAR = 2  # ranks from a boundary
PAPER_A, PAPER_B = "(a) synthetic, 5 classes", "(b) mslr-sample, 5 classes"
PAPER_C = "(c) mslr-sample, binarised"


def labels_of(path, relevant_from):
    """{query: [class of each document]}; relevant_from: binarise, unless 0."""
    found = {}
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for words in (line.split(" ", 2) for line in lines if line[0] != "#"):
            label = int(words[0])
            found.setdefault(words[1][4:], []).append(
                int(label >= relevant_from) if relevant_from else label)
    return found


class List:
    """One query in the order found, best first.  classes: the true ones, 1 is the best;
    found: those between the largest outputs; gaps[i]: r of documents i and i + 1."""

    def __init__(self, labels, ranked):
        grades = sorted(set(labels), reverse=True)
        self.labels = [labels[d["document"]] for d in ranked]
        self.classes = [1 + grades.index(y) for y in self.labels]
        self.found = [d["class"] for d in ranked]
        self.gaps = [d["gap"] for d in ranked[:-1]]
        self.n_classes = len(grades)
        ideal = sorted(self.classes)
        self.boundaries = [i for i, (a, b) in enumerate(zip(ideal, ideal[1:])) if a != b]
        self.cuts = [i for i, (a, b) in enumerate(zip(self.found, self.found[1:])) if a != b]

    def height(self, places):
        """The largest r near each of the places, over the mean of the list."""
        return mean(max(self.gaps[max(0, i - NEAR):i + NEAR + 1]) for i in places) / mean(
            self.gaps)

    def measures(self, rng):
        n, ideal = len(self.classes), sorted(self.classes)
        equal_parts = [1 + i * self.n_classes // n for i in range(n)]
        somewhere = rng.sample(range(len(self.gaps)), len(self.boundaries))
        return [self.height(self.boundaries), self.height(somewhere),
                *(mean(any(abs(i - c) <= k for c in self.cuts) for i in self.boundaries)
                  for k in (0, NEAR)),
                *(mean(a == b for a, b in zip(self.classes, guess))
                  for guess in (self.found, equal_parts, ideal))]


def ranked_by(e, model, data, *words):
    """{query: its documents as `peck rank` prints them}"""
    out = e.peck("rank", e.path(model), data, *words, "--format", "json")
    return {q["query"]: q["documents"] for q in map(json.loads, out.splitlines())}


def binarised(e, source, relevant_from):
    """A file of the same documents whose labels are 0 and 1."""
    target = e.path("binarised.txt")
    with gzip.open(source, "rt") as lines, open(target, "w") as out:
        for line in lines:
            label, _, rest = line.partition(" ")
            out.write(f"{int(int(label) >= relevant_from)} {rest}")
    return target


def classify(e, model, data, train, relevant_from=0):
    """Accuracy over all documents of thresholds for all lists: by gaps, by the labels of the
    training data; the share of the largest class."""
    labels, found = labels_of(data, relevant_from), []
    every = [y for ys in labels.values() for y in ys]
    grades = sorted(set(every), reverse=True)
    for cuts in ("all", train):
        ranked = ranked_by(e, model, data, "--classes", len(grades), "--cuts", cuts)
        found.append(mean(grades[d["class"] - 1] == labels[q][d["document"]]
                          for q, documents in ranked.items() for d in documents))
    return [*found, max(every.count(y) for y in grades) / len(every)]


def lists_of(e, model, data, relevant_from=0):
    """The lists of a file that have more than one class."""
    labels, ranked = labels_of(data, relevant_from), {}
    for n in {len(set(ys)) for ys in labels.values()} - {1}:
        ranked[n] = ranked_by(e, model, data, "--gaps", "--classes", n)
    return [List(ys, ranked[len(set(ys))][query]) for query, ys in labels.items()
            if len(set(ys)) > 1]


def synthetic(e, classes, target):
    shape = {"docs": 100, "classes": classes, "target": target}
    train = e.data("gauss", seed=2 * target, ending=".safetensors",
                   queries=100 if e.quick else 1000, **shape)
    test = e.data("gauss", seed=2 * target + 1, queries=5 if e.quick else 50, **shape)
    model = f"{classes}-{target}.peck"
    run = f"synthetic, {classes} classes/directranker" if target == 1 else None
    e.train("directranker", train, test=test, metric="ndcg@20", model=model, preset="paper",
            epochs=20, run=run)
    return lists_of(e, model, test), classify(e, model, test, train)


def sample(e, relevant_from):
    folder = e.dataset("mslr-sample")
    model = f"mslr-{relevant_from}.peck"
    e.train("directranker", folder + "/train.txt.gz", valid=folder + "/vali.txt.gz",
            test=folder + "/test.txt.gz", metric="ndcg@10", model=model, preset="paper",
            binarise=relevant_from,
            run=f"mslr-sample/{'binarised labels' if relevant_from else 'five labels'}")
    train = folder + "/train.txt.gz"
    if relevant_from:
        train = binarised(e, train, relevant_from)
    return (lists_of(e, model, folder + "/test.txt.gz", relevant_from),
            classify(e, model, folder + "/test.txt.gz", train, relevant_from))


def show(e, title, shown):
    """The largest outputs of one list."""
    table = e.table(f"{title}: one list of {len(shown.labels)} documents, its largest r", [
        "between ranks", "r", "mean label of 5 before", "of 5 after", "to a true boundary"], 3)
    places = sorted(range(len(shown.gaps)), key=lambda i: -shown.gaps[i])[:8]
    for i in sorted(places):
        table.row(f"{i + 1} and {i + 2}", shown.gaps[i],
                  *(mean(part) for part in (shown.labels[max(0, i - 4):i + 1],
                                            shown.labels[i + 1:i + 6])),
                  str(min(abs(i - b) for b in shown.boundaries)))


def main():
    e = Experiment("DirectRanker, Fig. 3: outputs between neighbours", __doc__)
    jobs = [(c, t) for c in ((5,) if e.quick else (2, 5, 10))
            for t in range(1, 2 if e.quick else 4)]
    parts, judged = {}, {}
    found = [(f"(a) synthetic, {job[0]} classes", *made)
             for job, made in zip(jobs, e.each(lambda job: synthetic(e, *job), jobs))]
    if not e.quick:
        found += [(PAPER_B, *sample(e, 0)), (PAPER_C, *sample(e, 2))]
    for title, lists, accuracy in found:
        parts.setdefault(title, []).extend(lists)
        judged.setdefault(title, []).append(accuracy)
    table = e.table("Mean of all lists", [
        "data", "lists", "r at boundaries", "at random ranks", "boundaries at a cut",
        f"within {NEAR} ranks of one", "accuracy", "equal parts", "true sizes"], 3)
    rng, above, by_cuts = random.Random(1), {}, {}
    for title, lists in parts.items():
        found = [mean(values) for values in zip(*(x.measures(rng) for x in lists))]
        table.row(title, str(len(lists)), *found)
        above[title] = found[0] / found[1]
        by_cuts[title] = found[4:6]
    table = e.table("Thresholds for all lists: accuracy over documents", [
        "data", "by gaps", "by training labels", "largest class"], 3)
    for title, rows in judged.items():
        table.row(title, *(mean(column) for column in zip(*rows)))
    e.claim("r peaks where the class changes, on drawn data (Fig. 3a)", above[PAPER_A] > 1.2,
            f"{above[PAPER_A]:.1f} times as large as at random ranks")
    for title, (cuts, parts_alike) in by_cuts.items():
        for_all, _, largest = (mean(column) for column in zip(*judged[title]))
        e.claim(f"the peaks separate the classes without labels, {title} (Fig. 3)",
                cuts > parts_alike and for_all > largest,
                f"accuracy {cuts:.3f} by the peaks of each list, {parts_alike:.3f} by equal parts; "
                f"{for_all:.3f} by one set of thresholds, {largest:.3f} by the largest class")
    if not e.quick:
        e.claim("r peaks where the class changes on five labels of a web search, less than on "
                "drawn data (Fig. 3b)", 1.2 < above[PAPER_B] < above[PAPER_A],
                f"{above[PAPER_B]:.2f} times as large as at random ranks")
        e.claim("r peaks where the class changes on binarised labels of a web search (Fig. 3c)",
                above[PAPER_C] > 1.2, f"{above[PAPER_C]:.2f} times as large as at random ranks; "
                "this sample is a hundredth of the paper's data")
    for title in (PAPER_A, *(t for t in parts if "(a)" not in t)):
        show(e, title, max(parts[title], key=lambda x: x.n_classes))
    e.bound(f"{PAPER_A}: r at boundaries over that at random ranks (paper: it peaks)",
            above[PAPER_A], low=1.2 if e.quick else 2.0)
    if not e.quick:
        e.bound("the same, less that of (b) (paper: less pronounced there)",
                above[PAPER_A] - above[PAPER_B], low=0.0)
    e.finish()


if __name__ == "__main__":
    main()
