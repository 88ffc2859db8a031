"""Screenshots of the page: the one of the README, and others for review."""

import os
import pathlib

from playwright.sync_api import expect

from history import long, told_over_days

# The limit for the one in the README, which every reader loads.
BYTES_MAX = 200 << 10


def make(stage, chosen):
    with stage.ending:
        if chosen.picture:
            picture(stage, chosen.picture)
        if chosen.pictures:
            others(stage, chosen.pictures)
    return 0


def past(page):
    """Opens a todo that changed at @27, with the cause."""
    expect(page(".mark.alert")).to_have_count(1)
    expect(page(".record.undone").first).to_be_visible()
    page.leave_controls().press(".").shows_state(28)
    expect(page("#panel-record").get_by_role("heading", name="Record @28")).to_be_visible()
    expect(page(".todo.changed")).to_have_count(1)
    page.tab.mouse.move(0, 0)
    return page


def picture(stage, path):
    daemon, page = stage.page(history=told_over_days, at=27)
    past(page).tab.screenshot(path=path)
    size = os.path.getsize(path)
    assert size < BYTES_MAX, f"{size} bytes"


def others(stage, directory):
    pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
    daemon = stage.daemon(told_over_days)
    web = stage.web(daemon)
    for name, form in {
        "light": {}, "dark": {"scheme": "dark"}, "narrow": {"width": 320, "height": 640}, "tablet": {"width": 800, "height": 1000},
        "narrow-dark": {"width": 320, "height": 640, "scheme": "dark"}, "4k": {"width": 3840, "height": 2160},
        "wide": {"width": 2560, "height": 1440},
    }.items():
        page = past(stage.open(web.at(27), **form))
        page.tab.screenshot(path=f"{directory}/{name}.png", full_page=name.startswith("narrow"))
        page.close()
    page = past(stage.open(web.at(27)))
    page.tab.emulate_media(media="print")
    page.tab.pdf(path=f"{directory}/print.pdf", format="A4")
