"""The view and actions of every feature: of todod, and of a daemon for which the page has no special code."""

import re

from playwright.sync_api import expect

from checks import Skipped, check
from history import empty, short


def open_feature(page, name):
    page.button(name, within=page("#middle")).click()
    return page(".feature:visible")


@check("a counter is incremented and an alert dismissed in their views, and each can be undone", small=True)
def _(stage):
    daemon, page = stage.page()
    counter = open_feature(page, "counter")
    page.button("+ 1", within=counter).click()
    page.says("Counted up.")
    expect(counter.locator("dd").first).to_have_text("6")
    expect(page.button("+ 1", within=counter)).to_be_focused()
    page.button("Undo", within=page("footer")).click()
    expect(counter.locator("dd").first).to_have_text("5")
    alerts = open_feature(page, "alerts")
    expect(alerts).to_contain_text("the todos could not be loaded")
    alerts.get_by_role("button", name="Dismiss: the todos").click()
    expect(alerts.locator("h3")).to_have_text(re.compile("none$"))
    page.go(10).shows_state(10)
    expect(page.button("Dismiss all", within=alerts)).to_be_disabled()


@check("posts are fetched and become todos, repositories are starred, and a question is answered by a click", small=True)
def _(stage):
    daemon, page = stage.page(history=short)
    posts = open_feature(page, "posts")
    page.button("Fetch", within=posts).click()
    make = posts.get_by_role("button", name="Make a todo of it: ")
    expect(make).not_to_have_count(0)
    title = posts.locator(".rows button.text").first.text_content()
    make.first.click()
    page.says("Made a todo of the post")
    assert daemon.todos[0]["title"] == title

    repositories = open_feature(page, "repositories")
    page.button("Ask me for a language", within=repositories).click()
    page.says("Asked for a language.")
    questions = open_feature(page, "flows")
    expect(questions).to_contain_text("Which language?")
    page.button("Java", within=questions).click()
    page.says("Answered the question")
    expect(questions.locator("h3")).to_have_text(re.compile("none$"))
    open_feature(page, "repositories")
    expect(repositories.locator("dd").first).to_have_text("Java")
    star = repositories.get_by_role("button", name="Give a star: ")
    expect(star).not_to_have_count(0)
    name = repositories.locator(".rows button.text").first.text_content()
    star.first.click()
    expect(repositories.get_by_role("button", name=f"Remove the star: {name}")).to_be_visible()
    stars = open_feature(page, "stars")
    expect(stars.locator(".rows .listitem, .rows [role=listitem]")).to_contain_text([f"★{name}"])
    stars.get_by_role("button", name="Remove the star").click()
    expect(stars.locator("h3")).to_have_text(re.compile("none$"))
    stars.get_by_label("Id").fill("one/more")
    page.button("Press the star", within=stars).click()
    page.says("Pressed the star button of one/more.")
    page.go(2).shows_state(2)
    expect(page.button("Press the star", within=stars)).to_be_disabled()


@check("the focus stays on a button whose label changes, and moves to the next row if its row is removed")
def _(stage):
    daemon, page = stage.page(history=short)
    for name in ("car", "house", "work"):
        daemon.dispatch({"views": {"save": {"name": name, "filter": f"#{name}"}}})
    views = open_feature(page, "views")
    views.get_by_role("button", name="Remove: house").press("Enter")
    expect(views.get_by_role("button", name="Remove: house")).to_have_count(0)
    expect(views.get_by_role("button", name="Remove: work")).to_be_focused()
    page.press("Enter")
    expect(views.get_by_role("button", name="Remove: car")).to_be_focused()
    page.press("Enter")
    expect(views.locator("h3")).to_be_focused()


@check("a star given by Enter keeps the focus on its button, and restarting a flow reports its request")
def _(stage):
    daemon, page = stage.page(history=short)
    repositories = open_feature(page, "repositories")
    page.button("Ask me for a language", within=repositories).click()
    page.says("Asked for a language.")
    questions = open_feature(page, "flows")
    page.button("Java", within=questions).click()
    page.says("Answered the question")
    open_feature(page, "repositories")
    star = repositories.get_by_role("button", name="Give a star: ").first
    name = star.get_attribute("aria-label").removeprefix("Give a star: ")
    star.press("Enter")
    taken = repositories.get_by_role("button", name=f"Remove the star: {name}")
    expect(taken).to_be_focused()
    page.press("Enter")
    expect(repositories.get_by_role("button", name=f"Give a star: {name}")).to_be_focused()
    open_feature(page, "flows")
    page.button("Start again", within=questions).click()
    page.says("Asked for the repositories.")


