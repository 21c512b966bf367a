"""Signs that look like no letters, such as those of a cipher: of their shapes nothing is known."""

from __future__ import annotations

from labelfree.ocr.scripts.script import Script

SIGNS = Script("signs", "which look like no letters", letters="", by_unicode=False)
