"""What the tests share: the command that they are held to, and data."""
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import peck_rank

ROOT = Path(__file__).resolve().parents[2]
PECK = os.environ.get("PECK", str(ROOT / "build" / "peck"))


QUICK = {"coordinate-ascent": {"max_iter": 2}, "sortnet": {"max_iter": 2, "epochs": 3},
         "pairforest": {"trees": 3}, "frank": {"rounds": 5}, "rankboost": {"rounds": 20},
         "lambdamart": {"trees": 20}, "mart": {"trees": 20}, "oap-bpm": {"perceptrons": 5},
         "es-rank": {"generations": 2}, "iesr-rank": {"generations": 2},
         "iesvm-rank": {"generations": 2}}


def quick(method):
    """Settings for a short training, where that says as much as a long one."""
    known = peck_rank.methods()[method].settings
    return {key: value for key, value in QUICK.get(method, {}).items() if key in known}


def peck(*words):
    """What the command prints."""
    return subprocess.run([PECK, *map(str, words)], check=True, capture_output=True,
                          text=True).stdout


@pytest.fixture(scope="session")
def web(tmp_path_factory):
    """A file of 24 queries, as text."""
    path = tmp_path_factory.mktemp("data") / "web.txt"
    peck_rank.generate("web", path, queries=24, dim=6, seed=5)
    return path


@pytest.fixture(scope="session")
def data(web):
    return peck_rank.Dataset.read(web)


@pytest.fixture
def toy():
    """Rows, labels and queries that any method learns."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 5)).astype(np.float32)
    y = np.clip(np.round(X[:, 0] + 0.3 * rng.normal(size=400)), 0, 3)
    return X, y, np.repeat(np.arange(20), 20)


def pytest_terminal_summary(terminalreporter):
    """The line that tests/run.sh counts by."""
    stats = terminalreporter.stats
    bad = len(stats.get("failed", [])) + len(stats.get("error", []))
    skipped = len(stats.get("skipped", []))
    for report in stats.get("skipped", []):
        terminalreporter.write_line(f"skipped: {report.nodeid}: {report.longrepr[-1]}")
    n = len(stats.get("passed", [])) + bad + skipped
    terminalreporter.write_line(f"python: {n} cases, {bad} failed, {skipped} skipped")
