"""Images opened safely, page by page, as grey pictures of bounded size.

Whatever the format, depth and colours, a page is 0 for black to 255 for white. A picture larger than `MOST_PIXELS` is
reduced while it is read, and one that is beyond our `limits` when unpacked is refused before it is.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from labelfree.errors import InputError
from labelfree.limits import check, limit

IMAGE_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".pbm", ".pgm", ".ppm", ".pnm", ".webp", ".gif", ".jp2"}
)
PDF_SUFFIX = ".pdf"
MOST_PIXELS = 48 * 10**6
PDF_DPI = 300
EXIF_ORIENTATION = 0x0112

_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "PPM", "WEBP", "GIF", "JPEG2000")
_BEGINNINGS_OF_SEVERAL = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"GIF8")  # TIFF, BigTIFF, GIF
_DEEP_MODES = ("I;16", "I;16L", "I;16B", "I;16N", "I", "F")
_ONE_BYTE_MODES = ("1", "L", "P")
_WHITES = (255, 1023, 4095, 16383, 65535)
_STRIP_PIXELS = 4 * 10**6
_PAGES_KEPT = 500
_POINTS = 72  # of a PDF, to the inch
_PILLOW_LIMIT = threading.Lock()


@dataclass(frozen=True, eq=False)
class PageImage:
    """One page as a grey picture."""

    source: Path
    page: int  # index in the file
    grey: NDArray[np.uint8]  # (height, width), 0 for black, upright as the file's own orientation mark says
    width: int  # in the file; for a reduced picture more than that of `grey`
    height: int

    @property
    def reduction(self) -> float:
        """Pixels of the file to one pixel of `grey`."""
        return float(max(self.width, self.height) / max(self.grey.shape))


class PageReader:
    """Gives pages by file and index, and keeps the last file open.

    Whoever reads on in a file decodes each of its pages once. Close it when done, or use it as a context manager.
    """

    def __init__(self) -> None:
        self._path: Path | None = None
        self._pages: _ImagePages | _PdfPages | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def count(self, path: Path) -> int:
        """Pages in the file."""
        return len(self._opened(path))

    def read(self, path: Path, index: int = 0) -> PageImage:
        """One page."""
        return self._opened(path).read(index)

    def picture(self, path: Path, index: int, width: int) -> Image.Image | None:
        """One page in its own colours, upright; None for one too large. A page of a PDF is drawn at this width."""
        return self._opened(path).picture(index, width)

    def close(self) -> None:
        """Let go of the file."""
        pages, self._pages, self._path = self._pages, None, None
        if pages is not None:
            pages.close()

    def _opened(self, path: Path) -> _ImagePages | _PdfPages:
        if self._pages is None or path != self._path:
            self.close()
            self._pages = _PdfPages(path) if path.suffix.lower() == PDF_SUFFIX else _ImagePages(path)
            self._path = path
        return self._pages


def page_count(path: Path) -> int:
    """How many pages a file holds; only files that may hold several are opened."""
    if path.suffix.lower() != PDF_SUFFIX:
        try:
            with path.open("rb") as stream:
                start = stream.read(4)
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error.strerror}); name a file that can") from None
        if not start.startswith(_BEGINNINGS_OF_SEVERAL):
            return 1
    with PageReader() as reader:
        return reader.count(path)


class _ImagePages:
    """An image file, open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files = ExitStack()
        with _pillow(str(path)):
            # A stream, because Pillow maps a plain TIFF that it opens by name into memory with its sides swapped.
            stream = self._files.enter_context(path.open("rb"))
            try:
                self._image = self._files.enter_context(Image.open(stream, formats=_FORMATS))
            except BaseException:
                self._files.close()
                raise

    def __len__(self) -> int:
        # Some PNGs carry a preview and some JPEGs a second view: only TIFF and GIF hold pages.
        if self._image.format not in ("TIFF", "GIF"):
            return 1
        with _pillow(str(self._path)):
            found = int(getattr(self._image, "n_frames", 1))
            check(f"{self._path} has", found, "pages", "pages")
            return found

    def close(self) -> None:
        self._files.close()

    def read(self, index: int) -> PageImage:
        name, image = self._name(index), self._image
        with _pillow(name):
            image.seek(index)
            width, height = image.size
            if not width or not height:
                raise InputError(f"{name} is {width} x {height} pixels; an image with pixels wanted; leave it out")
            if image.format == "JPEG":
                by = max(1.0, math.sqrt(width * height / MOST_PIXELS))
                image.draft("L", (math.ceil(width / by), math.ceil(height / by)))  # or the next larger size it can give
            what = f"{name} is {width} x {height} pixels and takes"
            check(what, _unpacked(image), "image", advice="scale it down, save it in black and white, or ")
            image.load()
            # Pillow gives the upright size of a TIFF, and drops the mark when it has turned it.
            grey, orientation = _grey(image), image.getexif().get(EXIF_ORIENTATION, 1)
        if orientation in (5, 6, 7, 8):
            grey, width, height = grey.T, height, width
        if orientation in (2, 3, 6, 7):
            grey = grey[:, ::-1]
        if orientation in (3, 4, 7, 8):
            grey = grey[::-1]
        return PageImage(self._path, index, np.ascontiguousarray(grey), width, height)

    def picture(self, index: int, width: int) -> Image.Image | None:
        with _pillow(self._name(index)):
            self._image.seek(index)
            if _unpacked(self._image) > limit("image"):
                return None
            return ImageOps.exif_transpose(self._image)

    def _name(self, index: int) -> str:
        return f"{self._path}, page {index + 1}," if index else str(self._path)


