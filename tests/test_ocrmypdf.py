"""The plugin in the real OCRmyPDF."""

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

import pypdfium2
import pytest
from PIL import Image

pytest.importorskip("ocrmypdf")
from ocrmypdf.exceptions import BadArgsError

from labelfree import ocrmypdf as plugin

GOLDEN = Path(__file__).parent / "storage" / "golden" / "0.1.0"
MODEL = GOLDEN / "tiles"
_LEFT, _ABOVE, _BETWEEN = 100, 100, 30  # pixels


def print_pdf(path):
    """A page with the lines that the model was tried on, then one with nothing on it."""
    page = Image.new("L", (1240, 1754), 255)
    above = _ABOVE
    for scan in sorted((GOLDEN / "scans").iterdir()):
        with Image.open(scan) as line:
            page.paste(line.convert("L"), (_LEFT, above))
            above += line.height + _BETWEEN
    page.save(path, resolution=150, save_all=True, append_images=[Image.new("L", page.size, 255)])


def test_a_pdf_becomes_searchable_with_what_the_model_reads(tmp_path):
    print_pdf(tmp_path / "book.pdf")
    is_installed = "labelfree.ocrmypdf" in {each.value for each in entry_points(group="ocrmypdf")}
    words = [] if is_installed else ["--plugin", "labelfree.ocrmypdf"]
    words += ["--labelfree-model", str(MODEL), "--output-type", "pdf", "--quiet", "book.pdf", "read.pdf"]
    done = subprocess.run(
        [sys.executable, "-m", "ocrmypdf", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with pypdfium2.PdfDocument(tmp_path / "read.pdf") as pdf:
        texts = [page.get_textpage().get_text_range() for page in pdf]
        creator = pdf.get_metadata_value("Creator")
    expected = json.loads((GOLDEN / "expected.json").read_text("utf-8"))["tiles"]["text"]
    assert texts[0].split() == expected.split()
    assert texts[1].split() == []
    assert "labelfree" in creator


def options(**given):
    return SimpleNamespace(**{"labelfree_model": None, "pdf_renderer": "auto", "languages": ["eng"], **given})


def test_without_a_model_ocrmypdf_is_left_alone():
    assert plugin.get_ocr_engine(options()) is None
    assert plugin.get_ocr_engine(None) is None
    plugin.check_options(options(pdf_renderer="sandwich"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labelfree_model": "no/where"}, "--labelfree-model: .*no/where is not there"),
        ({"labelfree_model": str(GOLDEN / "table")}, "--labelfree-model: .*table"),
        ({"labelfree_model": str(MODEL), "pdf_renderer": "sandwich"}, "--pdf-renderer is sandwich; auto, fpdf2"),
    ],
)
def test_what_cannot_work_is_refused_before_any_work(given, message):
    with pytest.raises(BadArgsError, match=message):
        plugin.check_options(options(**given))
