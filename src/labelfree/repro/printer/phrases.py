"""Names, months and abbreviations of which lists, headings and notes are made, by language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Phrases:
    """Words of one language.

    Attributes
    ----------
    chapter, born, died, married, at, of, see, volume, page : str
        Words and abbreviations of headings, lists and notes.
    date : str
        How a day is written, with ``{day}``, ``{month}`` and ``{year}``.
    months, forenames, surnames, places, books : tuple of str
    """

    chapter: str
    born: str
    died: str
    married: str
    at: str
    of: str
    see: str
    volume: str
    page: str
    date: str
    months: tuple[str, ...]
    forenames: tuple[str, ...]
    surnames: tuple[str, ...]
    places: tuple[str, ...]
    books: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PHRASES = {
    "en": Phrases(
        chapter="Chapter",
        born="b.",
        died="d.",
        married="m.",
        at="at",
        of="of",
        see="See",
        volume="vol.",
        page="p.",
        date="{day} {month} {year}",
        months=_words("Jan. Feb. March April May June July Aug. Sept. Oct. Nov. Dec."),
        forenames=_words(
            "John William Thomas George James Henry Charles Robert Joseph Edward Samuel Richard Benjamin Daniel Isaac "
            "Jacob Abraham Ezra Josiah Philip Mary Elizabeth Anne Sarah Margaret Jane Martha Hannah Susannah Abigail "
            "Rebecca Esther Lydia Ruth Judith Phoebe Katharine Frances Zilpah Quintin Xenia Victor Ursula Oliver"
        ),
        surnames=_words(
            "Smith Taylor Browne Wright Walker Turner Cooper Hill Ward Morris Clarke Harrison Jackson Baker Green King "
            "Fletcher Knight Quincy Zeller Vaughan Yates Underwood Oxley Ingram Jefferson Kemble Lathrop Mather Norton "
            "Osborne Penrose Rutledge Stanhope Thwaite Upham Varnum Winthrop Young Eliot Dudley"
        ),
        places=_words(
            "Boston Salem York Bristol Exeter Norwich Kendal Quebec Jersey Dover Hartford Lynn Ipswich Windsor Oxford "
            "Uxbridge Zennor Virginia Concord Lancaster Durham Kingston Plymouth"
        ),
        books=("History", "Annals", "Records", "Memoirs", "Topography", "Antiquities", "Register"),
    ),
    "de": Phrases(
        chapter="Kapitel",
        born="geb.",
        died="gest.",
        married="verm.",
        at="zu",
        of="von",
        see="Siehe",
        volume="Bd.",
        page="S.",
        date="{day}. {month} {year}",
        months=_words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
        forenames=_words(
            "Johann Friedrich Wilhelm Karl Heinrich Georg Christian Gottlieb Ludwig August Jakob Peter Franz Joseph "
            "Konrad Anton Ulrich Matthias Quirin Valentin Xaver Anna Maria Elisabeth Katharina Dorothea Sophie "
            "Christiane Johanna Margarethe Barbara Eva Therese Luise Henriette Ursula Josepha"
        ),
        surnames=_words(
            "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf "
            "Schröder Neumann Schwarz Zimmermann Braun Krüger Hartmann Lange Werner Krause Lehmann Köhler Jung Vogel "
            "Quandt Otto Günther Ebert Ullrich Dietz Pfeiffer Raabe Thoma Ilgen"
        ),
        places=_words(
            "Leipzig Dresden Weimar Jena Halle Erfurt Gotha Kassel Köln Ulm Augsburg Nürnberg Zwickau Quedlinburg Bonn "
            "Münster Oldenburg Innsbruck Jüterbog Ülzen Potsdam Trier Vilshofen"
        ),
        books=("Geschichte", "Chronik", "Beschreibung", "Jahrbuch", "Urkunden", "Denkwürdigkeiten"),
    ),
    "fr": Phrases(
        chapter="Chapitre",
        born="né",
        died="m.",
        married="mar.",
        at="à",
        of="de",
        see="Voyez",
        volume="tome",
        page="p.",
        date="le {day} {month} {year}",
        months=_words("janvier fevrier mars avril may juin juillet aoust septembre octobre novembre decembre"),
        forenames=_words(
            "Jean Pierre François Louis Jacques Charles Antoine Nicolas Claude Philippe Henry Guillaume Michel "
            "Estienne Gabriel Joseph Victor Xavier Marie Anne Jeanne Marguerite Catherine Françoise Louise Charlotte "
            "Magdeleine Elisabeth Barbe Therese"
        ),
        surnames=_words(
            "Martin Bernard Dubois Laurent Simon Michel Lefebvre Leroy Roux David Bertrand Morel Fournier Girard "
            "Bonnet Dupont Lambert Fontaine Rousseau Vincent Mercier Guerin Boyer Garnier Chevalier Joly Quesnel Noel "
            "Yvon Urbain Olivier Ogier"
        ),
        places=_words(
            "Paris Lyon Rouen Tours Dijon Blois Nantes Rennes Bordeaux Toulouse Orleans Angers Amiens Reims Troyes "
            "Quimper Vannes Upsal Issoire Xaintes Evreux"
        ),
        books=("Histoire", "Memoires", "Annales", "Voyages", "Description", "Recueil"),
    ),
}
"""By the code of the language."""
