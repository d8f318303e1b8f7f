"""LightGBM: boosted trees on lambdarank."""
import lightgbm

from common import THREADS

MODULE = "lightgbm"
KINDS = {"lambdarank": [{"num_leaves": n, "learning_rate": r}
                        for n, r in ((7, 0.05), (15, 0.05), (31, 0.05), (31, 0.1))]}


def fit(_kind, train, valid, seed, setting, rounds=1000, share=0.8):
    data = lightgbm.Dataset(train.x, label=train.y, group=train.sizes)
    held = lightgbm.Dataset(valid.x, label=valid.y, group=valid.sizes, reference=data)
    model = lightgbm.train(
        {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "seed": seed,
         "num_threads": THREADS, "verbose": -1, "bagging_fraction": share, "bagging_freq": 1,
         "feature_fraction": share, **setting},
        data, num_boost_round=rounds, valid_sets=[held],
        callbacks=[lightgbm.early_stopping(100, verbose=False)])
    return lambda rows: model.predict(rows, num_threads=1)


def version():
    return lightgbm.__version__
