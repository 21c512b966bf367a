"""Writes docs/PAPER.md from what the commands of `labelfree paper` wrote into docs/paper."""

import json
from pathlib import Path

from labelfree.repro.paper.folder import as_markdown

HERE = Path(__file__).parent
RESULTS = HERE / "paper"
ORDER = (
    "table1-spelling",
    "table1-rendered",
    "table1-scans",
    "books",
    "table2",
    "ablation-batch",
    "ablation-data",
    "ablation-language",
    "ablation-classes",
    "ablation-agreement",
    "planes",
    "saddle",
    "line",
    "complete",
    "reading",
)


def main() -> None:
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*.json")}
    parts = [(HERE / "paper-head.md").read_text(encoding="utf-8")]
    for name in [*ORDER, *sorted(set(found) - set(ORDER))]:
        if name in found:
            content = found[name]
            content["pictures"] = [f"paper/{picture}" for picture in content["pictures"]]
            parts.append(as_markdown(content))
    parts.append((HERE / "paper-differences.md").read_text(encoding="utf-8"))
    (HERE / "PAPER.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
