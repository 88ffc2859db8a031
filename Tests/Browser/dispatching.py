"""Any action of any feature by its form: previewed, then dispatched."""

import re

from playwright.sync_api import expect

from checks import check
from history import HOSTILE, add


@check("a form previews its action while it is filled in, dispatches it, and shows errors at their fields", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    page.leave_controls().press("x")
    panel = page("#panel-forms")
    expect(page("#dispatch-feature")).to_be_focused()
    page.choose("todos", "edit")
    panel.get_by_label("id", exact=True).fill("four")
    expect(panel.locator(".wrong", has_text="A whole number is expected.")).to_be_visible()
    panel.get_by_label("id", exact=True).fill("4")
    panel.get_by_role("checkbox", name="title", exact=True).check()
    panel.get_by_role("textbox", name="title", exact=True).fill("Send it at last")
    expect(panel).to_contain_text("4: Send the invoice again → Send it at last")
    assert daemon.head == head
    page.button("Dispatch", within=panel).click()
    page.says("Dispatched as @36: changed 4")
    assert daemon.head == head + 1
    panel.get_by_label("id", exact=True).fill("4444")
    expect(panel).to_contain_text("4444")
    expect(page.button("Dispatch", within=panel)).to_be_disabled()


@check("the preview includes concurrent changes by others, and nothing is dispatched from the past")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    panel = page("#panel-forms")
    page.choose("counter", "increment")
    expect(panel).to_contain_text("One more.")
    expect(panel).to_contain_text("counter: 5 → 6")
    daemon.dispatch({"counter": {"increment": {}}})
    expect(panel).to_contain_text("counter: 6 → 7")
    page.go(3).shows_state(3)
    expect(panel).to_contain_text("This is the past.")
    expect(page.button("Dispatch", within=panel)).to_be_disabled()
    page.button("Back to now", within=panel).click()
    page.button("Dispatch", within=panel).click()
    page.says("Dispatched as @37: counted up.")


@check("an action can be edited as JSON and converted between both forms")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    panel = page("#panel-forms")
    panel.get_by_role("checkbox", name="as JSON").check()
    panel.get_by_label("The action as JSON").fill('{"todos": {"edit": {"id": 1, "note": "two\\nlines"}}}')
    expect(panel).to_contain_text("note changed")
    panel.get_by_role("checkbox", name="as JSON").uncheck()
    expect(panel.get_by_role("textbox", name="note", exact=True)).to_have_value("two\nlines")
    page.button("Dispatch", within=panel).click()
    page.says("Dispatched as @36")
    assert next(todo for todo in daemon.todos if todo["id"] == 1)["note"] == "two\nlines"


@check("no form of any action renders a user's text as markup")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    panel = page("#panel-forms")
    features, actions = page("#dispatch-feature"), page("#dispatch-action")
    expect(features.locator("option")).not_to_have_count(0)
    tried, last = 0, []
    for feature in features.locator("option").all_text_contents():
        features.select_option(label=feature)
        expect(actions.locator("option")).not_to_have_count(0)
        if last:
            expect(actions.locator("option")).not_to_have_text(last)
        last = actions.locator("option").all_text_contents()
        for action in actions.locator("option").all_text_contents():
            actions.select_option(label=action)
            for box in panel.locator(".optional > input[type=checkbox]").all():
                box.check()
            texts = panel.locator(".form .form input[type=text]:not([inputmode]), .form .form textarea")
            for field in texts.all():
                field.fill(HOSTILE)
            tried += texts.count()
            for field in panel.locator("input[inputmode=numeric]").all():
                field.fill("4")
            assert page("img[src=x], b:text('tag')").count() == 0, action
    assert tried > 10, tried
    # A refusal quotes the text, and a preview shows the changes.
    page.choose("todos", "updateText")
    panel.get_by_role("textbox", name="text").fill(HOSTILE)
    expect(panel.locator(".sentences")).to_contain_text(HOSTILE)
    page.button("Dispatch", within=panel).click()
    page.says(HOSTILE)
    assert page("img").count() == 0


@check("a form for todos accepts several at once, and one can be removed again")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    panel = page("#panel-forms")
    page.choose("todos", "add")
    titles = panel.get_by_role("textbox", name="title", exact=True)
    titles.first.fill("One more thing")
    page.button("Add to items", within=panel).click()
    titles.last.fill("And another")
    expect(panel.locator(".sentences")).to_contain_text("And another")
    page.button("Remove this one of items", within=panel).last.click()
    expect(panel.locator(".sentences")).not_to_contain_text("And another")
    page.button("Dispatch", within=panel).click()
    page.says("It was given the id 13.")
    assert [todo["title"] for todo in daemon.todos][0] == "One more thing"


@check("a form has no fields that the daemon fills in, and users are named relative to the reader", small=True)
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    panel = page("#panel-forms")
    for action, about, missing in [
            ("add", "Adds todos at the top", ("id", "created", "completed", "reminded", "origin", "series")),
            ("edit", "Changes fields of a todo", ("reminded", "origin")), ("clearCompleted", "Removes all completed", ("ids",))]:
        page.choose("todos", action)
        expect(panel).to_contain_text(about)
        for name in missing:
            expect(panel.get_by_label(name, exact=True)).to_have_count(0)
    page.choose("views", "save")
    expect(panel.get_by_label("name", exact=True)).to_have_count(1)
    expect(panel.get_by_label("id", exact=True)).to_have_count(0)
    panel.get_by_label("name", exact=True).fill("work")
    panel.get_by_label("filter", exact=True).fill("#work")
    page.button("Dispatch", within=panel).click()
    page.says("Dispatched as @36: saved the view work: #work.")
    expect(page.record(36).locator(".who")).to_have_text("you")
    page.open_tab("Record")
    page.record(28).click()
    expect(page("#panel-why .facts")).to_contain_text("you")
    expect(page("#panel-why")).not_to_contain_text("uid ")
