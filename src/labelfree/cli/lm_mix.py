"""`labelfree lm mix`: one language model out of several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelfree.cli.options import Force, Json

if TYPE_CHECKING:
    from labelfree.lm import NGramLM


def mix(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="ARPA files over the same symbols.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")],
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="LIST", help="How much each counts, such as 0.7,0.3.")
    ] = None,
    held_out: Annotated[
        Path | None, typer.Option("--held-out", metavar="TEXT", help="A text to find the weights on instead.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Mix language models over the same symbols, by given weights or by those that suit a text best.

    Example: labelfree lm mix general.arpa.gz letters.arpa.gz --held-out page.txt -o mixed.arpa.gz
    """
    from labelfree.cli.lm_info import describe
    from labelfree.cli.show import as_json
    from labelfree.files import output_at

    with output_at(output, force=force):
        mixed = _mixed(files, weights, held_out)
        mixed.write_arpa(output)
    if json:
        as_json({"file": str(output), **describe(mixed, 0)})
    else:
        figures = describe(mixed, 0)
        print(f"{output}: order {mixed.order}, {len(mixed.alphabet)} symbols, perplexity {figures['perplexity']:.2f}")


def _mixed(files: list[Path], weights: str | None, held_out: Path | None) -> NGramLM:
    """Read and mix; whatever is wrong is said with the name of the file."""
    from labelfree.errors import InputError
    from labelfree.lm import NGramLM

    models = [NGramLM.read_arpa(file) for file in files]
    for file, model in zip(files, models, strict=True):
        if model.alphabet != models[0].alphabet:
            raise InputError(
                f"{file} is over {''.join(model.alphabet)[:40]!r}, the symbols of {files[0]}, "
                f"{''.join(models[0].alphabet)[:40]!r}, wanted; build both with the same --alphabet"
            )
    text = None if held_out is None else read_text(held_out)
    try:
        return NGramLM.interpolate(models, _numbers(weights), text)
    except InputError as error:
        raise InputError(f"{held_out}: {error}" if held_out is not None and weights is None else str(error)) from None


def read_text(path: Path) -> str:
    """All of a UTF-8 file, or one line that says why not."""
    from labelfree.lm.sources import sequences_of_pieces

    return "\n".join("".join(pieces) for pieces in sequences_of_pieces(path))


def _numbers(listed: str | None) -> list[float] | None:
    from labelfree.errors import InputError

    if listed is None:
        return None
    try:
        return [float(one) for one in listed.split(",")]
    except ValueError:
        raise InputError(f"--weights is {listed!r}, numbers with commas between wanted, such as 0.7,0.3") from None
