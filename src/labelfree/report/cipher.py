"""The report on a cipher: the verdict, the plaintext with its doubtful letters, the key, frequencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from labelfree.cipher import Deciphered
from labelfree.cipher.transcription import Layout, layouts
from labelfree.lm import NGramLM
from labelfree.report.curves import bars_plot, grams_plot
from labelfree.report.grams import Grams
from labelfree.report.parts import Part, level, parts
from labelfree.report.render import rendered, write_page
from labelfree.report.verdict import Verdict

_MOST_SHOWN = 60_000  # characters
_MOST_CIPHER = 4_000


@dataclass(frozen=True)
class KeyEntry:
    """A sign of the cipher, what it reads as, how often it comes and how sure that is."""

    sign: str
    symbol: str
    count: int
    confidence: float

    @property
    def level(self) -> int:
        """How doubtful it is, from 0 for sure to 3 for likely wrong."""
        return level(self.confidence)


def write_cipher_report(ciphertext: str, found: Deciphered, lm: NGramLM, path: Path, *, title: str) -> Path:
    """Write the report on a deciphered text as one HTML file."""
    return write_page(path, cipher_report(ciphertext, found, lm, title=title))


def cipher_report(ciphertext: str, found: Deciphered, lm: NGramLM, *, title: str) -> str:
    """The report on a deciphered text as HTML."""
    layout = next(way for way in layouts(ciphertext) if way.name == found.layout)
    counts = Counter(layout.signs[i] for i in layout.x.tolist())
    key = [
        KeyEntry(sign, symbol, counts[sign], found.confidence[sign])
        for sign, symbol in sorted(found.key.items(), key=lambda entry: (entry[1], -counts[entry[0]], entry[0]))
    ]
    by_symbol: dict[str, list[KeyEntry]] = {}
    for entry in key:
        by_symbol.setdefault(entry.symbol, []).append(entry)
    lines = [lm.alphabet.encode(line) for line in found.text.splitlines()]
    grams = Grams.compare(lm, [line for line in lines if len(line)])
    letters = [gram for gram in grams.symbols if gram.symbols[0].strip()]
    return rendered(
        "cipher.html",
        title=title,
        verdict=Verdict.of_cipher(found),
        facts=[("signs", f"{len(layout.x):,}"), ("different ones", f"{len(layout.signs):,}"), ("method", found.method)],
        text=parts(islice(_letters(found, layout), _MOST_SHOWN)),
        is_cut=len(found.text) > _MOST_SHOWN,
        ciphertext=ciphertext[:_MOST_CIPHER] + (" …" if len(ciphertext) > _MOST_CIPHER else ""),
        key=by_symbol,
        unused=[gram for gram in letters if gram.symbols[0].isalpha() and gram.symbols[0] not in by_symbol],
        grams=grams,
        bars=bars_plot(letters),
        symbols_plot=grams_plot(grams.symbols, ()),
        pairs_plot=grams_plot(grams.pairs, grams.mismatches),
    )


def _letters(found: Deciphered, layout: Layout) -> Iterator[Part]:
    """The plaintext, each letter with the sign that it stands for."""
    signs = dict(zip(layout.places.tolist(), layout.x.tolist(), strict=True))
    begin = 0
    for place, piece in enumerate(layout.pieces):
        if place not in signs:
            yield Part(piece)
            begin += len(piece)
            continue
        sign = layout.signs[signs[place]]
        text = found.text[begin : begin + len(found.key[sign])]
        begin += len(text)
        sure = found.confidence[sign]
        mended = "" if text.lower() == found.key[sign].lower() else f"; copied wrongly, {found.key[sign]} by the key"
        yield Part(text, 2 if mended else level(sure), f"{sign} in the cipher, {sure:.0%} sure{mended}")
