"""Files, folders and patterns; lines that XML files mark; line images told from pages."""

import os
import pickle

import numpy as np
import pytest
from PIL import Image

from labelfree.errors import InputError
from labelfree.ocr.layout.scans import lay_out, read_lines, requests
from labelfree.ocr.sources.files import find_sources
from labelfree.ocr.sources.images import PageReader

from .pages import make_page, overlap, rendered_lines

PAGE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"


def save(ink, path):
    Image.fromarray(np.where(ink, 0, 255).astype(np.uint8)).save(path)


def names(sources):
    return [source.path.name for source in sources]


@pytest.fixture
def folder(tmp_path):
    for name in ("p10.png", "p9.png", "p9b.JPG"):
        Image.new("L", (4, 4)).save(tmp_path / name)
    for name in ("p9.gt.txt", "notes.md", ".hidden.png"):
        (tmp_path / name).write_text("x")
    return tmp_path


def page_xml(image, lines, size=(600, 400), order=""):
    texts = "".join(
        f'<TextRegion id="r{n}"><Coords points="0,0 9,0 9,9"/><TextLine id="l{n}"><Coords points="{points}"/>'
        "</TextLine></TextRegion>"
        for n, points in enumerate(lines)
    )
    return (
        f'<PcGts xmlns="{PAGE}"><Page imageFilename="{image}" imageWidth="{size[0]}" imageHeight="{size[1]}">'
        f"{order}{texts}</Page></PcGts>"
    )


def alto_xml(image, boxes, size, unit="pixel"):
    lines = "".join(f'<TextLine HPOS="{x}" VPOS="{y}" WIDTH="{w}" HEIGHT="{h}"/>' for x, y, w, h in boxes)
    return (
        '<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#">'
        f"<Description><MeasurementUnit>{unit}</MeasurementUnit><sourceImageInformation><fileName>{image}</fileName>"
        f'</sourceImageInformation></Description><Layout><Page WIDTH="{size[0]}" HEIGHT="{size[1]}"><PrintSpace>'
        f"<TextBlock>{lines}</TextBlock></PrintSpace></Page></Layout></alto>"
    )


def as_points(box):
    x0, y0, x1, y1 = box
    return f"{x0},{y0} {x1},{y0} {x1},{y1} {x0},{y1}"


def test_a_folder_in_natural_order_without_what_is_no_image(folder):
    assert names(find_sources([folder])) == ["p9.png", "p9b.JPG", "p10.png"]


def test_each_file_once_in_the_order_named(folder):
    given = [folder / "p10.png", folder, str(folder / "*.png"), folder / "." / "p9.png"]
    assert names(find_sources(given)) == ["p10.png", "p9.png", "p9b.JPG"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing.png", "not there"), ("*.tif", "not there"), ("*.md", "none that can be read"), ("notes.md", "no kind")],
)
def test_inputs_that_cannot_be_read(folder, name, message):
    with pytest.raises(InputError, match=message):
        find_sources([folder / name])


def test_an_empty_folder_and_one_that_holds_only_folders(tmp_path):
    with pytest.raises(InputError, match="holds nothing to read"):
        find_sources([tmp_path])
    (tmp_path / "book one").mkdir()
    with pytest.raises(InputError, match="folders such as book one"):
        find_sources([tmp_path])


def test_nothing_named():
    with pytest.raises(InputError, match="nothing to read"):
        find_sources([])


def test_an_image_that_an_xml_file_speaks_of_is_read_with_it(folder):
    (folder / "p9.xml").write_text(page_xml("p9.png", []))
    (folder / "mets.xml").write_text("<mets/>")
    assert names(find_sources([folder])) == ["p9.xml", "p9b.JPG", "p10.png"]
    with pytest.raises(InputError, match="neither PAGE nor ALTO"):
        find_sources([folder / "mets.xml"])


@pytest.mark.parametrize("written", ["p9.png", "C:\\scans\\p9.png", "/far/away/p9.png", "../../p9.png", "lost.png"])
def test_the_image_is_sought_beside_the_xml_file(folder, written):
    (folder / "p9.xml").write_text(page_xml(written, []))
    (source,) = find_sources([folder / "p9.xml"])
    assert source.image == folder / "p9.png"


