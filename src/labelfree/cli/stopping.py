"""Work that a person or the system stops: one line says what is kept, and the process ends soon."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from types import FrameType

from labelfree.cli.options import words_given

CODE = 130
_PATIENCE = 1.5  # seconds that work may take to stop when it is told to
_SIGNALS = (signal.SIGINT, signal.SIGTERM)

_END = b"\0"  # no signal's number

_kept: list[Callable[[], str]] = []


@dataclass
class Stop:
    """Whether the work was told to stop, and so much was said."""

    asked: bool = False
    _guard: threading.RLock = field(default_factory=threading.RLock)

    def say(self) -> None:
        """Say once what is kept, and see to it that the process ends soon."""
        with self._guard:
            if self.asked:
                return
            self.asked = True
            said = _kept[-1]() if _kept else "nothing is kept, and no file is half written"
            with suppress(OSError):
                print(f"labelfree: stopped; {said}", file=sys.stderr, flush=True)
            leave_soon()


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Have SIGINT and SIGTERM stop the work of the block, at once even in the midst of a long sum."""
    stop = Stop()

    def told(number: int, frame: FrameType | None) -> None:
        if number in asked:  # told twice: whatever is being tidied up can wait for the next run
            os._exit(CODE)
        asked.add(number)
        stop.say()
        raise KeyboardInterrupt

    asked: set[int] = set()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    heeded = [number for number, handler in before.items() if handler is not signal.SIG_IGN]  # as behind nohup
    with _watched(stop, heeded):
        for number in heeded:
            signal.signal(number, told)
        try:
            yield stop
        finally:
            for number in heeded:
                signal.signal(number, before[number])


@contextmanager
def _watched(stop: Stop, heeded: Sequence[int]) -> Iterator[None]:
    """Hear signals in a thread of its own, as the main one hears them only between two steps of Python."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)

    def watch() -> None:
        while (number := os.read(reading, 1)) not in (b"", _END):
            if number[0] in heeded:
                stop.say()
        os.close(reading)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    former = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(former)
        with suppress(BlockingIOError):
            os.write(writing, _END)
        os.close(writing)
        thread.join(_PATIENCE)


def leave_soon() -> None:
    """End the process when its patience is over, unless it has ended by itself."""
    end = threading.Timer(_PATIENCE, os._exit, (CODE,))
    end.daemon = True  # nobody waits for it
    end.start()


@contextmanager
def keeping(kept: Callable[[], str]) -> Iterator[None]:
    """Have the line that is said at a stop tell what is kept, and how to go on."""
    context = copy_context()  # whoever hears the signal has another
    _kept.append(lambda: context.run(kept))
    try:
        yield
    finally:
        _kept.pop()


def go_on_with() -> str:
    """How the command that is run is taken up again."""
    words = [word for word in words_given.get() if word != "--resume"]
    return f"Go on with: {shlex.join(['labelfree', *map(str, words), '--resume'])}"
