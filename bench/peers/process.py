"""Other programs: what they say, how long they take and how much memory."""
import collections
import os
import select
import signal
import subprocess
import time

# Seconds of the clock and of the processors, peak bytes, whether it ran past its limit, and how
# many threads of the machine wanted to run meanwhile, on the average, its own among them.
Used = collections.namedtuple("Used", "seconds cpu bytes over load")
SAMPLE = 0.5  # seconds


def words_of(command):
    return [str(w) for w in command]


def run(*command, **more):
    done = subprocess.run(words_of(command), capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words_of(command))}\n{done.stderr[-2000:]}")
    return done.stdout


def running():
    """Threads of the machine that run or want to, now; this one is not counted."""
    with open("/proc/loadavg") as told:
        return int(told.read().split()[3].partition("/")[0]) - 1


def timed(*command, limit=None, out=os.devnull, env=None):
    """What a command takes; one that runs past so many seconds is stopped.  out: where what it
    prints goes."""
    start = time.perf_counter()
    with open(out, "w") as told:
        child = subprocess.Popen(words_of(command), stdout=told, env=env)
    ends = os.pidfd_open(child.pid)
    load, over = [], False
    while not select.select([ends], [], [], SAMPLE)[0] and not over:
        load.append(running())
        over = limit is not None and time.perf_counter() - start > limit
    os.close(ends)
    if over:
        os.kill(child.pid, signal.SIGKILL)
    _, status, used = os.wait4(child.pid, 0)
    if status != 0 and not over:
        raise SystemExit(f"{' '.join(words_of(command))}: failed")
    return Used(time.perf_counter() - start, used.ru_utime + used.ru_stime,
                used.ru_maxrss * 1024, over, sum(load) / len(load) if load else 1.0)
