"""`labelfree info`: what is inside a model folder."""

from __future__ import annotations

import dataclasses

from labelfree.cli.options import Json, ModelArgument


def info(model: ModelArgument, json: Json = False) -> None:
    """Tell what is inside a model folder, after checking all of it.

    Example: labelfree info model
    """
    from labelfree.cli.show import as_facts, as_json, quoted
    from labelfree.storage import load, load_card

    load(model)  # checks every field against every other
    card = load_card(model)
    if json:
        as_json({"path": str(model), **dataclasses.asdict(card)})
        return
    verdict = card.diagnosis
    reads = f"{card.n_inputs} distinct symbols" if card.inputs == "symbols" else f"{card.n_features} features"
    asked = ", ".join(f"{name}={value}" for name, value in card.settings.items() if value is not None)
    facts: list[tuple[str, object]] = [
        ("model", model),
        ("written by", f"labelfree {card.labelfree_version}, format version {card.format_version}"),
        ("reads", f"{reads} a position, through a {card.model}"),
        ("writes", f"{len(card.alphabet)} symbols: {' '.join(quoted(symbol) for symbol in card.alphabet)}"),
        ("language model", f"order {card.lm_order}"),
        ("fitted by", f"{card.solver}, order {card.order}, {asked}"),
        ("converged", "yes" if card.converged else f"no: {verdict['message']}"),
        ("KL from the language", f"{verdict['kl']:.4f}, below {verdict['wanted_kl']:.4f} usual"),
        ("starts", f"{len(card.restarts)}, the best {min(card.restarts, default=card.kl):.4f}"),
        ("steps", card.n_iter),
        *((f"note {i}", note) for i, note in enumerate(card.notes, 1)),
    ]
    as_facts(facts)
