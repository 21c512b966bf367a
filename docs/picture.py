"""Draws docs/picture.png: print in a typeface that nobody has seen, and what labelfree reads in it.

    python docs/picture.py

The typeface is invented on the spot: every symbol is a random stroke on a small grid, printed with noise. The text is
English that ships with Python. The reading is a real one, by a classifier that was fitted without a label; the share of
characters it reads wrongly is printed.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from scipy.ndimage import gaussian_filter
from sklearn.decomposition import PCA

from labelfree import NGramLM, SequenceClassifier
from labelfree.repro.tasks.spelling import segments_of, spelling_task, standard_library_english

mpl.use("Agg")
from matplotlib import pyplot as plt

HEIGHT, WIDTH = 20, 14
POSITIONS = 40_000
LINES, COLUMNS = 3, 44


def main() -> None:
    rng = np.random.default_rng(4)
    task = spelling_task(segments_of(standard_library_english()), seed=0)
    labels, lengths = task.train.y[:POSITIONS], cut(task.train.lengths, POSITIONS)
    tiles = print_tiles(invent_typeface(rng), labels, rng)
    features = PCA(60, random_state=0).fit_transform(tiles.reshape(len(tiles), -1))
    lm = NGramLM.from_language("en", task.alphabet)
    reader = SequenceClassifier(lm, random_state=0).fit(features, lengths=lengths)
    read = reader.predict(features)
    print(f"converged: {reader.converged_}, characters read wrongly: {(read != labels).mean():.2%}")
    draw(tiles, task.alphabet.decode(read))


def invent_typeface(rng: np.random.Generator) -> np.ndarray:
    """A random walk of the pen for every symbol; the space is empty."""
    glyphs = np.zeros((29, HEIGHT, WIDTH))
    for glyph in glyphs:
        place = rng.uniform([4, 3], [HEIGHT - 4, WIDTH - 3])
        angle = rng.uniform(0, 2 * np.pi)
        for _ in range(60):
            angle += rng.normal(0, 0.45)
            place = (place + 0.6 * np.array([np.sin(angle), np.cos(angle)])).clip(2, [HEIGHT - 3, WIDTH - 3])
            glyph[tuple(place.round().astype(int))] = 1
    glyphs[26] = 0  # the space
    thick = gaussian_filter(glyphs, (0, 0.7, 0.7))
    return thick / thick.max((1, 2), keepdims=True).clip(1e-9)


def print_tiles(typeface: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One tile a character: worn, and speckled."""
    tiles = typeface[labels] * rng.uniform(0.7, 1.0, (len(labels), 1, 1))
    return (tiles + 0.22 * rng.normal(size=tiles.shape)).clip(0, 1).astype(np.float32)


def cut(lengths: np.ndarray, positions: int) -> np.ndarray:
    ends = np.minimum(np.cumsum(lengths), positions)
    return np.diff(ends, prepend=0)[np.diff(ends, prepend=0) > 0]


def draw(tiles: np.ndarray, text: str) -> None:
    figure, axes = plt.subplots(2 * LINES, 1, figsize=(11, 4.2), gridspec_kw={"height_ratios": [1.4, 1] * LINES})
    for line in range(LINES):
        part = slice(line * COLUMNS, (line + 1) * COLUMNS)
        axes[2 * line].imshow(np.concatenate(list(tiles[part]), axis=1), cmap="gray_r", aspect="auto")
        axes[2 * line + 1].set_xlim(0, COLUMNS)
        for column, character in enumerate(text[part]):
            axes[2 * line + 1].text(
                column + 0.5, 0.55, character, ha="center", va="center", family="monospace", size=14
            )
    for axis in axes:
        axis.axis("off")
    figure.subplots_adjust(left=0.01, right=0.99, top=0.99, bottom=0.01, hspace=0.05)
    figure.savefig(Path(__file__).with_name("picture.png"), dpi=80)


if __name__ == "__main__":
    main()
