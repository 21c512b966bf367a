"""The report on a book: what it says, that it stands alone, that it escapes what it shows, that it stays small."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import html

from labelfree.errors import InputError
from labelfree.ocr.types import Box, Glyph
from labelfree.report import book as book_module
from labelfree.report.book import book_report, write_report
from labelfree.report.record import RECORD, BookRecord
from labelfree.report.specimen import LITTLE_SUPPORT, mean_glyph

from .printed import TEXT, misread, print_pages, record_of

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed")
    return record_of(print_pages(folder, [TEXT, TEXT[::-1], TEXT[1:]]))


@pytest.fixture(scope="module")
def page(printed):
    return html.fromstring(book_report(printed))


def texts(page, path):
    return [" ".join(found.text_content().split()) for found in page.xpath(path)]


def of_class(name):
    return f"contains(concat(' ', @class, ' '), ' {name} ')"


def test_the_verdict_comes_first_in_a_sentence_with_its_reason(page, printed):
    assert texts(page, f"//header//*[{of_class('sentence')}]") == [
        "It reads: about 1 character in 40 is expected to be wrong."
    ]
    assert texts(page, f"//header//*[{of_class('reason')}]") == ["It fits the language."]
    doubted = html.fromstring(book_report(record_of(printed.document, believed=False, reason="Stuck.")))
    assert texts(doubted, f"//*[{of_class('stamp')}]") == ["not believed"]


def test_every_line_is_there_with_its_picture_and_its_text(page, printed):
    lines = [line.text for each in printed.document.pages for line in each.lines]
    assert sorted(texts(page, f"//li[{of_class('line')}]/p[{of_class('read')}]")) == sorted(lines)
    assert len(page.xpath(f"//li//*[{of_class('picture')}]/img[starts-with(@src, 'data:image/webp')]")) == len(lines)


def test_the_least_sure_page_comes_first(page, printed):
    errors = [float(each.get("data-error")) for each in page.xpath("//article")]
    assert errors == sorted(errors, reverse=True)
    assert len(errors) == len(printed.document.pages)


def test_doubtful_characters_are_coloured_by_how_doubtful_and_tell_what_else_they_might_be(page, printed):
    for level, low, high in ((1, 0.75, 0.9), (2, 0.5, 0.75), (3, 0.0, 0.5)):
        wanted = [
            glyph.text
            for each in printed.document.pages
            for line in each.lines
            for glyph in line.glyphs
            if low <= glyph.confidence < high
        ]
        found = page.xpath(f"//p[{of_class('read')}]/b[{of_class(f'd{level}')}]")
        assert sorted(each.text or "" for each in found) == sorted(wanted)
        assert wanted
        assert all(", or x 25%, é 10%" in each.get("title") for each in found)


def test_the_alphabet_shows_the_mean_of_every_symbol_and_flags_those_with_little_support(page, printed):
    counts = {}
    for each in printed.document.pages:
        for line in each.lines:
            for glyph in line.glyphs:
                counts[glyph.text] = counts.get(glyph.text, 0) + (not glyph.is_space)
    shown = {each.get("data-symbol"): each for each in page.xpath("//details")}
    assert set(shown) == {symbol for symbol, count in counts.items() if count}
    assert all(each.xpath("./summary/img") for each in shown.values())
    few = {symbol for symbol, count in counts.items() if 0 < count < LITTLE_SUPPORT}
    assert few
    assert {symbol for symbol, each in shown.items() if "Little support" in each.text_content()} == few
    assert "Never read, though the language has them: z" in " ".join(page.text_content().split())
    links = page.xpath(f"//a[{of_class('sample')}]/@href")
    ids = set(page.xpath("//li/@id"))
    assert links
    assert {link[1:] for link in links} <= ids


def test_a_stranger_among_the_places_of_a_symbol_is_found(tmp_path):
    document = print_pages(tmp_path, [TEXT])
    line = document.pages[0].lines[1]
    g = next(g for g, glyph in enumerate(line.glyphs) if glyph.text == "m")
    glyphs = (*line.glyphs[:g], replace(line.glyphs[g], text="e"), *line.glyphs[g + 1 :])
    wrong = replace(line, glyphs=glyphs)
    lines = (document.pages[0].lines[0], wrong, *document.pages[0].lines[2:])
    document = replace(document, pages=(replace(document.pages[0], lines=lines),))
    shown = html.fromstring(book_report(record_of(document)))
    (letter,) = shown.xpath("//details[@data-symbol='e']")
    strangest = letter.xpath(f".//h4[text()='Strangest']/following-sibling::div[1]/a[{of_class('sample')}]")
    assert strangest[0].get("href") == "#p0l1"


def test_the_mean_of_glyphs_is_sharp_though_they_were_cut_unevenly():
    rng = np.random.default_rng(0)
    stroke = np.zeros((64, 96), np.float32)
    stroke[20:45, 44:50] = stroke[20:26, 40:56] = 1.0
    tiles = np.stack([np.roll(stroke, rng.integers(-1, 2, 2), (0, 1)) for _ in range(40)])
    mean, distances = mean_glyph(tiles)
    assert ((mean > 0.05) & (mean < 0.95)).mean() < 0.01
    assert distances.max() < 0.1


def test_it_stands_alone_and_lets_nothing_in(printed):
    text = book_report(printed)
    assert "http:" not in text
    assert "https:" not in text
    assert not re.search(
        r"@import|url\(|fetch\(|XMLHttp|WebSocket|import\(|<link(?! rel=\"icon\" href=\"data:,\")", text
    )
    sources = re.findall(r"""\bsrc=["']?([^"' >]+)""", text)
    assert all(source.startswith("data:image/webp;base64,") for source in sources)
    assert "default-src 'none'" in text


def test_markup_in_names_and_text_is_escaped(tmp_path):
    document = print_pages(tmp_path, [TEXT, TEXT[:2]], names=["<b onclick=alert(2)>'.png", "plain.png"])
    first = document.pages[0].lines[0]
    glyphs = (Glyph(EVIL, first.glyphs[0].box, 0.4), Glyph("</script>", first.glyphs[1].box, 1.0), *first.glyphs[2:])
    page = replace(document.pages[0], lines=(replace(first, glyphs=glyphs), *document.pages[0].lines[1:]))
    document = replace(document, pages=(page, document.pages[1]), language='"><script>')
    record = record_of(document, reason=f"Because {EVIL}.")
    record = replace(record, alternatives={(0, 0, 0): ((EVIL, 0.5), ("'\"", 0.2))})
    shown = html.fromstring(book_report(record))
    assert not shown.xpath("//*[@onerror or @onclick]")
    assert len(shown.xpath("//script")) == 1
    assert EVIL in texts(shown, f"//p[{of_class('read')}]/b[1]")
    assert "<b onclick=alert(2)>'.png" in " ".join(texts(shown, "//article/h3"))


def test_names_of_folders_are_not_told(printed):
    assert str(printed.document.pages[0].source.parent.parent) not in book_report(printed)


def test_lines_that_are_files_are_one_list(tmp_path):
    record = record_of(print_pages(tmp_path, [(text,) for text in TEXT], names=[f"{i}.png" for i in range(4)]))
    shown = html.fromstring(book_report(record))
    assert len(shown.xpath("//article")) == 1
    errors = [float(each.get("data-error")) for each in shown.xpath("//li[@data-error]")]
    assert errors == sorted(errors, reverse=True)
    assert {"0.png", "1.png", "2.png", "3.png"} <= set(texts(shown, f"//*[{of_class('about')}]/a"))


def test_the_truth_beside_the_scans_is_held_against_what_was_read(tmp_path):
    document = print_pages(tmp_path, [TEXT, TEXT[:2]])
    for each in document.pages:
        each.source.with_suffix(".gt.txt").write_text(each.text)
    n = sum(len(each.text.rstrip()) for each in document.pages)
    wrong = misread(document, "the", "tbe")
    shown = html.fromstring(book_report(record_of(wrong)))
    times = sum(each.text.count("the") for each in document.pages)
    (row,) = [row for row in shown.xpath("//section[@id='truth']//tbody/tr") if row.xpath("./td[1]")[0].text == "h"]
    assert [cell.text for cell in row] == ["h", "b", str(times)]
    assert f"{100 * times / n:.1f}%" in texts(shown, "//section[@id='truth']/p/b")[0]
    assert {(a.text, b.text) for a, b in zip(shown.xpath("//del"), shown.xpath("//ins"), strict=True)} == {("b", "h")}
    marked = shown.xpath(f"//li[{of_class('wrong')}]")
    assert len(marked) == sum("the" in line.text for each in document.pages for line in each.lines)
    right = html.fromstring(book_report(record_of(document)))
    assert not right.xpath(f"//li[{of_class('wrong')}]")


def test_truth_may_lie_in_another_folder(tmp_path):
    (tmp_path / "truth").mkdir()
    document = print_pages(tmp_path, [TEXT])
    with pytest.raises(InputError, match=r"truth holds no truth such as page0.gt.txt"):
        book_report(record_of(document), truth=tmp_path / "truth")
    (tmp_path / "truth" / "page0.txt").write_text(document.pages[0].text.replace("ferry", "Ferry"))
    shown = html.fromstring(book_report(record_of(document), truth=tmp_path / "truth"))
    assert [each.text for each in shown.xpath("//ins")] == ["F"]


def test_scans_that_are_gone_leave_the_text_and_are_found_elsewhere(tmp_path):
    document = print_pages(tmp_path, [TEXT])
    (tmp_path / "elsewhere").mkdir()
    place = tmp_path / "elsewhere" / "page0.png"
    document.pages[0].source.rename(place)
    record = record_of(document)
    gone = html.fromstring(book_report(record))
    assert not gone.xpath("//img")
    assert len(gone.xpath("//li")) == len(TEXT)
    assert "labelfree report OUT --scans FOLDER" in gone.text_content()
    again = html.fromstring(book_report(record.with_scans_in(tmp_path / "elsewhere")))
    assert len(again.xpath("//li//img")) == len(TEXT)


def test_pages_without_text_and_lines_without_glyphs_are_shown_as_such(tmp_path):
    document = print_pages(tmp_path, [TEXT[:1], ()])
    empty = replace(document.pages[0].lines[0], glyphs=(), box=Box(0, 0, 0, 0))
    page = replace(document.pages[0], lines=(*document.pages[0].lines, empty))
    shown = html.fromstring(book_report(record_of(replace(document, pages=(page, document.pages[1])))))
    assert "No text was found on this page." in shown.text_content()
    assert len(shown.xpath("//li")) == 2


def test_the_search_is_drawn_with_the_winner_and_those_given_up(page):
    (plot,) = page.xpath("//section[@id='search']/figure[1]/*[name()='svg']")
    kinds = [each.get("class") for each in plot.xpath("./*[name()='path']")]
    assert kinds == ["start"] * 3 + ["winner"]
    assert len(plot.xpath("./*[@class='dropped']")) == 3


def test_the_pairs_that_fit_least_are_named(tmp_path, printed):
    odd = html.fromstring(book_report(record_of(misread(print_pages(tmp_path, [TEXT]), "the", "tqe"))))
    assert odd.xpath("//section[@id='language']//tbody/tr")
    assert all(len(row) == 4 for row in odd.xpath("//section[@id='language']//tbody/tr"))


def test_pictures_keep_to_their_room_and_the_surest_lines_go_without(printed, monkeypatch):
    whole = len(book_report(printed))
    monkeypatch.setattr(book_module, "ROOM", 6_000)
    small = book_report(printed)
    assert len(small) < whole
    shown = html.fromstring(small)
    with_picture = [float(each.get("data-error")) for each in shown.xpath("//article[.//img]")]
    without = [float(each.get("data-error")) for each in shown.xpath("//article[not(.//li//img)]")]
    assert min(with_picture) >= max(without, default=0)
    assert "are shown without their pictures" in shown.text_content()


def test_what_is_kept_is_what_was_read(tmp_path, printed):
    printed.write(tmp_path)
    again = BookRecord.read(tmp_path)
    assert again.document.text == printed.document.text
    assert again.alternatives == printed.alternatives
    assert (again.verdict, again.grams, again.rounds) == (printed.verdict, printed.grams, printed.rounds)
    assert [each.scores for each in again.search] == [each.scores for each in printed.search]
    first = (tmp_path / RECORD).read_bytes()
    printed.write(tmp_path)
    assert (tmp_path / RECORD).read_bytes() == first
    assert book_report(again) == book_report(printed)


@pytest.mark.parametrize("damage", ["cut", "flipped", "no gzip", "other", "missing"])
def test_a_damaged_record_is_refused_in_one_line(tmp_path, printed, damage):
    import gzip

    path = printed.write(tmp_path)
    content = path.read_bytes()
    spoilt = {
        "cut": content[: len(content) // 2],
        "flipped": content[:200] + bytes([content[200] ^ 0xFF]) + content[201:],
        "no gzip": b"{}",
        "other": gzip.compress(b'{"format": "labelfree reading", "version": 1, "pages": [{}]}'),
        "missing": b"",
    }
    path.write_bytes(spoilt[damage])
    if damage == "missing":
        path.unlink()
    with pytest.raises(InputError, match="read the scans again"):
        BookRecord.read(tmp_path)


def test_a_report_replaces_no_folder(tmp_path, printed):
    with pytest.raises(InputError, match="is a folder"):
        write_report(printed, tmp_path)
    assert write_report(printed, Path(tmp_path / "new" / "a.html")).stat().st_size > 10_000
