"""Settings are kept with a reader, and one that does not know them is refused."""

from __future__ import annotations

import dataclasses
import json

import pytest

from labelfree.ocr.pipeline import Settings
from labelfree.ocr.reader_folder import _card, _like


def test_settings_come_back_from_json_as_they_were() -> None:
    other = dataclasses.replace(
        Settings(),
        least_gain=0.5,
        glyphs=dataclasses.replace(Settings().glyphs, geometry_weight=12.0),
        tile_reader=dataclasses.replace(Settings().tile_reader, clusters=(1.0, 2.0, 3.0)),
    )
    assert _like(Settings(), json.loads(json.dumps(dataclasses.asdict(other)))) == other


@pytest.mark.parametrize(
    "change",
    [
        {"unheard": 1},
        {"least_gain": "much"},
        {"least_gain": True},
        {"glyphs": 3},
    ],
)
def test_settings_of_another_kind_are_refused(change) -> None:
    with pytest.raises((ValueError, TypeError)):
        _like(Settings(), dataclasses.asdict(Settings()) | change)


def test_settings_that_an_older_folder_lacks_are_the_usual_ones() -> None:
    kept = dataclasses.asdict(dataclasses.replace(Settings(), least_gain=0.5))
    kept["glyphs"].pop("geometry_weight")
    assert _like(Settings(), kept) == dataclasses.replace(Settings(), least_gain=0.5)


def test_a_card_that_still_names_what_cut_the_lines_is_read(tmp_path) -> None:
    settings = dataclasses.asdict(Settings()) | {"segmenter": "builtin"}
    settings["segment"] |= {"fills": 0.8}
    card = {
        "version": 5,
        "language": "en",
        "script": "antiqua",
        "type": {},
        "doubt_power": 0.5,
        "has_shape_prior": True,
        "transcribed": {},
        "settings": settings,
        "recogniser": None,
        "neural": None,
    }
    (tmp_path / "ocr.json").write_text(json.dumps(card))
    assert _card(tmp_path / "ocr.json")["settings"] == Settings()
