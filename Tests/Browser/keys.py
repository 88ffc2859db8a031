"""Every key of the help has the effect that the help describes."""

from playwright.sync_api import expect

from checks import check
from history import INCREMENT


@check("each key of the help has its documented effect", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head

    def press(key):
        page.leave_controls().press(key)

    for key, place in {"g": "#go", "/": "#search", "l": "#log .virtual", "s": "#tab-view", "k": "#tab-why", "a": "#add"}.items():
        press(key)
        expect(page(place)).to_be_focused()
    for key, tab in {"t": "state", "f": "difference", "j": "json", "v": "view"}.items():
        press(key)
        expect(page(f"#tab-{tab}")).to_be_focused()
        expect(page(f"#panel-{tab}")).to_be_visible()
    for key, panel in {"i": "why", "b": "blame", "x": "forms", "u": "undo", "r": "undo", "c": "bisect", "w": "whatif"}.items():
        press(key)
        expect(page(f"#panel-{panel}")).to_be_visible()
        page.tab.wait_for_function("id => document.getElementById(id).contains(document.activeElement)", arg=f"panel-{panel}")
    for key, moment in {",": head - 1, "<": head - 2, ".": head - 1, ">": "now"}.items():
        press(key)
        page.shows_state(moment)
    press("{")
    page.shows_state(0)
    press("Escape")
    page.shows_state("now")
    press("d")
    expect(page.button(f"Unpin @{head}")).to_be_visible()
    press("d")
    expect(page.button("Pin")).to_be_visible()
    press("?")
    expect(page("dialog dt")).not_to_have_count(0)
    page.press("Escape")
    expect(page("dialog")).to_have_count(0)
    press("m")
    expect(page("dialog")).to_contain_text("Bookmark @")
    page.press("Escape")
    assert daemon.head == head


@check("two keys go to the previous and next change of the selected value, or report a missing one")
def _(stage):
    daemon, page = stage.page()
    page.leave_controls().press("n").says("Select a value in the state first")
    page.open_tab("State")
    page.tab.get_by_label("Go to a path").fill("counter.count")
    page.tab.get_by_label("Go to a path").press("Enter")
    page.leave_controls()
    for key, moment in [("N", 30), ("N", 17), ("n", 30), ("n", "now")]:
        page.press(key).shows_state(moment)
    page.go(6).shows_state(6)
    page.leave_controls().press("N").shows_state(5)
    page.press("N").says("counter.count does not change before this moment.")
    daemon.dispatch(INCREMENT)
    page.shows_state(5)
