"""Several pages at once, concurrent writers, and a daemon that dies and comes back."""

import re

from playwright.sync_api import expect

from checks import check
from history import INCREMENT, add, complete, empty, long, short


@check("two pages see each other's changes at once, and each keeps its own moment", small=True)
def _(stage):
    daemon = stage.daemon(short)
    web = stage.web(daemon)
    one, other = stage.open(web.address), stage.open(web.address)
    one.dispatch(add("Seen by both"))
    expect(other.todo("Seen by both")).to_have_count(1)
    other.go(1).shows_state(1)
    one.dispatch(complete(2))
    one.says("Dispatched as @5")
    expect(other.record(5)).to_contain_text("completed 2: Rent a car")
    other.shows_state(1)
    expect(other.todo("Rent a car")).to_have_count(0)
    other.leave_controls().press("Escape").shows_state("now")
    expect(other.todo("Rent a car")).to_have_class(re.compile("done"))
    assert daemon.head == 5


@check("more pages than the browser has connections share one stream and continue when one of them is closed", small=True)
def _(stage):
    daemon = stage.daemon(short)
    web = stage.web(daemon)
    first = stage.open(web.address)
    pages = [first] + [stage.open(web.address, beside=first) for _ in range(7)]
    daemon.dispatch(add("Seen by all"))
    for page in pages:
        expect(page.todo("Seen by all")).to_have_count(1)
    assert daemon.status()["subscribers"] == 1
    pages[4].dispatch(complete(2))
    pages[4].says("Dispatched as @5")
    pages[2].go(2).shows_state(2)
    first.tab.close()
    stage.pages.remove(first)
    rest = pages[1:2] + pages[3:]
    daemon.dispatch(add("Seen by the rest"))
    for page in rest:
        expect(page.todo("Seen by the rest")).to_have_count(1)
    for page in pages[1:]:
        page.mayMissAnswers = True
    daemon.kill()
    for page in rest:
        expect(page("#clock")).to_contain_text("Away")
    daemon.start()
    daemon.dispatch(add("Seen afterwards"))
    for page in rest:
        expect(page.todo("Seen afterwards")).to_have_count(1)
    pages[2].shows_state(2)
    expect(pages[2]("#clock")).to_contain_text(f"of @{daemon.head}")
    assert daemon.status()["subscribers"] == 1


@check("a hidden page closes its stream, and is at the same moment with all new records when it is visible again")
def _(stage):
    daemon, page = stage.page(history=short)
    page.go(2).shows_state(2)

    def be(isHidden):
        page.tab.evaluate("""(isHidden) => {
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
            document.dispatchEvent(new Event('visibilitychange'));
        }""", isHidden)

    be(True)
    while daemon.status()["subscribers"] != 0:
        pass
    with daemon.connect() as wire:
        wire.call("org.todod.History.SetBookmark", {"bookmark": "meanwhile"})
    daemon.dispatch(add("Added meanwhile"))
    be(False)
    expect(page.record(daemon.head)).to_contain_text("Added meanwhile")
    page.shows_state(2)
    expect(page.button("Bookmark meanwhile, @3")).to_have_count(1)
    daemon.dispatch(add("Added afterwards"))
    page.leave_controls().press("Escape").shows_state("now")
    expect(page.todo("Added afterwards")).to_have_count(1)
    assert daemon.status()["subscribers"] == 1


@check("a restart of the daemon is reported, typed text stays, and the page continues", small=True)
def _(stage):
    daemon, page = stage.page(history=short)
    page.open_tab("Dispatch")
    text, panel = page.tab.get_by_label("The action as JSON"), page("#panel-dispatch")
    page.write(add("Typed before"))
    page.button("Dispatch…", within=panel).click()
    expect(page("dialog")).to_contain_text("+ 3: Typed before")
    page.mayMissAnswers = True
    daemon.kill()
    expect(page("#clock")).to_contain_text("Away")
    page.says("does not answer")
    page("dialog button.primary").click()
    page.says("will be sent again when it is back")
    daemon.start()
    daemon.dispatch(add("Added meanwhile"))
    expect(page("#clock")).to_contain_text("Live")
    page.mayMissAnswers = False
    expect(page.todo("Added meanwhile")).to_have_count(1)
    # The call made in the meantime is executed now, once.
    page.says("Dispatched as @")
    expect(page.todo("Typed before")).to_have_count(1)
    expect(text).to_have_value(re.compile("Typed before"))
    assert sorted(todo["title"] for todo in daemon.todos) == ["Added meanwhile", "Buy the milk", "Rent a car", "Typed before"]


