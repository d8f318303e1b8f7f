"""The section of docs/PEERS.md on large sets, from what large.py measured.

found: name of a set -> [{name: "peck" or the peer's, what: method or setting, result}], a peer's
defaults before the rest of its grid; a result that is None was not measured, one with "over" was
stopped after so many seconds.  Peers take hours: rows of theirs that the page has, and that were
not measured here, stay as they are, each with the machine that it was measured on.
"""
import re

from large import PARTS, PEERS, SETS, words
from page import TITLES
from table import markdown  # of bench/papers

THREADS = 2  # seconds on other threads are not told
SPARE = 1.0  # nor those under a load that is higher than the processors by more than this
PREFACE = """## Sets of 240,000 documents

Two sets that `make peers` makes itself: {sets}.
{train:,} queries of about 100 documents to train, {valid:,} to validate, {test:,} to test; one seed.
`web` is `peck generate web --set dim=136`, `products` a kind of `bench/defaults/kinds.py`. NDCG@10
is that of the test data, by `peck eval` under `standard`.

Ours: the defaults, which choose a size on the validation data (`docs/DEFAULTS.md`); it is named in
brackets. Peers: their defaults and, where more was measured, the best of {grid} settings, the
defaults among them, by NDCG@10 on the validation data. All stop early on the validation queries:
LightGBM and XGBoost (`hist`) after 100 rounds without a gain, 2,000 trees at most; CatBoost after
50, 1,000 trees at most. CatBoost's loss is YetiRank; YetiRankPairwise was not tried.

Training: seconds of the clock on {threads} threads. Ours is the last training, of the size that was
chosen, without the reading of the data where sizes were tried; a peer's is the setting that was
chosen, from arrays in memory. Choice: the whole command of ours (reading, all sizes, writing); the
sum of all settings of a peer's grid. CPU: seconds of the processors for that choice; where there
is no time of the clock, perhaps on one thread. Score: seconds for the test data on one thread;
ours is the whole command with reading and writing, a peer's is from arrays in memory. Memory: the
peak of the process that trains. Load: the threads of the training, and how many processors were
busy with other things meanwhile; where it is above {threads} on a machine of more processors, others of
these trainings ran on processors of their own, which costs some time all the same. A dash: not timed
on {threads} threads, or timed while the machine had more to do than processors, or stopped;
`--timings LOAD` of `bench/peers/run.py` times such rows again.

Seconds compare within a machine alone. Machines: {machines}. {versions}{builds}
"""
HEAD = ["", "NDCG@10", "train s", "choice s", "CPU s", "score s", "MiB", "load", "machine"]


def rows_of_ours(found):
    for at in found:
        result = at["result"]
        if at["name"] == "peck" and result and "ndcg" in result:
            size = f" ({result['size']})" if result["tried"] else ""
            yield {**result, "title": f"Peck {at['what']}{size}", "all": [result]}


def rows_of_peer(name, found):
    """Its defaults, and the best of its grid where more was measured."""
    kind, _, settings = PEERS[name]
    mine = [at for at in found if at["name"] == name]
    done = [at for at in mine if at["result"] and "ndcg" in at["result"]]
    title = f"{TITLES[name]} {kind}"
    for at in done:
        if at["what"] == settings[0]:
            result = at["result"]
            yield {**result, "title": f"{title}, defaults", "choice_s": result["train_s"],
                   "all": [result]}
    if len(done) > 1:
        best = max(done, key=lambda at: at["result"]["valid"])
        tried = [at["result"] for at in mine if at["result"]]
        some = "" if len(tried) == len(mine) else f" of {len(mine)}"
        yield {**best["result"], "title": f"{title}, best of {len(tried)}{some}",
               "choice_s": sum(r.get("train_s", r.get("over")) for r in tried),
               "cpu_s": None if any("over" in r for r in tried) else
               sum(r["cpu_s"] for r in tried), "all": tried, "setting": best["what"]}


def rows_of(found):
    rows = [*rows_of_ours(found), *(r for name in PEERS for r in rows_of_peer(name, found))]
    return sorted(rows, key=lambda r: -r["ndcg"])


def on_clock(row):
    return all(r["threads"] == THREADS and r["load"] <= r["processors"] + SPARE
               for r in row["all"])


def cells(row, letters):
    """A row of the table, of what was measured here."""
    clock = [f"{row[k]:.1f}" if on_clock(row) else "-" for k in ("train_s", "choice_s")]
    return [row["title"], f"{row['ndcg']:.4f}", *clock,
            f"{row['cpu_s']:.1f}" if row["cpu_s"] is not None else "-",
            f"{row['score_s']:.2f}" if on_clock(row) else "-", f"{row['bytes'] / 2**20:.0f}",
            f"{max(r['load'] for r in row['all']):.1f}", letters[row["machine"]]]


def ndcg(line):
    return float(line[1])


# What the page has ----------------------------------------------------------------------

