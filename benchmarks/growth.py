"""How the cost of reading pages grows with their number: TIFF, GIF and PDF files of up to 10,000 small pages.

Pages are laid out as `labelfree ocr` does it and let go of. A power law is fitted to the seconds of a process over the
number of pages: an exponent near 1 is linear. Memory is the most that is held beyond that for the smallest file.
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

from labelfree.ocr.layout.scans import read_lines
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
    parser.add_argument("--kinds", nargs="*", choices=WRITERS, default=list(WRITERS))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    pages = sorted({math.ceil(options.pages / by) for by in (1, 3, 10, 30)})
    found = growth(pages, options.kinds)
    if options.json:
        print(json.dumps(found))
    else:
        for row in found["rows"]:
            print(f"{row['file']:5} {row['pages']:6,} pages  {row['seconds']:8.2f} s  {row['megabytes']:6.1f} MB")
        for check in found["checks"]:
            print(f"{'ok ' if check['ok'] else 'NO '} {check['name']}: {check['value']:.2f}, {check['wanted']} wanted")
    return 0 if all(check["ok"] for check in found["checks"]) else 1


if __name__ == "__main__":
    sys.exit(main())
