"""The state at a moment: the todos, the whole state as a tree, and differences."""

import re

from playwright.sync_api import expect

from checks import Skipped, check
from history import add, edit, empty


@check("the todos are counted once all pages of the state have arrived")
def _(stage):
    daemon, page = stage.page()
    held = []
    page.tab.route("**/call/org.todod.Store.GetState", lambda route: held.append(route))
    page.tab.reload()
    expect(page("#filter")).to_have_count(1)
    while not held:
        page.tab.evaluate("document.title")
    # Each page is rendered separately, as on a slow network.
    page.tab.evaluate("() => { window.requestAnimationFrame = (draw) => { draw(performance.now()); return 1; }; }")
    for route in held:
        route.continue_()
    expect(page("#middle")).to_contain_text("7 open, 5 done")


@check("an empty log or list of todos shows a message")
def _(stage):
    daemon, page = stage.page(history=empty)
    expect(page("#log")).to_contain_text("No record yet")
    expect(page("#middle")).to_contain_text("There are no todos yet.")
    daemon.dispatch(add("Buy the milk"))
    expect(page("#log")).not_to_contain_text("No record yet")
    expect(page("#middle")).not_to_contain_text("There are no todos yet.")
    page.tab.get_by_label("Filter the todos").fill("bread")
    expect(page("#middle")).to_contain_text("No todo matches.")
    stranger = stage.open(page.origin, isReady=False, mayMissAnswers=True)
    expect(stranger("#log")).to_contain_text("Without its token this page can show no record.")
    expect(stranger("#middle")).to_contain_text("Without its token this page can show no state.")


@check("the rows of the log and the todos are not cut off at any width")
def _(stage):
    daemon, page = stage.page()
    daemon.dispatch(edit(8, due="2031-12-24T18:30", priority=3, tags=["one-long-tag", "another-long-tag", "trip"]))
    expect(page.todo("Plan the route")).to_contain_text("one-long-tag")
    for width in (320, 375, 700, 900, 1280, 1920):
        page.tab.set_viewport_size({"width": width, "height": 800})
        for panel in ("Record", "What if"):
            page.open_tab(panel)
            page.tab.evaluate("() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))")
            cut = page.tab.evaluate("""() => [...document.querySelectorAll('.todo, .record')].flatMap((row) => {
                const end = row.getBoundingClientRect().right + 0.5;
                return [...row.children].filter((part) => part.getBoundingClientRect().right > end)
                    .map((part) => `${part.className}: ${row.textContent}`);
            })""")
            assert cut == [], (width, panel, cut)


@check("the todos that the shown record changed are marked and scrolled to, and the list can be filtered", small=True)
def _(stage):
    daemon, page = stage.page(height=600)
    page.go(28).shows_state(28)
    expect(page(".todo.changed .text")).to_have_text(["Send the invoice again"])
    page.leave_controls().press(",").shows_state(27)
    expect(page(".todo.changed .text")).to_have_text(["Water the plants"])
    page.go(19).shows_state(19)
    expect(page(".todo.changed")).to_have_count(0)
    page.go(9).shows_state(9)
    expect(page(".todo.changed")).to_have_count(3)
    page.leave_controls().press("Escape").shows_state("now")
    daemon.dispatch(add(*(f"Letter {number}" for number in range(100))), edit(1, title="Write the last report"), add("A last letter"))
    page.go(37).shows_state(37)
    expect(page.todo("Write the last report")).to_be_in_viewport()
    expect(page.todo("Write the last report")).to_have_class(re.compile("changed"))
    page.leave_controls().press("/")
    page.tab.keyboard.type("#trip")
    expect(page(".todo .text")).to_have_text(["Book the hotel", "Pack the tent", "Plan the route", "Rent a van"])
    expect(page("#middle")).to_contain_text("4 shown")
    page.tab.get_by_label("Filter the todos").fill("ROUTE")
    expect(page(".todo .text")).to_have_text(["Plan the route"])


@check("todos are shown and can't be edited")
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    expect(page(".todo")).not_to_have_count(0)
    assert page(".todo :is(button, input, a)").count() == 0
    page(".todo").first.dblclick()
    page.press("Space", "Delete", "F2", "Enter", "x", "e")
    expect(page("dialog")).to_have_count(0)
    assert daemon.head == head


@check("a page in dark mode is printed in light colours")
def _(stage):
    daemon, page = stage.page(scheme="dark")
    ink = "getComputedStyle(document.documentElement).getPropertyValue('--link')"
    dark = page.tab.evaluate(ink)
    page.tab.emulate_media(media="print", color_scheme="dark")
    paper = page.tab.evaluate(ink)
    page.tab.emulate_media(media="print", color_scheme="light")
    assert dark != paper == page.tab.evaluate(ink)


