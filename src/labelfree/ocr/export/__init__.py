"""What was read, written to files: text, hOCR, ALTO, PAGE, JSON, training pairs and searchable PDF."""

from labelfree.ocr.export.alto import alto
from labelfree.ocr.export.hocr import hocr
from labelfree.ocr.export.pagexml import page_xml
from labelfree.ocr.export.pairs import pairs
from labelfree.ocr.export.pdf import searchable_pdf
from labelfree.ocr.export.plain import plain_text
from labelfree.ocr.export.records import json_record
from labelfree.ocr.export.writer import FORMATS, PAIRS_FOLDER, DocumentWriter, check_outputs, write_document
from labelfree.ocr.sources.names import output_stems

__all__ = [
    "FORMATS",
    "PAIRS_FOLDER",
    "DocumentWriter",
    "alto",
    "check_outputs",
    "hocr",
    "json_record",
    "output_stems",
    "page_xml",
    "pairs",
    "plain_text",
    "searchable_pdf",
    "write_document",
]
