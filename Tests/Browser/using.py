"""The list of todos by clicks and by keys, and the views of other features."""

import re

from playwright.sync_api import expect

from checks import check
from history import add, edit, empty


@check("todos are added, completed, changed and removed by clicks, and each can be undone at once", small=True)
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
    page.says("Undid step @2.")
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


@check("unedited fields of a todo stay as they are, and a tag of several words is typed in quotes")
def _(stage):
    daemon, page = stage.page(history=empty)
    daemon.dispatch(add("Sort the letters", tags=["to do", "home"], note="one\r\ntwo"))
    page.button("Edit: Sort the letters").click()
    dialog = page("dialog")
    dialog.get_by_label("Title").fill("Sort all letters")
    page.button("Save", within=dialog).click()
    page.says("Changed: Sort all letters")
    [todo] = daemon.todos
    assert (todo["title"], todo["tags"], todo["note"]) == ("Sort all letters", ["to do", "home"], "one\r\ntwo"), todo
    page.button("Edit: Sort all letters").click()
    tags = dialog.get_by_label("Tags")
    expect(tags).to_have_value('"to do" home')
    tags.fill('"to do", #home post')
    page.button("Save", within=dialog).click()
    expect(page.todo("Sort all letters")).to_contain_text("#post")
    assert daemon.todos[0]["tags"] == ["to do", "home", "post"]


@check("an incomplete date or time is reported and not taken for an empty one")
def _(stage):
    daemon, page = stage.page(history=empty)
    daemon.dispatch(add("Send the invoice", due="2031-12-24T18:30"))
    head = daemon.head
    page.button("Edit: Send the invoice").click()
    dialog = page("dialog")
    save = page.button("Save", within=dialog)
    for label, word in (("Due", "date"), ("Time", "time")):
        dialog.get_by_label(label).focus()
        page.press("Backspace")
        expect(dialog).to_contain_text(f"The {word} is incomplete.")
        expect(save).to_be_disabled()
        dialog.get_by_label("Title").focus()
        page.press("Enter")
        expect(dialog).to_contain_text(f"The {word} is incomplete.")
        dialog.get_by_label(label).fill("2031-12-24" if word == "date" else "19:30")
        expect(save).to_be_enabled()
    assert daemon.head == head
    save.click()
    page.says("Changed: Send the invoice")
    assert daemon.todos[0]["due"] == "2031-12-24T19:30"


@check("no row is marked if many rows differ at another moment")
def _(stage):
    daemon, page = stage.page(history=empty)
    daemon.dispatch(add(*(f"Letter {number}" for number in range(30))))
    daemon.dispatch(*({"todos": {"edit": {"id": number, "title": f"Letter {number} again"}}} for number in range(1, 31)))
    page.todo("again").nth(5).wait_for()
    page.tab.evaluate("""() => {
        window.marked = 0;
        new MutationObserver((changes) => { window.marked += changes.filter(({ target }) => target.classList.contains('flash')).length; })
            .observe(document.querySelector('.todos'), { subtree: true, attributes: true, attributeFilter: ['class'] });
    }""")
    page.go(1).shows_state(1)
    expect(page.todo("again")).to_have_count(0)
    page.tab.wait_for_timeout(200)
    assert page.tab.evaluate("window.marked") == 0
    page.leave_controls().press("Escape").shows_state("now")
    daemon.dispatch({"todos": {"edit": {"id": 1, "title": "Letter of mine"}}})
    expect(page.todo("Letter of mine")).to_have_class(re.compile("flash"))


@check("the same works by keys alone, and the focus stays where the user works", small=True)
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
    # After several removals the focus is still in the list.
    assert page.tab.evaluate("document.activeElement.closest('.todos') !== null"), page.focus


