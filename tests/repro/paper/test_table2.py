"""Table 2: orders and language models, whose rows and promises are computed by hand, and where text comes from."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from labelfree.alphabet import PAPER_ALPHABET
from labelfree.errors import InputError
from labelfree.repro.paper import table2 as module
from labelfree.repro.paper.sources import Source, data_sources, public_sources, with_fusion
from labelfree.repro.paper.table2 import table2
from labelfree.repro.tasks.spelling import docstring_english, segments_of

from .trials import ALPHABET, chain_text, chain_trial, right_reader

PROSE = "the old mill by the river grinds no corn today, and the miller sits in the sun with his dog. " * 3


def run(trial, sources, folder, **options):
    return table2(trial, sources, folder, tell=lambda text: None, **options)


def three_and_fused() -> list[Source]:
    sources = [Source(f"{n} letters", (chain_text(n, n),)) for n in (300, 900, 600)]
    return with_fusion(sources, [chain_text(100, 1)])


@pytest.fixture
def known(monkeypatch):
    """Fits that read so many letters wrongly, by order, in place of real ones; returns what was asked of them."""
    asked = []
    wrong = {1: 7, 2: 2, 3: 1}

    class Known:
        def solve(self, problem, *, seed):
            asked.append((problem.order, problem.lm.order, seed))
            return SimpleNamespace(model=right_reader(wrong[problem.order] + seed))

    monkeypatch.setattr(module, "Auto", Known)
    return SimpleNamespace(asked=asked, wrong=wrong)


def test_order_n_is_matched_by_a_language_model_of_order_n(known, tmp_path):
    run(chain_trial(n_train=500), three_and_fused()[:1], tmp_path, seeds=2, seed=0)
    assert known.asked == [(1, 1, 0), (1, 1, 1), (2, 2, 0), (2, 2, 1), (3, 3, 0), (3, 3, 1)]


def test_rows_hold_characters_and_mean_error_and_spread_of_every_order(known, tmp_path):
    trial = chain_trial(n_train=500)
    result = run(trial, three_and_fused(), tmp_path, seeds=2)
    assert len(result.rows) == 4
    for row in result.rows:
        for order in (1, 2, 3):
            errors = [float((trial.test.labels < known.wrong[order] + seed).mean()) for seed in range(2)]
            assert row[f"error, order {order}"] == pytest.approx(np.mean(errors))
            assert row[f"spread, order {order}"] == pytest.approx(np.std(errors, ddof=1))
            assert row[f"seconds, order {order}"] >= 0
    assert result.pictures[0].read_bytes().startswith(b"\x89PNG")


def test_the_paper_stands_beside_in_order_of_size_and_the_fused_beside_the_fused(known, tmp_path):
    sources = [Source("language by name"), *three_and_fused()]
    rows = run(chain_trial(n_train=500), sources[1:], tmp_path, seeds=1).rows
    assert [row["paper's"] for row in rows] == ["CNA", "NYT", "XIN", "Fused"]
    assert [row["paper's characters"] for row in rows] == [1_911_124, 86_005_542, 18_626_451, 2_064_345]
    assert [row["paper, order 3"] for row in rows] == [0.1029, 0.1017, 0.1289, 0.0921]
    assert rows[0]["paper, order 1"] == 0.7151
    beside = module._beside(sources)
    assert [paper and paper.name for paper in beside] == ["NYT", None, "XIN", "CNA", "Fused"]


@pytest.mark.parametrize(("wrong", "verdicts"), [({}, [True, True]), ({3: 3}, [False, True]), ({1: 2}, [True, False])])
def test_promises_are_kept_or_missed(known, tmp_path, wrong, verdicts):
    known.wrong.update(wrong)
    checks = run(chain_trial(n_train=500), three_and_fused(), tmp_path, seeds=1).checks
    assert [check.ok for check in checks] == verdicts
    assert checks[0].wanted == ">= 3 of 4"
    assert checks[0].value == (4 if verdicts[0] else 0)


def test_orders_left_out_promise_nothing(known, tmp_path):
    result = run(chain_trial(n_train=500), three_and_fused(), tmp_path, seeds=1, orders=(2,))
    assert not result.checks
    assert not any("order 1" in name or "order 3" in name for name in result.rows[0])


def test_pairs_and_triples_read_what_single_letters_cannot(tmp_path):
    source = Source("same language", (chain_text(20_000, 9),))
    (row,) = run(chain_trial(), [source], tmp_path, seeds=1).rows
    assert row["error, order 1"] > 0.2
    assert row["error, order 2"] == row["error, order 3"] == 0.0


def test_the_smallest_text_is_fused_with_the_domain_of_the_task():
    sources = [Source("language by name"), Source("long", (PROSE * 4,)), Source("short", (PROSE,))]
    *others, fused = with_fusion(sources, ["a rainy day.", "a dry one."])
    assert others == sources
    assert fused.is_fused
    assert fused.text == (PROSE, "a rainy day.", "a dry one.")
    assert fused.characters == sources[2].characters + len("a rainy day.") + len("a dry one.")


def test_a_source_counts_the_characters_of_the_alphabet_in_text_and_files(tmp_path):
    (tmp_path / "a.txt").write_text("One, two; 3.", encoding="utf-8")
    assert Source("file", (tmp_path / "a.txt",)).characters == len("one, two .")
    assert Source("language by name").characters is None


def test_a_source_gives_models_of_exactly_the_order_asked():
    for source in (Source("prose", (PROSE,)), Source("language by name")):
        for order in (1, 2):
            lm = source.lm(order)
            assert (lm.order, lm.alphabet) == (order, PAPER_ALPHABET)
    assert Source("chain", (chain_text(500, 0),)).lm(2, ALPHABET).alphabet == ALPHABET


def test_everyone_has_word_frequencies_and_docstrings_none_of_which_the_task_holds(monkeypatch):
    monkeypatch.setattr("labelfree.repro.paper.sources._PACKAGES", ("numpy.lib", "numpy.linalg"))
    frequencies, large, small = public_sources()
    assert frequencies.characters is None
    assert large.characters > small.characters > 1_000
    assert (large.name, small.name) == ("docstrings of numpy.lib", "docstrings of numpy.linalg")
    own = small.text[:3]
    assert public_sources(own)[2].text == small.text[3:]


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("labelfree.repro.paper.sources._PACKAGES", ("no_such_package",))
    with pytest.raises(InputError, match="no_such_package is not installed"):
        public_sources()


def test_docstrings_are_found_below_a_folder_and_broken_files_and_tests_are_passed_over(tmp_path):
    (tmp_path / "deep" / "tests").mkdir(parents=True)
    (tmp_path / "deep" / "a.py").write_text(
        f'"""Head.\n\nSecond part."""\nclass A:\n    """{PROSE}"""\n    pattern = "\\d"\n', encoding="utf-8"
    )
    (tmp_path / "deep" / "tests" / "b.py").write_text('"""Of a test."""', encoding="utf-8")
    (tmp_path / "c.py").write_bytes(b'"""\xff\xfe"""')
    (tmp_path / "d.py").write_bytes(b'x = "\x00"')
    (tmp_path / "e.py").write_text("def broken(:", encoding="utf-8")
    found = list(docstring_english(tmp_path))
    assert found == ["Head.", "Second part.", PROSE]
    assert list(segments_of(found)) == [PROSE.strip(" .")]


def test_a_folder_without_the_texts_is_named(tmp_path):
    with pytest.raises(InputError, match=r"english_novels\.txt\.gz: no such file, text .* wanted"):
        data_sources(tmp_path)


@pytest.mark.data
@pytest.mark.skipif("LABELFREE_DATA" not in os.environ, reason="LABELFREE_DATA names no folder")
def test_the_data_folder_has_three_sources_of_different_sizes():
    sources = data_sources(Path(os.environ["LABELFREE_DATA"]))
    characters = [source.characters for source in sources]
    assert len(set(characters)) == 3
    assert min(characters) > 1_000_000
