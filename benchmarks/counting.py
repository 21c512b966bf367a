"""How fast `NGramLM.from_text` reads: characters a second at order 3 over the paper's 29 symbols, beside `Counter`.

The text is English that ships with Python (`pydoc_data.topics`), repeated; `--text FILE` takes another.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics

from labelfree.alphabet import PAPER_ALPHABET
from labelfree.lm import NGramLM
from labelfree.lm.text import count_text

WANTED_RATE = 100e6
WANTED_RATIO = 15.0


def seconds(call: Callable[[], object], times: int) -> float:
    """The best of some runs: others may share the machine."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def count_plainly(text: str) -> Counter[str]:
    """What one would write by hand, over text that is already clean."""
    return Counter(text[at : at + 3] for at in range(len(text) - 2))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, help="a UTF-8 file to count in place of Python's own documentation")
    parser.add_argument("--characters", type=int, default=20_000_000, help="repeat the text up to so many")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    base = options.text.read_text(encoding="utf-8") if options.text else "\n".join(topics.values())
    text = (base * (options.characters // len(base) + 1))[: options.characters]
    raw = text.encode()
    clean = PAPER_ALPHABET.decode(PAPER_ALPHABET.encode(text[:8_000_000]))
    squeezed = re.sub(" +", " ", clean)
    accents = text.replace("e ", "é ").replace(". ", ".\u2019 ")

    rows = []

    def measure(method: str, call: Callable[[], object], characters: int, times: int = 5) -> float:
        took = seconds(call, times)
        rows.append({"method": method, "characters": characters, "seconds": took, "per_second": characters / took})
        return characters / took

    whole = measure("NGramLM.from_text, str", lambda: NGramLM.from_text(text, PAPER_ALPHABET), len(text))
    measure("NGramLM.from_text, bytes", lambda: NGramLM.from_text(raw, PAPER_ALPHABET), len(text))
    measure("counting alone, str", lambda: count_text(text, PAPER_ALPHABET), len(text))
    measure("counting alone, order 4", lambda: count_text(text, PAPER_ALPHABET, 4), len(text))
    measure("counting alone, other scripts", lambda: count_text(accents, PAPER_ALPHABET), len(accents), 2)
    measure("counting alone, no alphabet", lambda: count_text(text), len(text), 2)
    plain = measure("collections.Counter", lambda: count_plainly(clean), len(clean), 3)
    same = measure("NGramLM.from_text, same text", lambda: NGramLM.from_text(clean, PAPER_ALPHABET), len(clean))

    ours = count_text(squeezed, PAPER_ALPHABET)[1].counts()
    equal = sorted(ours.counts[2].tolist()) == sorted(map(float, count_plainly(squeezed).values()))
    checks = [
        {"name": "characters a second", "value": whole, "wanted": WANTED_RATE, "ok": whole >= WANTED_RATE},
        {"name": "ratio to Counter", "value": same / plain, "wanted": WANTED_RATIO, "ok": same / plain >= WANTED_RATIO},
        {"name": "same counts as Counter", "value": equal, "wanted": True, "ok": equal},
    ]
    if options.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        for row in rows:
            print(f"{row['method']:32} {row['per_second'] / 1e6:9.1f} million characters a second")
        for check in checks:
            verdict = "ok" if check["ok"] else "FAILED"
            print(f"{check['name']:32} {check['value']:9.4g} (wanted {check['wanted']:g}) {verdict}")
    return 0 if all(check["ok"] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
