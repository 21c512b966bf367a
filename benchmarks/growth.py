"""How costs grow: the pass that compresses a stream, with positions; reading pages of TIFF, GIF and PDF, with pages.

A stream of symbols, made as it goes, is counted piece by piece and searched; of 10,000 to `--positions` of them the
seconds of the pass should grow as their number does, its memory and the seconds of the search not at all. Pages are
laid out as `labelfree ocr` does it and let go of. A power law is fitted to the seconds of a process over the number
of pages: an exponent near 1 is linear. Memory is the most that is held beyond that for the smallest file.
"""

import argparse
import io
import json
import math
import multiprocessing
import resource
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from labelfree.fitting.search import search
from labelfree.lm import NGramLM
from labelfree.ocr.layout.scans import read_lines
from labelfree.repro.tasks.spelling import standard_library_english
from labelfree.solvers import Problem
from labelfree.solvers.symbol_counts import SymbolCounts
from labelfree.workers import workers

MOST_EXPONENT, MOST_MEGABYTES = 1.25, 100.0
_CONTEXT = multiprocessing.get_context("fork")


def _page() -> Image.Image:
    image = Image.new("1", (64, 24), 1)
    ImageDraw.Draw(image).text((4, 6), "ab ba", fill=0)
    return image


def _gif(path: Path, n: int) -> None:
    """A GIF of frames alike, put together by hand: Pillow would hold them all, and leave out what does not change."""
    stream = io.BytesIO()
    _page().convert("P").save(stream, "GIF")
    content = stream.getvalue()
    colours = 13 + 3 * 2 ** ((content[10] & 7) + 1)
    path.write_bytes(content[:colours] + content[colours:-1] * n + content[-1:])


def _tiff(path: Path, n: int) -> None:
    """A TIFF whose pages share their pixels: a directory of tags for each, one after the other."""
    packed = np.packbits(np.asarray(_page()), axis=1).tobytes()
    tags = [
        (256, 3, 64),
        (257, 3, 24),
        (258, 3, 1),
        (259, 3, 1),
        (262, 3, 1),
        (273, 4, 8),
        (278, 3, 24),
        (279, 4, len(packed)),
    ]
    size = 2 + 12 * len(tags) + 4
    start = 8 + len(packed)
    parts = [b"II*\0", struct.pack("<I", start), packed]
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    for page in range(n):
        following = 0 if page == n - 1 else start + size * (page + 1)
        parts += [struct.pack("<H", len(tags)), entries, struct.pack("<I", following)]
    path.write_bytes(b"".join(parts))


def _pdf(path: Path, n: int) -> None:
    """A PDF of pages that show the same word."""
    drawn = b"BT /F 9 Tf 2 4 Td (ab ba) Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (n, b" ".join(b"%d 0 R" % (5 + page) for page in range(n))),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
    ]
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 32 12]/Contents 4 0 R/Resources<</Font<</F 3 0 R>>>>>>"
    parts, places, at = [b"%PDF-1.4\n"], [], 9
    for number, content in enumerate([*objects, *[page] * n], 1):
        places.append(at)
        parts.append(b"%d 0 obj%s endobj\n" % (number, content))
        at += len(parts[-1])
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, table))
    parts.append(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(places) + 1, at))
    path.write_bytes(b"".join(parts))


ALPHABET = " abcdefghijklmnopqrstuvwxyz"
PIECE = 100_000
MOST_APART = 1.2  # of the search's seconds, whatever the size


def _count(pipe: object, n: int) -> None:
    """Count so many symbols of a cipher of English, and search what was counted."""
    lm = NGramLM.from_language("en", ALPHABET, order=2)
    text = lm.alphabet.encode(" ".join(standard_library_english())).astype(np.int64)
    key = np.random.default_rng(0).permutation(len(ALPHABET))
    counts = SymbolCounts.of(key[text[:1000]], [1000], 2)  # what is imported does not count
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    pieces = []
    for first in range(0, n, PIECE):
        place = first % (len(text) - PIECE)
        mine = key[text[place : place + min(PIECE, n - first)]]
        piece = SymbolCounts.of(mine, [len(mine)], 2)
        counts = piece if not pieces else counts + piece
        pieces = [True]
    took = time.process_time() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    problem = Problem.from_counts(counts, lm, 2)
    times = []
    for _ in range(3):
        began = time.process_time()
        search(problem, starts=10)
        times.append(time.process_time() - began)
    pipe.send({"file": "symbols", "pages": n, "seconds": took, "megabytes": grown, "search": min(times)})  # type: ignore[attr-defined]


