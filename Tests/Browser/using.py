"""Todos as a list that is used, by clicks and by keys, and what every other feature shows."""

import re

from playwright.sync_api import expect

from checks import check
from history import empty


@check("todos are added, done, changed and removed by clicks, and each can be taken back at once", small=True)
def _(stage):
    daemon, page = stage.page(history=empty)
    page.tab.get_by_label("Title of a new todo").fill("Buy the milk")
    page.button("Add").click()
    page.says("Added: Buy the milk")
    expect(page.todo("Buy the milk")).to_have_count(1)
    expect(page.tab.get_by_label("Title of a new todo")).to_have_value("")

    page.todo("Buy the milk").get_by_role("checkbox").check()
    page.says("Done: Buy the milk")
    expect(page.todo("Buy the milk")).to_have_class(re.compile("done"))
    page.button("Undo", within=page("footer")).click()
    page.says("Took back step @2.")
    expect(page.todo("Buy the milk").get_by_role("checkbox")).not_to_be_checked()

    page.button("Edit: Buy the milk").click()
    dialog = page("dialog")
    dialog.get_by_label("Title").fill("Buy two pints of milk")
    dialog.get_by_label("Tags").fill("home shop")
    dialog.get_by_label("Due").fill("2031-12-24")
    dialog.get_by_label("Time").fill("18:30")
    dialog.get_by_label("Priority").select_option("high")
    dialog.get_by_label("Note").fill("The blue ones.")
    page.button("Save", within=dialog).click()
    page.says("Changed: Buy two pints of milk")
    [todo] = daemon.todos
    assert (todo["title"], todo["tags"], todo["due"], todo["priority"], todo["note"]) == (
        "Buy two pints of milk", ["home", "shop"], "2031-12-24T18:30", 3, "The blue ones."), todo
    expect(page.todo("Buy two pints")).to_contain_text("#shop")

    page.button("Edit: Buy two pints of milk").click()
    page.button("Save", within=dialog).click()
    page.says("Nothing was changed.")
    page.button("Remove: Buy two pints of milk").click()
    expect(page.todo("Buy two pints")).to_have_count(0)
    page.button("Undo", within=page("footer")).click()
    expect(page.todo("Buy two pints")).to_have_count(1)


@check("the same by keys alone, and the focus stays where somebody works", small=True)
def _(stage):
    daemon, page = stage.page(history=empty)
    page.leave_controls().press("a")
    for title in ("One thing", "Another thing", "A third thing"):
        page.tab.keyboard.type(title)
        page.press("Enter").says(f"Added: {title}")
        expect(page("#add")).to_have_value("")
        expect(page("#add")).to_be_focused()
    box = page.todo("A third thing").get_by_role("checkbox")
    box.focus()
    page.press("ArrowDown")
    expect(page.todo("Another thing").get_by_role("checkbox")).to_be_focused()
    page.press("Space").says("Done: Another thing")
    expect(page.todo("Another thing").get_by_role("checkbox")).to_be_focused()
    page.press("Alt+ArrowUp").says("Moved: Another thing")
    expect(page(".todo .text")).to_have_text(["Another thing", "A third thing", "One thing"])
    expect(page.todo("Another thing").get_by_role("checkbox")).to_be_focused()
    page.press("F2")
    expect(page("dialog").get_by_label("Title")).to_be_focused()
    page.press("Control+a")
    page.tab.keyboard.type("Another one")
    page.press("Enter").says("Changed: Another one")
    expect(page.todo("Another one").get_by_role("checkbox")).to_be_focused()
    page.press("Delete").says("Removed: Another one")
    expect(page(".todo .text")).to_have_text(["A third thing", "One thing"])
    assert [todo["title"] for todo in daemon.todos] == ["A third thing", "One thing"]
    # Somebody who removes one after another is still in the list.
    assert page.tab.evaluate("document.activeElement.closest('.todos') !== null"), page.focus