@check("invalid input is refused with a message, and the page stays as it was", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    title = page.tab.get_by_label("Title of a new todo")
    title.fill("ab")
    expect(page("#add-note")).to_have_text("A title needs 3 characters or more.")
    expect(page.button("Add")).to_be_disabled()
    title.press("Enter")
    # One visible character may have several code points.
    title.fill("👨‍👩‍👧 e\u0301")
    expect(page("#add-note")).to_have_text("")
    title.fill("👨‍👩‍👧e\u0301")
    expect(page("#add-note")).to_have_text("A title needs 3 characters or more.")
    title.fill("x" * 5000)
    expect(page("#add-note")).to_contain_text("5000 bytes")
    title.press("Enter")
    expect(title).to_have_value("x" * 5000)
    # Input that is sent before the check was answered is refused then.
    title.fill("xy")
    title.press("Enter")
    expect(page("#status")).to_have_class(re.compile("error"))
    assert daemon.head == head


@check("text in a todo's fields stays until it is accepted, with errors beside it", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    page.button("Edit: Answer the letter").click()
    dialog = page("dialog")
    title, note, save = dialog.get_by_label("Title"), dialog.get_by_label("Note"), page.button("Save", within=dialog)
    note.fill("A long thought.")
    title.fill("ab")
    expect(dialog).to_contain_text("A title needs 3 characters or more.")
    expect(save).to_be_disabled()
    title.press("Enter")
    title.fill("x" * 5000)
    expect(dialog.get_by_role("alert")).to_contain_text("5000 bytes")
    expect(save).to_be_disabled()
    title.fill("xy")
    # An error for input that was sent before the check is also shown here, and not below the dialog.
    title.press("Enter")
    expect(dialog.get_by_role("alert")).to_have_text("A title needs 3 characters or more.")
    expect(note).to_have_value("A long thought.")
    assert daemon.head == head
    title.fill("Answer the long letter")
    save.click()
    expect(dialog).to_have_count(0)
    expect(page.button("Edit: Answer the long letter")).to_be_focused()
    assert next(todo["note"] for todo in daemon.todos if todo["title"] == "Answer the long letter") == "A long thought."


@check("the todos are counted once all pages of the state have arrived")
def _(stage):
    daemon, page = stage.page()
    held = []
    page.tab.route("**/call/org.todod.Store.GetState", lambda route: held.append(route))
    page.tab.reload()
    expect(page("#add")).to_have_count(1)
    # Each page is rendered separately, as on a slow network.
    page.tab.evaluate("() => { window.requestAnimationFrame = (draw) => { draw(performance.now()); return 1; }; }")
    for route in held:
        route.continue_()
    expect(page("#middle")).to_contain_text("7 open, 5 done")


@check("an empty log, list of todos or feature shows a message")
def _(stage):
    daemon, page = stage.page(history=empty)
    expect(page("#log")).to_contain_text("No record yet")
    expect(page("#middle")).to_contain_text("There is no todo yet.")
    page.button("views", within=page("#middle")).click()
    expect(page(".feature:visible h3")).to_have_text(re.compile("none$"))
    daemon.dispatch(add("Buy the milk"))
    expect(page("#log")).not_to_contain_text("No record yet")
    page.button("todos", within=page("#middle")).click()
    expect(page("#middle")).not_to_contain_text("There is no todo yet.")
    page.tab.get_by_label("Filter the todos").fill("bread")
    expect(page("#middle")).to_contain_text("No todo is like that.")
    stranger = stage.open(page.origin, isReady=False, mayMissAnswers=True)
    expect(stranger("#log")).to_contain_text("Without its token this page can show no record.")
    expect(stranger("#middle")).to_contain_text("Without its token this page can show no state.")


@check("a click on a todo selects it and opens its value")
def _(stage):
    daemon, page = stage.page()
    page.todo("Plan the route").locator(".todo-title").click()
    expect(page.todo("Plan the route")).to_have_class(re.compile("selected"))
    expect(page("#panel-blame h2")).to_contain_text("Todo 8")
    page.todo("Rent a van").locator(".todo-title").click()
    expect(page(".todo.selected .text")).to_have_text(["Rent a van"])


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


@check("a page in dark mode is printed in light colours")
def _(stage):
    daemon, page = stage.page(scheme="dark")
    ink = "getComputedStyle(document.documentElement).getPropertyValue('--link')"
    dark = page.tab.evaluate(ink)
    page.tab.emulate_media(media="print", color_scheme="dark")
    paper = page.tab.evaluate(ink)
    page.tab.emulate_media(media="print", color_scheme="light")
    assert dark != paper == page.tab.evaluate(ink)


@check("the past is read-only for clicks and keys", small=True)
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


@check("changes at another moment are marked, and the list can be filtered")
def _(stage):
    daemon, page = stage.page()
    page.go(27).shows_state(27)
    page.leave_controls().press("ArrowRight").shows_state(28)
    expect(page.todo("Send the invoice again")).to_have_class(re.compile("flash"))
    expect(page.todo("Plan the route")).not_to_have_class(re.compile("flash"))
    # Marks disappear, even with reduced motion.
    expect(page(".todo.flash")).to_have_count(0)
    page.leave_controls().press("Escape").shows_state("now")
    page.tab.get_by_label("Filter the todos").fill("#trip")
    expect(page(".todo .text")).to_have_text(["Book the hotel", "Pack the tent", "Plan the route", "Rent a van"])
    page.tab.get_by_label("Open only").check()
    expect(page(".todo .text")).to_have_text(["Book the hotel", "Plan the route", "Rent a van"])
    expect(page("#middle")).to_contain_text("7 open, 5 done; 3 shown")
    page.tab.get_by_label("Filter the todos").fill("ROUTE")
    expect(page(".todo .text")).to_have_text(["Plan the route"])


@check("every feature shows its contents in the present and in the past", small=True)
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


@check("the tree of the state keeps its branches open at every moment, marks changes, and goes to a path", small=True)
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
    # A change that follows immediately is marked together with the previous one.
    expect(page(".tree .changed")).to_have_count(0)
    page.go(28).shows_state(28)
    expect(page(".tree .value", has_text=re.compile('^"Send the invoice again"$'))).to_have_count(1)
    expect(page(".tree .changed", has_text="Send the invoice again").first).to_contain_text("new")
    page("#middle .tree").focus()
    page.press("Home", "ArrowDown", "ArrowLeft")
    expect(page('.tree [aria-expanded="false"]')).not_to_have_count(0)


@check("the state is available as JSON, and the selected value can be copied in several forms")
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
    expect(page("#tab-blame")).to_be_visible()
    page.button("Unpin @28").click()
    expect(page("#middle [role=status]")).to_contain_text("No moment is pinned.")
