"""Every reader on mutated files: nothing but `LabelfreeError`, within 2 s and 500 MB each.

Each reader works in a process of its own, which is begun again behind an input that ended it. The time is that of the
process, so that others on the machine do not count; whoever takes more than a minute by the clock is ended. Inputs are
numbered, and the same number gives the same input; those that something is wrong with are written to `--keep`.
"""

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import MutableSequence, Sequence
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from fuzzed import TARGETS, Files, Target
from labelfree.errors import LabelfreeError

WANTED_INPUTS, MOST_SECONDS, MOST_MEGABYTES = 20_000, 2.0, 500.0
_HANGS = 60  # seconds by the clock
_CONTEXT = multiprocessing.get_context("fork")  # a child has all that is imported here
_BEYOND = 2 << 30  # bytes of address space past what a process begins with: what asks for more is told so


def run_case(target: Target, files: Files, folder: Path) -> str:
    """What reading an input came to: "read", "refused", or what went wrong."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    began, before = time.perf_counter(), _peak()
    outcome = _read(target, files, folder)
    if time.perf_counter() - began > MOST_SECONDS:  # again, by the time of this process, which takes long to ask for
        began = time.process_time()
        outcome = _read(target, files, folder)
        if (took := time.process_time() - began) > MOST_SECONDS:
            return f"{took:.2f} s: {outcome}"
    if (grown := _peak() - before) > MOST_MEGABYTES:
        return f"{grown:.0f} MB: {outcome}"
    return outcome


def _read(target: Target, files: Files, folder: Path) -> str:
    try:
        target.read(folder, next(iter(files)))
    except LabelfreeError as error:
        return "refused" if "\n" not in str(error) else f"a message of several lines: {error}"
    except BaseException:
        return traceback.format_exc()
    return "read"


def run_cases(
    name: str,
    first: int,
    end: int,
    keep: Path | None = None,
    until: float = float("inf"),
    mark: MutableSequence[int] | None = None,
) -> dict:
    """Run some inputs of a reader in this process; `mark` says to others which, and since when."""
    target = TARGETS[name]
    seeds = _seeds(name)
    outcomes: Counter[str] = Counter()
    wrong, at_first = [], _peak()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:  # noqa: S108
        for number in range(first, end):
            if time.time() > until:
                break
            files = target.case(seeds, name, number)
            if mark is not None:
                mark[:] = number, int(time.time())
            outcome = run_case(target, files, Path(folder))
            outcomes[outcome if outcome in ("read", "refused") else "wrong"] += 1
            if outcome not in ("read", "refused"):
                wrong.append({"number": number, "what": outcome})
                if keep is not None:
                    shutil.rmtree(keep / f"{name}-{number}", ignore_errors=True)
                    shutil.copytree(folder, keep / f"{name}-{number}")
            for left in Path(folder).iterdir():
                if left.is_file() and left.name != "page.png":
                    left.unlink()
    row = {"reader": name, "inputs": outcomes.total(), **outcomes, "megabytes": _peak() - at_first}
    return row | {"found": wrong}


@lru_cache(maxsize=1)
def _seeds(name: str) -> Sequence[Files]:
    return TARGETS[name].seeds()


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _in_process(name: str, n_inputs: int, keep: Path, seconds: float) -> dict:
    """Run a reader's inputs in processes that may crash or hang."""
    until = time.time() + seconds
    row: dict = {"reader": name, **dict.fromkeys(("inputs", "read", "refused", "wrong", "megabytes"), 0)}
    row["found"] = []
    first = 0
    _seeds(name)  # made here, as a fit takes a while
    mark = _CONTEXT.RawArray("q", 2)
    while first < n_inputs and time.time() < until:
        mark[:] = first, int(time.time())
        mine, its = _CONTEXT.Pipe(duplex=False)
        worker = _CONTEXT.Process(target=_work, args=(its, name, first, n_inputs, keep, until, mark))
        worker.start()
        its.close()
        while not mine.poll(1):
            if time.time() - mark[1] > _HANGS:
                worker.kill()
                break
        try:
            done = mine.recv()
        except EOFError:
            done = None
        worker.join()
        if done is not None:
            for key in ("inputs", "read", "refused", "wrong"):
                row[key] += done.get(key, 0)
            row["megabytes"] = max(row["megabytes"], done["megabytes"])
            row["found"] += done["found"]
            break
        number = mark[0]
        row["found"].append({"number": number, "what": f"the process ended by {worker.exitcode}"})
        row["inputs"] += number + 1 - first
        row["wrong"] += 1
        first = number + 1
    return row


def _work(
    pipe: Connection, name: str, first: int, end: int, keep: Path, until: float, mark: MutableSequence[int]
) -> None:
    """Run inputs in a process of their own, which has only so much memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + _BEYOND,) * 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # decoders print there
    pipe.send(run_cases(name, first, end, keep, until, mark))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800, help="for all readers together")
    parser.add_argument("--inputs", type=int, default=WANTED_INPUTS, help="of each reader")
    parser.add_argument("--readers", nargs="*", choices=TARGETS, default=list(TARGETS))
    parser.add_argument(
        "--keep", type=Path, default=Path("build/fuzz"), help="folder for inputs that something is wrong with"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    rows, began = [], time.time()
    for place, name in enumerate(options.readers):
        left = options.seconds - (time.time() - began)
        row = _in_process(name, options.inputs, options.keep, left / (len(options.readers) - place))
        rows.append(row)
        if not options.json:
            print({key: value for key, value in row.items() if key != "found"}, flush=True)
            for found in row["found"][:20]:
                print("   ", found["number"], found["what"].strip().splitlines()[-1][:200], flush=True)
    checks = [
        {"name": f"{row['reader']}: {what}", "value": row[key], "wanted": f"{sign} {wanted}", "ok": ok(row[key])}
        for row in rows
        for what, key, sign, wanted, ok in (
            ("inputs", "inputs", ">=", options.inputs, lambda found: found >= options.inputs),
            ("anything but LabelfreeError, too slow or too large", "wrong", "<=", 0, lambda found: found == 0),
            ("memory, MB", "megabytes", "<=", MOST_MEGABYTES, lambda found: found <= MOST_MEGABYTES),
        )
    ]
    if options.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        print(f"{sum(check['ok'] for check in checks)} of {len(checks)} as wanted, {time.time() - began:.0f} s")
    return 0 if all(check["ok"] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
