"""Text of users is shown as text everywhere."""

from playwright.sync_api import expect

from checks import check
from history import HOSTILE, HIDDEN, HEBREW, complete, edit, hidden, hostile

SCANNED = "img, b, i, script:not([src]), svg[onload], [onerror]"


@check("a todo called <img src=x onerror=alert(1)> is shown as text in every tab, list, dialog and title", small=True)
def _(stage):
    daemon, page = stage.page(history=hostile)
    title = daemon.todos[1]["title"]
    assert title.startswith(HOSTILE)

    def clean(where):
        found = page.tab.evaluate(f"[...document.querySelectorAll(`{SCANNED}`)].map((node) => node.outerHTML)")
        assert not found, (where, found)
        expect(page(where)).to_contain_text(HOSTILE)

    clean("#log .records")
    clean("#middle")
    page.select("todos.items[1].title")
    for tab in ("State", "Difference"):
        page.open_tab(tab)
        page.record(1).click()
        page.shows_state(1)
        clean("#middle")
    page.open_tab("Todos")
    clean("#details")
    page.todo("<img").first.click()
    clean("#value")
    page.leave_controls().press("Escape").shows_state("now")
    page.record(1).click()
    page.leave_controls().press("w")
    clean("#panel-whatif")
    page.leave_controls().press("Escape").shows_state("now")
    page.record(1).click()
    page.open_tab("Record")
    page.button("Undo step @1…").click()
    clean("dialog")
    page.press("Escape")
    page.dispatch(edit(1, title=HOSTILE + " again"), HOSTILE)
    page.says(HOSTILE)
    clean("footer")


@check("bidirectional and control characters of a text are shown as escapes")
def _(stage):
    daemon, page = stage.page(history=hostile)
    expect(page("#panel-record .said")).to_contain_text("\\u{202e} turned")
    expect(page.record(daemon.head)).to_contain_text("\\u{202e} turned")


# Every visible text and attribute, except input fields and line ends between the nodes of the page itself.
RAW = """() => {
    const raw = /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b\\u202a-\\u202e\\u2066\\u2067]/;
    const found = [];
    const judge = (text, where) => { if (raw.test(text) || /ghi\\s*\\n/.test(text)) found.push(`${where}: ${JSON.stringify(text)}`); };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.currentNode; node !== null; node = walker.nextNode()) {
        if (node.nodeType === Node.TEXT_NODE) judge(node.data, node.parentNode.outerHTML.slice(0, 80));
        else for (const name of ['title', 'aria-label', 'placeholder', 'aria-valuetext']) judge(node.getAttribute(name) ?? '', name);
    }
    return found;
}"""


@check("invisible and bidirectional characters of a text are shown as escapes everywhere", small=True)
def _(stage):
    daemon, page = stage.page(history=hidden)

    def judge(where):
        expect(page(where)).to_contain_text("Abc\\u{202e}def\\u{1b}[1m\\u{0}\\u{200b}ghi")
        found = page.tab.evaluate(RAW)
        assert not found, (where, found)

    judge("#log")
    judge("#middle")
    page.select("todos.items[1].title")
    for place in ("#middle", "#value"):
        expect(page(place)).to_contain_text("\\u{202e}")
    page.open_tab("Difference")
    page.open_tab("Record")
    page.record(3).click()
    judge("#middle")
    judge("#details")
    page.open_tab("Todos")
    page.leave_controls().press("w")
    expect(page("#panel-whatif")).to_contain_text("\\u{202e}")
    page.leave_controls().press("Escape").shows_state("now")
    page.open_tab("Record")
    page.record(3).click()
    page.button("Undo step @3…").click()
    expect(page("dialog")).to_contain_text("\\u{202e}")
    page.press("Escape")
    page.leave_controls().press("Escape").shows_state("now")
    page.dispatch(complete(1), "\\u{202e}")
    page.says("Dispatched as @")
    found = page.tab.evaluate(RAW)
    assert not found, found


@check("a right-to-left text is isolated from the text before and after it")
def _(stage):
    daemon, page = stage.page(history=hidden)
    apart = page.record(2).locator("bdi")
    expect(apart).to_have_text(HEBREW)
    left = lambda node: node.bounding_box()["x"]
    assert left(page.record(2).locator(".sentence")) < left(apart)
    expect(page.todo(HEBREW).locator("bdi")).to_have_text(HEBREW)
    page.dispatch(edit(2, title=HEBREW + " 2"))
    page.says(HEBREW)
    expect(page("#status bdi")).to_have_text(HEBREW + " 2")