class Before:
    """The section as it stands: machines, versions, and of each set the rows of peers and the
    settings that their grids chose."""

    def __init__(self, text):
        named = re.search(r"Machines: (.*?)\. ", text, re.S)
        self.machines = dict(reversed(m.split(": ")) for m in named[1].split("; ")) if named else {}
        self.versions = dict(re.findall(rf"\b({'|'.join(TITLES.values())}) (\d[\d.]*\d)", text))
        self.rows, self.chosen = {}, {}
        for data, part in re.findall(r"^### (\w+),(.*?)(?=^###|\Z)", text, re.M | re.S):
            lines = [[cell.strip() for cell in line.split("|")[1:-1]]
                     for line in part.splitlines() if line.startswith("|")]
            self.rows[data] = [line for line in lines[2:] if not line[0].startswith("Peck")
                               and len(line) == len(HEAD)]
            told = re.search(r"^Chosen by the grids: (.*)\.$", part, re.M)
            self.chosen[data] = dict(c.split(": ") for c in told[1].split("; ")) if told else {}

    def letters(self, machines):
        """Machine -> its letter: those of the page keep theirs."""
        found = dict(self.machines)
        for machine in machines:
            found.setdefault(machine, next(c for c in "abcdefghijklmnopqrstuvwxyz"
                                           if c not in found.values()))
        return found

    def kept(self, data, titles):
        """Rows that nothing measured here replaces."""
        return [line for line in self.rows.get(data, []) if line[0] not in titles]


def names(jobs):
    return ", ".join(f"{TITLES[at['name']]} {at['what']}" if at["name"] == "peck" else
                     f"{TITLES[at['name']]} {words(at['what'])}" for at in jobs)


def gaps(found):
    """What the table does not have."""
    missing = [at for at in found if not at["result"]]
    said = [f"Not measured: {names(missing)}."] if missing else []
    for limit in sorted({at["result"]["over"] for at in found
                         if at["result"] and "over" in at["result"]}):
        stopped = [at for at in found if at["result"] and at["result"].get("over") == limit]
        said.append(f"Stopped after {limit:.0f} s, which count for the choice, and left out: "
                    f"{names(stopped)}.")
    return said


def ratio(rows):
    """Our boosted trees beside LightGBM's defaults, in seconds of one machine."""
    ours = next((r for r in rows if r["title"].startswith("Peck lambdamart")), None)
    peer = next((r for r in rows if r["title"] == "LightGBM lambdarank, defaults"), None)
    if not (ours and peer and on_clock(ours) and on_clock(peer)
            and ours["machine"] == peer["machine"]):
        return []
    whole, last = (ours[k] / peer["train_s"] for k in ("choice_s", "train_s"))
    return [f"Beside LightGBM with its defaults `lambdamart` takes {whole:.2f} times as long with "
            f"the choice of the size, {last:.2f} times without it."]


def verdict(lines):
    """Who is above the best peer, on this seed."""
    peer = next((line for line in lines if not line[0].startswith("Peck")), None)
    ours = [line for line in lines if line[0].startswith("Peck")]
    if not (peer and ours):
        return []
    less = ", ".join(f"{line[0][5:].split(' ')[0]} {ndcg(line) - ndcg(peer):+.4f}"
                     for line in ours)
    return [f"Ours less the best peer that was measured ({peer[0]}): {less}."]


def of_page(at, kept):
    """Whether the page has what was not measured here: the defaults, or the whole grid."""
    if at["name"] == "peck":
        return False
    kind, _, settings = PEERS[at["name"]]
    title = f"{TITLES[at['name']]} {kind}"
    has = {f"{title}, best of {len(settings)}",
           f"{title}, defaults" if at["what"] == settings[0] else ""}
    return any(line[0] in has for line in kept)


def one_set(data, found, before, letters):
    """The table of a set and what there is to say of it; the letters of its machines."""
    rows = rows_of(found)
    kept = before.kept(data, {r["title"] for r in rows})
    lines = sorted([*(cells(r, letters) for r in rows), *kept], key=ndcg, reverse=True)
    chosen = {**{line[0].split(",")[0]: before.chosen[data][line[0].split(",")[0]] for line in kept
                 if "best of" in line[0]},
              **{r["title"].split(",")[0]: words(r["setting"]) for r in rows if "setting" in r}}
    said = [*gaps([at for at in found if at["result"] or not of_page(at, kept)]),
            *verdict(lines), *ratio(rows)]
    if chosen:
        said.append("Chosen by the grids: "
                    + "; ".join(f"{name}: {setting}" for name, setting in chosen.items()) + ".")
    text = "\n".join([f"### {data}, {SETS[data]}\n", markdown([HEAD, *lines]),
                      "\n\n".join(said) + "\n"])
    return text, {line[-1] for line in lines}


def section(found, page=""):
    """page: the section as it stands."""
    before = Before(page)
    every = [at for jobs in found.values() for at in jobs if at["result"]]
    letters = before.letters(sorted({at["result"]["machine"] for at in every}))
    sets = [one_set(data, jobs, before, letters) for data, jobs in found.items()]
    used = {letter for _, some in sets for letter in some}
    versions = {**before.versions, **{TITLES[at["name"]]: at["result"]["version"] for at in every
                                      if "version" in at["result"]}}
    builds = sorted({at["result"]["mark"] for at in every if at["name"] == "peck"})
    preface = PREFACE.format(
        sets=", ".join(f"`{name}` ({what})" for name, what in SETS.items()),
        machines="; ".join(f"{letter}: {machine}" for machine, letter in letters.items()
                           if letter in used),
        **{part: queries for part, (_, queries) in PARTS.items()}, threads=THREADS,
        grid=len(next(iter(PEERS.values()))[2]),
        versions=", ".join(f"{name} {v}" for name, v in sorted(versions.items()))
        + "." if versions else "", builds=f" Build {', '.join(builds)}." if builds else "")
    return "\n".join([preface, *(text for text, _ in sets)])
