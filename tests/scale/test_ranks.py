"""Processes that share every batch: the steps of one, a lost one is told of, and any number goes on."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from ..english import english

_STEPS = """
    import sys, numpy as np, torch
    from labelfree.lm import NGramLM
    from labelfree.scale.ranks import joined
    from labelfree.solvers import SPDG, SGD, Problem
    from labelfree.solvers.method import initial_model
    from labelfree.solvers.run import Companion, accompanied_by
    from labelfree.storage.datafile import read_data

    class Watch(Companion):
        def __init__(self):
            self.seen = []
        def stepped(self, run, remaining):
            self.seen.append(torch.cat([p.data.reshape(-1) for p in run.model.parameters()]).numpy().copy())

    data, lm, out = sys.argv[1:]
    data, lm = read_data(data), NGramLM.read_arpa(lm)
    watch = Watch()
    with joined() as group:
        for method in (SPDG(rate=0.005, dual="mean"), SPDG(rate=0.005, dual="log"), SGD()):
            problem = Problem.from_sequences(torch.from_numpy(data.X).double(), data.lengths, lm, 2)
            model = initial_model(problem, "linear", 2, 0).double()
            run = method.start(problem, model, 0)
            run.batch_size, run.entropy = 301, 0.3
            with accompanied_by(watch):
                run.advance(100)
    if group.rank == 0:
        np.save(out, np.stack(watch.seen))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    task = english(n_positions=4_000, noise=0.4)
    np.savez(folder / "data.npz", X=task.features, lengths=task.lengths)
    task.lm.write_arpa(folder / "lm.arpa")
    (folder / "steps.py").write_text(textwrap.dedent(_STEPS))
    return folder


def begun(n: int, *command: str) -> list[subprocess.Popen]:
    """So many processes of one job, as torchrun begins them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(n), "OMP_NUM_THREADS": "1"}
    return [
        subprocess.Popen(
            [sys.executable, *command],
            env=os.environ | place | {"RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(n)
    ]


def ended(processes: list[subprocess.Popen]) -> list[tuple[int, str]]:
    told = [process.communicate(timeout=300)[1] for process in processes]
    return [(process.returncode, text) for process, text in zip(processes, told, strict=True)]


def test_two_processes_take_the_steps_of_one(files):
    for n in (1, 2):
        found = ended(
            begun(n, str(files / "steps.py"), str(files / "data.npz"), str(files / "lm.arpa"), f"{files}/{n}")
        )
        assert [code for code, _ in found] == [0] * n, found
    one, two = (np.load(files / f"{n}.npy") for n in (1, 2))
    assert one.shape[0] == 300
    assert np.abs(one[99] - one[0]).max() > 0.01
    apart = np.abs(one - two).max(1).reshape(3, 100).max(1)
    assert (apart < 1e-6).all(), apart


def test_a_lost_process_ends_the_job_with_one_line_and_another_number_goes_on(files):
    data = [str(files / "data.npz"), "--lm", str(files / "lm.arpa"), "-o", str(files / "model"), "--solver", "spdg"]
    command = ["-m", "labelfree", "fit", *data, "--n-init", "2", "--max-iter", "800", "--checkpoint-every", "0.01"]
    kept = files / "model.checkpoint"
    first, second = begun(2, *command)
    while not kept.exists() and first.poll() is None:
        time.sleep(0.01)
    second.send_signal(signal.SIGKILL)
    (code, told), _ = ended([first, second])
    assert code == 2
    assert told.count("\n") == 1, told
    assert "another of the 2 processes is gone" in told
    assert "--resume" in told
    assert kept.exists()
    [(code, told)] = ended(begun(1, *command, "--resume"))
    assert code in (0, 1), told  # believed or not
    assert (files / "model" / "model.json").exists()
    assert not kept.exists()


def test_what_is_no_job_is_refused():
    process = subprocess.run(
        [sys.executable, "-c", "from labelfree.scale.ranks import joined\nwith joined(): pass"],
        env=os.environ | {"RANK": "2", "WORLD_SIZE": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "RANK=2, WORLD_SIZE=2, MASTER_ADDR=None, MASTER_PORT=None found" in process.stderr
