"""Details of records and values: causes, blame, history, and where a condition became true."""

import re

from playwright.sync_api import expect

from checks import check


@check("a record shows its changes, its commands with their results, and its cause", small=True)
def _(stage):
    daemon, page = stage.page()
    panel = page("#panel-why")
    page.record(25).click()
    expect(panel.get_by_role("heading", name="Record @25")).to_be_visible()
    expect(panel).to_contain_text("alert: the todos could not be loaded")
    # From the alert back to the command, and to the record that requested it.
    causes = panel.locator(".causes")
    expect(causes.first).to_contain_text("@23 asked for todos to be loaded")
    expect(causes.first).to_contain_text("→ load the todos — failed")
    causes.get_by_role("button", name=re.compile("^@23 ")).click()
    expect(panel.get_by_role("heading", name="Record @23")).to_be_visible()
    expect(panel).to_contain_text("What it asked for")
    # Selecting a record does not change the moment.
    page.shows_state(25)
    page.button("Go there", within=panel).click()
    page.shows_state(23)
    page.button("Go before it", within=panel).click()
    page.shows_state(22)


@check("a step is undone from its record after a preview, and redone from there")
def _(stage):
    daemon, page = stage.page()
    panel = page("#panel-why")
    page.record(28).click()
    page.leave_controls().press("Escape").shows_state("now")
    page.record(33).click()
    head = daemon.head
    page.button("Undo step @33…", within=panel).click()
    expect(page("dialog")).to_contain_text("9: Call the bank about the card: open again")
    page.button("Cancel", within=page("dialog")).click()
    assert daemon.head == head
    page.button("Undo step @33…", within=panel).click()
    page.confirm("Undo step @33?", "The present changes, not the past that you are viewing.")
    page.says("Undid step @33.")
    expect(page.record(33)).to_have_class(re.compile("undone"))
    page.button("Redo step @33…", within=panel).click()
    page.confirm("Redo step @33?")
    page.says("Redid step @33.")
    expect(page.record(33)).not_to_have_class(re.compile("undone"))
    assert daemon.head == head + 2


@check("a value shows who set it and its history, and its last change can be undone", small=True)
def _(stage):
    daemon, page = stage.page()
    page.todo("Send the invoice again").locator(".todo-title").click()
    page.open_tab("Value")
    panel = page("#panel-blame")
    expect(panel.get_by_role("heading", name="Todo 4")).to_be_visible()
    history = panel.locator(".history > li")
    expect(history).to_have_count(3)
    panel.get_by_label("Value", exact=True).fill("todos.items[4].title")
    panel.get_by_label("Value", exact=True).press("Enter")
    expect(panel.get_by_role("heading", name="The title of todo 4")).to_be_visible()
    expect(panel).to_contain_text("Send the invoice → Send the invoice again")
    expect(history).to_have_count(2)
    history.first.get_by_role("button").first.click()
    page.button("Undo its last change…", within=panel).click()
    page.confirm("4: Send the invoice again → Send the invoice")
    page.says("Undid the last change of the title of todo 4.")
    expect(page.todo("Send the invoice")).not_to_contain_text("again")


@check("a number is plotted along the log and listed as a table, and a point leads to its moment")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("State")
    page.tab.get_by_label("Go to a path").fill("counter.count")
    page.tab.get_by_label("Go to a path").press("Enter")
    page.open_tab("Value")
    plot = page("#panel-blame figure")
    expect(plot.locator("figcaption")).to_have_text(
        "counter.count: 0 at @1, 5 at @35; lowest 0 at @1, highest 5 at @35.")
    expect(plot.locator("path.line")).to_have_attribute("d", re.compile("^M"))
    plot.locator("summary").click()
    expect(plot.locator("tbody tr")).to_have_count(6)
    page.button("@10", within=plot).click()
    page.shows_state(10)
    expect(plot.locator("line.here")).to_have_count(1)
    page.tab.get_by_label("Number to draw").fill("count(")
    page.tab.get_by_label("Number to draw").press("Enter")
    expect(page("#panel-blame .note.error")).not_to_have_text("")


@check("the record where a condition became true is found, and an error in a condition is shown at its position", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    page.leave_controls().press("c")
    panel = page("#panel-bisect")
    condition = panel.get_by_label("Condition")
    expect(condition).to_be_focused()
    condition.fill("counter.count > 2")
    condition.press("Enter")
    expect(panel).to_contain_text("It came true at @17.")
    page.button("Go to @17", within=panel).click()
    page.shows_state(17)
    panel.get_by_label("Where did it not hold?").check()
    condition.fill("count(alerts.items) == 0")
    condition.press("Enter")
    expect(panel).to_contain_text("It did not hold in 1 span from @0 to @35.")
    condition.fill("counter.count >")
    condition.press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text("(at character")
    expect(condition).to_have_attribute("aria-invalid", "true")
    assert daemon.head == head
