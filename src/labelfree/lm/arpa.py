r"""Language models in ARPA files, as KenLM writes and reads them, plain or gzip.

A symbol stands as one token: the space as `<sp>`; white space and control characters, the backslash, and the `<` of a
longer symbol that begins with it as `\u{hex}`. The words `<s>`, `</s>` and `<unk>`, which other tools expect, are
written with log probability -99 and left out on reading; what remains is scaled to sum to 1.
"""

from __future__ import annotations

import gzip
import io
import re
import unicodedata
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.files import file_aside
from labelfree.limits import TextFile, check, limit
from labelfree.lm.backoff import BackOff, Floats, Level, look_up
from labelfree.lm.counting import check_size

LOG_ZERO = -99.0
"""The base-10 log that stands for that of 0."""

_PIECE = 1 << 18
_MOST_BLANK = 10_000  # lines

SPECIAL = ("<unk>", "<s>", "</s>")
"""Words of other tools that are no symbols."""


def write_arpa(path: Path, alphabet: Alphabet, model: BackOff) -> None:
    """Write a model aside and move it into place; gzip if the name ends in `.gz`."""
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is no folder; make it, or name another place for {path.name}")
    with file_aside(path) as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                _write(packed, alphabet, model)
        else:
            _write(raw, alphabet, model)


def _write(stream: IO[bytes] | gzip.GzipFile, alphabet: Alphabet, model: BackOff) -> None:
    tokens = [token_of(symbol) for symbol in alphabet]
    # KenLM takes no less than two orders; the second may be empty.
    sizes = [level.codes.size for level in model.levels] + [0] * (model.order == 1)
    sizes[0] += len(SPECIAL)
    head = [f"ngram {n}={size}\n" for n, size in enumerate(sizes, start=1)]
    stream.write(("\\data\\\n" + "".join(head)).encode())
    special = [f"{LOG_ZERO:g}\t{word}\t0\n" for word in SPECIAL]
    for n in range(1, len(sizes) + 1):
        stream.write(("".join([f"\n\\{n}-grams:\n", *(special if n == 1 else [])])).encode())
        if n <= model.order:
            for block in _lines(model, n, tokens):
                stream.write(block.encode())
    stream.write(b"\n\\end\\\n")
    stream.flush()


