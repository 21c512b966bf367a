"""The search finds planted keys, says when it has not, and scores changes of a key as a full rescoring would."""

import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labelfree.alphabet import Alphabet
from labelfree.cipher.keysearch import anneal, mend, search_key, without_symbols
from labelfree.cipher.keysearch.anneal import Chains
from labelfree.cipher.keysearch.gibbs import add_rows
from labelfree.cipher.keysearch.problem import Cipher, Table, score_table
from labelfree.cipher.keysearch.swaps import Swaps
from labelfree.errors import InputError
from labelfree.lm.model import NGramLM
from labelfree.workers import workers

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TEXT = (
    "the old printer kept his shop at the end of a narrow lane behind the market where the carts could not turn "
    "around and the children came to watch him work through the dusty window he had two presses and a wall of "
    "wooden cases full of metal letters and he knew where every letter lay without looking as a baker knows his "
    "shelves in the morning he set the type for the weekly paper line by line and in the afternoon he cleaned the "
    "blocks and mixed the ink for the next day his hands were always black and his coat was never clean but the "
    "pages that left his shop were the finest in the whole province people said that he could read faster backwards "
    "than forwards because he spent his life looking at words in a mirror one winter a stranger brought him a "
    "manuscript in a language that nobody in the town had ever heard and asked for a hundred copies before the "
    "spring the printer looked at the signs for a long time then he took down an empty case sharpened his tools and "
    "began to cut a new letter for each of them by the light of a lamp when the snow melted and the river began to "
    "rise again the books were ready and stood in neat piles along the wall yet the stranger did not come back for "
    "them and they stayed there until the printer was quite an old man"
)


@pytest.fixture(scope="module")
def spaced():
    return NGramLM.from_language("en", Alphabet(LETTERS + " "), order=5)


@pytest.fixture(scope="module")
def unspaced():
    return NGramLM.from_language("en", Alphabet(LETTERS), order=5)


def homophonic(plain, rng, n_signs=54):
    """Give each letter signs by how often it occurs, and each occurrence one of them."""
    shares = np.bincount(plain, minlength=26) / plain.size
    many = np.ones(26, int)
    while many.sum() < n_signs:
        many[(shares / many).argmax()] += 1
    return rng.permutation(n_signs)[(np.cumsum(many) - many)[plain] + rng.integers(many[plain])]


def test_simple_cipher_of_400_letters_with_spaces_is_read(spaced):
    plain = spaced.alphabet.encode(TEXT[:480])
    found = search_key(np.append(np.random.default_rng(0).permutation(26), 26)[plain], spaced, fixed={26: 26})
    assert (found.plain == plain).mean() > 0.97
    assert found.believed
    assert found.score == pytest.approx(spaced.log_probabilities(found.plain).mean())
    assert found.runner_up < found.score


def test_simple_cipher_of_400_letters_without_spaces_is_read(unspaced):
    plain = unspaced.alphabet.encode(TEXT)[:400]
    found = search_key(np.random.default_rng(0).permutation(26)[plain], unspaced)
    assert (found.plain == plain).mean() > 0.97
    assert found.believed


def test_homophonic_cipher_is_read(unspaced):
    plain = unspaced.alphabet.encode(TEXT)[:1000]
    found = search_key(homophonic(plain, np.random.default_rng(0)), unspaced)
    assert (found.plain == plain).mean() > 0.97
    assert found.believed


def test_homophonic_cipher_of_no_more_signs_than_letters_is_read(unspaced):
    plain = unspaced.alphabet.encode(TEXT)[:300]
    cipher = np.unique(homophonic(plain, np.random.default_rng(0), 26), return_inverse=True)[1]
    assert cipher.max() < 26
    found = search_key(cipher, unspaced)
    assert (found.plain == plain).mean() > 0.97
    assert found.believed


@pytest.fixture
def one_batch(monkeypatch):
    """Spare the slower batches where nothing is to be found."""
    monkeypatch.setattr(anneal, "LOOKS", 1)


@pytest.mark.usefixtures("one_batch")
@pytest.mark.parametrize("n_signs", [26, 40])
def test_random_signs_are_not_believed(unspaced, n_signs):
    found = search_key(np.random.default_rng(0).integers(n_signs, size=300), unspaced)
    assert not found.believed
    assert found.nats_saved < 0


@pytest.mark.usefixtures("one_batch")
def test_shuffled_text_is_not_believed(unspaced):
    plain = np.random.default_rng(0).permutation(unspaced.alphabet.encode(TEXT)[:300])
    assert not search_key(plain, unspaced).believed