def test_the_image_may_stand_in_a_folder_beside(folder):
    (folder / "page").mkdir()
    (folder / "page" / "x.xml").write_text(page_xml("p10.png", []))
    (source,) = find_sources([folder / "page"])
    assert source.image.samefile(folder / "p10.png")
    (folder / "page" / "x.xml").write_text(page_xml("lost.png", []))
    with pytest.raises(InputError, match=r"lost\.png"):
        find_sources([folder / "page"])


@pytest.mark.parametrize(
    "head",
    [
        '<!DOCTYPE PcGts [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE PcGts [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY e "&b;&b;&b;&b;">]>',
        '<!DOCTYPE PcGts SYSTEM "http://localhost:9/never.dtd">',
    ],
)
def test_entities_and_document_types_are_refused(folder, head):
    body = page_xml("p9.png", []).replace("</Page>", "<Unicode>&e;</Unicode></Page>" if "ENTITY" in head else "</Page>")
    (folder / "evil.xml").write_text(head + body)
    with pytest.raises(InputError, match=r"evil\.xml") as caught:
        find_sources([folder])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"<PcGts", b"no xml", b"\xff\xfe\x00", b"<PcGts/>", b"<a>" * 5000])
def test_broken_xml_is_refused(folder, content):
    (folder / "bad.xml").write_bytes(content)
    with pytest.raises(InputError, match=r"bad\.xml"):
        find_sources([folder])


@pytest.fixture(scope="module")
def made():
    return make_page(rendered_lines(6, size=30, width=900), leading=1.2)


def test_lines_of_a_page_file_in_its_reading_order(tmp_path, made):
    Image.fromarray(made.grey).save(tmp_path / "scan.png")
    order = (
        '<ReadingOrder><OrderedGroup id="g">'
        + "".join(f'<RegionRefIndexed index="{5 - n}" regionRef="r{n}"/>' for n in range(6))
        + "</OrderedGroup></ReadingOrder>"
    )
    height, width = made.grey.shape
    points = [as_points(box) for box in made.boxes]
    (tmp_path / "scan.xml").write_text(page_xml("scan.png", points, (width, height), order))
    (page,) = read_lines([tmp_path])
    assert page.source.name == "scan.xml"
    assert all(overlap(line.box, box) > 0.9 for line, box in zip(page.lines, made.boxes[::-1], strict=True))


@pytest.mark.parametrize(("unit", "scale"), [("pixel", 1), ("mm10", 10 / 3), ("pixel", 0.5)])
def test_lines_of_an_alto_file_in_any_unit(tmp_path, made, unit, scale):
    Image.fromarray(made.grey).save(tmp_path / "scan.png")
    height, width = made.grey.shape
    boxes = [tuple(scale * value for value in (x0, y0, x1 - x0, y1 - y0)) for x0, y0, x1, y1 in made.boxes]
    (tmp_path / "scan.xml").write_text(alto_xml("scan.png", boxes, (width * scale, height * scale), unit))
    (page,) = read_lines([tmp_path / "scan.xml"])
    assert all(overlap(line.box, box) > 0.9 for line, box in zip(page.lines, made.boxes, strict=True))


def test_ink_outside_an_outline_is_left_out(tmp_path, made):
    Image.fromarray(made.grey).save(tmp_path / "scan.png")
    x0, y0, x1, y1 = made.boxes[2]
    middle = (x0 + x1) // 2
    tall = f"{x0},{y0} {middle},{y0} {middle},{y1} {x0},{y1}"
    height, width = made.grey.shape
    (tmp_path / "scan.xml").write_text(page_xml("scan.png", [tall, "1,1 2,1 2,2", "-9,-9"], (width, height)))
    (page,) = read_lines([tmp_path])
    (line,) = page.lines
    assert middle - 40 < line.box.x1 <= middle + 2
    assert set(np.unique(line.ink)) == {0.0, 1.0}


def test_a_folder_of_line_images_gives_one_line_each(tmp_path):
    lines = rendered_lines(5, size=30, width=900)
    for n, ink in enumerate(lines):
        save(np.pad(ink, 4), tmp_path / f"{n}.png")
    pages = list(read_lines([tmp_path]))
    assert [page.source.name for page in pages] == [f"{n}.png" for n in range(5)]
    for page, ink in zip(pages, lines, strict=True):
        (line,) = page.lines
        assert line.box == (4, 4, 4 + ink.shape[1], 4 + ink.shape[0])
        np.testing.assert_array_equal(line.ink, ink)


