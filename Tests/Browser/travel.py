"""The log, the time strip, and the state at any moment. Viewing the past changes nothing."""

import re

from playwright.sync_api import expect

from checks import Skipped, check
from history import long, told_over_days
from machine import FAKETIME


@check("the log shows every record, newest first, and strikes through undone steps", small=True)
def _(stage):
    daemon, page = stage.page(height=1400)
    head = daemon.head
    expect(page(".record .sequence").first).to_have_text(f"@{head}")
    expect(page(".record")).to_have_count(head)
    expect(page.record(31)).to_contain_text("removed 6: Book the hotel")
    expect(page.record(32)).to_contain_text("↶ @31")
    expect(page(".record.undone .sequence")).to_have_text(["@31", "@19"])
    # The end of a command is part of the step that requested it.
    expect(page.record(24)).to_have_class(re.compile("in-step.*caused"))


@check("a click on a record shows the state after it and marks the moment in strip and log, and nothing is appended", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    expect(page("body")).not_to_have_class(re.compile("past"))
    page.record(28).click()
    page.shows_state(28)
    expect(page("body")).to_have_class(re.compile("past"))
    expect(page("#clock")).to_contain_text("Past")
    expect(page.record(28)).to_have_class(re.compile("now"))
    expect(page.record(29)).to_have_class(re.compile("future"))
    assert 0 < page.handle < 1
    expect(page.todo("Answer the letter")).to_have_count(0)
    expect(page.todo("Send the invoice again")).to_have_count(1)
    page.button("Back to now").click()
    page.shows_state("now")
    assert page.handle > 0.98
    expect(page.todo("Answer the letter")).to_have_count(1)
    assert daemon.head == head


@check("the handle moves by keys: a record, a step, to both ends; and by dragging", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    handle = page("[role=slider]")
    handle.focus()
    page.press(",").shows_state(head - 1)
    page.press(".").shows_state("now")
    page.go(26).shows_state(26)
    handle.focus()
    # The command of @23 ended with @24 and @25, which belong to its step.
    page.press("ArrowLeft").shows_state(25)
    page.press("ArrowLeft").shows_state(22)
    page.press("Home").shows_state(0)
    expect(page("#clock")).to_contain_text("before everything")
    page.press("End").shows_state("now")
    box = page(".strip").bounding_box()
    page.tab.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 20)
    page.tab.mouse.down()
    for share in (0.8, 0.6, 0.5):
        page.tab.mouse.move(box["x"] + box["width"] * share, box["y"] + 20)
    page.tab.mouse.up()
    moment = page.moment
    assert 0 < moment < head, moment
    page.shows_state(moment)
    assert abs(page.handle - 0.5) < 0.03, page.handle
    page.leave_controls().press("Escape").shows_state("now")
    assert daemon.head == head


@check("days are labelled on the strip, quiet ones are short, and keys go to the previous and next day")
def _(stage):
    if FAKETIME is None:
        raise Skipped("faketime is not installed")
    daemon, page = stage.page(history=told_over_days)
    expect(page(".days .day")).not_to_have_count(0)
    expect(page(".days .gap").first).to_have_text(re.compile("quiet"))
    # The strip is proportional to records: half of them are in its left half, however old they are.
    page.go(daemon.head // 2)
    expect(page("#clock")).to_contain_text("Past")
    assert abs(page.handle - 0.5) < 0.1, page.handle
    page.leave_controls().press("Escape").shows_state("now")
    page.leave_controls()
    # The first day has the records up to 5, or a later one if it is so late that the second day has begun.
    page.press("[")
    expect(page("#clock")).to_contain_text("Past")
    second = page.moment
    page.press("[")
    expect(page("#clock .moment")).not_to_contain_text(f"@{second} ")
    first = page.moment
    page.press("]")
    expect(page("#clock .moment")).not_to_contain_text(f"@{first} ")
    assert page.moment > first


@check("a moment can be a record, a distance, a bookmark or a time, and an invalid one is reported", small=True)
def _(stage):
    daemon, page = stage.page()
    head = daemon.head
    for words, moment in [("12", 12), ("@13", 13), ("-3", head - 3), ("before-cleanup", 17), ("start", 0), ("now", "now"),
                          ("2020-01-01", 0), ("today", "now"), ("@-3", head - 3), ("@-3~2", head - 5),
                          ("before-cleanup~2", 15), ("Start", 0), ("a minute ago", 0), ("10 min ago", 0), ("Monday 9:00", 0),
                          ("last friday", 0), ("2020-01-01T14:30", 0), ("an hour ago", 0), ("Friday noon", 0), ("NOW", "now")]:
        page.go(words).shows_state(moment)
    page.go("the day after").says("“the day after” is no moment.")
    # A moment in the future is invalid, too.
    page.go("2131-01-01").says("“2131-01-01” is no moment.")
    page.go("99999").shows_state("now")
    assert daemon.head == head


@check("an address opens at its record or bookmark, and an invalid moment shows the present with a message")
def _(stage):
    daemon, page = stage.page(at=12)
    page.shows_state(12)
    assert "token" not in page.tab.url and page.tab.url.endswith("#at=12")
    web = stage.web(daemon)
    stage.open(web.at("before-cleanup")).shows_state(17)
    lost = stage.open(web.at("nowhere-at-all"))
    lost.shows_state("now").says("“nowhere-at-all” is no moment.")


@check("a reload shows the same moment without asking for the token, and the browser's back button works", small=True)
def _(stage):
    daemon, page = stage.page()
    page.record(27).click()
    page.shows_state(27)
    page.tab.wait_for_url("**/#at=27")
    page.tab.reload()
    page.shows_state(27)
    expect(page.record(31)).to_have_class(re.compile("undone"))
    page.tab.goto(page.origin + "/#at=20")
    page.shows_state(20)


@check("a replay plays to the present and stays there", small=True)
def _(stage):
    daemon, page = stage.page()
    page.tab.get_by_label("Records a second").select_option("64")
    page.go(2).shows_state(2)
    page.button("Play").click()
    page.shows_state("now")
    expect(page.button("Play")).to_be_visible()
    assert page.moment == daemon.head


@check("a search finds records by a word, a feature and a path, and its hits lead to their moments")
def _(stage):
    daemon, page = stage.page()
    page.leave_controls().press("l")
    page.tab.keyboard.type("hotel")
    expect(page(".record .sequence")).to_have_text(["@32", "@9"])
    page.record(9).click()
    page.shows_state(9)
    page.tab.get_by_label("Search the log").fill("")
    search, note = page("#search"), page("#log [role=status]")
    search.fill("feature:counter")
    expect(note).to_have_text("5 found.")
    search.fill("feature:counter path:todos.items[4].title")
    expect(note).to_have_text("0 found.")
    search.fill("path:todos.items[4].title")
    expect(page(".record .sequence")).to_have_text(["@28", "@4"])
    search.fill("action:increment where:new.counter.count > 3")
    expect(page(".record .sequence")).to_have_text(["@35", "@30"])
    search.fill("hotel uid:4444")
    expect(note).to_have_text("0 found.")
    search.fill("where:new.counter.count >")
    expect(note).to_have_class(re.compile("error"))
    search.fill("")
    expect(note).to_have_text("")
    expect(page.record(8)).to_be_visible()


@check("a bookmark is set by a key, shown on the strip and leads back, and an invalid name is refused with a message")
def _(stage):
    daemon, page = stage.page()
    page.go(14).shows_state(14)
    page.leave_controls().press("m")
    dialog = page("dialog")
    expect(dialog).to_contain_text("Bookmark @14")
    expect(dialog.get_by_role("textbox")).to_be_focused()
    page.tab.keyboard.type("two words")
    page.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("A bookmark's name")
    name = dialog.get_by_role("textbox")
    name.fill("friday")
    page.press("Enter")
    expect(dialog).to_contain_text("Friday is a moment")
    expect(name).to_have_value("friday")
    name.fill("half-way")
    page.press("Enter")
    page.says("Bookmark half-way set at @14.")
    page.leave_controls().press("Escape").shows_state("now")
    page.button("Bookmark half-way, @14").click()
    page.shows_state(14)


@check("a long log scrolls by keys from end to end, and only visible rows are rendered", small=True)
def _(stage):
    daemon, page = stage.page(history=long)
    records = page("#log .virtual")
    records.focus()
    page.press("Home", "ArrowDown", "ArrowDown")
    page.shows_state(daemon.head - 2)
    page.press("End").shows_state(1)
    expect(page.record(1)).to_be_visible()
    page.press("PageUp")
    expect(page(".record")).not_to_have_count(0)
    assert page(".record").count() < 60
    page.press("Home").shows_state("now")
    # The list of todos is equally long, and its last one can be used.
    page("#middle .todos").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    expect(page.tab.get_by_text("Todo in its form 1799", exact=True)).to_be_visible()
