"""Files that promise much: refused before there is memory for it, unless whoever trusts them says so."""

import gzip
import io
import json
import re
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from labelfree import Alphabet, NGramLM, SequenceClassifier, decipher
from labelfree.cli import run
from labelfree.decode import viterbi
from labelfree.errors import InputError
from labelfree.limits import LIMITS, limit, parse_json
from labelfree.ocr.hints import read_hints
from labelfree.ocr.sources.files import find_sources
from labelfree.ocr.sources.xml_pages import read_xml_page
from labelfree.storage.datafile import read_data


@pytest.fixture
def little_memory():
    """What is done in the test must not take 300 MB."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 * 2**20


def archive(path, members, promised=None):
    """An npz of headers and zeros; `promised` is the shape that the header of X claims."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, array in members.items():
            stream = io.BytesIO()
            np.save(stream, array)
            content = stream.getvalue()
            if name == "X" and promised is not None:
                before = f"{array.shape}"
                content = content.replace(before.encode(), promised.ljust(len(before)).encode()[: len(before)], 1)
            made.writestr(f"{name}.npy", content)


def test_an_array_smaller_than_its_header_says_is_refused_before_there_is_memory(tmp_path, little_memory):
    path = tmp_path / "data.npz"
    archive(path, {"X": np.zeros((1234567, 1), np.uint8), "lengths": np.array([3])}, promised="(9999999,9)")
    with pytest.raises(InputError, match=r"X has 1,234,567 bytes, 89,999,991 wanted, as its header says"):
        read_data(path)


def test_an_archive_that_unpacks_to_many_times_its_size_is_refused_unless_trusted(tmp_path, monkeypatch, little_memory):
    path = tmp_path / "data.npz"
    n = 100 << 20
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        with made.open("X.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, {"descr": "|u1", "fortran_order": False, "shape": (n, 1)})
            for _ in range(100):
                member.write(bytes(1 << 20))
        with made.open("lengths.npy", "w") as member:
            np.save(member, np.array([n]))
    with pytest.raises(InputError, match=r"X has 104,857,600 bytes unpacked, .* allow LABELFREE_LIMITS=ratio=\d+"):
        read_data(path)
    monkeypatch.setenv("LABELFREE_LIMITS", "ratio=2000")
    assert len(read_data(path).X) == n


def test_an_array_beyond_the_limit_is_refused_and_read_where_that_is_raised(tmp_path, monkeypatch):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.arange(1000)[:, None], lengths=[1000])
    monkeypatch.setenv("LABELFREE_LIMITS", "data=7K")
    with pytest.raises(InputError, match=r"X has 8,000 bytes, at most 7,168 wanted; allow LABELFREE_LIMITS=data=8K"):
        read_data(path)
    monkeypatch.setenv("LABELFREE_LIMITS", "data=8K")
    assert len(read_data(path).X) == 1000


@pytest.mark.parametrize("settings", ["data", "data=", "mice=3", "data=-1", "data=1P", "data=1e9", "data=" + "9" * 30])
def test_a_limit_that_is_none_is_named(monkeypatch, settings):
    monkeypatch.setenv("LABELFREE_LIMITS", settings)
    with pytest.raises(InputError, match="NAME=SIZE wanted, such as image=2G"):
        limit("data")


def test_every_limit_is_written_of():
    said = (Path(__file__).parents[2] / "SECURITY.md").read_text()
    assert all(f"`{name}`" in said for name in LIMITS)


def test_the_flag_raises_a_limit_for_one_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LABELFREE_LIMITS", "line=100")
    lm = NGramLM.from_text("abba " * 30, order=2)
    lm.write_arpa(tmp_path / "lm.arpa")
    text = (tmp_path / "lm.arpa").read_text()
    (tmp_path / "lm.arpa").write_text(text.replace("ngram 1", " " * 300 + "ngram 1", 1))
    assert run(["lm", "info", str(tmp_path / "lm.arpa")]) == 2
    assert "a line of at most 100 bytes" in capsys.readouterr().err
    assert run(["--limit", "line=1K", "lm", "info", str(tmp_path / "lm.arpa")]) == 0
    assert run(["--limit", "line=many", "lm", "info", str(tmp_path / "lm.arpa")]) == 2
    assert "correct --limit" in capsys.readouterr().err


