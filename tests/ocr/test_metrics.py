"""Error rates of text files against the truth."""

import json
import random
import time

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.errors import InputError
from labelfree.ocr.metrics import Confusion, ScoredLine, score, score_texts

from .readings import texts


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_gt", ".gt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(path.name + ".txt").write_text(text, encoding="utf-8")


def distance(one, other) -> int:
    """Levenshtein's table, row by row."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(before + (a != b), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def test_files_are_paired_by_stem_and_errors_summed_over_all(tmp_path):
    write(tmp_path / "out", a="tbe quiet barn", b="stood", book="tbe quiet barn\nstood")
    write(tmp_path / "truth", a_gt="the quiet barn", b="stoood by")
    found = score(tmp_path / "out", tmp_path / "truth")
    assert found.characters == 14 + 9
    assert found.character_errors == 1 + 4
    assert found.cer == 5 / 23
    assert (found.words, found.word_errors, found.wer) == (5, 3, 3 / 5)
    assert (found.files, found.missing, found.extra) == (2, (), ())


def test_missing_files_count_as_empty_and_extra_ones_do_not_count(tmp_path):
    write(tmp_path / "out", a="abc", stray="zzz", pairs__a_gt="abc")
    write(tmp_path / "truth", a="abc", b="defgh")
    found = score(tmp_path / "out", tmp_path / "truth")
    assert (found.cer, found.wer) == (5 / 8, 1 / 2)
    assert found.missing == ("b",)
    assert found.extra == ("stray",)


def test_folders_below_are_matched_by_path_where_stems_repeat_and_by_stem_where_not(tmp_path):
    write(tmp_path / "out", x__1="one", y__1="two", flat="three")
    write(tmp_path / "truth", x__1_gt="one", y__1_gt="two", deep__down__flat_gt="three")
    found = score(tmp_path / "out", tmp_path / "truth")
    assert (found.cer, found.missing, found.extra) == (0, (), ())


def test_truth_beside_the_reading_is_told_apart_by_its_ending(tmp_path):
    write(tmp_path, a="abd", a_gt="abc")
    assert score(tmp_path, tmp_path).character_errors == 1


def test_two_files_can_be_compared(tmp_path):
    write(tmp_path, read="one\ntwo", true="one\ntoo")
    assert score(tmp_path / "read.txt", tmp_path / "true.txt").cer == 1 / 7


def test_the_book_counts_where_the_truth_has_one(tmp_path):
    write(tmp_path / "out", book="abcd")
    write(tmp_path / "truth", book="abce")
    assert score(tmp_path / "out", tmp_path / "truth").cer == 1 / 4


def test_composition_and_white_space_at_ends_do_not_count():
    found = score_texts([("a", "\u00e9te\u0301 \r\nzwei\t\n\n", "e\u0301t\u00e9\nzwei")])
    assert found.character_errors == 0
    assert found.characters == 8


def test_confusions_are_ranked_with_what_was_lost_and_put_in():
    found = score_texts([("a", "tbe tbing xthat", "the thing that is"), ("b", "hbh", "hhh")])
    assert found.confusions[0] == Confusion("h", "b", 3)
    assert Confusion("", "x", 1) in found.confusions
    assert Confusion("s", "", 1) in found.confusions
    assert len(score_texts([("a", "bcd", "xyz")], top=2).confusions) == 2


def test_errors_belong_to_the_lines_they_are_in():
    truth = "a first line\nthe second one\nand a third"
    read = "a first line\nthc secnd one\nxxand a third"
    found = score_texts([("page", read, truth)])
    assert found.worst_lines == (
        ScoredLine("page", 2, "the second one", "thc secnd one", 2),
        ScoredLine("page", 3, "and a third", "xxand a third", 2),
    )


def test_a_lost_line_break_is_an_error_of_its_line():
    found = score_texts([("page", "one two\nthree", "one\ntwo\nthree")])
    assert found.worst_lines == (ScoredLine("page", 1, "one", "one", 1),)
    found = score_texts([("page", "onetwo", "one\ntwo")])
    assert found.worst_lines == (ScoredLine("page", 1, "one", "one", 1),)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_rates_are_those_of_the_edit_distance(pairs):
    named = [(str(i), read, truth) for i, (read, truth) in enumerate(pairs)]
    found = score_texts(named, top=1000)
    assert found.character_errors == sum(distance(truth, read) for read, truth in pairs)
    assert found.word_errors == sum(distance(truth.split(), read.split()) for read, truth in pairs)
    assert sum(confusion.count for confusion in found.confusions) == found.character_errors
    joined = [("all", "\n".join(read for read, _ in pairs), "\n".join(truth for _, truth in pairs))]
    found = score_texts(joined, top=1000)
    assert sum(line.errors for line in found.worst_lines) == found.character_errors


def test_the_interval_holds_the_rate_and_is_left_out_where_lines_are_few():
    rng = random.Random(0)
    truth = ["".join(rng.choice("abcdefgh ") for _ in range(40)) for _ in range(200)]
    read = ["".join("x" if rng.random() < 0.1 else letter for letter in line) for line in truth]
    found = score_texts([("page", "\n".join(read), "\n".join(truth))])
    assert found.cer_low < found.cer < found.cer_high
    assert found.cer_high - found.cer_low < 0.03
    assert score_texts([("page", read[0], truth[0])]).cer_low is None


def test_the_interval_counts_line_breaks_as_the_rate_does():
    found = score_texts([("page", "x\n" * 100, "y\n" * 100)])
    assert (found.cer_low, found.cer_high) == pytest.approx((found.cer, found.cer), abs=0.01)


def test_a_score_goes_into_json():
    found = score_texts([("a", "tbe", "the"), ("b", None, "x")])
    again = json.loads(json.dumps(found.as_dict()))
    assert again["confusions"][0] == {"truth": "h", "read": "b", "count": 1}
    assert again["missing"] == ["b"]


def test_a_long_book_in_one_file_is_scored_in_seconds():
    rng = random.Random(1)
    truth = "".join(rng.choice("etaoin shrdlu\n") for _ in range(100_000))
    read = "".join("" if rng.random() < 0.04 else letter for letter in truth)
    began = time.process_time()
    assert 0.03 < score_texts([("book", read, truth)]).cer < 0.05
    assert time.process_time() - began < 5  # 0.5 s where nothing else runs


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"out__a": "x"}, r"truth is no folder"),
        ({"out__a": "x", "truth__b": "x"}, r"^no file of 1 in .*out has the name of one of the 1 in .*such as b\.txt"),
        ({"out__a": "x", "truth__a": " \n"}, r"the true texts hold 0 characters"),
    ],
)
def test_folders_that_do_not_fit_are_refused_in_a_line(tmp_path, files, message):
    write(tmp_path, **files)
    with pytest.raises(InputError, match=message):
        score(tmp_path / "out", tmp_path / "truth")


def test_a_folder_without_text_and_text_that_is_none_are_named(tmp_path):
    (tmp_path / "truth").mkdir()
    write(tmp_path / "out", a="x")
    with pytest.raises(InputError, match=r"truth holds no \.txt or \.gt\.txt file"):
        score(tmp_path / "out", tmp_path / "truth")
    (tmp_path / "truth" / "a.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"a\.txt is not UTF-8"):
        score(tmp_path / "out", tmp_path / "truth")


@settings(max_examples=40, deadline=None)
@given(texts, texts)
def test_rates_are_those_of_jiwer(read, truth):
    found = score_texts([("page", read, truth)])
    assert found.cer == pytest.approx(jiwer.cer(truth, read))
    assert found.wer == pytest.approx(jiwer.wer(truth, read))


PARAGRAPH = "The ferry was late again, and nobody on the well-known quay of the harbour town had seen the captain."
PAGE = "The ferry was late\nagain, and nobody on\nthe well-\nknown quay of the har-\nbour town had seen the\ncaptain."


def test_truth_without_line_breaks_is_compared_without_them():
    found = score_texts([("page", PAGE.replace("captain", "captaln"), PARAGRAPH)])
    assert (found.line_breaks, found.character_errors, found.word_errors) == ("joined", 1, 1)
    joined = PARAGRAPH.replace("captain", "captaln")
    assert (found.cer, found.wer) == pytest.approx((jiwer.cer(PARAGRAPH, joined), jiwer.wer(PARAGRAPH, joined)))
    assert [line.truth for line in found.worst_lines] == ["had seen the captain."]
    assert score_texts([("page", PAGE, PARAGRAPH)], line_breaks="kept").character_errors == 6


def test_truth_with_line_breaks_is_compared_with_them():
    found = score_texts([("page", PAGE.replace("har-", "har"), PAGE)])
    assert (found.line_breaks, found.character_errors) == ("kept", 1)
    assert score_texts([("page", PAGE, PAGE)], line_breaks="joined").character_errors == 0


def test_reading_order_is_scored_apart():
    rng = random.Random(2)
    lines = ["".join(rng.choice("etaoinshrdlu") for _ in range(30)) for _ in range(20)]
    truth = "\n".join(lines)
    found = score_texts([("page", "\n".join([*lines[10:], *lines[:9], "x" + lines[9]]), truth)])
    assert (found.lines_found, found.order_error) == (20, 0.5)
    assert found.cer > 0.5
    assert found.cer_in_order == 1 / len(truth)
    paragraph = score_texts([("page", "\n".join([*lines[10:], *lines[:10]]), " ".join(lines))])
    assert (paragraph.line_breaks, paragraph.order_error, paragraph.cer_in_order) == ("joined", 0.5, 0)
    right = score_texts([("page", truth, truth)])
    assert (right.lines_found, right.order_error, right.cer_in_order) == (20, 0, 0)


def test_what_is_not_in_the_truth_has_no_place_in_it():
    found = score_texts([("page", "nothing of that\nis written there", "an altogether other text")])
    assert (found.lines_found, found.order_error) == (0, 0)
    assert found.cer_in_order == found.cer
