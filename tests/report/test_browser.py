"""The report in the real browser, wide and narrow, light and dark, by mouse, by touch and by keyboard."""

import json

import pytest

from labelfree.report.book import write_report

from .chromium import NARROW, browsing, complaints, in_chromium, look, press
from .printed import TEXT, misread, print_pages, record_of

pytestmark = in_chromium
SCRIPT = "<script>document.body.dataset.broken = 1</script>"


@pytest.fixture(scope="module")
def browser():
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed")
    document = print_pages(folder, [TEXT, TEXT[::-1], TEXT[1:]], names=["a.png", SCRIPT.replace("/", "∕"), "c.png"])
    document.pages[0].source.with_suffix(".gt.txt").write_text(document.pages[0].text)
    return write_report(record_of(misread(document, "spring", "fpring")), folder / "report.html")


def shown(browser):
    return [line for line in browser.find_elements("css selector", "#book .line") if line.is_displayed()]


def settle(browser, number):
    """Wait until so many lines are shown."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 10).until(lambda browser: len(shown(browser)) == number)


def test_it_opens_without_a_word_of_the_console_and_fetches_nothing(browser, page):
    browser.get_log("performance")
    look(browser, page)
    assert complaints(browser) == []
    assert browser.execute_script("return document.body.dataset.broken") is None
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [each["params"]["request"]["url"] for each in sent if each["method"] == "Network.requestWillBeSent"]
    assert {url.partition(":")[0] for url in asked} <= {"file", "data", "about"}
    broken = "return [...document.images].filter(image => image.complete && !image.naturalWidth).length"
    assert browser.execute_script(broken) == 0


def test_a_script_that_came_in_with_the_text_would_not_run(browser, page):
    look(browser, page)
    browser.execute_script(
        "const script = document.createElement('script'); script.textContent = 'document.body.dataset.broken = 1';"
        "document.body.append(script)"
    )
    assert browser.execute_script("return document.body.dataset.broken") is None
    assert any("Content Security Policy" in message for message in complaints(browser))


def test_search_finds_lines_whatever_the_case_and_marks_what_it_found(browser, page):
    look(browser, page)
    box = browser.find_element("id", "find")
    box.send_keys("FERRY leaves")
    settle(browser, 2)
    marks = [mark.text for line in shown(browser) for mark in line.find_elements("css selector", "mark")]
    assert "".join(marks) == "ferry leaves" * 2
    assert browser.find_element("id", "shown").text == "2 of 11 lines"
    box.clear()
    box.send_keys("no such words")
    settle(browser, 0)
    assert browser.find_element("id", "nothing").is_displayed()


def test_lines_are_filtered_and_ordered(browser, page):
    look(browser, page)
    from selenium.webdriver.support.ui import Select

    Select(browser.find_element("id", "only")).select_by_value("wrong")
    settle(browser, 1)
    assert "fpring" in shown(browser)[0].text
    Select(browser.find_element("id", "only")).select_by_value("doubtful")
    settle(browser, 11)
    Select(browser.find_element("id", "order")).select_by_value("book")
    numbers = [each.get_attribute("data-number") for each in browser.find_elements("css selector", ".page")]
    assert numbers == ["1", "2", "3"]
    assert complaints(browser) == []


def test_a_doubtful_character_tells_what_else_it_might_be_and_shows_where_it_stands(browser, page):
    from selenium.webdriver.common.action_chains import ActionChains

    look(browser, page)
    letter = browser.find_element("css selector", "#book .read b.d3")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", letter)
    ActionChains(browser).move_to_element(letter).perform()
    assert ", or x 25%, é 10%" in browser.find_element("id", "tip").text
    mark = letter.find_element("xpath", "ancestor::li").find_element("class name", "mark")
    assert mark.is_displayed()
    assert 0 < mark.rect["width"] < 80


def test_the_keyboard_is_enough(browser, page):
    from selenium.webdriver.common.keys import Keys

    look(browser, page)
    body = browser.find_element("tag name", "body")
    body.send_keys("n")
    first = browser.find_element("css selector", "b.on")
    body.send_keys("n")
    assert browser.find_element("css selector", "b.on") != first
    body.send_keys("p")
    assert browser.find_element("css selector", "b.on") == first
    body.send_keys("/")
    browser.switch_to.active_element.send_keys("heron")
    settle(browser, 3)
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    settle(browser, 11)
    summary = browser.find_element("css selector", "details[data-symbol=e] summary")
    summary.send_keys(Keys.ENTER)
    assert browser.find_element("css selector", "details[data-symbol=e] .places").is_displayed()


def test_a_place_of_a_symbol_leads_to_its_line_though_it_was_filtered_away(browser, page):
    look(browser, page)
    browser.find_element("id", "find").send_keys("no such words")
    settle(browser, 0)
    press(browser, browser.find_element("css selector", "details[data-symbol=e] summary"))
    sample = browser.find_element("css selector", "details[data-symbol=e] .sample")
    press(browser, sample)
    settle(browser, 11)
    assert browser.current_url.endswith(sample.get_attribute("href").partition("#")[2])
    press(browser, browser.find_element("css selector", "details[data-symbol=w] summary"))
    press(browser, browser.find_element("css selector", "details[data-symbol=w] button.find"))
    wanted = browser.execute_script(
        "return [...document.querySelectorAll('.read')].filter(line => line.textContent.includes('w')).length"
    )
    settle(browser, wanted)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [NARROW, (768, 1000), (1600, 1000)])
def test_nothing_is_wider_than_the_window_and_text_can_be_read(browser, page, size, dark):
    look(browser, page, size, dark=dark)
    for details in browser.find_elements("css selector", "details summary")[:3]:
        browser.execute_script("arguments[0].click()", details)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
    low = browser.execute_script(_CONTRAST)
    assert low == []
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) < 380) == dark


_CONTRAST = """
const lit = text => {
  const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255).map(
    v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const behind = element => {
  for (let each = element; each; each = each.parentElement) {
    const colour = getComputedStyle(each).backgroundColor;
    if (/^rgb\\(/.test(colour)) return colour;
  }
  return "rgb(255, 255, 255)";
};
const low = [];
for (const selector of [".sentence", ".reason", ".stamp", ".lead", ".note", "nav a", ".read", ".read b.d1",
    ".read b.d2", ".read b.d3", ".about a", ".legend", "del", "ins", ".count", ".flag", "th", "td", ".truth",
    "figcaption"]) {
  const element = document.querySelector(selector);
  if (!element) continue;
  const [a, b] = [lit(getComputedStyle(element).color), lit(behind(element))].sort((x, y) => y - x);
  if ((a + .05) / (b + .05) < 4.5) low.push(selector + " " + ((a + .05) / (b + .05)).toFixed(2));
}
return low;
"""
