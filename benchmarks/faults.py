"""Commands killed at random moments: what stands under their names, what they leave, and what the next run makes of it.

    python benchmarks/faults.py [--json] [--kills 200] [--seed 0] [--flips 1000] [-v]

Each command replaces what it wrote before, is killed (SIGKILL) at a moment drawn from its whole duration, and is given
again, with --resume where it left a checkpoint. Counted are files that are neither the old nor the new ones, names that
are missing, results of the next run that differ by a bit from those of a run that nobody stopped, and what is left
beside them then. Every third kill is made where folders cannot be exchanged in one step. Then single bits are flipped
all over a model that reads print; each is to be refused by name.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

from tests.cli import little

from labelfree import Alphabet, NGramLM, files, load, save
from labelfree.cli import run
from labelfree.ocr import Reader

_CLOCK = re.compile(rb'"(seconds|sha256)": [^,}\n]+')  # what a card says of times, and so its sum
_SHARES = {"fit": 6, "lm build": 4, "save": 4, "ocr run": 2, "ocr learn": 2, "ocr read": 2}


@dataclass
class Job:
    """A command, where it writes, and what its folder held before."""

    name: str
    words: list[str]
    out: Path
    resumes: bool = False
    act: Callable[[bool], int] | None = None
    old: dict[str, bytes] = field(default_factory=dict)
    new: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0

    def do(self) -> int:
        """The command, resumed where it left a checkpoint."""
        if self.act is not None:
            return self.act(True)
        kept = self.out.with_name(self.out.name + ".checkpoint")
        resume = ["--resume"] if self.resumes and kept.exists() else []
        return run([*self.words, "-o", str(self.out), "--force", *resume])

    def restore(self) -> None:
        """The folder as it was."""
        shutil.rmtree(self.out.parent)
        for name, content in self.old.items():
            path = self.out.parent / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def found(self) -> dict[str, bytes]:
        """All that stands beside its output, but for the times in it."""
        there = little.files(self.out.parent)
        return {name: _CLOCK.sub(b"", text) if name.endswith("model.json") else text for name, text in there.items()}


def in_child(job: Job, seconds: float | None, *, exchange: bool = True) -> int:
    """Do a job in a process of its own, killed after so many seconds; gives its code, negative for a signal."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            if not exchange:
                files._exchange = lambda one, other: False
            sink = os.open(os.devnull, os.O_RDWR)
            os.dup2(sink, 1)
            if seconds is not None:
                os.dup2(sink, 2)
            code = job.do()
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def jobs(root: Path) -> list[Job]:
    """All jobs, on inputs that are worked off in a second or so."""
    book = little.print_book(root)
    rng = np.random.default_rng(0)
    labels = np.minimum(rng.geometric(0.4, 600) - 1, 5)
    text = "".join("abcdef"[label] for label in labels)
    np.savez(root / "data.npz", X=labels[:, None] + 7, lengths=[600])
    NGramLM.from_text(text, Alphabet("abcdef")).write_arpa(root / "lm.arpa")
    places = {name: root / name.replace(" ", "-") / "out" for name in _SHARES}
    for place in places.values():
        place.parent.mkdir()
    scans = [str(book / "lines"), "--kind", "line", "-q", "--workers", "1"]
    language = ["--text", str(book / "text.txt")]
    fit = ["fit", str(root / "data.npz"), "--lm", str(root / "lm.arpa"), "-q"]
    assert run([*fit, "-o", str(root / "model")]) in (0, 1)
    assert run(["ocr", "learn", *scans, *language, "-o", str(root / "reader")]) in (0, 1)
    reader = Reader.load(root / "reader")

    def saved(again: bool) -> int:
        reader.save(places["save"], force=again)
        return 0

    forms = ["-f", "txt,json"]
    listed = [
        Job("fit", [*fit, "--checkpoint-every", "0.05", "--n-init", "3"], places["fit"], resumes=True),
        Job("lm build", ["lm", "build", str(book / "text.txt")], places["lm build"]),
        Job("save", [], places["save"], act=saved),
        Job("ocr run", ["ocr", "run", *scans, *language, *forms], places["ocr run"], resumes=True),
        Job("ocr learn", ["ocr", "learn", *scans, *language], places["ocr learn"], resumes=True),
        Job("ocr read", ["ocr", "read", *scans, "-m", str(root / "reader"), *forms], places["ocr read"], resumes=True),
    ]
    for job in listed:
        assert in_child(job, None) in (0, 1), job.name
        began = time.perf_counter()
        assert in_child(job, None) in (0, 1), job.name  # once more, over what is there, as it will be killed
        job.seconds, job.new = time.perf_counter() - began, job.found()
        if job.name in ("fit", "save", "ocr learn"):  # another model
            shutil.rmtree(job.out)
            other = load(root / "model")
            other.random_state = 9
            save(other, job.out)
        else:
            for path in sorted(job.out.rglob("*")) if job.out.is_dir() else [job.out]:
                path.write_bytes(b"old")
        job.old = little.files(job.out.parent)
    return listed


