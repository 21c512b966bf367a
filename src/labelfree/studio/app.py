"""The studio as a web application: one page, the queue, what a person says, what comes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from labelfree.ocr.export.markup import legal
from labelfree.studio.guard import Guard
from labelfree.studio.queue import Queue
from labelfree.studio.state import State

_NEXT = 8  # lines that are sent at once
_LONGEST = 2_000  # characters of a line
_BREATH = 15.0  # seconds after which those who watch are told that all is well
_TYPES = {"studio.css": "text/css", "studio.js": "text/javascript"}


class Studio:
    """What the pages of one folder share."""

    def __init__(self, queue: Queue, state: State, title: str) -> None:
        self._queue, self._state, self._title = queue, state, title
        self._watchers: set[asyncio.Queue[str]] = set()
        self._templates = Environment(
            loader=PackageLoader("labelfree.studio"), autoescape=True, undefined=StrictUndefined
        )

    async def page(self, request: Request) -> Response:
        """The page."""
        return HTMLResponse(self._templates.get_template("studio.html").render(title=self._title))

    async def part(self, request: Request) -> Response:
        """The page's style or script."""
        name = request.path_params["name"]
        if name not in _TYPES:
            return PlainTextResponse("not found\n", 404)
        text = self._templates.get_template(name).render()
        return Response(text, media_type=_TYPES[name])

    async def next_lines(self, request: Request) -> Response:
        """The lines to look at now."""
        lines = await run_in_threadpool(self._queue.next, self._state.said.keys(), _NEXT)
        return JSONResponse({"lines": lines, **self._standing()})

    async def say(self, request: Request) -> Response:
        """Note the text of a line."""
        try:
            told = json.loads(await request.body())
            key, text = told["key"], told["text"]
        except (ValueError, KeyError, TypeError):
            return PlainTextResponse("key and text wanted\n", 400)
        if not isinstance(text, str) or key not in self._queue or len(text) > _LONGEST:
            return PlainTextResponse("the key of a line and its text wanted\n", 400)
        self._state.say(key, " ".join(legal(text).split()))
        return self._changed()

    async def undo(self, request: Request) -> Response:
        """Take the last action back."""
        self._state.undo()
        return self._changed()

    async def text(self, request: Request) -> Response:
        """The whole text with what was said."""
        return _file(self._queue.text(self._state.said), "book.txt")

    async def hints(self, request: Request) -> Response:
        """What was said, to learn from."""
        return _file(self._queue.hints(self._state.said), "hints.txt")

    async def events(self, request: Request) -> Response:
        """Tell of every change, whoever made it."""
        return StreamingResponse(self._told(), media_type="text/event-stream")

    async def _told(self) -> AsyncIterator[str]:
        mine: asyncio.Queue[str] = asyncio.Queue(100)
        self._watchers.add(mine)
        try:
            yield f"data: {json.dumps(self._standing())}\n\n"
            while True:
                try:
                    yield f"data: {await asyncio.wait_for(mine.get(), _BREATH)}\n\n"
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self._watchers.discard(mine)

    def _changed(self) -> Response:
        standing = self._standing()
        for watcher in self._watchers:
            if not watcher.full():
                watcher.put_nowait(json.dumps(standing))
        return JSONResponse(standing)

    def _standing(self) -> dict[str, Any]:
        said = self._state.said
        return {
            "said": len(said),
            "left": sum(line.key not in said for line in self._queue.lines),
            "error": round(self._queue.expected_error(said), 5),
        }


def studio_app(queue: Queue, state: State, *, title: str, token: str, hosts: Collection[str]) -> Starlette:
    """The studio of one folder, for whoever has the token."""
    studio = Studio(queue, state, title)
    routes = [
        Route(f"/{token}/", studio.page),
        Route(f"/{token}/next", studio.next_lines),
        Route(f"/{token}/say", studio.say, methods=["POST"]),
        Route(f"/{token}/undo", studio.undo, methods=["POST"]),
        Route(f"/{token}/book.txt", studio.text),
        Route(f"/{token}/hints.txt", studio.hints),
        Route(f"/{token}/events", studio.events),
        Route(f"/{token}/{{name}}", studio.part),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, token=token, hosts=hosts)])


def _file(text: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, headers=headers)
