"""Writes docs/RESULTS.md: the benchmarks' own output, each below the command that printed it.

    python docs/results.py [benchmark ...]

With LABELFREE_DATA set, the runs that need that folder are made too. A benchmark named is run again and the others keep
what the page says they printed.
"""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "RESULTS.md"
RUNS = {
    "counting": ("Counting characters", "benchmarks/counting.py"),
    "decoding": ("Decoding", "benchmarks/decoding.py"),
    "spelling": (
        "The paper's substitution task (Spell-Corr), English that ships with Python",
        "benchmarks/spelling.py",
    ),
    "spelling-news": (
        "The same on news, with a language model of novels for the other domain",
        "benchmarks/spelling.py --baseline-seeds 0 --text $LABELFREE_DATA/spelling_dev_reuters "
        "--in-domain $LABELFREE_DATA/news_reuters21578/reuters_lm.txt.gz "
        "--lm-text $LABELFREE_DATA/lm_english_novels/english_novels.txt.gz",
    ),
    "spelling-news-3": (
        "The same with 3-gram models on news, with a language model of novels for the other domain",
        "benchmarks/spelling.py --lm-order 3 --baseline-seeds 0 --text $LABELFREE_DATA/spelling_dev_reuters "
        "--in-domain $LABELFREE_DATA/news_reuters21578/reuters_lm.txt.gz "
        "--lm-text $LABELFREE_DATA/lm_english_novels/english_novels.txt.gz",
    ),
    "spelling-novels": (
        "The same on novels, with a language model of speeches for the other domain",
        "benchmarks/spelling.py --baseline-seeds 0 --text $LABELFREE_DATA/spelling_pd_dev "
        "--in-domain $LABELFREE_DATA/lm_english_novels/english_novels.txt.gz "
        "--lm-text $LABELFREE_DATA/lm_english_speeches/us_speeches.txt.gz",
    ),
    "spelling-novels-3": (
        "The same with 3-gram models on novels, with a language model of speeches for the other domain",
        "benchmarks/spelling.py --lm-order 3 --baseline-seeds 0 --text $LABELFREE_DATA/spelling_pd_dev "
        "--in-domain $LABELFREE_DATA/lm_english_novels/english_novels.txt.gz "
        "--lm-text $LABELFREE_DATA/lm_english_speeches/us_speeches.txt.gz",
    ),
    "decipher": ("Ciphers, beside subbreaker", "benchmarks/decipher.py"),
    "verdict-fits": (
        "What is believed of fits, and whether it is right",
        "benchmarks/verdict.py --data $LABELFREE_DATA --only fit --quick",
    ),
    "verdict-ciphers": (
        "What is believed of ciphers, and whether it is right",
        "benchmarks/verdict.py --data $LABELFREE_DATA --only cipher --quick",
    ),
    "books-fast": (
        "Books read character by character, beside Tesseract",
        "benchmarks/books.py --fast --data $LABELFREE_DATA",
    ),
    "books": (
        "Books read line by line, beside Tesseract and the same network taught by the truth",
        "benchmarks/books.py --supervised --data $LABELFREE_DATA",
    ),
    "parts": (
        "What each part of that is worth",
        "benchmarks/parts.py --rescore --data $LABELFREE_DATA --books boy_apprenticed colonial_florida lusitania "
        "ludendorff_kriegserinnerungen_1921 schiller_oberoesterreich_1905 scudery_ibrahim_1641",
    ),
    "hints": (
        "What a few transcribed lines are worth, tiles alone",
        "benchmarks/hints.py --fast --seeds 1 --data $LABELFREE_DATA --figure docs/hints.png",
    ),
    "hints-lines": (
        "What a few transcribed lines are worth, lines read as a whole",
        "benchmarks/hints.py --seeds 1 --data $LABELFREE_DATA --books boy_apprenticed schiller_oberoesterreich_1905 "
        "--figure docs/hints-lines.png",
    ),
    "nonlinear": (
        "Rendered print: linear classifiers and networks, label-free beside supervised",
        "benchmarks/nonlinear.py --seeds 3",
    ),
    "handwriting": (
        "Handwritten letters, label-free beside supervised",
        "benchmarks/handwriting.py --seeds 3 --tiles 30000 --data $LABELFREE_DATA",
    ),
}


def main(names: list[str]) -> None:
    printed = on_page() if PAGE.exists() else {}
    for name in names or RUNS:
        command = RUNS[name][1]
        if "LABELFREE_DATA" in command and "LABELFREE_DATA" not in os.environ:
            continue
        words = [os.path.expandvars(word) for word in command.split()]
        done = subprocess.run([sys.executable, *words], cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=False)
        printed[name] = done.stdout.strip()
        write_page(printed)


def on_page() -> dict[str, str]:
    """What each benchmark printed, as the page has it."""
    sections = re.findall(
        r"^## ([^\n]+)\n\n {4}[^\n]+\n\n```\n(.*?)\n```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    names = {title: name for name, (title, _) in RUNS.items()}
    return {names[title]: text for title, text in sections if title in names}


def write_page(printed: dict[str, str]) -> None:
    """Put what the benchmarks printed on one page."""
    parts = [
        "# Results",
        "Printed by the commands shown, on two cores "
        f"({platform.machine()}, Python {platform.python_version()}); `python docs/results.py` writes this page anew.",
    ]
    for name, (title, command) in RUNS.items():
        if name in printed:
            parts += [f"## {title}", f"    python {command}", f"```\n{printed[name]}\n```"]
            picture = command.partition("--figure docs/")[2]
            if picture:
                parts.append(f"![{title}]({picture})")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
