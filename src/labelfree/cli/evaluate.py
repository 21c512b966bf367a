"""`labelfree evaluate`: how often a model is wrong, where, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from labelfree.cli.options import DataArgument, Json, ModelArgument, Seed, Threads, use_threads

if TYPE_CHECKING:
    from labelfree.evaluate import Evaluation

_ROWS = 10


def evaluate(
    model: ModelArgument,
    data: DataArgument,
    decode: Annotated[bool, typer.Option("--decode", help="Let the language model read along.")] = False,
    seed: Seed = 0,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Compare what a model reads with the true labels, `y` in the data file.

    Example: labelfree evaluate model test.npz

    Prints the error rate, the symbols that cost most and the commonest confusions, with 95% bootstrap intervals over
    sequences; the whole confusion matrix with --json.
    """
    use_threads(threads)
    import numpy as np

    from labelfree.cli.predict import load_both
    from labelfree.evaluate import evaluate as compare

    classifier, sequences = load_both(model, data)
    truth, symbols = sequences.labels_in(classifier.lm.alphabet)
    reads = classifier.decode if decode else classifier.predict
    read = np.concatenate([reads(part.X, lengths=part.lengths) for part in sequences.parts()])
    n_classes = len(classifier.lm.alphabet)
    found = compare(truth, read, sequences.lengths, n_classes, n_symbols=len(symbols), seed=seed)
    (_print_json if json else _print_tables)(found, symbols)


def _print_json(found: Evaluation, symbols: tuple[str, ...]) -> None:
    from labelfree.cli.show import as_json

    errors, times = found.errors_by_symbol, found.confusion.sum(1)
    rates = found.by_symbol
    as_json(
        {
            "error_rate": found.error.share,
            "interval": [found.error.low, found.error.high],
            "level": found.level,
            "resampled": found.resampled,
            "n_positions": found.n_positions,
            "n_sequences": found.n_sequences,
            "symbols": [
                {
                    "symbol": symbol,
                    "times": times[i],
                    "errors": errors[i],
                    "error_rate": rates.share[i],
                    "interval": [rates.low[i], rates.high[i]],
                }
                for i, symbol in enumerate(symbols)
            ],
            "confusion": {"true": symbols, "read": symbols[: found.confusion.shape[1]], "counts": found.confusion},
        }
    )


def _print_tables(found: Evaluation, symbols: tuple[str, ...]) -> None:
    from labelfree.cli.show import as_table, percent, quoted

    error, rates = found.error, found.by_symbol
    low, high = percent(float(error.low)), percent(float(error.high))
    print(f"error rate {percent(float(error.share))}, {found.level:.0%} interval {low} to {high}")
    print(f"over {found.n_positions} positions in {found.n_sequences} sequences; intervals resample {found.resampled}")
    worst = found.worst_symbols(_ROWS)
    if not worst.size:
        return
    errors, times = found.errors_by_symbol, found.confusion.sum(1)
    print()
    as_table(
        "Symbols with the most errors",
        ["symbol", "times", "errors", "error rate", "from", "to"],
        [
            (
                quoted(symbols[i]),
                times[i],
                errors[i],
                percent(rates.share[i]),
                percent(rates.low[i]),
                percent(rates.high[i]),
            )
            for i in worst.tolist()
        ],
    )
    print()
    as_table(
        "Commonest confusions",
        ["true", "read as", "times", "of its times"],
        [(quoted(symbols[t]), quoted(symbols[r]), n, percent(n / times[t])) for t, r, n in found.top_confusions(_ROWS)],
    )