@check("a page in the past stays there while the daemon is away, and shows a remedy when its web server is gone")
def _(stage):
    daemon = stage.daemon(short)
    web = stage.web(daemon)
    page = stage.open(web.address)
    page.go(2).shows_state(2)
    page.mayMissAnswers = True
    daemon.restart()
    daemon.dispatch(INCREMENT)
    expect(page.record(4)).to_have_count(1)
    page.shows_state(2)
    web.kill()
    page.says("todoctl web")


@check("failed queries are repeated once when the daemon is back, and not before")
def _(stage):
    daemon, page = stage.page(history=long)
    page.mayMissAnswers = True
    page.open_tab("Difference")
    page.tab.get_by_label("Compared with").select_option("before")
    page.select("todos.items[7].title")
    expect(page("#value h2")).to_have_text("The title of todo 7")
    page.open_tab("Difference")
    daemon.kill()
    expect(page("#clock")).to_contain_text("Away")
    asked = []
    page.tab.on("request", lambda request: asked.append(request.url))
    # At a position where the visible rows belong to two pages of the log that are not loaded.
    page.go(1024).says("does not answer")
    page("#log .virtual").evaluate("list => list.scrollBy(0, 5)")
    while sum("Status" in address for address in asked) < 3:
        page.tab.wait_for_event("request")
    assert len(asked) < 20, asked
    daemon.start()
    page.shows_state(1024)
    expect(page.record(1024)).to_contain_text("changed 123")
    expect(page("#middle [role=status]")).to_have_text("From @1,023 to @1,024: 1 change.")
    expect(page("#value")).to_contain_text("Set by @")


@check("nothing moves while the past is shown and a thousand records arrive")
def _(stage):
    daemon, page = stage.page(history=long)
    page.go(900).shows_state(900)
    row = page.record(900)
    expect(row).to_be_in_viewport()
    before = row.bounding_box()["y"]
    for _ in range(20):
        daemon.dispatch(*[INCREMENT] * 50)
    expect(page("#clock")).to_contain_text(f"of @{daemon.head:,}")
    page.shows_state(900)
    assert abs(row.bounding_box()["y"] - before) < 2
    page.leave_controls().press("Escape").shows_state("now")
    expect(page(".record .sequence").first).to_have_text(f"@{daemon.head}")


@check("an empty log is shown, and then its first record")
def _(stage):
    daemon, page = stage.page(history=empty)
    for name in ("State", "Difference", "Todos", "What if", "Dispatch", "Record"):
        page.open_tab(name)
    page.leave_controls().press("ArrowLeft", ",", "[", "]", ">", "Space")
    page.shows_state("now")
    daemon.dispatch(add("The first one"))
    expect(page.todo("The first one")).to_have_count(1)
    page.leave_controls().press("Escape", "ArrowLeft").shows_state(0)
    expect(page.todo("The first one")).to_have_count(0)


@check("a read-only log and a read-only page offer no way to write and refuse attempts", small=True)
def _(stage):
    daemon, page = stage.page("--read-only", mayMissAnswers=True)
    head = daemon.head
    page.record(28).click()
    page.shows_state(28)
    expect(page("#panel-record h2")).to_have_text("Record @28")
    expect(page.button("Revert to here…")).to_be_hidden()
    expect(page("#panel-record")).to_contain_text("What it changed")
    expect(page.button("Undo step @28…")).to_have_count(0)
    page.button("What if it had not been", within=page("#panel-record")).click()
    expect(page("#panel-whatif table.both").first).to_be_visible()
    expect(page.button("Apply…")).to_be_hidden()
    for key in ("m", "u", "U", "r"):
        page.go(27 if key == "u" else 28)
        page.leave_controls().press(key).says("Nothing can be changed: this page is read-only.")
    page.open_tab("Dispatch")
    expect(page("#panel-dispatch")).to_contain_text("This page is read-only: nothing can be dispatched.")
    for name in ("Dispatch…", "Undo…", "Redo…"):
        expect(page.button(name)).to_be_hidden()
    # Requests of a page that its user modified are refused.
    answer = page.tab.evaluate("""async () => (await fetch('/call/org.todod.Store.Dispatch', {
        method: 'POST', body: '{"actions":[{"counter":{"increment":{}}}]}',
        headers: {'Content-Type': 'application/json', 'Authorization': `Bearer ${sessionStorage.getItem('todod.token')}`},
    })).status""")
    assert answer == 403 and daemon.head == head
