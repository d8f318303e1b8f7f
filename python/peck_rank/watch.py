"""Calls that take long: Ctrl-C reaches them, and they say how far they are.

The library runs without the interpreter's lock, in a thread of its own where the caller is the
main thread: Python hears signals in the main thread alone, and only between two steps of its
own, so that one has to be free to hear.
"""
from __future__ import annotations

import sys
import threading
import warnings
from typing import Any, Callable, Optional

from ._c import ffi, lib
from .errors import PeckWarning, check, in_python, new_error

_of_handle: Callable[[Any], "Watch"] = lambda ctx: ffi.from_handle(
    ffi.cast("py_watch *", ctx).self)


class Watch:
    """One call that is watched.  What its functions raise is raised when the call is over."""

    def __init__(self, heard: Optional[Callable[[float], Any]] = None) -> None:
        self._handle = ffi.new_handle(self)
        self.ctx = ffi.new("py_watch *", {"self": self._handle, "is_heard": heard is not None})
        self.heard = heard
        self.epoch: Optional[Callable[[Any], Any]] = None
        self.answer: Optional[Callable[..., Any]] = None
        self.keep: Optional[Callable[[Any], None]] = None
        self.said: list[str] = []
        self.failure: Optional[BaseException] = None

    def stop(self) -> None:
        """From any thread: the call ends as soon as the library looks."""
        self.ctx.stop = 1

    def failed(self, kind: Any, error: BaseException, trace: Any) -> None:
        self.failure = self.failure or error
        self.stop()

    def run(self, call: Callable[..., Any], *given: Any) -> Any:
        """The status of the call, once it is over; warnings are told, and what a function of
        yours raised is raised."""
        if threading.current_thread() is threading.main_thread():
            status = self._run_beside(call, given)
        else:
            status = call(*given)
        for text in self.said:
            warnings.warn(in_python(text), PeckWarning, stacklevel=4)
        return status

    def _run_beside(self, call: Callable[..., Any], given: Any) -> Any:
        is_over, status = threading.Event(), []

        def work() -> None:
            status.append(call(*given))
            is_over.set()

        threading.Thread(target=work, daemon=True).start()
        while not is_over.is_set():
            try:
                is_over.wait()  # not join: an interrupt would have it believe the end has come
            except BaseException as error:  # an interrupt, or what a handler of yours raised
                self.failed(type(error), error, None)
        return status[0]

    def made(self, kind: str, free: Callable[[Any], None], call: Callable[..., int],
             *given: Any) -> Any:
        """What a call makes, as `_call.made` has it, watched."""
        out, err = ffi.new(kind + " **"), new_error()
        status = self.run(call, out, *given, err)
        self.raise_failure()
        check(status, err)
        return ffi.gc(out[0], free)

    def raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure


def _on_error(kind: Any, error: BaseException, trace: Any) -> None:
    """CFFI would print what a function raised; the frame knows whose call it was."""
    _of_handle(trace.tb_frame.f_locals["ctx"]).failed(kind, error, trace)


@ffi.def_extern(onerror=_on_error, error=1)  # type: ignore[untyped-decorator]
def py_share(ctx: Any, share: float) -> int:
    watch = _of_handle(ctx)
    return 1 if watch.heard is not None and watch.heard(share) else 0


@ffi.def_extern(onerror=_on_error, error=1)  # type: ignore[untyped-decorator]
def py_epoch(ctx: Any, epoch: Any) -> int:
    watch = _of_handle(ctx)
    return 1 if watch.epoch is not None and watch.epoch(epoch) else 0


@ffi.def_extern(onerror=_on_error)  # type: ignore[untyped-decorator]
def py_warn(ctx: Any, text: Any) -> None:
    _of_handle(ctx).said.append(ffi.string(text).decode(errors="replace"))


@ffi.def_extern(onerror=_on_error, error=1)  # type: ignore[untyped-decorator]
def py_ask(ctx: Any, duel: Any, n_duels: int, h: Any) -> int:
    watch = _of_handle(ctx)
    return 1 if watch.answer is None or watch.answer(duel, n_duels, h) else 0


@ffi.def_extern(onerror=_on_error, error=lib.PECK_ARG)  # type: ignore[untyped-decorator]
def py_keep(ctx: Any, result: Any, err: Any) -> int:
    watch = _of_handle(ctx)
    if watch.keep is not None:
        watch.keep(result)
    return int(lib.PECK_OK)


class Progress:
    """A bar of tqdm where that is installed; else a plain line, in a terminal, or a few lines."""

    def __init__(self, title: str, is_shown: Any) -> None:
        self.title = title
        self.is_shown = bool(is_shown)
        self._bar: Any = None
        self._is_plain = False

    def _open(self, total: float) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._is_plain = True
        else:
            self._bar = tqdm(total=total, desc=self.title, leave=True)

    def tell(self, done: float, total: float, note: str = "") -> None:
        if not self.is_shown:
            return
        if self._bar is None and not self._is_plain:
            self._open(total)
        if self._bar is not None:
            self._bar.total = total
            self._bar.n = done
            self._bar.set_postfix_str(note)
        elif sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{self.title}: {done:g} of {total:g} {note}")
            sys.stderr.flush()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._is_plain and sys.stderr.isatty():
            sys.stderr.write("\n")
