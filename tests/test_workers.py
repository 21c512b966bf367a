"""Pieces of work by one and by two workers: same results, same order, errors passed on, nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info

from labelfree.errors import InputError, WorkerError
from labelfree.workers import in_order, in_processes, n_workers, one_thread, workers

WAYS = pytest.mark.parametrize("way", [in_order, in_processes])


def products(seed: int) -> np.ndarray:
    """Sums whose bits would tell how they were shared out."""
    one = torch.rand(300, 500, generator=torch.Generator().manual_seed(seed))
    return (one @ one.T).sum(0).numpy() + np.random.default_rng(seed).random((200, 300)).sum(0) @ one.numpy()[:, :1]


def power(exponent: int, base: int) -> int:
    return base**exponent


def threads_of_numerics(_: object) -> tuple[int, int, int]:
    return torch.get_num_threads(), max(found["num_threads"] for found in threadpool_info()), n_workers()


def failing_at(wrong: int, number: int) -> int:
    if number == wrong:
        raise InputError(f"{number} is not wanted")
    return number


def stopped_at(wrong: int, number: int) -> int:
    if number == wrong:
        raise KeyboardInterrupt
    return number


def killed_at(wrong: int, number: int) -> int:
    if number == wrong:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.fixture(autouse=True)
def _nothing_is_left():
    before = threading.active_count()
    yield
    assert threading.active_count() == before
    assert not multiprocessing.active_children()


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@WAYS
def test_the_bits_and_their_order_do_not_depend_on_the_number_of_workers(way, two_threads):
    products(0)  # with more threads than one, before any process begins
    found = []
    for n in (1, 2, 3):
        with workers(n):
            found.append(list(way(products, range(7))))
    for other in found[1:]:
        assert all((a == b).all() for a, b in zip(found[0], other, strict=True))


@WAYS
@pytest.mark.parametrize("n", [1, 2])
def test_a_piece_has_one_thread_and_one_worker(way, n, two_threads):
    with workers(n):
        assert set(way(threads_of_numerics, range(5))) == {(1, 1, 1)}
    assert torch.get_num_threads() == 2


@WAYS
@pytest.mark.parametrize("n", [1, 2])
def test_an_error_is_passed_on_in_its_turn(way, n):
    found = []
    with workers(n), pytest.raises(InputError, match="5 is not wanted"):
        found.extend(way(partial(failing_at, 5), range(100)))
    assert found == [0, 1, 2, 3, 4]


@WAYS
@pytest.mark.parametrize("n", [1, 2])
def test_a_stop_is_passed_on(way, n):
    with workers(n), pytest.raises(KeyboardInterrupt):
        list(way(partial(stopped_at, 3), range(8)))


@WAYS
def test_no_pieces_give_nothing(way):
    assert list(way(power, [])) == []


@WAYS
def test_who_stops_listening_leaves_nothing_behind(way):
    with workers(2):
        found = way(partial(power, 2), range(1000))
        assert [next(found), next(found)] == [0, 1]
        found.close()


def test_pieces_are_asked_for_as_they_are_needed():
    asked = []

    def pieces():
        for number in range(100):
            asked.append(number)
            yield number

    with workers(2):
        found = in_order(partial(power, 2), pieces())
        next(found)
        assert len(asked) <= 5
        found.close()


def test_work_inside_torch_is_done_side_by_side():
    """Two pieces that wait for each other end only where both run."""
    meeting = threading.Barrier(2, timeout=20)
    with workers(2):
        list(in_order(lambda _: meeting.wait(), range(2)))


def test_threads_are_kept_while_a_block_lasts():
    with workers(2):
        names = {name for _ in range(20) for name in in_order(lambda _: threading.get_ident(), range(4))}
    assert len(names) <= 2


def test_a_child_that_dies_is_told():
    with workers(2), pytest.raises(WorkerError, match="a worker process ended"):
        list(in_processes(partial(killed_at, 3), range(8)))


def test_one_piece_or_worker_needs_no_process():
    for n, n_pieces in ((2, 1), (1, 4)):
        with workers(n):
            assert set(in_processes(process, range(n_pieces))) == {os.getpid()}
    with workers(2):
        assert os.getpid() not in set(in_processes(process, range(4)))


def process(_: object) -> int:
    return os.getpid()


ORPHANS = """
import time
from labelfree.workers import in_processes, workers
from tests_of_workers import process_then_wait
with workers(2):
    for pid in in_processes(process_then_wait, range(50)):
        print(pid, flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_children_end_with_their_parent(tmp_path):
    (tmp_path / "tests_of_workers.py").write_text(
        "import os, time\ndef process_then_wait(number):\n    time.sleep(0.2)\n    return os.getpid()\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    assert parent.stdout is not None
    children = {int(parent.stdout.readline()) for _ in range(4)}
    parent.kill()
    parent.wait()
    parent.stdout.close()
    ends = time.monotonic() + 20
    while time.monotonic() < ends and any(is_running(child) for child in children):
        time.sleep(0.05)
    assert not any(is_running(child) for child in children)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_number_of_workers_is_that_of_the_innermost_block():
    outside = n_workers()
    assert outside >= 1
    with workers(3):
        assert n_workers() == 3
        with workers():
            assert n_workers() == 3
        with workers(1):
            assert n_workers() == 1
        assert n_workers() == 3
    assert n_workers() == outside
    with pytest.raises(InputError, match="0 workers asked for"), workers(0):
        pass


def test_one_thread_is_held_and_given_back(two_threads):
    before = [found["num_threads"] for found in threadpool_info()]
    with one_thread(), one_thread():
        with one_thread():
            assert threads_of_numerics(None)[:2] == (1, 1)
        assert threads_of_numerics(None)[:2] == (1, 1)
    assert torch.get_num_threads() == 2
    assert [found["num_threads"] for found in threadpool_info()] == before


def test_a_block_inside_another_is_cheap():
    with one_thread():
        began = time.perf_counter()
        for _ in range(10_000):
            with one_thread():
                pass
        assert time.perf_counter() - began < 1.0
