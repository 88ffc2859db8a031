"""Any action of any feature as text: previewed, then dispatched."""

import json

from playwright.sync_api import expect

from checks import check
from history import HOSTILE


@check("the text form begins with the daemon's example, previews its action, dispatches it, and shows errors", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    page.leave_controls().press("a")
    panel = page("#panel-dispatch")
    text = page.tab.get_by_label("The action as JSON")
    expect(page.tab.get_by_label("Example")).to_be_focused()
    expect(text).to_have_value('{\n  "todos": {\n    "add": {\n      "items": [\n        {\n          "title": "text"\n        }\n      ]\n    }\n  }\n}')
    expect(panel).to_contain_text("Adds todos at the top")
    page.write({"todos": {"edit": {"id": 4, "title": "Send it at last"}}})
    page.button("Dispatch…", within=panel).click()
    expect(page("dialog")).to_contain_text("4: Send the invoice again → Send it at last")
    page.press("Escape")
    assert daemon.head == head
    page.button("Dispatch…", within=panel).click()
    page.confirm("Dispatch this action?")
    page.says("Dispatched as @36: changed 4")
    assert daemon.head == head + 1
    expect(page.record(36).locator(".who")).to_have_text("you")
    page.write({"todos": {"edit": {"id": 4444, "title": "Send it at last"}}})
    page.button("Dispatch…", within=panel).click()
    expect(panel.get_by_role("alert")).to_contain_text("4444")
    text.fill('{"todos":')
    page.button("Dispatch…", within=panel).click()
    expect(panel.get_by_role("alert")).to_have_text("This is not the JSON of an action.")
    page.dispatch({"todos": {"add": {"items": [{"title": "One more thing"}, {"title": "And another"}]}}}, "+ 14: And another")
    page.says("Its id is 13, 14.")
    page.button("Undo", within=page("footer")).click()
    page.says("Undid step @37.")


@check("the preview includes concurrent changes by others, and an action that is dispatched from the past changes the present")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    panel = page("#panel-dispatch")
    page.tab.get_by_label("Example").select_option("counter increment")
    expect(panel).to_contain_text("Adds 1.")
    page.button("Dispatch…", within=panel).click()
    expect(page("dialog")).to_contain_text("counter: 5 → 6")
    daemon.dispatch({"counter": {"increment": {}}})
    expect(page("dialog")).to_contain_text("counter: 6 → 7")
    page.confirm()
    page.says("Dispatched as @37: counted up.")
    page.go(3).shows_state(3)
    expect(panel).to_contain_text("This is the past.")
    page.button("Dispatch…", within=panel).click()
    page.confirm("The present changes, not the past that you are viewing.", "counter: 7 → 8")
    page.says("Dispatched as @38: counted up.")
    page.shows_state(3)


@check("every action has the example of todoctl, and no user's text is rendered as markup")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    examples, text = page.tab.get_by_label("Example"), page.tab.get_by_label("The action as JSON")
    expect(examples.locator("option")).not_to_have_count(0)
    shown = []
    for title in examples.locator("option").all_text_contents():
        examples.select_option(title)
        shown.append(json.loads(text.input_value()))
    expected = daemon.todoctl("actions")
    assert shown == [action["example"] for feature in expected.values() for action in feature.values()], shown
    page.dispatch({"todos": {"updateText": {"text": HOSTILE}}}, HOSTILE)
    page.says(HOSTILE)
    assert page("img").count() == 0
