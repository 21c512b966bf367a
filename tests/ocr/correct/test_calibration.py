"""Confidence against an error that is only estimated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelfree.ocr.correct.calibration import disagreement, doubt_power, tempered

CONFIDENCES = st.lists(st.floats(0.5, 1.0), min_size=1, max_size=50).map(np.array)


@given(CONFIDENCES, st.floats(0.001, 0.5))
def test_the_mean_doubt_becomes_the_expected_error_and_never_less_than_it_was(sure, expected):
    power = doubt_power(sure, expected)
    doubt = 1 - tempered(sure, power).mean()
    assert 0 < power <= 1
    assert doubt == pytest.approx(max(expected, np.clip(1 - sure, 1e-6, 1).mean()), rel=0.02)


@given(CONFIDENCES, st.floats(0.001, 0.5))
def test_what_was_surer_stays_surer(sure, expected):
    order = np.argsort(sure)
    assert (np.diff(tempered(sure, doubt_power(sure, expected))[order]) >= -1e-12).all()


def test_a_reading_without_symbols_has_no_doubt_to_change():
    assert doubt_power(np.empty(0), 0.3) == 1.0


def test_readings_that_are_the_same_do_not_disagree():
    lines = [np.array([1, 2, 3]), np.empty(0, np.int64), np.array([4])]
    assert disagreement(lines, lines) == 0.0
    assert disagreement([line[:0] for line in lines], lines) == 1.0
