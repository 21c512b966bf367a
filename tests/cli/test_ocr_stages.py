"""`labelfree ocr` stage by stage: they are listed, left out, timed, and `learn` then `read` says what `run` says."""

import dataclasses
import io
import json
import re
import shutil
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.ocr.book import Book
from labelfree.ocr.correct.corrections import CORRECTIONS
from labelfree.ocr.hints import KnownLabels, read_hints
from labelfree.ocr.language import book_language
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.pipeline import FAST, STAGES, Settings, State
from labelfree.ocr.reader import Reader, learn

from .little import N_LINES, files, learn_little, learn_once, print_book, run

HINTED = ("003", "079")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book, and hints.txt of two lines with a word that is not there."""
    folder = print_book(tmp_path_factory.mktemp("book"))
    hints = [f"{name}: zzyzx {(folder / 'lines' / f'{name}.gt.txt').read_text()}" for name in HINTED]
    (folder / "hints.txt").write_text("".join(hints))
    return folder


@pytest.fixture(scope="module", autouse=True)
def _little():
    with pytest.MonkeyPatch.context() as patch:
        learn_little(patch.setattr)
        yield


@pytest.fixture
def once(monkeypatch):
    learn_once(monkeypatch.setattr)


def words(book, mode):
    """How a book is learned."""
    how = ["--fast"] if mode == "fast" else []
    hints = ["--hints", str(book / "hints.txt")]
    return [str(book / "lines"), "--kind", "line", "--text", str(book / "text.txt"), *how, *hints, "-q"]


@dataclass(frozen=True)
class Learned:
    """A way to learn, what `learn` told, and its files: out/ of `run`, model/ of `learn`, again/ of `read` with it."""

    mode: str
    place: Path
    told: dict


@pytest.fixture(scope="module")
def both(book):
    """What was learned fast and by default."""
    with pytest.MonkeyPatch.context() as patch:
        learn_once(patch.setattr)
        return {mode: learn_and_read(book, mode) for mode in ("fast", "default")}


def learn_and_read(book, mode):
    place = book / mode
    place.mkdir()
    assert run("ocr", "run", *words(book, mode), "-f", "txt,json", "-o", place / "out", "--workers", "1") == 0
    with redirect_stdout(io.StringIO()) as told:
        assert run("ocr", "learn", *words(book, mode), "-o", place / "model", "--json") == 0
    assert run(*reading(book, place), "-o", place / "again", "--workers", "1") == 0
    return Learned(mode, place, json.loads(told.getvalue()))


def reading(book, place):
    model = ["-m", str(place / "model")]
    return ["ocr", "read", str(book / "lines"), "--kind", "line", *model, "-f", "txt,json", "-q"]


@pytest.fixture(params=["fast", "default"])
def learned(request, both):
    return both[request.param]


def test_learn_then_read_says_what_run_says(learned):
    out, again = (
        {name: content for name, content in files(learned.place / folder).items() if name.endswith(".txt")}
        for folder in ("out", "again")
    )
    assert len(out) == N_LINES + 1
    assert len(set(out.values())) > 20
    assert again == out


def test_a_transcribed_line_is_written_as_transcribed_by_both(book, learned):
    for name, said in zip(HINTED, (book / "hints.txt").read_text().splitlines(), strict=True):
        for folder in ("out", "again"):
            assert f"{name}: {(learned.place / folder / f'{name}.txt').read_text()}" == f"{said}\n"


def test_any_number_of_workers_learns_and_reads_the_same(book, both, tmp_path):
    place, two = both["default"].place, ["--workers", "2"]
    assert run("ocr", "run", *words(book, "default"), "-f", "txt,json", "-o", tmp_path / "out", *two) == 0
    assert files(tmp_path / "out") == files(place / "out")
    assert run(*reading(book, place), "-o", tmp_path / "again", *two) == 0
    assert files(tmp_path / "again") == files(place / "again")


def test_no_byte_of_a_model_can_change_unseen(learned, tmp_path):
    names = sorted(path.name for path in (learned.place / "model").iterdir())
    assert {"model.json", "model.safetensors", "lm.arpa.gz", "ocr.json", "ocr.safetensors"} <= set(names)
    assert ("lines.safetensors" in names) == (learned.mode == "default")
    Reader.load(learned.place / "model")
    rng = np.random.default_rng(0)
    for name in names:
        content = bytearray((learned.place / "model" / name).read_bytes())
        for place in [0, len(content) - 1, *rng.integers(len(content), size=3).tolist()]:
            broken = shutil.copytree(learned.place / "model", tmp_path / "broken", dirs_exist_ok=True)
            changed = content.copy()
            changed[place] ^= 1
            (broken / name).write_bytes(changed)
            with pytest.raises(InputError, match=re.escape(name)):
                Reader.load(broken)
        (tmp_path / "broken" / name).write_bytes(content)


def test_no_digit_of_the_card_can_change_unseen(learned, tmp_path):
    broken = shutil.copytree(learned.place / "model", tmp_path / "broken")
    card = (broken / "model.json").read_text("utf-8")
    for field in ("kl", "gamma", "n_iter", "scale"):
        digit = re.search(rf'"{field}": [\d.]*(\d)', card)
        changed = card[: digit.start(1)] + str((int(digit[1]) + 1) % 10) + card[digit.end(1) :]
        (broken / "model.json").write_text(changed, "utf-8")
        with pytest.raises(InputError, match=r"model\.json"):
            Reader.load(broken)


def test_a_model_of_the_default_mode_is_replaced_by_force(labelfree, once, book, both, tmp_path):
    model = shutil.copytree(both["default"].place / "model", tmp_path / "model")
    arguments = ["ocr", "learn", *words(book, "fast"), "-o", model]
    assert labelfree(*arguments).code == 2
    assert Reader.load(model).recogniser is not None
    assert labelfree(*arguments, "--force").code == 0
    assert Reader.load(model).recogniser is None
    assert not (model / "lines.safetensors").exists()


CHANGED = {
    "shape-prior": {"book"},
    "tiles": {"classifier", "tile_reading", "lesson", "reading"},
    "page-numbers": {"figures"},
    "tiles-2": {"classifier", "tile_reading", "reading"},
    "lines": {"recogniser", "lesson", "reading", "scores"},
    "confidence": {"doubt_power"},
}


def test_every_stage_can_be_run_alone_and_changes_only_what_it_is_for(once, book):
    pages = list(read_lines([book / "lines"], "line"))
    lines = [line for page in pages for line in page.lines]
    language = book_language([book / "text.txt"])
    settings, hints = Settings(), read_hints(book / "hints.txt")
    cut = Book.measure(lines, language, seed=0)
    known = KnownLabels.of(hints, hints.line_labels(pages, language), cut)
    first = state = State(cut, settings=settings, known=known)
    for stage in STAGES:
        if stage.name not in FAST:
            state = stage.work(state)
    reader = Reader.of(state)
    document = reader.document(reader.pages_of(pages, state.reading))
    learned = learn(pages, language, fast=True, hints=hints, settings=settings)
    assert document.text == learned.read(pages).text
    assert first.classifier is None
    assert first.book.shapes is None
    for stage in STAGES:
        others = {
            "shape-prior": first,
            "tiles": replace(first, book=state.book),
            "confidence": replace(state, doubt_power=0.0),
        }
        before = others.get(stage.name, state)
        after = stage.work(before)
        fields = {each.name for each in dataclasses.fields(State)}
        changed = {name for name in fields if getattr(after, name) is not getattr(before, name)}
        assert changed == CHANGED.get(stage.name, set()), stage.name


def test_stages_and_corrections_are_listed_with_a_line_each(labelfree):
    told = json.loads(labelfree("ocr", "stages", "--json").out)["stages"]
    assert [each["name"] for each in told] == [each.name for each in (*STAGES, *CORRECTIONS)]
    assert {each["kind"] for each in told} == {"stage", "correction"}
    shown = labelfree("ocr", "stages").out
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    for each in told:
        assert any(line.startswith(f"{each['name']} {each['kind']} ") for line in lines)
        assert each["about"][:30] in " ".join(lines)


def test_the_seconds_of_every_stage_are_told(learned):
    seconds = learned.told["seconds_of_stages"]
    left_out = FAST if learned.mode == "fast" else ()
    assert list(seconds) == ["cut", *(stage.name for stage in STAGES if stage.name not in left_out)]
    assert all(value >= 0 for value in seconds.values())
    assert sum(seconds.values()) <= learned.told["seconds"]


def test_a_stage_that_is_left_out_is_not_run_and_verbose_shows_the_seconds_of_the_others(
    labelfree, once, book, both, tmp_path
):
    arguments = [word for word in words(book, "fast") if word != "-q"]
    left_out = ["--without", "shape-prior,confidence", "--without", "rescoring"]
    found = labelfree("ocr", "learn", *arguments, *left_out, "-o", tmp_path / "less", "--json", "-v")
    assert list(json.loads(found.out)["seconds_of_stages"]) == ["cut", "tiles", "tiles-2"]
    assert re.findall(r"^([\w-]+): \d+\.\d s$", found.err, re.MULTILINE) == ["cut", "tiles", "tiles-2"]
    whole, less = Reader.load(both["fast"].place / "model"), Reader.load(tmp_path / "less")
    assert (whole.has_shape_prior, less.has_shape_prior) == (True, False)
    assert whole.doubt_power < less.doubt_power == 1.0


@pytest.mark.parametrize("verb", ["run", "learn"])
@pytest.mark.parametrize("name", ["magic", "lines-4", ""])
def test_a_stage_that_is_none_is_refused_before_any_work(refused, monkeypatch, book, tmp_path, verb, name):
    monkeypatch.setattr("labelfree.cli.ocr_work.book_language", None)
    message = refused("ocr", verb, *words(book, "fast"), "-o", tmp_path / "out", "--without", f"tiles,{name}")
    assert f"--without {name!r} found, one of shape-prior, tiles, " in message
    assert "labelfree ocr stages" in message
