"""The logs of the pages."""

HOSTILE = "<img src=x onerror=alert(1)>"
# Bidirectional, terminal and invisible control characters and a line end; and a right-to-left text.
HIDDEN = "Abc\u202edef\u001b[1m\u0000\u200bghi\nxyz"
HEBREW = "\u05e9\u05dc\u05d5\u05dd (1)"


def add(*titles, **fields):
    return {"todos": {"add": {"items": [{"title": title} | fields for title in titles]}}}


def edit(id, **fields):
    return {"todos": {"edit": {"id": id} | fields}}


def complete(id):
    return {"todos": {"complete": {"id": id}}}


def remove(id):
    return {"todos": {"remove": {"id": id}}}


INCREMENT = {"counter": {"increment": {}}}
# The source of the todos is empty, so the end of the command raises an alert.
LOAD = {"todos": {"load": {}}}

# The week of a user: how many hours ago, and the actions of one step, or a method with its input.
WEEK = [
    (142.0, [add("Write the report", tags=["work"], priority=3)]),
    (141.9, [add("Buy the milk", tags=["home"])]),
    (141.8, [add("Rent a car", tags=["trip"])]),
    (139.0, [add("Send the invoice", tags=["work"], priority=2)]),
    (138.5, [INCREMENT]),
    (120.0, [complete(2)]),
    (119.5, [add("Take my dog to the vet", tags=["home"])]),
    (118.0, [edit(3, title="Rent a van")]),
    (117.0, [add("Book the hotel", "Pack the tent", "Plan the route", tags=["trip"])]),
    (116.5, [INCREMENT]),
    (115.0, [{"todos": {"move": {"id": 4, "index": 0}}}]),
    (53.0, [add("Call the bank", tags=["phone"])]),
    (52.5, [edit(4, note="The address is the new one.", priority=3)]),
    (52.0, [complete(5)]),
    (51.0, [add("Water the plants", tags=["home"])]),
    (50.0, [edit(1, title="Write the report for March")]),
    (49.0, [INCREMENT]),
    (47.5, ("SetBookmark", {"bookmark": "before-cleanup"})),
    (47.0, [{"todos": {"clearCompleted": {}}}]),
    (46.8, ("Undo", {})),
    (28.0, [add("Pay the rent", priority=1)]),
    (27.0, [complete(7)]),
    (26.0, [LOAD]),
    (25.0, [edit(9, title="Call the bank about the card")]),
    (24.0, [complete(10)]),
    (6.0, [edit(4, title="Send the invoice again")]),
    (5.5, [add("Answer the letter", tags=["work"])]),
    (5.0, [INCREMENT]),
    (4.0, [remove(6)]),
    (3.0, ("Undo", {})),
    (2.0, [complete(9)]),
    (1.0, [{"todos": {"updateText": {"text": "Ask about"}}}]),
    (0.5, [INCREMENT]),
]


def told(daemon):
    """The week, logged at once."""
    tell(daemon, WEEK)


def told_over_days(daemon):
    """The week at its real times, with a daemon whose clock lags."""
    for hours, what in WEEK:
        daemon.be_behind(round(hours * 3600))
        tell(daemon, [(hours, what)])
    daemon.restart()


def tell(daemon, steps):
    with daemon.connect() as wire:
        for _, what in steps:
            if isinstance(what, list):
                wire.call("org.todod.Store.Dispatch", {"actions": what})
                if LOAD in what:
                    wire.await_alert()
            else:
                method, parameters = what
                wire.call(f"org.todod.History.{method}", parameters)


def empty(_):
    """An empty log."""


def short(daemon):
    """Two todos and a counter."""
    daemon.dispatch(add("Buy the milk"))
    daemon.dispatch(add("Rent a car"))
    daemon.dispatch(INCREMENT)


def hostile(daemon):
    """Texts that are also valid markup, paths or commands."""
    daemon.dispatch(add(HOSTILE, tags=["<b>tag</b>"], note="<script>alert(2)</script>"))
    daemon.dispatch(add("</title><svg onload=alert(3)>"))
    daemon.dispatch({"todos": {"updateText": {"text": HOSTILE}}})
    daemon.dispatch(edit(1, title=HOSTILE + " \u202e turned"))


def hidden(daemon):
    """Texts with invisible characters or changes of direction."""
    daemon.dispatch(add(HIDDEN, tags=["t\u202ag"], note=HIDDEN))
    daemon.dispatch(add(HEBREW))
    daemon.dispatch(edit(1, title=HIDDEN + "!", note="x"))
    daemon.dispatch({"views": {"save": {"name": "all", "filter": "\u05e9\u05dc\u05d5\u05dd"}}})


def long(daemon, records=2000):
    """A log that is longer than the screen: one todo with many edits."""
    daemon.dispatch(add(*(f"Todo number {number}" for number in range(1, 301))))
    with daemon.connect() as wire:
        for first in range(0, records, 50):
            wire.send("org.todod.Store.Dispatch",
                      {"actions": [edit(number % 300 + 1, title=f"Todo in its form {number}") for number in range(first, first + 50)]})
            wire.reply()
