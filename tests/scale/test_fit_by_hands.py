"""Rows are grouped by whoever does the work, with the same bits."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from labelfree.fitting.compress import group_rows
from labelfree.scale import rows as rows_module
from labelfree.scale import using
from labelfree.workers import workers


def test_groups_are_the_same_whoever_finds_them(monkeypatch):
    monkeypatch.setattr(rows_module.blocks, "__defaults__", (300,))
    features = np.random.default_rng(0).normal(size=(1_000, 6)).astype(np.float32)
    sent = []

    class Watched(ThreadPoolExecutor):
        def submit(self, *arguments):
            sent.append(arguments)
            return super().submit(*arguments)

    with workers(1):
        alone = group_rows(features, 12).labels
    with Watched(2) as pool, using(pool):
        np.testing.assert_array_equal(group_rows(features, 12).labels, alone)
    assert len(sent) == 4
