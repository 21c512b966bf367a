"""What a person does in kraken: opens a file by its own parser, corrects the first line, saves it as ALTO and PAGE.

    python through_kraken.py KRAKEN TEXT FILE...

KRAKEN is a folder with the packages that `make kraken` puts there. Prints, as JSON, what kraken saw in each file.
"""

import json
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path


def main(kraken: str, text: str, *files: str) -> None:
    sys.path.append(kraken)  # last, so that what is installed goes before it
    from kraken import serialization
    from kraken.lib.xml import XMLPage

    told = []
    for file in files:
        page = XMLPage(file)
        seen = page.to_container()
        lines = [record(line, text if i == 0 else line.text) for i, line in enumerate(seen.lines)]
        for template in ("alto", "pagexml"):
            saved = serialization.serialize(replace(seen, lines=lines), image_size=page.image_size, template=template)
            Path(f"{file}.{template}.xml").write_text(saved, encoding="utf-8")
        told.append({"texts": [line.text for line in seen.lines], "baselines": [line.baseline for line in seen.lines]})
    print(json.dumps(told))


def record(line, text):
    from kraken.containers import BaselineOCRRecord

    (left, _), (right, _) = line.baseline[0], line.baseline[-1]
    ends = [round((right - left) * i / len(text)) for i in range(len(text) + 1)]
    return BaselineOCRRecord(text, list(pairwise(ends)), [1.0] * len(text), line)


if __name__ == "__main__":
    main(*sys.argv[1:])
