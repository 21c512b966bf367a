"""`labelfree serve`: the studio, in a browser on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A folder that `ocr run` or `ocr read` wrote.")],
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
) -> None:
    """Look through what was read in a browser, the least sure lines first, and correct it.

    Example: labelfree serve out

    The page is for this machine alone, and for whoever has the address that is printed. Every action is on disk at
    once, in OUT/studio.sqlite; Ctrl-C ends the studio and loses nothing. `ocr run --hints` learns from what was said.
    """
    import secrets
    import socket

    import uvicorn

    from labelfree.errors import InputError
    from labelfree.studio.app import studio_app
    from labelfree.studio.queue import open_queue
    from labelfree.studio.state import State

    queue, token = open_queue(out), secrets.token_urlsafe(18)
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as error:
            raise InputError(f"port {port} cannot be used ({error.strerror}); give another one, or 0") from None
        listening.listen(128)  # whoever follows the address at once is kept waiting, not turned away
        taken = listening.getsockname()[1]
        state = State(out)
        hosts = [f"127.0.0.1:{taken}", f"localhost:{taken}"]
        app = studio_app(queue, state, title=out.resolve().name, token=token, hosts=hosts)
        print(f"http://127.0.0.1:{taken}/{token}/", flush=True)
        config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=1)
        try:
            uvicorn.Server(config).run([listening])
        finally:
            state.close()
