"""Ways in which a file goes wrong or is made to lie: bits, numbers, pieces and endings."""

import random
import re
import struct
import zlib
from collections.abc import Callable, Sequence

_NUMBERS = (
    b"0", b"-1", b"1", b"255", b"256", b"65535", b"65536", b"2147483647", b"2147483648", b"4294967296", b"1e400",
    b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808", b"1e308", b"-1e308", b"1e-320", b"nan",
    b"inf", b"-inf", b"NaN", b"Infinity", b"1" + b"0" * 400, b"7" * 5000, b"0x10", b"1_0", b"1.5", b"", b"null",
    b"true", b'""', b"[]", b"{}", b'"\\ud800"', "١٢".encode(),
)  # fmt: skip
_PACKED = (0, 1, 2, 3, 127, 128, 255, 256, 32767, 65535, 65536, 2**20, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**40)
_TEXT = (
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    "\u0301".encode() * 200,
    "\u1160".encode() * 100,
    b"\r",
    b"\n",
)
_DIGITS = re.compile(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_LONGEST = 1 << 17  # bytes that a mutated file may have, so that many can be tried


def mutated(content: bytes, rng: random.Random, tokens: Sequence[bytes] = ()) -> bytes:
    """The content after a few changes, each of a kind drawn at random."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        content = rng.choice(_CHANGES)(content, rng, tokens)[:_LONGEST]
    return content


def _flip(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + bytes([byte ^ (1 << rng.randrange(8)) for byte in content[at : at + 1]]) + content[at + 1 :]


def _replace(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    at, size = rng.randrange(len(content) + 1), rng.choice((1, 1, 2, 4, 16))
    return content[:at] + rng.randbytes(size) + content[at + size :]


def _insert(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice((rng.randbytes(rng.randrange(1, 9)), *_TEXT)) + content[at:]


def _remove(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    at, size = rng.randrange(len(content) + 1), rng.choice((1, 2, 4, 30, 200, 2000))
    return content[:at] + content[at + size :]


def _cut(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _repeat(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    at, size = rng.randrange(len(content) + 1), rng.choice((1, 4, 30, 300))
    return content[:at] + content[at : at + size] * rng.choice((2, 3, 20, 400)) + content[at:]


def _move(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    at, to, size = rng.randrange(len(content) + 1), rng.randrange(len(content) + 1), rng.choice((2, 8, 60, 500))
    piece, rest = content[at : at + size], content[:at] + content[at + size :]
    return rest[:to] + piece + rest[to:]


def _number(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    """Another number in place of one that is written in digits."""
    found = list(_DIGITS.finditer(content[:20_000]))
    if not found:
        return _packed(content, rng, tokens)
    one = rng.choice(found)
    return content[: one.start()] + rng.choice(_NUMBERS) + content[one.end() :]


def _packed(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    """Another number in place of some bytes, most often near the beginning, where headers are."""
    at = rng.randrange(min(len(content), rng.choice((64, 512, 1 << 20))) + 1)
    kind = rng.choice(("<B", "<H", ">H", "<I", ">I", "<Q", ">Q"))
    size = struct.calcsize(kind)
    return content[:at] + struct.pack(kind, rng.choice(_PACKED) % 256**size) + content[at + size :]


def _token(content: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    """A word of the format somewhere, or in place of another."""
    if not tokens:
        return _insert(content, rng, tokens)
    word = rng.choice(tokens)
    places = [match.start() for other in tokens for match in re.finditer(re.escape(other), content[:20_000])]
    at = rng.choice(places) if places and rng.random() < 0.5 else rng.randrange(len(content) + 1)
    return content[:at] + word + content[at + rng.choice((0, len(word))) :]


_CHANGES: tuple[Callable[[bytes, random.Random, Sequence[bytes]], bytes], ...] = (
    _flip, _flip, _replace, _insert, _remove, _cut, _repeat, _move, _number, _number, _packed, _packed, _token, _token,
)  # fmt: skip


def with_sums_of_png(content: bytes) -> bytes:
    """A PNG whose chunks bear the right sums again, so that what they hold is looked at."""
    parts, at = [content[:8]], 8
    while at + 12 <= len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        body = content[at + 4 : at + 8 + size]
        parts += [content[at : at + 4], body, struct.pack(">I", zlib.crc32(body))]
        at += 12 + size
    return b"".join(parts)
