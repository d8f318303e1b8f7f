"""Rules, section 3: LambdaNeuralRank as in the paper, on MQ2008 and OHSUMED.

Papini and Diligenti 2012 find their net, 40 tanh units on a hinge weighed by the change of
NDCG, better than RankNet and LambdaRank on the AOL log (Table 1), which is not to be had.
Here it stands beside the nets of this program on two sets of LETOR: the mean of five folds
and of seeds 1 to 3, standard convention.  The difference is to the best of them, paired by
fold and seed.

Recipe: `lambdaneuralrank` with preset=paper; `lambdaneuralrank`, `lambdarank` and `ranknet`
as they come.
"""
from common import Experiment, mean, standard_error

SETS = ("mq2008", "ohsumed")
NETS = "lambdaneuralrank,lambdarank,ranknet"
METRIC = "ndcg@10"


def compare(e, name, seeds, **settings):
    """{method: NDCG@10 of each fold and seed}"""
    folder, found = e.dataset(name), {}
    for seed in seeds:
        paper = e.cv("lambdaneuralrank", folder, seed=seed, preset="paper",
                     run=f"{name}/lambdaneuralrank of the paper", **settings)
        found.setdefault("paper's lambdaneuralrank", []).extend(
            paper["lambdaneuralrank"]["folds"][METRIC])
        for method, value in e.cv(NETS, folder, seed=seed, **settings).items():
            found.setdefault(method, []).extend(value["folds"][METRIC])
    return found


def main():
    e = Experiment("Rules, section 3: LambdaNeuralRank on LETOR", __doc__)
    seeds, settings = ((1,), {"epochs": 2}) if e.quick else ((1, 2, 3), {})
    table = e.table("NDCG@10 on test data", ["net", *SETS[:1 if e.quick else 2]], 4)
    found = {name: compare(e, name, seeds, **settings) for name in table.columns[1:]}
    for net in found["mq2008"]:
        table.row(net, *(mean(value[net]) for value in found.values()))
    for name, value in found.items():
        ours = value.pop("paper's lambdaneuralrank")
        above = [m for m in ("ranknet", "lambdarank") if mean(ours) > mean(value[m])]
        e.claim("the paper's LambdaNeuralRank is above RankNet and LambdaRank (said of the AOL "
                f"log), {name}", len(above) == 2, f"above {' and '.join(above) or 'neither'}")
        best = max(value.values(), key=mean)
        gap = [a - b for a, b in zip(ours, best)]
        e.bound(f"{name}: to the best net", mean(gap), low=-0.05 if e.quick else -0.003,
                digits=4)
        e.say(f"{name}: standard error of the difference {standard_error(gap):.4f}.")
    e.finish()


if __name__ == "__main__":
    main()
