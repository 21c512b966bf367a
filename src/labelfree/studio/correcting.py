"""What the page asks for around correcting: lines, symbols, pages, what a person says of them, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response

from labelfree.errors import InputError
from labelfree.ocr.export.markup import legal
from labelfree.report.alternatives import Place
from labelfree.studio.alphabet import marked_places, place_views, symbol_views
from labelfree.studio.corrected import LinePlace
from labelfree.studio.edition import Edition
from labelfree.studio.exports import NAMES, export, scratch
from labelfree.studio.imports import corrected_elsewhere
from labelfree.studio.room import Room
from labelfree.studio.shelf import safe_name
from labelfree.studio.state import box_key

_NEXT = 8  # lines that are sent at once
_MOST_LISTED = 50
_PLACES = 120  # places of a symbol that are sent at once
_LONGEST = 2_000  # characters of a line
_LONGEST_SYMBOL = 4
_MOST_MARKED = 20_000  # places that one action names
_KEPT = {"cache-control": "private, max-age=3600"}


class Correcting:
    """Answers around correcting."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def next_lines(self, request: Request) -> Response:
        """The lines to look at: the least sure that nobody has read, or those that were asked for."""
        show, find = request.query_params.get("show", "doubtful"), request.query_params.get("find", "")
        lines = await run_in_threadpool(self._lines, show, find.casefold())
        return JSONResponse({"lines": lines, **self._room.standing()})

    def _lines(self, show: str, find: str) -> list[dict[str, Any]]:
        edition = self._edition()
        corrections = edition.corrections(self._room.shelf.state)
        every = {
            (p, i): line for p, page in enumerate(edition.record.document.pages) for i, line in enumerate(page.lines)
        }
        chosen: Iterable[LinePlace] = sorted(every, key=lambda place: (every[place].confidence, place))
        most = _NEXT
        if find:
            texts = {place: corrections.line(place, line).text.casefold() for place, line in every.items()}
            chosen, most = (place for place in sorted(every) if find in texts[place]), _MOST_LISTED
        elif show == "changed":
            run = next((run for run in self._room.shelf.runs if run["number"] == edition.number), {})
            ranked = sorted(run.get("changed", []), key=lambda each: -each[2])
            chosen, most = ((p, i) for p, i, _ in ranked if (p, i) in every), _MOST_LISTED
        elif show == "said":
            chosen, most = sorted(corrections.lines), _MOST_LISTED
        else:
            chosen = (place for place in chosen if place not in corrections.lines)
        return [edition.line_view(place, corrections) for place, _ in zip(chosen, range(most), strict=False)]

    async def say(self, request: Request) -> Response:
        """Note the text of a line."""
        told = json.loads(await request.body())
        key, text = told["key"], told["text"]
        if not isinstance(text, str) or key not in self._edition().index.places or len(text) > _LONGEST:
            raise InputError("the key of a line and its text wanted")
        self._room.shelf.state.say({key: " ".join(legal(text).split())})
        return self._room.changed()

    async def mark(self, request: Request) -> Response:
        """Note what symbol single characters are."""
        told = json.loads(await request.body())
        edition, symbol = self._of_number(told["number"]), _symbol(told["symbol"])
        places = [(int(p), int(i), int(g)) for p, i, g in told["places"]]
        return self._mark(edition, places, symbol)

    async def merge(self, request: Request) -> Response:
        """Note that all that was read as one symbol is another."""
        told = json.loads(await request.body())
        edition, symbol = self._of_number(told["number"]), _symbol(told["symbol"])
        corrections = edition.corrections(self._room.shelf.state)
        places = marked_places(edition.record.document, corrections).get(told["was"], [])
        return self._mark(edition, places, symbol)

    def _mark(self, edition: Edition, places: list[Place], symbol: str) -> Response:
        if not 0 < len(places) <= _MOST_MARKED:
            raise InputError(f"{len(places):,} places found, 1 to {_MOST_MARKED:,} wanted; choose some")
        pages, keys = edition.record.document.pages, edition.index.keys
        if any(min(place) < 0 for place in places):
            raise InputError("a place found that is none, those of this reading wanted; load the page anew")
        marks = {(keys[p][i], box_key(pages[p].lines[i].glyphs[g].box)): symbol for p, i, g in places}
        self._room.shelf.state.say(marks=marks)
        return self._room.changed()

    async def undo(self, request: Request) -> Response:
        """Take the last action back."""
        self._room.shelf.state.undo()
        return self._room.changed()

    async def alphabet(self, request: Request) -> Response:
        """The learned alphabet."""

        def drawn() -> dict[str, Any]:
            edition = self._edition()
            places = marked_places(edition.record.document, edition.corrections(self._room.shelf.state))
            return {"number": edition.number, "symbols": symbol_views(edition.glyphs, places)}

        return JSONResponse(await run_in_threadpool(drawn))

    async def symbol(self, request: Request) -> Response:
        """All places of a symbol, strangers first."""
        symbol, first = request.query_params["symbol"], max(0, int(request.query_params.get("first", "0")))

        def drawn() -> dict[str, Any]:
            edition = self._edition()
            places = marked_places(edition.record.document, edition.corrections(self._room.shelf.state)).get(symbol, [])
            strange, looks = edition.glyphs.strangeness(places), edition.glyphs.looks(places)
            order = sorted(range(len(places)), key=lambda k: (-float(strange[k]), places[k]))[first : first + _PLACES]
            views = place_views(
                edition.record.document,
                [places[k] for k in order],
                [float(strange[k]) for k in order],
                [looks[k] for k in order],
                edition.number,
            )
            return {"number": edition.number, "symbol": symbol, "count": len(places), "places": views}

        return JSONResponse(await run_in_threadpool(drawn))

    async def page(self, request: Request) -> Response:
        """One page: its lines and words, and where they stand."""
        p = request.path_params["p"]

        def drawn() -> dict[str, Any]:
            edition = self._edition()
            page, corrections = edition.record.document.pages[p], edition.corrections(self._room.shelf.state)
            lines = []
            for i, line in enumerate(page.lines):
                view = edition.line_view((p, i), corrections)
                words = corrections.line((p, i), line).words
                lines.append({**view, "box": line.box, "words": [[word.text, word.box] for word in words]})
            size = {"width": page.width, "height": page.height}
            picture = f"page/{edition.number}/{p}.jpg"
            return {"name": page.source.name, "picture": picture, "angle": page.angle, **size, "lines": lines}

        return JSONResponse(await run_in_threadpool(drawn))

    async def page_picture(self, request: Request) -> Response:
        """The scan of a page."""
        edition, p = self._of_number(request.path_params["number"]), request.path_params["p"]
        content = b"" if p >= len(edition.record.document.pages) else await run_in_threadpool(edition.page_picture, p)
        return Response(content, media_type="image/jpeg", headers=_KEPT) if content else _nothing()

    async def line_picture(self, request: Request) -> Response:
        """The scan of a line."""
        edition = self._of_number(request.path_params["number"])
        p, i = request.path_params["p"], request.path_params["i"]
        if p >= len(edition.record.document.pages) or i >= len(edition.record.document.pages[p].lines):
            return _nothing()
        content = (await run_in_threadpool(edition.line_pictures, p))[i]
        return Response(content, media_type="image/webp", headers=_KEPT) if content else _nothing()

    async def export(self, request: Request) -> Response:
        """What was read in some format, with what was said in it."""
        name = request.path_params["name"]
        if name not in NAMES:
            return _nothing()
        folder = scratch()
        try:
            path = await run_in_threadpool(export, self._room.shelf, name, Path(folder.name))
        except BaseException:
            folder.cleanup()
            raise
        return FileResponse(path, filename=path.name, background=BackgroundTask(folder.cleanup))

    async def take_in(self, request: Request) -> Response:
        """Take the lines of an ALTO or PAGE file that was corrected elsewhere."""
        edition = self._edition()
        content = await request.body()

        def read() -> dict[str, str]:
            with scratch() as folder:
                path = Path(folder) / safe_name(request.query_params["name"])
                path.write_bytes(content)
                try:
                    return corrected_elsewhere(edition, path)
                except InputError as error:
                    raise InputError(str(error).replace(f"{folder}/", "")) from None

        lines = await run_in_threadpool(read)
        if lines:
            self._room.shelf.state.say({key: legal(text) for key, text in lines.items()})
        self._room.changed()
        return JSONResponse({"lines": len(lines)})

    def _edition(self) -> Edition:
        edition = self._room.shelf.edition()
        if edition is None:
            raise InputError("nothing was read yet, a reading wanted; learn first")
        return edition

    def _of_number(self, number: object) -> Edition:
        edition = self._edition()
        if number != edition.number:
            raise InputError("another reading is shown now; load the page anew")
        return edition


def _symbol(told: object) -> str:
    if not isinstance(told, str) or not 0 < len(told.strip()) <= _LONGEST_SYMBOL or told != legal(told):
        raise InputError(f"a symbol of 1 to {_LONGEST_SYMBOL} characters wanted; type one")
    return told.strip()


def _nothing() -> Response:
    return PlainTextResponse("not found\n", 404)
