"""Who may ask the studio for anything: whoever has the token, under the studio's own name, from its own page."""

from __future__ import annotations

import hmac
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 100_000  # of a request
_HEADERS = {
    b"content-security-policy": b"default-src 'none'; img-src data:; style-src 'self'; script-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"cache-control": b"no-store",
    b"cross-origin-resource-policy": b"same-origin",
}


class Guard:
    """Refuses what does not come from the studio's own page with the token, and what is too large."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: Collection[str]) -> None:
        self._app, self._token, self._hosts = app, token, frozenset(hosts)

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
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BYTES:
                raise TooLargeError
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS.items()]
            await send(message)

        try:
            await self._app(scope, counted, with_headers)
        except TooLargeError:
            await PlainTextResponse("too large\n", 413, {"connection": "close"})(scope, receive, send)

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
        if not length.isdigit() or int(length) > MOST_BYTES:
            return PlainTextResponse("too large\n", 413, {"connection": "close"})
        return None


class TooLargeError(Exception):
    """More was sent than any action needs."""
