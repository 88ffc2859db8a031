"""A client that knows nothing of todod speaks with it: the PyPI package varlink.

usage: conformance.py SOCKET TODOCTL [INTERFACES]

SOCKET is the daemon's socket, TODOCTL the client to make a change with, INTERFACES the directory of the
.varlink files to compare the served descriptions with. Prints a line per check; exits with 1 if one fails.
"""

import json
import os
import subprocess
import sys
import traceback
from contextlib import contextmanager

import varlink

INTERFACES = ["org.todod.Store", "org.todod.History", "org.todod.Admin"]
SECONDS_MAX = 30

socket_path, todoctl = sys.argv[1:3]
descriptions = sys.argv[3] if len(sys.argv) > 3 else None
# The address in the form of service files, followed by a semicolon and the mode.
client = varlink.Client(f"unix:{socket_path};mode=0660")
failures = 0


def check(sentence):
    """Runs a function as one check and prints how it ended."""

    def run(function):
        global failures
        try:
            function()
        except Exception:
            failures += 1
            print(f"FAIL {sentence}")
            traceback.print_exc(file=sys.stdout)
        else:
            print(f"ok   {sentence}")
        sys.stdout.flush()

    return run


@contextmanager
def opened(interface):
    """A connection of its own, speaking the interface as the daemon describes it."""
    connection = client.open_connection()
    connection.settimeout(SECONDS_MAX)
    with client.open(interface, connection=connection) as handler:
        yield handler


@contextmanager
def described_by_us(text):
    """A connection that speaks an interface which the daemon did not describe like this."""
    connection = client.open_connection()
    connection.settimeout(SECONDS_MAX)
    with client.handler(varlink.Interface(text), connection) as handler:
        yield handler


def error_of(call):
    """The varlink error that a call is answered with."""
    try:
        call()
    except varlink.VarlinkError as error:
        return error
    raise AssertionError("answered instead of refused")


def declares(interface, error):
    """Whether the interface's own description has the error's name."""
    prefix, _, name = error.error().rpartition(".")
    members = client.get_interface(interface).members
    return prefix == interface and name in members


def add(title):
    return [{"todos": {"add": {"items": [{"title": title}]}}}]


def titles(state):
    return [item["title"] for item in state["todos"]["items"]]


@check("GetInfo names the service and its interfaces")
def _():
    with opened("org.varlink.service") as service:
        info = service.GetInfo()
    for field in ["vendor", "product", "version", "url"]:
        assert isinstance(info[field], str), field
    for name in INTERFACES + ["org.varlink.service"]:
        assert name in info["interfaces"], name


@check("GetInterfaceDescription of every interface can be parsed")
def _():
    for name in client.get_interfaces():
        interface = client.get_interface(name)
        assert interface.name == name, name
        assert interface.members, name


@check("the descriptions are the files, byte for byte, with the types that they share with the store")
def _():
    if descriptions is None:
        return
    for name in INTERFACES:
        with open(os.path.join(descriptions, name + ".varlink"), encoding="utf-8", newline="") as file:
            served, text = client.get_interface(name).get_description(), file.read()
        assert served.startswith(text), name
        store = client.get_interface("org.todod.Store").get_description()
        for shared in served.removeprefix(text).split("\n\n"):
            assert shared in store, shared


@check("Dispatch answers with sequences and ids")
def _():
    with opened("org.todod.Store") as store:
        reply = store.Dispatch(actions=add("Buy the milk"))
        assert len(reply["sequences"]) == 1, reply
        assert len(reply["ids"]) == 1, reply
        assert reply["duplicate"] is False, reply
        assert isinstance(reply["epoch"], (int, str)), reply


@check("the same key twice is one action, and says so")
def _():
    key = "%016x" % 1 + os.urandom(8).hex()
    with opened("org.todod.Store") as store:
        first = store.Dispatch(actions=add("Take my dog"), key=key)
        second = store.Dispatch(actions=add("Take my dog"), key=key)
    assert second["sequences"] == first["sequences"], (first, second)
    assert second["ids"] == first["ids"], (first, second)
    assert (first["duplicate"], second["duplicate"]) == (False, True), (first, second)


@check("GetState holds what was dispatched, newest first")
def _():
    with opened("org.todod.Store") as store:
        sequence = store.Dispatch(actions=add("Rent a car"))["sequences"][-1]
        reply = store.GetState(scope="todos.items", minimumSequence=sequence)
    assert reply["sequence"] >= sequence, reply
    assert titles(reply["state"])[:3] == ["Rent a car", "Take my dog", "Buy the milk"], reply


