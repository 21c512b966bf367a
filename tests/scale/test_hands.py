"""Work by hands elsewhere: the bytes of one process, whoever does it and whoever dies meanwhile."""

from __future__ import annotations

import os
import re
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

from labelfree import NGramLM
from labelfree.errors import InputError, WorkerError
from labelfree.lm import sources
from labelfree.ocr.book import Book
from labelfree.ocr.language import book_language
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.line_reader.model import Recogniser
from labelfree.ocr.line_reader.network import LineNetwork
from labelfree.ocr.line_reader.strips import HEIGHT, Strip
from labelfree.progress import Observer, observed_by
from labelfree.scale import connected, using
from labelfree.workers import in_order, in_processes, workers

from ..cli.little import run
from ..ocr.scans import GERMAN, save_lines

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process of one thread."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(sources, "GROUP", 1)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Files that do not all hold the same characters."""
    folder = tmp_path_factory.mktemp("texts")
    draw = np.random.default_rng(0)
    for number in range(24):
        letters = list("abcde \n" + chr(ord("m") + number % 5))
        (folder / f"{number:02}.txt").write_text("".join(draw.choice(letters, 20_000)))
    return folder


def arpa(lm, path):
    lm.write_arpa(path)
    return path.read_bytes()


def test_an_executor_gives_what_this_process_gives(texts, tmp_path, small_groups):
    with workers(1):
        alone = arpa(NGramLM.from_text(texts), tmp_path / "alone.arpa")
    with ThreadPoolExecutor(2) as threads, using(threads):
        assert arpa(NGramLM.from_text(texts), tmp_path / "threads.arpa") == alone
    with workers(2):
        assert arpa(NGramLM.from_text(texts), tmp_path / "processes.arpa") == alone


def test_groups_of_files_count_as_all_files_do(texts, tmp_path, small_groups):
    together = NGramLM.from_text([path.read_text() for path in sorted(texts.iterdir())], smoothing="additive", weight=1)
    grouped = NGramLM.from_text(texts, smoothing="additive", weight=1)
    assert arpa(grouped, tmp_path / "grouped.arpa") == arpa(together, tmp_path / "together.arpa")


def test_an_executor_that_broke_is_told():
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(BrokenProcessPool):
            pool.submit(os._exit, 1).result()
        with using(pool), pytest.raises(WorkerError, match="the executor ended"):
            list(in_processes(abs, range(5)))


def test_what_is_no_executor_is_refused():
    with pytest.raises(InputError, match="hands are a int, a concurrent"), using(3):
        pass


def test_work_that_cannot_travel_stays_here():
    with ThreadPoolExecutor(1, "elsewhere") as pool, using(pool), workers(1):
        assert list(in_order(lambda piece: piece + 1, range(3))) == [1, 2, 3]


class Killer(Observer):
    """Kills a process as soon as some of the work is done."""

    def __init__(self, pid):
        self.pid = pid

    def stage(self, name, done, total):
        if done == 4 and self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self.pid = None


def test_a_worker_that_is_killed_loses_nothing(cluster, texts, tmp_path, small_groups):
    with workers(1):
        alone = arpa(NGramLM.from_text(texts), tmp_path / "alone.arpa")
    with distributed.Client(cluster) as client, using(client):
        killer = Killer(min(client.run(os.getpid).values()))
        with observed_by(killer):
            assert arpa(NGramLM.from_text(texts), tmp_path / "cluster.arpa") == alone
        assert killer.pid is None


def test_an_error_comes_from_a_cluster_as_it_was_raised(cluster, tmp_path, small_groups):
    (tmp_path / "a.txt").write_text("abc")
    (tmp_path / "b.txt").write_bytes(b"\xff\xff")
    with connected(cluster.scheduler_address), pytest.raises(InputError, match=r"b\.txt is not UTF-8 near byte 0"):
        NGramLM.from_text(tmp_path)


def test_a_book_is_cut_and_read_on_a_cluster_as_in_one_process(cluster, tmp_path):
    save_lines(tmp_path / "lines", [line.strip() for line in re.findall(r".{12,16}\s", GERMAN)] * 3)
    (tmp_path / "text.txt").write_text(GERMAN * 2)
    language = book_language([tmp_path / "text.txt"], "de")
    network = LineNetwork(len(language.lm.alphabet), channels=4, hidden=8, dropout=0.0)

    def prepared():
        pages = list(read_lines([tmp_path / "lines"], "line"))
        book = Book.measure([line for page in pages for line in page.lines], language)
        strips = [Strip(line.ink[:1].repeat(HEIGHT, 0).astype(np.float32), 1.0) for line in book.lines]
        frames = Recogniser(network).log_posteriors(strips)
        return book.tiles.images, book.boxes, book.lengths, book.rows, *frames

    with workers(1):
        alone = prepared()
    with connected(cluster.scheduler_address):
        for here, there in zip(alone, prepared(), strict=True):
            np.testing.assert_array_equal(here, there)


def test_a_scheduler_that_is_not_there_is_told_in_a_line(tmp_path, capfd):
    (tmp_path / "text.txt").write_text("abc" * 50)
    code = run("lm", "build", tmp_path / "text.txt", "-o", tmp_path / "lm.arpa", "--scheduler", "tcp://127.0.0.1:9")
    said = capfd.readouterr().err
    assert code == 2
    assert said.startswith("labelfree: error: no scheduler answers at tcp://127.0.0.1:9 (")
    assert said.count("\n") == 1
    assert not (tmp_path / "lm.arpa").exists()
