"""Activities from accelerometer bouts, with no bout labelled: the example of docs/activities.md.

Everything is simulated: diaries of some people give the language of activities, and the signals of others, whose habits
differ a little, are to be labelled. Prints the share of bouts read rightly, seed by seed.
"""

import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelfree import Alphabet, NGramLM, SequenceClassifier
from labelfree.lm.counting import NGramCounts

ACTIVITIES = ("lie", "sit", "stand", "walk", "stairs", "run")
# What follows what, from one bout to the next: nobody runs from the bed.
NEXT = np.array(
    [
        [0, 8, 2, 0, 0, 0],  # lie
        [1, 0, 7, 2, 0, 0],  # sit
        [0, 4, 0, 8, 1, 0],  # stand
        [0, 2, 6, 0, 4, 1],  # walk
        [0, 0, 1, 6, 0, 0],  # stairs
        [0, 0, 1, 5, 0, 0],  # run
    ],
    float,
)
GRAVITY = np.array([[1, 0, 0.1], [0.3, 0.2, 0.9], [0, 0.1, 1], [0.1, 0.1, 1], [0.2, 0.1, 0.95], [0.2, 0, 1]])
HERTZ = np.array([0.25, 0.25, 0.3, 1.8, 1.5, 2.7])
SWING = np.array([0.01, 0.02, 0.03, 0.25, 0.35, 0.9])  # of the acceleration of gravity
RATE, SECONDS = 25, 10


def diary(n_bouts: int, rng: np.random.Generator, habits: float = 0.3) -> np.ndarray:
    """What one person does, a number for each bout of one activity; habits differ from person to person."""
    rows = NEXT * np.exp(habits * rng.normal(size=NEXT.shape))
    steps = (rows / rows.sum(1, keepdims=True)).cumsum(1)
    found = np.zeros(n_bouts, np.int64)
    for t, draw in enumerate(rng.random(n_bouts - 1), 1):
        found[t] = np.searchsorted(steps[found[t - 1]], draw * steps[found[t - 1], -1])
    return found


def signals(doing: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Three axes of a sensor worn at the hip while one person does that: (bouts, samples, 3)."""
    time = np.arange(RATE * SECONDS) / RATE
    gravity = GRAVITY[doing] + 0.08 * rng.normal(size=(len(doing), 3))
    gravity += 0.05 * rng.normal(size=3)  # the sensor sits askew on this person
    pace = HERTZ[doing] * np.exp(0.08 * rng.normal(size=len(doing)) + 0.05 * rng.normal())
    swing = SWING[doing] * np.exp(0.2 * rng.normal(size=len(doing)))
    phase = 2 * np.pi * (pace[:, None] * time + rng.random((len(doing), 1)))
    shape = np.stack([0.4 * np.sin(phase), 0.3 * np.sin(phase / 2), np.sin(phase) + 0.3 * np.sin(2 * phase)], -1)
    noise = 0.05 * rng.normal(size=shape.shape)
    return gravity[:, None] + swing[:, None, None] * shape + noise


def features(windows: np.ndarray) -> np.ndarray:
    """What is usually measured of a bout: mean and spread of each axis, and power in bands of frequency."""
    still = windows - windows.mean(1, keepdims=True)
    power = np.abs(np.fft.rfft(still[..., 2], axis=1)) ** 2
    hertz = np.fft.rfftfreq(windows.shape[1], 1 / RATE)
    bands = [power[:, (hertz >= low) & (hertz < low + 0.6)].sum(1) for low in (0.8, 1.4, 2.0, 2.6)]
    columns = [windows.mean(1), np.log(windows.std(1)), np.log(np.stack(bands, 1))]
    rows = np.concatenate(columns, 1)
    return (rows - rows.mean(0)) / rows.std(0)


def people(n: int, n_bouts: int, rng: np.random.Generator) -> list[np.ndarray]:
    return [diary(n_bouts, rng) for _ in range(n)]


def language(order: int = 3) -> NGramLM:
    """The N-grams of activities in diaries of forty people; no signal is needed for that."""
    diaries = people(40, 1_000, np.random.default_rng(1_000))
    lengths = [len(one) for one in diaries]
    counts = NGramCounts.from_ids(np.concatenate(diaries), lengths, len(ACTIVITIES), order)
    return NGramLM.from_counts(counts, Alphabet(ACTIVITIES))


def label(lm: NGramLM, seed: int, n_people: int = 10) -> dict[str, object]:
    """Label what other people's sensors have measured."""
    rng = np.random.default_rng(seed)
    diaries = people(n_people, 400, rng)
    X = np.concatenate([features(signals(one, rng)) for one in diaries])
    y, lengths = np.concatenate(diaries), [len(one) for one in diaries]
    reader = SequenceClassifier(lm, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        reader.fit(X, lengths=lengths)
    read = reader.predict(X)
    return {
        "seed": seed,
        "right": float((read == y).mean()),
        "right, decoded": float((reader.decode(X, lengths=lengths) == y).mean()),
        "most frequent": float((y == np.bincount(y).argmax()).mean()),
        "believed": reader.converged_,
        "never found": [name for i, name in enumerate(ACTIVITIES) if (read[y == i] == i).mean() < 0.5],
    }


def main() -> None:
    lm = language()
    n_seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print("| seed | right | right, decoded | the most frequent alone | believed | mostly missed |")
    print("| --- | --- | --- | --- | --- | --- |")
    for seed in range(n_seeds):
        found = label(lm, seed)
        print(
            f"| {seed} | {found['right']:.1%} | {found['right, decoded']:.1%} | {found['most frequent']:.1%} | "
            f"{'yes' if found['believed'] else 'no'} | {', '.join(found['never found']) or 'none'} |"
        )


if __name__ == "__main__":
    main()
