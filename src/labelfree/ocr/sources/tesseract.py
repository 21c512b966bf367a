"""The Tesseract program, called for a line's text, a box around each character, or the lines of a page."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from labelfree.errors import InputError
from labelfree.files import scratch_folder

TIMEOUT = 120.0  # seconds
_ONE_LINE = "7"  # page segmentation mode for an image of a single text line
_PROGRAM = "tesseract"


@dataclass(frozen=True)
class CharBox:
    """A character as read and its box, in pixels from the top left corner, right and lower edge excluded."""

    character: str
    x0: int
    y0: int
    x1: int
    y1: int


@dataclass(frozen=True)
class BoxedText:
    """The text of an image, spaces included, and the boxes of its characters, spaces left out."""

    text: str
    boxes: tuple[CharBox, ...]


def is_installed() -> bool:
    """Whether there is a Tesseract program to call."""
    return shutil.which(_PROGRAM) is not None


def languages(tessdata: Path | None = None) -> tuple[str, ...]:
    """Codes of the languages that the program, or a folder of its models, can read."""
    _, *codes = run(["--list-langs", *_folder(tessdata)]).splitlines() or [""]
    return tuple(sorted(code.strip() for code in codes if code.strip()))


def recognise(image_path: Path, language: str = "eng", oem: int | None = None, tessdata: Path | None = None) -> str:
    """Text of the image of a line, empty where nothing was found to read.

    `language` is Tesseract's code, or several joined by ``+``; `oem` its engine: 0 the older one that cuts characters,
    1 the neural one, the only one in Debian's models; `tessdata` a folder of models in place of the installed ones.
    """
    _image_height(image_path)
    settings = [*_settings(language, oem, tessdata), "-c", "page_separator="]
    return run([str(image_path.absolute()), "stdout", *settings], image_path).strip()


def read_with_boxes(
    image_path: Path, language: str = "eng", oem: int | None = None, tessdata: Path | None = None
) -> BoxedText:
    """Text and boxes of the same run; parameters as for `recognise`."""
    height = _image_height(image_path)
    # Set one by one, because the configurations "makebox" and "txt" are not found beside a user's own models.
    outputs = ["-c", "tessedit_create_boxfile=1", "-c", "tessedit_create_txt=1", "-c", "page_separator="]
    with scratch_folder() as folder:
        base = folder / "read"
        settings = _settings(language, oem, tessdata)
        run([str(image_path.absolute()), str(base), *settings, *outputs], image_path)
        text, boxes = (_text_of(base.with_suffix(suffix)) for suffix in (".txt", ".box"))
    return BoxedText(text.strip(), tuple(parse_boxes(boxes.split("\n"), height)))


def parse_boxes(lines: Iterable[str], height: int) -> list[CharBox]:
    """Understand the first page of a box file, whose origin is the lower left corner, and pass over what is no box.

    Examples
    --------
    >>> parse_boxes(["I 2 3 9 18 0", "no box", "~ 9 3 2 18 0"], height=20)
    [CharBox(character='I', x0=2, y0=2, x1=9, y1=17)]
    """
    boxes = []
    for line in lines:
        character, *numbers = line.rstrip("\r").rsplit(" ", 5)
        try:
            x0, lower, x1, upper, page = map(int, numbers)
        except ValueError:
            continue
        box = CharBox(character, max(x0, 0), max(height - upper, 0), x1, min(height - lower, height))
        if character.strip() and page == 0 and box.x0 < box.x1 and box.y0 < box.y1:
            boxes.append(box)
    return boxes


def _settings(language: str, oem: int | None, tessdata: Path | None) -> list[str]:
    engine = [] if oem is None else ["--oem", str(oem)]
    return ["-l", language, "--psm", _ONE_LINE, *engine, *_folder(tessdata)]


def _folder(tessdata: Path | None) -> list[str]:
    if tessdata is None:
        return []
    if not tessdata.is_dir():
        raise InputError(f"{tessdata} is no folder; name the folder that holds Tesseract's *.traineddata files")
    return ["--tessdata-dir", str(tessdata.absolute())]


def run(arguments: list[str], subject: Path | None = None, timeout: float | None = None) -> str:
    """Call the program, for `TIMEOUT` seconds at most unless told otherwise, and give what it printed.

    `subject` names the image in messages.
    """
    timeout = timeout or TIMEOUT
    about = f"{subject}: " if subject else ""
    program = shutil.which(_PROGRAM)
    if program is None:
        raise InputError(f"{about}no program {_PROGRAM} found; install it (Debian: apt install tesseract-ocr)")
    try:
        done = subprocess.run(  # noqa: S603
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # several calls at a time are faster than several threads
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{about}Tesseract not done after {timeout:.0f} s; give it a smaller image") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{about}{program} cannot be called ({error}); install tesseract-ocr again") from None
    printed, said = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    # With several languages the program goes on without the one it lacks.
    if done.returncode != 0 or "Failed loading language" in said:
        raise InputError(about + _complaint(said + printed, done.returncode))
    return printed


def _complaint(said: str, code: int) -> str:
    """One line for what went wrong, with the next step where it is known."""
    if "legacy" in said:
        return (
            "this Tesseract model holds no older engine (oem 0); leave oem out, or name with tessdata a folder with "
            "models that hold both engines"
        )
    if "Failed loading language" in said:
        missing = said.split("Failed loading language", 1)[1].split("\n", 1)[0].strip(" '\"")
        return f"no Tesseract model {missing!r} found; install it (Debian: apt install tesseract-ocr-{missing})"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f"Tesseract failed ({lines[0] if lines else f'exit code {code}'}); check the image and the settings"


def _image_height(path: Path) -> int:
    """Of an image that is one: Tesseract takes any other file for a list of file names."""
    try:
        with Image.open(path) as image:
            return image.height
    except Exception as error:  # Pillow's readers of some thirty formats each have their own ways to fail
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no image format known"
        raise InputError(f"{path} cannot be read ({reason}); name a PNG, TIFF or JPEG image") from None


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:  # nothing found on the image
        return ""
