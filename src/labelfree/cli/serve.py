"""`labelfree serve`: the studio, in a browser on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where the work is kept; or what `ocr run` or `ocr read` wrote.")
    ] = Path("studio"),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
) -> None:
    """Drop scans in a browser, watch them being learned, and correct what was read, the least sure lines first.

    Example: labelfree serve book

    The page is for this machine alone, and for whoever has the address that is printed. Every action is on disk at
    once, in FOLDER/studio.sqlite; Ctrl-C ends the studio and loses nothing, not even a run of learning, which goes on
    when the studio is opened again.
    """
    import secrets
    import socket

    import uvicorn

    from labelfree.errors import InputError
    from labelfree.files import unwritable
    from labelfree.studio.app import studio_app
    from labelfree.studio.shelf import Shelf
    from labelfree.studio.state import State

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None
    state, token = State(folder), secrets.token_urlsafe(18)
    try:
        shelf = Shelf(folder.absolute(), state)
        shelf.edition()  # what is damaged is said before anybody is invited
        with socket.socket() as listening:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listening.bind(("127.0.0.1", port))
            except OSError as error:
                raise InputError(f"port {port} cannot be used ({error.strerror}); give another one, or 0") from None
            listening.listen(128)  # whoever follows the address at once is kept waiting, not turned away
            taken = listening.getsockname()[1]
            hosts = [f"127.0.0.1:{taken}", f"localhost:{taken}"]
            app = studio_app(shelf, title=folder.resolve().name, token=token, hosts=hosts)
            print(f"http://127.0.0.1:{taken}/{token}/", flush=True)
            config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=1)
            uvicorn.Server(config).run([listening])
    finally:
        state.close()
