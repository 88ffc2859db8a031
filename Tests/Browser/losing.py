"""Lost and refused answers, and concurrent changes of the shown or requested data."""

import json
import signal

from playwright.sync_api import expect

from checks import check
from history import INCREMENT, add, complete, short

BUSY = "\x1e" + json.dumps({"error": "org.todod.Store.QueryBusy", "parameters": {"message": "Too many questions wait."}}) + "\n"
AWAY = "\x1e" + json.dumps({"error": "org.todod.web.DaemonAway", "parameters": {"message": "The daemon does not answer."}}) + "\n"


def answer(page, method, body, times, isDone=lambda _: True):
    """Replaces the first answers to a method by an error. With `isDone` the daemon executes the calls."""
    refused = []

    def handle(route):
        data = route.request.post_data_json
        if len(refused) >= times or data.get("dryRun"):
            return route.continue_()
        refused.append(data)
        if isDone(data):
            route.fetch()
        route.fulfill(status=200, content_type="application/json-seq", body=body)

    page.tab.route(f"**/call/{method}", handle)
    return refused


@check("a query that is refused as busy is repeated, and the state stays live", small=True)
def _(stage):
    daemon, page = stage.page(history=short)
    refused = answer(page, "org.todod.History.Diff", BUSY, 1, isDone=lambda _: False)
    daemon.dispatch(add("Added while many ask"))
    expect(page.todo("Added while many ask")).to_have_count(1)
    expect(page("#status")).to_have_text("")
    assert len(refused) == 1


@check("a moment that was compacted away is reported, and the first remaining one is shown")
def _(stage):
    daemon, page = stage.page()
    with daemon.connect() as wire:
        wire.call("org.todod.History.Compact", {"before": {"sequence": 20}})
    page.go(2)
    expect(page("#clock")).to_contain_text("@20")
    page.leave_controls().press("Escape").shows_state("now")
    daemon.dispatch(add("Added behind it"))
    expect(page.todo("Added behind it")).to_have_count(1)
    expect(page("#status")).to_have_text("")


@check("a change whose answer is lost is made once, even if it is sent and clicked again", small=True)
def _(stage):
    daemon, page = stage.page(history=short)
    lost = answer(page, "org.todod.Store.Dispatch", AWAY, 2)
    page.dispatch(add("Pay the rent once"))
    page.dispatch(add("Pay the rent once"))
    page.says("Dispatched as @4")
    assert [todo["title"] for todo in daemon.todos].count("Pay the rent once") == 1
    assert len(lost) == 2 and lost[0]["key"] == lost[1]["key"]


@check("undo reverts the last step that was shown, even if others added steps since", small=True)
def _(stage):
    daemon, page = stage.page()
    page.button("Undo…").click()
    expect(page("dialog")).to_contain_text("counter: 5 → 4")
    daemon.dispatch(add("A very different todo"))
    expect(page.todo("A very different todo")).to_have_count(1)
    page.confirm("counter: 5 → 4")
    page.says("Undid the last step.")
    expect(page.todo("A very different todo")).to_have_count(1)
    assert daemon.state("counter")["counter"]["count"] == 4


def shown_revert(stage):
    """A page with the preview of going back to @20."""
    daemon, page = stage.page()
    page.go(20).shows_state(20)
    page.button("Revert to here…").click()
    expect(page("dialog")).to_contain_text("counter: 5 → 3")
    return daemon, page


@check("the preview of a revert is updated after another client's change, and only the shown revert is executed")
def _(stage):
    daemon, page = shown_revert(stage)
    daemon.dispatch(INCREMENT)
    expect(page("dialog")).to_contain_text("This has changed since.")
    page.confirm("counter: 6 → 3")
    page.says("Put everything back as it was at @20.")
    assert daemon.state("counter")["counter"]["count"] == 3


@check("a revert whose preview is outdated, unknown to the page, is not executed at the first press")
def _(stage):
    daemon, page = shown_revert(stage)
    head = daemon.head
    pressed = []

    def meanwhile(route):
        if not pressed:
            pressed.append(True)
            daemon.dispatch(INCREMENT)
        route.continue_()

    page.tab.route("**/call/org.todod.History.Revert", meanwhile)
    page("dialog button.primary").click()
    expect(page("dialog")).to_contain_text("This has changed since.")
    assert daemon.head == head + 1
    page.confirm("counter: 6 → 3")
    page.says("Put everything back as it was at @20.")


