"""A font without shapes, for text that is found and copied but not seen.

Every character gets a two-byte code of its own, one em wide; a table beside the font says which character a code
means. The font file itself holds a single box that all codes share, which is never drawn.
"""

from __future__ import annotations

import struct

UNITS = 1000
ASCENT, DESCENT = 800, -200
_BFCHAR_LIMIT = 100  # of one section, by the rules for CMaps
_MOST_CODES = 65_535
_CHECKSUM = 0xB1B0AFBA


class Codes:
    """The code of each character, given in the order they are first met."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, character: str) -> int:
        """From 1 on; a character beyond the last code is written as U+FFFD."""
        if len(self._codes) >= _MOST_CODES - 1 and character not in self._codes:
            character = "\ufffd"
        return self._codes.setdefault(character, len(self._codes) + 1)

    def to_unicode(self) -> bytes:
        """The CMap from codes to characters."""
        encoded = [(code, character.encode("utf-16-be").hex().upper()) for character, code in self._codes.items()]
        entries = [f"<{code:04X}> <{character}>" for code, character in encoded]
        lines = [
            "/CIDInit /ProcSet findresource begin",
            "12 dict begin",
            "begincmap",
            "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
            "/CMapName /Adobe-Identity-UCS def",
            "/CMapType 2 def",
            "1 begincodespacerange",
            "<0000> <FFFF>",
            "endcodespacerange",
        ]
        for start in range(0, len(entries), _BFCHAR_LIMIT):
            section = entries[start : start + _BFCHAR_LIMIT]
            lines += [f"{len(section)} beginbfchar", *section, "endbfchar"]
        lines += ["endcmap", "CMapName currentdict /CMap defineresource pop", "end", "end"]
        return "\n".join(lines).encode("ascii")

    def to_glyphs(self) -> bytes:
        """The table from codes to the font's glyphs: all are the one box."""
        return b"\x00\x00" + b"\x00\x01" * len(self._codes)


def font_file() -> bytes:
    """A TrueType font of an empty glyph, as every font must have, and a box one em wide."""
    head = struct.pack(
        ">IIIIHHQQhhhhHHhhh",
        *(0x00010000, 0x00010000, 0, 0x5F0F3CF5, 0, UNITS, 0, 0),
        *(0, DESCENT, UNITS, ASCENT, 0, 8, 2, 0, 0),
    )
    hhea = struct.pack(">IhhhHhhhhhhhhhhhH", 0x00010000, ASCENT, DESCENT, 0, UNITS, *[0] * 11, 2)
    tables = {
        b"glyf": _box_glyph(),
        b"head": head,
        b"hhea": hhea,
        b"hmtx": struct.pack(">HhHh", UNITS, 0, UNITS, 0),
        b"loca": struct.pack(">HHH", 0, 0, len(_box_glyph()) // 2),
        b"maxp": struct.pack(">IH13H", 0x00010000, 2, 4, 1, 0, 0, 1, *[0] * 8),
    }
    font = _with_directory(tables)
    adjustment = (_CHECKSUM - _checksum(font)) & 0xFFFFFFFF
    return _with_directory({**tables, b"head": head[:8] + struct.pack(">I", adjustment) + head[12:]}, head)


def _box_glyph() -> bytes:
    """From descent to ascent: it gives characters their height, and some readers drop those without any."""
    header = struct.pack(">hhhhhHH", 1, 0, DESCENT, UNITS, ASCENT, 3, 0)
    on_curve = b"\x01" * 4
    across = struct.pack(">4h", 0, UNITS, 0, -UNITS)
    up = struct.pack(">4h", DESCENT, 0, ASCENT - DESCENT, 0)
    return header + on_curve + across + up


def _with_directory(tables: dict[bytes, bytes], head: bytes | None = None) -> bytes:
    """The tables behind their directory; the checksum of `head` is that of the table before its adjustment."""
    n = len(tables)
    power = 1 << (n.bit_length() - 1)
    directory = struct.pack(">IHHHH", 0x00010000, n, power * 16, power.bit_length() - 1, (n - power) * 16)
    offset, body = 12 + 16 * n, b""
    for tag, table in sorted(tables.items()):
        summed = head if tag == b"head" and head is not None else table
        directory += struct.pack(">4sIII", tag, _checksum(summed), offset + len(body), len(table))
        body += table + b"\x00" * (-len(table) % 4)
    return directory + body


def _checksum(table: bytes) -> int:
    padded = table + b"\x00" * (-len(table) % 4)
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF
