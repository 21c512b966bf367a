"""Share of random short ciphers that are solved, and the seconds it takes, side by side with `subbreaker`.

    python benchmarks/decipher.py [--json] [--ciphers 50] [--seed 0] [--data DIR] [--kinds KIND ...]

Solved means at most 5% of the letters wrong. Without `--data` the texts are English that ships with Python, and the
model is `NGramLM.from_language("en", order=5)`, made from word frequencies, which has seen no text. With `--data` the
texts are DIR/spelling_pd_dev, and the model mixes three that have not seen them: the language's, one from
DIR/lm_english_novels and one from DIR/news_reuters21578. A cipher's text is cut to so many letters; in ciphers with
spaces these come on top. Homophonic ciphers have 54 signs shared out by how often the letters occur in the language,
each occurrence drawing one of its letter's signs. In ciphers with noise 5% of the letters are replaced by random
signs; they are read with the key found and mended. `subbreaker` gets the same ciphers, its own English quadgrams and
its own defaults. Seconds are those of one cipher with the models in memory.
"""

import argparse
import contextlib
import json
import random
import re
import sys
import time
from pathlib import Path

import numpy as np

from labelfree.alphabet import Alphabet
from labelfree.cipher.keysearch import mend, search_key
from labelfree.lm.model import NGramLM
from labelfree.repro.tasks.spelling import folder_paragraphs, segments_of, standard_library_english

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = 54
NOISE = 0.05
SOLVED = 0.05
SIMPLE = [("with spaces", n) for n in (100, 200, 400, 1000)] + [("without spaces", n) for n in (100, 200, 400, 1000)]
CELLS = [*SIMPLE, ("homophonic", 400), ("homophonic", 1000), ("noise", 400)]
WANTED = {
    ("with spaces", 200): 0.95,
    ("with spaces", 400): 0.99,
    ("without spaces", 200): 0.90,
    ("without spaces", 400): 0.99,
    ("homophonic", 400): 0.60,
    ("homophonic", 1000): 0.95,
}
PRECISION = 0.95


def paragraphs(data):
    """The pool of test text, letters and single spaces."""
    source = standard_library_english() if data is None else folder_paragraphs(data / "spelling_pd_dev")
    texts = segments_of(source) if data is None else source
    cleaned = {" ".join(re.sub("[^a-z]", " ", text.lower()).split()) for text in texts}
    return sorted(text for text in cleaned if len(text) > 50)


def plaintexts(pool, n_letters, n_texts, rng):
    """Texts of so many letters, each of whole paragraphs in random order but for its end."""
    order, texts, words, count = [], [], [], 0
    while len(texts) < n_texts:
        if not order:
            order = rng.permutation(len(pool)).tolist()
        for word in pool[order.pop()].split():
            words.append(word[: n_letters - count])
            count += len(words[-1])
            if count == n_letters:  # the next text begins with another paragraph
                texts.append(" ".join(words))
                words, count = [], 0
                break
    return texts


def language_model(data, spaces):
    alphabet = Alphabet(LETTERS + " " * spaces)
    models = [NGramLM.from_language("en", alphabet, order=5)]
    if data is None:
        return models[0]
    models += [NGramLM.from_text(data / name, alphabet, order=5) for name in ("lm_english_novels", "news_reuters21578")]
    return NGramLM.interpolate(models)


def enciphered(kind, text, lm, rng):
    """One cipher: signs and the letters behind them."""
    plain = lm.alphabet.encode(text if " " in lm.alphabet else text.replace(" ", ""))
    if kind != "homophonic":
        signs = np.append(rng.permutation(26), 26)[plain]
        if kind == "noise":
            wrong = (rng.random(plain.size) < NOISE) & (plain < 26)
            signs[wrong] = rng.integers(26, size=int(wrong.sum()))
        return signs, plain
    shares = lm.joint(1)
    many = np.ones(26, int)
    while many.sum() < SIGNS:
        many[(shares / many).argmax()] += 1
    names = rng.permutation(SIGNS)
    return names[(np.cumsum(many) - many)[plain] + rng.integers(many[plain])], plain


def ours(kind, signs, lm):
    fixed = {26: 26} if " " in lm.alphabet else {}
    start = time.perf_counter()
    found = search_key(signs, lm, fixed=fixed)
    read = found.plain
    if kind == "noise":
        read = mend(signs, found.key, lm, noise=NOISE, fixed=list(fixed))
    return read, time.perf_counter() - start, found


def theirs(breaker, signs):
    text = "".join((LETTERS + " ")[sign] for sign in signs)
    start = time.perf_counter()
    result = breaker.break_cipher(text)
    return Alphabet(LETTERS + " ").encode(result.plaintext), time.perf_counter() - start


def row_of(method, kind, n_letters, errors, seconds):
    return {
        "method": method,
        "kind": kind,
        "letters": n_letters,
        "ciphers": len(errors),
        "solved": float(np.mean(np.array(errors) <= SOLVED)),
        "median_error": float(np.median(errors)),
        "median_seconds": float(np.median(seconds)),
        "longest_seconds": float(np.max(seconds)),
    }


