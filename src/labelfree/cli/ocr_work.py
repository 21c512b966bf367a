"""What the verbs of `labelfree ocr` do, from their options to what they report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from labelfree import progress
from labelfree.cli.ocr_report import ADVICE, FoundPages, Model, ReadDocument, warn_of_doubt
from labelfree.cli.stopping import go_on_with, keeping
from labelfree.errors import InputError
from labelfree.files import claimed, output_at, remove_leftovers, unwritable, write_aside
from labelfree.ocr.alternatives import with_alternatives
from labelfree.ocr.checkpoints import Checkpoints, check_begun, fingerprint
from labelfree.ocr.export import FORMATS, PAGE_TABLE, DocumentWriter, check_outputs, output_stems, page_table
from labelfree.ocr.hints import Hints, read_hints
from labelfree.ocr.language import BookLanguage, LanguageSettings, book_language
from labelfree.ocr.layout.scans import Kind, Layout, read_lines, requests
from labelfree.ocr.pipeline import FAST, Learned, run_pipeline, stage_names
from labelfree.ocr.reader import Reader
from labelfree.ocr.scripts.symbols import symbols_from_option
from labelfree.ocr.segment.orientation import is_latin, upside_down
from labelfree.ocr.tile_reader import which_language
from labelfree.ocr.types import Unread
from labelfree.report.book import write_report
from labelfree.report.record import RECORD, BookRecord
from labelfree.storage.folder import is_model_folder
from labelfree.verdict import ReadingVerdict, Remedy

if TYPE_CHECKING:
    from labelfree.ocr.types import Document, Page, PageKey

_OF_PAIRS, _OF_CHARACTERS = 0.9, 0.5  # confidence at least, where none is given

AUTO = "auto"
"""In place of a language's code: which one it is is asked."""


@dataclass(frozen=True)
class ScanOptions:
    """What is to be read, and how lines are found on it."""

    inputs: Sequence[str]
    kind: Kind = "auto"
    layout: Layout = "builtin"

    def keys(self) -> list[PageKey]:
        """The pages there are to read, before any is looked at; what cannot be read is passed over."""
        return [request.key for request in requests(self.inputs, "page", leave_out=lambda path, error: None)]

    def find(self, language: BookLanguage | None) -> FoundPages:
        """The lines of all scans; what is wrong with some of them is said at once."""
        left_out: list[tuple[Path, str]] = []
        pages = list(
            read_lines(
                self.inputs,
                self.kind,
                self.layout,
                leave_out=lambda path, error: left_out.append((path, str(error))),
                progress=lambda done, total: progress.stage("finding lines", done, total),
            )
        )
        turned = upside_down(pages) if language and is_latin(language.lm.alphabet.symbols) else []
        keys = {page.key for page in turned}
        upright = tuple(page.turned_over if page.key in keys else page for page in pages)
        found = FoundPages(upright, tuple(left_out), tuple(page.source for page in turned))
        found.warn()
        found.check()
        return found


@dataclass(frozen=True)
class LanguageOptions:
    """What a book is written in, as the command line has it."""

    text: Sequence[Path] | None = None
    lang: str | None = None
    symbols: str | None = None
    long_s: bool = False
    script: str | None = None
    rescore: bool = False

    def learn(self) -> BookLanguage:
        """Count the language."""
        if not self.text and self.lang is None:
            raise InputError(
                "neither --text nor --lang found, one wanted; give --text with a file in the language of the book, or "
                "--lang with its code, such as en, or --lang auto"
            )
        progress.stage("counting the language")
        return book_language(
            self.text or (),
            self.lang,
            symbols=None if self.symbols is None else symbols_from_option(self.symbols),
            old_spelling=self.long_s,
            script=self.script,
            settings=LanguageSettings(rescoring=self.rescore),
        )

    def for_all_books(self) -> LanguageOptions | LearnedLanguage:
        """The language, counted once for many books; where it is asked for, each is asked by itself."""
        return self if self.lang == AUTO else LearnedLanguage(self.learn(), None if self.text else self.lang)

    def language_and_lines(self, scans: ScanOptions, seed: int) -> tuple[BookLanguage, FoundPages]:
        """What a book is written in and its lines; where its language is asked for, some are read first."""
        if self.lang != AUTO:
            language = self.learn()
            return language, replace(scans.find(language), word_list=None if self.text else self.lang)
        if self.text:
            raise InputError("--lang auto and --text found, one wanted: the text tells its language; leave --lang out")
        found = scans.find(None)
        asked = which_language(found.pages, script=self.script, seed=seed)
        print(f"labelfree: {asked}", file=sys.stderr)
        return replace(self, lang=asked.code).learn(), replace(found, asked=asked, word_list=asked.code)


