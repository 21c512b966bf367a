"""Pages that turn under the mouse, in a real browser."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image

from labelfree.repro.paper.interactive import write_page
from labelfree.repro.paper.surfaces import Surface

CHROMIUM = shutil.which("chromium")
in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")


def bowl(points: int = 25) -> Surface:
    x = np.linspace(-1, 1, points)
    return Surface(x, x, x[:, None] ** 2 + x**2 + 0.2 * x, (0.0, 0.0), ("λ_1", "λ_2", "J"))


@pytest.fixture
def page(tmp_path):
    return write_page(tmp_path / "page.html", {"J": bowl(), "L": bowl(9)}, title="A bowl", caption="Low & <round>.")


def browse(page, tmp_path, *options):
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=800,800"]
    return subprocess.run(
        [*command, f"--user-data-dir={tmp_path / 'browser'}", *options, page.as_uri()],
        capture_output=True,
        check=True,
        timeout=60,
        text=True,
    ).stdout


def test_nothing_is_fetched_and_text_is_escaped(page):
    text = page.read_text(encoding="utf-8")
    assert "http" not in text
    assert not re.search(r"""(src|href)\s*=|@import|url\(|fetch\(|XMLHttp|WebSocket|import\(""", text)
    assert "Low &amp; &lt;round&gt;." in text


def test_a_page_of_a_full_grid_is_small(tmp_path):
    page = write_page(tmp_path / "page.html", {"J": bowl(101)}, title="A bowl", caption="")
    assert page.stat().st_size < 200_000


@in_chromium
def test_the_surface_its_contours_and_the_dot_are_drawn(page, tmp_path):
    browse(page, tmp_path, f"--screenshot={tmp_path / 'shot.png'}")
    seen = np.asarray(Image.open(tmp_path / "shot.png").convert("RGB")).astype(int)
    red, green, blue = seen[..., 0], seen[..., 1], seen[..., 2]
    assert ((red > 200) & (green < 60) & (blue < 60)).sum() > 60  # the dot
    assert (seen.max(-1) - seen.min(-1) > 40).mean() > 0.05  # the colours of the surface


@in_chromium
def test_it_turns_zooms_and_changes_surface(page, tmp_path):
    script = """<script>
      const looks = [], see = () => looks.push([document.body.dataset.faces, canvas.toDataURL()]);
      const drag = (kind, x, y) => canvas.dispatchEvent(
        new PointerEvent(kind, {pointerId: 1, clientX: x, clientY: y}));
      requestAnimationFrame = paint => paint();
      see();
      drag("pointermove", 300, 300); see();  // no button held: nothing moves
      drag("pointerdown", 300, 300); drag("pointermove", 380, 330); drag("pointerup", 380, 330); see();
      canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: -300})); see();
      document.querySelectorAll("button")[1].click(); see();
      document.body.dataset.looks = looks.map(
        ([faces, picture], k) => faces + (k && picture === looks[k - 1][1] ? "=" : "!")).join(" ");
    </script>"""
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", script + "</body>"), encoding="utf-8")
    document = browse(page, tmp_path, "--dump-dom")
    assert re.search(r'data-contours="\d{3,}"', document)
    assert 'data-looks="576! 576= 576! 576! 64!"' in document
