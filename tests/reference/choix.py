#!/usr/bin/python3
"""choix.py [PECK] -- strengths (peck_strengths_fit) beside opt_pairwise of the package choix with
the same penalty: on 20 random lists of answers without ties every strength must agree to 1e-6.
Calls libpeck.so beside PECK.  Needs choix and numpy; says that it was skipped, and succeeds,
where one of them is missing.
"""
import ctypes
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# This file has the name of the package.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != HERE]
try:
    import choix
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    print("choix: 1 cases, 0 failed, 1 skipped")
    sys.exit(0)

ROOT = os.path.dirname(os.path.dirname(HERE))
PECK = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build", "peck")
TOLERANCE = 1e-6
ANSWER = np.dtype([("list", "u8"), ("winner", "u8"), ("loser", "u8"), ("probability", "f4"),
                   ("weight", "f4")])


class Spec(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("prior_sd", ctypes.c_double),
                ("tie", ctypes.c_double), ("prior_mean", ctypes.c_void_p),
                ("threads", ctypes.c_int), ("progress", ctypes.c_void_p),
                ("ctx", ctypes.c_void_p)]


def strengths(lib, data, n, sd):
    answers = np.zeros(len(data), ANSWER)
    answers["winner"], answers["loser"] = data[:, 0], data[:, 1]
    answers["probability"] = answers["weight"] = 1
    spec, out, mean = Spec(prior_sd=sd), ctypes.c_void_p(), np.zeros(n)
    status = lib.peck_strengths_fit(ctypes.byref(out), ctypes.c_void_p(answers.ctypes.data),
                                    ctypes.c_size_t(len(data)), ctypes.c_size_t(n),
                                    ctypes.byref(spec), None)
    if status != 0:
        sys.exit(f"peck_strengths_fit: status {status}")
    lib.peck_strengths_read(out, ctypes.c_void_p(mean.ctypes.data), None)
    lib.peck_strengths_free(out)
    return mean


def main():
    lib = ctypes.CDLL(os.path.join(os.path.dirname(PECK), "libpeck.so"))
    n_failed, worst = 0, 0.0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, sd = int(rng.integers(5, 120)), float(rng.choice([0.7, 1.5, 3.0]))
        t = rng.normal(0, sd, n)
        pairs = rng.integers(0, n, (int(rng.integers(2, 12)) * n, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        wins = rng.random(len(pairs)) < 1 / (1 + np.exp(t[pairs[:, 1]] - t[pairs[:, 0]]))
        data = np.where(wins[:, None], pairs, pairs[:, ::-1])
        theirs = choix.opt_pairwise(n, [tuple(map(int, row)) for row in data],
                                    alpha=1 / (2 * sd * sd), tol=1e-12)
        off = np.abs(strengths(lib, data, n, sd) - (theirs - theirs.mean())).max()
        worst = max(worst, off)
        if not off < TOLERANCE:
            print(f"list {seed} of {n} items and {len(data)} answers: off by {off:g}")
            n_failed += 1
    print(f"largest difference {worst:.2g}")
    print(f"choix: 20 cases, {n_failed} failed, 0 skipped")
    sys.exit(n_failed > 0)


main()