@check("what can't be is refused in words, and the page stays as it was", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    title = page.tab.get_by_label("Title of a new todo")
    title.fill("ab")
    expect(page("#add-note")).to_have_text("A title has at least 3 characters.")
    title.press("Enter")
    title.fill("x" * 5000)
    title.press("Enter")
    expect(page("#status")).to_have_class(re.compile("error"))
    expect(title).to_have_value("x" * 5000)
    assert daemon.head == head


@check("the past only shows: nothing can be written there, by a click or a key", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    page.go(20).shows_state(20)
    expect(page("#add-note")).to_have_text("This is the past: nothing can be changed here.")
    expect(page.button("Add")).to_be_disabled()
    box = page.todo("Plan the route").get_by_role("checkbox")
    expect(box).to_be_disabled()
    expect(page.button("Edit: Plan the route")).to_be_disabled()
    page.todo("Plan the route").locator(".todo-title").focus()
    page.press("Delete").says("This is the past.")
    page.press("F2").says("This is the past.")
    page.press("Alt+ArrowUp").says("This is the past.")
    assert daemon.head == head


@check("what changed in another moment is marked, and the list can be filtered")
def _(stage):
    daemon, page = stage.page()
    page.go(27).shows_state(27)
    page.leave_controls().press("ArrowRight").shows_state(28)
    expect(page.todo("Send the invoice again")).to_have_class(re.compile("flash"))
    expect(page.todo("Plan the route")).not_to_have_class(re.compile("flash"))
    # Not for ever, also where nothing may move.
    expect(page(".todo.flash")).to_have_count(0)
    page.leave_controls().press("Escape").shows_state("now")
    page.tab.get_by_label("Filter the todos").fill("#trip")
    expect(page(".todo .text")).to_have_text(["Book the hotel", "Pack the tent", "Plan the route", "Rent a van"])
    page.tab.get_by_label("Open only").check()
    expect(page(".todo .text")).to_have_text(["Book the hotel", "Plan the route", "Rent a van"])
    expect(page("#middle")).to_contain_text("7 open, 5 done; 3 shown")
    page.tab.get_by_label("Filter the todos").fill("ROUTE")
    expect(page(".todo .text")).to_have_text(["Plan the route"])


@check("every feature shows what it has, now and then", small=True)
def _(stage):
    daemon, page = stage.page()
    names = page("#middle .choice button").all_text_contents()
    assert {"todos", "counter", "alerts", "views"} <= set(names), names
    for name in names:
        page.button(name, within=page("#middle")).click()
        expect(page(".feature:visible")).to_have_count(1)
    page.button("counter", within=page("#middle")).click()
    expect(page(".feature:visible dd").first).to_have_text("5")
    page.go(10).shows_state(10)
    expect(page(".feature:visible dd").first).to_have_text("2")
    page.button("alerts", within=page("#middle")).click()
    page.leave_controls().press("Escape").shows_state("now")
    expect(page(".feature:visible")).to_contain_text("the todos could not be loaded")


@check("the tree of the state keeps its branches open in every moment, marks what changed, and goes to a path", small=True)
def _(stage):
    daemon, page = stage.page()
    page.open_tab("State")
    path = page.tab.get_by_label("Go to a path")
    path.fill("todos.items[4].title")
    path.press("Enter")
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
    expect(page(".tree .changed", has_text="Send the invoice again").first).to_contain_text("new")
    page("#middle .tree").focus()
    page.press("Home", "ArrowDown", "ArrowLeft")
    expect(page('.tree [aria-expanded="false"]')).not_to_have_count(0)


@check("the state is there as JSON as well, and the selected value in forms to copy")
def _(stage):
    daemon, page = stage.page(permissions=["clipboard-read", "clipboard-write"])
    page.open_tab("JSON")
    page(".json").focus()
    page.press("End")
    expect(page(".json")).to_contain_text("}")
    page.press("Home")
    expect(page(".json")).to_contain_text('"title": "Answer the letter"')
    page.open_tab("State")
    path = page.tab.get_by_label("Go to a path")
    path.fill("counter.count")
    path.press("Enter")
    copied = lambda: page.tab.evaluate("navigator.clipboard.readText()")
    for name, text in [("path", "counter.count"), ("JSON", "5"), ("command", "todoctl state counter.count"),
                       ("test", "todoctl check --where 'counter.count == 5' --from 35 --to 35")]:
        page.button(name, within=page(".copies")).click()
        page.says("Copied the")
        assert copied() == text, copied()
    page.go(5).shows_state(5)
    page.button("Copy address").click()
    page.says("Copied the address of this moment.")
    stage.open(copied()).shows_state(5)


@check("the difference tells what a record changed, what is otherwise now, and what lies between two moments")
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
    expect(page("#tab-blame")).to_be_visible()
    page.button("Unpin @28").click()
    expect(page("#middle [role=status]")).to_contain_text("No moment is pinned.")
