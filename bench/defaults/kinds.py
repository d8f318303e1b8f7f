"""Kinds of judged lists on which defaults are chosen: each hides its truth in another way.

    make(kind, seed, n_docs, path)     writes a cache (docs/FORMATS.md) of about n_docs documents

The truth depends on the kind alone, the documents on the seed: files of one kind are samples
of one task.  Every kind has noise, so that no method is perfect, lists of about 100 documents
and grades 0 to 4 of which 50, 25, 13, 8 and 4 % of the documents, unless SHAPES says otherwise.
"""
import json
import struct

import numpy

SHARES = (0.50, 0.75, 0.88, 0.96)  # of documents below grade 1, 2, 3, 4
DOCS = 100  # of a list
TRUTH = 20_011  # seed of what all files of a kind share


def steps(rng, truth, sizes):
    """Thresholds of pairs of features: what trees say in a word."""
    x = rng.random((sizes.sum(), 40))
    pair, cut = truth.integers(0, 40, (30, 2)), truth.uniform(0.2, 0.8, (30, 2))
    weight = truth.normal(size=30)
    return x, sum(w * (x[:, i] > a) * (x[:, j] > b)
                  for (i, j), (a, b), w in zip(pair, cut, weight)), 0.3


def products(rng, truth, sizes):
    """Saturated products of two features beside a linear part."""
    x = rng.normal(size=(sizes.sum(), 40))
    pair, weight = truth.integers(0, 40, (12, 2)), truth.normal(size=12)
    return x, x @ truth.normal(size=40) / 4 + sum(
        w * numpy.tanh(2 * x[:, i] * x[:, j]) for (i, j), w in zip(pair, weight)), 0.2


def net(rng, truth, sizes):
    """A net of 16 tanh units, over features whose scale changes from list to list."""
    scale = numpy.repeat(numpy.exp(0.5 * rng.normal(size=len(sizes))), sizes)
    x = rng.normal(size=(sizes.sum(), 50))
    w, v = truth.normal(size=(50, 16)) / 4, truth.normal(size=16)
    value = numpy.tanh(x @ w) @ v
    x[:, :20] *= scale[:, None]
    return x, value, 0.3


def counts(rng, truth, sizes):
    """Sparse counts with long tails, most of them 0; two thirds tell nothing."""
    n = sizes.sum()
    rate = numpy.exp(truth.uniform(-4, 1, 60))
    x = rng.poisson(rate * rng.gamma(0.5, 2.0, (n, 60))).astype(float)
    seen = numpy.log1p(x)
    pair = truth.integers(0, 20, (10, 2))
    value = seen[:, :20] @ (truth.normal(size=20) / (0.2 + seen[:, :20].std(0)))
    value += sum(w * (x[:, i] > 0) * (x[:, j] > 0)
                 for (i, j), w in zip(pair, 3 * truth.normal(size=10)))
    return x, value, 0.3


def few(rng, truth, sizes):
    """Six features, a smooth truth with one hill and one product."""
    x = rng.normal(size=(sizes.sum(), 6))
    w = truth.normal(size=6)
    return x, x @ w + 2 * numpy.exp(-(x[:, 0] - 1) ** 2) + x[:, 1] * x[:, 2], 0.5


def noisy(rng, truth, sizes):
    """Features of which many say the same, and little: a bent line, drowned in noise."""
    cause = rng.normal(size=(sizes.sum(), 12))
    x = cause @ truth.normal(size=(12, 46)) / 3 + rng.normal(size=(sizes.sum(), 46))
    return x, numpy.tanh(cause) @ truth.normal(size=12), 1.5


def short(rng, truth, sizes):
    """As net, in lists of 5."""
    return net(rng, truth, sizes)


def long(rng, truth, sizes):
    """As products, in lists of 1,000."""
    return products(rng, truth, sizes)


def clicks(rng, truth, sizes):
    """As counts, with two grades: one document in ten is taken."""
    return counts(rng, truth, sizes)


def shop(rng, truth, sizes):
    """Goods of a shop: codes of categories, prices beside those of the list, ratings that
    are 0 where there are none, popularity with a long tail.  Looked at last."""
    n = sizes.sum()
    of_list = numpy.repeat(numpy.arange(len(sizes)), sizes)
    level = rng.normal(size=len(sizes))[of_list]
    price = level + 0.6 * rng.normal(size=n)
    rating = numpy.where(rng.random(n) < 0.4, 0, numpy.clip(3.8 + 0.8 * rng.normal(size=n), 1, 5))
    sold = rng.pareto(1.3, n)
    brand = rng.integers(0, 30, n)
    liked = truth.normal(size=30)
    text = rng.normal(size=(n, 12))
    value = (-1.2 * numpy.abs(price - level + 0.3) + 0.5 * (rating - 3.8) * (rating > 0)
             + 0.3 * numpy.log1p(sold) + 0.7 * liked[brand] + text[:, :4] @ truth.normal(size=4) / 2
             + 0.5 * text[:, 4] * (rating > 4))
    return numpy.column_stack([numpy.exp(price), rating, sold, brand, text,
                               rng.integers(0, 2, (n, 6))]), value, 0.4


KINDS = {f.__name__: f for f in (steps, products, net, counts, few, noisy, short, long, clicks,
                                 shop)}
SHAPES = {"noisy": (40, (0.74, 0.92)), "short": (5, SHARES), "long": (1000, SHARES),
          "clicks": (DOCS, (0.9,))}  # documents of a list, shares below each grade
ASIDE = "shop"


def shape_of(kind):
    return SHAPES.get(kind, (DOCS, SHARES))


def cuts(kind):
    """Grades are cut where a large sample of the kind has its quantiles."""
    rng = numpy.random.default_rng(TRUTH + 1)
    _, value, noise = KINDS[kind](rng, numpy.random.default_rng(TRUTH), numpy.full(300, 100))
    spread = value.std() * noise
    value = value + spread * rng.normal(size=len(value))
    return numpy.quantile(value, shape_of(kind)[1]), spread


def write_cache(path, x, label, sizes):
    start = numpy.concatenate([[0], numpy.cumsum(sizes)]).astype("<u8")
    tensors = (("features", "F32", x.astype("<f4")), ("labels", "F32", label.astype("<f4")),
               ("query_offsets", "U64", start))
    header, at = {"__metadata__": {"format": "peck data 1"}}, 0
    for name, kind, data in tensors:
        header[name] = {"dtype": kind, "shape": data.shape,
                        "data_offsets": [at, at + data.nbytes]}
        at += data.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors:
            file.write(data.tobytes())


def make(kind, seed, n_docs, path):
    rng = numpy.random.default_rng(seed)
    docs = shape_of(kind)[0]
    sizes = rng.integers(docs // 2, docs + docs // 2 + 1, max(1, n_docs // docs))
    x, value, _ = KINDS[kind](rng, numpy.random.default_rng(TRUTH), sizes)
    at, spread = cuts(kind)
    value = value + spread * rng.normal(size=len(value))
    write_cache(path, x, numpy.searchsorted(at, value), sizes)
