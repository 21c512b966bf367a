"""Who may ask the studio for anything: whoever has the token, under the studio's own name, from its own page."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1_000_000  # of a request, unless its path is named for more
_HEADERS = {
    b"content-security-policy": b"default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"cross-origin-resource-policy": b"same-origin",
}
_FRESH = (b"cache-control", b"no-store")


class Guard:
    """Refuses what does not come from the studio's own page with the token, and what is too large.

    `uploads` names paths below the token that take more than `MOST_BYTES`, and how much.
    """

    def __init__(self, app: ASGIApp, *, token: str, hosts: Collection[str], uploads: Mapping[str, int]) -> None:
        self._app, self._token, self._hosts, self._uploads = app, token, frozenset(hosts), uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        taken, most, has_begun = 0, self._most(scope), False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise TooLargeError
            return message

        async def with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                own = [*message["headers"], *_HEADERS.items()]
                is_kept = any(name == b"cache-control" for name, _ in own)
                message["headers"] = own if is_kept else [*own, _FRESH]
            await send(message)

        try:
            await self._app(scope, counted, with_headers)
        except TooLargeError:
            if not has_begun:
                await PlainTextResponse("too large\n", 413, {"connection": "close"})(scope, receive, send)

    def _most(self, scope: Scope) -> int:
        return self._uploads.get(scope["path"].rpartition("/")[2], MOST_BYTES)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("unknown host\n", 421)
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return PlainTextResponse("foreign origin\n", 403)
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return PlainTextResponse("foreign site\n", 403)
        given = scope["path"].split("/")[1]
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return PlainTextResponse("wrong token\n", 403)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._most(scope):
            return PlainTextResponse("too large\n", 413, {"connection": "close"})
        return None


class TooLargeError(Exception):
    """More was sent than any action needs."""
