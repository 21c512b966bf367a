"""The studio as a web application: one page, and what it asks for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from labelfree.studio import shelf
from labelfree.studio.correcting import Correcting
from labelfree.studio.guard import Guard
from labelfree.studio.learning import Learning
from labelfree.studio.room import Room, refusing
from labelfree.studio.shelf import Shelf

_UPLOADS = {"upload": shelf.MOST_BYTES, "import": 64 << 20}
_TYPES = {".css": "text/css", ".js": "text/javascript"}
_PARTS = ("studio.css", "studio.js", "page.js", "learn.js", "lines.js", "alphabet.js", "pages.js", "keyboard.js")


class Pages:
    """The page itself, and its parts."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._templates = Environment(
            loader=PackageLoader("labelfree.studio"), autoescape=True, undefined=StrictUndefined
        )

    async def page(self, request: Request) -> Response:
        """The page."""
        return HTMLResponse(self._templates.get_template("studio.html").render(title=self._room.title))

    async def part(self, request: Request) -> Response:
        """The page's style, or one of its scripts."""
        name = request.path_params["name"]
        if name not in _PARTS:
            return PlainTextResponse("not found\n", 404)
        return Response(self._templates.get_template(name).render(), media_type=_TYPES[name[name.rindex(".") :]])


def studio_app(own: Shelf, *, title: str, token: str, hosts: Collection[str]) -> Starlette:
    """The studio of one folder, for whoever has the token."""
    room = Room(own, title)
    pages, learning, correcting = Pages(room), Learning(room), Correcting(room)
    gets = {
        "": pages.page,
        "standing": learning.standing,
        "events": learning.events,
        "next": correcting.next_lines,
        "alphabet": correcting.alphabet,
        "symbol": correcting.symbol,
        "page/{p:int}": correcting.page,
        "page/{number:int}/{p:int}.jpg": correcting.page_picture,
        "line/{number:int}/{p:int}/{i:int}.webp": correcting.line_picture,
        "export/{name}": correcting.export,
        "{name}": pages.part,
    }
    posts = {
        "upload": learning.upload,
        "drop": learning.drop,
        "learn": learning.begin,
        "stop": learning.stop,
        "show": learning.show,
        "say": correcting.say,
        "mark": correcting.mark,
        "merge": correcting.merge,
        "undo": correcting.undo,
        "import": correcting.take_in,
    }

    @asynccontextmanager
    async def while_open(app: Starlette) -> AsyncIterator[None]:
        room.apprentice.resume()
        yield
        await room.apprentice.close()

    return Starlette(
        routes=[
            *(Route(f"/{token}/{path}", refusing(answer), methods=["POST"]) for path, answer in posts.items()),
            *(Route(f"/{token}/{path}", refusing(answer)) for path, answer in gets.items()),
        ],
        middleware=[Middleware(Guard, token=token, hosts=hosts, uploads=_UPLOADS)],
        lifespan=while_open,
    )
