"""Error by how much there is: of data, of language, of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from labelfree.lm import NGramLM
from labelfree.lm.counting import NGramCounts
from labelfree.repro.paper.folder import Result, Row, Teller, spread
from labelfree.repro.paper.methods import fit_ours, fit_supervised
from labelfree.repro.paper.plots import Curve, curves
from labelfree.repro.paper.trial import SOLVED, Trial, spelling_trial
from labelfree.repro.tasks.english import sized_substitution
from labelfree.repro.tasks.spelling import TEST_CHARACTERS, TRAIN_CHARACTERS

TILES = (5_000, 10_000, 20_000, 40_000, 80_000, 150_000)
TEXT_SIZES = (1_000, 3_000, 10_000, 100_000, 1_000_000)
UNIFORM_SHARES = (0.1, 0.3, 0.5)
CLASSES = (10, 20, 29, 40, 60)


def amounts_of_data(
    trial: Trial,
    folder: Path,
    *,
    tiles: Sequence[int] = TILES,
    seeds: int = 1,
    seed: int = 0,
    tell: Teller = print,
) -> Result:
    """Error without and with labels, by how much there is to learn from.

    Parameters
    ----------
    trial : Trial
        Print; sizes beyond what it holds are left out.
    folder : Path
        Where the picture goes.
    tiles : sequence of int
    seeds, seed : int
        How many fits at each size, and the first seed.
    tell : callable
        Hears of every size as it is done.
    """
    rows: list[Row] = []
    for n_tiles in [n for n in tiles if n <= len(trial.train.labels)]:
        part = trial.first(n_tiles)
        ours = [fit_ours(part, k) for k in range(seed, seed + seeds)]
        supervised = fit_supervised(part)
        errors = [fit.error for fit in ours]
        rows.append(
            {
                "tiles": n_tiles,
                "error": float(np.mean(errors)),
                "spread": spread(errors),
                "supervised": supervised.error,
                "ratio": float(np.mean(errors)) / supervised.error if supervised.error else None,
                "believed": f"{sum(bool(fit.believed) for fit in ours)}/{seeds}",
                "kl": float(np.mean([fit.kl for fit in ours])),
                "seconds": float(np.median([fit.seconds for fit in ours])),
            }
        )
        tell(f"{n_tiles:,} tiles: ours {rows[-1]['error']:.2%}, supervised {supervised.error:.2%}")
    at = [row["tiles"] for row in rows]
    picture = curves(
        folder / "ablation-data.png",
        {"ours": (at, [row["error"] for row in rows]), "supervised": (at, [row["supervised"] for row in rows])},
        x="tiles to learn from",
        y="test error",
        title="Amount of data against error",
        log_x=True,
    )
    return Result(
        "ablation-data",
        "Amount of data against error",
        rows,
        notes=["ours sees no label; supervised is the same linear classifier with all of them"],
        pictures=[picture],
    )


def language_quality(
    trials: Mapping[str, Trial],
    text: str,
    folder: Path,
    *,
    text_sizes: Sequence[int] = TEXT_SIZES,
    uniform_shares: Sequence[float] = UNIFORM_SHARES,
    seed: int = 0,
    tell: Teller = print,
) -> Result:
    """Error by how far the language model is from the truth: models of little text, and ones mixed with noise.

    Parameters
    ----------
    trials : mapping
        From a name to a trial, whose own language model gives only alphabet and order.
    text : str
        Where language models come from; where it is too short for a size, all of it is taken.
    folder : Path
        Where the picture goes.
    text_sizes : sequence of int
        Characters of text.
    uniform_shares : sequence of float
        How much of a mixture is uniform; the rest is the model of the most text.
    seed : int
    tell : callable
        Hears of every fit as it is done.
    """
    rows: list[Row] = []
    lines: dict[str, Curve] = {}
    for task, trial in trials.items():
        truth = _true_pairs(trial)
        for kind, models in _languages(text, trial.lm, text_sizes, uniform_shares).items():
            first = len(rows)
            for name, lm in models.items():
                fit = fit_ours(trial.with_language(lm, trial.order), seed)
                rows.append(
                    {
                        "task": task,
                        "language model": name,
                        "kl to the truth": divergence(lm, truth),
                        "error": fit.error,
                        "believed": f"{int(bool(fit.believed))}/1",
                        "kl": fit.kl,
                        "seconds": fit.seconds,
                    }
                )
                tell(f"{task}, {name}: KL {rows[-1]['kl to the truth']:.3f} from the truth, error {fit.error:.2%}")
            found = rows[first:]
            if found:
                lines[f"{task}, {kind}"] = [row["kl to the truth"] for row in found], [row["error"] for row in found]
    picture = curves(
        folder / "ablation-language.png",
        lines,
        x="KL of the language model's pairs from the true ones",
        y="test error",
        title="Quality of the language model against error",
        log_x=True,
    )
    sizes = ", ".join(f"{name}: {len(trial.train.labels):,}" for name, trial in trials.items())
    return Result(
        "ablation-language",
        "Quality of the language model against error",
        rows,
        notes=[
            f"positions to learn from: {sizes}",
            "kl to the truth: from the pairs of the true labels, which the evaluation alone knows",
        ],
        pictures=[picture],
    )


def _languages(
    text: str, like: NGramLM, text_sizes: Sequence[int], uniform_shares: Sequence[float]
) -> dict[str, dict[str, NGramLM]]:
    """Language models by kind and name: of more and more text, and of the most text with more and more noise."""
    alphabet = like.alphabet
    sizes = sorted({min(size, len(text)) for size in text_sizes})
    by_size = {f"{size:,} characters": NGramLM.from_text(text[:size], alphabet, like.order) for size in sizes}
    best = by_size[f"{sizes[-1]:,} characters"]
    each_once = NGramCounts.from_ids(np.arange(len(alphabet)), [len(alphabet)], len(alphabet), order=1)
    uniform = NGramLM.from_counts(each_once, alphabet)
    mixed = {
        f"{sizes[-1]:,} characters, {share:.0%} uniform": NGramLM.interpolate([best, uniform], [1 - share, share])
        for share in uniform_shares
    }
    return {"less text": by_size, "mixed with uniform": mixed}


def _true_pairs(trial: Trial) -> NGramLM:
    n_classes = len(trial.lm.alphabet)
    counts = NGramCounts.from_ids(trial.train.labels, trial.train.lengths.tolist(), n_classes, order=2)
    return NGramLM.from_counts(counts, trial.lm.alphabet)


def divergence(lm: NGramLM, truth: NGramLM) -> float:
    """KL between the pairs of two language models, in nats.

    Examples
    --------
    >>> one, other = (NGramLM.from_text(text * 50, order=2) for text in ("ab ba ", "ba, ab "))
    >>> divergence(one, one)
    0.0
    """
    p, q = np.asarray(lm.joint(2)), np.asarray(truth.joint(2))
    seen = p > 0
    return float((p[seen] * np.log(p[seen] / q[seen])).sum())


def numbers_of_classes(
    paragraphs: Sequence[str],
    folder: Path,
    *,
    classes: Sequence[int] = CLASSES,
    characters: tuple[int, int] = (TRAIN_CHARACTERS, TEST_CHARACTERS),
    seeds: int = 3,
    seed: int = 0,
    tell: Teller = print,
) -> Result:
    """Error and seconds of substitutions over alphabets of several sizes.

    Parameters
    ----------
    paragraphs : sequence of str
        Text with capitals, digits and marks.
    folder : Path
        Where the picture goes.
    classes : sequence of int
        Sizes of the alphabet.
    characters : tuple of int
        To learn from and to test on.
    seeds, seed : int
        How many substitutions of each size, and the first seed.
    tell : callable
        Hears of every size as it is done.
    """
    rows: list[Row] = []
    for n_classes in classes:
        fits = []
        for k in range(seed, seed + seeds):
            task = sized_substitution(
                paragraphs, n_classes, k, train_characters=characters[0], test_characters=characters[1]
            )
            lm = NGramLM.from_text(task.in_domain, task.alphabet)
            fits.append(fit_ours(spelling_trial(task, lm), k))
        errors = [fit.error for fit in fits]
        rows.append(
            {
                "classes": n_classes,
                "error": float(np.mean(errors)),
                "spread": spread(errors),
                "solved": f"{sum(error <= SOLVED for error in errors)}/{seeds}",
                "believed": f"{sum(bool(fit.believed) for fit in fits)}/{seeds}",
                "kl": float(np.mean([fit.kl for fit in fits])),
                "seconds": float(np.median([fit.seconds for fit in fits])),
            }
        )
        tell(f"{n_classes} classes: {rows[-1]['error']:.2%} in {rows[-1]['seconds']:.1f} s")
    picture = curves(
        folder / "ablation-classes.png",
        {"ours": ([row["classes"] for row in rows], [row["error"] for row in rows])},
        x="classes",
        y="test error",
        title="Number of classes against error",
    )
    return Result(
        "ablation-classes",
        "Number of classes against error",
        rows,
        notes=[
            f"substitutions of {characters[0]:,} characters; up to 29 classes letters are merged, beyond them the "
            "commonest characters of the text stand as they are, capitals, digits and marks among them",
            f"solved: at most {SOLVED:.0%} of the test read wrongly",
        ],
        pictures=[picture],
    )
