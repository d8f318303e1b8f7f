"""A headless Chromium, driven over a pipe: its DevTools protocol, one JSON message at a
time, each ended by a zero byte.  Nothing but the standard library is needed."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """The program's path, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Pipe:
    """The program itself; `pages` has a Browser for each of its sessions."""

    def __init__(self, program):
        self.rest, self.number, self.pages = b"", 0, {}
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
                 "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
                 "--disable-backgrounding-occluded-windows",
                 "--remote-debugging-pipe", "--user-data-dir=" + self.profile.name]
        self.process = subprocess.Popen([program, *flags, "about:blank"], close_fds=False,
                                        preexec_fn=hand_over, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)

    def read(self):
        """The next message; an event is noted by its page."""
        while b"\0" not in self.rest:
            more = os.read(self.of, 1 << 16)
            if not more:
                raise RuntimeError("Chromium went away")
            self.rest += more
        first, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(first)
        if message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].note(message)
        return message

    def ask(self, method, params, session=None):
        """The answer to one command."""
        self.send(method, params, session)
        return self.answer(method)

    def send(self, method, params, session=None):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        os.write(self.to, json.dumps(command).encode() + b"\0")

    def answer(self, method):
        """To the last command that was sent."""
        while True:
            answer = self.read()
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            if answer.get("id") == self.number:
                return answer["result"]

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        self.profile.cleanup()


class Browser:
    """One page, of a program of its own or, with `beside`, of another's: they share nothing
    but the process.  `messages` holds what its console and its log said, `requests` every
    address that it asked for."""

    def __init__(self, program, beside=None):
        self.pipe = beside.pipe if beside else Pipe(program)
        self.is_first = beside is None
        self.messages, self.requests, self.loaded = [], [], False
        self.under_way = set()  # requests
        if beside:
            self.context = self.pipe.ask("Target.createBrowserContext", {})["browserContextId"]
            page = self.pipe.ask("Target.createTarget", {
                "url": "about:blank", "browserContextId": self.context})["targetId"]
        else:
            targets = self.pipe.ask("Target.getTargets", {})["targetInfos"]
            page = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.pipe.ask("Target.attachToTarget",
                                     {"targetId": page, "flatten": True})["sessionId"]
        self.pipe.pages[self.session] = self
        for part in ("Page", "Runtime", "Log", "Network"):
            self.ask(part + ".enable")
        self.ask("Emulation.setFocusEmulationEnabled", enabled=True)

    def note(self, event):
        method, data = event.get("method"), event.get("params", {})
        if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled",
                      "Log.entryAdded"):
            self.messages.append(json.dumps(data)[:500])
        elif method == "Network.requestWillBeSent":
            self.requests.append(data["request"]["url"])
            self.under_way.add(data["requestId"])
        elif method in ("Network.loadingFinished", "Network.loadingFailed"):
            self.under_way.discard(data["requestId"])
        elif method == "Page.frameNavigated":
            self.under_way.clear()  # of the page that was there before
        elif method == "Page.loadEventFired":
            self.loaded = True

    def ask(self, method, **params):
        """The answer to one command; events that come before it are noted."""
        return self.pipe.ask(method, params, self.session)

    def open(self, path):
        """A file, or an address."""
        self.messages, self.requests, self.loaded = [], [], False
        self.ask("Page.navigate",
                 url=path if "://" in path else "file://" + os.path.abspath(path))
        while not self.loaded:
            self.pipe.read()

    def reload(self):
        self.loaded = False
        self.ask("Page.reload")
        while not self.loaded:
            self.pipe.read()

    def wait(self, script, what, seconds=20):
        """Until an expression is true; the page itself looks, two hundred times a second.  A page that
        goes while it looks is asked again."""
        end = time.monotonic() + seconds
        while not self.value_or_gone(f"""new Promise((resolve, reject) => {{
              const end = performance.now() + 1000, look = () => {{
                try {{
                  if ({script}) resolve(true);
                  else if (performance.now() > end) resolve(false);
                  else setTimeout(look, 5);
                }} catch (error) {{ reject(error); }}
              }};
              look();
            }})"""):
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s in vain: {what}")

    def settle(self):
        """Until no request is under way, no animation runs and all is drawn."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            self.value("""new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
              .then(() => Promise.allSettled(document.getAnimations().map(a => a.finished))).then(() => true)""")
            if not self.under_way:
                return
        raise RuntimeError("the page does not come to rest")

    def press(self, key, shift=False, ctrl=False):
        """A key, down and up, as a keyboard sends it."""
        text = key if len(key) == 1 and not ctrl else "\r" if key == "Enter" else ""
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38,
                "ArrowRight": 39, "ArrowDown": 40}.get(key) or ord(key.upper())
        held = {"key": key, "windowsVirtualKeyCode": code,
                "modifiers": (8 if shift else 0) + (2 if ctrl else 0)}
        self.pipe.send("Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", **held,
                                                  **({"text": text} if text else {})}, self.session)
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

    def value_or_gone(self, script):
        """The same; None where the page went before it could tell."""
        try:
            return self.value(script)
        except RuntimeError as error:
            if any(word in str(error) for word in ("navigated", "context was destroyed", "was collected")):
                return None
            raise

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
        if self.is_first:
            self.pipe.close()
            return
        del self.pipe.pages[self.session]
        self.pipe.ask("Target.disposeBrowserContext", {"browserContextId": self.context})
