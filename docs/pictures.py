"""The pictures of docs/pictures: what is read in print that we set ourselves, the report, and the studio in a browser.

    python docs/pictures.py PRACTICE FRAKTUR

PRACTICE is the folder in which the tutorial was followed, FRAKTUR the one that `docs/fraktur.py` was given. Needs
Chromium with its driver.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from PIL import Image, ImageDraw, ImageFont
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from labelfree.report.record import BookRecord

PICTURES = Path(__file__).parent / "pictures"
SERIF = Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSerif.ttf"
WIDTH = 1000
PAPER, INK, GREY, READ = "#fdfaf3", "#1a1a1a", "#6a6a6a", "#7a3b14"
SECONDS = 30


def main(practice: Path, fraktur: Path) -> None:
    """Draw all of them."""
    PICTURES.mkdir(exist_ok=True)
    record = BookRecord.read(fraktur / "out")
    few_colours(read_lines(record, first=2, count=6)).save(PICTURES / "fraktur-read.png", optimize=True)
    practice_lines(practice / "book").save(PICTURES / "practice-lines.png", optimize=True)
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        labelfree("report", fraktur / "out", "-o", Path(folder) / "fraktur.html", "-q")
        browser.get((Path(folder) / "fraktur.html").as_uri())
        shoot(browser, "fraktur-specimen", browser.find_element("id", "alphabet"))
        browser.set_window_size(1100, 1180)
        labelfree("report", practice / "out", "-o", Path(folder) / "practice.html", "-q")
        browser.get((Path(folder) / "practice.html").as_uri())
        shoot(browser, "report")
        shutil.copytree(practice / "out", Path(folder) / "out")
        studio(browser, Path(folder) / "out")


def read_lines(record: BookRecord, first: int, count: int) -> Image.Image:
    """Lines of the first page as they were scanned, and below each what was read."""
    page = record.document.pages[0]
    with Image.open(page.source) as scan:
        sheet = scan.convert("L")
    lines = page.lines[first : first + count]
    left, right = min(line.box.x0 for line in lines) - 12, max(line.box.x1 for line in lines) + 12
    scale = (WIDTH - 40) / (right - left)
    face = ImageFont.truetype(str(SERIF), 21)
    strips = [sheet.crop((left, line.box.y0 - 5, right, line.box.y1 + 5)) for line in lines]
    strips = [strip.resize((WIDTH - 40, round(strip.height * scale)), Image.Resampling.LANCZOS) for strip in strips]
    picture = Image.new("RGB", (WIDTH, 30 + sum(strip.height + 52 for strip in strips)), PAPER)
    pen, y = ImageDraw.Draw(picture), 20
    for strip, line in zip(strips, lines, strict=True):
        picture.paste(strip, (20, y))
        pen.text((32, y + strip.height + 6), line.text, font=face, fill=READ)
        y += strip.height + 52
    return picture


def practice_lines(folder: Path, count: int = 3) -> Image.Image:
    """A few pictures of the practice book."""
    strips = [Image.open(path).convert("L") for path in sorted(folder.glob("*.png"))[:count]]
    picture = Image.new("L", (max(strip.width for strip in strips), sum(strip.height + 12 for strip in strips)), 255)
    y = 0
    for strip in strips:
        picture.paste(strip, (0, y))
        y += strip.height + 12
    return picture


def studio(browser: Any, folder: Path) -> None:
    """The queue of lines, and a symbol with all its places."""
    words = [Path(sys.executable).with_name("labelfree"), "serve", folder]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None  # noqa: S101
            address = server.stdout.readline().strip()
            browser.set_window_size(1100, 760)
            browser.get(address)
            wait(browser, "#card:not([hidden]) #read")
            shoot(browser, "studio-lines")
            browser.get(f"{address}#alphabet")
            browser.refresh()
            wait(browser, "#specimen button")
            next(each for each in browser.find_elements("css selector", "#specimen button") if "e" in each.text).click()
            wait(browser, "#places img")
            browser.set_window_size(1100, 1000)
            shoot(browser, "studio-alphabet")
        finally:
            server.terminate()


def wait(browser: Any, selector: str) -> None:
    """Until that is there to be seen."""
    WebDriverWait(browser, SECONDS).until(
        lambda b: any(e.is_displayed() for e in b.find_elements("css selector", selector))
    )


def shoot(browser: Any, name: str, element: Any = None) -> None:
    """Save what a browser shows, in few colours."""
    path = PICTURES / f"{name}.png"
    path.write_bytes(element.screenshot_as_png if element else browser.get_screenshot_as_png())
    with Image.open(path) as shot:
        few_colours(shot).save(path, optimize=True)


def few_colours(picture: Image.Image) -> Image.Image:
    """As small as pictures of text can be."""
    return picture.convert("RGB").quantize(64, dither=Image.Dither.NONE)


@contextmanager
def browsing() -> Iterator[Any]:
    """A browser without a window."""
    options = Options()
    options.binary_location = shutil.which("chromium") or "chromium"
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--window-size=1100,2600"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()


def labelfree(*words: object) -> None:
    """Run a command as a person would."""
    subprocess.run([Path(sys.executable).with_name("labelfree"), *map(str, words)], check=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
