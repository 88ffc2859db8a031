"""Accessibility: keys, screen readers, dark mode, narrow screens."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from checks import check
from history import INCREMENT

DETAILS = {"Record": "record", "What if": "whatif", "Dispatch": "dispatch"}


def judge(page, where):
    """Asserts that axe finds no violation and that nothing is wider than the screen."""
    report = Axe().run(page.tab)
    assert report.violations_count == 0, f"{where}:\n{report.generate_report()}"
    wide = page.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{where}: the page is {wide} pixels wider than the screen"


def walk(page):
    """Opens every tab and panel in turn, each with contents."""
    yield "now"
    page.record(28).click()
    page.shows_state(28)
    yield "the past"
    page.leave_controls().press("d")
    for tab in ("State", "Difference"):
        page.open_tab(tab)
        yield tab
    page.select("counter.count")
    expect(page("#value")).to_contain_text("It is")
    yield "a value"
    page.open_tab("What if")
    page.leave_controls().press("w")
    expect(page("#panel-whatif table.both").first).to_be_visible()
    yield "what if"
    page.leave_controls().press("Escape").shows_state("now")
    page.open_tab("Dispatch")
    expect(page("#panel-dispatch")).to_contain_text("Adds todos at the top")
    yield "the text form"
    page.write({"todos": {"edit": {"id": "x"}}})
    page.button("Dispatch…").click()
    expect(page("#panel-dispatch").get_by_role("alert")).not_to_be_empty()
    yield "an error in the text form"
    page.button("Undo…").click()
    expect(page("dialog")).to_have_count(1)
    yield "a dialog"
    page.press("Escape")
    page.button("Keys and help").click()
    yield "the help"
    page.press("Escape")
    page.tab.get_by_label("Search the log").fill("hotel")
    expect(page("#log [role=status]")).to_have_text("2 found.")
    page.open_tab("Record")
    page.record(9).click()
    expect(page("#panel-record").get_by_role("heading", name="Record @9")).to_be_visible()
    page("summary", has_text="As it is logged").click()
    expect(page("#panel-record .raw")).to_be_visible()
    yield "a search, and a record as it is logged"


def judge_all(stage, **form):
    daemon, page = stage.page(**form)
    head = daemon.head
    for where in walk(page):
        judge(page, where)
    assert daemon.head == head


@check("axe finds no violation in any tab and panel in light mode", small=True)
def _(stage):
    judge_all(stage)


@check("axe finds no violation in dark mode")
def _(stage):
    judge_all(stage, scheme="dark")


@check("axe finds no violation at 320 pixels, and nothing is wider than the screen")
def _(stage):
    judge_all(stage, width=320, height=640)


@check("axe finds no violation at 320 pixels in dark mode")
def _(stage):
    judge_all(stage, width=320, height=640, scheme="dark")


@check("axe finds no violation with forced colours or with text of double size")
def _(stage):
    judge_all(stage, forced_colors="active")
    judge_all(stage, width=640, height=400, device_scale_factor=2)


@check("Tab reaches every visible control, and the focus is visible", small=True)
def _(stage):
    daemon, page = stage.page(height=1000)
    page.leave_controls()
    for name, panel in DETAILS.items():
        page.open_tab(name)
        expect(page(f"#panel-{panel}")).to_be_visible()
        missed = reached(page)
        assert not missed, (name, missed)


def reached(page):
    """Presses Tab through the whole page. Returns the controls that were not reached or showed no focus."""
    page.tab.evaluate("""() => {
        const at = document.activeElement;
        at?.blur();
        window.wanted = new Set([...document.querySelectorAll('button, input, select, textarea, summary, a, [tabindex="0"]')]
            .filter((node) => node.tabIndex >= 0 && !node.disabled && node.checkVisibility({visibilityProperty: true})
                && node.closest('[hidden]') === null && !(node.type === 'radio' && !node.checked)));
        window.unseen = [];
        window.rounds = 0;
    }""")
    for _ in range(400):
        page.press("Tab")
        isDone = page.tab.evaluate("""() => {
            const at = document.activeElement;
            if (at === null || at === document.body) return window.wanted.size === 0 || window.rounds++ > 1;
            window.wanted.delete(at);
            const {outlineStyle, outlineWidth} = getComputedStyle(at);
            const box = at.getBoundingClientRect();
            const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
                && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
            if (!isSeen) window.unseen.push(at.outerHTML.slice(0, 160));
            return window.wanted.size === 0;
        }""")
        if isDone:
            break
    # Controls that were rebuilt in between can no longer be reached.
    return page.tab.evaluate("""[...window.wanted].filter((node) => node.isConnected)
        .map((node) => node.outerHTML.slice(0, 160)).concat(window.unseen).slice(0, 9)""")


@check("the focus stays at its control while the log grows and its surroundings are rebuilt")
def _(stage):
    daemon, page = stage.page()
    mark = page.button("Bookmark before-cleanup, @17")
    mark.focus()
    left = mark.bounding_box()["x"]
    for _ in range(20):
        daemon.dispatch(INCREMENT)
    page.tab.wait_for_function("left => document.activeElement.getBoundingClientRect().x !== left", arg=left)
    expect(mark).to_be_focused()
    page.go(28).shows_state(28)
    history = page.button("History of todos.items[4]")
    history.focus()
    daemon.dispatch({"counter": {"increment": {}}})
    expect(page("#clock")).to_contain_text(f"of @{daemon.head}")
    expect(history).to_be_focused()


@check("a screen reader gets landmarks, headings and changes")
def _(stage):
    daemon, page = stage.page()
    for name in ("Time", "State", "Log", "Details"):
        expect(page.tab.get_by_role("region", name=name, exact=True)).to_have_count(1)
    assert page("h1").count() == 1
    expect(page("#status")).to_have_attribute("role", "status")
    page.press("Tab")
    expect(page("a.skip")).to_be_focused()
    page.press("Enter")
    expect(page("#middle")).to_be_focused()
    expect(page("[role=slider]")).to_have_attribute("aria-valuetext", "now, record 35")
    page.go(28).shows_state(28)


@check("single letter keys can be disabled permanently, and the help lists all of them")
def _(stage):
    daemon, page = stage.page()
    page.leave_controls().press("?")
    expect(page("dialog")).to_contain_text("dispatch an action")
    page.tab.get_by_label("Single letters and signs are keys").uncheck()
    page.press("Escape")
    expect(page("dialog")).to_have_count(0)
    page.tab.reload()
    page.ready().leave_controls().press("a")
    expect(page.tab.get_by_role("tab", name="Record")).to_have_attribute("aria-selected", "true")
    page.press("ArrowLeft").shows_state(daemon.head - 1)


@check("a narrow window shows the todos first")
def _(stage):
    daemon, page = stage.page(width=320, height=640)
    expect(page(".todo").first).to_be_in_viewport()
    top = lambda selector: page(selector).bounding_box()["y"]
    assert top("#time") < top("#middle") < top("#log") < top("#details")
