"""The studio and the report for everybody: no serious fault by axe-core, in light and dark; the keyboard is enough."""

import signal

import pytest

from ..report.axe import has_axe, serious_faults
from ..report.chromium import NARROW, WIDE, browsing, complaints, in_chromium, look
from ..report.printed import TEXT, print_pages, record_of
from .test_browser import N_LINES, Server, standing, until

pytestmark = in_chromium
VIEWS = ("learn", "lines", "alphabet", "pages", "export")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("out")
    record_of(print_pages(tmp_path_factory.mktemp("scans"), [TEXT, TEXT[:1]])).write(place)
    return place


@pytest.fixture(scope="module")
def server(folder):
    begun = Server(folder)
    yield begun
    begun.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def browser():
    with browsing() as found:
        yield found


def is_shown(browser, view):
    return browser.find_element("id", f"view-{view}").is_displayed()


@has_axe
@pytest.mark.parametrize(("scheme", "size"), [("light", WIDE), ("dark", NARROW)])
def test_no_view_has_a_serious_fault(server, browser, scheme, size):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    for view in VIEWS:
        browser.get("about:blank")
        browser.get(f"{server.url}#{view}")
        until(lambda view=view: is_shown(browser, view), True)
        if view == "alphabet":
            until(lambda: len(browser.find_elements("css selector", "#specimen button")) > 5, True)
            browser.find_element("css selector", "#specimen button").click()
            until(lambda: len(browser.find_elements("css selector", "#places img")) > 0, True)
        assert serious_faults(browser) == [], (view, scheme, size)


def test_the_keyboard_is_enough(server, browser):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(*keys):
        ActionChains(browser).send_keys(*keys).perform()

    def tab_to(wanted, most=60):
        for _ in range(most):
            press(Keys.TAB)
            if wanted(browser.switch_to.active_element):
                return browser.switch_to.active_element
        raise AssertionError("not reached by Tab")

    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get("about:blank")
    browser.get(f"{server.url}#lines")
    until(lambda: standing(browser), (0, N_LINES))
    until(lambda: browser.switch_to.active_element.get_attribute("id"), "text")
    press(Keys.ENTER)  # right as it is
    until(lambda: standing(browser), (1, N_LINES - 1))
    press(Keys.CONTROL, "a")
    press(Keys.NULL, "typed by hand", Keys.ENTER)
    until(lambda: standing(browser), (2, N_LINES - 2))
    for view in ("alphabet", "pages", "export"):
        browser.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
        tab_to(lambda element, view=view: element.get_attribute("data-view") == view)
        press(Keys.ENTER)
        until(lambda view=view: is_shown(browser, view), True)
        if view == "alphabet":
            until(lambda: len(browser.find_elements("css selector", "#specimen button")) > 5, True)
            tab_to(lambda element: element.find_elements("xpath", "ancestor::*[@id='specimen']"))
            press(Keys.ENTER)
            until(lambda: len(browser.find_elements("css selector", "#places img")) > 0, True)
            tab_to(lambda element: element.find_elements("xpath", "ancestor::*[@id='places']"))
            press(Keys.SPACE)
            until(lambda: browser.find_element("id", "chosen").text.startswith("1 "), True)
    browser.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
    tab_to(lambda element: element.get_attribute("id") == "undo")
    press(Keys.ENTER)
    until(lambda: standing(browser), (1, N_LINES - 1))
    assert complaints(browser) == []


@has_axe
def test_the_report_has_no_serious_fault(folder, browser, tmp_path):
    from labelfree.report.book import write_report
    from labelfree.report.record import BookRecord

    write_report(BookRecord.read(folder), tmp_path / "report.html")
    for dark in (False, True):
        look(browser, tmp_path / "report.html", dark=dark)
        assert serious_faults(browser) == []
    browser.execute_script("document.body.append(document.createElement('button'))")  # and one that has a fault
    assert serious_faults(browser) == ["button-name: body > button"]
