"""What was read, written to files: text, hOCR, ALTO, PAGE, JSON, training pairs and searchable PDF."""

from labelfree.ocr.export.page_table import PAGE_TABLE, page_table, pages_by_doubt
from labelfree.ocr.export.writer import FORMATS, PAIRS_FOLDER, DocumentWriter, check_outputs, write_document
from labelfree.ocr.sources.names import output_stems

__all__ = [
    "FORMATS",
    "PAGE_TABLE",
    "PAIRS_FOLDER",
    "DocumentWriter",
    "check_outputs",
    "output_stems",
    "page_table",
    "pages_by_doubt",
    "write_document",
]
