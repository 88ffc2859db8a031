"""What a person wrote is text, wherever it is shown."""

from playwright.sync_api import expect

from checks import check
from history import HOSTILE, hostile

SCANNED = "img, b, i, script:not([src]), svg[onload], [onerror]"


@check("a todo called <img src=x onerror=alert(1)> is that text in every tab, list, dialog and title", small=True)
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
    for tab in ("State", "Difference", "JSON"):
        page.open_tab(tab)
        if tab == "State":
            page.tab.get_by_label("Go to a path").fill("todos.items[1].title")
            page.tab.get_by_label("Go to a path").press("Enter")
        page.record(1).click()
        page.shows_state(1)
        clean("#middle")
    page.open_tab("View")
    clean("#knowledge")
    page.todo("<img").first.locator(".todo-title").click()
    page.open_tab("Value")
    clean("#panel-blame")
    page.leave_controls().press("Escape").shows_state("now")
    page.record(1).click()
    page.leave_controls().press("w")
    clean("#panel-whatif")
    page.leave_controls().press("Escape").shows_state("now")
    page.open_tab("Undo")
    clean("#panel-undo")
    page.button("Undo… @1", within=page("#panel-undo")).click()
    clean("dialog")
    page.press("Escape")
    page.button(f"Edit: {title[:20]}", exact=False).first.click()
    expect(page("dialog").get_by_label("Note")).to_have_value("<script>alert(2)</script>")
    page("dialog").get_by_label("Title").fill(HOSTILE + " again")
    page.button("Save", within=page("dialog")).click()
    page.says(HOSTILE)
    clean("footer")


@check("characters that turn the direction of a text, or are none, are seen for what they are")
def _(stage):
    daemon, page = stage.page(history=hostile)
    expect(page("#panel-why .said")).to_contain_text("\\u{202e} turned")
    expect(page.record(daemon.head)).to_contain_text("\\u{202e} turned")
