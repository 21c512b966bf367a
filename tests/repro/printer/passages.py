"""Text for the books of these tests."""

from __future__ import annotations

ENGLISH = (
    "The ferry leaves the old harbour long before sunrise, and nobody on the quay waves a lantern any more. "
    "Quiet mills turn beside the river; their wheels were mended in spring by six joiners from the next "
    "valley.",
    "“What the clock maker wanted,” he said, “was neither gold nor praise but one dry room with a window to "
    "the north.” My aunt keeps forty jars of plums behind the kitchen door; the first of them was filled in "
    "1867, the last in 1905.",
    "Snow fell on Thursday. By Friday the road to Kell was closed—so the office told us—and the post came over "
    "the ridge on a sledge! Did anybody else see the 24 lamps (or was it 39?) that flickered for an hour "
    "beneath the cliff?",
    "A grey heron, patient as a judge, waits among the reeds until every fish has forgotten that it is there. "
    "Zealous exporters, jealous of Verona and Quebec, judged the extraordinarily expensive boxes by their "
    "fluffy lids.",
)
GERMAN = (
    "Der alte Müller ging am Morgen über die Brücke und sah, wie das Wasser unter den Bögen rauschte. Niemand "
    "wußte, woher die Fremden kamen, doch jeder im Dorf hatte sie schon einmal gesehen; es waren ihrer zwölf.",
    "Als der Schnee geschmolzen war, fanden die Kinder im Garten einen Schlüssel aus schwarzem Eisen. „Die "
    "Großmutter“, sagte Xaver, „erzählt nichts davon.“ Sie legte ihn 1843 in die Schublade zu den anderen, "
    "jetzt fehlt er!",
    "Im Herbst brannte jeden Abend Licht in der Werkstatt, und man hörte das Hämmern bis zum Kirchplatz. Quer "
    "über den Hof lief ein Igel. Öfen, Ärzte und Übel nennt der Vogt Paulus in seiner Jahresrechnung nicht; "
    "warum?",
)
