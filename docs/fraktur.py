"""A small book in Fraktur, set by our own printing house, and the pictures of docs/ that show how it is read.

    LABELFREE_DATA=... python docs/fraktur.py [FOLDER]

The first paragraph is the beginning of a tale by the brothers Grimm. The others, and the text that the language is
learned from, are different parts of `lm_german_novels`. Prints the share of characters read wrongly; takes minutes.
"""

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from labelfree.repro.printer import BookDesign, print_book

TALE = (
    "In den alten Zeiten, wo das Wünschen noch geholfen hat, lebte ein König, dessen Töchter waren alle schön, aber "
    "die jüngste war so schön, daß die Sonne selber, die doch so vieles gesehen hat, sich verwunderte so oft sie ihr "
    "ins Gesicht schien. Nahe bei dem Schlosse des Königs lag ein großer dunkler Wald, und in dem Walde unter einer "
    "alten Linde war ein Brunnen: wenn nun der Tag recht heiß war, so ging das Königskind hinaus in den Wald, und "
    "setzte sich an den Rand des kühlen Brunnens: und wenn sie Langeweile hatte, so nahm sie eine goldene Kugel, warf "
    "sie in die Höhe und fieng sie wieder; und das war ihr liebstes Spielwerk."
)
DESIGN = BookDesign(
    "Fette Fraktur",
    "de",
    size=11,
    measure=44,
    lines_a_page=24,
    italics=0,
    small_capitals=0,
    lists=0,
    notes=0,
    long_s=True,
    old_figures=False,
    bilevel=False,
    seed=5,
)
CHARACTERS = 24_000
NOVELS = "lm_german_novels/german_novels.txt.gz"


def main(folder: Path) -> None:
    """Print the book, learn and read it, and score it."""
    if "LABELFREE_DATA" not in os.environ:
        sys.exit(f"LABELFREE_DATA is not set; name the folder that holds {NOVELS}")
    if not (folder / "out").exists():
        make(folder)
    command("ocr", "score", folder / "out", folder / "book")


def make(folder: Path) -> None:
    """The book, the text of its language, and what is read."""
    with gzip.open(Path(os.environ["LABELFREE_DATA"]) / NOVELS, "rt", encoding="utf-8") as file:
        paragraphs = file.read().splitlines()
    book = [TALE]
    while sum(map(len, book)) < CHARACTERS:
        book.append(paragraphs.pop(0))
    folder.mkdir(parents=True, exist_ok=True)
    print_book(DESIGN, book, folder / "book")
    (folder / "novels.txt").write_text("\n".join(paragraphs), encoding="utf-8")
    command("ocr", "run", folder / "book", "--text", folder / "novels.txt", "--long-s", "-o", folder / "out")


def command(*words: object) -> None:
    """Run labelfree as a person would."""
    subprocess.run([Path(sys.executable).with_name("labelfree"), *map(str, words)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
