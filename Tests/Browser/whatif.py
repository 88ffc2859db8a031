"""A what-if history beside the real one. Nothing is written until it is applied as one step."""

import re

from playwright.sync_api import expect

from checks import check


@check("leaving out a step shows both histories with commands and states, and applying it is one step that can be undone", small=True)
def _(stage):
    daemon, page = stage.page()
    head, before = daemon.head, daemon.todos
    panel = page("#panel-whatif")
    # The command of @23 ended with @24 and @25.
    page.go(23).shows_state(23)
    page.leave_controls().press("w")
    expect(panel.locator(".alterations")).to_contain_text("Without @23 asked for todos to be loaded")
    expect(panel).to_contain_text("left out.")
    page.leave_controls().press("w")
    page.open_tab("Record")
    page.record(28).click()
    page.shows_state(28)
    expect(page("#panel-record h2")).to_have_text("Record @28")
    page.button("What if it had not been", within=page("#panel-record")).click()
    expect(panel).to_contain_text("Without @28")
    expect(panel).to_contain_text("Both are the same until @27.")
    page.leave_controls().press("Escape").shows_state("now")
    rows = panel.locator("table.both").first.locator("tbody tr")
    expect(rows.filter(has_text="@28")).to_contain_text("left out")
    expect(panel.locator(".sentences").last).to_contain_text("4: Send the invoice again → Send the invoice")
    assert daemon.head == head

    page.button("Apply…", within=panel).click()
    page.confirm("Change the present to this?", "4: Send the invoice again → Send the invoice")
    page.says("Applied the what-if history.")
    expect(page.todo("Send the invoice")).not_to_contain_text("again")
    assert daemon.status()["sequence"] == head + 1
    page.button("Undo", within=page("footer")).click()
    page.says("Undid step @36.")
    assert daemon.todos == before


@check("an action is put in the place of a record or after it by the text form, and an invalid one is reported at its line")
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    page.go(4).shows_state(4)
    page.leave_controls().press("w")
    panel = page("#panel-whatif")
    expect(panel.locator(".alterations li")).to_have_count(1)
    page.leave_controls().press("w")
    expect(panel.locator(".alterations li")).to_have_count(0)
    page.go(5).shows_state(5)
    page.button("Change or add an action…", within=panel).click()
    page.write({"counter": {"increment": {}}})
    page.button("What if after the record").click()
    expect(panel.locator(".alterations")).to_contain_text("After @5 counted up to 1: counted up")
    page.leave_controls().press("Escape").shows_state("now")
    expect(panel).to_contain_text("At @35: 1 difference.")
    page.open_tab("Record")
    page.go(6).shows_state(6)
    expect(page("#panel-record h2")).to_have_text("Record @6")
    page.button("What if it were another").click()
    expect(page.tab.get_by_label("The action as JSON")).to_have_value(re.compile('"complete"'))
    page.write({"todos": {"complete": {"id": 4444}}})
    page.button("What if instead of the record").click()
    expect(panel.locator(".alterations .wrong")).to_have_count(1)
    page.button("Put it back: @6", within=panel).click()
    expect(panel.locator(".alterations .wrong")).to_have_count(0)
    page.button("Put everything back", within=panel).click()
    expect(panel.locator(".alterations li")).to_have_count(0)
    assert daemon.head == head
