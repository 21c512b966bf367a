"""Characters read as one symbol are parted by how they look."""

from __future__ import annotations

import numpy as np

from labelfree.ocr.correct.forms import find_forms
from labelfree.ocr.correct.settings import FormSettings


def test_forms_hold_one_symbol_each_and_part_what_looks_different() -> None:
    rng = np.random.default_rng(0)
    looks = np.repeat([0, 1, 2], [40, 24, 30])
    rows = rng.normal(0, 5, (3, 8))[looks] + rng.normal(0, 0.1, (94, 8))
    read_as = np.array([7, 7, 9])[looks]
    forms = find_forms(rows, read_as)
    members = [frozenset(np.flatnonzero(np.isin(forms.shape, form.nonzero()[0]))) for form in forms.made_of.toarray()]
    assert all(len(set(read_as[list(form)])) == 1 for form in members)
    assert {frozenset(np.flatnonzero(looks == look)) for look in range(3)} <= set(members)
    assert frozenset(np.flatnonzero(read_as == 7)) in members


def test_a_symbol_has_only_so_many_shapes() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 5))
    found = find_forms(rows, np.zeros(400, np.int64), settings=FormSettings(most_shapes=6))
    assert found.shape.max() == 5