@check("GetState with more gives everything, and ends")
def _():
    with opened("org.todod.Store") as store:
        replies = list(store.GetState(_more=True))
    assert len({reply["sequence"] for reply in replies}) == 1, replies
    assert "Buy the milk" in json.dumps(replies), replies


@check("a oneway Dispatch is not answered, and happens")
def _():
    with opened("org.todod.Store") as store:
        assert store.Dispatch(actions=add("Water the plants"), _oneway=True) is None
        # Calls of one connection are accepted in their order, so this one's sequence is beyond the other's.
        sequence = store.Dispatch(actions=[{"counter": {"increment": {}}}])["sequences"][-1]
        reply = store.GetState(scope="todos.items", minimumSequence=sequence)
    assert titles(reply["state"])[0] == "Water the plants", reply


@check("Subscribe with more sees a change made by todoctl")
def _():
    title = "Call the garage"
    with opened("org.todod.Store") as store:
        items = store.Subscribe(scope="todos.items", _more=True)
        first = next(items)
        assert "state" in first, first
        assert title not in json.dumps(first), first
        subprocess.run(
            [todoctl, "add", title, "--socket", socket_path],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=SECONDS_MAX,
        )
        for item in items:
            changes = item.get("changes") or []
            new = [change["new"]["title"] for change in changes if change["kind"] == "insert"]
            if title in new:
                assert item["sequence"] > first["sequence"], (first, item)
                break


@check("History.Log gives the records in order, with time and origin")
def _():
    with opened("org.todod.History") as history:
        records = [record for reply in history.Log(_more=True) for record in reply.get("records", [])]
    sequences = [record["sequence"] for record in records]
    assert sequences == list(range(1, len(sequences) + 1)), sequences
    assert len(records) >= 5, records
    for record in records:
        assert record["origin"] == os.getuid(), record
        assert record["time"] > 1_600_000_000_000_000, record


@check("Admin answers")
def _():
    with opened("org.todod.Admin") as admin:
        admin.Ping()
        status = admin.Status()
    assert status["sequence"] >= 5, status


@check("a refusal by a rule is an error of the interface of its feature, with a sentence, and logs nothing")
def _():
    with opened("org.todod.Store") as store:
        before = store.GetState(scope="counter")["sequence"]
        error = error_of(lambda: store.Dispatch(actions=add("ab")))
        assert declares("org.todod.feature.Todos", error), error
        assert isinstance(error.parameters()["message"], str), error
        assert store.GetState(scope="counter")["sequence"] == before


@check("an unknown id is an error of the interface of its feature")
def _():
    with opened("org.todod.Store") as store:
        error = error_of(lambda: store.Dispatch(actions=[{"todos": {"complete": {"id": 4_000_000}}}]))
    assert declares("org.todod.feature.Todos", error), error


@check("an unknown interface is InterfaceNotFound")
def _():
    error = error_of(lambda: client.get_interface("org.example.nothing"))
    assert isinstance(error, varlink.InterfaceNotFound), error
    assert error.parameters() == {"interface": "org.example.nothing"}, error
    with described_by_us("interface org.example.nothing\nmethod Nothing() -> ()\n") as nothing:
        error = error_of(nothing.Nothing)
    assert isinstance(error, varlink.InterfaceNotFound), error


@check("an unknown method is MethodNotFound")
def _():
    with described_by_us("interface org.todod.Admin\nmethod Nothing() -> ()\n") as admin:
        error = error_of(admin.Nothing)
    assert error.error() == "org.varlink.service.MethodNotFound", error
    assert "Nothing" in error.parameters()["method"], error


@check("an unknown parameter and a parameter of the wrong type are InvalidParameter")
def _():
    with described_by_us("interface org.todod.Admin\nmethod Ping(nonsense: int) -> ()\n") as admin:
        error = error_of(lambda: admin.Ping(nonsense=1))
        assert isinstance(error, varlink.InvalidParameter), error
        assert error.parameters() == {"parameter": "nonsense"}, error
    with described_by_us("interface org.todod.Store\nmethod GetState(scope: int) -> ()\n") as store:
        error = error_of(lambda: store.GetState(scope=1))
        assert isinstance(error, varlink.InvalidParameter), error
        assert error.parameters() == {"parameter": "scope"}, error


@check("a stream called without more is ExpectedMore")
def _():
    with opened("org.todod.Store") as store:
        error = error_of(store.Subscribe)
    assert error.error() == "org.varlink.service.ExpectedMore", error


print(f"{failures} failed" if failures else "all passed")
sys.exit(1 if failures else 0)
