"""Lines that PAGE XML and ALTO files mark on their images, and the kinds of the regions that they stand in.

The files come from strangers: entities, document types and the network are out of bounds for the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.limits import read_bounded
from labelfree.markup import parsed_xml
from labelfree.ocr.sources.images import IMAGE_SUFFIXES
from labelfree.ocr.types import RegionKind

XML_SUFFIX = ".xml"

Outline = NDArray[np.float64]
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MOST_SHOWN = 60  # characters of a name
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_FARTHEST = 1e7  # pixels from a corner of a page


_PAGE_KINDS: Mapping[str, RegionKind] = MappingProxyType(
    {
        "heading": "heading",
        "header": "header",
        "footer": "footer",
        "signature-mark": "footer",
        "catch-word": "footer",
        "page-number": "page-number",
        "marginalia": "marginalia",
    }
)
"""What types of text regions in PAGE are here, as are labels of blocks in ALTO; others are paragraphs."""

_LABELS: Mapping[str, RegionKind] = MappingProxyType(
    {
        "runningtitlezone": "header",
        "quiremarkszone": "footer",
        "numberingzone": "page-number",
        "margintextzone": "marginalia",
        "titlepagezone": "heading",
        "graphiczone": "picture",
    }
)
"""The same for labels of the SegmOnto vocabulary, by which many ALTO files are tagged."""

_PICTURES = ("ImageRegion", "LineDrawingRegion", "GraphicRegion", "ChartRegion", "MapRegion", "Illustration")


@dataclass(frozen=True, eq=False)
class XmlRegion:
    """A region that an XML file marks: its kind, its outline where it has one, and its lines."""

    kind: RegionKind
    outline: Outline | None
    lines: tuple[int, ...] = ()  # indices into the outlines of the page


@dataclass(frozen=True, eq=False)
class XmlPage:
    """What an XML file says of a page."""

    image: Path
    size: tuple[float, float] | None  # width and height that the outlines refer to, where the file gives them
    outlines: tuple[Outline, ...]  # corners x and y of each line, shape (n, 2), in reading order
    regions: tuple[XmlRegion, ...] = ()  # in reading order


def read_xml_page(path: Path) -> XmlPage | None:
    """Read a PAGE or ALTO file; None for XML of any other kind."""
    root = parsed_xml(read_bounded(path, "xml"), str(path), "a PAGE or ALTO file")
    kind = root.tag.rpartition("}")[2]
    page = root.find(".//{*}Page")
    if kind == "PcGts":
        if page is None:
            raise InputError(f"{path} holds no Page element; a PAGE file with one wanted; export it anew")
        size = page_size(page.get("imageWidth"), page.get("imageHeight"))
        found = _Found(_page_parts(page))
        return XmlPage(_image(path, page.get("imageFilename")), size, found.outlines, found.regions)
    if kind == "alto":
        name = next((element.text for element in elements(root, "fileName") if element.text), None)
        size = None if page is None else page_size(page.get("WIDTH"), page.get("HEIGHT"))
        unit = next((element.text for element in elements(root, "MeasurementUnit")), "pixel")
        if size is None and (unit or "pixel").strip() != "pixel":
            raise InputError(f"{path} measures in {unit} but gives no page size; pixels wanted; export it anew")
        found = _Found([] if page is None else _alto_parts(page, _labels_of_tags(root)))
        return XmlPage(_image(path, name), size, found.outlines, found.regions)
    return None


def elements(root: Any, name: str) -> Any:
    """All elements of a name, in whatever namespace."""
    return root.iter(f"{{*}}{name}")


def page_size(width: str | None, height: str | None) -> tuple[float, float] | None:
    """Width and height, where both are given and can be."""
    try:
        size = float(width or 0), float(height or 0)
    except ValueError:
        return None
    return size if min(size) >= 1 and max(size) <= _FARTHEST else None


_Part = tuple[RegionKind, Outline | None, list[Outline]]  # a region: its kind, its outline, those of its lines


class _Found:
    """Lines one after the other, and the regions that hold them; those of nothing are left out."""

    def __init__(self, parts: Iterable[_Part]) -> None:
        outlines: list[Outline] = []
        regions: list[XmlRegion] = []
        for kind, outline, lines in parts:
            if lines or (kind == "picture" and outline is not None):
                numbers = range(len(outlines), len(outlines) + len(lines))
                regions.append(XmlRegion("paragraph" if lines and kind == "picture" else kind, outline, tuple(numbers)))
                outlines += lines
        self.outlines, self.regions = tuple(outlines), tuple(regions)


def _page_parts(page: Any) -> list[_Part]:
    """Regions with lines and pictures as the reading order says, then those that it does not name."""
    named = [ref.get("regionRef") for ref in sorted(elements(page, "RegionRefIndexed"), key=_index)]
    rank = {name: place for place, name in enumerate(named)}
    ranked: list[tuple[int, _Part]] = []
    for region in page.iter("{*}*"):
        lines = [page_outline(line) for line in region.iterfind("{*}TextLine")]
        if lines or _name(region) in _PICTURES:
            place = next((rank[up.get("id")] for up in _self_and_above(region) if up.get("id") in rank), len(rank))
            kind = "picture" if _name(region) in _PICTURES else _PAGE_KINDS.get(region.get("type", ""), "paragraph")
            ranked.append((place, (kind, page_outline(region), [line for line in lines if line is not None])))
    return [part for _, part in sorted(ranked, key=lambda pair: pair[0])]


def page_outline(element: Any) -> Outline | None:
    """Corners of an element of PAGE."""
    coords = element.find("{*}Coords")
    return None if coords is None else _outline(coords.get("points") or _point_elements(coords))


def _self_and_above(element: Any) -> Iterator[Any]:
    yield element
    yield from element.iterancestors()


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _index(reference: Any) -> tuple[int, ...]:
    """Place in the reading order: the indices of the groups around a reference, and its own."""
    chain = [reference, *reference.iterancestors()]
    found = [element.get("index") for element in reversed(chain) if element.get("index") is not None]
    return tuple(int(index) if _WHOLE.fullmatch(index) else 0 for index in found)


def _point_elements(coords: Any) -> str:
    """Corners as PAGE files before 2013 write them."""
    return " ".join(f"{point.get('x')},{point.get('y')}" for point in elements(coords, "Point"))


def _labels_of_tags(root: Any) -> dict[str, str]:
    """The label of each tag by its name."""
    return {
        tag.get("ID", ""): tag.get("LABEL", "") for tags in elements(root, "Tags") for tag in tags.iterchildren("*")
    }


def _alto_parts(page: Any, labels: Mapping[str, str]) -> Iterator[_Part]:
    for block in page.iter("{*}*"):
        lines = [alto_outline(line) for line in block.iterfind("{*}TextLine")]
        if lines or _name(block) in _PICTURES:
            kind = "picture" if _name(block) in _PICTURES else _alto_kind(block, labels)
            yield kind, alto_outline(block), [line for line in lines if line is not None]


def _alto_kind(block: Any, labels: Mapping[str, str]) -> RegionKind:
    """The kind of a block of text by its tags, or by those of what holds it."""
    for element in _self_and_above(block):
        for tag in (element.get("TAGREFS") or "").split():
            label = labels.get(tag, "").lower().partition(":")[0]
            if label in _PAGE_KINDS or label in _LABELS:
                return _PAGE_KINDS.get(label) or _LABELS[label]
    return "paragraph"


def alto_outline(element: Any) -> Outline | None:
    """Corners of an element of ALTO."""
    polygon = element.find("{*}Shape//{*}Polygon")
    outline = None if polygon is None else _outline(polygon.get("POINTS") or "")
    if outline is None:
        outline = _box_outline(*(element.get(name) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT")))
    return outline


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
