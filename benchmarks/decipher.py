"""Share of random short ciphers that are solved, and the seconds it takes, side by side with `subbreaker`.

    python benchmarks/decipher.py [--json] [--ciphers 50] [--seed 0] [--data DIR] [--kinds KIND ...]
    python benchmarks/decipher.py --hard --data DIR [--json] [--sample N] [--least 0] [--most 1000] [--seconds S]

Solved means at most 5% of the letters wrong. Without `--data` the texts are English that ships with Python, and the
model is `NGramLM.from_language("en", order=5)`, made from word frequencies, which has seen no text. With `--data` the
texts are DIR/spelling_pd_dev, and the model mixes three that have not seen them: the language's, one from
DIR/lm_english_novels and one from DIR/news_reuters21578. A cipher's text is cut to so many letters; in ciphers with
spaces these come on top. Homophonic ciphers have 54 signs shared out by how often the letters occur in the language,
each occurrence drawing one of its letter's signs. In ciphers with noise 5% of the letters are replaced by random
signs; they are read with the key found and mended. In homophonic ciphers with noise 5% of the letters are others before
they are enciphered, and the rest is what is to be read. `subbreaker` gets the same ciphers, its own English quadgrams
and
its own defaults. Seconds are those of one cipher with the models in memory.

`--hard` reads the homophonic ciphers without spaces of DIR/ciphers_homophonic_dev instead, some drawn by lot from those
with so many letters a sign, and tells success by letters a sign and by seconds of one processor. A search that finds
nothing ends after some five of these, or after as many of the clock as `--seconds` says.
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
NOISY = "homophonic with noise"
CELLS = [*SIMPLE, ("homophonic", 400), ("homophonic", 1000), ("noise", 400), (NOISY, 400)]
WANTED = {
    ("with spaces", 200): 0.95,
    ("with spaces", 400): 0.99,
    ("without spaces", 200): 0.90,
    ("without spaces", 400): 0.99,
    ("homophonic", 400): 0.60,
    ("homophonic", 1000): 0.95,
    (NOISY, 400): 0.95,
}
PRECISION = 0.95
MODEL = 'from_language("en", order=5)'
MODEL_OF_DATA = f"{MODEL} + novels + news, equal weights"
BANDS = [(0, 2), (2, 3), (3, 4), (4, 5), (5, 7), (7, 10), (10, 1000)]
BUDGETS = (1, 10, 60)
HARD_WANTED = [("at least 7 letters a sign", 7, 1000, 0.95), ("5 to 7 letters a sign", 5, 7, 0.70)]
HARD_PRECISION = 0.99


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
    """One cipher: signs and the letters behind them, -1 where these are wrong and need not be read."""
    plain = lm.alphabet.encode(text if " " in lm.alphabet else text.replace(" ", ""))
    if kind not in ("homophonic", NOISY):
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
    wrong = rng.random(plain.size) < (NOISE if kind == NOISY else 0)
    written = np.where(wrong, rng.integers(26, size=plain.size), plain) if kind == NOISY else plain
    signs = names[(np.cumsum(many) - many)[written] + rng.integers(many[written])]
    return signs, np.where(wrong, -1, plain)


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
            letters = (plain >= 0) & (plain < 26)
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
    return {"model": MODEL if data is None else MODEL_OF_DATA, "rows": rows, "checks": checks_of(rows, beliefs)}


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


def letters_a_sign(row):
    return len(row["cipher"]) / len(set(row["cipher"]))


def run_hard(data, sample, seed, band, seconds_each):
    """Solve the ciphers of a collection; the language model knows none of its texts."""
    lm = language_model(data, spaces=False)
    with (data / "ciphers_homophonic_dev" / "ciphers.jsonl").open() as lines:
        ciphers = sorted(map(json.loads, lines), key=letters_a_sign)
    search_key(np.arange(60), lm)  # lay the table out
    chosen = [row for row in ciphers if band[0] <= letters_a_sign(row) < band[1]]
    if sample is not None and sample < len(chosen):
        drawn = np.random.default_rng(seed).choice(len(chosen), sample, replace=False)
        chosen = [chosen[i] for i in sorted(drawn.tolist())]
    tried = []
    for row in chosen:
        signs = np.unique(row["cipher"], return_inverse=True)[1]
        start = time.process_time()
        found = search_key(signs, lm, seconds=seconds_each)
        seconds = time.process_time() - start
        error = float((found.plain != lm.alphabet.encode(row["plain"].lower())).mean())
        tried.append((letters_a_sign(row), error <= SOLVED, found.believed, seconds, error))
        if sys.stderr.isatty():
            print(f"\r{len(tried)} ciphers ", end="", file=sys.stderr)
    rows = []
    for low, high in BANDS:
        if here := [one for one in tried if low <= one[0] < high]:
            _, solved, said, seconds, errors = (np.array(column) for column in zip(*here, strict=True))
            rows.append(
                {"method": "labelfree", "letters_a_sign": f"{low} to {high}", "ciphers": len(here)}
                | {"solved": float(solved.mean()), "median_error": float(np.median(errors))}
                | {f"solved_in_{budget}_s": float((solved & (seconds <= budget)).mean()) for budget in BUDGETS}
                | {"believed": float(said.mean()), "believed_and_right": float((said & solved).mean())}
                | {"median_seconds": float(np.median(seconds)), "longest_seconds": float(seconds.max())}
            )
    checks = []
    for name, low, high, wanted in HARD_WANTED:
        if here := [solved for ratio, solved, *_ in tried if low <= ratio < high]:
            value = float(np.mean(here))
            checks.append({"name": f"solved, {name}", "value": value, "wanted": f">= {wanted}", "ok": value >= wanted})
    said = [solved for _, solved, believed, *_ in tried if believed]
    value = float(np.mean(said)) if said else 0.0
    wanted = f">= {HARD_PRECISION}"
    checks.append({"name": "believed and right", "value": value, "wanted": wanted, "ok": value >= HARD_PRECISION})
    return {"model": MODEL_OF_DATA, "rows": rows, "checks": checks}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--ciphers", type=int, default=50, help="ciphers of each kind and length")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="folder with spelling_pd_dev, lm_english_novels, news_reuters21578")
    parser.add_argument("--kinds", nargs="*", help="only these kinds of cipher, as 'homophonic'")
    parser.add_argument("--hard", action="store_true", help="the homophonic ciphers of DIR/ciphers_homophonic_dev")
    parser.add_argument("--sample", type=int, help="with --hard: so many ciphers, drawn by lot")
    parser.add_argument("--seconds", type=float, help="with --hard: for each search, by the clock")
    parser.add_argument("--least", type=float, default=0, help="with --hard: letters a sign at least")
    parser.add_argument("--most", type=float, default=1000, help="with --hard: letters a sign below which")
    args = parser.parse_args()
    if args.hard and args.data is None:
        parser.error("--hard needs --data, the folder with ciphers_homophonic_dev")
    cells = [cell for cell in CELLS if not args.kinds or cell[0] in args.kinds]
    if args.hard:
        result = run_hard(args.data, args.sample, args.seed, (args.least, args.most), args.seconds)
    else:
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
