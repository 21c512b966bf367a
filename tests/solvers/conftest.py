import pytest
import torch

from labelfree.tasks.spelling import segments_of, standard_library_english


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def english_segments():
    return list(segments_of(standard_library_english()))
