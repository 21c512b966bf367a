"""For mkdocs: a page for every command, made from its own help, and the files of the project that are pages too."""

from html import escape
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from labelfree.cli.manual import Entry, entries

FOLDER = "reference"
INDEX = f"{FOLDER}/commands.md"
ROOT = Path(__file__).parents[1]
FILES = {"changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages, which lie nowhere on the disk."""
    all_entries = list(entries())
    files.append(File.generated(config, INDEX, content=index(all_entries)))
    for entry in all_entries:
        files.append(File.generated(config, path_of(entry), content=page(entry)))
    for page_name, name in FILES.items():
        content = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page_name, content=content))
    return files


def path_of(entry: Entry) -> str:
    """Where the page of a command lies."""
    return f"{FOLDER}/commands/{entry.name.replace(' ', '-')}.md"


def index(all_entries: list[Entry]) -> str:
    """All commands with what they are for."""
    rows = [
        f"| [`{each.name}`](commands/{each.name.replace(' ', '-')}.md) | {text(each.summary)} |" for each in all_entries
    ]
    return "\n".join(["# Commands", "", "| command | |", "|---|---|", *rows, ""])


def page(entry: Entry) -> str:
    """What the help of a command says."""
    parts = [f"# {entry.name}", f"    {entry.usage}"]
    for paragraph in entry.about.split("\n\n"):
        words = " ".join(paragraph.split())
        parts.append(f"    {words.removeprefix('Example: ')}" if words.startswith("Example: ") else text(words))
    if entry.below:
        rows = [f"- [`{name}`]({name.replace(' ', '-')}.md)" for name in entry.below]
        parts.append("\n".join(rows))
    if entry.options:
        rows = [f"| <code>{text(option)}</code> | {text(does)} |" for option, does in entry.options]
        parts.append("\n".join(["| word or option | what it does |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def text(words: str) -> str:
    """Words that are no markup, and no end of a cell of a table."""
    marks = {mark: f"&#{ord(mark)};" for mark in "|*[]_`\\"}
    return escape(words, quote=False).translate(str.maketrans(marks))
