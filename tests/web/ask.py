"""ask.py PECK -- `peck ask --web` over real sockets, as strangers and other pages would use it:
names bound anew, posts from elsewhere, paths that lead out, bodies that are too long or broken,
clients that drip; answers sent twice; the server killed and started again."""
import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
                    "0000000c49444154789c63f8cfc000000301010018dd8db00000000049454e44ae426082")
GUARDS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
                               "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
                               "form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
REQUEST_SECONDS = 20  # HTTP_REQUEST_SECONDS of web/http.h


class Server:
    """A running `peck ask --web`; links by name, the owner's under "you"."""

    def __init__(self, peck, folder, *options):
        self.output = open(os.path.join(folder, "output"), "w+")
        words = [peck, "ask", os.path.join(folder, "in", "items.csv"), "--web", *options]
        environment = {k: v for k, v in os.environ.items() if "DISPLAY" not in k}
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.output,
                                        stderr=self.output, env=environment)
        self.text, self.links = "", []
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            self.output.seek(0)
            self.text = self.output.read()
            self.links = re.findall(r"http://([^/\s]+)(/[ov]/[\w-]{22}/)", self.text)
            if "/o/" in self.text and self.text.count("/v/") >= 2 and self.text.endswith("\n"):
                break
            time.sleep(0.05)
        self.host = self.links[0][0] if self.links else None
        self.owner = next((p for _, p in self.links if p.startswith("/o/")), None)
        self.voters = [p for _, p in self.links if p.startswith("/v/")]
        if self.host:
            name, port = self.host.rsplit(":", 1)
            self.address = (name, int(port))

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "did not stop"

    def raw(self, data, timeout=10):
        """Sends bytes, reads all that comes back until the other side is done."""
        with socket.create_connection(self.address, timeout) as s:
            try:
                s.sendall(data)
            except OSError:
                pass  # the reply may be there already
            got = b""
            try:
                while True:
                    piece = s.recv(65536)
                    if not piece:
                        break
                    got += piece
                    if complete(got):
                        break
            except OSError:
                pass
            return got

    def status(self, data):
        match = re.match(rb"HTTP/1\.[01] (\d{3}) ", self.raw(data))
        return int(match.group(1)) if match else None

    def ask(self, method, path, body=None, headers=None, **more):
        """(status, headers in small letters, body) of one request as our own page sends it."""
        connection = http.client.HTTPConnection(*self.address, timeout=10)
        whole = {"Host": self.host}
        if method == "POST":
            whole.update({"Content-Type": "application/json", "Origin": "http://" + self.host,
                          "Sec-Fetch-Site": "same-origin"})
            body = json.dumps(body) if not isinstance(body, (str, bytes)) else body
        whole.update(headers or {})
        connection.request(method, path, body, {k: v for k, v in whole.items() if v is not None},
                           **more)
        reply = connection.getresponse()
        content = reply.read()
        connection.close()
        return reply.status, {k.lower(): v for k, v in reply.getheaders()}, content

    def state(self, path):
        return json.loads(self.ask("GET", path + "api/state")[2])

    def answer(self, path, question, left, right, outcome="left"):
        status, _, body = self.ask("POST", path + "api/answer", {
            "question": question, "left": left, "right": right, "outcome": outcome})
        return json.loads(body) if status == 200 else status


def complete(data):
    """Whether a whole reply is there, by its length."""
    head, mark, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    return bool(mark) and length is not None and len(body) >= int(length.group(1))


