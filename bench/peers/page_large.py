"""The section of docs/PEERS.md on large sets, from what large.py measured.

found: name of a set -> [{name: "peck" or the peer's, what: method or setting, result}], a peer's
defaults before the rest of its grid; a result that is None was not measured, one with "over" was
stopped after so many seconds.
"""
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
peak of the process that trains. Load: the highest load average of the machine at a start or an
end; where it is above {threads}, others of these trainings ran on processors of their own, which
costs some time all the same. A dash: not timed on {threads} threads, or timed while the machine had
more to do than processors, or stopped; `--timings LOAD` of `bench/peers/run.py` times such rows
again.

Machine: {machine}. {versions}{builds}
"""

MIXED = " (rows of a high load; do not compare seconds of the two)"


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


def table(rows):
    lines = [["", "NDCG@10", "train s", "choice s", "CPU s", "score s", "MiB", "load"]]
    for row in rows:
        clock = [f"{row[k]:.1f}" if on_clock(row) else "-" for k in ("train_s", "choice_s")]
        lines.append([row["title"], f"{row['ndcg']:.4f}", *clock,
                      f"{row['cpu_s']:.1f}" if row["cpu_s"] is not None else "-",
                      f"{row['score_s']:.2f}" if on_clock(row) else "-",
                      f"{row['bytes'] / 2**20:.0f}",
                      f"{max(r['load'] for r in row['all']):.1f}"])
    return markdown(lines)


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
    """Our boosted trees beside LightGBM's defaults, in seconds."""
    ours = next((r for r in rows if r["title"].startswith("Peck lambdamart")), None)
    peer = next((r for r in rows if r["title"] == "LightGBM lambdarank, defaults"), None)
    if not (ours and peer and on_clock(ours) and on_clock(peer)):
        return []
    whole, last = (ours[k] / peer["train_s"] for k in ("choice_s", "train_s"))
    return [f"Beside LightGBM with its defaults `lambdamart` takes {whole:.2f} times as long with "
            f"the choice of the size, {last:.2f} times without it."]


def verdict(rows):
    """Who is above the best peer, on this seed."""
    peer = next((r for r in rows if not r["title"].startswith("Peck")), None)
    ours = [r for r in rows if r["title"].startswith("Peck")]
    if not (peer and ours):
        return []
    less = ", ".join(f"{r['title'][5:].split(' ')[0]} {r['ndcg'] - peer['ndcg']:+.4f}"
                     for r in ours)
    return [f"Ours less the best peer that was measured ({peer['title']}): {less}."]


def section(found):
    rows = {data: rows_of(jobs) for data, jobs in found.items()}
    every = [at for jobs in found.values() for at in jobs if at["result"]]
    versions = sorted({f"{TITLES[at['name']]} {at['result']['version']}" for at in every
                       if "version" in at["result"]})
    machines = sorted({at["result"]["machine"] for at in every})
    builds = sorted({at["result"]["mark"] for at in every if at["name"] == "peck"})
    parts = [PREFACE.format(
        sets=", ".join(f"`{name}` ({what})" for name, what in SETS.items()),
        machine="; ".join(machines) + (MIXED if len(machines) > 1 else ""),
        **{part: queries for part, (_, queries) in PARTS.items()}, threads=THREADS,
        grid=len(next(iter(PEERS.values()))[2]), versions=", ".join(versions) + "." if versions else "",
        builds=f" Build {', '.join(builds)}." if builds else "")]
    for data, of_set in rows.items():
        chosen = [f"{r['title'].split(',')[0]}: {words(r['setting'])}" for r in of_set
                  if "setting" in r]
        said = [*gaps(found[data]), *verdict(of_set), *ratio(of_set)]
        if chosen:
            said.append(f"Chosen by the grids: {'; '.join(chosen)}.")
        parts.append("\n".join([f"### {data}, {SETS[data]}\n", table(of_set),
                                "\n\n".join(said) + "\n"]))
    return "\n".join(parts)
