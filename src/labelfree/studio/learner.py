"""The child process in which a book is learned: `python -m labelfree.studio.learner JOB`, JSON lines on stdout.

It ends with the studio that began it. What each stage leaves is kept, so that the same job goes on from there.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

from labelfree import progress
from labelfree.errors import InputError, LabelfreeError
from labelfree.ocr.alternatives import with_alternatives
from labelfree.ocr.checkpoints import Checkpoints, fingerprint
from labelfree.ocr.hints import Hints, parse_hints
from labelfree.ocr.language import BookLanguage, book_language
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.pipeline import FAST, run_pipeline
from labelfree.ocr.reader import Reader
from labelfree.ocr.tile_reader import which_language
from labelfree.ocr.types import PageLines
from labelfree.report.record import BookRecord
from labelfree.solvers.run import accompanied_by
from labelfree.studio.job import AUTO, Job, Wishes
from labelfree.studio.telling import ProgressTeller, ReadingTeller, Teller, reading_of

MODEL = "model"
_CHECKPOINT = "checkpoint"
_WATCH = 1.0  # seconds


def learn(job: Job, teller: Teller) -> None:
    """Learn a book as a job says, and keep the reading and the model in its folder."""
    with progress.observed_by(ProgressTeller(teller)):
        pages = _pages(job, teller)
        language = _language(job, pages, teller)
        hints = _hints(job, pages, language, teller)
        without = FAST if job.wishes.fast else ()
        mark = fingerprint(pages, language.lm, job.wishes, hints)
        place = job.folder / _CHECKPOINT
        kept = _checkpoints(place, mark)
        watcher = ReadingTeller(teller, kept)
        with accompanied_by(watcher):
            learned = run_pipeline(pages, language, hints=hints, without=without, keeper=watcher)
        progress.stage("writing what was read")
        reader = Reader.of(learned.state)
        reader.save(job.folder / MODEL, force=True)
        read = reader.pages_of(pages, reading_of(learned.state))
        document = reader.document(with_alternatives(reader, pages, read))
        verdict = reader.judge_pages(document.pages)
        BookRecord.of(reader, document, verdict, learned.state.scores).write(job.folder)
        kept.remove()
        teller.tell("done")


def _checkpoints(place: Path, mark: str) -> Checkpoints:
    try:
        return Checkpoints.open(place, mark, resume=True)
    except InputError:  # of other scans or another version: begun anew
        return Checkpoints.open(place, mark, resume=False, force=True)


def _pages(job: Job, teller: Teller) -> list[PageLines]:
    def leave_out(path: Path, error: InputError) -> None:
        teller.tell("warning", text=str(error).replace(str(path), path.name))

    found = read_lines(
        list(job.scans),
        leave_out=leave_out,
        progress=lambda done, total: progress.stage("finding lines", done, total),
    )
    pages = list(found)
    teller.tell("pages", pages=len(pages), lines=sum(len(page.lines) for page in pages))
    return pages


def _language(job: Job, pages: list[PageLines], teller: Teller) -> BookLanguage:
    wishes: Wishes = job.wishes
    script = wishes.script or None
    code = None if wishes.lang == AUTO else wishes.lang
    if not job.texts and code is None:
        asked = which_language(pages, script=script)
        code = asked.code
        teller.tell("language", code=code, text=str(asked))
    progress.stage("counting the language")
    texts = [Path(each) for each in job.texts]
    said = parse_hints(job.hints, "what you said") if job.hints else Hints()
    return book_language(
        texts,
        code,
        old_spelling=wishes.long_s,
        script=script,
        named=sorted({mark.symbol for mark in said.marks} | {each for line in said.lines for each in line.text}),
    )


def _hints(job: Job, pages: list[PageLines], language: BookLanguage, teller: Teller) -> Hints | None:
    """What a person said, without what the language cannot write or no page shows."""
    if not job.hints:
        return None
    said = parse_hints(job.hints, "what you said")
    lines = tuple(hint for hint in said.lines if _is_usable(Hints((hint,)), pages, language, teller))
    marks = tuple(hint for hint in said.marks if _is_usable(Hints((), (), (hint,)), pages, language, teller))
    return replace(said, lines=lines, marks=marks) if lines or marks else None


def _is_usable(hint: Hints, pages: list[PageLines], language: BookLanguage, teller: Teller) -> bool:
    try:
        hint.line_labels(pages, language)
        hint.mark_labels(pages, language)
    except InputError as error:
        teller.tell("warning", text=f"kept, but not learned from: {error}")
        return False
    return True


def _end_with_parent() -> None:
    """End at once where the studio is gone: what was kept is taken up by the next one."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main(arguments: list[str]) -> int:
    """Do one job; what goes wrong is told in one line."""
    _end_with_parent()
    teller = Teller(sys.stdout)
    try:
        learn(Job.read(Path(arguments[0])), teller)
    except LabelfreeError as error:
        teller.tell("failed", text=str(error))
        return 2
    except MemoryError:
        teller.tell("failed", text="there is not enough memory for so many pages; take fewer")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