def run(n_ciphers, seed, data, cells):
    pool = paragraphs(data)
    models = {spaces: language_model(data, spaces) for spaces in (True, False)}
    for spaces, lm in models.items():  # lay the tables out
        search_key(np.arange(6), lm, fixed={26: 26} if spaces else {})
    search_key(np.arange(60), models[False])
    breaker = their_breaker()
    rows, beliefs = [], []
    for kind, n_letters in cells:
        lm = models[kind in ("with spaces", "noise")]
        rng = np.random.default_rng([seed, CELLS.index((kind, n_letters))])
        random.seed(seed)
        figures = {"labelfree": ([], []), "subbreaker": ([], [])}
        cell_beliefs = []
        for done, text in enumerate(plaintexts(pool, n_letters, n_ciphers, rng)):
            signs, plain = enciphered(kind, text, lm, rng)
            letters = plain < 26
            read, seconds, found = ours(kind, signs, lm)
            error = float((read != plain)[letters].mean())
            figures["labelfree"][0].append(error)
            figures["labelfree"][1].append(seconds)
            cell_beliefs.append((found.believed, error <= SOLVED, found.expected_right))
            if (kind, n_letters) in SIMPLE:
                read, seconds = theirs(breaker, signs)
                figures["subbreaker"][0].append(float((read != plain)[letters].mean()))
                figures["subbreaker"][1].append(seconds)
            if sys.stderr.isatty():
                print(f"\r{kind}, {n_letters} letters: {done + 1} of {n_ciphers} ", end="", file=sys.stderr)
        said, right = np.array([pair[:2] for pair in cell_beliefs]).T
        rows.append(row_of("labelfree", kind, n_letters, *figures["labelfree"]))
        rows[-1] |= {
            "believed": float(said.mean()),
            "believed_and_right": float((said & right).mean()),
            "solved_but_not_believed": float((right & ~said).mean()),
        }
        beliefs += cell_beliefs
        if figures["subbreaker"][0]:
            rows.append(row_of("subbreaker", kind, n_letters, *figures["subbreaker"]))
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    model = 'from_language("en", order=5)' + ("" if data is None else " + novels + news, equal weights")
    return {"model": model, "rows": rows, "checks": checks_of(rows, beliefs)}


def their_breaker():
    import subbreaker

    with (Path(subbreaker.__file__).parent / "quadgram" / "EN.json").open() as quadgrams:
        return subbreaker.Breaker(quadgrams)


def checks_of(rows, beliefs):
    by_cell = {(row["method"], row["kind"], row["letters"]): row for row in rows}
    checks = []
    for (kind, n_letters), wanted in WANTED.items():
        with contextlib.suppress(KeyError):
            solved = by_cell["labelfree", kind, n_letters]["solved"]
            name = f"solved, {kind}, {n_letters} letters"
            checks.append({"name": name, "value": solved, "wanted": f">= {wanted}", "ok": solved >= wanted})
    for kind, n_letters in SIMPLE:
        with contextlib.suppress(KeyError):
            we, they = (by_cell[method, kind, n_letters] for method in ("labelfree", "subbreaker"))
            if we["solved"] >= they["solved"]:
                ratio = we["median_seconds"] / they["median_seconds"]
                name = f"seconds over subbreaker's, {kind}, {n_letters} letters"
                checks.append({"name": name, "value": ratio, "wanted": "<= 1", "ok": ratio <= 1})
            else:
                name = f"solved less subbreaker's, {kind}, {n_letters} letters"
                checks.append({"name": name, "value": we["solved"] - they["solved"], "wanted": ">= 0", "ok": False})
    said = [right for believed, right, _ in beliefs if believed]
    precision = float(np.mean(said)) if said else 0.0
    checks.append(
        {"name": "believed and right", "value": precision, "wanted": f">= {PRECISION}", "ok": precision >= PRECISION}
    )
    return checks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--ciphers", type=int, default=50, help="ciphers of each kind and length")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="folder with spelling_pd_dev, lm_english_novels, news_reuters21578")
    parser.add_argument("--kinds", nargs="*", help="only these kinds of cipher, as 'homophonic'")
    args = parser.parse_args()
    cells = [cell for cell in CELLS if not args.kinds or cell[0] in args.kinds]
    result = run(args.ciphers, args.seed, args.data, cells)
    if args.json:
        print(json.dumps(result))
    else:
        print(f"model: {result['model']}")
        for row in result["rows"]:
            print("  ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
        for check in result["checks"]:
            print(
                f"{'ok' if check['ok'] else 'FAILED'}: {check['name']}: {check['value']:.3g}, wanted {check['wanted']}"
            )
    sys.exit(not all(check["ok"] for check in result["checks"]))


if __name__ == "__main__":
    main()