@check("the tree of the state keeps its branches open at every moment, marks changes, and goes to a path", small=True)
def _(stage):
    daemon, page = stage.page()
    page.select("todos.items[4].title")
    row = page(".tree .virtual-row.active")
    expect(row).to_contain_text('"Send the invoice again"')
    page.leave_controls().press("Control+Home")
    for moment, title in [(28, "Send the invoice again"), (27, "Send the invoice"), (4, "Send the invoice")]:
        page.go(moment).shows_state(moment)
        expect(page(".tree .value", has_text=re.compile(f'^"{title}"$'))).to_have_count(1)
    page.go(3).shows_state(3)
    expect(page(".tree .value", has_text="Send the invoice")).to_have_count(0)
    page.go(28).shows_state(28)
    expect(page(".tree .value", has_text=re.compile('^"Send the invoice again"$'))).to_have_count(1)
    expect(page(".tree .changed .change")).to_have_text(["changed", "changed", "changed", 'was "Send the invoice"'])
    page("#middle .tree").focus()
    page.press("Home", "ArrowDown", "ArrowLeft")
    expect(page('.tree [aria-expanded="false"]')).not_to_have_count(0)


@check("the selected value and the address of the moment can be copied")
def _(stage):
    daemon, page = stage.page(permissions=["clipboard-read", "clipboard-write"])
    page.select("counter.count")
    copied = lambda: page.tab.evaluate("navigator.clipboard.readText()")
    page.button("Copy", within=page("#value")).click()
    page.says("Copied the value: 5")
    assert copied() == "5", copied()
    page.go(5).shows_state(5)
    page.button("Copy address").click()
    page.says("Copied the address of this moment: it contains the token")
    stage.open(copied()).shows_state(5)


@check("the diff shows the changes of a record, the difference to now, and the changes between two moments")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Difference")
    page.record(28).click()
    changes = page(".changes .sentence")
    expect(changes).to_have_text(["4: Send the invoice → Send the invoice again"])
    page.tab.get_by_label("Compared with").select_option("now")
    expect(page("#middle [role=status]")).to_contain_text(f"From @28 to @{daemon.head}:")
    expect(changes.filter(has_text="Answer the letter")).to_have_count(1)
    page.leave_controls().press("d")
    expect(page.button("Unpin @28")).to_be_visible()
    page.go(26).shows_state(26)
    expect(page("#middle [role=status]")).to_contain_text("From @26 to @28: 2 changes.")
    changes.filter(has_text="Send the invoice").click()
    expect(page("#value h2")).to_have_text("Todo 4")
    page.button("Unpin @28").click()
    expect(page("#middle [role=status]")).to_contain_text("No moment is pinned.")


@check("the page supports another program's daemon completely: state, log, text form, what-if and undo")
def _(stage):
    if not stage.options.counterd:
        raise Skipped("--counterd is missing")
    daemon = stage.daemon(empty, program=stage.options.counterd)
    for amount in (5, -2, 7):
        daemon.dispatch({"add": {"amount": amount}})
    page = stage.open(stage.web(daemon).address)
    expect(page("#name")).to_have_text("counterd")
    expect(page.tab.get_by_role("tab", name="Todos")).to_be_hidden()
    expect(page(".tree")).to_contain_text("count10")
    expect(page.record(3)).to_contain_text("add amount 7")
    page.record(2).click()
    page.shows_state(2)
    expect(page(".tree .changed")).to_have_text(["count3was 5"])
    page.open_tab("Difference")
    expect(page(".changes .sentence")).to_have_text(["count: 5 \u2192 3"])
    page.select("count")
    expect(page("#value")).to_contain_text("It is 3.")
    page.leave_controls().press("w")
    expect(page("#panel-whatif")).to_contain_text("Without @2")
    page.leave_controls().press("Escape").shows_state("now")
    expect(page("#panel-whatif")).to_contain_text("count: 10 \u2192 12")
    page.open_tab("Dispatch")
    expect(page.tab.get_by_label("Example").locator("option").first).to_have_text("add")
    page.write({"add": {"amount": -3}})
    page.button("Dispatch\u2026", within=page("#panel-dispatch")).click()
    page.confirm("count: 10 \u2192 7")
    page.says("Dispatched as @4: add amount -3.")
    page.button("Undo\u2026").click()
    page.confirm("count: 7 \u2192 10")
    page.says("Undid the last step.")
    page.open_tab("Record")
    page.record(3).click()
    expect(page("#panel-record")).to_contain_text("count: 3 \u2192 10")
