"""Is what is believed right? Fits, ciphers and print whose truth the benchmark alone knows, and much that has none.

    python benchmarks/verdict.py --data FOLDER [--only fit cipher language print] [--seeds 5] [--quick] [--json]

Right means at most 10 % of the positions wrong, of print read character by character (--fast) at most 20 % of the
characters. Noise, smooth signals, other languages, other ciphers and print that is mirrored, turned or no text have no
right reading: none of them may be believed. With --quick one seed of everything small. Language packs alone read
ciphers and features; texts are those of FOLDER, or drawn from word lists for languages that it lacks.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.signal import lfilter
from scipy.stats import spearmanr

from labelfree import Alphabet, NGramLM, SequenceClassifier
from labelfree.cipher import decipher, which_language
from labelfree.lm.languages import sample_text

FACES = ("fit", "cipher", "language", "print")
LANGUAGES = ("en", "de", "fr", "fi", "ru", "es")
ASKED = tuple("en de fr es it pt nl fi sv da pl cs hu ro tr ca ru uk bg el".split())  # noqa: SIM905
TEXTS = {"en": "lm_english_novels", "de": "lm_german_novels", "news": "news_reuters21578", "fr": "lm_french17"}
RIGHT = 0.1
Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=FACES, default=FACES, help="only these faces")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one seed, small cases alone")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for row in rows_of(asked):
        rows.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
    checks = demands(rows)
    if asked.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        show(rows, checks)
    return 0 if all(check["ok"] for check in checks) else 1


def rows_of(asked: argparse.Namespace) -> Iterator[Row]:
    for seed in range(1 if asked.quick else asked.seeds):
        if "fit" in asked.only:
            yield from fits(asked.data, seed, asked.quick)
        if "cipher" in asked.only:
            yield from ciphers(asked.data, seed, asked.quick)
        if "language" in asked.only:
            yield from languages(asked.data, seed, asked.quick)
    if "print" in asked.only:
        from verdict_print import prints

        yield from prints(asked.data, asked.quick)


@lru_cache(maxsize=16)
def letters_of(data: Path, language: str) -> str:
    """Text of a language in small letters and single spaces."""
    if language in TEXTS:
        (path,) = (data / TEXTS[language]).glob("*.gz")
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            text = stream.read(1_500_000)[-1_000_000:]
    else:
        text = sample_text(language, 60_000, seed=1)
    return " ".join("".join(c if c.isalpha() else " " for c in text.lower()).split())


@lru_cache(maxsize=16)
def model_of(language: str, spaces: bool = True) -> NGramLM:
    base = NGramLM.from_language(language, order=1).alphabet
    alphabet = Alphabet([symbol for symbol in base if symbol.isalpha()] + [" "] * spaces)
    return NGramLM.from_language(language, alphabet, order=4)


def piece(text: str, length: int, rng: np.random.Generator) -> str:
    start = int(rng.integers(len(text) - length))
    return text[start : start + length]


def fits(data: Path, seed: int, quick: bool) -> Iterator[Row]:
    """`SequenceClassifier` on features and symbols."""
    rng = np.random.default_rng(seed)
    lm = model_of("en")
    size = len(lm.alphabet)
    for n in (200, 400):
        yield fit(f"noise {n} x 64", seed, lm, rng.normal(size=(n, 64)))
    for n in (1_000,) if quick else (1_000, 5_000, 20_000):
        for lags in (4, 16, 64):
            signal = lfilter([1.0], [1.0, -0.95], rng.normal(size=n + lags))
            smooth = np.lib.stride_tricks.sliding_window_view(signal, lags)[:n]
            yield fit(f"smooth {n} x {lags}", seed, lm, smooth)
    for kinds, n in ((10, 2_000), (100, 2_000), (1_000, 4_000), (2_000, 8_000))[: 2 if quick else 4]:
        yield fit(f"{kinds} kinds at random, {n}", seed, lm, rng.integers(kinds, size=(n, 1)))
    yield fit("constant", seed, lm, np.zeros((500, 1), np.int64))
    points = rng.normal(size=(size, 24))
    for n in (60, 200, 500, 1_500) if quick else (60, 200, 500, 1_500, 5_000, 50_000):
        y = lm.alphabet.encode(piece(letters_of(data, "en"), n, rng))
        yield fit(f"features of text, {n}", seed, lm, points[y] + 0.45 * rng.normal(size=(len(y), 24)), y)
    for n in (500, 2_000) if quick else (500, 2_000, 20_000, 80_000):
        y = lm.alphabet.encode(piece(letters_of(data, "news" if seed % 2 else "en"), n, rng))
        yield fit(f"cipher by statistics, {n}", seed, lm, rng.permutation(size)[y][:, None], y)
    for other in ("de", "fi", "es"):
        text = piece(letters_of(data, other), 2_000 if quick else 20_000, rng)
        signs = np.unique(np.array(list(text)), return_inverse=True)[1]
        yield fit(f"{other} read as en by statistics", seed, lm, signs[:, None])


def fit(case: str, seed: int, lm: NGramLM, inputs: np.ndarray, truth: np.ndarray | None = None) -> Row:
    began = time.process_time()
    reader = SequenceClassifier(lm, random_state=seed).fit(inputs)
    seconds = time.process_time() - began
    wrong = 1.0
    if truth is not None:
        read = reader.predict(inputs) if inputs.shape[1] == 1 else reader.decode(inputs, order=3)
        wrong = float((read != truth).mean())
    verdict = reader.diagnosis_
    return row_of("fit", case, seed, verdict, wrong, truth is not None, seconds)


def ciphers(data: Path, seed: int, quick: bool) -> Iterator[Row]:
    """`decipher`: what it can read, what it cannot, and every wrong language."""
    rng = np.random.default_rng(1_000 + seed)
    english = letters_of(data, "en")
    for n in (150, 400, 1_000):
        text = piece(english, n, rng)
        yield solved(f"simple, {n}", seed, "en", under_key(text, rng), text)
        bare = text.replace(" ", "")
        yield solved(f"simple without spaces, {n}", seed, "en", under_key(bare, rng), bare, spaces=False)
    for n in () if quick else (400, 1_000):
        bare = piece(english, n, rng).replace(" ", "")
        yield solved(f"homophonic, {n}", seed, "en", homophones(bare, 54, rng), bare, spaces=False)
    plain = piece(english, 700, rng)
    bare = "".join(c for c in plain if "a" <= c <= "z")
    for name, (secret, truth) in other_kinds(bare, plain, rng).items():
        yield solved(name, seed, "en", secret, truth, spaces=" " in secret)
    for told in LANGUAGES:
        for true in LANGUAGES[: 2 if quick else None]:
            if true != told:
                text = piece(letters_of(data, true), 400, rng)
                yield solved(f"{true} read as {told}", seed, told, under_key(text, rng), None)


def under_key(text: str, rng: np.random.Generator) -> str:
    letters = sorted(set(text) - {" "})
    return text.translate(dict(zip(map(ord, letters), rng.permutation(letters).tolist(), strict=True)))


def homophones(text: str, n_signs: int, rng: np.random.Generator) -> str:
    """Numbers, several for a letter as it is frequent."""
    letters, counts = np.unique(list(text), return_counts=True)
    many = np.ones(len(letters), int)
    while many.sum() < n_signs:
        many[(counts / many).argmax()] += 1
    first = dict(zip(letters.tolist(), np.cumsum(many) - many, strict=True))
    of = dict(zip(letters.tolist(), many.tolist(), strict=True))
    names = rng.permutation(n_signs) + 10
    return " ".join(str(names[first[c] + rng.integers(of[c])]) for c in text)


def other_kinds(bare: str, plain: str, rng: np.random.Generator) -> dict[str, tuple[str, str | None]]:
    """Ciphers that are no simple substitution, with the plain text of those that are read, and what is no text."""
    code = np.array([ord(c) - 97 for c in bare])
    shift = rng.integers(26, size=7)
    vigenere = (code + np.resize(shift, len(code))) % 26
    square = rng.permutation(25)
    pairs = np.minimum(code, 24)[: len(code) // 2 * 2].reshape(-1, 2)
    place = np.argsort(square)[pairs]
    (row1, col1), (row2, col2) = divmod(place[:, 0], 5), divmod(place[:, 1], 5)
    playfair = square[np.stack([row1 * 5 + col2, row2 * 5 + col1], 1)].ravel()
    width = 11
    columns = rng.permutation(width)
    transposed = "".join(bare[c::width] for c in columns)
    return {
        "Vigenere": ("".join(chr(97 + c) for c in vigenere), bare),
        "Playfair": ("".join(chr(97 + c) for c in playfair), None),
        "transposition": (transposed, bare),
        "letters at random": ("".join(chr(97 + c) for c in rng.integers(26, size=600)), None),
        "letters in shuffled order": ("".join(rng.permutation(list(plain)).tolist()), None),
    }


def solved(case: str, seed: int, language: str, secret: str, truth: str | None, spaces: bool = True) -> Row:
    began = time.process_time()
    found = decipher(secret, model_of(language, spaces), seed=seed)
    wrong = 1.0
    if truth is not None:
        pairs = list(zip(found.text.lower(), truth, strict=False))
        wrong = sum(a != b for a, b in pairs) / len(truth) + abs(len(found.text) - len(truth)) / len(truth)
    return row_of("cipher", case, seed, found.verdict, wrong, truth is not None, time.process_time() - began)


def languages(data: Path, seed: int, quick: bool) -> Iterator[Row]:
    """`--lang auto` on texts of 300 letters."""
    for code in LANGUAGES if quick else ASKED:
        rng = np.random.default_rng(2_000 + seed)
        text = piece(letters_of(data, code), 360, rng)
        began = time.process_time()
        found = which_language(under_key(text, rng), seed=seed)
        yield {
            "face": "language",
            "case": code,
            "seed": seed,
            "found": found.code,
            "lead": found.lead,
            "clear": found.is_clear,
            "ok": found.code == code,
            "seconds": time.process_time() - began,
        }


def row_of(face: str, case: str, seed: int, verdict: Any, wrong: float, has_truth: bool, seconds: float) -> Row:
    return {
        "face": face,
        "case": case,
        "seed": seed,
        "believed": bool(verdict.converged),
        "outcome": verdict.outcome,
        "right": wrong <= RIGHT,
        "has_truth": has_truth,
        "error": wrong,
        "expected_error": float(verdict.expected_error),
        "reason": verdict.reason,
        "seconds": seconds,
    }


def demands(rows: list[Row]) -> list[dict[str, object]]:
    checks: list[dict[str, object]] = []

    def demand(name: str, value: float, is_ok: Callable[[float], bool], wanted: str) -> None:
        checks.append({"name": name, "value": value, "wanted": wanted, "ok": is_ok(value)})

    judged = [row for row in rows if "believed" in row]
    wrong, right = ([row for row in judged if row["right"] is is_right] for is_right in (False, True))
    if wrong:
        demand("wrongly believed", share(wrong, True), lambda value: value <= 0.01, "<= 0.01")
        none = [row for row in wrong if not row["has_truth"]]
        demand("believed of what has no right reading", share(none, True), lambda value: value == 0, "0")
    if right:
        demand("wrongly doubted", share(right, False), lambda value: value <= 0.05, "<= 0.05")
    told = [row for row in judged if row["face"] == "print" and row["has_truth"] and row["right"]]
    if told:
        ratios = [row["expected_error"] / max(row["error"], 1e-9) for row in told]
        demand("expected error over true error, least", min(ratios), lambda value: value >= 0.67, ">= 0.67")
        demand("expected error over true error, most", max(ratios), lambda value: value <= 1.5, "<= 1.5")
        pages = np.array([page for row in told for page in row["pages"]])
        rank = float(spearmanr(pages[:, 0], pages[:, 1])[0])
        demand("rank correlation over pages", rank, lambda value: value >= 0.9, ">= 0.9")
        worst = max(row["calibration_error"] for row in told)
        demand("calibration error of characters, worst book", worst, lambda value: value <= 0.01, "<= 0.01")
    asked = [row["ok"] for row in rows if row["face"] == "language"]
    if asked:
        demand("--lang auto right", float(np.mean(asked)), lambda value: value >= 0.98, ">= 0.98")
    return checks


def share(rows: list[Row], believed: bool) -> float:
    return float(np.mean([row["believed"] is believed for row in rows])) if rows else 0.0


def show(rows: list[Row], checks: list[dict[str, object]]) -> None:
    print(f"{'face':<10}{'case':<44}{'runs':>5}{'right':>6}{'believed':>9}{'falsely':>8}{'doubted':>8}")
    for face, case in dict.fromkeys((row["face"], row["case"]) for row in rows):
        some = [row for row in rows if (row["face"], row["case"]) == (face, case)]
        if face == "language":
            print(f"{face:<10}{case:<44}{len(some):>5}{sum(row['ok'] for row in some):>6}")
            continue
        counts = [
            sum(row["right"] for row in some),
            sum(row["believed"] for row in some),
            sum(row["believed"] and not row["right"] for row in some),
            sum(row["right"] and not row["believed"] for row in some),
        ]
        print(f"{face:<10}{case:<44}{len(some):>5}{counts[0]:>6}{counts[1]:>9}{counts[2]:>8}{counts[3]:>8}")
    for row in rows:
        if row.get("believed") and not row["right"]:
            print(f"falsely believed: {row['case']}, seed {row['seed']}, {row['error']:.1%} wrong: {row['reason']}")
    for check in checks:
        print(f"{'ok  ' if check['ok'] else 'MISS'} {check['name']}: {check['value']:.4g}, wanted {check['wanted']}")


if __name__ == "__main__":
    sys.exit(main())