@check("an empty required field is reported in the view of a feature and in the form of any action")
def _(stage):
    daemon, page = stage.page(history=short)
    head = daemon.head
    stars = open_feature(page, "stars")
    page.button("Press the star", within=stars).click()
    expect(stars).to_contain_text("Fill in id.")
    expect(stars.get_by_label("Id")).to_be_focused()
    page.open_tab("Dispatch")
    panel = page("#panel-forms")
    page.choose("stars", "press")
    panel.get_by_label("id", exact=True).fill("x")
    panel.get_by_label("id", exact=True).fill("")
    expect(panel).to_contain_text("Fill in id.")
    assert daemon.head == head


@check("the views offer exactly the actions that the daemon accepts, each with a label")
def _(stage):
    daemon, page = stage.page(history=empty)
    for name in page("#middle .choice button").all_text_contents():
        if name == "todos":
            continue
        shown = open_feature(page, name)
        expect(shown.locator(".verbs > button, .asking form").first).to_be_visible()
        for button in shown.locator(".verbs > button:enabled").all():
            label = button.text_content()
            assert label[0].isupper() or label[0] in "+\u2212", label


@check("the page supports another program's daemon completely: state, log, forms, what-if, undo and search")
def _(stage):
    if not stage.options.counterd:
        raise Skipped("--counterd is missing")
    daemon = stage.daemon(empty, program=stage.options.counterd)
    for amount in (5, -2, 7):
        daemon.dispatch({"add": {"amount": amount}})
    page = stage.open(stage.web(daemon).address)
    expect(page("#name")).to_have_text("counterd")
    shown = page(".feature:visible")
    expect(shown.locator("dd")).to_have_text("10")
    shown.get_by_label("Amount").fill("x")
    page.button("Add", within=shown).click()
    expect(shown).to_contain_text("A whole number is expected.")
    shown.get_by_label("Amount").fill("4")
    page.button("Add", within=shown).click()
    page.says("Add amount 4.")
    expect(shown.locator("dd")).to_have_text("14")
    page.button("Undo", within=page("footer")).click()
    expect(shown.locator("dd")).to_have_text("10")
    expect(page.record(3)).to_contain_text("add amount 7")
    page.record(2).click()
    page.shows_state(2)
    expect(shown.locator("dd")).to_have_text("3")
    page.open_tab("Difference")
    expect(page(".changes .sentence")).to_have_text(["count: 5 \u2192 3"])
    page.open_tab("State")
    expect(page(".tree")).to_contain_text("count")
    page.tab.get_by_label("Go to a path").fill("count")
    page.tab.get_by_label("Go to a path").press("Enter")
    page.open_tab("Value")
    expect(page("#panel-blame")).to_contain_text("It is 3 at @2.")
    expect(page("#panel-blame figure")).to_have_count(1)
    page.open_tab("JSON")
    expect(page(".json")).to_contain_text('"count": 3')
    page.open_tab("View")
    page.leave_controls().press("w")
    expect(page("#panel-whatif")).to_contain_text("Without @2")
    page.leave_controls().press("Escape").shows_state("now")
    expect(page("#panel-whatif table.both").last).to_contain_text("12")
    page.open_tab("Dispatch")
    expect(page("#dispatch-feature")).to_be_hidden()
    page("#panel-forms").get_by_label("amount").fill("-3")
    expect(page("#panel-forms")).to_contain_text("count: 10 \u2192 7")
    page.button("Dispatch", within=page("#panel-forms")).click()
    page.says("Dispatched as @6: add amount -3.")
    page.open_tab("Undo")
    page.button("Undo the last step\u2026").click()
    page.confirm("count: 7 \u2192 10")
    page.says("Undid the last step.")
    page.open_tab("Find")
    page("#condition").fill("count > 9")
    page("#condition").press("Enter")
    expect(page("#panel-bisect")).to_contain_text("It came true at @3.")
    page.open_tab("Record")
    page.record(3).click()
    expect(page("#panel-why")).to_contain_text("count: 3 \u2192 10")
