"""Ranker: training, in scikit-learn's shape."""
from __future__ import annotations

import keyword
import os
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import numpy as np

from . import catalogue
from ._c import ffi, lib
from ._call import Spec, encoded, string
from ._sklearn import Estimator, adopt, not_fitted
from .dataset import Dataset, lists_of
from .errors import PeckError, about_rows, check, new_error
from .judging import evaluate
from .model import Model
from .preferences import as_prefs
from .repeats import repeated
from .rows import Rows, as_rows, as_vector
from .rules import Rules
from .watch import Progress, Watch

N_ANCHORS = 32  # rows that a model which compares is asked about where there are no lists


def threads_of(n_jobs: Optional[int]) -> int:
    """None and 0: one per core, as the command has it; below 0: as joblib counts."""
    if n_jobs is None or n_jobs >= 0:
        return n_jobs or 0
    return max(1, int(lib.peck_threads(0)) + 1 + n_jobs)


def seed_of(random_state: Any) -> int:
    """None is the command's seed, so that a fit can be repeated."""
    if random_state is None:
        return 1
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    draw = getattr(random_state, "randint", None) or getattr(random_state, "integers")
    return int(draw(0, 2**31 - 1))


class Ranker(Estimator):
    """Learns to rank from labels, comparisons or rules.

    >>> import numpy as np
    >>> from peck_rank import Ranker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 4)).astype(np.float32)
    >>> y, qid = (X[:, 0] > 0.5) + (X[:, 0] > 1.5), np.repeat(np.arange(30), 20)
    >>> ranker = Ranker("lambdamart", trees=20).fit(X, y, qid=qid)
    >>> bool(ranker.score(X, y, qid=qid) > 0.9)
    True
    >>> Ranker("lambdamart", treees=20)
    Traceback (most recent call last):
    ...
    TypeError: lambdamart has no setting 'treees'; did you mean 'trees'?

    Parameters
    ----------
    method : one of `methods()`; None: the command's default.
    ensemble : models from as many seeds, their scores averaged.
    metric, convention : what chooses the best iteration; None: the library's defaults.
    valid_fraction : without eval_set, the share of queries that is held out to choose it; 0:
        none; None: the library's default, and none where there are few queries.
    random_state : the same seed gives the same bytes at any n_jobs; None: the command's seed.
    n_jobs : threads; None: one per core.
    verbose : shows progress.
    alone : the model shall score each row by itself, whatever list it comes in.  That is so
        anyhow where `fit` is not told which rows are a list.
    one_list : `predict` without qid takes all rows as one list.
    match : how columns of frames are found in `predict`: None: same names in the same order;
        "name": by name, in any order; "position".
    **settings : of the method: `methods()[name].settings` lists them with their defaults, what
        they take and what they mean.  One that is called like a parameter of this class, or
        like a word of Python, has an underscore behind it: `lambda_`, `metric_`; or all of
        them go into one mapping, `settings={"lambda": 1}`.
    """

    model_: Model

    def __init__(self, method: Optional[str] = None, *, ensemble: int = 1,
                 metric: Optional[str] = None, convention: Optional[str] = None,
                 valid_fraction: Optional[float] = None, random_state: Any = None,
                 n_jobs: Optional[int] = None, verbose: Union[bool, int] = False,
                 alone: bool = False, one_list: bool = False, match: Optional[str] = None,
                 **settings: Any) -> None:
        adopt(Ranker)
        self.method = method
        self.ensemble = ensemble
        self.metric = metric
        self.convention = convention
        self.valid_fraction = valid_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.alone = alone
        self.one_list = one_list
        self.match = match
        self._take(settings)

    # Parameters and settings ----------------------------------------------------------------

    def _take(self, settings: Mapping[str, Any]) -> None:
        """Checks settings against the method's list, and keeps them as they are."""
        method = self.method if self.method is not None else catalogue.default_method()
        for name, value in settings.items():
            wrong = None if name == "settings" else self._wrong(method, name, value)
            if wrong:
                raise TypeError(wrong) if "has a setting" in wrong or "has no setting" in wrong \
                    else ValueError(wrong)
        for name, value in settings.items():
            setattr(self, name, value)

    def _wrong(self, method: Any, name: str, value: Any) -> Optional[str]:
        if value is None or method not in catalogue.methods():
            # Of a method that nobody knows `fit` will tell.
            return None if key_of(name) in catalogue.setting_names() else \
                catalogue.unknown("no method has a setting", name,
                                  [*catalogue.setting_names(), *self._get_param_names()])
        return catalogue.check_setting(method, key_of(name), value, self._get_param_names())

    def _settings(self) -> dict[str, Any]:
        """Those that were given, by the names under which they were."""
        known = set(self._get_param_names())
        return {name: value for name, value in vars(self).items()
                if name not in known
                and (name == "settings" or key_of(name) in catalogue.setting_names())}

    def _written_settings(self) -> list[str]:
        """As the library takes them: key=value."""
        given = self._settings()
        more = given.pop("settings", None) or {}
        if not isinstance(more, Mapping):
            raise ValueError("settings are a mapping of names to values")
        return [f"{key}={catalogue.written(value)}" for key, value in
                [*((key_of(name), value) for name, value in given.items()), *more.items()]
                if value is not None]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in self._get_param_names()}
        return {**given, **self._settings()}

    def set_params(self, **params: Any) -> "Ranker":
        known = self._get_param_names()
        for name in known:
            if name in params:
                setattr(self, name, params[name])
        rest = {name: value for name, value in params.items() if name not in known}
        for name in rest:
            if name != "settings" and key_of(name) not in catalogue.setting_names():
                told = catalogue.unknown("Invalid parameter", name,
                                         [*known, *catalogue.setting_names()])
                raise ValueError(f"{told} for estimator {self}. Valid parameters are: {known!r} "
                                 "and the settings of the method.")
        try:
            self._take(rest)
        except TypeError as error:
            raise ValueError(str(error)) from None
        return self

    # Training -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None,
            sample_weight: Any = None, eval_set: Any = None, eval_qid: Any = None,
            eval_group: Any = None, pairs: Any = None, eval_pairs: Any = None,
            rules: Any = None, rules_weight: Union[float, str] = "best", unlabelled: Any = None,
            callbacks: Optional[Iterable[Callable[[dict[str, Any]], Any]]] = None) -> "Ranker":
        """Learns from labelled lists.

        X, y : features and labels; or a Dataset, or the name of a file, without y.
        qid, group : the query of each row, in any order, or the sizes of lists.  Neither: all
            rows are one list, and the model scores each row by itself.
        sample_weight : of each row; 0 leaves it out.  Where there are no lists, whole numbers
            are as many rows, to the last bit of the model.
        eval_set : (X, y), or a Dataset: chooses the best iteration; eval_qid, eval_group of it.
        pairs : who was preferred to whom, instead of labels: rows (winner, loser) of X, perhaps
            with a probability and a weight; eval_pairs the same of eval_set.
        rules : clauses (docs/RULES.md) as text or Rules: penalties beside the labels;
            rules_weight "best": what gains most in up to six trainings, no rules among them; a
            number: times their own weights; "auto": by what each gains alone; unlabelled: more
            rows that they speak of, a Dataset.
        callbacks : each is called after every iteration with a dict of what is known of it, by
            a thread of its own; one that returns True stops the training, and the best model
            so far counts.

        Ctrl-C keeps the best model so far, and raises KeyboardInterrupt.
        """
        train, has_lists = self._training_data(X, y, qid, group, sample_weight, pairs, rules)
        valid = _eval_data(eval_set, eval_qid, eval_group)
        method = self.method if self.method is not None else catalogue.default_method()
        settings = self._written_settings()
        compares = bool(lib.peck_method_compares(encoded(method)))
        if compares and not has_lists and not self.alone \
                and not any(s.startswith("norm=") for s in settings):
            settings.append(f"norm={_norm_without_lists(method)}")
        spec = Spec("peck_train_spec", method=method, settings=settings, train=train._ptr,
                    valid=None if valid is None else valid._ptr,
                    pairs=as_prefs(pairs, train), valid_pairs=as_prefs(eval_pairs, valid),
                    rules=None if rules is None else Rules.of(rules)._ptr,
                    rules_weight=_rules_weight(rules_weight),
                    unlabelled=None if unlabelled is None else Dataset._of(unlabelled)._ptr,
                    valid_split=self._valid_split(),
                    alone=int(self.alone or not (has_lists or compares)),
                    metric=self.metric, convention=self.convention, ensemble=int(self.ensemble),
                    seed=seed_of(self.random_state), threads=threads_of(self.n_jobs))
        with about_rows(train._kept if isinstance(train._kept, np.ndarray) else 0.0):
            self._train(spec, list(callbacks or ()))
        if compares and not has_lists:
            rows = train._kept
            self.model_._anchors = rows[np.linspace(0, len(rows) - 1, min(N_ANCHORS, len(rows)))
                                        .astype(int)].copy()
        return self

    def _training_data(self, X: Any, y: Any, qid: Any, group: Any, weight: Any, pairs: Any,
                       rules: Any) -> tuple[Dataset, bool]:
        """The data, and whether somebody said which rows are a list."""
        if isinstance(X, (Dataset, str, os.PathLike)):
            if any(given is not None for given in (y, qid, group, weight)):
                raise ValueError("a Dataset brings labels, queries and weights along; give no y, "
                                 "qid, group or sample_weight beside it")
            data = Dataset._of(X)
            self._note_features(data.n_features, data.feature_names)
            return data, True
        rows = as_rows(X, type(self).__name__)
        if y is None and pairs is None and rules is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y "
                             "is None.")
        y = None if y is None else as_vector(y, len(rows.x), "y")
        if weight is not None:
            if pairs is not None and not np.all(weight):
                raise ValueError("pairs name rows, so none may be left out by a weight of 0")
            rows, y, qid, group, weight = _without_weightless(rows, y, qid, group, weight)
        lists = lists_of(rows, qid, group)
        if lists is None and pairs is None:
            rows, y, weight = repeated(rows, y, weight)
        self._note_features(rows.x.shape[1], rows.names)
        data = Dataset.__new__(Dataset)
        data._fill(rows, y, lists, weight)
        return data, lists is not None

    def _note_features(self, n: int, names: Optional[list[str]]) -> None:
        self.n_features_in_ = n
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _valid_split(self) -> float:
        """The library's 0 is its default, and below 0 is none."""
        if self.valid_fraction is None:
            return 0.0
        share = float(self.valid_fraction)
        if not 0 <= share < 1:
            raise ValueError("valid_fraction is a share from 0 to below 1")
        return share or -1.0

    def _train(self, spec: Spec, callbacks: list[Callable[[dict[str, Any]], Any]]) -> None:
        watch, history = Watch(), []
        progress = Progress(self.method or catalogue.default_method(), self.verbose)

        def hear(epoch: Any) -> bool:
            told = _epoch(epoch)
            history.append(told)
            progress.tell(told["epoch"], told["n_epochs"], f"{told['valid']:.4f}")
            return any([callback(told) is True for callback in callbacks])

        watch.epoch = hear
        spec.p.ctx = watch.ctx
        spec.p.interrupted = ffi.addressof(lib, "py_stopped")
        spec.p.progress = ffi.addressof(lib, "py_epoch")
        spec.p.warn = ffi.addressof(lib, "py_warn")
        out, err = ffi.new("peck_model **"), new_error()
        status = watch.run(lib.peck_train, out, spec.p, err)
        progress.close()
        if out[0] != ffi.NULL:  # perhaps beside a failure: the best so far
            self.model_ = Model(ffi.gc(out[0], lib.peck_model_free))
            self.history_ = history
            self.best_iteration_ = max((h["epoch"] for h in history
                                        if h["is_best"] and h["member"] == 0), default=0)
            self.n_iter_ = max((h["epoch"] for h in history), default=1)
        watch.raise_failure()
        if status != lib.PECK_STOPPED or out[0] == ffi.NULL:
            check(status, err)

    # Use ------------------------------------------------------------------------------------

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise not_fitted(f"This {type(self).__name__} instance is not fitted yet. Call "
                             "'fit' with appropriate arguments before using this estimator.")
        return self.model_

    def _rows(self, X: Any) -> Rows:
        """Rows with the columns of the model."""
        rows = as_rows(X, type(self).__name__)
        if self.match == "position":
            rows = rows._replace(names=None)
        if self.match != "name":
            _check_names(rows.names, getattr(self, "feature_names_in_", None),
                         type(self).__name__)
        if rows.x.shape[1] != self.n_features_in_ and not (self.match == "name" and rows.names):
            raise ValueError(f"X has {rows.x.shape[1]} features, but {type(self).__name__} is "
                             f"expecting {self.n_features_in_} features as input.")
        return rows

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> Any:
        """The score of each row, in the order of the rows: the higher, the earlier.

        Of a model whose scores depend on the list, qid or group says which rows are one (a
        single qid: all rows); it refuses to guess, unless `one_list` is set."""
        model = self._fitted()
        if isinstance(X, Dataset):
            return model.predict(X, threads=threads_of(self.n_jobs))
        rows = self._rows(X)
        return model._predict_rows(rows, lists_of(rows, qid, group), bool(self.one_list),
                                   threads_of(self.n_jobs))

    def rank(self, X: Any, *, qid: Any = None, group: Any = None, top: Optional[int] = None,
             decoder: Optional[str] = None, budget: int = 0) -> Any:
        """Every list in order: records of query, rank (from 1), row and score."""
        return self._fitted().rank(X, qid=qid, group=group, one_list=bool(self.one_list),
                                   top=top, decoder=decoder, budget=budget,
                                   threads=threads_of(self.n_jobs))

    def prefer(self, a: Any, b: Any, *, X: Any = None) -> Any:
        """How strongly each of `a` goes before its partner in `b`: see Model.prefer."""
        return self._fitted().prefer(a, b, X=X)

    def score(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None,
              sample_weight: Any = None) -> float:
        """The metric of `fit`, by its convention: the mean over the queries."""
        metric = self.metric or string(lib.PECK_DEFAULT_METRIC)
        if isinstance(X, Dataset):
            return evaluate(X, self.predict(X), metric, convention=self.convention)[metric]
        rows = self._rows(X)
        lists = lists_of(rows, qid, group)
        scores = self._fitted()._predict_rows(rows, lists, bool(self.one_list),
                                              threads_of(self.n_jobs))
        data = Dataset.__new__(Dataset)
        data._fill(rows, as_vector(y, len(rows.x), "y"), lists, sample_weight)
        return evaluate(data, scores, metric, convention=self.convention)[metric]

    @property
    def feature_importances_(self) -> Any:
        """Of trees: the share of each feature in what all questions gained."""
        model = self._fitted()
        try:
            report = model.importance()
        except PeckError as error:
            raise AttributeError(str(error)) from None
        found = np.zeros(model.n_features)
        for row in report.tables["importance"]:
            found[int(str(row["feature"]).split()[0]) - 1] = row["gain"]
        return found

    # In and out -----------------------------------------------------------------------------

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """The model, in the file that the command writes and reads."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "Ranker":
        """A fitted ranker from such a file."""
        return cls._around(Model.load(path))

    def to_bytes(self) -> bytes:
        return self._fitted().to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Ranker":
        return cls._around(Model.from_bytes(data))

    @classmethod
    def _around(cls, model: Model) -> "Ranker":
        method = model.describe().texts.get("method")
        ranker = cls(method if method in catalogue.methods() else None)
        ranker.model_ = model
        ranker._note_features(model.n_features, model.feature_names)
        return ranker

    def _repr_html_(self) -> str:
        if hasattr(self, "model_"):
            return self.model_._repr_html_()
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    # What scikit-learn asks -------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _takes_missing(self) -> bool:
        return takes_missing(self.method)

    def __sklearn_tags__(self) -> Any:
        adopt(Ranker)
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.estimator_type = "ranker"
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_missing()
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """The same for scikit-learn before 1.6."""
        return {"requires_y": True, "requires_positive_y": True,
                "allow_nan": self._takes_missing()}


def key_of(name: str) -> str:
    """The library's name of a setting: one that is taken in Python has an underscore behind it."""
    plain = name[:-1] if name.endswith("_") else name
    return plain if keyword.iskeyword(plain) or plain == "metric" else name


