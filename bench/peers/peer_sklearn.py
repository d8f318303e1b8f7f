"""scikit-learn: pointwise regressions on the labels."""
import sklearn
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from common import THREADS

MODULE = "sklearn"
KINDS = {
    "Ridge": [{"alpha": a} for a in (1.0, 100.0, 10000.0)],
    "HistGradientBoosting": [{"max_leaf_nodes": n, "learning_rate": 0.05} for n in (7, 31)],
    "RandomForest": [{"min_samples_leaf": n} for n in (5, 20)],
}


def fit(kind, train, _valid, seed, setting):
    if kind == "Ridge":
        model = make_pipeline(StandardScaler(), Ridge(**setting))
    elif kind == "RandomForest":
        model = RandomForestRegressor(300, max_features="sqrt", random_state=seed,
                                      n_jobs=THREADS, **setting)
    else:
        model = HistGradientBoostingRegressor(max_iter=200, random_state=seed, **setting)
    model.fit(train.x, train.y)
    if kind == "RandomForest":
        model.set_params(n_jobs=1)
    return model.predict


def version():
    return sklearn.__version__