OVERFLOWING = [2**62] * 4 + [30]


def test_lengths_whose_sum_overflows_are_refused(tmp_path):
    lm = NGramLM.from_text("abba " * 30, order=2)
    X = np.arange(30)[:, None] % 3
    with pytest.raises(InputError, match=r"lengths sum to 18446744073709551646, 30 wanted"):
        SequenceClassifier(lm).fit(X, lengths=OVERFLOWING)
    with pytest.raises(InputError, match="lengths sum to"):
        viterbi(np.zeros((30, 3)), lm, lengths=OVERFLOWING)
    with pytest.raises(InputError, match="lengths sum to"):
        lm.log_probabilities(np.zeros(30, int), OVERFLOWING)
    np.savez(tmp_path / "data.npz", X=X, lengths=np.array(OVERFLOWING, np.uint64))
    with pytest.raises(InputError, match=r"data\.npz: lengths sum to 18446744073709551646, 30 wanted"):
        read_data(tmp_path / "data.npz")


def test_an_arpa_line_without_end_takes_no_memory(tmp_path, little_memory):
    path = tmp_path / "lm.arpa.gz"
    head = gzip.compress(b"\\data\\\nngram 1=2\n\n\\1-grams:\n-0.3\t")
    path.write_bytes(head + gzip.compress(b"a" * (4 << 20), 1) * 100)
    with pytest.raises(InputError, match=r"line 5: .* wanted a line of at most 65,536 bytes"):
        NGramLM.read_arpa(path)


def test_a_gzip_bomb_is_refused(tmp_path, little_memory):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"\n" * (4 << 20), 1) * 20)
    with pytest.raises(InputError, match=r"text\.gz has .* bytes unpacked, from .* at most 200 times as much wanted"):
        NGramLM.from_text(path, Alphabet("ab"))
    (tmp_path / "lm.arpa.gz").write_bytes(path.read_bytes())
    with pytest.raises(InputError, match=r"line 10001: .* no more than 10,000 blank lines in a row"):
        NGramLM.read_arpa(tmp_path / "lm.arpa.gz")


@pytest.mark.parametrize("order", [63, 10**9])
def test_orders_that_no_model_has_are_refused_at_once(order):
    with pytest.raises(InputError, match=f"order {order} over 127 symbols is too large"):
        NGramLM.from_text("abab", order=order)


MARKS = "a" + "\u0301\u0316" * 200_000


def test_a_letter_under_endless_marks_is_refused_at_once(tmp_path):
    (tmp_path / "text.txt").write_text(MARKS)
    (tmp_path / "hints.txt").write_text(f"0001: {MARKS}")
    began = time.process_time()
    for refused in (
        lambda: NGramLM.from_text(MARKS),
        lambda: NGramLM.from_text(tmp_path / "text.txt", Alphabet("ab")),
        lambda: Alphabet("ab").encode(MARKS),
        lambda: Alphabet([MARKS]),
        lambda: decipher(MARKS, NGramLM.from_text("abab")),
    ):
        with pytest.raises(InputError, match=r"more than 64 marks on one letter found, such as U\+03"):
            refused()
    assert read_hints(tmp_path / "hints.txt").lines[0].text == MARKS
    assert time.process_time() - began < 5


def test_many_marks_are_text_as_long_as_no_letter_has_too_many():
    assert len(Alphabet(["ạ\u0301", "b"]).encode("ạ\u0301b" * 50_000)) == 100_000


def test_half_a_character_is_no_symbol(tmp_path):
    with pytest.raises(InputError, match=r"an alphabet holds '.ud800', half a character"):
        Alphabet(["a", "\ud800"])
    (tmp_path / "lm.arpa").write_text("\\data\\\nngram 1=1\n\n\\1-grams:\n-0.3\t\\u{d800}\n\n\\end\\\n")
    with pytest.raises(InputError, match=r"lm\.arpa: an alphabet holds"):
        NGramLM.read_arpa(tmp_path / "lm.arpa")


