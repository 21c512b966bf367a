"""Many people in one studio at once: errors, the slowest request of each kind, and how the server's memory grows.

    python benchmarks/crowd.py [--people 20] [--minutes 10] [--pages 20] [--rest 1.0] [--json]

The studio is the real command with a printed book. Everybody does what a person does: looks at the page, takes the
least sure line, corrects or accepts it, takes something back now and then, opens a symbol of the alphabet, turns to a
page, and takes the text with them; between two actions they rest for about a second. Nobody learns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np

from report import printed

MOST_SECONDS = 2.0
MOST_GROWTH = 1.15  # of the memory, from a fifth of the time on
_WAIT = 60  # seconds for an answer
_CODE = "import sys; from labelfree.cli import main; main(sys.argv[1:])"


class Person:
    """One tab of a browser."""

    def __init__(self, address: str, seed: int, rest: float) -> None:
        parts = urlsplit(address)
        self._host, self._root, self._rest = parts.netloc, parts.path, rest
        self._draw = random.Random(seed)
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []

    def work(self, until: float) -> None:
        """Do something, rest, do something else."""
        for part in ("", "studio.js", "studio.css", "standing"):
            self._ask("page", part)
        actions = (self._correct, self._correct, self._correct, self._symbol, self._page, self._export, self._undo)
        while time.monotonic() < until:
            try:
                self._draw.choice(actions)()
            except (OSError, HTTPException, ValueError, KeyError, IndexError) as error:
                self.errors.append(f"{type(error).__name__}: {error}")
            time.sleep(self._draw.expovariate(1 / self._rest))

    def _correct(self) -> None:
        lines = json.loads(self._ask("next", "next"))["lines"]
        if lines:
            line = self._draw.choice(lines)
            self._ask("picture", line["picture"])
            text = line["text"] if self._draw.random() < 0.5 else line["text"] + " corrected"
            self._ask("say", "say", json.dumps({"key": line["key"], "text": text}))

    def _symbol(self) -> None:
        symbols = json.loads(self._ask("alphabet", "alphabet"))["symbols"]
        self._ask("symbol", f"symbol?symbol={quote(self._draw.choice(symbols)['symbol'])}")

    def _page(self) -> None:
        view = json.loads(self._ask("leaf", f"page/{self._draw.randrange(2)}"))
        self._ask("leaf picture", view["picture"])

    def _export(self) -> None:
        self._ask("export", "export/txt")

    def _undo(self) -> None:
        self._ask("undo", "undo", "")

    def _ask(self, kind: str, path: str, body: str | None = None) -> bytes:
        begin = time.monotonic()
        connection = HTTPConnection(self._host, timeout=_WAIT)
        try:
            connection.request("GET" if body is None else "POST", self._root + path, body)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
            self.seconds[kind].append(time.monotonic() - begin)
        if answer.status != 200:
            self.errors.append(f"{kind}: {answer.status} {content[:80]!r}")
        return content


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def crowd(folder: Path, people: int, seconds: float, rest: float) -> tuple[list[Person], list[int]]:
    """Let everybody in; returns them, and the server's memory from time to time."""
    words = [sys.executable, "-c", _CODE, "serve", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            until = time.monotonic() + seconds
            everybody = [Person(address, seed, rest) for seed in range(people)]
            threads = [threading.Thread(target=person.work, args=(until,)) for person in everybody]
            for thread in threads:
                thread.start()
            memory = []
            while time.monotonic() < until:
                time.sleep(seconds / 50)
                memory.append(resident(server.pid))
            for thread in threads:
                thread.join()
        finally:
            server.send_signal(signal.SIGINT)
    return everybody, memory


def main() -> int:
    """Print what came of it; 0 where all is as wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--rest", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "out"
        folder.mkdir()
        printed(Path(place), given.pages, 30, 0.05).write(folder)
        everybody, memory = crowd(folder, given.people, 60 * given.minutes, given.rest)
    rows = []
    for kind in dict.fromkeys(kind for person in everybody for kind in person.seconds):
        taken = np.concatenate([person.seconds[kind] for person in everybody if person.seconds[kind]])
        rows.append(
            {"request": kind, "count": len(taken), "median": float(np.median(taken)), "slowest": float(taken.max())}
        )
    errors = [error for person in everybody for error in person.errors]
    slowest = max(row["slowest"] for row in rows)
    growth = max(memory[-5:]) / max(memory[: len(memory) // 5])
    checks = [
        {"name": "errors", "value": len(errors), "wanted": "0", "ok": not errors},
        {"name": "slowest request, s", "value": slowest, "wanted": f"<= {MOST_SECONDS}", "ok": slowest <= MOST_SECONDS},
        {"name": "memory, end over begin", "value": growth, "wanted": f"<= {MOST_GROWTH}", "ok": growth <= MOST_GROWTH},
    ]
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        for row in rows:
            print("{request:14} {count:7}  median {median:6.3f} s  slowest {slowest:6.3f} s".format(**row))
        for error in sorted(set(errors))[:10]:
            print("error:", error)
        for check in checks:
            print(
                f"{'ok  ' if check['ok'] else 'MISS'} {check['name']}: {check['value']:.4g}, wanted {check['wanted']}"
            )
    return 0 if all(check["ok"] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
