"""Hours of use in minutes: fits, decipherings and readings in one process, whose memory, threads and handles stay flat.

    python benchmarks/soak.py [--json] [--minutes 20] [--fits 300] [--decipherings 300] [--readings 30]

The three take turns, in the proportion asked for, until all are done or the time is over. A tenth of the work is done
before anything is measured, as libraries keep what they were first asked for.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import labelfree
from labelfree import NGramLM, SequenceClassifier
from labelfree.ocr import Reader, read_lines

_GOLDEN = Path(__file__).parents[1] / "tests" / "storage" / "golden"
_WARM = 0.1  # share of the work
_MOST_GROWTH = 0.05  # of memory, from the first to the last quarter of what is measured
_TEXT = "the men in the boat saw the light on the hill and rowed to the shore where the others had made a fire " * 3


def resident() -> float:
    """Megabytes of memory in use."""
    fields = Path("/proc/self/status").read_text().split("VmRSS:")[1].split()
    return int(fields[0]) / 1024


def handles() -> int:
    """Open files, pipes and sockets."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def tasks() -> int:
    """Threads, those of libraries too."""
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def works() -> dict[str, Callable[[int], object]]:
    """What is done over and over, with another seed each time."""
    lm = NGramLM.from_text(_TEXT, order=3)
    text = np.array([[ord(sign)] for sign in _TEXT])
    english = NGramLM.from_language("en", order=3)
    folder = max(_GOLDEN.iterdir())
    reader = Reader.load(folder / "tiles")

    def fit(seed: int) -> object:
        return SequenceClassifier(lm, n_init=2, random_state=seed).fit(text[:200]).predict(text)

    def decipher(seed: int) -> object:
        return labelfree.decipher(_TEXT[: 120 + seed % 40], english, seed=seed)

    def read(seed: int) -> object:
        return reader.read(read_lines([folder / "scans"], "line")).text

    return {"fits": fit, "decipherings": decipher, "readings": read}


def order_of(counts: dict[str, int]) -> list[str]:
    """All pieces of work, each kind spread evenly over the whole."""
    places = [((number + 0.5) / count, name) for name, count in counts.items() for number in range(count)]
    return [name for _, name in sorted(places)]


def measured(counts: dict[str, int], minutes: float) -> dict[str, list[dict[str, object]]]:
    """Do the work; how many of each kind were done, and what grew."""
    listed, end = order_of(counts), time.monotonic() + 60 * minutes
    act, done, seen = works(), dict.fromkeys(counts, 0), []
    warnings.simplefilter("ignore")
    for number, name in enumerate(listed):
        if time.monotonic() > end:
            break
        act[name](number)
        done[name] += 1
        if number >= _WARM * len(listed):
            gc.collect()
            seen.append((resident(), tasks(), handles(), threading.active_count()))
        if number % 50 == 0 and sys.stderr.isatty():
            print(f"{number} of {len(listed)}: {resident():.0f} MB", file=sys.stderr)
    table = np.array(seen)
    quarter = max(1, len(table) // 4)
    first, last = np.median(table[:quarter], axis=0), np.median(table[-quarter:], axis=0)
    names = ("MB", "threads", "handles", "threads of Python")
    rows = [
        {"method": name, "first": float(a), "last": float(b)} for name, a, b in zip(names, first, last, strict=True)
    ]
    rows += [{"method": name, "done": count, "asked": counts[name]} for name, count in done.items()]
    growth = float(last[0] / first[0] - 1)
    checks = [
        {"name": "memory grows by", "value": growth, "wanted": f"at most {_MOST_GROWTH}", "ok": growth <= _MOST_GROWTH},
        *(
            {"name": f"{name} grow by", "value": float(last[i] - first[i]), "wanted": "0", "ok": last[i] <= first[i]}
            for i, name in enumerate(names[1:], 1)
        ),
        *(
            {"name": f"{name} done", "value": count, "wanted": counts[name], "ok": count == counts[name]}
            for name, count in done.items()
        ),
    ]
    return {"rows": rows, "checks": [{**check, "ok": bool(check["ok"])} for check in checks]}


def main() -> None:
    """Run from the shell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--minutes", type=float, default=20.0, help="at most so many")
    parser.add_argument("--fits", type=int, default=300)
    parser.add_argument("--decipherings", type=int, default=300)
    parser.add_argument("--readings", type=int, default=30)
    arguments = parser.parse_args()
    counts = {name: getattr(arguments, name) for name in ("fits", "decipherings", "readings")}
    result = measured(counts, arguments.minutes)
    if arguments.json:
        print(json.dumps(result))
    else:
        for row in result["rows"]:
            print(", ".join(f"{name} {value}" for name, value in row.items()))
        for check in result["checks"]:
            print(
                f"{'ok  ' if check['ok'] else 'MISS'} {check['name']}: {check['value']:.4g}, wanted {check['wanted']}"
            )
    if not all(check["ok"] for check in result["checks"]):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
