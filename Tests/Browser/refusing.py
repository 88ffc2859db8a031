"""Access control: requests without the token, under another host name, or from another page."""

import contextlib
import functools
import http.server
import json
import os
import socket
import threading

from checks import check
from history import short

DISPATCH = "/call/org.todod.Store.Dispatch"
BODY = json.dumps({"actions": [{"counter": {"increment": {}}}]})


def answer(web, verb="POST", path=DISPATCH, body=BODY, **changed):
    """The status and the whole text of the answer to a request. A field with the value None is left out."""
    fields = {"Host": f"127.0.0.1:{web.port}", "Authorization": f"Bearer {web.token}", "Content-Type": "application/json",
              "Content-Length": str(len(body)), "Connection": "close"} | {
                  name.replace("_", "-"): value for name, value in changed.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
    with socket.create_connection(("127.0.0.1", web.port), 30) as connection:
        connection.sendall(f"{verb} {path} HTTP/1.1\r\n{head}\r\n{body}".encode())
        with connection.makefile("rb") as file:
            text = file.read().decode()
    return int(text.split(" ")[1]), text


@check("a request without the token, under another host name, from another page or in another form is refused", small=True)
def _(stage):
    daemon = stage.daemon(short)
    web = stage.web(daemon)
    head = daemon.head
    for status, changed in [
        (401, {"Authorization": None}), (401, {"Authorization": "Bearer " + "0" * 32}), (401, {"Authorization": "Basic YTpi"}),
        (401, {"Authorization": f"Bearer {web.token[:-1]}"}), (403, {"Host": "todod.example"}),
        (403, {"Host": f"todod.example:{web.port}"}), (403, {"Host": f"127.0.0.1.todod.example:{web.port}"}),
        (403, {"Host": None}), (403, {"Origin": "http://todod.example"}), (403, {"Origin": "null"}),
        (403, {"Origin": f"http://localhost:{web.port + 1}"}), (403, {"Sec_Fetch_Site": "cross-site"}),
        (415, {"Content_Type": "text/plain"}), (415, {"Content_Type": None}), (405, {"verb": "GET"}), (405, {"verb": "OPTIONS"}),
        (404, {"path": "/call/"}), (404, {"path": "/../todod.env", "verb": "GET"}),
    ]:
        found, text = answer(web, **changed)
        assert found == status, (changed, text)
        assert "access-control" not in text.lower() and web.token not in text, text
        # Unauthorized clients do not learn the owner of the page.
        assert "todod-uid" not in text.lower(), text
    assert daemon.head == head
    status, text = answer(web, Host=f"localhost:{web.port}", Origin=f"http://localhost:{web.port}")
    assert status == 200 and f"\r\nTodod-Uid: {os.getuid()}\r\n" in text, text
    assert daemon.head == head + 1


@check("a separate read-only server refuses every writing request", small=True)
def _(stage):
    daemon = stage.daemon(short)
    web = stage.web(daemon, "--read-only", through_todoctl=False)
    head = daemon.head
    for method in ("Store.Dispatch", "Store.Open", "History.Undo", "History.Revert", "History.SetBookmark", "Admin.Hold",
                   "Admin.Redact", "History.ApplyWhatIf", "Store.Unheard"):
        for accept in (None, "application/json-seq"):
            assert answer(web, path=f"/call/org.todod.{method}", Accept=accept)[0] == 403, method
    assert daemon.head == head
    assert answer(web, path="/call/org.todod.Store.GetState", body="{}")[0] == 200


@contextlib.contextmanager
def page_of_somebody_else(directory):
    """Serves another page on this machine."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with open(f"{directory}/index.html", "w", encoding="utf-8") as file:
        file.write("<!doctype html><title>another page</title><h1>Another page</h1>")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@check("another page in the same browser can neither read, write nor frame the page, even with the token")
def _(stage):
    daemon = stage.daemon(short)
    web = stage.web(daemon)
    head = daemon.head
    with page_of_somebody_else(stage.directory()) as origin:
        context = stage.browser.new_context()
        stage.ending.callback(context.close)
        tab = context.new_page()
        tab.goto(origin)
        fetched = """async ([address, options]) => {
            try { return (await fetch(address, options)).type; } catch (error) { return 'refused'; }
        }"""
        call = {"method": "POST", "body": BODY}
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {web.token}"}
        assert tab.evaluate(fetched, [web.origin + DISPATCH, call | {"headers": headers}]) == "refused"
        assert tab.evaluate(fetched, [web.origin + "/", {}]) == "refused"
        # Requests that a browser sends without a preflight have no effect.
        assert tab.evaluate(fetched, [web.origin + DISPATCH, call | {"mode": "no-cors"}]) in ("opaque", "refused")
        tab.evaluate("""address => new Promise((resolve) => {
            const frame = document.createElement('iframe');
            frame.onload = resolve;
            frame.src = address;
            document.body.append(frame);
        })""", web.address)
        assert all(not frame.locator("#name").count() for frame in tab.frames[1:])
        # A form has no effect either.
        tab.evaluate("""address => {
            const form = document.createElement('form');
            form.method = 'post';
            form.enctype = 'text/plain';
            form.action = address;
            document.body.append(form);
            form.submit();
        }""", web.origin + DISPATCH)
        tab.wait_for_url(web.origin + DISPATCH)
        assert "ForeignOrigin" in tab.content()
    assert daemon.head == head


@check("a page without its token shows a remedy and sends no further requests")
def _(stage):
    daemon = stage.daemon(short)
    web = stage.web(daemon)
    page = stage.open(web.origin + "/", isReady=False)
    page.mayMissAnswers = True
    page.says("Open the address that todoctl web printed.")
    page.tab.goto(web.address)
    page.ready().shows_state("now")