@contextmanager
def _pillow(name: str) -> Iterator[None]:
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
                f"{name} holds no image that can be read; PNG, JPEG, TIFF, BMP, PBM, WebP or PDF wanted; "
                "save it anew or leave it out"
            ) from None
        except Exception as error:
            reason = " ".join(str(getattr(error, "strerror", None) or error or type(error).__name__).split())
            raise InputError(f"{name} cannot be read ({reason}); a whole image wanted; scan or copy it anew") from None
        finally:
            Image.MAX_IMAGE_PIXELS = limit


def _unpacked(image: Image.Image) -> int:
    """Bytes that an image takes in memory."""
    return image.width * image.height * (1 if image.mode in _ONE_BYTE_MODES else 4)


def _grey(image: Image.Image) -> NDArray[np.uint8]:
    """Grey pixels, reduced to `MOST_PIXELS`, made strip by strip so that no second whole picture is held."""
    width, height = image.size
    factor = max(1, math.ceil(math.sqrt(width * height / MOST_PIXELS)))
    white = _white_level(image) if image.mode in _DEEP_MODES else 255.0
    backdrop = _backdrop(image)
    rows = max(1, _STRIP_PIXELS // width // factor) * factor
    strips = []
    for upper in range(0, height, rows):
        grey = _strip_to_grey(image.crop((0, upper, width, min(upper + rows, height))), white, backdrop)
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


class _PdfPages:
    """A PDF, open; its pages are drawn at `PDF_DPI`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._document = self._open()
        self._n_read = 0

    def __len__(self) -> int:
        found = len(self._document)
        check(f"{self._path} has", found, "pages", "pages")
        return found

    def close(self) -> None:
        self._document.close()

    def _open(self) -> Any:
        import pypdfium2

        try:
            return pypdfium2.PdfDocument(self._path)
        except Exception as error:
            reason = "no such file" if isinstance(error, FileNotFoundError) else " ".join(str(error).split())
            raise InputError(
                f"{self._path} cannot be read ({reason}); a PDF without a password wanted; save it anew"
            ) from None

    def read(self, index: int) -> PageImage:
        with self._page(index) as page:
            width, height = page.get_size()
            if not (0 < width < math.inf and 0 < height < math.inf):
                raise ValueError(f"a page of {width:g} x {height:g} points")
            scale = min(PDF_DPI / _POINTS, math.sqrt(MOST_PIXELS / (width * height)))
            bitmap = page.render(scale=scale, grayscale=True)
            grey = np.array(bitmap.to_numpy()).reshape(bitmap.height, bitmap.width)
            bitmap.close()
        return PageImage(self._path, index, grey, grey.shape[1], grey.shape[0])

    def picture(self, index: int, width: int) -> Image.Image:
        with self._page(index) as page:
            scale = width / page.get_width()
            bitmap = page.render(scale=scale)
            image: Image.Image = bitmap.to_pil().convert("RGB")
            bitmap.close()
        image.info["dpi"] = (_POINTS * scale, _POINTS * scale)
        return image

    @contextmanager
    def _page(self, index: int) -> Iterator[Any]:
        self._n_read += 1
        if self._n_read % _PAGES_KEPT == 0:  # PDFium keeps something of every page until the document is closed
            self._document.close()
            self._document = self._open()
        try:
            page = self._document[index]
            yield page
            page.close()
        except Exception as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{self._path}, page {index + 1}, cannot be drawn ({reason}); save the PDF anew") from None
