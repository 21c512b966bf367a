"""`labelfree languages`: what is built in."""

from __future__ import annotations

from labelfree.cli.options import Json


def languages(json: Json = False) -> None:
    """List the languages that are built in, the scripts they are printed in, and what their words come from.

    Example: labelfree languages

    Any other language is learned from text: labelfree lm build FOLDER, or --text of ocr and decipher.
    """
    from dataclasses import asdict

    from labelfree.cli.show import as_json, as_table
    from labelfree.lm.languages import known_languages, language_pack
    from labelfree.ocr.scripts import SCRIPTS, script_of_letters

    packs = [language_pack(code) for code in known_languages()]
    set_in = {pack.code: script_of_letters(pack.scripts[0], pack.code) for pack in packs}
    if json:
        scripts = [
            {"name": script.name, "about": script.about, "letters": script.letters, "direction": script.direction}
            for script in SCRIPTS.values()
        ]
        as_json(
            {"languages": [{**asdict(pack), "script": set_in[pack.code].name} for pack in packs], "scripts": scripts}
        )
        return
    as_table(
        "Languages",
        ["code", "language", "letters", "script", "words", "from"],
        [
            (
                pack.code,
                pack.name,
                ", ".join(pack.scripts).title(),
                set_in[pack.code].name,
                f"{pack.words:,}",
                pack.source,
            )
            for pack in packs
        ],
    )
    print()
    as_table("Scripts", ["script", "what it is"], [(script.name, script.about) for script in SCRIPTS.values()])
