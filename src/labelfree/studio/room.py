"""What all who work in one studio share: its folder, its apprentice, and the news of every change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from labelfree.errors import LabelfreeError
from labelfree.studio.apprentice import Apprentice
from labelfree.studio.edition import Edition
from labelfree.studio.shelf import Shelf, listed

Answer = Callable[[Request], Awaitable[Response]]
_MOST_NEWS = 200  # events that wait for somebody who does not take them


class Room:
    """One studio."""

    def __init__(self, shelf: Shelf, title: str) -> None:
        self.shelf, self.title = shelf, title
        self.watchers: set[asyncio.Queue[str]] = set()
        self.apprentice = Apprentice(shelf, self.tell)
        self._error: tuple[tuple[int, int], float] | None = None

    def tell(self, event: dict[str, Any]) -> None:
        """Tell everybody."""
        news = json.dumps(event)
        for watcher in self.watchers:
            if not watcher.full():
                watcher.put_nowait(news)

    def changed(self) -> Response:
        """Tell everybody how things stand after an action."""
        standing = self.standing()
        self.tell({"event": "standing", **standing})
        return JSONResponse(standing)

    def standing(self) -> dict[str, Any]:
        """How things stand."""
        shelf, edition = self.shelf, self.shelf.edition()
        known: dict[str, Any] = {
            "files": listed(shelf.files("scans")),
            "texts": listed(shelf.files("text")),
            "wishes": shelf.state.fact("wishes"),
            "runs": [{key: value for key, value in run.items() if key != "changed"} for run in shelf.runs],
            "current": shelf.current,
            "busy": self.apprentice.is_busy,
            "steps": shelf.state.n_steps,
            "version": shelf.state.version,
        }
        if edition is not None:
            corrections = edition.corrections(shelf.state)
            n_lines = sum(len(page.lines) for page in edition.record.document.pages)
            known |= {
                "n_pages": len(edition.record.document.pages),
                "n_lines": n_lines,
                "said": len(corrections.lines),
                "left": n_lines - len(corrections.lines),
                "marked": len(corrections.marks),
                "error": self._expected_error(edition),
                "verdict": edition.record.verdict.sentence,
                "reason": edition.record.verdict.reason,
                "believed": edition.record.verdict.believed,
                "language": edition.record.document.language,
            }
        return known

    def _expected_error(self, edition: Edition) -> float:
        """Share of the characters expected to be wrong; of what a person said none is."""
        mark = (edition.number, self.shelf.state.version)
        if self._error is None or self._error[0] != mark:
            document = edition.corrected(self.shelf.state)
            doubts = [1 - glyph.confidence for page in document.pages for line in page.lines for glyph in line.glyphs]
            self._error = mark, round(sum(doubts) / max(len(doubts), 1), 5)
        return self._error[1]


def refusing(answer: Answer) -> Answer:
    """The same, with what was wrong with a request said in one line."""

    async def answered(request: Request) -> Response:
        try:
            return await answer(request)
        except (LabelfreeError, OSError) as error:
            return PlainTextResponse(f"{error}\n", 400)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            return PlainTextResponse("this makes no sense\n", 400)

    return answered
