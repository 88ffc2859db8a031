"""Accessibility: keys, screen readers, dark mode, narrow screens."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from checks import check
from history import INCREMENT, add, edit

KNOWLEDGE = {"Record": "why", "Value": "blame", "What if": "whatif", "Dispatch": "forms", "Undo": "undo", "Find": "bisect"}


def judge(page, where):
    """Asserts that axe finds no violation and that nothing is wider than the screen."""
    report = Axe().run(page.tab)
    assert report.violations_count == 0, f"{where}:\n{report.generate_report()}"
    wide = page.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{where}: the page is {wide} pixels wider than the screen"


def walk(page):
    """Opens every tab and panel in turn, each with contents."""
    yield "now"
    for feature in page("#middle .choice button").all_text_contents():
        page.button(feature, within=page("#middle")).click()
        expect(page(".feature:visible")).to_have_count(1)
        yield f"the view of {feature}"
    page.record(28).click()
    page.shows_state(28)
    yield "the past"
    page.leave_controls().press("d")
    for tab in ("State", "Difference", "JSON"):
        page.open_tab(tab)
        yield tab
    page.open_tab("State")
    page.tab.get_by_label("Go to a path").fill("counter.count")
    page.tab.get_by_label("Go to a path").press("Enter")
    page.open_tab("Value")
    expect(page("#panel-blame figure")).to_have_count(1)
    yield "a value"
    page.open_tab("What if")
    page.leave_controls().press("w")
    expect(page("#panel-whatif table.both").first).to_be_visible()
    yield "what if"
    page.leave_controls().press("Escape").shows_state("now")
    page.open_tab("Dispatch")
    panel = page("#panel-forms")
    page.choose("todos", "edit")
    panel.get_by_label("id", exact=True).fill("x")
    for box in panel.locator(".optional > input[type=checkbox]").all():
        box.check()
    yield "a form"
    page.open_tab("Undo")
    expect(page("#panel-undo .history li")).not_to_have_count(0)
    yield "undo"
    page.button("Undo the last step…").click()
    expect(page("dialog")).to_have_count(1)
    yield "a dialog"
    page.press("Escape")
    page.open_tab("Find")
    page("#condition").fill("counter.count > 2")
    page("#condition").press("Enter")
    expect(page("#panel-bisect")).to_contain_text("It came true at @17.")
    yield "what was found"
    page.button("Keys and help").click()
    yield "the help"
    page.press("Escape")
    page("summary", has_text="Filter").click()
    page.tab.get_by_label("Search the log").fill("hotel")
    expect(page("#log [role=status]")).to_have_text("2 found.")
    page.tab.get_by_label("Developer").check()
    page.open_tab("Record")
    page.record(9).click()
    expect(page("#panel-why .raw")).to_be_visible()
    yield "a search, for developers"


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
    for name, panel in KNOWLEDGE.items():
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
    box = page.todo("Rent a van").get_by_role("checkbox")
    box.focus()
    daemon.dispatch(add("On top of it"))
    daemon.dispatch(edit(3, title="Rent a van and a trailer"))
    expect(page.todo("Rent a van and a trailer").get_by_role("checkbox")).to_be_focused()


@check("a screen reader gets landmarks, headings and changes")
def _(stage):
    daemon, page = stage.page()
    for name in ("Time", "Log", "State", "Knowledge"):
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
    expect(page("dialog")).to_contain_text("add a todo")
    page.tab.get_by_label("Single letters and signs are keys").uncheck()
    page.press("Escape")
    expect(page("dialog")).to_have_count(0)
    page.tab.reload()
    page.ready().leave_controls().press("x")
    expect(page.tab.get_by_role("tab", name="Record")).to_have_attribute("aria-selected", "true")
    page.press("ArrowLeft").shows_state(daemon.head - 1)