def takes_missing(method: Any) -> bool:
    """Trees learn from what is missing."""
    recipe = ffi.new("peck_recipe *")
    name = method if isinstance(method, str) else catalogue.default_method()
    found = lib.peck_method_recipe(encoded(name), recipe)
    return bool(found) and string(recipe.family) == "trees"


def _norm_without_lists(method: str) -> str:
    """The method's normaliser without what looks at the list."""
    own = catalogue.methods()[method].settings["norm"].default
    kept = [part for part in own.split("+") if part != "auto" and not part.startswith("query")]
    return "+".join(kept) or "quantile"


def _rules_weight(weight: Union[float, str]) -> float:
    """The library's 0 is by trials, and below 0 is by the gain of each rule."""
    if weight in ("best", "auto"):
        return 0.0 if weight == "best" else -1.0
    if not float(weight) > 0:
        raise ValueError('rules_weight is "best", "auto" or a number above 0')
    return float(weight)


def _epoch(e: Any) -> dict[str, Any]:
    return {"member": int(e.member), "epoch": int(e.epoch), "n_epochs": int(e.n_epochs),
            "loss": float(e.loss), "rate": float(e.rate), "valid": float(e.valid),
            "is_best": bool(e.is_best), "seconds": float(e.seconds)}


def _eval_data(eval_set: Any, qid: Any, group: Any) -> Optional[Dataset]:
    """The data that chooses: (X, y), [(X, y)] as LightGBM and XGBoost take it, or a Dataset."""
    if eval_set is None:
        return None
    if isinstance(eval_set, list):
        if len(eval_set) != 1:
            raise ValueError(f"{len(eval_set)} sets in eval_set; one alone can choose the best "
                             "iteration")
        eval_set = eval_set[0]
        qid = qid[0] if isinstance(qid, list) and len(qid) == 1 else qid
        group = group[0] if isinstance(group, list) and len(group) == 1 else group
    if isinstance(eval_set, (Dataset, str, os.PathLike)):
        return Dataset._of(eval_set)
    X, y = eval_set
    return Dataset(X, y, qid=qid, group=group)


