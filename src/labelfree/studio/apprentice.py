"""Runs of learning in a child process: begun, watched, stopped, and taken up again where the studio was killed."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from labelfree.errors import InputError
from labelfree.studio.corrected import changed_lines
from labelfree.studio.job import Job, Wishes
from labelfree.studio.shelf import Shelf

_MOST_LINE = 8 << 20  # bytes of one line that the child tells
_PATIENCE = 10.0  # seconds that a child is given to end
_LAST_WORDS = 2_000  # characters of what it wrote where it failed

Tell = Callable[[dict[str, Any]], None]


class Apprentice:
    """At most one run at a time."""

    def __init__(self, shelf: Shelf, tell: Tell) -> None:
        self._shelf, self._tell = shelf, tell
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self.number = 0
        self.seen: dict[str, dict[str, Any]] = {}  # the last event of each kind, for whoever comes later

    @property
    def is_busy(self) -> bool:
        """Whether it is learning."""
        return self._task is not None and not self._task.done()

    def begin(self, wishes: Wishes) -> int:
        """Learn with all that was dropped and said."""
        if self.is_busy:
            raise InputError("a run is learning already, one at a time wanted; wait for it, or stop it")
        self._shelf.state.keep(wishes=wishes.__dict__)
        number, job = self._shelf.plan(wishes)
        self._start(number, job)
        return number

    def resume(self) -> None:
        """Go on with what was learning when the studio ended."""
        for run in self._shelf.runs:
            if run["status"] == "learning":
                place = self._shelf.place(run["number"]) / "job.json"
                if place.is_file() and not self.is_busy:
                    self._start(run["number"], Job.read(place))
                else:
                    self._shelf.note(run["number"], status="stopped")

    async def stop(self) -> None:
        """Stop learning; the run is given up."""
        if self.is_busy:
            self._shelf.note(self.number, status="stopped")
            await self._end_child()
            self._say({"event": "stopped"})

    async def close(self) -> None:
        """End the child with the studio; the next one goes on."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self._end_child()

    def _start(self, number: int, job: Job) -> None:
        self.number, self.seen = number, {}
        self._task = asyncio.create_task(self._learn(number, job))

    async def _learn(self, number: int, job: Job) -> None:
        words = [sys.executable, "-m", "labelfree.studio.learner", str(job.write())]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = child = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_MOST_LINE,
            env=environment,
        )
        assert child.stdout is not None  # noqa: S101 - they were asked for
        assert child.stderr is not None  # noqa: S101
        complaints = asyncio.create_task(child.stderr.read())
        async for line in child.stdout:
            with suppress(ValueError):
                self._say(json.loads(line))
        code = await child.wait()
        last_words = (await complaints).decode("utf-8", "replace").strip()[-_LAST_WORDS:]
        if next((run for run in self._shelf.runs if run["number"] == number), {}).get("status") == "stopped":
            return
        if code == 0:
            self._finish(number)
            return
        if "failed" not in self.seen:
            reason = last_words.splitlines()[-1] if last_words else f"it ended with code {code}"
            self._say({"event": "failed", "text": f"learning ended before its time: {reason}"})
        self._shelf.note(number, status="failed", error=self.seen["failed"]["text"])

    def _finish(self, number: int) -> None:
        """Show what was learned, and say how many places changed since the reading before."""
        before = self._shelf.edition()
        self._shelf.note(number, status="done")
        self._shelf.show(number)
        after = self._shelf.edition()
        assert after is not None  # noqa: S101 - it was just learned
        changed: list[list[int]] = []
        if before is not None:
            found = changed_lines(before.corrected(self._shelf.state), after.corrected(self._shelf.state))
            changed = [[*place, count] for place, count in found.items()]
        verdict = after.record.verdict
        self._shelf.note(number, changed=changed, believed=verdict.believed, error_rate=verdict.expected_error)
        self._say({"event": "learned", "number": number, "changed": sum(each[2] for each in changed)})

    def _say(self, event: dict[str, Any]) -> None:
        self.seen[event["event"]] = event
        self._tell(event)

    async def _end_child(self) -> None:
        child = self._process
        if child is None or child.returncode is not None:
            return
        child.terminate()
        try:
            await asyncio.wait_for(child.wait(), _PATIENCE)
        except TimeoutError:
            child.kill()
            await child.wait()
