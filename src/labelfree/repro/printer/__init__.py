"""A printing house: whole books set from text in many typefaces, with scans of them and what is written there."""

from labelfree.repro.printer.design import BookDesign, designs
from labelfree.repro.printer.press import PrintedLine, PrintedPage, print_book, printed_pages
from labelfree.repro.printer.typefaces import STYLES, TYPEFACES, Typeface

__all__ = [
    "STYLES",
    "TYPEFACES",
    "BookDesign",
    "PrintedLine",
    "PrintedPage",
    "Typeface",
    "designs",
    "print_book",
    "printed_pages",
]
