"""Several processes that take every step together, as `torchrun` starts them: each on its share of the batch.

A step draws the same windows in all processes, each reads its share of them, and what the shares sum to, N-grams and
gradients, is the same everywhere. So parameters stay alike to the bit, and what is saved does not tell how many there
were. Rank 0 writes; the others work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor

from labelfree.errors import InputError, WorkerError

_NAMES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_PATIENCE = timedelta(minutes=30)  # until a process that does not answer counts as lost; one that ends is seen at once


@dataclass(frozen=True)
class Ranks:
    """Which of how many processes this is."""

    rank: int = 0
    size: int = 1

    def share(self, n: int) -> slice:
        """Which of so many things are this process's.

        Examples
        --------
        >>> [Ranks(rank, 3).share(10) for rank in range(3)]
        [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
        """
        return slice(n * self.rank // self.size, n * (self.rank + 1) // self.size)

    def total(self, mine: Tensor) -> Tensor:
        """The sum over all processes, the same in each; its gradient goes to this one's part alone."""
        if self.size == 1:
            return mine
        total: Tensor = _Total.apply(mine)  # type: ignore[no-untyped-call]
        return total

    def add_up_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Sum the gradients of all processes, in place."""
        if self.size == 1:
            return
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = _reduced(torch.cat([gradient.reshape(-1) for gradient in gradients]))
        for gradient, part in zip(
            gradients, torch.split(flat, [gradient.numel() for gradient in gradients]), strict=True
        ):
            gradient.copy_(part.view_as(gradient))

    def agree(self, parameters: Iterable[Tensor]) -> None:
        """Give all processes the values that the first has, whatever machines they are on."""
        if self.size > 1:
            for parameter in parameters:
                parameter.data = _reduced(parameter.data if self.rank == 0 else torch.zeros_like(parameter.data))


class _Total(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, mine: Tensor) -> Tensor:
        return _reduced(mine.clone())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0]


_ranks: ContextVar[Ranks] = ContextVar("ranks", default=Ranks())  # noqa: B039 - it never changes


def ranks() -> Ranks:
    """The processes in force."""
    return _ranks.get()


@contextmanager
def joined() -> Iterator[Ranks]:
    """Work together with the other processes of a job, where this one is of such a job; else alone."""
    given = {name: os.environ.get(name) for name in _NAMES}
    if given["WORLD_SIZE"] is None or given["RANK"] is None:
        yield ranks()
        return
    found = _checked(given)
    if found.size == 1:
        yield found
        return
    from torch import distributed

    try:
        distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo", timeout=_PATIENCE)
    except (RuntimeError, ValueError) as error:
        raise WorkerError(
            f"process {found.rank} of {found.size} found no others at {given['MASTER_ADDR']}:{given['MASTER_PORT']} "
            f"({_one_line(error)}); start all of them, with torchrun"
        ) from None
    token = _ranks.set(found)
    try:
        yield found
    finally:
        _ranks.reset(token)
        distributed.destroy_process_group()


def _reduced(tensor: Tensor) -> Tensor:
    from torch import distributed

    try:
        distributed.all_reduce(tensor)
    except RuntimeError as error:
        found = ranks()
        raise WorkerError(
            f"another of the {found.size} processes is gone, which a lack of memory may cause; process {found.rank} "
            "ends too: go on with --resume, with as many processes or others"
        ) from error
    return tensor


def _checked(given: dict[str, str | None]) -> Ranks:
    try:
        if None in given.values():
            raise ValueError
        found = Ranks(int(given["RANK"] or ""), int(given["WORLD_SIZE"] or ""))
        if not 0 <= found.rank < found.size:
            raise ValueError
    except ValueError:
        shown = ", ".join(f"{name}={value}" for name, value in given.items())
        raise InputError(f"{shown} found, what torchrun sets wanted; start with torchrun, or unset RANK") from None
    return found


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
