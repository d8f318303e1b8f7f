"""A headless Chromium, driven over a pipe: its DevTools protocol, one JSON message at a
time, each ended by a zero byte.  Nothing but the standard library is needed."""
import base64
import json
import os
import shutil
import select
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """The program's path, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page.  `messages` holds what its console and its log said, `requests` every
    address that it asked for."""

    def __init__(self, program):
        # Its helpers may still write there when it has ended.
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.of, theirs_out = os.pipe()

        def hand_over():
            os.dup2(theirs_in, 103)
            os.dup2(theirs_out, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        flags = ["--headless", "--disable-gpu", "--no-first-run", "--no-sandbox",
                 "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--remote-debugging-pipe", "--user-data-dir=" + self.profile.name]
        self.process = subprocess.Popen([program, *flags, "about:blank"], close_fds=False,
                                        preexec_fn=hand_over, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.number, self.session = b"", 0, None
        self.messages, self.requests, self.loaded = [], [], False
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page,
                                flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.ask(part + ".enable")

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.of, 1 << 16)
            if not more:
                raise RuntimeError("Chromium went away")
            self.rest += more
        first, self.rest = self.rest.split(b"\0", 1)
        return json.loads(first)

    def note(self, event):
        method, data = event.get("method"), event.get("params", {})
        if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled",
                      "Log.entryAdded"):
            self.messages.append(json.dumps(data)[:500])
        elif method == "Network.requestWillBeSent":
            self.requests.append(data["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def ask(self, method, **params):
        """The answer to one command; events that come before it are noted."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path):
        """A file, or an address."""
        self.messages, self.requests, self.loaded = [], [], False
        self.ask("Page.navigate",
                 url=path if "://" in path else "file://" + os.path.abspath(path))
        while not self.loaded:
            self.note(self.read())

    def reload(self):
        self.loaded = False
        self.ask("Page.reload")
        while not self.loaded:
            self.note(self.read())

    def wait(self, script, what, seconds=20):
        """Until an expression is true, looked at a hundred times a second."""
        end = time.monotonic() + seconds
        while not self.value(f"Boolean({script})"):
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s in vain: {what}")
            select.select([self.of], [], [], 0.01)

    def press(self, key, shift=False, ctrl=False):
        """A key, down and up, as a keyboard sends it."""
        text = key if len(key) == 1 and not ctrl else "\r" if key == "Enter" else ""
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38,
                "ArrowRight": 39, "ArrowDown": 40}.get(key) or ord(key.upper())
        held = {"key": key, "windowsVirtualKeyCode": code,
                "modifiers": (8 if shift else 0) + (2 if ctrl else 0)}
        self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown",
                 **held, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **held)

    def spot(self, selector):
        """The middle of an element on the screen."""
        return self.value(f"""(() => {{
          const e = document.querySelector({json.dumps(selector)});
          e.scrollIntoView({{ block: 'center' }});
          const b = e.getBoundingClientRect();
          return [b.x + b.width / 2, b.y + b.height / 2];
        }})()""")

    def click(self, selector, hold=0.0, shift=False):
        x, y = self.spot(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                     clickCount=1, modifiers=8 if shift else 0)
            time.sleep(hold if kind == "mousePressed" else 0)

    def swipe(self, selector, dx):
        """A finger that goes dx pixels to the right."""
        x, y = self.spot(selector)
        self.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for step in range(1, 9):
            self.ask("Input.dispatchTouchEvent", type="touchMove",
                     touchPoints=[{"x": x + dx * step / 8, "y": y}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def value(self, script):
        """What an expression of JavaScript comes to; a promise is waited for."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True,
                          awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def look(self, width, dark=False, media="screen"):
        """As seen on a screen of this width, light or dark, or on paper."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def shoot(self, path):
        """The whole page as a PNG file."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        image = self.ask("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as out:
            out.write(base64.b64decode(image["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        self.profile.cleanup()
