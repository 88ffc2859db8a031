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

    for key, place in {"g": "#go", "l": "#search", "/": "#filter"}.items():
        press(key)
        expect(page(place)).to_be_focused()
    for key, tab in {"2": "state", "3": "difference", "1": "todos"}.items():
        press(key)
        expect(page(f"#tab-{tab}")).to_be_focused()
        expect(page(f"#panel-{tab}")).to_be_visible()
    for key, panel in {"i": "record", "a": "dispatch", "w": "whatif"}.items():
        press(key)
        expect(page(f"#panel-{panel}")).to_be_visible()
        page.tab.wait_for_function("id => document.getElementById(id).contains(document.activeElement)", arg=f"panel-{panel}")
    for key, moment in {",": head - 1, "ArrowLeft": head - 2, ".": head - 1, "ArrowRight": "now"}.items():
        press(key)
        page.shows_state(moment)
    for key in ("[", "Shift+ArrowLeft"):
        press(key)
        page.shows_state(0)
        press("]")
        page.shows_state("now")
    press("r")
    page.says("This is now.")
    press(",")
    for key, title in {"r": f"Put everything back as it was at @{head - 1}?", "u": "Undo the last step?"}.items():
        press(key)
        expect(page("dialog h2")).to_have_text(title)
        page.press("Escape")
        expect(page("dialog")).to_have_count(0)
    press("U")
    page.says("nothing to redo")
    press("Escape")
    page.shows_state("now")
    speed = page.tab.get_by_label("Records a second")
    for key, value in {"+": "16", "-": "4"}.items():
        press(key)
        expect(speed).to_have_value(value)
    press("Space")
    expect(page.button("Pause")).to_be_visible()
    press("Space")
    expect(page.button("Play")).to_be_visible()
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


@check("keys go to the previous and next change of the selected value and to its last writer, or report a missing one")
def _(stage):
    daemon, page = stage.page()
    page.leave_controls().press("<").says("Select a value in the state first")
    page.press("b").says("Select a value in the state first")
    page.select("counter.count")
    page.leave_controls()
    for key, moment in [("<", 30), ("<", 17), (">", 30), (">", "now")]:
        page.press(key).shows_state(moment)
    page.go(20).shows_state(20)
    page.leave_controls().press("b")
    expect(page("#panel-record").get_by_role("heading", name="Record @17")).to_be_visible()
    page.go(6).shows_state(6)
    page.leave_controls().press("<").shows_state(5)
    page.press("<").says("counter.count does not change before this moment.")
    daemon.dispatch(INCREMENT)
    page.shows_state(5)
