"""Every reader of files from strangers, with files that it can read, to be mutated."""

import contextlib
import gzip
import hashlib
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from labelfree import Alphabet, NGramLM, SequenceClassifier
from labelfree.cipher.transcription import layouts
from labelfree.cli.decipher import read_ciphertext
from labelfree.lm.neural import NeuralLM
from labelfree.lm.neural_network import CharacterNetwork
from labelfree.lm.wordlist import WordList
from labelfree.ocr.book import TypeModel
from labelfree.ocr.glyphs.features import DESCRIBED, TileFeatures
from labelfree.ocr.hints import read_hints
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.layout.scans import PageRequest, lay_out
from labelfree.ocr.layout.settings import DEFAULT
from labelfree.ocr.line_reader import Recogniser
from labelfree.ocr.line_reader.network import LineNetwork
from labelfree.ocr.metrics import score
from labelfree.ocr.reader import Reader
from labelfree.ocr.scripts import script_named
from labelfree.ocr.segment import BookStyle
from labelfree.ocr.segment.codebook import COLUMNS, ROWS, Codebook
from labelfree.ocr.sources.files import find_sources
from labelfree.ocr.sources.images import PageReader
from labelfree.storage import load, save
from labelfree.storage.card import signed
from labelfree.storage.checkpoint import Checkpoint, fingerprint
from labelfree.storage.datafile import read_data
from mutations import mutated, with_sums_of_png

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes
    ----------
    seeds : callable
        Gives sound inputs: each the files of a folder, by name; the first of its names is what is read.
    read : callable
        Reads the input that lies in a folder.
    tokens : sequence of bytes
        Words of the format.
    finish : callable, optional
        Makes sums right again after a change of one file, so that what is behind them is looked at.
    """

    seeds: Callable[[], Sequence[Files]]
    read: Callable[[Path, str], object]
    tokens: Sequence[bytes] = ()
    finish: Callable[[dict[str, bytes], str, random.Random], None] | None = None

    def case(self, seeds: Sequence[Files], name: str, number: int) -> dict[str, bytes]:
        """Input so and so, the same in every process."""
        rng = random.Random(f"{name} {number}")
        files = dict(rng.choice(seeds))
        changed = rng.choice(list(files))
        content = files[changed]
        if changed.endswith(".gz") and rng.random() < 0.7:
            files[changed] = gzip.compress(mutated(gzip.decompress(content), rng, self.tokens), 1)
        elif changed.endswith(".npz") and rng.random() < 0.7:
            files[changed] = _mutated_archive(content, rng)
        else:
            files[changed] = mutated(content, rng, self.tokens)
        if self.finish is not None and rng.random() < 0.8:
            self.finish(files, changed, rng)
        return files


def _mutated_archive(content: bytes, rng: random.Random) -> bytes:
    """An archive that is whole, of members that are not."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    members[name] = mutated(
        members[name], rng, (b"'descr'", b"'<i8'", b"'|O'", b"'<U4'", b"(2, ", b"True", b"\x93NUMPY")
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return made.getvalue()


def _data() -> list[Files]:
    X, lengths = np.arange(12).reshape(6, 2) / 2, np.array([4, 2])
    found = []
    for arrays in (
        {"X": X, "lengths": lengths, "y": np.array([0, 1, 0, 1, 1, 0]), "alphabet": "ab"},
        {"X": np.array([[3], [1], [2]], ">i4"), "lengths": np.array([3], np.uint64), "alphabet": np.array(["ch", "b"])},
    ):
        for write in (np.savez, np.savez_compressed):
            stream = io.BytesIO()
            write(stream, **arrays)
            found.append({"data.npz": stream.getvalue()})
    return found


def _language() -> NGramLM:
    return NGramLM.from_text("abba ab. aab bab " * 9, Alphabet("ab ."), order=2)


def _arpa() -> list[Files]:
    import tempfile

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lm.arpa", "lm.arpa.gz"):
            _language().write_arpa(Path(folder) / name)
            found.append({name: (Path(folder) / name).read_bytes()})
    return found


def _text() -> list[Files]:
    text = "Das ſchöne Æon: naïve “words” – and 12 more.\n\nἈρχή всё e\u0301 \u1112\u1161\u11ab".encode() * 3
    return [{"text.txt": text}, {"text.txt.gz": gzip.compress(text)}]


