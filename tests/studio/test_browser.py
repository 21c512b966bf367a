"""The studio as a person meets it: the real command, the real browser, two tabs, the keyboard, a killed server."""

import re
import signal
import subprocess
import sys
import time

import pytest

from labelfree.studio.state import STATE

from ..report.chromium import NARROW, browsing, complaints, in_chromium
from ..report.printed import TEXT, print_pages, record_of

pytestmark = in_chromium
N_LINES = 5
_CODE = "import sys; from labelfree.cli import main; main(sys.argv[1:])"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("out")
    record_of(print_pages(tmp_path_factory.mktemp("scans"), [TEXT, TEXT[:1]])).write(place)
    return place


@pytest.fixture
def begin(folder):
    """Begins servers that end with the test, however that ends."""
    begun = []

    def begin():
        begun.append(Server(folder))
        return begun[-1]

    yield begin
    for server in begun:
        server.end(signal.SIGKILL)


class Server:
    """`labelfree serve` as a process of its own."""

    def __init__(self, folder):
        words = [sys.executable, "-c", _CODE, "serve", str(folder)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def end(self, number):
        self.process.send_signal(number)  # none is sent where it has ended
        self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode


def until(found, wanted, seconds=20):
    end = time.monotonic() + seconds
    while (value := found()) != wanted and time.monotonic() < end:
        time.sleep(0.05)
    assert value == wanted


def standing(browser):
    found = re.match(r"(\d+) read by you, (\d+) left", browser.find_element("id", "standing").text)
    return found and (int(found[1]), int(found[2]))


def test_a_person_corrects_lines_in_two_tabs_and_a_killed_server_loses_nothing(folder, begin):
    server = begin()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{20,}/", server.url)
    with browsing() as browser:
        from selenium.webdriver.common.keys import Keys

        browser.get(server.url)
        until(lambda: standing(browser), (0, N_LINES))
        until(lambda: browser.switch_to.active_element.get_attribute("id"), "text")
        browser.switch_to.active_element.send_keys(Keys.ENTER)  # the first line is right
        until(lambda: standing(browser), (1, N_LINES - 1))
        first_tab = browser.current_window_handle
        browser.switch_to.new_window("tab")
        browser.get(server.url)
        until(lambda: browser.switch_to.active_element.get_attribute("id"), "text")
        shown = browser.find_element("id", "name").text
        field = browser.find_element("id", "text")
        field.clear()
        field.send_keys("put <b>right</b> by hand", Keys.ENTER)
        until(lambda: standing(browser), (2, N_LINES - 2))
        browser.switch_to.window(first_tab)
        until(lambda: standing(browser), (2, N_LINES - 2))
        until(lambda: browser.find_element("id", "name").text == shown, False)
        browser.find_element("id", "undo").click()
        until(lambda: standing(browser), (1, N_LINES - 1))
        until(lambda: browser.find_element("id", "name").text, shown)
        field = browser.find_element("id", "text")
        field.clear()
        field.send_keys("put <b>right</b> by hand", Keys.ENTER)
        until(lambda: standing(browser), (2, N_LINES - 2))
        narrow = {"width": NARROW[0], "height": NARROW[1], "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= NARROW[0]
        assert complaints(browser) == []

        assert server.end(signal.SIGKILL) == -signal.SIGKILL
        server = begin()
        browser.get(server.url)
        until(lambda: standing(browser), (2, N_LINES - 2))
        text = browser.execute_script("return fetch('export/txt').then(answer => answer.text())")
        assert "put <b>right</b> by hand" in text.splitlines()
        browser.get(server.url.rsplit("/", 2)[0] + "/" + "x" * 24 + "/")
        assert browser.find_element("tag name", "body").text == "wrong token"
    assert server.end(signal.SIGINT) in (0, 130)
    assert (folder / STATE).is_file()
