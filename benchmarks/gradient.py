"""The exact gradient of J over 3-grams beside the matrix products that it cannot do without.

    python benchmarks/gradient.py [--positions 153221] [--json]

Posteriors of 29 symbols at every position, all windows of three at once. Equation (2) and its gradient need three
products of as many positions as there are windows: one forward, two back. They are timed bare, in the same process, on
pieces that fit a cache; seconds are those of the processor. Memory is the most that the process ever held.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable

import torch

from labelfree.core import Target, expected_ngrams, odm_cost, subsequences

N_CLASSES, ORDER = 29, 3
MOST_TIMES, MOST_MEGABYTES = 2.0, 600
PIECE = 512


def exact(logits: torch.Tensor, lengths: list[int], target: Target) -> Callable[[], object]:
    """J and its gradient in the posteriors."""
    windows = subsequences(lengths, ORDER)
    posteriors = torch.softmax(logits, -1).requires_grad_()

    def once() -> object:
        posteriors.grad = None
        odm_cost(expected_ngrams(posteriors, windows, target), target).backward()
        return posteriors.grad

    return once


def bare(logits: torch.Tensor) -> Callable[[], object]:
    """The products alone: (c, t) by (t, c^2), and back (t, c) by (c, c^2) and (t, c^2) by (c^2, c)."""
    first = torch.softmax(logits, -1)
    pairs, cube = torch.rand(PIECE, N_CLASSES**2), torch.rand(N_CLASSES, N_CLASSES**2)
    pieces = [part for part in first.split(PIECE) if len(part) == PIECE]

    def once() -> object:
        for part in pieces:
            _ = part.mT @ pairs, part @ cube, pairs @ cube.mT
        return None

    return once


def seconds(call: Callable[[], object], times: int = 3) -> float:
    """The least of some runs, of the processor."""
    found = []
    for _ in range(times):
        began = time.process_time()
        call()
        found.append(time.process_time() - began)
    return min(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=153_221)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(given.positions, N_CLASSES, generator=generator)
    probability = torch.rand((N_CLASSES,) * ORDER, generator=generator)
    target = Target(probability / probability.sum(), N_CLASSES)
    took = seconds(exact(logits, [given.positions], target))
    least = seconds(bare(logits))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [{"method": "gradient", "seconds": took}, {"method": "bare products", "seconds": least}]
    checks = [
        {"name": "times the bare products", "value": took / least, "wanted": f"<= {MOST_TIMES:g}",
         "ok": took <= MOST_TIMES * least},
        {"name": "MB of the process", "value": megabytes, "wanted": f"< {MOST_MEGABYTES}",
         "ok": megabytes < MOST_MEGABYTES},
    ]  # fmt: skip
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        for row in rows:
            print(f"{row['method']:<16}{row['seconds']:8.3f} s")
        for check in checks:
            print(f"{'ok' if check['ok'] else 'NO'}  {check['name']}: {check['value']:.2f}, {check['wanted']} wanted")
    return 0 if all(check["ok"] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
