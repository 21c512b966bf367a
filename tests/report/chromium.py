"""The real browser, driven as a person would use it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
in_chromium = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no chromium with its driver")
WIDE, NARROW = (1200, 900), (360, 740)
STILL = {"name": "prefers-reduced-motion", "value": "reduce"}
_WIDEST_PHONE = 600


@contextmanager
def browsing() -> Iterator[object]:
    """A browser that notes every message of its console."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield browser
    finally:
        browser.quit()


def look(browser, page: Path, size=WIDE, *, dark=False, hash=""):
    """Open a page in a window of this size."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < _WIDEST_PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme, STILL]})
    browser.get("about:blank")
    browser.get(page.as_uri() + hash)


def complaints(browser) -> list[str]:
    """What the console said since it was last asked."""
    return [entry["message"] for entry in browser.get_log("browser")]


def press(browser, element):
    """Click where nothing lies over it."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()
