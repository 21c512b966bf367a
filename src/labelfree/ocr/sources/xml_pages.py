"""Lines that PAGE XML and ALTO files mark on their images.

The files come from strangers: entities, document types and the network are out of bounds for the parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.limits import read_bounded
from labelfree.markup import parsed_xml
from labelfree.ocr.sources.images import IMAGE_SUFFIXES

XML_SUFFIX = ".xml"

Outline = NDArray[np.float64]
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MOST_SHOWN = 60  # characters of a name
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_FARTHEST = 1e7  # pixels from a corner of a page


@dataclass(frozen=True, eq=False)
class XmlPage:
    """What an XML file says of a page."""

    image: Path
    size: tuple[float, float] | None  # width and height that the outlines refer to, where the file gives them
    outlines: tuple[Outline, ...]  # corners x and y of each line, shape (n, 2), in reading order


def read_xml_page(path: Path) -> XmlPage | None:
    """Read a PAGE or ALTO file; None for XML of any other kind."""
    root = parsed_xml(read_bounded(path, "xml"), str(path), "a PAGE or ALTO file")
    kind = root.tag.rpartition("}")[2]
    page = root.find(".//{*}Page")
    if kind == "PcGts":
        if page is None:
            raise InputError(f"{path} holds no Page element; a PAGE file with one wanted; export it anew")
        size = _size(page.get("imageWidth"), page.get("imageHeight"))
        return XmlPage(_image(path, page.get("imageFilename")), size, tuple(_page_outlines(page)))
    if kind == "alto":
        name = next((element.text for element in _elements(root, "fileName") if element.text), None)
        size = None if page is None else _size(page.get("WIDTH"), page.get("HEIGHT"))
        unit = next((element.text for element in _elements(root, "MeasurementUnit")), "pixel")
        if size is None and (unit or "pixel").strip() != "pixel":
            raise InputError(f"{path} measures in {unit} but gives no page size; pixels wanted; export it anew")
        outlines = [] if page is None else _alto_outlines(page)
        return XmlPage(_image(path, name), size, tuple(outlines))
    return None


def _elements(root: Any, name: str) -> Any:
    return root.iter(f"{{*}}{name}")


def _size(width: str | None, height: str | None) -> tuple[float, float] | None:
    try:
        size = float(width or 0), float(height or 0)
    except ValueError:
        return None
    return size if min(size) >= 1 and max(size) <= _FARTHEST else None


def _page_outlines(page: Any) -> list[Outline]:
    """Outlines of the lines, region by region as the reading order says, then those it does not name."""
    named = [ref.get("regionRef") for ref in sorted(_elements(page, "RegionRefIndexed"), key=_index)]
    rank = {name: place for place, name in enumerate(named)}
    ranked = []
    for line in _elements(page, "TextLine"):
        region = next((rank[up.get("id")] for up in line.iterancestors() if up.get("id") in rank), len(rank))
        coords = line.find("{*}Coords")
        outline = None if coords is None else _outline(coords.get("points") or _point_elements(coords))
        if outline is not None:
            ranked.append((region, outline))
    return [outline for _, outline in sorted(ranked, key=lambda pair: pair[0])]


def _index(reference: Any) -> tuple[int, ...]:
    """Place in the reading order: the indices of the groups around a reference, and its own."""
    chain = [reference, *reference.iterancestors()]
    found = [element.get("index") for element in reversed(chain) if element.get("index") is not None]
    return tuple(int(index) if _WHOLE.fullmatch(index) else 0 for index in found)


def _point_elements(coords: Any) -> str:
    """Corners as PAGE files before 2013 write them."""
    return " ".join(f"{point.get('x')},{point.get('y')}" for point in _elements(coords, "Point"))


def _alto_outlines(page: Any) -> list[Outline]:
    outlines = []
    for line in _elements(page, "TextLine"):
        polygon = line.find("{*}Shape//{*}Polygon")
        outline = None if polygon is None else _outline(polygon.get("POINTS") or "")
        if outline is None:
            outline = _box_outline(*(line.get(name) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT")))
        if outline is not None:
            outlines.append(outline)
    return outlines


def _outline(points: str) -> Outline | None:
    """Corners from any of the ways to write them: ``x,y x,y`` or ``x y x y``; None for fewer than three, or far off."""
    numbers = [float(number) for number in _NUMBER.findall(points)]
    if len(numbers) < 6 or len(numbers) % 2 or max(map(abs, numbers)) > _FARTHEST:
        return None
    return np.array(numbers).reshape(-1, 2)


def _box_outline(*values: str | None) -> Outline | None:
    try:
        x, y, width, height = (float(value or "") for value in values)
    except ValueError:
        return None
    if not np.isfinite([x, y, width, height]).all() or min(width, height) <= 0 or max(x, y, width, height) > _FARTHEST:
        return None
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])


def _image(path: Path, name: str | None) -> Path:
    """The image beside the XML file or in the folder above, by the name given or by the same stem."""
    folders = (path.parent, path.parent.parent)
    candidates = []
    if name and name.strip():
        written = name.strip().removeprefix("file://")
        inside = PureWindowsPath(written)  # takes slashes of either kind
        if not inside.is_absolute() and not inside.root and ".." not in inside.parts:
            candidates += [folder.joinpath(*inside.parts) for folder in folders]
        candidates += [folder / inside.name for folder in folders]
    candidates += [path.with_suffix(suffix) for suffix in sorted(IMAGE_SUFFIXES)]
    found = next((candidate for candidate in candidates if _is_file(candidate)), None)
    if found is None:
        shown = name if name is None or len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}..."
        raise InputError(f"{path} speaks of an image {shown!r} that is not there; put it beside the XML file")
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
