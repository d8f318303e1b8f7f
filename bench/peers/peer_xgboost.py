"""XGBoost: boosted trees on rank:ndcg and rank:pairwise."""
import xgboost

from common import THREADS

MODULE = "xgboost"
KINDS = {"rank:ndcg": [{"max_depth": d, "eta": r}
                       for d, r in ((3, 0.05), (4, 0.05), (6, 0.05), (6, 0.1))]}
KINDS["rank:pairwise"] = KINDS["rank:ndcg"]


def matrix(lists):
    data = xgboost.DMatrix(lists.x, label=lists.y, nthread=THREADS)
    data.set_group(lists.sizes)
    return data


def fit(kind, train, valid, seed, setting, rounds=1000, share=0.8):
    model = xgboost.train(
        {"objective": kind, "tree_method": "hist", "eval_metric": "ndcg@10", "seed": seed,
         "nthread": THREADS, "subsample": share, "colsample_bytree": share, "verbosity": 0,
         **setting},
        matrix(train), num_boost_round=rounds, evals=[(matrix(valid), "valid")],
        early_stopping_rounds=100, verbose_eval=False)
    model.set_param({"nthread": 1})
    return lambda rows: model.inplace_predict(
        rows, iteration_range=(0, model.best_iteration + 1))


def version():
    return xgboost.__version__
