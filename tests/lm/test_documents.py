"""Text from documents: what is printed comes out line by line; what is not stays out; what would do harm is refused."""

import gzip
import zipfile

import pytest

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.documents import text_of_document
from labelfree.lm.sources import sequences_of_pieces

TEI = """<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><p>secret</p></teiHeader><text>
<fw>HEAD</fw><p>The first <hi>li</hi>ne<lb/>and the sec<lb break="no"/>
ond <choice><sic>teh</sic><corr>the</corr></choice> end.</p><!-- no --><lg><l>verse one</l>
<l>verse two</l></lg></text></TEI>"""
PAGE = """<PcGts xmlns="http://x"><Page><TextRegion><TextLine>
<Word><TextEquiv><Unicode>by word</Unicode></TextEquiv></Word>
<TextEquiv index="1"><Unicode>second</Unicode></TextEquiv><TextEquiv index="0"><Unicode>first</Unicode></TextEquiv>
</TextLine><TextLine><Word><TextEquiv><Unicode>two</Unicode></TextEquiv></Word><Word><TextEquiv><Unicode>words</Unicode>
</TextEquiv></Word></TextLine></TextRegion></Page></PcGts>"""
ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page><TextLine><String CONTENT="one"/><SP/>
<String CONTENT="bro"/><HYP CONTENT="-"/></TextLine><TextLine><String CONTENT="ken"/></TextLine></Page></Layout>
</alto>"""
HOCR = """<html><head><title>t</title></head><body><div class="ocr_page"><p class="ocr_par">
<span class="ocr_line"><span class="ocrx_word">one</span> <span class="ocrx_word">line</span></span>
<span class="ocr_line"><span class="ocrx_word">two</span></span></p></div></body></html>"""


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.xml", TEI, "The first line\nand the second teh end.\nverse one\nverse two"),
        ("a.xml", PAGE, "first\ntwo words"),
        ("a.xml", ALTO, "one bro-\nken"),
        ("a.hocr", HOCR, "one line\ntwo"),
        (
            "a.HTML",
            "<h1>A&nbsp;title</h1><script>x=1</script><p>pa<b>r</b>t<br>next<td>cell",
            "A title\npart\nnext\ncell",
        ),
        ("a.html", "no element at all", "no element at all"),
    ],
)
def test_what_is_printed_comes_out_line_by_line(name, content, text):
    assert text_of_document(content.encode(), name) == text


def test_html_is_read_in_the_encoding_that_it_declares():
    page = '<html><head><meta charset="iso-8859-7"></head><body>λόγος</body></html>'
    assert text_of_document(page.encode("iso-8859-7"), "a.htm") == "λόγος"


def epub(path, chapters, **changes):
    files = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="in/a.opf"/></rootfiles></container>',
        "in/a.opf": "<package><manifest>"
        + "".join(
            f'<item id="c{i}" href="c%20{i}.xhtml" media-type="application/xhtml+xml"/>' for i in range(len(chapters))
        )
        + '<item id="p" href="p.png" media-type="image/png"/></manifest><spine><itemref idref="p"/>'
        + "".join(f'<itemref idref="c{i}"/>' for i in reversed(range(len(chapters))))
        + "</spine></package>",
        **{f"in/c {i}.xhtml": f"<html><body><p>{text}</p></body></html>" for i, text in enumerate(chapters)},
        **changes,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_an_epub_is_read_in_the_order_of_its_spine(tmp_path):
    (pieces,) = sequences_of_pieces(epub(tmp_path / "a.epub", ["last", "middle", "first"]))
    assert "".join(pieces).split() == ["first", "middle", "last"]


def test_a_folder_of_anything_gives_its_text_and_nothing_else(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "a.txt").write_text("plain")
    (tmp_path / "below" / "b.xml.gz").write_bytes(gzip.compress(TEI.encode()))
    (tmp_path / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / ".hidden").write_text("secret")
    epub(tmp_path / "d.epub", ["chapter"])
    found = ["".join(pieces) for pieces in sequences_of_pieces(tmp_path)]
    assert [text.split()[0] for text in found] == ["plain", "The", "chapter"]
    symbols = set(NGramLM.from_text(tmp_path, order=1).alphabet)
    assert "P" not in symbols
    assert "w" in symbols


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xml", '<!DOCTYPE TEI [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><TEI><text>&b;</text></TEI>'),
        (
            "a.xml",
            '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE TEI [<!ENTITY a SYSTEM "file:///etc/passwd">]><TEI/>',
        ),
        ("a.xml", "<svg/>"),
        ("a.xml", "<TEI><text>"),
        ("a.html", ""),
    ],
)
def test_what_does_harm_or_is_no_document_is_refused_in_one_line(tmp_path, name, content):
    (tmp_path / name).write_bytes(content.encode("utf-16" if "utf-16" in content else "utf-8"))
    with pytest.raises(InputError, match=r"a\.(xml|html)") as caught:
        [*map(list, sequences_of_pieces(tmp_path / name))]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: epub(path, ["x"], **{"META-INF/container.xml": "<container/>"}),
        lambda path: epub(path, ["x"], **{"in/c 0.xhtml": b" " * (65 << 20)}),  # more than a chapter may have
        lambda path: epub(path, [" " * (60 << 20), " " * (60 << 20)]),  # unpacks to hundreds of times its size
        lambda path: path.write_bytes(b"PK\x03\x04 no archive"),
        lambda path: path.write_bytes(epub(path, ["x" * 9000]).read_bytes()[:-200]),
    ],
)
def test_an_epub_that_does_harm_is_refused_in_one_line(tmp_path, harm):
    harm(tmp_path / "a.epub")
    with pytest.raises(InputError, match=r"a\.epub") as caught:
        [*map(list, sequences_of_pieces(tmp_path / "a.epub"))]
    assert "\n" not in str(caught.value)