PAGE = """<PcGts xmlns="x"><Page imageFilename="{name}" imageWidth="60" imageHeight="24">
<ReadingOrder><RegionRefIndexed index="{index}" regionRef="r"/></ReadingOrder>
<TextRegion id="r"><TextLine><Coords points="{points}"/></TextLine></TextRegion></Page></PcGts>"""


def page(path, name="page.png", index="0", points="0,0 9,0 9,9"):
    path.write_text(PAGE.format(name=name, index=index, points=points))
    return path


def test_xml_with_a_name_that_no_file_can_have_is_refused(tmp_path):
    path = page(tmp_path / "one.xml", name="n" * 300)
    with pytest.raises(InputError, match=r"one\.xml speaks of an image 'nnn.*\.\.\.' that is not there"):
        read_xml_page(path)
    with pytest.raises(InputError, match=r"one\.xml speaks of an image"):
        find_sources([path])


@pytest.mark.parametrize("index", ["7" * 5000, "--5", "٣", ""])
def test_xml_with_an_index_that_is_no_number_is_read(tmp_path, index):
    (tmp_path / "page.png").touch()
    assert len(read_xml_page(page(tmp_path / "one.xml", index=index)).outlines) == 1


@pytest.mark.parametrize("points", ["0,0 9,0 9," + "9" * 400, "0,0 9,0 99999999999,9"])
def test_outlines_that_lie_nowhere_are_left_out(tmp_path, points):
    (tmp_path / "page.png").touch()
    assert read_xml_page(page(tmp_path / "one.xml", points=points)).outlines == ()


@pytest.mark.parametrize(
    "text", ["[1]", '{"a": 1e400}', '{"a": NaN}', '{"a": -Infinity}', '{"a": "\\ud800"}', f'{{"a": {10**400}}}', '{"a"']
)
def test_json_of_strange_numbers_is_refused(text):
    with pytest.raises(ValueError, match=r"found|finite|surrogates|delimiter"):
        parse_json(text)


def test_json_of_usual_numbers_is_read():
    assert parse_json('{"a": [1.5, -7, 123456789012345678, "\\u00e4"]}') == {"a": [1.5, -7, 123456789012345678, "ä"]}


def resigned(folder, change):
    """Change a model's card and bring its sum up to date, as a stranger would."""
    from labelfree.storage.card import signed

    card = json.loads((folder / "model.json").read_text())
    card.pop("sha256")
    change(card)
    (folder / "model.json").write_text(signed(card))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    import warnings

    from labelfree.storage import save

    folder = tmp_path_factory.mktemp("model") / "model"
    lm = NGramLM.from_text("abba " * 30, order=2)
    with warnings.catch_warnings(action="ignore"):
        save(SequenceClassifier(lm, "spdg", n_init=1, max_iter=2).fit(np.random.default_rng(0).random((40, 3))), folder)
    return folder


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda card: card.update(n_inputs=10**17, n_features=10**17), "promises"),
        (lambda card: card.update(kl=10**400), "a number of 401 digits found"),
        (lambda card: card["diagnosis"].update(coverage="much"), "the fields of a verdict wanted"),
        (lambda card: card["history"].append({"stage": 1}), "a list of looks at the scores wanted"),
        (lambda card: card["settings"].update(n_init="many"), "the settings of a SequenceClassifier wanted"),
        (lambda card: card["files"].update({"n" * 300: {}}), "names without folders wanted"),
        (lambda card: card["alphabet"].append("x" * 1000), "symbols, not texts wanted"),
    ],
)
def test_a_model_of_a_stranger_is_refused_in_one_line(model, tmp_path, change, message, little_memory):
    import shutil

    from labelfree.storage import load

    folder = shutil.copytree(model, tmp_path / "model")
    resigned(folder, change)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
