"""`labelfree lm info`: what a language model knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelfree.cli.options import Json

if TYPE_CHECKING:
    from labelfree.lm import NGramLM


def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An ARPA file.")],
    top: Annotated[int, typer.Option("--top", min=1, help="How many of the most frequent N-grams to list.")] = 10,
    json: Json = False,
) -> None:
    """Tell the order, symbols, size and perplexity of a language model, and what is frequent in it.

    Example: labelfree lm info en.arpa.gz
    """
    from labelfree.cli.show import as_facts, as_json, as_table, percent, quoted
    from labelfree.lm import NGramLM

    found = describe(NGramLM.read_arpa(file), top)
    if json:
        as_json({"file": str(file), **found})
        return
    as_facts(
        [
            ("file", file),
            ("order", found["order"]),
            ("symbols", f"{len(found['symbols'])}: {' '.join(map(quoted, found['symbols']))}"),
            *((f"{n}-grams", count) for n, count in enumerate(found["ngrams"], 1)),
            ("entropy", f"{found['entropy_bits']:.3f} bits a symbol"),
            ("perplexity", f"{found['perplexity']:.2f}"),
        ]
    )
    for n, rows in enumerate(found["frequent"], 1):
        print()
        as_table(
            f"Most frequent {n}-grams", ["text", "share"], [(repr(row["text"]), percent(row["share"])) for row in rows]
        )


def describe(lm: NGramLM, top: int) -> dict[str, Any]:
    """The figures of a model, with so many of its most frequent N-grams of each order up to 3."""
    import numpy as np

    frequent = [lm.joint(n, top=top) for n in range(1, min(lm.order, 3) + 1)] if top else []
    return {
        "order": lm.order,
        "symbols": list(lm.alphabet),
        "ngrams": [int(level.codes.size) for level in lm.backoff.levels],
        "entropy_bits": float(lm.entropy / np.log(2)),
        "perplexity": float(np.exp(lm.entropy)),
        "frequent": [
            [
                {"text": lm.alphabet.decode(ids), "share": float(share)}
                for ids, share in zip(found.ids, found.probability, strict=True)
            ]
            for found in frequent
        ],
    }
