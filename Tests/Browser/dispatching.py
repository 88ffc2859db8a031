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
    expect(panel).to_contain_text("+ 13: text")
    page.write({"todos": {"edit": {"id": 4, "title": "Send it at last"}}})
    expect(panel).to_contain_text("4: Send the invoice again → Send it at last")
    assert daemon.head == head
    page.button("Dispatch", within=panel).click()
    page.says("Dispatched as @36: changed 4")
    assert daemon.head == head + 1
    expect(page.record(36).locator(".who")).to_have_text("you")
    page.write({"todos": {"edit": {"id": 4444, "title": "Send it at last"}}})
    expect(panel.get_by_role("alert")).to_contain_text("4444")
    expect(page.button("Dispatch", within=panel)).to_be_disabled()
    text.fill('{"todos":')
    expect(panel.get_by_role("alert")).to_have_text("This is not the JSON of an action.")
    page.write({"todos": {"add": {"items": [{"title": "One more thing"}, {"title": "And another"}]}}})
    page.button("Dispatch", within=panel).click()
    page.says("Its id is 13, 14.")
    page.button("Undo", within=page("footer")).click()
    page.says("Undid step @37.")


@check("the preview includes concurrent changes by others, and nothing is dispatched from the past")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    panel = page("#panel-dispatch")
    page.tab.get_by_label("Example").select_option("counter increment")
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


@check("every action has the example of todoctl, and no user's text is rendered as markup")
def _(stage):
    daemon, page = stage.page()
    page.open_tab("Dispatch")
    panel = page("#panel-dispatch")
    examples, text = page.tab.get_by_label("Example"), page.tab.get_by_label("The action as JSON")
    expect(examples.locator("option")).not_to_have_count(0)
    shown = []
    for title in examples.locator("option").all_text_contents():
        examples.select_option(title)
        shown.append(json.loads(text.input_value()))
    expected = daemon.todoctl("actions")
    assert shown == [action["example"] for feature in expected.values() for action in feature.values()], shown
    page.write({"todos": {"updateText": {"text": HOSTILE}}})
    expect(panel.locator(".sentences")).to_contain_text(HOSTILE)
    page.button("Dispatch", within=panel).click()
    page.says(HOSTILE)
    assert page("img").count() == 0
