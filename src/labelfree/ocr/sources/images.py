"""Images opened safely, page by page, as grey pictures of bounded size.

Whatever the format, depth and colours, a page is 0 for black to 255 for white. A picture larger than `MOST_PIXELS` is
reduced while it is read, and one that would not fit `MOST_BYTES` when unpacked is refused before it is.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from labelfree.errors import InputError

IMAGE_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".pbm", ".pgm", ".ppm", ".pnm", ".webp", ".gif", ".jp2"}
)
PDF_SUFFIX = ".pdf"
MOST_BYTES = 512 * 2**20
MOST_PIXELS = 48 * 10**6
PDF_DPI = 300

_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "PPM", "WEBP", "GIF", "JPEG2000")
_DEEP_MODES = ("I;16", "I;16L", "I;16B", "I;16N", "I", "F")
_ONE_BYTE_MODES = ("1", "L", "P")
_WHITES = (255, 1023, 4095, 16383, 65535)
_EXIF_ORIENTATION = 0x0112
_STRIP_PIXELS = 4 * 10**6
_PILLOW_LIMIT = threading.Lock()


@dataclass(frozen=True, eq=False)
class PageImage:
    """One page as a grey picture.

    Attributes
    ----------
    source : Path
        File that it was read from.
    page : int
        Index of the page in that file.
    grey : array of shape (height, width), uint8
        0 for black, 255 for white, upright as the file's own orientation mark says.
    width, height : int
        Size in the file; for a reduced picture more than that of `grey`.
    """

    source: Path
    page: int
    grey: NDArray[np.uint8]
    width: int
    height: int

    @property
    def reduction(self) -> float:
        """Pixels of the file to one pixel of `grey`."""
        return float(max(self.width, self.height) / max(self.grey.shape))


def read_pages(path: Path) -> Iterator[PageImage]:
    """Read the pages of an image file or PDF one after the other.

    Parameters
    ----------
    path : Path
        PNG, JPEG, TIFF, BMP, PBM, PGM, PPM, WebP, GIF or JPEG 2000, each with any number of pages, or PDF.
    """
    if path.suffix.lower() == PDF_SUFFIX:
        yield from _pdf_pages(path)
    else:
        yield from _image_pages(path)


def _image_pages(path: Path) -> Iterator[PageImage]:
    page = 0
    while True:
        with _pillow(path):
            found = _image_page(path, page)
        if found is None:
            return
        yield found
        page += 1


def _image_page(path: Path, page: int) -> PageImage | None:
    # A stream, because Pillow maps a plain TIFF that it opens by name into memory with its sides swapped.
    with path.open("rb") as stream, Image.open(stream, formats=_FORMATS) as image:
        if page and page >= getattr(image, "n_frames", 1):
            return None
        if page:
            image.seek(page)
        # Some PNGs carry a preview and some JPEGs a second view: only TIFF and GIF hold pages.
        if page and image.format not in ("TIFF", "GIF"):
            return None
        width, height = image.size
        if not width or not height:
            raise InputError(f"{path} is {width} x {height} pixels; a picture with pixels wanted; leave it out")
        if image.format == "JPEG":
            image.draft("L", _size_within(width, height))
        _check_size(path, image, width, height)
        image.load()
        # Pillow gives the upright size of a TIFF, and drops the mark when it has turned it.
        grey, orientation = _grey(image), image.getexif().get(_EXIF_ORIENTATION, 1)
    if orientation in (5, 6, 7, 8):
        width, height = height, width
    return PageImage(path, page, np.ascontiguousarray(_upright(grey, orientation)), width, height)


@contextmanager
def _pillow(path: Path) -> Iterator[None]:
    """Pillow with our limits in place of its own, and its many ways to fail as one."""
    with _PILLOW_LIMIT, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
        try:
            yield
        except InputError:
            raise
        except UnidentifiedImageError:
            raise InputError(
                f"{path} holds no image that can be read; PNG, JPEG, TIFF, BMP, PBM, WebP or PDF wanted; "
                "save it anew or leave it out"
            ) from None
        except Exception as error:
            reason = " ".join(str(getattr(error, "strerror", None) or error or type(error).__name__).split())
            raise InputError(f"{path} cannot be read ({reason}); a whole image wanted; scan or copy it anew") from None
        finally:
            Image.MAX_IMAGE_PIXELS = limit


def _check_size(path: Path, image: Image.Image, width: int, height: int) -> None:
    unpacked = image.width * image.height * (1 if image.mode in _ONE_BYTE_MODES else 4)
    if unpacked > MOST_BYTES:
        raise InputError(
            f"{path} is {width} x {height} pixels and takes {unpacked // 2**20} MB unpacked, at most "
            f"{MOST_BYTES // 2**20} MB wanted; scale it down or save it in black and white"
        )


def _size_within(width: int, height: int) -> tuple[int, int]:
    """The size asked of a JPEG reader, which gives the next larger one it can."""
    by = max(1.0, math.sqrt(width * height / MOST_PIXELS))
    return math.ceil(width / by), math.ceil(height / by)


def _grey(image: Image.Image) -> NDArray[np.uint8]:
    """Grey pixels, reduced to `MOST_PIXELS`, made strip by strip so that no second whole picture is held."""
    width, height = image.size
    factor = max(1, math.ceil(math.sqrt(width * height / MOST_PIXELS)))
    white = _white_level(image) if image.mode in _DEEP_MODES else 255.0
    backdrop = _backdrop(image)
    rows = max(1, _STRIP_PIXELS // width // factor) * factor
    strips = []
    for upper in range(0, height, rows):
        strip = image.crop((0, upper, width, min(upper + rows, height)))
        grey = _strip_to_grey(strip, white, backdrop)
        strips.append(np.asarray(grey.reduce(factor) if factor > 1 else grey))
    return np.concatenate(strips)


def _strip_to_grey(strip: Image.Image, white: float, backdrop: str) -> Image.Image:
    if strip.mode in _DEEP_MODES:
        values = np.nan_to_num(np.asarray(strip, np.float64), nan=white)
        return Image.fromarray(np.clip(values * (255 / white), 0, 255).astype(np.uint8))
    if strip.has_transparency_data:
        coloured = strip.convert("RGBA")
        paper = Image.new("RGBA", coloured.size, backdrop)
        return Image.alpha_composite(paper, coloured).convert("L")
    return strip.convert("L")


def _backdrop(image: Image.Image) -> str:
    """What stands behind a transparent picture: white, unless that would hide light letters on nothing."""
    if not image.has_transparency_data:
        return "white"
    small = image.resize((min(image.width, 500), min(image.height, 500)), Image.Resampling.NEAREST).convert("LA")
    grey, alpha = (np.asarray(band, np.float64) for band in small.split())
    mostly_nothing = float((alpha < 128).mean()) > 0.5
    return "black" if mostly_nothing and alpha.any() and float((grey * alpha).sum() / alpha.sum()) > 200 else "white"


def _white_level(image: Image.Image) -> float:
    """The white of a deep picture: that of the least depth its brightest pixel fits."""
    least, most = (float(value) for value in image.getextrema())  # type: ignore[arg-type]
    if not math.isfinite(least + most):
        return float(_WHITES[0])
    if image.mode == "F" and least >= 0 and most <= 1:
        return 1.0
    return float(next((white for white in _WHITES if most <= white), most))


def _upright(grey: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    turns = {
        2: grey[:, ::-1],
        3: grey[::-1, ::-1],
        4: grey[::-1],
        5: grey.T,
        6: grey.T[:, ::-1],
        7: grey.T[::-1, ::-1],
        8: grey.T[::-1],
    }
    return turns.get(orientation, grey)


def _pdf_pages(path: Path) -> Iterator[PageImage]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except Exception as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else " ".join(str(error).split())
        raise InputError(f"{path} cannot be read ({reason}); a PDF without a password wanted; save it anew") from None
    with document:
        for index in range(len(document)):
            yield _pdf_page(path, document, index)


def _pdf_page(path: Path, document: object, index: int) -> PageImage:
    try:
        page = document[index]  # type: ignore[index]
        width, height = page.get_size()
        if not (0 < width < math.inf and 0 < height < math.inf):
            raise ValueError(f"a page of {width:g} x {height:g} points")
        scale = min(PDF_DPI / 72, math.sqrt(MOST_PIXELS / (width * height)))
        bitmap = page.render(scale=scale, grayscale=True)
        grey = np.array(bitmap.to_numpy()).reshape(bitmap.height, bitmap.width)
        bitmap.close()
        page.close()
    except Exception as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path}, page {index + 1}, cannot be drawn ({reason}); save the PDF anew") from None
    return PageImage(path, index, grey, grey.shape[1], grey.shape[0])
