"""Tests run side by side, so each keeps to one thread."""

import os
import signal

os.environ["SCIPY_ARRAY_API"] = "1"  # scikit-learn's checks of array API input run rather than skip

import pytest
import torch

from labelfree.repro.tasks.spelling import segments_of, standard_library_english

torch.set_num_threads(1)
signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # a shell's background job ignores it, and so would its children


@pytest.fixture(scope="session")
def english_segments():
    return list(segments_of(standard_library_english()))
