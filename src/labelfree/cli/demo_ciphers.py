"""Two ciphers: a letter under a random key, and the paper's task of a long substitution."""

from __future__ import annotations

import random
import string
import textwrap
import time

from rich.console import Console

from labelfree.cipher import decipher
from labelfree.estimator import SequenceClassifier
from labelfree.lm import NGramLM
from labelfree.repro.tasks.spelling import segments_of, spelling_task, standard_library_english

_LETTER = (
    "My dear sister, the garden wall fell down in the storm on Tuesday night, and when we cleared the stones away we "
    "found a small iron box behind the ivy. The lock was broken, but inside lay eleven letters, dry and clean, in a "
    "hand that none of us has ever seen. I send you one of them with this, because you were always better than I at "
    "riddles. Nobody in the village can read a word of it."
)
_SHOWN = 240  # characters


def short_cipher(console: Console, seed: int) -> bool:
    """Break a letter under a random key; returns whether the reading is believed."""
    shuffled = "".join(random.Random(seed).sample(string.ascii_lowercase, 26))
    key = str.maketrans(string.ascii_lowercase + string.ascii_uppercase, shuffled + shuffled.upper())
    secret = _LETTER.translate(key)
    console.print(f"[bold]1. A short cipher.[/bold] A letter of {len(_LETTER)} characters under a random key:\n")
    console.print(f"[red]{_paragraph(secret)}[/red]\n")
    console.print("   All that is known is the language, English, from a list of its words (no corpus, no training).")
    console.print("   labelfree searches for the key under which the letter looks most like English ...\n")
    began = time.perf_counter()
    lm = NGramLM.from_language("en", order=5)
    found = decipher(secret, lm, rebuild=lambda alphabet: NGramLM.from_language("en", alphabet, 5), seed=seed)
    seconds = time.perf_counter() - began
    wrong = sum(a != b for a, b in zip(found.text, _LETTER, strict=True))
    console.print(f"[green]{_paragraph(found.text)}[/green]\n")
    console.print(
        f"   {seconds:.1f} seconds; {wrong} of {len(_LETTER)} characters wrong; it "
        f"{'believes' if found.converged else 'does not believe'} its reading.\n"
    )
    return found.converged


def _paragraph(text: str) -> str:
    return textwrap.fill(f"{text[:_SHOWN]} ...", 103, initial_indent="   ", subsequent_indent="   ")


def long_cipher(console: Console, seed: int) -> bool:
    """Solve the paper's Spell-Corr task on English that ships with Python; returns whether the reading is believed."""
    task = spelling_task(segments_of(standard_library_english()), seed)
    alphabet = task.alphabet
    shown = slice(0, 90)
    console.print(
        f"[bold]2. A long one, spaces and punctuation hidden too.[/bold] {len(task.train.x):,} characters of Python's "
        "own English,\n   each of 29 symbols replaced by another. A line as the classifier sees it:\n"
    )
    console.print(f"   [red]{alphabet.decode(task.test.x[shown])!r}[/red]\n")
    console.print("   A classifier learns so that the pairs of symbols that come out are as frequent as English pairs.")
    console.print("   It sees no label. Ten starts run at once, and the one closest to English wins ...\n")
    lm = NGramLM.from_language("en", alphabet)
    began = time.perf_counter()
    reader = SequenceClassifier(lm, random_state=seed).fit(task.train.x[:, None], lengths=task.train.lengths)
    seconds = time.perf_counter() - began
    error = 1.0 - reader.score(task.test.x[:, None], task.test.y)
    console.print(f"   [green]{alphabet.decode(reader.predict(task.test.x[shown, None]))!r}[/green]\n")
    console.print(
        f"   {seconds:.1f} seconds; {error:.2%} of {len(task.test.x):,} test characters wrong; it "
        f"{'believes' if reader.converged_ else 'does not believe'} its reading:\n   {reader.diagnosis_.reason}.\n"
    )
    return bool(reader.converged_)
