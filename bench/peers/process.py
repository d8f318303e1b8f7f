"""Other programs: what they say, how long they take and how much memory."""
import collections
import os
import select
import signal
import subprocess
import time

# Seconds of the clock and of the processors, peak bytes, whether it ran past its limit, and how
# many processors were busy with other things meanwhile, on the average.
Used = collections.namedtuple("Used", "seconds cpu bytes over others")


def words_of(command):
    return [str(w) for w in command]


def run(*command, **more):
    done = subprocess.run(words_of(command), capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words_of(command))}\n{done.stderr[-2000:]}")
    return done.stdout


def busy():
    """Seconds of all processors that somebody used since the machine was started; what a
    hypervisor gave to other machines is among them."""
    with open("/proc/stat") as told:
        user, nice, system, _idle, _wait, *more = map(int, told.readline().split()[1:9])
    return (user + nice + system + sum(more)) / os.sysconf("SC_CLK_TCK")


def timed(*command, limit=None, out=os.devnull, env=None):
    """What a command takes; one that runs past so many seconds is stopped.  out: where what it
    prints goes."""
    start, before = time.perf_counter(), busy()
    with open(out, "w") as told:
        child = subprocess.Popen(words_of(command), stdout=told, env=env)
    ends = os.pidfd_open(child.pid)
    over = not select.select([ends], [], [], limit)[0]
    os.close(ends)
    if over:
        os.kill(child.pid, signal.SIGKILL)
    _, status, used = os.wait4(child.pid, 0)
    if status != 0 and not over:
        raise SystemExit(f"{' '.join(words_of(command))}: failed")
    seconds, cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
    others = max(0.0, busy() - before - cpu) / seconds
    return Used(seconds, cpu, used.ru_maxrss * 1024, over, others)
