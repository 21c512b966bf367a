"""The pictures of pages, for formats that hold them."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from labelfree.errors import InputError
from labelfree.ocr.sources.images import EXIF_ORIENTATION, PDF_SUFFIX, PageReader
from labelfree.ocr.sources.xml_pages import XML_SUFFIX, read_xml_page
from labelfree.ocr.types import Page

_USUAL_DPI = 300.0  # taken where a file does not say, or says what cannot be
_LEAST_DPI, _MOST_DPI = 50.0, 2400.0
_SINGLE_STRIP = {278: 2**31 - 1}  # TIFF's rows per strip
_STRIP_OFFSETS, _STRIP_BYTES, _PHOTOMETRIC = 273, 279, 262


@dataclass(frozen=True)
class Picture:
    """A picture packed as PDF holds it."""

    data: bytes
    entries: str  # of its dictionary in PDF: filter, colours and depth
    width: int  # in its own pixels
    height: int
    dpi: float  # of the page, whose pixels may be more than the picture's


def image_of(source: Path) -> Path:
    """The image file of a page: its source, or the image that its XML source marks lines on."""
    if source.suffix.lower() != XML_SUFFIX:
        return source
    marked = read_xml_page(source)
    return source if marked is None else marked.image


def open_page(page: Page, reader: PageReader) -> Image.Image:
    """The page's picture, upright, in black and white, grey or RGB; one too large or too deep in grey, reduced."""
    path = _still_there(image_of(page.source))
    picture = reader.picture(path, page.index, page.width)
    plain = None if picture is None else _in_plain_colours(picture)
    if plain is None:
        plain = Image.fromarray(reader.read(path, page.index).grey)
        plain.info["dpi"] = None if picture is None else picture.info.get("dpi")
    elif path.suffix.lower() == PDF_SUFFIX and plain.size != (page.width, page.height):
        dpi = plain.info["dpi"]
        plain = plain.resize((page.width, page.height))
        plain.info["dpi"] = dpi
    return plain


def packed(page: Page, reader: PageReader) -> Picture:
    """The page's picture for a PDF: JPEG files as they are, black and white exactly, the rest as JPEG."""
    path = _still_there(image_of(page.source))
    if path.suffix.lower() in (".jpg", ".jpeg") and (kept := _kept_jpeg(path, page)):
        return kept
    image = open_page(page, reader)
    dpi = _dpi(image)
    if image.mode == "1" or _is_black_and_white(image):
        return Picture(*_fax(image), *image.size, dpi)
    return Picture(saved(image, "JPEG", quality=90, optimize=True), _jpeg_entries(image), *image.size, dpi)


def _still_there(path: Path) -> Path:
    try:
        path.stat()
    except OSError as error:
        raise InputError(
            f"{path} cannot be opened again ({error.strerror}); the picture that was read wanted: put it back, "
            "or leave out the formats pdf and pairs"
        ) from None
    return path


def _in_plain_colours(image: Image.Image) -> Image.Image | None:
    """The picture in black and white, grey or RGB, unless it is deeper than eight bits."""
    if image.mode in ("1", "L", "RGB"):
        return image
    if image.has_transparency_data:
        coloured = image.convert("RGBA")
        plain = Image.alpha_composite(Image.new("RGBA", coloured.size, "white"), coloured).convert("RGB")
    elif image.mode in ("P", "CMYK", "YCbCr"):
        plain = image.convert("RGB")
    else:
        return None
    if "dpi" in image.info:
        plain.info["dpi"] = image.info["dpi"]
    return plain


def _kept_jpeg(path: Path, page: Page) -> Picture | None:
    """The file itself, where any reader of PDF shows it as the page was read."""
    try:
        data = path.read_bytes()
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as image:
            plain = image.format == "JPEG" and image.mode in ("L", "RGB")
            upright = image.getexif().get(EXIF_ORIENTATION, 1) == 1
            if plain and upright and image.size == (page.width, page.height):
                return Picture(data, _jpeg_entries(image), *image.size, _dpi(image))
    except (OSError, ValueError, Image.DecompressionBombError):
        pass
    return None


def _jpeg_entries(image: Image.Image) -> str:
    colours = "DeviceGray" if image.mode == "L" else "DeviceRGB"
    return f"/Filter /DCTDecode /ColorSpace /{colours} /BitsPerComponent 8"


def _is_black_and_white(image: Image.Image) -> bool:
    colours = image.getcolors(2) if image.mode == "L" else None
    return colours is not None and {value for _, value in colours} <= {0, 255}


def _fax(image: Image.Image) -> tuple[bytes, str]:
    """Black and white by CCITT group 4, taken out of a TIFF of a single strip."""
    content = saved(image.convert("1"), "TIFF", compression="group4", tiffinfo=_SINGLE_STRIP)
    with Image.open(io.BytesIO(content)) as tiff:
        tags = tiff.tag_v2  # type: ignore[attr-defined]
        (start,), (length,), white_is_zero = tags[_STRIP_OFFSETS], tags[_STRIP_BYTES], tags[_PHOTOMETRIC] == 0
    black = "false" if white_is_zero else "true"
    parameters = f"/K -1 /Columns {image.width} /Rows {image.height} /BlackIs1 {black}"
    entries = f"/Filter /CCITTFaxDecode /DecodeParms << {parameters} >> /ColorSpace /DeviceGray /BitsPerComponent 1"
    return content[start : start + length], entries


def _dpi(image: Image.Image) -> float:
    try:
        dpi = round(float(image.info["dpi"][0]), 1)  # PNG counts by the metre
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
        return _USUAL_DPI
    return dpi if _LEAST_DPI <= dpi <= _MOST_DPI else _USUAL_DPI


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    """The picture as a file of this format."""
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()