@check("the executed revert has the previewed outcome, and a different one is previewed again first", small=True)
def _(stage):
    daemon, page = shown_revert(stage)
    page.press("Escape")
    asked = []

    def note(route):
        if not route.request.post_data_json.get("dryRun"):
            asked.append(route.request.post_data_json.get("expectedOutcome"))
            if len(asked) == 1:
                daemon.dispatch(INCREMENT)
        route.continue_()

    page.tab.route("**/call/org.todod.History.Revert", note)
    page.button("Revert to here…").click()
    expect(page("dialog")).to_contain_text("counter: 5 → 3")
    page("dialog button.primary").click()
    expect(page("dialog")).to_contain_text("This has changed since.")
    page.confirm("counter: 6 → 3")
    page.says("Put everything back as it was at @20.")
    assert len(set(asked)) == 2 and None not in asked, asked
    assert daemon.state("counter")["counter"]["count"] == 3


@check("if another log replaces the shown one, dialogs close and nothing of the old log is shown as part of the new one", small=True)
def _(stage):
    daemon, page = stage.page()
    page.mayMissAnswers = True
    page.leave_controls().press(",", "d")
    page.button("Revert to here…").click()
    expect(page("dialog")).to_have_count(1)
    daemon.kill()
    daemon.data += "-other"
    daemon.start()
    daemon.dispatch(add("Of another log"))
    page.says("A different log is served now.")
    expect(page("dialog")).to_have_count(0)
    page.shows_state("now")
    expect(page.todo("Of another log")).to_have_count(1)
    expect(page(".todo")).to_have_count(1)
    expect(page(".record")).to_have_count(1)
    expect(page.button("Pin")).to_be_visible()


@check("redacted text is no longer shown at any moment")
def _(stage):
    daemon, page = stage.page(history=short)
    daemon.dispatch(INCREMENT)
    expect(page.record(4)).to_have_count(1)
    page.go(2).shows_state(2)
    expect(page("#panel-record .said")).to_contain_text("Rent a car")
    with daemon.connect() as wire:
        wire.call("org.todod.Admin.Redact", {"sequence": 2})
    expect(page.todo("Rent a car")).to_have_count(0)
    expect(page("#log")).not_to_contain_text("Rent a car")
    expect(page("#panel-record .said")).not_to_contain_text("Rent a car")
    page.go(3).shows_state(3)
    expect(page.todo("Rent a car")).to_have_count(0)


@check("undo in the status line also works in the past and changes the present, and an error disappears on the next action")
def _(stage):
    daemon, page = stage.page(history=short)
    page.dispatch(complete(2))
    page.says("Dispatched as @4")
    page.go(2).shows_state(2)
    page.button("Undo", within=page("footer")).click()
    page.says("Undid step @4. The present changed")
    assert all("completed" not in todo for todo in daemon.todos)
    page.shows_state(2)
    page.go("no such moment").says("is no moment")
    page.go(3).shows_state(3)
    expect(page("#status")).to_have_text("")
    page.go("no such moment").says("is no moment")
    page.leave_controls().press("Escape").shows_state("now")
    expect(page("#status")).to_have_text("")


@check("a revert from the past is undone by the button after its message, without returning to now")
def _(stage):
    daemon, page = shown_revert(stage)
    page.confirm("counter: 5 → 3")
    page.says("Put everything back as it was at @20.")
    page.button("Undo", within=page("footer")).click()
    page.says("Undid step @36.")
    assert daemon.state("counter")["counter"]["count"] == 5
    page.shows_state(20)


@check("a stopped daemon is reported after a moment, and pending calls are executed when it continues", small=True)
def _(stage):
    daemon, page = stage.page(history=short)
    page.open_tab("Dispatch")
    page.write(complete(2))
    page.button("Dispatch…").click()
    expect(page("dialog")).to_contain_text("done")
    daemon.process.send_signal(signal.SIGSTOP)
    page.confirm()
    page.says("The daemon does not respond. Your requests will be executed when it does.")
    expect(page("#clock .live")).to_have_text("○ No answer")
    daemon.process.send_signal(signal.SIGCONT)
    page.says("Dispatched as @4")
    expect(page("#clock .live")).to_have_text("● Live")


@check("a slow call is not reported as a daemon that does not answer")
def _(stage):
    daemon, page = stage.page(history=short)
    told = page.tab.evaluate("""async () => {
        const { awaitAnswer, onSilence } = await import('/silence.js');
        const told = [];
        onSilence((isSilent) => told.push(isSilent));
        const end = awaitAnswer(() => Promise.resolve());
        await new Promise((resolve) => setTimeout(resolve, 3500));
        end();
        return told;
    }""")
    assert told == []
