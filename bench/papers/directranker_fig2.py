"""DirectRanker, Fig. 2: classes, features, label noise and training size.

Koeppel et al. 2019, sections 4.5 and 5.2: every relevance class is a Gaussian cloud with
random means (0 to 100) and deviations (50 to 100); labels are drawn around the class with
deviation sigma, rounded and clipped, in training and test data alike.  100,000 training
documents of 70 features in five classes where nothing else is said; 50 random lists of 50
to 150 out of 10,000 test documents are sorted; NDCG@20, mean of five data sets and its
standard error.  The paper shows curves; its text says that up to sigma = 0.25 noise costs
little and that NDCG@20 does not fall below 0.80 at sigma = 0.75.

Recipe: `directranker` with preset=paper (Adam, 70 hidden units and one for each class,
squared error on pairs whose labels differ by 1), 20 epochs.  The training documents come in
lists of 100 and pairs are made within them, since documents of one long list are as good
as independent; a fifth of the lists chooses the epoch.
"""
import math
import random

from common import Experiment, mean, standard_error

TEST_DOCS, LISTS = 10_000, 50
USUAL = {"docs": 100_000, "classes": 5, "dim": 70, "noise": 0}
SERIES = (
    ("(a) relevance classes", "classes", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
    ("(b) features", "dim", (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)),
    ("(c) label noise sigma", "noise", (0, 0.25, 0.5, 0.75, 1)),
    ("(d) training documents", "docs", (1_000, 3_000, 10_000, 30_000, 100_000)),
)


def draw_lists(source, target, seed):
    """Random lists out of one long list; each document of it is drawn once a list."""
    rng = random.Random(seed)
    with open(source) as lines:
        docs = [line.rstrip("\n").split(" ", 2) for line in lines if line[0] != "#"]
    with open(target, "w") as out:
        for q in range(1, LISTS + 1):
            for label, _, features in rng.sample(docs, rng.randint(50, 150)):
                out.write(f"{label} qid:{q} {features}\n")
    return target


def run_name(docs, noise):
    """On the page, which shows what was judged on the same documents: the first data set's
    (c) and (d), on clean labels."""
    return f"clean labels/{docs} documents at sigma {noise:g}"


def judge(e, docs, classes, dim, noise, target, is_shown):
    """NDCG@20 on test labels as noisy as the training labels, and on clean ones."""
    shape = {"dim": dim, "classes": classes, "target": target}
    train = e.data("gauss", seed=2 * target, ending=".safetensors", queries=docs // 100,
                   docs=100, noise=noise, **shape)
    model = f"{docs}-{classes}-{dim}-{noise}-{target}.peck"
    run = run_name(docs, noise) if is_shown else None
    e.train("directranker", train, metric="ndcg@20", model=model, preset="paper", epochs=20,
            run=run)
    e.forget(train)
    found = {}
    for sigma in {noise: None, 0: None}:
        test = e.data("gauss", seed=2 * target + 1, queries=1, docs=TEST_DOCS, noise=sigma,
                      **shape)
        lists = draw_lists(test, e.path(f"{model}-{sigma}.txt"), seed=target)
        found[sigma] = float(e.peck("eval", e.path(model), lists, "-M", "ndcg@20", "--threads",
                                    1).split()[1])
    if run:
        e.keep(run, e.path(model), lists, metric="ndcg@20")
    return found[noise], found[0]


def jobs_of(series, usual, targets):
    """{(docs, classes, dim, noise, target): whether it is shown}; the usual data is a point of
    every series and is judged once."""
    jobs = {}
    for _, key, values in series:
        for v in values:
            for t in targets:
                job = (*{**usual, key: v}.values(), t)
                is_shown = t == targets[0] and key in ("noise", "docs")
                jobs[job] = jobs.get(job, False) or is_shown
    return jobs


def in_order(at, error, key, values, rises):
    """Whether the figures of a series rise, or fall, from the first to the last and go back by no
    more than their errors, and what they are at both ends and where they turn."""
    turned, told = [], (f"{at[key, values[0]]:.3f} at {values[0]:,}, {at[key, values[-1]]:.3f} at "
                        f"{values[-1]:,}")
    for a, b in zip(values, values[1:]):
        back = (at[key, a] - at[key, b]) * (1 if rises else -1)
        is_chance = back <= math.hypot(error[key, a], error[key, b])
        if back > 0:
            turned.append(not is_chance)
            told += (f"; {'within their errors' if is_chance else 'but'} {at[key, a]:.3f} at {a:,} "
                     f"and {at[key, b]:.3f} at {b:,}")
    return not any(turned), told


def claims(e, at, error, clean):
    """What the paper says of its curves.  at, error: (series, value) -> NDCG@20 and its standard
    error; clean: the same by sigma, on test labels without noise."""
    for what, key, rises in (("falls with the number of relevance classes (Fig. 2a)", "classes",
                              False), ("rises with the number of features (Fig. 2b)", "dim", True),
                             ("rises with the training documents (Fig. 2d)", "docs", True)):
        values = next(values for _, k, values in SERIES if k == key)
        e.claim(f"NDCG@20 {what}", *in_order(at, error, key, values, rises))
    cost = {sigma: at["noise", 0] - at["noise", sigma] for sigma in (0.25, 0.5, 0.75)}
    e.claim("label noise of sigma = 0.25 costs little, more of it a good deal (Fig. 2c)",
            cost[0.25] < 0.03 and cost[0.5] > 2 * cost[0.25], ", ".join(
                f"{c:.3f} at {sigma}" for sigma, c in cost.items())
            + f"; judged on clean labels {clean[0] - clean[0.75]:.3f} at 0.75")
    e.claim("NDCG@20 is not below 0.80 at sigma = 0.75 (Fig. 2c)", at["noise", 0.75] >= 0.80,
            f"{at['noise', 0.75]:.3f}")


def main():
    e = Experiment("DirectRanker, Fig. 2: what the data does to the ranker", __doc__)
    usual = {**USUAL, "docs": 1_000} if e.quick else USUAL
    targets = range(1, 2 if e.quick else 6)
    series = [(title, key, values[::3] if e.quick and key != "noise" else values)
              for title, key, values in SERIES if not (e.quick and key == "docs")]
    jobs = jobs_of(series, usual, targets)
    found = dict(zip(jobs, e.each(lambda job: judge(e, *job, jobs[job]), list(jobs))))
    at, error, on_clean = {}, {}, {}
    for title, key, values in series:
        clean_too = ["on clean labels"] if key == "noise" else []
        table = e.table(f"{title}: NDCG@20, mean of {len(targets)} data sets",
                        [title[4:], "ours", "standard error", *clean_too], digits=3)
        for value in values:
            noisy, clean = zip(*(found[(*{**usual, key: value}.values(), t)] for t in targets))
            at[key, value], error[key, value] = mean(noisy), standard_error(noisy)
            if key == "noise":
                on_clean[value] = mean(clean)
            table.row(f"{value:,}", at[key, value], error[key, value],
                      *(mean(clean) for _ in clean_too))
    e.bound("sigma = 0.75, noisy test labels (paper: not below 0.80)", at["noise", 0.75],
            low=0.65 if e.quick else 0.80, digits=3)
    if not e.quick:
        claims(e, at, error, on_clean)
        e.bound("what sigma = 0.25 costs (paper: little)", at["noise", 0] - at["noise", 0.25],
                high=0.03, digits=3)
        e.bound("10 classes", at["classes", 10], low=0.80, digits=3)
    e.finish()


if __name__ == "__main__":
    main()