def _read_text(folder: Path, name: str) -> None:
    NGramLM.from_text(folder / name, order=2)
    NGramLM.from_text(folder / name, Alphabet("abc ."), order=3, outside="break")


def _of_folder(folder: Path) -> Files:
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return {"model.json": files.pop("model.json"), **files}


def _classifier(model: str, lm: NGramLM, n_features: int = 3) -> SequenceClassifier:
    import warnings

    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (40, 1)) if model == "table" else rng.random((40, n_features))
    with warnings.catch_warnings(action="ignore"):
        return SequenceClassifier(lm, "spdg", model=model, n_init=1, max_iter=2, random_state=0).fit(X)


def _models() -> list[Files]:
    import tempfile

    found = []
    for model in ("table", "linear", "mlp"):
        with tempfile.TemporaryDirectory() as folder:
            save(_classifier(model, _language()), Path(folder) / "model")
            found.append(_of_folder(Path(folder) / "model"))
    return found


def _sign(files: dict[str, bytes], changed: str, rng: random.Random) -> None:
    """Bring the sums in a model's card up to date with its files, as a stranger would."""
    with contextlib.suppress(ValueError, AttributeError, TypeError, KeyError, RecursionError):
        card = json.loads(files["model.json"])
        card.pop("sha256", None)
        for name, content in files.items():
            if name != "model.json":
                card["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        if changed == "model.json" and rng.random() < 0.5:
            field = rng.choice(list(card))
            card[field] = rng.choice(
                (None, 0, -1, 2**60, 10**400, 1.5, "x", [], [1], {}, {"a": 1}, True, "table", "nan")
            )
        files["model.json"] = signed(card).encode()


def _readers() -> list[Files]:
    import tempfile

    lm = NGramLM.from_text("abba ab. aab bab " * 9, Alphabet("ab ."), order=2)
    rng = np.random.default_rng(0)
    features = TileFeatures(
        "pixels", rng.random(DESCRIBED["pixels"], np.float32), rng.random((3, DESCRIBED["pixels"]), np.float32)
    )
    width = ROWS * COLUMNS + 3
    codebook = Codebook(rng.random((5, width), np.float32), np.full(5, -1.6, np.float32), 0.5)
    words = WordList({"abba": 3, "ab": 2})
    language = BookLanguage(
        lm, "en", script_named("antiqua"), words, NeuralLM(lm.alphabet, CharacterNetwork(4, embedding=3, hidden=3))
    )
    network = LineNetwork(4, channels=1, hidden=2, dropout=0.1)
    reader = Reader(
        _classifier("linear", lm),
        TypeModel(BookStyle(14.0, codebook=codebook), 2.0, 1, features),
        language,
        Recogniser(network),
        transcribed={"0" * 40: np.array([0, 1])},
    )
    with tempfile.TemporaryDirectory() as folder:
        reader.save(Path(folder) / "model")
        return [_of_folder(Path(folder) / "model")]


def _fit_to_keep() -> tuple[SequenceClassifier, np.ndarray]:
    return SequenceClassifier(_language(), "spdg", n_init=1, max_iter=3, random_state=0), np.array(
        [[0], [1], [2], [1]] * 9
    )


def _checkpoints() -> list[Files]:
    import tempfile
    import warnings

    classifier, X = _fit_to_keep()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        path = Path(folder) / "fit.checkpoint"
        with Checkpoint(path, every=0, fingerprint=fingerprint(classifier, X, [36])).keeping():
            classifier.fit(X)
        return [{"fit.checkpoint": path.read_bytes()}]


_MARK = fingerprint(*_fit_to_keep(), [36])


def _read_checkpoint(folder: Path, name: str) -> None:
    _ = Checkpoint(folder / name, every=60, fingerprint=_MARK, resume=True).steps_done


def _drawn(mode: str = "L", size: tuple[int, int] = (60, 24)) -> Image.Image:
    image = Image.new("L", size, 255)
    ImageDraw.Draw(image).text((4, 6), "ab ba", fill=0)
    return image.convert(mode)


def _images(*kinds: tuple[str, str, dict]) -> Callable[[], list[Files]]:
    def seeds() -> list[Files]:
        found = []
        for suffix, mode, options in kinds:
            stream = io.BytesIO()
            _drawn(mode).save(stream, Image.registered_extensions()[f".{suffix}"], **options)
            found.append({f"page.{suffix}": stream.getvalue()})
        return found

    return seeds


def _read_image(folder: Path, name: str) -> None:
    with PageReader() as reader:
        for index in range(min(reader.count(folder / name), 3)):
            reader.read(folder / name, index)


def _mend_png(files: dict[str, bytes], changed: str, rng: random.Random) -> None:
    with contextlib.suppress(struct.error):
        files[changed] = with_sums_of_png(files[changed])


_EXIF = Image.Exif()
_EXIF[0x0112] = 6
_PDF_WORDS = tuple(
    b"/Count /Kids /MediaBox /Type /Pages obj endobj stream xref trailer << >> [ ] /Length /FlateDecode /Width".split()
)
_PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
<Page imageFilename="page.png" imageWidth="60" imageHeight="24">
<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="0" regionRef="r1"/></OrderedGroup></ReadingOrder>
<TextRegion id="r1"><Coords points="0,0 60,0 60,24 0,24"/>
<TextLine id="l1"><Coords points="2,4 58,4 58,20 2,20"/></TextLine>
<TextLine id="l2"><Coords><Point x="2" y="4"/><Point x="30" y="4"/><Point x="30" y="20"/></Coords></TextLine>
</TextRegion></Page></PcGts>"""
_ALTO = """<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description>
<MeasurementUnit>pixel</MeasurementUnit><sourceImageInformation><fileName>page.png</fileName></sourceImageInformation>
</Description><Layout><Page ID="p" WIDTH="60" HEIGHT="24"><PrintSpace><TextBlock ID="b">
<TextLine HPOS="2" VPOS="4" WIDTH="50" HEIGHT="16"/>
<TextLine HPOS="2" VPOS="4" WIDTH="50" HEIGHT="16"><Shape><Polygon POINTS="2,4 50,4 50,20 2,20"/></Shape></TextLine>
</TextBlock></PrintSpace></Page></Layout></alto>"""


def _xml(text: str) -> Callable[[], list[Files]]:
    def seeds() -> list[Files]:
        return [
            {
                "page.xml": text.encode(),
            },
            {"page.xml": text.replace("utf-8", "utf-16").encode("utf-16")},
        ]

    return seeds


_XML_WORDS = (
    *b"<TextLine> </TextLine> <Page> points= &b; imageFilename= file:// ../ C:\\ <Coords WIDTH= POINTS= index=".split(),
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"x" * 300,
)


def _read_xml(folder: Path, name: str) -> None:
    if not (folder / "page.png").exists():
        _drawn().save(folder / "page.png")
    for source in find_sources([folder / name]):
        with PageReader() as reader:
            lay_out(PageRequest(source.path, 0, "page", "builtin", DEFAULT), reader)


def _score(folder: Path, name: str) -> None:
    (folder / "read").mkdir(exist_ok=True)
    (folder / "read" / name).write_text("the text that was read\nof a page", encoding="utf-8")
    score(folder / "read" / name, folder / name)


def _read_cipher(folder: Path, name: str) -> None:
    layouts(read_ciphertext(folder / name))


TARGETS: Mapping[str, Target] = {
    "data": Target(_data, lambda folder, name: read_data(folder / name), (b"X.npy", b"PK\x03\x04", b"PK\x01\x02")),
    "arpa": Target(
        _arpa,
        lambda folder, name: NGramLM.read_arpa(folder / name),
        (
            b"\\data\\",
            b"\\1-grams:",
            b"\\2-grams:",
            b"\\end\\",
            b"ngram 1=",
            b"ngram 3=9",
            b"<s>",
            b"<sp>",
            b"\\u{d800}",
            b"-99",
        ),
    ),
    "text": Target(_text, _read_text, ("\u0301".encode() * 70, "\u0316\u0301".encode() * 300, "\u11ab".encode())),
    "model": Target(
        _models,
        lambda folder, name: load(folder),
        (
            b'"alphabet"',
            b'"n_inputs": ',
            b'"files"',
            b"\\ud800",
            b"inf",
            b"[[[[",
            b'"dtype":"F64"',
            b'"shape":[1]',
            b"F16",
        ),
        _sign,
    ),
    "reader": Target(
        _readers,
        lambda folder, name: Reader.load(folder),
        (
            b'"settings"',
            b'"spread": ',
            b'"version": 5',
            b"\\ud800",
            b"[[[[",
            b'"BF16"',
            b'"shape":[1]',
            b"F8_E4M3",
            b"null",
        ),
        _sign,
    ),
    "checkpoint": Target(
        _checkpoints, _read_checkpoint, (b'"dtype":"F64"', b'"shape":[1]', b'\\"steps\\": ', b"__metadata__")
    ),
    "png": Target(
        _images(("png", "L", {}), ("png", "RGBA", {}), ("png", "P", {}), ("png", "1", {"dpi": (300, 300)})),
        _read_image,
        (b"IHDR", b"IDAT", b"PLTE", b"tRNS", b"iCCP", b"zTXt", b"acTL", b"fcTL", b"eXIf"),
        _mend_png,
    ),
    "jpeg": Target(
        _images(("jpg", "L", {}), ("jpg", "RGB", {"exif": _EXIF}), ("jpg", "CMYK", {"progressive": True})),
        _read_image,
        (b"\xff\xd8", b"\xff\xc0", b"\xff\xc2", b"\xff\xda", b"\xff\xe1", b"\xff\xd9", b"MPF\0"),
    ),
    "tiff": Target(
        _images(
            ("tif", "L", {}),
            ("tif", "1", {"compression": "group4"}),
            ("tif", "RGB", {"compression": "tiff_lzw"}),
            ("tif", "L", {"save_all": True, "append_images": [_drawn(), _drawn("1")]}),
            ("tif", "F", {}),
        ),
        _read_image,
        (b"II*\0", b"MM\0*", b"II+\0"),
    ),
    "gif": Target(
        _images(("gif", "P", {}), ("gif", "P", {"save_all": True, "append_images": [_drawn("P")] * 2})),
        _read_image,
        (b"GIF89a", b"\x21\xf9", b"\x2c", b"\x3b"),
    ),
    "bmp": Target(_images(("bmp", "L", {}), ("bmp", "RGB", {}), ("bmp", "1", {})), _read_image, (b"BM", b"\x28\0\0\0")),
    "pnm": Target(
        _images(("pgm", "L", {}), ("ppm", "RGB", {}), ("pbm", "1", {})),
        _read_image,
        (b"P1 ", b"P4 ", b"P5 ", b"#", b"Pf "),
    ),
    "webp": Target(
        _images(("webp", "RGB", {}), ("webp", "RGBA", {"lossless": True})), _read_image, (b"VP8X", b"ANIM", b"RIFF")
    ),
    "jpeg2000": Target(
        _images(("jp2", "L", {}), ("jp2", "RGB", {})), _read_image, (b"ihdr", b"jp2c", b"\xff\x51", b"\xff\x90")
    ),
    "pdf": Target(
        _images(("pdf", "L", {}), ("pdf", "1", {"save_all": True, "append_images": [_drawn("1")]})),
        _read_image,
        _PDF_WORDS,
    ),
    "page": Target(_xml(_PAGE), _read_xml, _XML_WORDS),
    "alto": Target(_xml(_ALTO), _read_xml, _XML_WORDS),
    "hints": Target(
        lambda: [
            {"hints.txt": "# what I know\n0001: Der Anfang\n0002:3\tund ſo\ngroup 17 = æ\ngroup 3 = space\n".encode()}
        ],
        lambda folder, name: read_hints(folder / name),
        (b"group ", b" = ", b": ", b"#", b":9999999999"),
    ),
    "cipher": Target(
        lambda: [
            {"secret.txt": b"Uif dbu tbu po uif nbu. Ju xbt gbu."},
            {"secret.txt": b"12 7 33 7 / 12 9 4 7 12 / 33 9"},
        ],
        _read_cipher,
        (b" / ", b"\t", "Ⅷ".encode(), "\u0301".encode() * 70),
    ),
    "truth": Target(
        lambda: [{"page.txt": "The text that was read\nof a pagé".encode()}],
        _score,
        ("e\u0301".encode(), b"\x0c", b"\x1c"),
    ),
}
"""All readers, by name."""