def test_a_folder_of_pages_gives_their_lines_unless_told_otherwise(tmp_path, made):
    for n in range(2):
        Image.fromarray(made.grey).save(tmp_path / f"{n}.png")
    assert [len(page.lines) for page in read_lines([tmp_path])] == [6, 6]
    assert [len(page.lines) for page in read_lines([tmp_path], kind="line")] == [1, 1]


def test_a_pdf_holds_pages(tmp_path, made):
    Image.fromarray(made.grey).save(tmp_path / "scan.pdf", resolution=300)
    (page,) = read_lines([tmp_path])
    assert len(page.lines) == 6


def test_an_unknown_kind():
    with pytest.raises(InputError, match="'word'"):
        next(read_lines([os.curdir], kind="word"))


def alike(one, other):
    return one.key == other.key and all(
        a.box == b.box and np.array_equal(a.ink, b.ink) for a, b in zip(one.lines, other.lines, strict=True)
    )


@pytest.fixture
def several(tmp_path, made):
    """A TIFF of three pages, a PDF of two, and a page with an XML file that marks two of its lines."""
    pages = [Image.fromarray(made.grey[: 200 + 60 * n]) for n in range(3)]
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:])
    pages[0].save(tmp_path / "b.pdf", save_all=True, append_images=pages[1:2], resolution=300)
    pages[2].save(tmp_path / "c.png")
    height, width = made.grey[:320].shape
    (tmp_path / "c.xml").write_text(page_xml("c.png", [as_points(box) for box in made.boxes[:2]], (width, height)))
    return tmp_path


def test_each_page_is_a_small_request_that_gives_the_same_lines_wherever_it_is_laid_out(several):
    wanted = requests([several], "page")
    assert [(request.source.name, request.index) for request in wanted] == [
        ("a.tif", 0),
        ("a.tif", 1),
        ("a.tif", 2),
        ("b.pdf", 0),
        ("b.pdf", 1),
        ("c.xml", 0),
    ]
    assert all(len(pickle.dumps(request)) < 2_000 for request in wanted)
    found = list(read_lines([several], "page"))
    assert len(found[-1].lines) == 2
    for request, page in reversed([*zip(wanted, found, strict=True)]):
        with PageReader() as reader:
            assert alike(lay_out(pickle.loads(pickle.dumps(request)), reader), page)  # noqa: S301


def test_progress_counts_pages(several):
    told = []
    assert len(list(read_lines([several], "page", progress=lambda *each: told.append(each)))) == 6
    assert told == [(done, 6) for done in range(7)]


def test_a_page_is_given_before_the_next_is_read(several):
    pages = read_lines([several / "a.tif", several / "c.png"], "page")
    next(pages)
    (several / "c.png").unlink()
    assert next(pages).key == (several / "a.tif", 1)
    next(pages)
    with pytest.raises(InputError, match=r"c\.png cannot be read"):
        next(pages)


def test_a_broken_page_costs_no_other(tmp_path):
    pages = [Image.fromarray(np.random.default_rng(n).integers(0, 256, (40, 50), np.uint8)) for n in range(3)]
    pages[0].save(tmp_path / "book.tif", save_all=True, append_images=pages[1:], compression="tiff_deflate")
    with Image.open(tmp_path / "book.tif") as image:
        image.seek(1)
        (start,), (length,) = image.tag_v2[273], image.tag_v2[279]
    content = bytearray((tmp_path / "book.tif").read_bytes())
    content[start : start + length] = bytes(length)
    (tmp_path / "book.tif").write_bytes(content)
    left_out = []
    found = list(read_lines([tmp_path], "page", leave_out=lambda path, error: left_out.append(str(error))))
    assert [page.page for page in found] == [0, 2]
    (reason,) = left_out
    assert "book.tif, page 2, cannot be read" in reason


def test_an_unknown_layout():
    with pytest.raises(InputError, match="'columns'"):
        next(read_lines([os.curdir], layout="columns"))
