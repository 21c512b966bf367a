"""Make small model folders of this version, for those to come to open: tests/storage/golden/VERSION.

    python -m tests.storage.make_golden

Beside each folder stands what it was given and what it read then. They are made once a version, checked in, and never
made again: a version that cannot open those of former ones is what they are there to show.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelfree import Alphabet, NGramLM, SequenceClassifier, __version__, save
from labelfree.ocr import Reader, read_lines

from ..cli import little

GOLDEN = Path(__file__).parent / "golden"
N_LINES = 3
_TEXT = "a bad cab had a bed; he bade a cage fade. " * 30


def classifiers() -> dict[str, tuple[SequenceClassifier, np.ndarray]]:
    """One fit of each kind of classifier, and what it is given to read."""
    lm = NGramLM.from_text(_TEXT, Alphabet("abcdefgh "), order=2)
    rng = np.random.default_rng(0)
    inputs = {
        "table": rng.integers(3, 12, size=(40, 1)),
        "linear": rng.normal(size=(40, 5)).round(3),
        "mlp": rng.normal(size=(40, 5)).round(3),
        "cnn": rng.normal(size=(40, 8 * 8 + 2)).round(3),
    }
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for kind, X in inputs.items():
            asked = {"solver": "spdg", "max_iter": 20, "n_init": 2, "random_state": 0}
            found[kind] = SequenceClassifier(lm, model=kind, **asked).fit(X), X
    return found


def main() -> None:
    """Make all of them."""
    place = GOLDEN / __version__
    place.mkdir(parents=True)
    told = {}
    for kind, (classifier, X) in classifiers().items():
        save(classifier, place / kind)
        read = classifier.predict(X).tolist()
        told[kind] = {"X": X.tolist(), "labels": read, "first": classifier.predict_proba(X)[0].tolist()}
    little.learn_little()
    with tempfile.TemporaryDirectory() as folder:
        book = little.print_book(Path(folder))
        for name, more in (("tiles", ["--fast"]), ("lines", [])):
            words = ["--kind", "line", "--text", book / "text.txt", "-q", "--workers", "1", *more]
            assert little.run("ocr", "learn", book / "lines", *words, "-o", place / name) == 0
        scans = sorted((book / "lines").glob("*.png"))[:N_LINES]
        (place / "scans").mkdir()
        for scan in scans:
            shutil.copy(scan, place / "scans")
    for name in ("tiles", "lines"):
        told[name] = {"text": Reader.load(place / name).read(read_lines([place / "scans"], "line")).text}
    (place / "expected.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main()
