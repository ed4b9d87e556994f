"""The page of the measuring command: whole in one file; in a browser without errors, from the width of a phone to that of a
desk, in light and dark. The browser tests need playwright and a Chromium, its own or the machine's."""

import re
import shutil
from contextlib import contextmanager
from html.parser import HTMLParser

import pytest
from bench_values import sample

from ocior.bench import compare, page, tables

VOID = {"meta", "link", "br"}


def make_page(results=None):
    results = results or sample()
    changes = compare.compare(results, sample(ocior=75.0))
    return page.make(results, tables.all_tables(results, changes), changes, ["one", "two", "<three>"], ["the end"])


class Balance(HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.stack, self.seen = [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag


def test_the_page_is_whole():
    text = make_page()
    parsed = Balance()
    parsed.feed(text)
    assert parsed.stack == []
    for tag, attributes in parsed.seen:
        assert "src" not in attributes, "nothing is loaded from anywhere"
        assert attributes.get("href", "#").startswith(("#", "data:")), attributes
    assert not re.search(r"@import|url\(|https?://", text)
    ids = [attributes["id"] for _, attributes in parsed.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {attributes["href"][1:] for tag, attributes in parsed.seen if tag == "a"}
    assert links <= set(ids) and {"means", "leads", "change", "documents", "growth", "memory", "threads", "tables", "how"} <= links
    assert "&lt;three&gt;" in text


def test_the_page_does_not_flatter():
    text = make_page()
    assert f"{tables.LOST} not in 1" in text
    assert f"{tables.LOST} 0.89× peer" in text
    assert text.count('class="bars behind"') == 2  # the document that is lost, and the memory
    assert 'class="mark lose"' in text
    wrong = sample()
    wrong.cells[0].wrong["ocior"] = "decodes to other values than json"
    del wrong.cells[0].values["ocior"]
    assert "1 could not be measured" in make_page(wrong)


def test_a_page_of_nothing():
    results = sample()
    results.cells.clear()
    assert "No peer was measured" in make_page(results)


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as machine:
        own = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        try:
            started = machine.chromium.launch(executable_path=own, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no browser: {str(error).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "bench.html"
    path.write_text(make_page(), encoding="utf-8")
    return path.as_uri()


@contextmanager
def opened(browser, address, width, scheme):
    """The page, and that nothing was wrong with it while it was open."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, has_touch=width < 500)
    context.set_default_timeout(120_000)  # milliseconds: other work may hold the machine
    tab = context.new_page()
    wrong = []
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else wrong.append(request.url))
    tab.goto(address)
    yield tab
    assert wrong == []
    context.close()


def background(tab):
    return tab.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_fits_and_draws(browser, address, width, scheme):
    with opened(browser, address, width, scheme) as tab:
        tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        # A few pixels of a mark may stand beyond its chart; no chart beyond the page.
        charts = tab.evaluate("[...document.querySelectorAll('svg.chart')].map((one) => one.getBoundingClientRect().toJSON())")
        assert len(charts) == 10
        assert all(box["left"] >= 0 and box["right"] <= width and box["width"] > 80 and box["height"] > 15 for box in charts)
        for kind, least in ((".bar", 10), (".spread", 10), (".mark.win", 3), (".mark.lose", 1), (".line", 4), (".point", 8)):
            assert tab.locator(kind).count() >= least, kind
        assert sum(int(level) for level in re.findall(r"\d+", background(tab))[:3]) > 600 or scheme == "dark"


def test_the_toggle(browser, address):
    with opened(browser, address, 360, "light") as tab:
        light = background(tab)
        tab.click("#theme")
        dark = background(tab)
        assert dark != light
        tab.wait_for_timeout(1000)  # another process of the browser writes what is kept
        tab.reload()
        assert background(tab) == dark, "the choice is kept"
        tab.click("#theme")
        assert background(tab) == light
    with opened(browser, address, 360, "dark") as tab:
        assert background(tab) == dark
        tab.click("#theme")
        assert background(tab) == light


@pytest.mark.parametrize("width", [360, 1280])
def test_figures_on_tap(browser, address, width):
    with opened(browser, address, width, "light") as tab:
        marks = tab.locator("#group-loads_bytes [data-tip]")
        for mark in (marks.first, marks.last):
            mark.scroll_into_view_if_needed()
            (mark.tap if width < 500 else mark.click)()
            tip = tab.locator("#tip")
            assert tip.text_content() == mark.get_attribute("data-tip")
            box = tip.bounding_box()
            assert tip.is_visible() and box["x"] >= 0 and box["x"] + box["width"] <= width and 0 <= box["y"] <= 800
        tab.keyboard.press("Escape")
        assert not tab.locator("#tip").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(scheme):
    """What the style sheet says of its colours, by the formula of WCAG 2."""

    def light(colour):
        parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    colours = page._LIGHT if scheme == "light" else page._DARK
    for name, colour in colours.items():
        if name in ("page", "panel", "edge"):
            continue
        for ground in ("page", "panel"):
            one, other = sorted((light(colour), light(colours[ground])))
            least = 3 if name.startswith("lib-") else 4.5
            assert (other + 0.05) / (one + 0.05) >= least, (name, ground)
