"""Features larger than the memory: a fit of shards on disk with a limit on what the process may take.

    python benchmarks/larger_than_memory.py [--gigabytes 4] [--limit 1400] [--folder FOLDER] [--json]

Labels are English, a row is the centre of its label and noise, written as folders of `shard-*.npz`. `labelfree fit`,
`predict` and `evaluate` run in processes that may take so many MB of memory of their own (RLIMIT_DATA: maps of files do
not count, as the system lets go of them when it wants). Besides, a small folder is fitted mapped and in memory: the
models are the same to the bit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from labelfree.alphabet import PAPER_ALPHABET
from labelfree.lm import NGramLM
from labelfree.repro.tasks.spelling import standard_library_english

COLUMNS, NOISE, LENGTH, SHARD = 256, 2.0, 500, 100_000


def write_shards(folder: Path, n_positions: int) -> Path:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(len(PAPER_ALPHABET), COLUMNS)).astype(np.float32)
    text = PAPER_ALPHABET.encode(" ".join(standard_library_english())).astype(np.int64)
    folder.mkdir()
    for number, first in enumerate(range(0, n_positions, SHARD)):
        y = np.resize(np.roll(text, -first), min(SHARD, n_positions - first))
        X = centres[y] + NOISE * rng.standard_normal((len(y), COLUMNS), np.float32)
        np.savez(folder / f"shard-{number:05}.npz", X=X, y=y, lengths=np.full(len(y) // LENGTH, LENGTH))
    return folder


def ran(limit: int, *command: str) -> dict[str, object]:
    """A verb of labelfree in a process that may take so many MB, and what it took."""

    def held() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit << 20, limit << 20))

    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    process = subprocess.run(
        [sys.executable, "-m", "labelfree", *command],
        preexec_fn=held, capture_output=True, text=True, check=False, env=os.environ | threads,
    )  # fmt: skip
    return {
        "method": command[0],
        "code": process.returncode,
        "seconds": time.perf_counter() - began,
        "cpu": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before,
        "told": process.stdout if process.returncode == 0 else process.stderr,
    }


def in_memory(folder: Path, path: Path) -> None:
    shards = [np.load(shard) for shard in sorted(folder.glob("shard-*.npz"))]
    np.savez(path, **{name: np.concatenate([shard[name] for shard in shards]) for name in ("X", "y", "lengths")})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--limit", type=int, default=1400, help="MB of memory")
    parser.add_argument("--folder", type=Path, help="where the shards are written for a while")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    n_positions = int(given.gigabytes * 2**30 / 4 / COLUMNS) // LENGTH * LENGTH
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        place = Path(name)
        lm = place / "lm.arpa"
        NGramLM.from_language("en", PAPER_ALPHABET, order=4).write_arpa(lm)
        small = write_shards(place / "small", min(n_positions, 20_000))
        in_memory(small, place / "small.npz")
        for data, model in ((small, "mapped"), (place / "small.npz", "plain")):
            ran(given.limit, "fit", str(data), "--lm", str(lm), "-o", str(place / model), "--quiet")
        weights = [(place / model / "model.safetensors").read_bytes() for model in ("mapped", "plain")]
        large, model = write_shards(place / "large", n_positions), str(place / "model")
        rows = [
            ran(given.limit, "fit", str(large), "--lm", str(lm), "-o", model, "--quiet"),
            ran(given.limit, "predict", model, str(large), "-o", str(place / "text")),
            ran(given.limit, "evaluate", model, str(large), "--json"),
        ]
        error = json.loads(str(rows[-1]["told"]))["error_rate"] if rows[-1]["code"] == 0 else 1.0
    checks = [
        {"name": f"{row['method']} of {given.gigabytes:g} GB under {given.limit} MB", "value": row["code"],
         "wanted": 0, "ok": row["code"] == 0}
        for row in rows
    ]  # fmt: skip
    checks.append({"name": "error", "value": error, "wanted": "< 0.02", "ok": error < 0.02})
    checks.append({"name": "mapped as in memory", "value": weights[0] == weights[1], "wanted": True,
                   "ok": weights[0] == weights[1]})  # fmt: skip
    if given.json:
        print(json.dumps({"rows": [{**row, "told": ""} for row in rows], "checks": checks}))
    else:
        for row in rows:
            told = "" if row["code"] == 0 else str(row["told"]).strip()
            print(f"{row['method']:<10}{row['seconds']:8.1f} s, {row['cpu']:6.1f} s of one core  {told}")
        for check in checks:
            print(f"{'ok' if check['ok'] else 'NO'}  {check['name']}: {check['value']}, {check['wanted']} wanted")
    return 0 if all(check["ok"] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