def test_wrong_signs_are_mended(spaced):
    rng = np.random.default_rng(2)
    plain = spaced.alphabet.encode(TEXT[:600])
    signs = np.append(rng.permutation(26), 26)[plain]
    wrong = (rng.random(plain.size) < 0.05) & (plain < 26)
    signs[wrong] = rng.integers(26, size=wrong.sum())
    found = search_key(signs, spaced, fixed={26: 26})
    mended = mend(signs, found.key, spaced, fixed=[26])
    assert found.believed
    assert (mended != plain).sum() < 0.7 * (found.plain != plain).sum()
    assert np.array_equal(mended == 26, plain == 26)


@pytest.mark.usefixtures("one_batch")
@pytest.mark.parametrize("one_to_one", [True, False])
def test_same_seed_same_key(unspaced, one_to_one):
    signs = np.random.default_rng(3).permutation(26)[unspaced.alphabet.encode(TEXT)[:80]]
    one, two = (search_key(signs, unspaced, one_to_one=one_to_one, seed=5) for _ in range(2))
    assert np.array_equal(one.key, two.key)
    assert np.array_equal(one.confidence, two.confidence)


def test_only_signs_that_occur_have_a_reading(spaced):
    signs = np.array([3, 5, 5, 9, 26, 3, 7])
    found = search_key(signs, spaced, n_symbols=30, fixed={26: 26})
    assert np.array_equal(np.flatnonzero(found.key >= 0), [3, 5, 7, 9, 26])
    assert np.array_equal(found.key[signs], found.plain)
    assert found.key[26] == 26
    assert len(set(found.key[[3, 5, 7, 9, 26]].tolist())) == 5
    assert np.array_equal(found.confidence > 0, found.key >= 0)


@pytest.mark.parametrize("signs", [[0], [0, 1], [4] * 50, [0, 1] * 30, list(range(26)), list(range(40))])
@pytest.mark.usefixtures("one_batch")
def test_tiny_and_empty_of_meaning_texts_are_read_but_not_believed(unspaced, signs):
    found = search_key(signs, unspaced)
    assert found.plain.shape == (len(signs),)
    assert np.isfinite(found.score)
    assert not found.believed


def test_all_signs_given(spaced):
    found = search_key([26, 26], spaced, fixed={26: 26})
    assert found.plain.tolist() == [26, 26]
    assert not found.believed


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        ([], {}, "wanted one row of integers"),
        ([0.5], {}, "wanted one row of integers"),
        ([0, -1], {}, "holds the sign -1"),
        ([0, 5], {"n_symbols": 3}, "holds the sign 5"),
        ([0, 1], {"lengths": [1]}, "lengths sum to 1"),
        ([0, 1], {"fixed": {0: 99}}, "symbol 99"),
        (list(range(30)), {"one_to_one": True}, "30 signs"),
    ],
)
def test_bad_input_is_named(unspaced, x, options, message):
    with pytest.raises(InputError, match=message):
        search_key(np.array(x), unspaced, **options)


def test_model_without_space_reads_text_without_spaces(spaced, unspaced):
    derived = without_symbols(spaced)
    assert derived.alphabet == unspaced.alphabet
    text = unspaced.alphabet.encode(TEXT)
    assert derived.log_probabilities(text).mean() > unspaced.log_probabilities(text).mean() - 0.1


def small_cipher(seed, one_to_one, n_signs=4, length=25):
    rng = np.random.default_rng(seed)
    lengths = np.array([length - 7, 7])
    given, letters = np.array([5]), np.array([0, 1, 2, 3, 4])
    return Cipher(rng.integers(n_signs + 1, size=length), lengths, n_signs, given, letters, 6, one_to_one)


def random_table(seed, order, size=7):
    return Table(order, size, np.random.default_rng(seed).normal(size=size**order).astype(np.float32))


def by_hand(cipher, table, key):
    """Score a key one position after the other."""
    total, grid = 0.0, table.flat.reshape((table.size,) * table.order)
    for start, end in ((0, cipher.lengths[0]), (cipher.lengths[0], cipher.lengths.sum())):
        read = [cipher.n_letters] * (table.order - 1) + [key[slot] for slot in cipher.slots[start:end]]
        total += sum(grid[tuple(read[at : at + table.order])] for at in range(end - start))
    return total


