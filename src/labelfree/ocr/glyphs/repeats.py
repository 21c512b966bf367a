"""Lines that stand on page after page, told by the shapes of their tiles before anything is read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.glyphs.settings import DEFAULT, GlyphSettings


def are_repeats(
    rows: NDArray[np.floating],
    lengths: NDArray[np.int64],
    asked: NDArray[np.bool_],
    seed: int = 0,
    settings: GlyphSettings = DEFAULT,
) -> NDArray[np.bool_]:
    """Which of the lines asked about say again what an earlier one of them says; `rows` are features of all tiles."""
    from rapidfuzz.distance import Indel
    from sklearn.cluster import MiniBatchKMeans

    found = np.zeros(len(lengths), np.bool_)
    if asked.sum() < 2 or len(rows) < settings.repeat_shapes:
        return found
    means = MiniBatchKMeans(
        settings.repeat_shapes, batch_size=4096, n_init=1, max_iter=15, random_state=seed, init="random"
    )
    lines = np.split(means.fit_predict(rows), np.cumsum(lengths)[:-1])
    new: list[list[int]] = []
    for number in np.flatnonzero(asked):
        shapes = lines[number].tolist()
        found[number] = any(Indel.normalized_similarity(shapes, other) >= settings.repeat for other in new)
        if not found[number]:
            new.append(shapes)
    return found