def _without_weightless(rows: Rows, y: Any, qid: Any, group: Any, weight: Any) -> Any:
    """Rows of weight 0 are left out: the library's weights are above 0."""
    weight = as_vector(weight, len(rows.x), "sample_weight")
    if not (weight != 0).any():
        raise ValueError("all values of sample_weight are zero: nothing is left to learn from")
    if (weight > 0).all():
        return rows, y, qid, group, weight
    kept = weight != 0
    qid = rows.qid if qid is None else qid
    if group is not None:
        query = np.repeat(np.arange(len(group)), group)
        group = np.bincount(query[kept], minlength=len(group))
    return (Rows(rows.x[kept], rows.names, None), None if y is None else y[kept],
            None if qid is None else np.asarray(qid)[kept], group, weight[kept])


def _check_names(names: Optional[list[str]], fitted: Any, estimator: str) -> None:
    """As scikit-learn has it: the same names, in the same order."""
    if fitted is None and names is None:
        return
    import warnings

    if names is None:
        warnings.warn(f"X does not have valid feature names, but {estimator} was fitted with "
                      "feature names", UserWarning, stacklevel=4)
        return
    if fitted is None:
        warnings.warn(f"X has feature names, but {estimator} was fitted without feature names",
                      UserWarning, stacklevel=4)
        return
    if names == list(fitted):
        return
    unseen = sorted(set(names) - set(fitted))
    absent = sorted(set(fitted) - set(names))
    told = ["The feature names should match those that were passed during fit."]
    for title, found in (("Feature names unseen at fit time:", unseen),
                         ("Feature names seen at fit time, yet now missing:", absent)):
        if found:
            told += [title, *(f"- {name}" for name in found[:5])]
            told += ["- ..."] if len(found) > 5 else []
    if not unseen and not absent:
        told.append("Feature names must be in the same order as they were in fit.")
    raise ValueError("\n".join(told) + "\n")
