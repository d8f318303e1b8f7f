"""What the experiments of bench/papers share: options, runs of peck, tables, bounds.

A script is one table or figure of a paper:

    e = Experiment("Paper, Table 1: what it shows", __doc__)
    net = e.data("net", seed=1, queries=250, target=3)           # peck generate, a path
    found = e.train("ranknet", net, valid=v, test=t, metric="pairacc", hidden=10)
    table = e.table("what the numbers are", ["model", "100", "500"])
    table.row("paper: linear", 82.39, 88.86)
    table.row("ours", *values)
    e.claim("more documents help", values[1] > values[0])        # the paper's: is it so here?
    e.bound("linear at 500", values[1], low=87.0)
    e.finish()                                     # prints; exits 1 where a bound is missed

Numbers come from peck alone and depend on seeds alone: a second run prints the same.
The script's text is printed above its tables: it says how the numbers came about.
`--quick` is for tests: the same path through the code in seconds, with bounds of its own
(e.quick says which one it is).  `--out DIR` keeps the data and the models.

`--runs DIR` keeps runs for a page of `peck report`, which a quick run makes for a test:

    e.cv("ridge", folder)                                  # as "FOLDER/ridge", its first seed
    e.train("ranknet", net, test=t, run="net/linear")      # only where it is given a name

A name is what a reader sees: the folder is the data, what follows tells runs apart.  Names
".../Fold1", ".../Fold2" are folds of one run.  Of hundreds of runs a page shows a telling
few: name those of the first target, not of all ten.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from table import markdown
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LARGEST_PAGE = 1_000_000  # bytes
CLAIMS = "Claims of the paper"
SIZED = ("lambdaneuralrank lambdarank ranknet directranker listnet cmpnn tesauro mart "
         "lambdamart").split()  # methods of several sizes
# Half of an interval of 95 %, in standard errors of the mean of 1, 2, ... 10 values.  One has none.
T_95 = (0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)
DRAWN = ",".join(["map", *(f"{m}@{k}" for m in ("ndcg", "p") for k in range(1, 11))])
DATA = os.environ.get("PECK_DATA") or os.path.join(ROOT, "..", "shared", "data")


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def standard_error(values):
    """Of the mean of values, from their own spread."""
    values, centre = list(values), mean(values)
    if len(values) < 2:
        return 0.0
    return (sum((v - centre) ** 2 for v in values) / (len(values) - 1) / len(values)) ** 0.5


def is_ahead(gains):
    """Whether paired differences tell that their mean is above 0, by the interval of 95 %
    (Student's t); None: they cannot tell.  A single one is taken at its word."""
    gains = list(gains)
    half = T_95[min(len(gains), len(T_95)) - 1] * standard_error(gains)
    return None if abs(mean(gains)) <= half else mean(gains) > 0


def timed(work):
    """Seconds of wall clock that a call took, and what it returned."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def fold_file(folder, fold, part):
    """Fold1/train.txt as it lies in the folder, plain or packed."""
    path = os.path.join(folder, f"Fold{fold}", part + ".txt")
    return next((path + end for end in ("", ".gz", ".zst") if os.path.exists(path + end)), path)


def is_whole(path):
    """Whether a folder of folds has all three parts of each: half of a set is none."""
    if not os.path.isdir(path):
        return True
    folds = [name[4:] for name in os.listdir(path) if name.startswith("Fold")]
    return all(os.path.exists(fold_file(path, fold, part))
               for fold in folds for part in ("train", "vali", "test"))


def run_peck(peck, *words):
    """Standard output of one command; its error ends the script."""
    command = [peck, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def write_page(peck, runs, page, *words):
    """Shows a folder of runs, by the options that the script left in it: bytes."""
    with open(os.path.join(runs, "report.options")) as options:
        run_peck(peck, "report", page, *options.read().splitlines(), *words, runs)
    size = os.path.getsize(page)
    if size > LARGEST_PAGE:
        raise SystemExit(f"{page}: {size} bytes; keep fewer runs")
    return size


def option_list(settings):
    """--set options; a dash in a Python name is an underscore, as in the settings."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


class Table:
    """Rows of a name and numbers; digits: after the point; words: columns of text."""

    def __init__(self, title, columns, digits, words=1):
        self.title, self.columns, self.digits, self.words = title, columns, digits, words
        self.rows = []

    def row(self, *cells):
        self.rows.append([self.cell(c) for c in cells])

    def cell(self, value):
        if value is None:
            return "-"
        return f"{value:.{self.digits}f}" if isinstance(value, float) else str(value)

    def text(self):
        """Aligned, for a terminal; a Markdown table as well."""
        return f"{self.title}:\n\n{markdown([self.columns, *self.rows], self.words)}"


class Experiment:
    def __init__(self, title, doc, **more):
        """more: further options, name=default; they become members of self.options."""
        parser = argparse.ArgumentParser(
            description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--peck", default=os.path.join(ROOT, "build", "peck"))
        parser.add_argument("--quick", action="store_true", help="a small version, for tests")
        parser.add_argument("--out", metavar="DIR", help="keep data and models here")
        parser.add_argument("--runs", metavar="DIR", help="keep runs for a page here")
        parser.add_argument("--result", metavar="FILE", help="write what is printed here too")
        parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                            help="runs side by side")
        for name, default in more.items():
            parser.add_argument("--" + name, type=type(default), default=default)
        self.title, self.doc = title, doc
        self.options = parser.parse_args()
        self.quick = self.options.quick
        self.parts, self.claims, self.bounds = [], [], []
        self.lock, self.made = threading.Lock(), {}
        self.own = None if self.options.out else tempfile.TemporaryDirectory()
        self.folder = self.options.out or self.own.name
        os.makedirs(self.folder, exist_ok=True)
        self.runs = self.options.runs or (self.path("runs") if self.quick else None)
        self.kept, self.ranked_by = set(), set()

    # Running ------------------------------------------------------------------------

    def peck(self, *words):
        return run_peck(self.options.peck, *words)

    def path(self, name):
        return os.path.join(self.folder, name)

    def data(self, kind, seed, ending=".txt", **settings):
        """A generated file, made once: its path.  Large ones are read faster as
        ".safetensors"."""
        name = "-".join([kind, f"s{seed}", *(f"{k}{v}" for k, v in settings.items())])
        path = self.path(name + ending)
        with self.lock:
            if path not in self.made:
                self.peck("generate", kind, "--seed", seed, "-o", path,
                          *option_list(settings))
                self.made[path] = True
        return path

    def forget(self, path):
        """Removes a generated file that is not needed again, unless all are kept."""
        if self.own:
            with self.lock:
                del self.made[path]
            os.remove(path)

    def dataset_if_there(self, name):
        """The path of a set of real data that few people have, or None."""
        path = os.path.join(DATA, name)
        return path if os.path.exists(path) and is_whole(path) else None

    def dataset(self, name):
        """The path of a set of real data; without it the script ends as skipped."""
        path = self.dataset_if_there(name)
        if path is None:
            print(f"skipped: no {name} in {DATA}; PECK_DATA names the folder of real data")
            print(f"{os.path.basename(sys.argv[0])}: 1 cases, 0 failed, 1 skipped")
            sys.exit(0)
        return path

    def train(self, method, data, *words, valid=None, test=None, metric="ndcg@10,map", seed=1,
              model=None, run=None, **settings):
        """Trains on one thread; the report as a dictionary (test_ndcg@10, best_epoch, ...).
        words: further options of `peck train`; model: name of the file to keep; run: name
        on the page.  Experiments are of the small size, whatever the data carries."""
        if method in SIZED and settings.get("preset") != "paper":
            settings.setdefault("size", "small")
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".peck") as unnamed:
            path = self.path(model) if model else unnamed.name
            files = ["-o", path]
            if valid:
                files += ["--valid", valid]
            if test:
                files += ["--test", test]
            if run and self.runs and "--log" not in words:
                files += ["--log", self.run_path(run) + ".log"]
            found = json.loads(self.peck(
                "train", "-m", method, data, *words, *files, "--metric", metric, "--seed",
                seed, "--threads", 1, "--json", *option_list(settings)))
            if run:
                self.keep(run, path, test, *words, metric=metric)
            return found

    def cv(self, methods, folder, *words, seed=1, metric="ndcg@10,map", grid=(), run=None,
           **settings):
        """{method: {"test": {metric: mean}, "valid": value, "folds": {metric: [...]}}}
        The first of a name is kept; run: a name other than that of the data and the
        method; where there are several methods, a folder for them."""
        data = os.path.basename(os.path.normpath(folder)).split(".")[0]
        run = run or (data if "," in methods else f"{data}/{methods}")
        words = [*words, *(w for g in grid for w in ("--grid", g))]
        if self.runs and run not in self.kept and "--out-dir" not in words:
            words += ["--out-dir", self.run_path(run)]
            self.ranked_by.add(metric.split(",")[0])
        report = json.loads(self.peck("cv", "-m", methods, folder, *words, "--metric", metric,
                                      "--seed", seed, "--threads", self.options.jobs,
                                      "--json", *option_list(settings)))["tables"]
        found = {}
        for method in methods.split(",") + ["blend"] * ("--blend" in words):
            test, folds, valid = {}, {}, None
            for row in report["test data"]:
                name, which = row["metric"], row["fold"]
                if which == "mean":
                    test[name] = row[method]
                elif which != "sd":
                    folds.setdefault(name, []).append(row[method])
            for row in report["validation data"]:
                if row["fold"] == "mean":
                    valid = row[method]
            found[method] = {"test": test, "valid": valid, "folds": folds}
        return found

    def each(self, function, items, cost=lambda item: 0):
        """[function(item)], side by side, in the order of items; the dearest begin, so that
        none is left over at the end."""
        first = sorted(range(len(items)), key=lambda i: -cost(items[i]))
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            done = dict(zip(first, pool.map(lambda i: function(items[i]), first)))
        return [done[i] for i in range(len(items))]

    # Keeping runs for a page -----------------------------------------------------------

    def run_path(self, run):
        """Where a run of this name goes, endings apart; asking makes its folder."""
        path = os.path.join(self.runs, run)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.kept.add(run)
        return path

    def keep(self, run, model, test=None, *words, metric="ndcg@10"):
        """A model under this name, with its values per query of test data.  words: those of
        its training; the convention is taken from them."""
        if not self.runs:
            return
        path = self.run_path(run)
        shutil.copyfile(model, path + ".peck")
        if test is None:
            return
        how = [w for flag in ("-c", "--convention") if flag in words
               for w in ("-c", words[words.index(flag) + 1])]
        drawn = "" if metric.startswith("pair") else "," + DRAWN
        told = self.peck("eval", model, test, "-M", metric + drawn, *how, "--per-query",
                         path + ".tsv", "--threads", 1, "--json")
        self.keep_text(run, ".eval.json", told)
        self.ranked_by.add(metric.split(",")[0])

    def keep_text(self, run, ending, text):
        """A file that the page reads: .rules.json, .decoders.tsv, ..."""
        if self.runs:
            with open(self.run_path(run) + ending, "w") as out:
                out.write(text)

    def finish_runs(self):
        """Leaves the options of the page beside the runs."""
        if self.quick:
            self.bound("runs for a page", len(self.kept), low=1, digits=0)
        if not self.kept:
            return
        options = ["--title", self.title, "--resamples", "2000"]
        if len(self.ranked_by) == 1:
            options += ["--metric", *self.ranked_by]
        with open(os.path.join(self.runs, "report.options"), "w") as out:
            out.write("\n".join(options) + "\n")
        if self.quick:
            size = write_page(self.options.peck, self.runs, self.path("page.html"),
                              "--resamples", 100)
            self.bound("the page of its runs: kB", size / 1000, low=10.0, digits=0)

    # Telling ------------------------------------------------------------------------

    def table(self, title, columns, digits=2):
        self.parts.append(Table(title, columns, digits))
        return self.parts[-1]

    def say(self, text):
        """A paragraph of the result."""
        self.parts.append(text)

    def claim(self, what, holds, found=""):
        """What the paper says, whether these figures say so too (None: they cannot tell), and
        which ones.  All claims stand in one table at the head of docs/RESULTS.md; none of them
        makes a run fail."""
        here = {True: "reproduced", False: "not reproduced", None: "cannot be told here"}[holds]
        self.claims.append((what, f"{here}: {found}" if found else here))

    def claim_ahead(self, what, gains, of, digits=4, unit="", more=""):
        """A claim that paired differences are above 0, which they cannot tell where their
        interval of 95 % holds 0.  of: what each of them is of, "seeds"."""
        holds = is_ahead(gains)
        error = (f"one of the {of} alone" if len(gains) < 2 else
                 f"standard error of {len(gains)} {of} {standard_error(gains):.{digits}f}")
        self.claim(what, holds, f"{mean(gains):+.{digits}f}{unit}, {error}" + more)

    def bound(self, what, value, low=None, high=None, digits=2):
        """A statement that must hold for the run to succeed."""
        holds = (low is None or value >= low) and (high is None or value <= high)
        asked = " and ".join(f"{sign} {limit:.{digits}f}" for sign, limit in
                             ((">=", low), ("<=", high)) if limit is not None)
        self.bounds.append((what, f"{value:.{digits}f}", asked, holds))

    def text(self):
        claimed = Table(CLAIMS, ["claim", "here"], 0, words=2)
        for claim in self.claims:
            claimed.row(*claim)
        judged = Table("Bounds", ["what", "found", "asked", ""], 0)
        for what, value, asked, holds in self.bounds:
            judged.row(what, value, asked, "holds" if holds else "MISSED")
        parts = [p.text() if isinstance(p, Table) else p + "\n" for p in self.parts]
        how = self.doc.split("\n", 1)[-1].strip() + "\n"
        script = f"`bench/papers/{os.path.basename(sys.argv[0])}`.\n"
        return "\n".join([f"## {self.title}\n", script, how, *parts,
                          *(t.text() for t in (claimed, judged) if t.rows)])

    def finish(self):
        if self.runs:
            self.finish_runs()
        text = self.text()
        sys.stdout.write(text)
        if self.options.result:
            with open(self.options.result, "w") as out:
                out.write(text)
        if self.own:
            self.own.cleanup()
        missed = sum(not holds for *_, holds in self.bounds)
        print(f"\n{os.path.basename(sys.argv[0])}: {len(self.bounds)} cases, {missed} failed")
        sys.exit(1 if missed else 0)
