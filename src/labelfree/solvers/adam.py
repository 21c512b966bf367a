"""Adam, as `torch.optim.Adam` takes its steps, bit for bit.

That one is not used because what it imports (a compiler) takes longer than a small fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor

_DECAY, _DECAY_OF_SQUARES, _LEAST = 0.9, 0.999, 1e-8


class Adam:
    """Moves parameters against their gradients, in place.

    Parameters
    ----------
    parameters : iterable of Tensor
        Leaves of the graph; those without a gradient stay as they are.
    rate : float
        The step size; may be set anew before any step.

    Examples
    --------
    >>> x = torch.ones(1, requires_grad=True)
    >>> optimizer = Adam([x], rate=0.25)
    >>> (3 * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    0.75
    """

    def __init__(self, parameters: Iterable[Tensor], rate: float) -> None:
        self.parameters = list(parameters)
        self.rate = rate
        self._memory: list[dict[str, Tensor]] = [{} for _ in self.parameters]

    def add(self, parameter: Tensor) -> None:
        """Move one more parameter from now on."""
        self.parameters.append(parameter)
        self._memory.append({})

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Take a step."""
        for parameter, memory in zip(self.parameters, self._memory, strict=True):
            gradient = parameter.grad
            if gradient is None:
                continue
            if not memory:
                memory["step"] = torch.tensor(0.0)
                memory["exp_avg"] = torch.zeros_like(parameter)
                memory["exp_avg_sq"] = torch.zeros_like(parameter)
            memory["step"] += 1
            n = memory["step"].item()
            mean = memory["exp_avg"].lerp_(gradient, 1 - _DECAY)
            square = (
                memory["exp_avg_sq"].mul_(_DECAY_OF_SQUARES).addcmul_(gradient, gradient, value=1 - _DECAY_OF_SQUARES)
            )
            spread = (square.sqrt() / math.sqrt(1 - _DECAY_OF_SQUARES**n)).add_(_LEAST)
            parameter.addcdiv_(mean, spread, value=-self.rate / (1 - _DECAY**n))

    def keep(self, starts: Tensor) -> None:
        """Drop what is remembered of all starts but these."""
        for memory in self._memory:
            for name in memory.keys() - {"step"}:
                memory[name] = memory[name][starts].clone()

    def state(self, prefix: str) -> dict[str, Tensor]:
        """All that is remembered, as named tensors."""
        return {
            f"{prefix}.{i}.{name}": value for i, memory in enumerate(self._memory) for name, value in memory.items()
        }

    def restore(self, prefix: str, state: dict[str, Tensor]) -> None:
        """Go back to a state."""
        memory: list[dict[str, Tensor]] = [{} for _ in self.parameters]
        for name, value in state.items():
            if name.startswith(prefix + "."):
                _, i, key = name.split(".")
                memory[int(i)][key] = value.clone()
        self._memory = memory
