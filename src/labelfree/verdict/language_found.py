"""Which language is it? What speaks for each that was tried, and by how much the likeliest leads."""

from __future__ import annotations

from dataclasses import dataclass

from labelfree.verdict.outcome import LEAST_SAVED


@dataclass(frozen=True)
class LanguageFound:
    """The languages that were tried.

    Attributes
    ----------
    nats : tuple of (str, float)
        What speaks for each on a sample, against chance, the best first.
    """

    nats: tuple[tuple[str, float], ...]

    @property
    def code(self) -> str:
        """The likeliest."""
        return self.nats[0][0]

    @property
    def second(self) -> str | None:
        """The next."""
        return self.nats[1][0] if len(self.nats) > 1 else None

    @property
    def lead(self) -> float:
        """Nats by which the likeliest leads."""
        return self.nats[0][1] - self.nats[1][1] if len(self.nats) > 1 else self.nats[0][1]

    @property
    def is_clear(self) -> bool:
        """Whether it leads by more than chance gives, and is read at all."""
        return self.lead >= LEAST_SAVED and self.nats[0][1] >= LEAST_SAVED

    def __str__(self) -> str:
        doubt = "" if self.is_clear else ", which is doubtful"
        lead = f", {self.lead:,.0f} nats before {self.second}" if self.second else ""
        return f"the language seems to be {self.code}{lead}{doubt}"
