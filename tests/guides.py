"""guides.py -- walks through the guides as a reader does who copies every command: each page in an
empty folder, with Peck installed as `make install` does, all its blocks of sh one after the
other.  A block ```sh waits``` serves until it is stopped: it must print an address, which must
answer.  What a page shows as printed (```text``` below a block) must be what the commands print."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", *(f"docs/{name}.md" for name in ("START", "METHODS", "NUMBERS", "COMING", "SERVING")),
         *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/tutorials/*.md"))]
BLOCK = re.compile(r"^```(sh|sh waits|text)\n(.*?)^```", re.M | re.S)
BUILDS = "sh scripts/"  # what installs and builds Peck itself is not run here


def install(prefix):
    done = subprocess.run(["make", "-s", "-C", ROOT, "install", f"PREFIX={prefix}"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"make install: {done.stdout}")
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    library = f"{prefix}/lib"
    return {**env, "PATH": f"{prefix}/bin:{env['PATH']}", "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": library,
            "PKG_CONFIG_PATH": f"{library}/pkgconfig", "TERM": "dumb"}


def run(commands, folder, env):
    """What a block prints, and what is wrong with it."""
    done = subprocess.run(["sh", "-e"], input=commands, cwd=folder, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace")
    wrong = f"exit status {done.returncode}: {done.stderr[-2000:]}" if done.returncode else None
    return done.stdout, wrong


def served(commands, folder, env):
    """Of a block that waits: what is wrong."""
    process = subprocess.Popen(["sh", "-c", f"exec {commands}"], cwd=folder, env=env, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said, end = "", time.monotonic() + 20
    try:
        while "http://" not in said and time.monotonic() < end:
            line = process.stdout.readline()
            if not line:
                return f"it ended: {said}"
            said += line
        address = re.search(r"http://\S+", said)
        if address is None:
            return f"no address in {said}"
        with urllib.request.urlopen(address[0], timeout=20) as page:
            if b"<html" not in page.read(4096).lower():
                return f"{address[0]} is no page"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    return None


def walk(page, folder, env):
    """(commands, what is wrong) of every block that failed; how many there were."""
    found, n, printed = [], 0, ""
    for kind, text in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if kind == "text":
            shown = [line.strip() for line in text.splitlines() if line.strip() not in ("", "…", "...")]
            told = [" ".join(line.split()) for line in printed.splitlines()]
            missing = [line for line in shown if n and " ".join(line.split()) not in told]
            if missing:
                found.append((text, f"is not what was printed: {missing[0]!r} is not in\n{printed}"))
            continue
        if text.startswith(BUILDS):
            continue
        n += 1
        if kind == "sh waits":
            wrong = served(text.strip(), folder, env)
        else:
            printed, wrong = run(text, folder, env)
        if wrong:
            return [*found, (text, wrong)], n
    return found, n


def main():
    failed = 0
    pages = sys.argv[1:] or PAGES
    with tempfile.TemporaryDirectory() as scratch:
        env = install(f"{scratch}/usr")
        for page in pages:
            folder = Path(scratch) / page.replace("/", "-")
            folder.mkdir()
            began = time.monotonic()
            found, n = walk(page, folder, env)
            if n == 0:
                found.append(("", "there is no command in it"))
            for commands, wrong in found:
                print(f"{page}: {wrong}\n--- of ---\n{commands}")
            failed += bool(found)
            if "-v" in os.environ.get("GUIDES", ""):
                print(f"{page}: {n} blocks, {time.monotonic() - began:.1f} s")
    print(f"guides: {len(pages)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
