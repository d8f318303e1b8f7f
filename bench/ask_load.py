#!/usr/bin/env python3
"""ask_load.py PECK [--voters 200] [--every 2] [--seconds 60] [--items 300] -- many people at
one poll.

Every voter answers the question that the page would show them every so many seconds, on a
connection that stays open, from this one process.  Beside them slow clients drip, broken ones
send noise, half bodies and posts from elsewhere, or hang up before the reply.  At the end the
server is killed (SIGKILL) and the file of votes is read: every answer that was acknowledged
must be there once.  Prints one line of times, from the first byte sent to the last one read;
the exit status is 1 when an answer is lost or doubled, a request failed, or the 99th
percentile is not below --limit milliseconds (50)."""
import argparse
import asyncio
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time


def start(peck, folder, n_items):
    items = os.path.join(folder, "items.txt")
    if not os.path.exists(items):
        with open(items, "w") as out:
            out.write("".join(f"item {i}\n" for i in range(n_items)))
    environment = {k: v for k, v in os.environ.items() if "DISPLAY" not in k}
    log = open(os.path.join(folder, "output"), "w+")
    process = subprocess.Popen([peck, "ask", items, "--web", "--voters", "first"], stdout=log,
                               stderr=log, stdin=subprocess.DEVNULL, env=environment)
    for _ in range(600):
        log.seek(0)
        match = re.search(r"http://([\d.]+):(\d+)(/o/[\w-]{22}/)", log.read())
        if match:
            return process, (match[1], int(match[2])), match[3]
        time.sleep(0.05)
    process.kill()
    sys.exit("the server does not start")


class Line:
    """One connection that is kept, and opened anew when the server has closed it."""

    def __init__(self, address):
        self.address, self.host = address, f"{address[0]}:{address[1]}"
        self.reader = self.writer = None

    async def ask(self, method, path, body=None):
        """(status, body, seconds)."""
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n"
        if method == "POST":
            head += ("Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\n"
                     f"Origin: http://{self.host}\r\nContent-Length: {len(data)}\r\n")
        for attempt in (0, 1):
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection(*self.address)
            begin = time.perf_counter()
            try:
                self.writer.write(head.encode() + b"\r\n" + data)
                top = await self.reader.readuntil(b"\r\n\r\n")
                length = int(re.search(rb"(?i)content-length: (\d+)", top)[1])
                content = await self.reader.readexactly(length)
                return int(top[9:12]), content, time.perf_counter() - begin
            except (OSError, asyncio.IncompleteReadError):
                # Closed for being idle; an answer may be sent again.
                self.writer.close()
                self.writer = None
                if attempt:
                    raise
        return None


class Load:
    def __init__(self, options, address, owner):
        self.o, self.address, self.owner = options, address, owner
        self.end = 0.0
        self.times, self.failures, self.acknowledged = [], [], []
        self.n_slow = self.n_broken = 0

    async def voter(self, path, number):
        line = Line(self.address)
        await asyncio.sleep(self.o.every * number / self.o.voters)
        _, content, _ = await line.ask("GET", path + "api/state")
        state = json.loads(content)
        due = time.monotonic()
        while time.monotonic() < self.end:
            pair = state["pair"]
            if pair is None:
                self.failures.append("no pair")
                return
            answer = {"question": pair["question"], "left": pair["left"],
                      "right": pair["right"], "outcome": random.choice(["left", "right"])}
            try:
                status, content, seconds = await line.ask("POST", path + "api/answer", answer)
            except (OSError, asyncio.IncompleteReadError) as why:
                self.failures.append(repr(why))
                return
            if status == 200:
                self.acknowledged.append(pair["question"])
                self.times.append(seconds)
                state = json.loads(content)
            else:
                self.failures.append(content[:200].decode())
            due += self.o.every
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def slow(self):
        """Drips the head of a request, or reads nothing of a reply."""
        while time.monotonic() < self.end:
            try:
                _, writer = await asyncio.open_connection(*self.address)
                self.n_slow += 1
                writer.write(f"GET {self.owner}api/state HTTP/1.1\r\nHost: x\r\nX: ".encode())
                while time.monotonic() < self.end:
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(0.5)
                writer.close()
            except OSError:
                pass

    async def broken(self):
        host = f"{self.address[0]}:{self.address[1]}"
        post = f"POST {self.owner}api/answer HTTP/1.1\r\nHost: {host}\r\n"
        kinds = [bytes(random.randrange(256) for _ in range(300)) + b"\r\n\r\n",
                 f"GET {self.owner}api/state HTTP/1.1\r\nHost: evil.example\r\n\r\n".encode(),
                 f"{post}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{{".encode(),
                 f"{post}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}".encode(),
                 f"{post}Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{{{{{{".encode(),
                 f"GET {self.owner}api/results HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()]
        while time.monotonic() < self.end:
            try:
                reader, writer = await asyncio.open_connection(*self.address)
                self.n_broken += 1
                writer.write(random.choice(kinds))
                if random.random() < 0.5:
                    await asyncio.wait_for(reader.read(100), 1)
                writer.transport.abort()
            except (OSError, asyncio.TimeoutError):
                pass
            await asyncio.sleep(0.2)

    async def run(self):
        line, paths = Line(self.address), []
        for i in range(self.o.voters):
            status, content, _ = await line.ask("POST", self.owner + "api/voters",
                                                {"name": f"voter {i}"})
            if status != 200:
                sys.exit(content.decode())
            paths.append(re.search(r"/v/[\w-]+/", json.loads(content)["link"])[0])
        self.end = time.monotonic() + self.o.seconds
        await asyncio.gather(*(self.voter(path, i) for i, path in enumerate(paths)),
                             *(self.slow() for _ in range(self.o.slow)),
                             *(self.broken() for _ in range(self.o.broken)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peck")
    for name, value in (("voters", 200), ("every", 2.0), ("seconds", 60.0), ("items", 300),
                        ("slow", 50), ("broken", 10), ("limit", 50.0)):
        parser.add_argument(f"--{name}", type=type(value), default=value)
    options = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        process, address, owner = start(os.path.abspath(options.peck), folder, options.items)
        load = Load(options, address, owner)
        try:
            asyncio.run(load.run())
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        votes = sqlite3.connect(os.path.join(folder, "items.txt.votes"))
        stored = [row[0] for row in votes.execute("SELECT question FROM answers")]
        votes.close()
    times = sorted(load.times)
    lost = set(load.acknowledged) - set(stored)
    doubled = len(stored) - len(set(stored))

    def at(share):
        return 1000 * times[min(len(times) - 1, int(share * len(times)))] if times else 0.0

    print(f"{options.voters} voters, {options.items} items, {options.seconds:g} s: "
          f"{len(times)} answers acknowledged, {len(lost)} lost, {doubled} doubled, "
          f"{len(load.failures)} failed; milliseconds: median {at(.5):.1f}, 99 % {at(.99):.1f}, "
          f"99.9 % {at(.999):.1f}, most {at(1):.1f}; beside {load.n_slow} slow and "
          f"{load.n_broken} broken connections")
    for why in load.failures[:5]:
        print(f"failed: {why}")
    is_good = times and not lost and not doubled and not load.failures and at(.99) < options.limit
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
