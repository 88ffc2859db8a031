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
    expect(panel.locator(".alterations")).to_contain_text("Without @23 asked for todos to be loaded and 2 other records of its step @23")
    page.leave_controls().press("w")
    page.open_tab("Record")
    page.record(28).click()
    page.shows_state(28)
    expect(page("#panel-why h2")).to_have_text("Record @28")
    page.button("What if it had not been", within=page("#panel-why")).click()
    expect(panel).to_contain_text("Without @28")
    expect(panel).to_contain_text("Both go together until @27.")
    page.leave_controls().press("Escape").shows_state("now")
    rows = panel.locator("table.both").first.locator("tbody tr")
    expect(rows.filter(has_text="@28")).to_contain_text("never came")
    expect(panel.locator("table.both").last).to_contain_text("Send the invoice")
    assert daemon.head == head

    page.button("Apply…", within=panel).click()
    page.confirm("Lead the present there?", "4: Send the invoice again → Send the invoice")
    page.says("It is now as if it had been so.")
    expect(page.todo("Send the invoice")).not_to_contain_text("again")
    assert daemon.status()["sequence"] == head + 1
    page.button("Undo", within=page("footer")).click()
    page.says("Undid step @36.")
    assert daemon.todos == before


@check("records are left out and inserted by the form, and an invalid one is reported at its line")
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    page.go(4).shows_state(4)
    page.leave_controls().press("w")
    panel = page("#panel-whatif")
    expect(panel.locator(".alterations li")).to_have_count(1)
    page.leave_controls().press("w")
    expect(panel.locator(".alterations li")).to_have_count(0)
    kind = panel.get_by_label("What is different", exact=True).last
    record = panel.get_by_label("Record", exact=True)
    page.leave_controls().press("Escape").shows_state("now")
    kind.select_option("insert")
    record.fill("5")
    page.choose("counter", "increment", form="altered")
    page.button("Add", within=panel).click()
    expect(panel.locator(".alterations")).to_contain_text("Put in behind @5: counted up")
    expect(panel).to_contain_text("At @35 1 place differs.")
    kind.select_option("edit")
    record.fill("6")
    page.choose("todos", "complete", form="altered")
    panel.get_by_label("id", exact=True).last.fill("4444")
    page.button("Add", within=panel).click()
    expect(panel.locator(".alterations .wrong")).to_have_count(1)
    page.button("Put it back: @6", within=panel).click()
    expect(panel.locator(".alterations .wrong")).to_have_count(0)
    kind.select_option("skip")
    record.fill("99999")
    page.button("Add", within=panel).click()
    expect(panel.get_by_role("alert").last).to_contain_text("Name a record from")
    page.button("Put everything back", within=panel).click()
    expect(panel.locator(".alterations li")).to_have_count(0)
    assert daemon.head == head
