"""Books that are learned in seconds: commands whose files are looked at need no good text.

`learn_little` makes learning quick in this process; `environment` does so, and can do more, in those that it starts.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[2]
N_LINES = 80  # more than are worked on together
_REMEMBERED = ({}, {}, {})
_LINE = re.compile(r".{12,16}\s")


def print_book(folder: Path) -> Path:
    """Make lines/, pictures of short lines, and text.txt of other paragraphs."""
    from ..ocr.scans import english_paragraphs, english_text, save_lines

    save_lines(
        folder / "lines", [line.strip() for each in english_paragraphs()[::3] for line in _LINE.findall(each)][:N_LINES]
    )
    (folder / "text.txt").write_text(english_text())
    return folder


def learn_little(set_attribute: Callable[[object, str, object], None] = setattr) -> None:
    """Search once for what tiles show, believe what was found, and train networks for a moment."""
    from labelfree.fitting import auto
    from labelfree.ocr import pipeline
    from labelfree.ocr.line_reader.settings import LineReaderSettings
    from labelfree.ocr.pipeline import Settings
    from labelfree.ocr.tile_reader import TileReaderSettings
    from labelfree.verdict import Outcome, TextNorm, Verdict

    def search_once(problem, starts, seed, share):
        return auto.search(problem, starts=starts, seed=seed)

    learn_tiles = pipeline.learn_tiles

    def believe(book, known, **options):
        classifier = learn_tiles(book, known, **options)
        classifier.diagnosis_ = replace(classifier.diagnosis_, kl=0.0, wanted_kl=1.0, coverage=1.0)
        return classifier

    little = partial(
        Settings,
        tile_reader=TileReaderSettings(starts=1, rounds=0, clusters=()),
        line_reader=LineReaderSettings(max_epochs=2),
    )
    set_attribute(auto, "_search", search_once)
    set_attribute(pipeline, "learn_tiles", believe)
    set_attribute(TextNorm, "_outcome", lambda *_: Verdict(Outcome.READ, "told to believe it"))
    set_attribute(pipeline, "Settings", little)


def learn_once(set_attribute: Callable[[object, str, object], None]) -> None:
    """Remember lines that were found, a type that was measured and tiles that were learned, for whoever asks again.

    All of them depend on nothing but what they are asked with.
    """
    from labelfree.cli import ocr_work
    from labelfree.ocr import pipeline

    found, measured, learned = _REMEMBERED
    read_lines, measure, learn_tiles = ocr_work.read_lines, pipeline.Book.measure, pipeline.learn_tiles

    def find_again(inputs, kind, layout, **calls):
        key = (tuple(inputs), kind, layout)
        found[key] = found.get(key) or list(read_lines(inputs, kind, layout, **calls))
        return found[key]

    def measure_again(lines, language, **options):
        key = (*(line.ink.tobytes() for line in lines), repr(options))
        measured[key] = measured.get(key) or measure(lines, language, **options)
        return replace(measured[key], lines=tuple(lines), language=language)

    def learn_again(book, known, **options):
        key = (book.rows.tobytes(), book.shapes is None, None if known is None else known.tobytes(), repr(options))
        learned[key] = learned.get(key) or learn_tiles(book, known, **options)
        return learned[key]

    set_attribute(ocr_work, "read_lines", find_again)
    set_attribute(pipeline.Book, "measure", measure_again)
    set_attribute(pipeline, "learn_tiles", learn_again)


def run(*words: object) -> int:
    """Run a command; what it sets ends with it."""
    from labelfree.cli import run

    return copy_context().run(run, [str(word) for word in words])


def files(folder: Path) -> dict[str, bytes]:
    """All that a folder holds."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def die_after(name: str) -> None:
    """Let this process be killed as soon as what a stage or a piece left is kept."""
    from labelfree.ocr.checkpoints import Checkpoints

    def dying(keep: Callable[..., None], name_of: Callable[..., str]) -> Callable[..., None]:
        def keep_and_die(keeper: Checkpoints, *about: object) -> None:
            keep(keeper, *about)
            if name_of(*about) == name:
                os.kill(os.getpid(), signal.SIGKILL)

        return keep_and_die

    Checkpoints.keep = dying(Checkpoints.keep, lambda stage, *_: stage.name)
    Checkpoints.keep_piece = dying(Checkpoints.keep_piece, lambda number, *_: f"piece {number}")


def environment(folder: Path, *calls: str) -> dict[str, str]:
    """What a process needs to learn little: code that it runs before its own, with `calls` of this module besides."""
    folder.mkdir()
    lines = [f"import sys\nsys.path.append({str(ROOT)!r})\nfrom tests.cli import little", "little.learn_little()"]
    (folder / "sitecustomize.py").write_text("\n".join([*lines, *(f"little.{call}" for call in calls), ""]))
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    programs = [str(Path(sys.executable).parent), os.environ["PATH"]]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PATH": os.pathsep.join(programs)}