@dataclass(frozen=True)
class LearnedLanguage:
    """What a book is written in, once it is counted, for other books."""

    language: BookLanguage
    word_list: str | None  # the code of the language where nothing but its words is known

    def language_and_lines(self, scans: ScanOptions, seed: int) -> tuple[BookLanguage, FoundPages]:
        """The language, and the lines of a book; nothing is left to chance."""
        return self.language, replace(scans.find(self.language), word_list=self.word_list)


@dataclass(frozen=True)
class LearnOptions:
    """How a book is learned."""

    fast: bool = False
    without: Sequence[str] | None = None
    hints: Path | None = None
    seed: int = 0

    @property
    def left_out(self) -> tuple[str, ...]:
        """Stages and corrections that are left out."""
        named = tuple(name for each in self.without or () for name in each.split(","))
        for name in named:
            if name not in stage_names():
                raise InputError(
                    f"--without {name!r} found, one of {', '.join(stage_names())} wanted; labelfree ocr stages tells "
                    "what each does"
                )
        return (*named, *FAST) if self.fast else named

    def read_hints(self) -> Hints | None:
        """The hints, if there are any."""
        return None if self.hints is None else read_hints(self.hints)

    def learn(self, found: FoundPages, language: BookLanguage, hints: Hints | None, keeper: Checkpoints) -> Learned:
        """Run the pipeline."""
        return run_pipeline(
            found.pages,
            language,
            hints=hints,
            without=self.left_out,
            seed=self.seed,
            keeper=keeper,
        )


@dataclass(frozen=True)
class OutputOptions:
    """What is written, and whether what is there may be replaced."""

    folder: Path
    formats: Sequence[str] | None = None
    least_confidence: float | None = None
    unread: str | None = None
    resume: bool = False
    force: bool = False
    report: Path | None = None

    @property
    def chosen(self) -> list[str]:
        """The formats."""
        chosen = [name for each in self.formats or ["txt"] for name in each.split(",")]
        for name in chosen:
            if name not in FORMATS:
                raise InputError(f"format {name!r} found, one of {', '.join(FORMATS)} wanted")
        return chosen

    @property
    def unread_mark(self) -> Unread | None:
        """What texts have for characters that could not be read."""
        if self.unread is None:
            return None
        if len(self.unread) != 1 or self.unread.isspace():
            raise InputError(f"--unread {self.unread!r} found, one character to see wanted; give one such as ▯")
        return Unread(self.unread, _OF_CHARACTERS if self.least_confidence is None else self.least_confidence)

    @property
    def checkpoint(self) -> Path:
        """Where the state of the work is kept."""
        return self.folder.absolute().with_name(self.folder.absolute().name + ".checkpoint")

    @contextmanager
    def writer(self, scans: ScanOptions) -> Iterator[DocumentWriter]:
        """Give what writes these pages, and keep others from writing; refuses, before any work, to replace files."""
        self._make_room()
        with claimed(self.folder):
            check_begun(self.checkpoint, resume=self.resume, force=self.force)
            keys = scans.keys()
            stems = dict(zip(keys, output_stems(keys), strict=True))
            writer = DocumentWriter(
                self.folder,
                self.chosen,
                stems,
                least_confidence=_OF_PAIRS if self.least_confidence is None else self.least_confidence,
                unread=self.unread_mark,
            )
            more = (self.folder / RECORD, self.folder / PAGE_TABLE, *([self.report] if self.report else []))
            planned = (*writer.planned, *more)
            check_outputs(planned, force=self.force or (self.resume and self.checkpoint.is_dir()))
            for folder in {place for path in planned for place in (path, path.parent) if place.is_dir()}:
                remove_leftovers(folder)
            yield writer

    def _make_room(self) -> None:
        """Make the folder that the one for what is read will stand in."""
        try:
            self.folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from None

    def keep(self, record: BookRecord) -> None:
        """Keep what a report is made of and a table of the pages, and make a report where it is asked for."""
        record.write(self.folder)
        write_aside(self.folder / PAGE_TABLE, page_table(record.document.pages))
        if self.report is not None:
            progress.stage("writing the report")
            write_report(BookRecord.read(self.folder), self.report)  # the very one that can be made again


