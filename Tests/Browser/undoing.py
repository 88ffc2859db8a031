"""Undo, redo, and going back to a moment, each with a preview and as one step."""

import re

from playwright.sync_api import expect

from checks import check


@check("the last step is undone and redone, each after a preview, and cancelling changes nothing", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    page.leave_controls().press("u")
    expect(page("dialog")).to_contain_text("counter: 5 → 4")
    page.press("Escape")
    expect(page("dialog")).to_have_count(0)
    assert daemon.head == head
    page.button("Undo…").click()
    page.confirm("Undo the last step?")
    page.says("Undid the last step.")
    expect(page.record(35)).to_have_class(re.compile("undone"))
    page.button("Redo…").click()
    page.confirm("counter: 4 → 5")
    page.says("Redid the last undone step.")
    assert daemon.head == head + 2
    assert daemon.state("counter")["counter"]["count"] == 5


@check("any step of the log can be undone, and later changes are reported and can be overwritten")
def _(stage):
    daemon, page = stage.page()
    page.go(8).shows_state(8)
    page.button("Undo step @8…").click()
    page.confirm("Undo step @8?", "3: Rent a van → Rent a car")
    page.says("Undid step @8.")
    expect(page.button("Redo step @8…")).to_be_visible()
    page.leave_controls().press("Escape").shows_state("now")
    expect(page.todo("Rent a car")).to_have_count(1)
    # The title of todo 4 has changed since.
    daemon.dispatch({"todos": {"edit": {"id": 4, "title": "Send no invoice"}}})
    expect(page.todo("Send no invoice")).to_have_count(1)
    page.go(28).shows_state(28)
    page.button("Undo step @28…").click()
    expect(page("dialog")).to_contain_text("It has changed since")
    page.button("Overwrite that…", within=page("dialog")).click()
    page.confirm("What has changed since is overwritten.")
    page.says("Undid step @28.")
    page.leave_controls().press("Escape").shows_state("now")
    expect(page.todo("Send the invoice")).to_have_count(1)


@check("the present goes back to a moment after a preview, as one step that can be undone", small=True)
def _(stage):
    daemon, page = stage.page()
    head, before = daemon.head, daemon.todos
    page.go(20).shows_state(20)
    page.button("Revert to here…").click()
    page.confirm("Put everything back as it was at @20?", "counter: 5 → 3", "− 12: Answer the letter")
    page.says("Put everything back as it was at @20.")
    page.leave_controls().press("Escape").shows_state("now")
    expect(page.todo("Answer the letter")).to_have_count(0)
    # All its records belong to one step.
    step = page.button("Undo", within=page("footer"))
    step.click()
    page.says("Undid step @36.")
    expect(page.todo("Answer the letter")).to_have_count(1)
    assert daemon.todos == before and daemon.head > head
