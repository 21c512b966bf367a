"""A plugin of OCRmyPDF: the text of searchable PDFs comes from a model that `labelfree ocr learn` wrote.

    labelfree ocr learn book.pdf --text novels.txt -o model
    ocrmypdf --labelfree-model model book.pdf searchable.pdf

OCRmyPDF finds it by its entry point; without ``--labelfree-model`` it changes nothing.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Set
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ocrmypdf import OcrEngine, hookimpl
from ocrmypdf.exceptions import BadArgsError
from ocrmypdf.pluginspec import OrientationConfidence

from labelfree._version import __version__
from labelfree.errors import LabelfreeError

if TYPE_CHECKING:
    from labelfree.ocr import Reader

_RENDERERS = ("auto", "fpdf2", "hocr", "hocrdebug")


@hookimpl
def add_options(parser: ArgumentParser) -> None:
    """Add our option to the command."""
    group = parser.add_argument_group("labelfree", "Read with a model that was learned without labels")
    group.add_argument(
        "--labelfree-model",
        metavar="FOLDER",
        help="Read with this model, which `labelfree ocr learn` wrote, in place of Tesseract.",
    )


@hookimpl
def check_options(options: Any) -> None:
    """Refuse a model that cannot be read, before any work."""
    if not _model(options):
        return
    if options.pdf_renderer not in _RENDERERS:
        raise BadArgsError(
            f"--pdf-renderer is {options.pdf_renderer}; {', '.join(_RENDERERS)} wanted with --labelfree-model"
        )
    try:
        _reader(_model(options))
    except LabelfreeError as error:
        raise BadArgsError(f"--labelfree-model: {error}") from None


@hookimpl
def get_ocr_engine(options: Any) -> OcrEngine | None:
    """Take over where a model is given."""
    return LabelfreeEngine() if _model(options) else None


class LabelfreeEngine(OcrEngine):
    """Reads pages with a learned model."""

    @staticmethod
    def version() -> str:
        """Our version."""
        return __version__

    @staticmethod
    def creator_tag(options: Any) -> str:
        """What the PDF says of its text."""
        return f"labelfree {__version__}"

    def __str__(self) -> str:
        """What messages call it."""
        return f"labelfree {__version__}"

    @staticmethod
    def languages(options: Any) -> Set[str]:
        """Whatever is asked for: the model has its language in it."""
        return set(options.languages)

    @staticmethod
    def get_orientation(input_file: Path, options: Any) -> OrientationConfidence:
        """No opinion: pages are taken as upright."""
        return OrientationConfidence(angle=0, confidence=0.0)

    @staticmethod
    def generate_hocr(input_file: Path, output_hocr: Path, output_text: Path, options: Any) -> None:
        """Read a page."""
        import torch

        from labelfree.ocr import read_lines
        from labelfree.ocr.export.hocr import hocr

        torch.set_num_threads(1)  # pages are read side by side already
        document = _reader(_model(options)).read(read_lines([input_file], kind="page"))
        page = document.pages[0]
        output_hocr.write_bytes(hocr(page, document))
        output_text.write_text(page.text, encoding="utf-8")

    @staticmethod
    def generate_pdf(input_file: Path, output_pdf: Path, output_text: Path, options: Any) -> None:
        """Not asked for: the renderers that are let through all begin with hOCR."""
        raise NotImplementedError


def _model(options: Any) -> str:
    return str(getattr(options, "labelfree_model", None) or "")


@lru_cache(maxsize=1)
def _reader(model: str) -> Reader:
    from labelfree.ocr import Reader

    return Reader.load(Path(model))
