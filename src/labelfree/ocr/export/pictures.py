"""The pictures of pages, for formats that hold them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps

from labelfree.errors import InputError
from labelfree.ocr.sources.images import PDF_SUFFIX, read_pages
from labelfree.ocr.types import Page

USUAL_DPI = 300.0
"""Taken where a file does not say, or says what cannot be."""

_LEAST_DPI, _MOST_DPI = 50.0, 2400.0
_QUALITY = 90
_EXIF_ORIENTATION = 0x0112
_SINGLE_STRIP = {278: 2**31 - 1}  # TIFF's rows per strip
_STRIP_OFFSETS, _STRIP_BYTES, _PHOTOMETRIC = 273, 279, 262


@dataclass(frozen=True)
class Picture:
    """A picture packed as PDF holds it.

    Attributes
    ----------
    data : bytes
    entries : str
        Of its dictionary in PDF: filter, colours and depth.
    width, height : int
        In its own pixels.
    dpi : float
        Of the page, whose pixels may be more than the picture's.
    """

    data: bytes
    entries: str
    width: int
    height: int
    dpi: float


def open_page(page: Page) -> Image.Image:
    """The page's picture, upright, in black and white, grey or RGB; one too large or too deep in grey, reduced."""
    try:
        if page.source.suffix.lower() == PDF_SUFFIX:
            return _drawn(page)
        return _in_own_colours(page.source, page.index) or _in_grey(page.source, page.index)
    except InputError:
        raise
    except Exception as error:  # whatever the readers of many formats make of a file that has changed
        raise _gone(page.source, error) from None


def packed(page: Page) -> Picture:
    """The page's picture for a PDF: JPEG files as they are, black and white exactly, the rest as JPEG."""
    if page.source.suffix.lower() in (".jpg", ".jpeg") and (kept := _kept_jpeg(page)):
        return kept
    image = open_page(page)
    dpi = _dpi(image)
    if image.mode == "1" or _is_black_and_white(image):
        return Picture(*_fax(image), image.width, image.height, dpi)
    return Picture(_jpeg(image), _jpeg_entries(image), image.width, image.height, dpi)


def _drawn(page: Page) -> Image.Image:
    import pypdfium2

    with pypdfium2.PdfDocument(page.source) as document:
        sheet = document[page.index]
        scale = page.width / sheet.get_width()
        image: Image.Image = sheet.render(scale=scale).to_pil().convert("RGB")
    image.info["dpi"] = (72 * scale, 72 * scale)
    return image if image.width == page.width else image.resize((page.width, page.height))


@contextmanager
def _opened(file: Path | io.BytesIO) -> Iterator[Image.Image]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Image.open(file) as image:
            yield image


def _in_own_colours(path: Path, index: int) -> Image.Image | None:
    """The picture, unless it is more than Pillow takes for harmless or deeper than eight bits."""
    try:
        with _opened(path) as file:
            file.seek(index)
            image = ImageOps.exif_transpose(file)
    except Image.DecompressionBombError:
        return None
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


def _in_grey(path: Path, index: int) -> Image.Image:
    for read in read_pages(path):
        if read.page == index:
            image = Image.fromarray(read.grey)
            with suppress(Image.DecompressionBombError), _opened(path) as file:
                image.info = {"dpi": file.info.get("dpi")}
            return image
    raise EOFError(f"it has no page {index + 1}")


def _kept_jpeg(page: Page) -> Picture | None:
    """The file itself, where any reader of PDF shows it as the page was read."""
    try:
        data = page.source.read_bytes()
        with _opened(io.BytesIO(data)) as image:
            upright = image.getexif().get(_EXIF_ORIENTATION, 1) == 1
            if (
                image.format == "JPEG"
                and image.mode in ("L", "RGB")
                and upright
                and image.size == (page.width, page.height)
            ):
                return Picture(data, _jpeg_entries(image), *image.size, _dpi(image))
    except (OSError, ValueError, Image.DecompressionBombError):
        pass
    return None


def _jpeg(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=_QUALITY, optimize=True)
    return stream.getvalue()


def _jpeg_entries(image: Image.Image) -> str:
    colours = "DeviceGray" if image.mode == "L" else "DeviceRGB"
    return f"/Filter /DCTDecode /ColorSpace /{colours} /BitsPerComponent 8"


def _is_black_and_white(image: Image.Image) -> bool:
    colours = image.getcolors(2) if image.mode == "L" else None
    return colours is not None and {value for _, value in colours} <= {0, 255}


def _fax(image: Image.Image) -> tuple[bytes, str]:
    """Black and white by CCITT group 4, taken out of a TIFF of a single strip."""
    stream = io.BytesIO()
    image.convert("1").save(stream, "TIFF", compression="group4", tiffinfo=_SINGLE_STRIP)
    with Image.open(io.BytesIO(stream.getvalue())) as tiff:
        tags = tiff.tag_v2  # type: ignore[attr-defined]
        (start,), (length,), white_is_zero = tags[_STRIP_OFFSETS], tags[_STRIP_BYTES], tags[_PHOTOMETRIC] == 0
    black = "false" if white_is_zero else "true"
    parameters = f"/K -1 /Columns {image.width} /Rows {image.height} /BlackIs1 {black}"
    entries = f"/Filter /CCITTFaxDecode /DecodeParms << {parameters} >> /ColorSpace /DeviceGray /BitsPerComponent 1"
    return stream.getvalue()[start : start + length], entries


def _dpi(image: Image.Image) -> float:
    try:
        dpi = round(float(image.info["dpi"][0]), 1)  # PNG counts by the metre
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
        return USUAL_DPI
    return dpi if _LEAST_DPI <= dpi <= _MOST_DPI else USUAL_DPI


def as_png(image: Image.Image) -> bytes:
    """The picture as a PNG file."""
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _gone(path: Path, error: Exception) -> InputError:
    reason = " ".join(str(getattr(error, "strerror", None) or error).split())
    return InputError(
        f"{path} cannot be opened again ({reason}); the picture that was read wanted: put it back, "
        "or leave out the formats pdf and pairs"
    )
