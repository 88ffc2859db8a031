"""Details of records and values: causes, blame and history."""

import re

from playwright.sync_api import expect

from checks import check


@check("a record shows its changes, its commands with their results, and its cause", small=True)
def _(stage):
    daemon, page = stage.page()
    panel = page("#panel-record")
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
    panel = page("#panel-record")
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


@check("a value shows who set it and its history, and can be put back", small=True)
def _(stage):
    daemon, page = stage.page()
    page.todo("Send the invoice again").click()
    value = page("#value")
    expect(value.get_by_role("heading", name="Todo 4")).to_be_visible()
    expect(value).to_contain_text("Set by @28 changed 4: Send the invoice → Send the invoice again")
    page.select("todos.items[4].title")
    expect(value.get_by_role("heading", name="The title of todo 4")).to_be_visible()
    expect(value).to_contain_text("It is Send the invoice again.")
    page.button("History", within=value).click()
    expect(page(".record .sequence")).to_have_text(["@28", "@4"])
    page.record(4).click()
    page.shows_state(4)
    expect(value).to_contain_text("It is Send the invoice.")
    page.button("Put it back as at @4…", within=value).click()
    page.confirm("Put todos.items[4].title back as it was at @4?", "4: Send the invoice again → Send the invoice")
    page.says("Put todos.items[4].title back as it was at @4.")
    page.leave_controls().press("Escape").shows_state("now")
    page.open_tab("Todos")
    expect(page.todo("Send the invoice")).not_to_contain_text("again")
    page.button("Deselect", within=value).click()
    expect(value).to_be_empty()


@check("the sentences of all records contain the titles, also in the past and of removed todos", small=True)
def _(stage):
    daemon, page = stage.page(height=1400)
    page.go(1).shows_state(1)
    for sequence, sentence in {6: "completed 2: Buy the milk", 11: "moved 4: Send the invoice", 31: "removed 6: Book the hotel",
                               33: "completed 9: Call the bank about the card"}.items():
        expect(page.record(sequence)).to_contain_text(sentence)
    page.leave_controls().press("Escape").shows_state("now")
    daemon.dispatch({"todos": {"remove": {"id": 2}}})
    expect(page.record(36)).to_contain_text("removed 2: Buy the milk")
    page.tab.get_by_label("Search the log").fill("milk")
    expect(page("#log [role=status]")).to_have_text("2 found.")
    expect(page.record(2)).to_contain_text("added 2: Buy the milk")
    page.tab.get_by_label("Search the log").fill("action:complete")
    expect(page.record(6)).to_contain_text("completed 2: Buy the milk")