def of_streams(most: int) -> dict[str, list[dict[str, object]]]:
    """Rows and checks for streams of 10,000 positions up to so many."""
    rows = []
    for n in [10**power for power in range(4, round(math.log10(most)) + 1)]:
        mine, its = _CONTEXT.Pipe(duplex=False)
        worker = _CONTEXT.Process(target=_count, args=(its, n))
        worker.start()
        rows.append(mine.recv())
        worker.join()
    long = [row for row in rows if row["pages"] >= PIECE]  # one piece at least, or there is nothing to pass over
    slope = exponent([row["pages"] for row in long], [row["seconds"] for row in long])
    held = max(row["megabytes"] for row in long) - min(row["megabytes"] for row in long)
    searched = [row["search"] for row in rows]
    apart = max(searched) / min(searched)
    checks = [
        {"name": "symbols: exponent of the pass over positions", "value": slope, "wanted": "<= 1.05",
         "ok": slope <= 1.05},
        {"name": "symbols: memory of the most beyond the fewest, MB", "value": held, "wanted": "<= 5", "ok": held <= 5},
        {"name": "symbols: longest search over shortest", "value": apart, "wanted": f"<= {MOST_APART}",
         "ok": apart <= MOST_APART},
    ]  # fmt: skip
    return {"rows": rows, "checks": checks}


WRITERS: dict[str, Callable[[Path, int], None]] = {"tiff": _tiff, "gif": _gif, "pdf": _pdf}


def _measure(pipe: object, path: Path, one_page: Path) -> None:
    list(read_lines([one_page], "line"))  # what is imported for the first page does not count
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    with workers(1):
        n_pages = sum(1 for _ in read_lines([path], "line"))
    took = time.process_time() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    pipe.send((n_pages, took, grown))  # type: ignore[attr-defined]


def measured(kind: str, n: int, folder: Path) -> dict[str, object]:
    """Read a file of so many pages in a process of its own."""
    path, one_page = folder / f"pages.{kind}", folder / f"one.{kind}"
    WRITERS[kind](path, n)
    WRITERS[kind](one_page, 1)
    mine, its = _CONTEXT.Pipe(duplex=False)
    worker = _CONTEXT.Process(target=_measure, args=(its, path, one_page))
    worker.start()
    its.close()
    n_pages, took, grown = mine.recv()
    worker.join()
    path.unlink()
    assert n_pages == n
    return {"file": kind, "pages": n, "seconds": took, "megabytes": grown}


def exponent(pages: list[int], seconds: list[float]) -> float:
    """The slope of a line through the logs.

    >>> round(exponent([10, 100], [1.0, 100.0]), 9)
    2.0
    """
    return float(np.polyfit(np.log(pages), np.log(seconds), 1)[0])


def growth(pages: list[int], kinds: list[str]) -> dict[str, list[dict[str, object]]]:
    """Rows and checks for files of so many pages."""
    rows, checks = [], []
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            found = [measured(kind, n, Path(folder)) for n in pages]
            rows += found
            slope = exponent(pages, [float(row["seconds"]) for row in found])
            held = max(float(row["megabytes"]) for row in found) - min(float(row["megabytes"]) for row in found)
            checks += [
                {"name": f"{kind}: exponent of seconds over pages", "value": slope, "wanted": f"<= {MOST_EXPONENT}",
                 "ok": slope <= MOST_EXPONENT},
                {"name": f"{kind}: memory of the most pages beyond the fewest, MB", "value": held,
                 "wanted": f"<= {MOST_MEGABYTES}", "ok": held <= MOST_MEGABYTES},
            ]  # fmt: skip
    return {"rows": rows, "checks": checks}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000, help="of the largest file; others have 1/3, 1/10, 1/30")
    parser.add_argument("--kinds", nargs="*", choices=["symbols", *WRITERS], default=["symbols", *WRITERS])
    parser.add_argument("--positions", type=int, default=10**8, help="of the longest stream")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    pages = sorted({math.ceil(options.pages / by) for by in (1, 3, 10, 30)})
    found = growth(pages, [kind for kind in options.kinds if kind in WRITERS])
    if "symbols" in options.kinds:
        streams = of_streams(options.positions)
        found = {part: streams[part] + found[part] for part in ("rows", "checks")}
    if options.json:
        print(json.dumps(found))
    else:
        for row in found["rows"]:
            told = f"  search {row['search']:.2f} s" if "search" in row else ""
            print(f"{row['file']:8}{row['pages']:12,}  {row['seconds']:8.2f} s  {row['megabytes']:6.1f} MB{told}")
        for check in found["checks"]:
            print(f"{'ok ' if check['ok'] else 'NO '} {check['name']}: {check['value']:.2f}, {check['wanted']} wanted")
    return 0 if all(check["ok"] for check in found["checks"]) else 1


if __name__ == "__main__":
    sys.exit(main())