def hidden(name: str) -> bool:
    """Whether a name is of what is being written, or of a checkpoint."""
    return name.startswith(".labelfree-") or "/.labelfree-" in name or ".checkpoint" in name


def killed(job: Job, share: float, *, exchange: bool) -> dict[str, object]:
    """Kill a job after a share of its duration; what was wrong then, and after the next run."""
    job.restore()
    old = job.found()
    code = in_child(job, share * job.seconds, exchange=exchange)
    if not exchange:
        files.recover(job.out)  # as whoever opens the folder does
    there = {name: content for name, content in job.found().items() if not hidden(name)}
    half = [name for name, content in there.items() if content not in (old.get(name), job.new.get(name))]
    is_folder_of_one_piece = job.name in ("fit", "save", "ocr learn")
    if is_folder_of_one_piece and there not in (old, job.new):
        half.append("a mixture")
    missing = [name for name in old if name not in there and not (is_folder_of_one_piece and there == job.new)]
    left = sum(hidden(name) for name in job.found())
    again = in_child(job, None)
    after = job.found()
    return {
        "method": job.name,
        "killed": code == -signal.SIGKILL,
        "half": len(half),
        "missing": len(missing),
        "left": left,
        "again": again,
        "left_then": sum(hidden(name) for name in after) + (after.keys() > job.new.keys()),
        "same": after == job.new,
    }


def flipped(model: Path, scans: Path, flips: int, seed: int) -> dict[str, object]:
    """Flip single bits, as many in each file, and ask the commands in turn; counts what each made of it."""
    draws = random.Random(seed)
    names = sorted(path.name for path in model.iterdir())
    data = str(model.parent / "data.npz")
    commands = [
        lambda: ["info", str(model)],
        lambda: ["predict", str(model), data],
        lambda: ["evaluate", str(model), data],
        lambda: ["ocr", "read", str(scans), "-m", str(model), "-q", "-o", str(model.parent / "never")],
        lambda: ["ocr", "groups", str(scans), "-m", str(model), "-q", "-o", str(model.parent / "never.png")],
    ]
    refused = named = 0
    for number in range(flips):
        path = model / names[number % len(names)]
        content = path.read_bytes()
        place, bit = draws.randrange(len(content)), draws.randrange(8)
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])
        told = io.StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
            code = run(commands[number // len(names) % len(commands)]())
        path.write_bytes(content)
        refused += code == 2
        named += path.name in told.getvalue()
    return {"method": "flipped bits", "flips": flips, "files": len(names), "refused": refused, "named": named}


def measured(kills: int, flips: int, seed: int, *, verbose: bool = False) -> dict[str, list[dict[str, object]]]:
    """All kills and flips, and what was wanted of them."""
    little.learn_little()
    little.learn_once(setattr)
    draws = random.Random(seed)
    found, rows = [], []
    with tempfile.TemporaryDirectory() as place:
        listed = jobs(Path(place))
        deck = [job for job in listed for _ in range(_SHARES[job.name])]
        for number in range(kills):
            job = deck[number % len(deck)]
            found.append(killed(job, draws.random(), exchange=number % 3 != 2))
            if sys.stderr.isatty() or verbose:
                print(f"{number + 1} of {kills}: {found[-1]}", file=sys.stderr, flush=True)
        for job in listed:
            own = [row for row in found if row["method"] == job.name]
            figures = {
                key: sum(int(row[key]) for row in own) for key in ("killed", "half", "missing", "left", "left_then")
            }
            same = sum(int(row["same"]) for row in own)
            rows.append({"method": job.name, "seconds": job.seconds, "runs": len(own), **figures, "same": same})
        rows.append(flipped(Path(place) / "reader", Path(place) / "lines", flips, seed))

    def total(key: str) -> int:
        return sum(int(row[key]) for row in found)

    zero = [("half files", "half"), ("missing names", "missing"), ("leftovers after the next run", "left_then")]
    checks = [{"name": name, "value": total(key), "wanted": 0, "ok": total(key) == 0} for name, key in zero]
    for name, value, wanted in (
        ("next runs with the same bits", total("same"), len(found)),
        ("flipped bits refused", rows[-1]["refused"], flips),
        ("flipped bits whose file is named", rows[-1]["named"], flips),
    ):
        checks.append({"name": name, "value": value, "wanted": wanted, "ok": value == wanted})
    return {"rows": rows, "checks": checks}


def main() -> None:
    """Run from the shell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-v", "--verbose", action="store_true", help="tell of each kill")
    arguments = parser.parse_args()
    result = measured(arguments.kills, arguments.flips, arguments.seed, verbose=arguments.verbose)
    if arguments.json:
        print(json.dumps(result))
        return
    for row in result["rows"]:
        print(
            ", ".join(
                f"{name} {value:.2f}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items()
            )
        )
    for check in result["checks"]:
        print(f"{'ok  ' if check['ok'] else 'MISS'} {check['name']}: {check['value']}, wanted {check['wanted']}")


if __name__ == "__main__":
    main()
