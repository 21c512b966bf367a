"""What the page asks for around learning: files that are dropped, runs, and the news of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import fields

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from labelfree.errors import InputError
from labelfree.lm.languages import known_languages
from labelfree.ocr.scripts import SCRIPTS
from labelfree.studio.job import AUTO, Wishes
from labelfree.studio.room import Room
from labelfree.studio.shelf import Kind

_BREATH = 15.0  # seconds after which those who watch are told that all is well
_MOST_NEWS = 200  # events that wait for somebody who does not take them


class Learning:
    """Answers around learning."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def standing(self, request: Request) -> Response:
        """How things stand, and what there is to choose from."""
        scripts = [[each.name, each.about] for each in SCRIPTS.values()]
        seen = list(self._room.apprentice.seen.values()) if self._room.apprentice.is_busy else []
        choice = {"languages": list(known_languages()), "scripts": scripts, "seen": seen}
        return JSONResponse({**self._room.standing(), **choice})

    async def upload(self, request: Request) -> Response:
        """Take a file that was dropped, as it comes in."""
        kind = _kind(request.query_params["kind"])
        await self._room.shelf.take(kind, request.query_params["name"], request.stream())
        return self._room.changed()

    async def drop(self, request: Request) -> Response:
        """Remove such a file."""
        told = json.loads(await request.body())
        self._room.shelf.drop(_kind(told["kind"]), str(told["name"]))
        return self._room.changed()

    async def begin(self, request: Request) -> Response:
        """Begin to learn."""
        told = json.loads(await request.body())
        known = {field.name: told[field.name] for field in fields(Wishes) if field.name in told}
        wishes = Wishes(**known)
        if not isinstance(wishes.lang, str) or wishes.lang not in (AUTO, *known_languages()):
            raise InputError(f"language {str(wishes.lang)[:20]!r} found, the code of one wanted; choose one")
        if wishes.script not in ("", *SCRIPTS):
            raise InputError(f"script {str(wishes.script)[:20]!r} found, one of the list wanted; choose one")
        if not all(isinstance(each, bool) for each in (wishes.fast, wishes.long_s, wishes.spaces)):
            raise InputError("a choice found that is neither yes nor no; choose one of them")
        self._room.apprentice.begin(wishes)
        return self._room.changed()

    async def stop(self, request: Request) -> Response:
        """Stop learning."""
        await self._room.apprentice.stop()
        return self._room.changed()

    async def show(self, request: Request) -> Response:
        """Show another reading of those that were learned."""
        self._room.shelf.show(int(json.loads(await request.body())["number"]))
        return self._room.changed()

    async def events(self, request: Request) -> Response:
        """Tell of every change, whoever made it."""
        return StreamingResponse(self._told(), media_type="text/event-stream")

    async def _told(self) -> AsyncIterator[str]:
        mine: asyncio.Queue[str] = asyncio.Queue(_MOST_NEWS)
        self._room.watchers.add(mine)
        try:
            yield f"data: {json.dumps({'event': 'standing', **self._room.standing()})}\n\n"
            while True:
                try:
                    yield f"data: {await asyncio.wait_for(mine.get(), _BREATH)}\n\n"
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self._room.watchers.discard(mine)


def _kind(told: object) -> Kind:
    kinds: tuple[Kind, ...] = ("scans", "text")
    for kind in kinds:
        if told == kind:
            return kind
    raise InputError("a kind of file found that is not known, scans or text wanted")