def write_pages(writer: DocumentWriter, pages: Iterable[Page], reader: Reader, total: int) -> tuple[Document, int]:
    """Write each page as soon as it is read, then what holds all of them; returns it, and how many files it is."""
    facts, kept, n_files = reader.document(()), [], 0
    for done, page in enumerate(pages, 1):
        n_files += len(writer.page(page, facts))
        kept.append(page)
        progress.stage("writing pages", done, total)
    document = reader.document(kept)
    return document, n_files + len(writer.whole(document))


def run(
    language_options: LanguageOptions | LearnedLanguage, scans: ScanOptions, how: LearnOptions, out: OutputOptions
) -> ReadDocument:
    """Learn a book's type from its own scans and read it."""
    with out.writer(scans) as writer:
        hints, _ = how.read_hints(), how.left_out
        language, found = language_options.language_and_lines(scans, how.seed)
        keeper = _checkpoints(out, found, language, how, hints)
        with keeping(lambda: _kept(keeper)):
            began = perf_counter()
            learned = how.learn(found, language, hints, keeper)
            reader = Reader.of(learned.state)
            assert learned.state.reading is not None  # noqa: S101 - the stage of tiles leaves one
            seconds = perf_counter() - began
            pages = with_alternatives(reader, found.pages, reader.pages_of(found.pages, learned.state.reading))
            document, n_files = write_pages(writer, pages, reader, len(found.pages))
            verdict = reader.judge_pages(document.pages)
            out.keep(BookRecord.of(reader, document, verdict, learned.state.scores))
            keeper.remove()
    return ReadDocument(document, reader, found, out.folder, n_files, seconds, verdict, learned.seconds)


def learn(language_options: LanguageOptions, scans: ScanOptions, how: LearnOptions, out: OutputOptions) -> Model:
    """Learn a book's type and keep it as a model."""
    with output_at(out.folder, force=out.force, may_replace=is_model_folder):
        check_begun(out.checkpoint, resume=out.resume, force=out.force)
        hints, _ = how.read_hints(), how.left_out
        language, found = language_options.language_and_lines(scans, how.seed)
        keeper = _checkpoints(out, found, language, how, hints)
        with keeping(lambda: _kept(keeper)):
            began = perf_counter()
            learned = how.learn(found, language, hints, keeper)
            reader = Reader.of(learned.state)
            reader.save(out.folder, force=out.force)
            keeper.remove()
    return Model(reader, found, out.folder, perf_counter() - began, learned.seconds)


def read(model: Path, scans: ScanOptions, out: OutputOptions) -> ReadDocument:
    """Read scans with a model that is learned already."""
    with out.writer(scans) as writer:
        reader = Reader.load(model)
        found = scans.find(reader.language)
        mark = fingerprint(found.pages, reader.language.lm, "read", _sum_of(model))
        keeper = Checkpoints.open(out.checkpoint, mark, resume=out.resume, force=out.force)
        with keeping(lambda: _kept(keeper)):
            began = perf_counter()
            progress.plan([("read", 1.0)])
            progress.part("read")
            pages = with_alternatives(reader, found.pages, reader.read_pages(found.pages, keeper))
            document, n_files = write_pages(writer, pages, reader, len(found.pages))
            seconds = perf_counter() - began
            verdict = reader.judge_pages(document.pages)
            out.keep(BookRecord.of(reader, document, verdict))
            keeper.remove()
    return ReadDocument(document, reader, found, out.folder, n_files, seconds, verdict)


def _kept(keeper: Checkpoints) -> str:
    return f"kept in {keeper.folder}: {', '.join(keeper.stages) or 'nothing yet'}. {go_on_with()}"


def leave(verdict: ReadingVerdict | None, advice: Mapping[Remedy, str] = ADVICE) -> int:
    """The exit code: 1, with what would help, where what was read is not to be believed."""
    if verdict is not None and verdict.converged:
        return 0
    warn_of_doubt(verdict, advice)
    return 1


def _checkpoints(
    out: OutputOptions, found: FoundPages, language: BookLanguage, how: LearnOptions, hints: Hints | None
) -> Checkpoints:
    about = (
        language.code,
        language.script.name,
        language.neural is not None,
        how.left_out,
        how.seed,
        hints,
    )
    mark = fingerprint(found.pages, language.lm, *about)
    return Checkpoints.open(out.checkpoint, mark, resume=out.resume, force=out.force)


def _sum_of(model: Path) -> str:
    return (model / "model.json").read_text("utf-8")