@settings(max_examples=25, deadline=None)
@example(39338, 1)  # two letters that stand nowhere
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_gains_of_swaps_are_differences_of_full_scores(seed, order):
    cipher, table = small_cipher(seed, one_to_one=True), random_table(seed, order)
    swaps = Swaps(cipher, table)
    keys = cipher.keys(np.stack([np.random.default_rng(seed + row).permutation(cipher.letters) for row in range(2)]))
    scores, gains = swaps.gains(keys)
    for row, key in enumerate(keys):
        assert scores[row] == pytest.approx(by_hand(cipher, table, key), abs=1e-3)
        for pair, gain in zip(swaps.pairs, gains[row], strict=True):
            swapped = key.copy()
            swapped[pair] = key[pair[::-1]]
            assert gain == pytest.approx(by_hand(cipher, table, swapped) - by_hand(cipher, table, key), abs=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_losses_of_readings_are_differences_of_full_likelihoods(seed, order):
    cipher, table = small_cipher(seed, one_to_one=False), random_table(seed, order)

    def likelihood(key):
        counts = np.bincount(key[cipher.slots][cipher.slots < cipher.n_sought], minlength=6)
        return by_hand(cipher, table, key) - (counts * np.log(np.maximum(counts, 1))).sum()

    readings = np.random.default_rng(seed).integers(5, size=(2, cipher.n_sought))
    chains = Chains(cipher, table)
    keys = cipher.keys(cipher.letters[readings])
    assert chains.likelihoods(readings) == pytest.approx([likelihood(key) for key in keys], abs=1e-3)
    for row, key in zip(readings, keys, strict=True):
        losses = chains.losses(row)
        for sign in range(cipher.n_sought):
            for letter in range(5):
                changed = key.copy()
                changed[sign] = cipher.letters[letter]
                assert losses[sign, letter] == pytest.approx(likelihood(changed) - likelihood(key), abs=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_packed_rows_sum_to_the_scores_of_all_letters(seed, order):
    cipher = small_cipher(seed, one_to_one=False, length=700)  # one sign in more windows than are summed at once
    table = random_table(seed, order)
    chains = Chains(cipher, table)
    key = cipher.keys(cipher.letters[np.random.default_rng(seed).integers(5, size=(1, cipher.n_sought))])[0]
    sums, room = np.zeros(32, np.int64), np.zeros(256, np.int64)
    every = cipher.windows(order)
    for sign in range(cipher.n_sought):
        holding = every[(every == sign).any(axis=1)]
        assert len(holding) or order == 1
        add_rows(sign, key, chains.windows, chains.packed.rows, room, sums)
        keys = np.repeat(key[None], 5, axis=0)
        keys[:, sign] = cipher.letters
        wanted = (table.scores(keys, holding) - table.flat.min()).sum(axis=1)
        assert chains.packed.rows.step * sums[:5] == pytest.approx(wanted, abs=chains.packed.rows.step * len(holding))


def test_a_search_of_so_many_seconds_ends_in_time_and_finds_as_much(unspaced):
    plain = unspaced.alphabet.encode(TEXT)[:1000]
    signs = homophonic(plain, np.random.default_rng(0))
    found = search_key(signs, unspaced, seconds=60)  # two alike end it long before
    assert (found.plain == plain).mean() > 0.97
    begun = time.process_time()
    search_key(np.random.default_rng(0).integers(54, size=400), unspaced, seconds=0.01)
    assert time.process_time() - begun < 2  # one batch at most, of ten without the limit


@pytest.mark.parametrize("one_to_one", [True, False])
def test_a_search_begins_near_the_key_that_it_is_given(unspaced, one_to_one):
    plain = unspaced.alphabet.encode(TEXT)[: 60 if one_to_one else 200]
    names = np.random.default_rng(0).permutation(26 if one_to_one else 104)
    signs = names[plain if one_to_one else plain + 26 * np.random.default_rng(1).integers(4, size=plain.size)]
    start = {sign: letter for sign, letter in zip(signs.tolist(), plain.tolist(), strict=True) if letter not in (4, 19)}
    start |= {sign: 23 for sign, letter in zip(signs.tolist(), plain.tolist(), strict=True) if letter == 13}  # n as x
    found = search_key(signs, unspaced, start=start, one_to_one=one_to_one, seconds=0.01)
    assert (found.plain == plain).mean() > 0.9


def test_workers_change_no_bit(unspaced, monkeypatch):
    monkeypatch.setattr(anneal, "LOOKS", 2_000_000)
    signs = np.random.default_rng(3).permutation(26)[unspaced.alphabet.encode(TEXT)[:80]]
    with workers(1):
        alone = search_key(signs, unspaced, one_to_one=False)
    with workers(3):
        found = search_key(signs, unspaced, one_to_one=False)
    assert np.array_equal(alone.key, found.key)
    assert np.array_equal(alone.confidence, found.confidence)


def test_table_holds_the_model(spaced):
    text = spaced.alphabet.encode(TEXT[:60])
    cipher = Cipher(text, np.array([35, 25]), 27, np.zeros(0, int), np.arange(27), 27, True)
    table = score_table(spaced, 5)
    told = table.scores(cipher.keys(np.arange(27)[None]), cipher.windows(5))[0]
    assert told == pytest.approx(spaced.log_probabilities(text, cipher.lengths), abs=1e-4)