def _lines(model: BackOff, n: int, tokens: list[str], many: int = 1 << 16) -> Iterator[str]:
    """Give the lines of one order, a block at a time."""
    level = model.levels[n - 1]
    log_prob = np.clip(level.log_prob / np.log(10), LOG_ZERO, 0.0)
    log_backoff = np.maximum(level.log_backoff / np.log(10), LOG_ZERO)
    last = n == model.order and n > 1
    for at in range(0, level.codes.size, many):
        codes = level.codes[at : at + many]
        columns = [(codes // model.size**place % model.size).tolist() for place in range(n - 1, -1, -1)]
        words = [" ".join([tokens[symbol] for symbol in ids]) for ids in zip(*columns, strict=True)]
        scores = log_prob[at : at + many].tolist()
        if last:
            yield "".join([f"{p:.9g}\t{text}\n" for p, text in zip(scores, words, strict=True)])
        else:
            weights = log_backoff[at : at + many].tolist()
            lines = zip(scores, words, weights, strict=True)
            yield "".join([f"{p:.9g}\t{text}\t{weight:.9g}\n" for p, text, weight in lines])


def token_of(symbol: str) -> str:
    r"""Write a symbol as a token without white space.

    Examples
    --------
    >>> token_of(" "), token_of("é"), token_of("<s>"), token_of("\\")
    ('<sp>', 'é', '\\u{3c}s>', '\\u{5c}')
    """
    if symbol == " ":
        return "<sp>"
    written = "".join(_escaped(one) if _unsafe(one) else one for one in symbol)
    return _escaped("<") + written[1:] if len(symbol) > 1 and symbol[0] == "<" else written


def symbol_of(token: str) -> str:
    r"""Read a token back.

    Examples
    --------
    >>> symbol_of("<sp>"), symbol_of("\\u{3c}s>")
    (' ', '<s>')
    """
    if token == "<sp>":  # noqa: S105 - a token of text
        return " "
    return re.sub(r"\\u\{([0-9a-f]{1,6})\}", lambda found: _character(found[1], found[0]), token)


def _character(digits: str, otherwise: str) -> str:
    return chr(int(digits, 16)) if int(digits, 16) < 0x110000 else otherwise


def _escaped(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"


def _unsafe(character: str) -> bool:
    return character == "\\" or character.isspace() or unicodedata.category(character) in ("Cc", "Cs")


def read_arpa(path: Path, fold_case: bool | None = None) -> tuple[Alphabet, BackOff]:
    """Read a model, checking every line."""
    with TextFile(path) as raw, io.BufferedReader(cast(Any, raw), _PIECE) as stream:
        return _Reader(path, stream).read(fold_case)


class _Reader:
    """One pass over an ARPA file that knows its line."""

    def __init__(self, path: Path, stream: io.BufferedReader[Any]) -> None:
        self._path = path
        self._longest = limit("line")
        self._lines = iter(lambda: stream.readline(self._longest + 1), b"")
        self._number = 0
        self._line = ""

    def _wrong(self, wanted: str) -> InputError:
        found = repr(self._line[:60]) if self._number else "nothing"
        return InputError(
            f"{self._path}, line {self._number}: found {found}, wanted {wanted}; correct it or write the model again"
        )

    def _next(self) -> str:
        """Step to the next line that is not blank."""
        first = self._number
        for raw in self._lines:
            self._number += 1
            if self._number - first > _MOST_BLANK:
                self._line = ""
                raise self._wrong(f"no more than {_MOST_BLANK:,} blank lines in a row")
            if len(raw) > self._longest:
                self._line = raw[:60].decode("utf-8", "backslashreplace")
                raise self._wrong(f"a line of at most {self._longest:,} bytes")
            try:
                self._line = raw.decode("utf-8").strip(" \t\r\n")
            except UnicodeDecodeError:
                self._line = raw.decode("utf-8", "backslashreplace").strip()
                raise self._wrong("UTF-8") from None
            if self._line:
                return self._line
        self._number += 1
        self._line = "the end of the file"
        return ""

    def read(self, fold_case: bool | None) -> tuple[Alphabet, BackOff]:
        if self._next() != "\\data\\":
            raise self._wrong("\\data\\")
        sizes = self._sizes()
        index: dict[str, int] = {}
        sections = []
        for n, size in enumerate(sizes, start=1):
            if self._line != f"\\{n}-grams:":
                raise self._wrong(f"\\{n}-grams:")
            sections.append(self._section(n, size, len(sizes), index))
            if n == 1:
                check_size(len(index), len(sizes))
        if self._line != "\\end\\":
            raise self._wrong("\\end\\")
        while len(sections) > 1 and sections[-1].codes.size == 0:
            sections.pop()
        try:
            alphabet = Alphabet([symbol_of(token) for token in index], fold_case=fold_case)
        except InputError as error:
            raise InputError(f"{self._path}: {error}") from None
        return alphabet, self._scaled(len(index), sections)

    def _sizes(self) -> list[int]:
        sizes: list[int] = []
        while found := re.fullmatch(r"ngram\s+([0-9]{1,2})\s*=\s*([0-9]{1,15})", self._next()):
            if int(found[1]) != len(sizes) + 1:
                raise self._wrong(f"ngram {len(sizes) + 1}=")
            sizes.append(int(found[2]))
        if not sizes:
            raise self._wrong("ngram 1=")
        check(f"{self._path} promises", sizes[0], "symbols", "symbols")
        check(f"{self._path} promises", sum(sizes), "ngrams", "N-grams")
        return sizes

    def _section(self, n: int, size: int, order: int, index: dict[str, int]) -> Level:
        """Read the lines of one order up to the next heading."""
        codes_read, numbers, logs, weights = array("q"), array("q"), array("d"), array("d")
        lines = 0
        special = set(SPECIAL) | {"<UNK>"}
        while not (line := self._next()).startswith("\\") and line:
            lines += 1
            if lines > size:
                raise self._wrong(f"no more than the {size} {n}-grams that \\data\\ promises")
            fields = re.split(r"[ \t]+", line)
            if len(fields) not in (n + 1, n + 2):
                raise self._wrong(f"a log probability, {n} symbols and a back-off weight")
            score = self._log(fields[0], "a log10 probability, 0 or less")
            weight = self._log(fields[n + 1], "a log10 back-off weight", weight=True) if len(fields) == n + 2 else 0.0
            words = fields[1 : n + 1]
            if not special.isdisjoint(words):
                continue
            if n == 1:
                if words[0] in index:
                    raise self._wrong("each 1-gram once")
                index[words[0]] = len(index)
            code = 0
            for word in words:
                place = index.get(word, -1)
                if place < 0:
                    raise self._wrong(f"symbols that are listed among the 1-grams, not {word!r}")
                code = code * self._base(index, n) + place
            codes_read.append(code)
            numbers.append(self._number)
            logs.append(score)
            weights.append(weight)
        if lines < size:
            raise self._wrong(f"{size} {n}-grams, as \\data\\ promises, after {lines}")
        if n == 1 and not index:
            raise self._wrong("at least one symbol")
        codes = np.array(codes_read, np.int64)
        by_code = np.argsort(codes, kind="stable")
        again = np.flatnonzero(np.diff(codes[by_code]) == 0)
        if again.size:
            raise InputError(
                f"{self._path}, line {numbers[by_code[again[0] + 1]]}: found an {n}-gram a second time, "
                "wanted each once; correct it or write the model again"
            )
        log_prob, log_backoff = (np.array(values, np.float64)[by_code] * np.log(10) for values in (logs, weights))
        return Level(codes[by_code], log_prob, log_backoff)

    @staticmethod
    def _base(index: dict[str, int], n: int) -> int:
        return len(index) if n > 1 else 0

    def _log(self, text: str, wanted: str, weight: bool = False) -> float:
        try:
            value = float(text)
        except ValueError:
            raise self._wrong(wanted) from None
        if np.isnan(value) or value > (99.0 if weight else 1e-6):
            raise self._wrong(wanted)
        return max(value, LOG_ZERO)

    def _scaled(self, size: int, sections: list[Level]) -> BackOff:
        """Scale what was read so that every context sums to 1."""
        first = sections[0].log_prob - np.logaddexp.reduce(sections[0].log_prob)
        model = BackOff(size, (Level(sections[0].codes, first, sections[0].log_backoff),))
        for n, level in enumerate(sections[1:], start=2):
            below = model.levels[-1]
            contexts, many = np.unique(level.codes // size, return_counts=True)
            place, found = look_up(below.codes, contexts)
            if not found.all():
                raise InputError(
                    f"{self._path}: found {int((~found).sum())} {n}-grams whose first {n - 1} symbols are no "
                    f"{n - 1}-gram, wanted them listed; write the model again"
                )
            lower = np.exp(model.score(n - 1, level.codes % size ** (n - 1)))
            log_prob, log_backoff = level.log_prob.copy(), np.zeros(below.codes.size)
            if contexts.size:
                log_prob, log_backoff[place] = _normalised(log_prob, lower, below.log_backoff[place], many, size)
            complete = Level(below.codes, below.log_prob, log_backoff)
            model = BackOff(size, (*model.levels[:-1], complete, Level(level.codes, log_prob, level.log_backoff)))
        top = model.levels[-1]
        return BackOff(size, (*model.levels[:-1], Level(top.codes, top.log_prob, np.zeros(top.codes.size))))


def _normalised(
    log_prob: Floats, lower: Floats, log_backoff: Floats, many: np.ndarray[tuple[int], np.dtype[np.int64]], size: int
) -> tuple[Floats, Floats]:
    """Scale listed probabilities and the weight of the rest by what each context sums to."""
    starts = np.cumsum(many) - many
    listed = np.add.reduceat(np.exp(log_prob), starts)
    unlisted = np.where(many < size, np.maximum(1 - np.add.reduceat(lower, starts), 0.0), 0.0)
    log_total = np.log(np.maximum(listed + np.exp(log_backoff) * unlisted, 1e-300))
    return log_prob - np.repeat(log_total, many), log_backoff - log_total