def request(method, path, host, body=b"", *headers):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers]
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Tests:
    def __init__(self, peck, folder):
        self.peck, self.folder = peck, folder
        self.n = self.n_failed = 0

    def expect(self, what, got, wanted):
        self.n += 1
        if got != wanted:
            self.n_failed += 1
            print(f"{what}: {got!r}, not {wanted!r}")

    def among(self, what, got, wanted):
        self.expect(what, got if got not in wanted else True, True)

    def fill(self):
        inside = os.path.join(self.folder, "in")
        os.mkdir(inside)
        for name in ("in/a.png", "secret.png"):
            with open(os.path.join(self.folder, name), "wb") as out:
                out.write(PNG)
        os.symlink("../secret.png", os.path.join(inside, "out.png"))
        os.symlink("..", os.path.join(inside, "up"))
        with open(os.path.join(inside, "b.svg"), "w") as out:
            out.write("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
        with open(os.path.join(inside, "items.csv"), "w") as out:
            out.write("name,image\ngood,a.png\n<img src=x onerror=alert(1)>,\nlink,out.png\n"
                      "way,up/secret.png\ngone,none.png\ndrawing,b.svg\n")

    def start(self):
        server = Server(self.peck, self.folder, "--voters", "Ann,Ben")
        self.expect("the server starts", server.process.poll(), None)
        if server.owner is None or len(server.voters) != 2:
            server.stop(signal.SIGKILL)
            sys.exit(f"no links in: {server.text}")
        return server

    # Who asks ----------------------------------------------------------------------------

    def strangers(self, s):
        page, undo = s.owner, s.owner + "api/undo"
        self.expect("the page", s.ask("GET", page)[0], 200)
        self.expect("HEAD", s.ask("HEAD", page)[2], b"")
        for host in ("evil.example", f"evil.example:{s.address[1]}", "127.0.0.1", "127.0.0.1:1"):
            self.expect(f"Host {host}", s.status(request("GET", page, host)), 421)
            self.expect(f"Host {host}, POST", s.ask("POST", undo, {}, {"Host": host})[0], 421)
        self.expect("Host twice", s.status(request("GET", page, s.host, b"", "Host: evil")), 400)
        self.expect("no Host", s.status(f"GET {page} HTTP/1.1\r\n\r\n".encode()), 400)
        self.expect("no Host, HTTP/1.0", s.status(f"GET {page} HTTP/1.0\r\n\r\n".encode()), 421)
        for name, value in (("Origin", "http://evil.example"), ("Origin", "null"),
                            ("Origin", "https://" + s.host), ("Sec-Fetch-Site", "cross-site"),
                            ("Sec-Fetch-Site", "same-site")):
            status = s.ask("POST", undo, {}, {name: value})[0]
            self.expect(f"POST, {name} {value}", status, 403)
        self.expect("POST of a form", s.ask("POST", undo, "a=b", {
            "Content-Type": "application/x-www-form-urlencoded"})[0], 415)
        self.expect("POST of text", s.ask("POST", undo, {}, {"Content-Type": "text/plain"})[0], 415)
        self.expect("a picture in another page", s.ask("GET", page + "picture/1", headers={
            "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"})[0], 403)
        self.expect("a link from elsewhere", s.ask("GET", page, headers={
            "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})[0], 200)
        token = page.split("/")[2]
        for wrong in (token[:-1], token + "A", "A" * 22, token[:-1] + ("A" if token[-1] != "A"
                                                                       else "B")):
            self.expect("a wrong token", s.ask("GET", f"/o/{wrong}/api/state")[0], 403)
        self.expect("the owner's token as a voter's", s.ask("GET", f"/v/{token}/")[0], 403)
        for path, body in (("api/items", {"paste": "x"}), ("api/voters", {"name": "Eve"}),
                           ("api/goal", {"top": 1}), ("api/out", {"item": 1, "out": True})):
            self.expect(f"{path} of a voter", s.ask("POST", s.voters[0] + path, body)[0], 403)

    def headers(self, s):
        for method, path in (("GET", s.owner), ("GET", "/static/ask.js"), ("GET", "/"),
                             ("GET", s.owner + "api/state"), ("GET", "/o/x/"), ("PUT", "/"),
                             ("GET", s.owner + "picture/1"), ("GET", "/%2e%2e/"),
                             ("POST", s.owner + "api/nothing")):
            _, got, _ = s.ask(method, path, {} if method == "POST" else None)
            for name, value in GUARDS.items():
                self.expect(f"{name} of {method} {path}", got.get(name), value)
            self.expect(f"permissions of {method} {path}",
                        "camera=()" in got.get("permissions-policy", ""), True)
            self.expect(f"no CORS of {method} {path}",
                        [k for k in got if k.startswith("access-control")], [])
        self.expect("state is not kept", s.ask("GET", s.owner + "api/state")[1]["cache-control"],
                    "no-store")
        _, got, _ = s.ask("GET", "/static/ask.js")
        self.expect("kept files", s.ask("GET", "/static/ask.js", headers={
            "If-None-Match": got["etag"]})[0], 304)

    # What is asked -----------------------------------------------------------------------

    def paths(self, s):
        status, got, body = s.ask("GET", s.owner + "picture/1")
        self.expect("a picture", (status, got["content-type"], body), (200, "image/png", PNG))
        for item, wanted in ((3, 403), (4, 403), (5, 404), (2, 404), (77, 404)):
            self.expect(f"picture {item}", s.ask("GET", f"{s.owner}picture/{item}")[0], wanted)
        self.expect("a drawing", s.ask("GET", s.owner + "picture/6")[0], 415)
        for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/%2e%2e/a",
                     "/static/..%2f..%2fetc/passwd", "/static/../http.c", "/a%00b", "/a%5c..",
                     "/%c0%ae%c0%ae/", s.owner + "picture/..%2f..%2fsecret.png",
                     s.owner + "../../", "/" + "a" * 2000):
            self.expect(f"path {path[:60]}", s.status(request("GET", path, s.host)), 400)
        for path in ("/static/guard.c", "/static/", "/etc/passwd", "/start/x"):
            self.expect(f"path {path}", s.status(request("GET", path, s.host)), 404)
        for path in ("*", "http://evil.example/"):
            self.among(f"path {path}", s.status(request("GET", path, s.host)), (400, 403, 404))

    def methods(self, s):
        for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"):
            self.expect(method, s.status(request(method, s.owner + "api/undo", s.host)), 405)
        self.expect("GET of a change", s.ask("GET", s.owner + "api/answer")[0], 405)
        self.expect("POST of a reading", s.ask("POST", s.owner + "api/state", {})[0], 405)
        self.expect("no call", s.ask("GET", s.owner + "api/none")[0], 404)
        for data in (b"\r\n\r\n", b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\0\x01",
                     b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", b"A" * 100000):
            s.raw(data, 2)
        self.expect("served after noise", s.ask("GET", s.owner + "api/state")[0], 200)

    def bodies(self, s):
        path, kind = s.owner + "api/answer", "Content-Type: application/json"
        before = s.state(s.owner)["asked"]
        for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"question":', b"[" * 5000,
                     b'{"question":"q","left":1,"right":2,"outcome":"sideways"}',
                     b'{"question":"q","left":1,"right":1,"outcome":"left"}',
                     b'{"question":"q","left":1,"right":77,"outcome":"left"}',
                     b'{"question":"' + b"q" * 5000 + b'","left":1,"right":2,"outcome":"left"}'):
            self.expect(f"body {body[:40]}", s.ask("POST", path, body)[0], 400)
        head = f"POST {path} HTTP/1.1\r\nHost: {s.host}\r\n{kind}\r\n"
        self.expect("a body announced as too long",
                    s.status(f"{head}Content-Length: 300000\r\n\r\n".encode() + b"x" * 1000), 413)
        self.among("a body that is too long",
                   s.status(f"{head}Content-Length: 9000000\r\n\r\n".encode() + b"x" * 9000000),
                   (413, None))  # it may be cut off while it sends
        self.expect("the longest body", s.ask("POST", path, b" " * (256 << 10))[0], 400)
        for coding in ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked\r\n"
                                                     "Content-Length: 5"):
            self.among("a body in pieces", s.status(
                f"{head}{coding}\r\n\r\n5\r\n{{}}   \r\n0\r\n\r\n".encode()), (400, 411))
        self.among("no length", s.status(f"{head}\r\n".encode()), (400, 411))
        self.among("two lengths", s.status(
            f"{head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}} ".encode()), (400, None))
        for length in ("-1", "x", "18446744073709551616"):
            self.among(f"length {length}", s.status(
                f"{head}Content-Length: {length}\r\n\r\n{{}}".encode()), (400, 413, None))
        self.among("GET with a body", s.status(request("GET", s.owner, s.host, b"{}")), (400, 413))
        self.among("headers that are too long", s.status(
            request("GET", s.owner, s.host, b"", "X: " + "y" * 60000)), (400, 413, 431, None))
        self.among("too many headers", s.status(
            request("GET", s.owner, s.host, b"", *["X: y"] * 9000)), (400, 413, 431, None))
        self.among("an endless line", s.status(b"GET /" + b"a" * 100000), (400, 414, 431, None))
        self.expect("nothing was stored", s.state(s.owner)["asked"], before)

    # What it does ------------------------------------------------------------------------

    def answers(self, s):
        ann, ben = s.voters
        for _ in range(3):
            state = s.answer(ann, "once", 1, 2)
            self.expect("sent again", state["asked"], 1)
        self.expect("another voter's progress is their own", s.state(ben)["asked"], 0)
        items = json.loads(s.ask("GET", ann + "api/items")[2])
        self.expect("markup stays text", items["items"][1]["name"], "<img src=x onerror=alert(1)>")
        self.expect("a voter is told no path", self.folder in items["command"], False)
        self.expect("an export before the end", s.ask("GET", ann + "export/csv")[0], 403)

        def many(path, name):
            with_errors = [i for i in range(40) if not isinstance(
                s.answer(path, f"{name}-{i}", 1 + i % 6, 1 + (i + 1) % 6), dict)]
            errors.extend(with_errors)

        errors = []
        people = [threading.Thread(target=many, args=p) for p in ((ann, "a"), (ben, "b"))]
        for person in people:
            person.start()
        for person in people:
            person.join()
        self.expect("two voters at once", errors, [])
        self.expect("Ann's answers", s.state(ann)["asked"], 41)
        self.expect("Ben's answers", s.state(ben)["asked"], 40)

    def kill(self, s):
        """SIGKILL while answers come: what was acknowledged is there, once."""
        acknowledged, ann = [], s.voters[0]
        before = s.state(ann)["asked"]

        def answering():
            for i in range(100000):
                try:
                    if isinstance(s.answer(ann, f"kill-{i}", 1, 2), dict):
                        acknowledged.append(i)
                except (OSError, http.client.HTTPException):
                    return

        person = threading.Thread(target=answering)
        person.start()
        time.sleep(1)
        s.stop(signal.SIGKILL)
        person.join()
        again = self.start()
        self.expect("the same links", (again.host, again.owner, again.voters),
                    (s.host, s.owner, s.voters))
        stored = self.killed_answers()
        n = len(acknowledged)
        self.expect(f"{n} acknowledged: there, once", (n > 0, stored[:n]), (True, acknowledged))
        self.expect("at most one that was under way", stored[n:] in ([], [n]), True)
        self.expect("asked", again.state(ann)["asked"] - before, len(stored))
        for i in acknowledged[-3:]:
            again.answer(ann, f"kill-{i}", 1, 2)
        self.expect("sent again after the end", self.killed_answers(), stored)
        return again

    def killed_answers(self):
        """The numbers of the answers of `kill`, from the file itself."""
        votes = sqlite3.connect(f"file:{os.path.join(self.folder, 'in', 'items.csv.votes')}?mode=ro", uri=True)
        rows = votes.execute("SELECT question FROM answers WHERE question LIKE 'kill-%' AND is_deleted = 0")
        numbers = sorted(int(question.split("-")[1]) for question, in rows)
        votes.close()
        return numbers

    def slow(self, s, clients):
        """Clients that dripped all the while: cut off, and in nobody's way."""
        worst = 0
        for _ in range(20):
            start = time.monotonic()
            s.state(s.owner)
            worst = max(worst, time.monotonic() - start)
        self.expect(f"served beside them, {worst:.2f} s at worst", worst < 2, True)
        for client in clients:
            client.join()
        self.expect("slow clients are cut off", [c.lived for c in clients
                                                 if not c.lived < REQUEST_SECONDS + 6], [])

    def refusals(self):
        """Where it cannot or may not listen: one sentence each, that says what to do."""
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            port = str(busy.getsockname()[1])
            every = ["--voters", "Ann,Ben"]
            for words, status, says in (
                    (["--listen", "0.0.0.0"], 2, "--listen 0.0.0.0: others could answer; add --voters"),
                    (["--listen", "::1"], 2, "--listen ::1: others could answer; add --voters"),
                    (["--listen", "127.0.0.1"], 2, "--listen 127.0.0.1: others could answer; add --voters"),
                    (["--port", port], 4, f"--port {port} at 127.0.0.1: Address already in use; give another port"),
                    (["--port", "65536"], 2, "--port takes a number from 0 to 65535"),
                    (["--listen", "300.1.1.1", *every], 2, "--listen 300.1.1.1: .*; give an address of this machine"),
                    (["--listen", "192.0.2.1", *every], 4, "--listen 192.0.2.1: .*; give an address of this machine"),
                    (["--listen", "192.0.2.1", "--port", port, *every], 4,
                     "--listen 192.0.2.1: .*; give an address of this machine")):
                with self.asking(*words) as process:
                    try:
                        told, error = process.communicate(timeout=20)
                    except subprocess.TimeoutExpired:
                        process.kill()
                        told, error = process.communicate()
                self.expect(f"{' '.join(words)}: refused", (process.returncode, told), (status, ""))
                self.expect(f"{' '.join(words)}: {error}", bool(re.fullmatch(f"peck ask: {says}[^\n]*\n", error)), True)

    def asking(self, *words):
        return subprocess.Popen([self.peck, "ask", os.path.join(self.folder, "in", "items.csv"), "--web", *words],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def elsewhere(self):
        """IPv6, and all addresses of this machine: the owner's link works."""
        for address, host in (("::1", r"\[::1\]"), ("0.0.0.0", r"127\.0\.0\.1")):
            with self.asking("--listen", address, "--voters", "Ann,Ben") as process:
                link = re.search(rf"http://({host}:(\d+))(/o/\S+)", process.stdout.readline())
                if link:
                    name = link[1].rsplit(":", 1)[0].strip("[]")
                    connection = http.client.HTTPConnection(name, int(link[2]), timeout=10)
                    connection.request("GET", link[3] + "api/state", headers={"Host": link[1]})
                    self.expect(f"served at {link[1]}", connection.getresponse().status, 200)
                    connection.close()
                    process.terminate()
                error = process.stderr.read()
            # A machine may have no IPv6.
            self.expect(f"--listen {address}: {error}", bool(link) or (":" in address and bool(
                re.fullmatch("peck ask: --listen ::1: [^\n]*; give an address of this machine\n", error))), True)


class Dripping(threading.Thread):
    """A client that sends a byte now and then, in the head or in the body of a request."""

    def __init__(self, server, in_body):
        super().__init__(daemon=True)
        self.server, self.in_body, self.lived = server, in_body, 1e9

    def run(self):
        head = f"GET {self.server.owner} HTTP/1.1\r\nHost: {self.server.host}\r\nX: "
        if self.in_body:
            head = (f"POST {self.server.owner}api/undo HTTP/1.1\r\nHost: {self.server.host}\r\n"
                    "Content-Type: application/json\r\nContent-Length: 10000\r\n\r\n")
        start = time.monotonic()
        with socket.create_connection(self.server.address, 60) as s:
            try:
                s.sendall(head.encode())
                while time.monotonic() - start < 3 * REQUEST_SECONDS:
                    s.sendall(b" ")
                    s.settimeout(1)
                    try:
                        if s.recv(1000) == b"":
                            break
                    except socket.timeout:
                        pass
                else:
                    return
            except OSError:
                pass
            self.lived = time.monotonic() - start


def main():
    peck = os.path.abspath(sys.argv[1])
    probe = subprocess.run([peck, "ask", "--web", os.devnull], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    for package in ("libmicrohttpd-dev", "libsqlite3-dev"):
        if package in probe.stderr:
            print(f"skipped: the server of peck ask; it was built without {package}")
            print("web: 1 cases, 0 failed, 1 skipped")
            return 0
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(peck, folder)
        tests.fill()
        tests.refusals()
        tests.elsewhere()
        server = tests.start()
        try:
            tests.strangers(server)
            tests.headers(server)
            tests.paths(server)
            tests.methods(server)
            tests.bodies(server)
            tests.answers(server)
            server = tests.kill(server)
            clients = [Dripping(server, bool(i % 2)) for i in range(60)]
            for client in clients:
                client.start()
            tests.slow(server, clients)
            tests.expect("SIGTERM ends it", server.stop(), 0)
        finally:
            server.stop(signal.SIGKILL)
    print(f"web: {tests.n} cases, {tests.n_failed} failed")
    return 1 if tests.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
