"""CatBoost: boosted trees on YetiRank."""
import catboost
import numpy

from common import THREADS

MODULE = "catboost"
KINDS = {"YetiRank": [{"depth": d, "learning_rate": r} for d, r in ((4, 0.05), (6, 0.05))]}


def pool(lists):
    groups = numpy.repeat(numpy.arange(len(lists.sizes)), lists.sizes)
    return catboost.Pool(lists.x, label=lists.y, group_id=groups)


def fit(kind, train, valid, seed, setting, rounds=500, patience=100):
    model = catboost.CatBoost(
        {"loss_function": kind, "eval_metric": "NDCG:top=10;type=Exp", "iterations": rounds,
         "early_stopping_rounds": patience, "random_seed": seed, "thread_count": THREADS,
         "verbose": False, "allow_writing_files": False, **setting})
    model.fit(pool(train), eval_set=pool(valid))
    return lambda rows: model.predict(rows, thread_count=1)


def version():
    return catboost.__version__
